package dev.evener.internal;

import dev.evener.ElementType;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.ManagedBuffer;
import dev.evener.internal.data.Fetch;
import dev.evener.internal.data.Traffic;
import java.lang.StackWalker.StackFrame;
import java.lang.ref.Cleaner.Cleanable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a {@link ManagedBuffer} is to the runtime: content that stays where it was written, until the host opens a scope. Any thread. */
public final class ManagedData extends LogicalBuffer implements ManagedBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(ManagedData.class);

    private final Turns turns;
    private final long segmentBytes;
    private final @Nullable PageLocked pageLocked;
    private final boolean checked;
    private volatile boolean willBeMirrored;
    private volatile boolean mirrored; // changes between jobs, as a turn of the host's
    private final Set<Turn> waiting = ConcurrentHashMap.newKeySet(); // turns that have not come

    /** What gives the host its turns between jobs, and the threads for what it does in them. Any thread. */
    public interface Turns {
        /**
         * Takes the host's place behind all jobs and turns that were entered before and conflict with it.
         *
         * @param who has it; null if nobody has to know
         * @param turn told when it has come, by a thread that must not wait; not if it was given up before. What it is given throws a {@link
         *     dev.evener.DataLostException} if a job before it has not written what it was to
         * @return ends it, or gives it up
         */
        Place enter(@Nullable Waiter who, Range range, boolean writes, Consumer<Runnable> turn);

        /** The host's place in the order; run, it ends. */
        interface Place extends Runnable {
            /** Who has to end before its turn comes. */
            List<Waiter> waitsFor();

            /** None of what was in the range is there any more: whoever comes behind does not miss what was not written. Before its end. */
            void replaces();
        }

        /** Who waits. */
        Waits waits();

        /** Throws {@link IllegalStateException} on a thread that must not wait for a turn. */
        void requireMayWait();

        /**
         * Does what may wait for a device, which stays open meanwhile.
         *
         * @throws IllegalStateException if it is closed
         */
        <T> T whileOpen(Supplier<T> work);

        /** Has something done on a thread that may wait for devices. */
        void move(Runnable work);

        /** A future for an application, to be completed by {@link #complete} when a scope has its turn. */
        <T> CompletableFuture<T> newFuture(Waiter scope);

        /** Has a future completed on the thread for callbacks of scopes. */
        void complete(Runnable future);

        /** From now on nothing is moved; waits for what is under way. Once. */
        void close(Duration limit);
    }

    private enum Use {
        READ("read()"),
        UPDATE("update()"),
        /** A promise to write all of it, so that nothing needs to be fetched. */
        OVERWRITE("overwrite()");

        private final String called;

        Use(String called) {
            this.called = called;
        }
    }

    /** The host's place in the order, from when it was asked for to its end. It does not refer to the scope that is opened in it. */
    private static final class Turn implements Waits.Turn {
        private static final StackWalker WALKER = StackWalker.getInstance();

        /** Completed when its turn has come, and exceptionally when it is given up before; whichever is first counts. */
        private final CompletableFuture<Runnable> come = new CompletableFuture<>();

        private final Waits waits;
        private final String kind; // "read() scope"
        private final Range range;
        private final long since = System.nanoTime();
        private final @Nullable Class<?> callback; // of that which uses the scope, and has it closed
        private final @Nullable StackFrame place; // where it was asked for, if the application has to close it
        private final Turns.Place claimed;
        private volatile @Nullable Thread owner; // which has used the scope last
        private volatile boolean open;
        private volatile boolean over;

        /** @param user what is called with the scope, and closes it; null if the application is to close it */
        Turn(Turns turns, String kind, Range range, boolean writes, @Nullable Object user) {
            this.waits = turns.waits();
            this.kind = kind;
            this.range = range;
            this.callback = user == null ? null : user.getClass();
            this.place =
                    user == null ? WALKER.walk(Turn::firstOfOthers) : null; // which is dear, as such turns are seldom
            waits.entered(this);
            this.claimed = turns.enter(this, range, writes, come::complete);
        }

        private static @Nullable StackFrame firstOfOthers(Stream<StackFrame> frames) {
            return frames.filter(each -> !isOwn(each.getClassName()))
                    .findFirst()
                    .orElse(null);
        }

        private static boolean isOwn(String className) {
            return className.startsWith("dev.evener.internal.") || className.startsWith("dev.evener.ManagedBuffer");
        }

        /** The class in which a callback was written, or which it is. */
        private static String named(Class<?> callback) {
            String name = callback.getName();
            int lambda = name.indexOf("$$Lambda");
            return lambda < 0 ? name : name.substring(0, lambda);
        }

        /** It ends, if its turn has come, or is given up. */
        void end() {
            over = true;
            owner = null;
            waits.left(this);
            claimed.run();
        }

        @Override
        public long since() {
            return since;
        }

        @Override
        public boolean hasBegun() {
            return come.isDone();
        }

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public boolean uses(LogicalBuffer buffer) {
            return range.buffer() == buffer;
        }

        @Override
        public @Nullable Thread owner() {
            return owner;
        }

        @Override
        public String what() {
            return "the " + kind + " of the " + range.text()
                    + (callback != null ? " for a callback of " + named(callback) : "")
                    + (place != null ? " that was asked for at " + place : "");
        }

        @Override
        public List<? extends Waiter> waitsFor() {
            boolean hasCome = come.isDone() && !come.isCompletedExceptionally(); // what is given up keeps its place
            return hasCome ? waits.of(owner) : claimed == null ? List.of() : claimed.waitsFor();
        }

        @Override
        public String state() {
            return over
                    ? "is closed"
                    : !come.isDone()
                            ? "has its turn next"
                            : open ? "is open" : "has its turn, and is brought to the host";
        }

        @Override
        public @Nullable Object progress() {
            return open && !over ? null : state();
        }
    }

    /**
     * A new one, as {@link dev.evener.Evener#allocateManaged} says.
     *
     * @param pageLocked whose memory it has on the host when it is needed there; null for ordinary memory
     */
    public ManagedData(
            ElementType type, long elements, Segments.Limits limits, @Nullable PageLocked pageLocked, Turns turns) {
        this(type, elements, 1, limits, pageLocked, turns, false);
    }

    /**
     * @param elementsPerUnit what no boundary between two segments may cut
     * @param checked whether to look for what {@link #overwrite} was to write and did not
     */
    ManagedData(
            ElementType type,
            long elements,
            long elementsPerUnit,
            Segments.Limits limits,
            @Nullable PageLocked pageLocked,
            Turns turns,
            boolean checked) {
        super(type, elements, () -> Segments.allocate(type, elements, elementsPerUnit, limits, pageLocked));
        this.segmentBytes = Segments.stride(type, elements, elementsPerUnit, limits);
        this.pageLocked = pageLocked;
        this.turns = turns;
        this.checked = checked;
    }

    /** Refuses it to a job of another runtime, which has devices of the same names, than that whose turns these are. */
    public void requireOf(Turns own, String job) {
        if (turns != own) {
            throw new JobRejectedException("job '" + job + "' uses a managed " + text()
                    + " that another Evener allocated: allocate it by the one that runs the job, and"
                    + " copy what it holds from a read() there to an overwrite() here");
        }
    }

    @Override
    public ManagedBuffer named(String name) {
        name(name);
        return this;
    }

    @Override
    public int segmentCount() {
        return Math.toIntExact(Math.max(1, (byteSize() + segmentBytes - 1) / segmentBytes));
    }

    @Override
    public long segmentBytes() {
        return segmentBytes;
    }

    @Override
    public boolean hasHostViews() {
        return false;
    }

    @Override
    public boolean isMirrored() {
        return mirrored;
    }

    @Override
    public boolean willBeMirrored() {
        return willBeMirrored;
    }

    @Override
    public Scope read(long element, long count) {
        return open(element, count, Use.READ, null);
    }

    @Override
    public Scope update(long element, long count) {
        return open(element, count, Use.UPDATE, null);
    }

    @Override
    public Scope overwrite(long element, long count) {
        return open(element, count, Use.OVERWRITE, null);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T read(long element, long count, Reader<T, X> reader)
            throws X {
        Objects.requireNonNull(reader, "reader");
        try (Scope scope = open(element, count, Use.READ, reader)) {
            return reader.read(scope);
        }
    }

    @Override
    public <X extends Exception> void update(long element, long count, Writer<X> writer) throws X {
        Objects.requireNonNull(writer, "writer");
        try (Scope scope = open(element, count, Use.UPDATE, writer)) {
            writer.write(scope);
        }
    }

    @Override
    public <X extends Exception> void overwrite(long element, long count, Writer<X> writer) throws X {
        Objects.requireNonNull(writer, "writer");
        try (Scope scope = open(element, count, Use.OVERWRITE, writer)) {
            writer.write(scope);
        }
    }

    @Override
    public CompletableFuture<Scope> readAsync(long element, long count) {
        return ask(element, count, Use.READ, null, future -> future);
    }

    @Override
    public CompletableFuture<Scope> updateAsync(long element, long count) {
        return ask(element, count, Use.UPDATE, null, future -> future);
    }

    @Override
    public CompletableFuture<Scope> overwriteAsync(long element, long count) {
        return ask(element, count, Use.OVERWRITE, null, future -> future);
    }

    @Override
    public ManagedBuffer mirror() {
        checkOpen();
        memory(); // now, so that the caller is told if there is none
        Turn turn = enter("mirror()", all(), true, null);
        willBeMirrored = true;
        CompletableFuture<?> ignored = turn.come.thenRun(() -> moveInTurn(turn, () -> {
            directory().bringAllToHost(new Traffic());
            mirrored = true;
        }));
        return this;
    }

    @Override
    public void discard() {
        checkOpen();
        // Comes although the buffer is closed: jobs behind it are to find zeros.
        Turn turn = new Turn(turns, "discard()", all(), true, null);
        hostIsToWrite(all());
        CompletableFuture<?> ignored = turn.come.thenRun(() -> {
            long most = segmentBytes;
            turn.claimed.replaces();
            directory().discard(fetch -> clear(fetch, most)); // which does not keep the buffer
            if (mirrored) {
                moveInTurn(turn, () -> directory().bringToHost(0, byteSize(), new Traffic()));
            } else {
                turn.end();
            }
        });
    }

    /** Has something brought to the host, and ends the turn. */
    private void moveInTurn(Turn turn, Runnable work) {
        turns.move(() -> {
            boolean held = keep();
            try {
                turns.whileOpen(() -> {
                    if (held) { // else nobody needs it
                        work.run();
                    }
                    return held;
                });
            } catch (RuntimeException e) {
                LOG.debug("closed meanwhile", e);
            } finally {
                if (held) {
                    letGo();
                }
                turn.end();
            }
        });
    }

    private static boolean clear(Fetch fetch, long segmentBytes) {
        for (long at = fetch.from(), here; at < fetch.to(); at += here) {
            here = Math.min(fetch.to() - at, segmentBytes - at % segmentBytes);
            HostMemory.clear(fetch.target(at, here));
        }
        return true;
    }

    // ---- the host's turn ----

    private Turn enter(Range range, Use use, @Nullable Object user) {
        Turn turn = enter(use.called + " scope", range, use != Use.READ, user);
        if (use != Use.READ) {
            hostIsToWrite(range);
        }
        return turn;
    }

    private Turn enter(String kind, Range range, boolean writes, @Nullable Object user) {
        checkOpen();
        Turn turn = new Turn(turns, kind, range, writes, user);
        waiting.add(turn);
        CompletableFuture<?> ignored = turn.come.whenComplete((none, givenUp) -> {
            waiting.remove(turn);
            if (givenUp != null) {
                turn.end();
            }
        });
        if (isClosed()) { // since the check above: closed() may have missed this turn
            closed();
        }
        return turn;
    }

    /** Nobody waits for the turns of a closed buffer. */
    @Override
    void closed() {
        waiting.forEach(each -> each.come.completeExceptionally(closedException()));
    }

    private Scope open(long element, long count, Use use, @Nullable Object user) {
        Range range = range(element, count);
        turns.requireMayWait();
        Turn turn = enter(range, use, user);
        if (!turn.come.isDone()) {
            await(turn);
        }
        return opened(range, use, turn, Thread.currentThread());
    }

    private void await(Turn turn) {
        Waits.Wait wait;
        try {
            wait = turns.waits().beginOrRefuse(turn);
        } catch (IllegalStateException e) { // later jobs must not wait for it
            if (!turn.come.cancel(false) && !turn.come.isCompletedExceptionally()) {
                turn.end();
            }
            throw e;
        }
        try {
            turn.come.join();
        } catch (CompletionException e) {
            checkOpen();
            throw e;
        } finally {
            wait.close();
        }
    }

    /** @param derived makes what is returned of the scope's future, before that can be completed: callbacks run on their own thread */
    private <T extends @Nullable Object> CompletableFuture<T> ask(
            long element,
            long count,
            Use use,
            @Nullable Object user,
            Function<CompletableFuture<Scope>, CompletableFuture<T>> derived) {
        Range range = range(element, count);
        Turn turn = enter(range, use, user);
        CompletableFuture<Scope> future = turns.newFuture(turn);
        CompletableFuture<T> returned = derived.apply(future);
        // Ended by the caller before its turn: later jobs must not wait for it.
        CompletableFuture<?> ignored = future.whenComplete((scope, cause) -> turn.come.cancel(false));
        ignored = turn.come.whenComplete((none, givenUp) -> {
            if (givenUp == null) {
                turns.move(() -> give(future, () -> opened(range, use, turn, null)));
            } else if (!future.isDone()) {
                turns.complete(() -> future.completeExceptionally(givenUp));
            }
        });
        return returned;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> readAsync(
            long element, long count, Reader<T, ? extends Exception> reader) {
        Objects.requireNonNull(reader, "reader");
        return ask(element, count, Use.READ, reader, asked -> using(asked, reader));
    }

    @Override
    public CompletableFuture<@Nullable Void> updateAsync(long element, long count, Writer<? extends Exception> writer) {
        Reader<@Nullable Void, Exception> writing = nothing(writer);
        return ask(element, count, Use.UPDATE, writer, asked -> using(asked, writing));
    }

    @Override
    public CompletableFuture<@Nullable Void> overwriteAsync(
            long element, long count, Writer<? extends Exception> writer) {
        Reader<@Nullable Void, Exception> writing = nothing(writer);
        return ask(element, count, Use.OVERWRITE, writer, asked -> using(asked, writing));
    }

    private static Reader<@Nullable Void, Exception> nothing(Writer<? extends Exception> writer) {
        Objects.requireNonNull(writer, "writer");
        return view -> {
            writer.write(view);
            return null;
        };
    }

    /** The result of what uses a scope that was asked for. Whoever ends that future, the scope is closed before long. */
    private static <T extends @Nullable Object> CompletableFuture<T> using(
            CompletableFuture<Scope> asked, Reader<T, ? extends Exception> reader) {
        CompletableFuture<T> result = asked.newIncompleteFuture();
        CompletableFuture<?> ignored = asked.whenComplete((scope, failure) -> {
            if (scope == null) {
                result.completeExceptionally(failure);
                return;
            }
            T value;
            try (scope) {
                if (result.isDone()) {
                    return;
                }
                value = reader.read(scope);
            } catch (Throwable e) { // an Error too: somebody waits for the future
                result.completeExceptionally(e);
                return;
            }
            result.complete(value);
        });
        ignored = result.whenComplete((value, failure) -> asked.cancel(false));
        return result;
    }

    private void give(CompletableFuture<Scope> future, Supplier<Scope> opened) {
        try {
            Scope scope = opened.get();
            turns.complete(() -> {
                if (!future.complete(scope)) { // ended by the caller meanwhile
                    scope.close();
                }
            });
        } catch (Throwable e) { // an Error too: somebody waits for the future
            turns.complete(() -> future.completeExceptionally(e));
        }
    }

    /**
     * Opens a scope whose turn has come.
     *
     * @param owner the thread that has asked for it; null if it is not known who will use it
     */
    private Scope opened(Range range, Use use, Turn turn, @Nullable Thread owner) {
        long from = range.from();
        long to = range.to();
        boolean held = hold();
        Runnable end = () -> {
            if (held) {
                letGo();
            }
            turn.end();
        };
        try {
            OpenScope scope = turns.whileOpen(() -> {
                checkOpen();
                if (use != Use.OVERWRITE) {
                    turn.come.join().run();
                }
                OpenScope elsewhere = use == Use.READ && !hasMemory() ? elsewhere(turn, from, to, end) : null;
                if (elsewhere != null) {
                    return elsewhere;
                }
                if (use != Use.OVERWRITE) {
                    directory().bringToHost(from, to, new Traffic());
                }
                return new OpenScope(this, turn, from, to, use, part(from, Math.toIntExact(to - from)), end);
            });
            turn.owner = owner;
            turn.open = true;
            return scope;
        } catch (Throwable e) { // an Error too: jobs must not wait for a scope that nobody has
            end.run();
            throw e;
        }
    }

    /** A scope for reading a part, with memory of its own, as the buffer has none here; null if others than devices hold some of it. */
    private @Nullable OpenScope elsewhere(Turn turn, long from, long to, Runnable end) {
        int bytes = Math.toIntExact(to - from);
        if (bytes == byteSize()) {
            return null;
        }
        // Also for little, as it is given back at once and was there before.
        PageLocked.Block block = pageLocked == null ? null : pageLocked.take(Math.max(bytes, PageLocked.LEAST));
        try {
            ByteBuffer whole =
                    block == null ? HostMemory.allocate(bytes) : block.memory().limit(bytes);
            ByteBuffer memory = whole.slice();
            if (directory().copy(from, to, memory, new Traffic())) {
                PageLocked.Block taken = block;
                block = null;
                return new OpenScope(this, turn, from, to, Use.READ, memory, () -> {
                    if (taken != null) {
                        taken.giveBack();
                    }
                    end.run();
                });
            }
        } finally {
            if (block != null) {
                block.giveBack();
            }
        }
        return null;
    }

    @Override
    public String toString() {
        String around = turns.waits().around(this);
        return super.toString() + (around.isEmpty() ? "" : "; " + around);
    }

    /** A scope that was opened. One thread at a time. One that the application is to close is closed with a warning if nothing refers to it. */
    public static final class OpenScope implements Scope {
        private final Content content;
        private final boolean writes;
        private final boolean promised; // to write all of it, and the checking mode is to see that
        private final ByteBuffer memory;
        private final @Nullable Cleanable cleanable;

        private OpenScope(ManagedData of, Turn turn, long from, long to, Use use, ByteBuffer part, Runnable end) {
            this.content = new Content(of, turn, from, to, end);
            this.writes = use != Use.READ;
            this.promised = use == Use.OVERWRITE && of.checked;
            this.memory = writes ? part : part.asReadOnlyBuffer();
            this.cleanable = turn.callback == null ? HostMemory.CLEANER.register(this, content) : null;
        }

        @Override
        public ByteBuffer bytes() {
            content.see(writes, promised ? memory : null);
            return memory.duplicate().order(ByteOrder.nativeOrder());
        }

        @Override
        public void close() {
            String wrong = content.close();
            if (cleanable != null) {
                cleanable.clean(); // which finds it closed
            }
            if (wrong != null) {
                throw new IllegalStateException(wrong);
            }
        }

        @Override
        public String toString() {
            return Waits.text(content.turn);
        }
    }

    /** What there is to do when a scope is closed. Does not refer to the scope. */
    private static final class Content implements Runnable {
        private final ManagedData of;
        private final Turn turn;
        private final long from;
        private final long to;
        private final Runnable end;
        private final AtomicBoolean closed = new AtomicBoolean();
        private boolean seen; // whether its user may have written
        private @Nullable UnwrittenCheck unwritten;

        private Content(ManagedData of, Turn turn, long from, long to, Runnable end) {
            this.of = of;
            this.turn = turn;
            this.from = from;
            this.to = to;
            this.end = end;
        }

        /** @param promised what its user is to write all of, and the checking mode is to see that; null without */
        private void see(boolean writes, @Nullable ByteBuffer promised) {
            if (closed.get()) {
                throw new IllegalStateException(
                        turn.what() + " is closed; open another by read(), update() or overwrite()");
            }
            if (writes && !seen) { // no sooner: a scope that is given back unseen changes nothing
                of.directory().hostWrites(from, to);
                seen = true;
                turn.claimed.replaces(); // also of update(), whose turn does not come to it if something is missing
                unwritten = promised == null ? null : new UnwrittenCheck(promised);
            }
            turn.owner = Thread.currentThread();
        }

        /** Returns what its user has not written that was promised, in words; null if all is well. */
        private @Nullable String close() {
            if (!closed.compareAndSet(false, true)) {
                return null;
            }
            int left = unwritten == null ? -1 : unwritten.firstLeft();
            if (seen) {
                of.directory().hostWrote(from, to);
            }
            end.run();
            int size = of.type().bytes();
            return left < 0
                    ? null
                    : "overwrite() of elements " + from / size + " to " + (to / size - 1) + " of the " + of.text()
                            + " left element " + (from + left) / size
                            + " unwritten, which is undefined now: write all of"
                            + " them, or use update(), which keeps what is not written";
        }

        /** Nothing refers to the scope any more, or it was closed. */
        @Override
        public void run() {
            if (!closed.get()) {
                LOG.warn(
                        "{} was not closed, and nothing refers to it any more: it is closed now, after jobs and scopes may have"
                                + " waited for it; let read(view -> ...), update(view -> ...) or overwrite(view -> ...) close it",
                        turn.what());
                of.turns.move(() -> {
                    String wrong = close();
                    if (wrong != null) {
                        LOG.warn(wrong);
                    }
                });
            }
        }
    }
}
