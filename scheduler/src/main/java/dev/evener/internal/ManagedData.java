package dev.evener.internal;

import dev.evener.ElementType;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.ManagedBuffer;
import dev.evener.internal.data.Fetch;
import dev.evener.internal.data.Traffic;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a {@link ManagedBuffer} is to the runtime: content that stays where it was written, until the host opens a scope. Any thread. */
public final class ManagedData extends LogicalBuffer implements ManagedBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(ManagedData.class);

    private final Turns turns;
    private final long segmentBytes;
    private final @Nullable PageLocked pageLocked;
    private volatile boolean willBeMirrored;
    private volatile boolean mirrored; // changes between jobs, as a turn of the host's
    private final Set<Turn> waiting = ConcurrentHashMap.newKeySet(); // turns that have not come

    /** What gives the host its turns between jobs, and the threads for what it does in them. Any thread. */
    public interface Turns {
        /**
         * Takes the host's place behind all jobs and turns that were entered before and conflict with it.
         *
         * @param turn run when it has come, by a thread that must not wait; not if it was given up before
         * @return ends it, or gives it up
         */
        Runnable enter(Range range, boolean writes, Runnable turn);

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

        /** A future for an application, to be completed by {@link #complete}. */
        <T> CompletableFuture<T> newFuture();

        /** Has a future completed on the thread for callbacks of scopes. */
        void complete(Runnable future);

        /** From now on nothing is moved; waits for what is under way. Once. */
        void close(Duration limit);
    }

    private enum Use {
        READ,
        WRITE,
        UPDATE
    }

    /** The host's place in the order. */
    private static final class Turn {
        /** Completed when its turn has come, and exceptionally when it is given up before; whichever is first counts. */
        private final CompletableFuture<@Nullable Void> come = new CompletableFuture<>();

        private final Runnable end; // of a turn that has come

        Turn(Turns turns, Range range, boolean writes) {
            this.end = turns.enter(range, writes, () -> come.complete(null));
        }
    }

    /**
     * A new one, as {@link dev.evener.Evener#allocateManaged} says.
     *
     * @param pageLocked whose memory it has on the host when it is needed there; null for ordinary memory
     */
    public ManagedData(
            ElementType type, long elements, Segments.Limits limits, @Nullable PageLocked pageLocked, Turns turns) {
        super(type, elements, () -> Segments.allocate(type, elements, 1, limits, pageLocked));
        this.segmentBytes = Segments.stride(type, elements, 1, limits);
        this.pageLocked = pageLocked;
        this.turns = turns;
    }

    /** Refuses it to a job of another runtime, which has devices of the same names, than that whose turns these are. */
    public void requireOf(Turns own, String job) {
        if (turns != own) {
            throw new JobRejectedException("job '" + job + "' uses a managed buffer of " + elements() + " "
                    + type().openClName()
                    + " that another Evener allocated: allocate it by the one that runs the job, and"
                    + " copy what it holds from a read() there to a write() here");
        }
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
        return open(element, count, Use.READ);
    }

    @Override
    public Scope write(long element, long count) {
        return open(element, count, Use.WRITE);
    }

    @Override
    public Scope update(long element, long count) {
        return open(element, count, Use.UPDATE);
    }

    @Override
    public CompletableFuture<Scope> readAsync(long element, long count) {
        return ask(element, count, Use.READ);
    }

    @Override
    public CompletableFuture<Scope> writeAsync(long element, long count) {
        return ask(element, count, Use.WRITE);
    }

    @Override
    public CompletableFuture<Scope> updateAsync(long element, long count) {
        return ask(element, count, Use.UPDATE);
    }

    @Override
    public ManagedBuffer mirror() {
        checkOpen();
        memory(); // now, so that the caller is told if there is none
        Turn turn = enter(all(), true);
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
        Turn turn =
                new Turn(turns, all(), true); // comes although the buffer is closed: jobs behind it are to find zeros
        hostIsToWrite(all());
        CompletableFuture<?> ignored = turn.come.thenRun(() -> {
            long most = segmentBytes;
            directory().discard(fetch -> clear(fetch, most)); // which does not keep the buffer
            if (mirrored) {
                moveInTurn(turn, () -> directory().bringToHost(0, byteSize(), new Traffic()));
            } else {
                turn.end.run();
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
                turn.end.run();
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

    private Turn enter(Range range, Use use) {
        Turn turn = enter(range, use != Use.READ);
        if (use != Use.READ) {
            hostIsToWrite(range);
        }
        return turn;
    }

    private Turn enter(Range range, boolean writes) {
        checkOpen();
        Turn turn = new Turn(turns, range, writes);
        waiting.add(turn);
        CompletableFuture<?> ignored = turn.come.whenComplete((none, givenUp) -> {
            waiting.remove(turn);
            if (givenUp != null) {
                turn.end.run();
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

    private Scope open(long element, long count, Use use) {
        Range range = range(element, count);
        turns.requireMayWait();
        Turn turn = enter(range, use);
        try {
            turn.come.join();
        } catch (CompletionException e) {
            checkOpen();
            throw e;
        }
        return opened(range, use, turn.end);
    }

    private CompletableFuture<Scope> ask(long element, long count, Use use) {
        Range range = range(element, count);
        CompletableFuture<Scope> future = turns.newFuture();
        Turn turn = enter(range, use);
        // Ended by the caller before its turn: later jobs must not wait for it.
        CompletableFuture<?> ignored = future.whenComplete((scope, cause) -> turn.come.cancel(false));
        ignored = turn.come.whenComplete((none, givenUp) -> {
            if (givenUp == null) {
                turns.move(() -> give(future, () -> opened(range, use, turn.end)));
            } else if (!future.isDone()) {
                turns.complete(() -> future.completeExceptionally(givenUp));
            }
        });
        return future;
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

    /** Opens a scope whose turn has come. */
    private Scope opened(Range range, Use use, Runnable turnEnds) {
        long from = range.from();
        long to = range.to();
        boolean held = hold();
        Runnable end = () -> {
            if (held) {
                letGo();
            }
            turnEnds.run();
        };
        try {
            return turns.whileOpen(() -> {
                checkOpen();
                OpenScope elsewhere = use == Use.READ && !hasMemory() ? elsewhere(from, to, end) : null;
                if (elsewhere != null) {
                    return elsewhere;
                }
                if (use != Use.WRITE) {
                    directory().bringToHost(from, to, new Traffic());
                }
                return new OpenScope(this, from, to, use, part(from, Math.toIntExact(to - from)), end);
            });
        } catch (Throwable e) { // an Error too: jobs must not wait for a scope that nobody has
            end.run();
            throw e;
        }
    }

    /** A scope for reading a part, with memory of its own, as the buffer has none here; null if others than devices hold some of it. */
    private @Nullable OpenScope elsewhere(long from, long to, Runnable end) {
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
                return new OpenScope(this, from, to, Use.READ, memory, () -> {
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

    /** A scope that was opened. One thread at a time. */
    public static final class OpenScope implements Scope {
        private final ManagedData of;
        private final long from;
        private final long to;
        private final boolean writes;
        private final ByteBuffer memory;
        private final Runnable end;
        private final AtomicBoolean closed = new AtomicBoolean();
        private boolean seen; // whether its user may have written

        private OpenScope(ManagedData of, long from, long to, Use use, ByteBuffer part, Runnable end) {
            this.of = of;
            this.from = from;
            this.to = to;
            this.writes = use != Use.READ;
            this.memory = writes ? part : part.asReadOnlyBuffer();
            this.end = end;
        }

        @Override
        public ByteBuffer bytes() {
            if (closed.get()) {
                throw new IllegalStateException("this scope is closed; open another by read(), write() or update()");
            }
            if (writes && !seen) { // no sooner: a scope that is given back unseen changes nothing
                of.directory().hostWrites(from, to);
                seen = true;
            }
            return memory.duplicate().order(ByteOrder.nativeOrder());
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                if (seen) {
                    of.directory().hostWrote(from, to);
                }
                end.run();
            }
        }
    }
}
