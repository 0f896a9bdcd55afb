package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.JvmKernel;
import dev.evener.MadeUpDevices;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Fetch;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ScriptedLane.Script;
import dev.evener.internal.run.ScriptedLane.Trouble;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A lane whose device is a loop over a job's Java kernels and whose memory is an array for each buffer, within a budget: it brings
 * there what a chunk lacks, keeps what it wrote, and gives up what was used longest ago. With a budget of {@link #IN_PLACE} it
 * works on the host's memory. It gets into trouble as its script says, and spoils as much then as a device may.
 *
 * <p>A device that dies is gone for those too who want what it holds. One that dies with an odd chunk has done it, and nobody knows yet.
 */
final class ResidentLane implements Lane {
    static final long IN_PLACE = -1;

    private static final byte NONSENSE = 0x5a;
    private static final long LONGEST_NANOS =
            200_000; // after which a chunk is over, however long it was expected to take

    private final DeviceInfo device;
    private final Script script;
    private final long budget;
    private final long mostUnits;
    private final boolean queuesAhead;
    private final Queue<String> wrong;
    private final Semaphore back = new Semaphore(0);
    private final ArrayDeque<Run> underWay = new ArrayDeque<>();
    private @Nullable Run over; // the chunk that was waited for last
    private int chunks;
    private long enqueuedAt;
    private volatile boolean gone;
    private volatile boolean closed;
    private volatile long slowestNanos;

    // Guarded by this.
    private final List<Copy> live = new ArrayList<>();
    private long uses;

    /**
     * @param budget most bytes of all copies together, or {@link #IN_PLACE}
     * @param queuesAhead whether it takes a chunk while it has one, and runs each when it is waited for
     * @param wrong told what is called that must not be
     */
    ResidentLane(String id, Script script, long budget, long mostUnits, boolean queuesAhead, Queue<String> wrong) {
        DeviceKind kind = budget == IN_PLACE ? DeviceKind.CPU : DeviceKind.GPU;
        this.device = MadeUpDevices.device(id, "scripted", "resident " + id, kind, 1, 1, 1, id);
        this.script = script;
        this.budget = budget;
        this.mostUnits = mostUnits;
        this.queuesAhead = queuesAhead;
        this.wrong = wrong;
    }

    /** Bytes that it holds for buffers. */
    synchronized long held() {
        return live.stream().mapToLong(copy -> copy.of.byteSize()).sum();
    }

    /** The longest time that a chunk took, none that hung by its script. */
    long slowestNanos() {
        return slowestNanos;
    }

    boolean isTroubled() {
        return script.trouble() != Trouble.NONE;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        return mostUnits;
    }

    @Override
    public boolean holdsData() {
        return budget != IN_PLACE;
    }

    @Override
    public void build(JobSpec.Phase phase) {
        if (script.trouble() == Trouble.DOES_NOT_BUILD) {
            throw new LaneFailure(LaneFailure.Kind.BUILD, "scripted: it does not build");
        }
    }

    // ---- chunks ----

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        if (underWay.isEmpty()) {
            release(over); // of a job that has failed since
        } else if (!queuesAhead || underWay.size() > 1 || fenced) {
            wrong.add("a chunk is enqueued behind " + underWay.size() + " others");
        }
        if (closed || units < 1 || firstUnit < 0 || firstUnit + units > job.units() || units > mostUnits) {
            wrong.add(
                    "units " + firstUnit + " to " + (firstUnit + units) + " of " + job.units() + ", closed " + closed);
        }
        Run before = underWay.peekLast();
        boolean follows = before != null && before.committed; // perhaps of another job
        Run run = new Run(phase, firstUnit, units, fenced, chunks, times);
        if (follows && !run.isThere()) {
            return false;
        }
        chunks++;
        if (script.trouble() == Trouble.HAS_LITTLE_MEMORY && units > script.mostUnits()) {
            if (!underWay.isEmpty() && run.number % 2 == 0) {
                return false; // perhaps there is more when that has ended
            }
            times.untouched = true;
            throw new LaneFailure(LaneFailure.Kind.MEMORY, "scripted: no memory for " + units + " units");
        }
        times.untouched = true;
        trying(run, run::find);
        times.untouched = false;
        if (follows) {
            run.eachPart(Part::spoil); // its commands are in the queue
        }
        if (queuesAhead) {
            underWay.add(run);
            enqueuedAt = System.nanoTime();
        } else {
            over = run;
            trying(run, run::run);
        }
        return true;
    }

    @Override
    public boolean takesAnother() {
        return queuesAhead && underWay.size() == 1 && System.nanoTime() - enqueuedAt < LONGEST_NANOS;
    }

    @Override
    public void await() {
        if (queuesAhead) {
            release(over);
            Run run = underWay.remove();
            over = run;
            trying(run, run::run);
        }
    }

    private void trying(Run run, Runnable step) {
        boolean done = false;
        try {
            step.run();
            done = true;
        } catch (RuntimeException e) {
            run.takeBack(); // before what the device holds goes to the host
            if (LaneFailure.kindOf(e) != LaneFailure.Kind.MEMORY) {
                distrust();
            }
            throw e;
        } finally {
            if (!done) {
                release(run);
            }
        }
    }

    @Override
    public boolean commitAhead() {
        Run run = underWay.peekLast();
        return run != null && underWay.size() == 1 && run.commitAhead();
    }

    @Override
    public void takeBack() {
        over().takeBack();
    }

    private static void release(@Nullable Run run) {
        if (run != null) {
            run.release();
        }
    }

    private Run over() {
        Run run = over;
        if (run == null) {
            throw new IllegalStateException("no chunk was waited for");
        }
        return run;
    }

    @Override
    public void commit() {
        if (over().committed) {
            wrong.add("a chunk is committed twice");
        }
        over().commit();
    }

    @Override
    public void settle(ChunkTimes times) {
        release(over);
    }

    @Override
    public ByteBuffer partial(int argument) {
        return over().parts[argument].view();
    }

    @Override
    public void probe() {
        requireThere();
    }

    private void requireThere() {
        if (gone) {
            throw new IllegalStateException("scripted: device " + device.id() + " is gone");
        }
    }

    @Override
    public void stop() {
        back.release();
    }

    @Override
    public void close() {
        release(over);
        underWay.forEach(Run::release);
        while (true) {
            Copy copy = oldest();
            if (copy == null) {
                closed = true;
                return;
            }
            copy.free();
        }
    }

    // ---- its memory ----

    private static ByteBuffer bytes(long count) {
        ByteBuffer made = ByteBuffer.allocate(Math.toIntExact(count)).order(ByteOrder.nativeOrder());
        spoil(made);
        return made;
    }

    private static void spoil(ByteBuffer all) {
        for (int at = 0; at < all.capacity(); at++) {
            all.put(at, NONSENSE);
        }
    }

    private static ByteBuffer slice(ByteBuffer of, long from, long count) {
        return of.slice(Math.toIntExact(from), Math.toIntExact(count)).order(ByteOrder.nativeOrder());
    }

    /** The device's memory for a buffer. */
    private final class Copy implements LogicalBuffer.DeviceMemory {
        private final LogicalBuffer of;
        private final Directory.Holding holding;

        // Guarded by the lane.
        private @Nullable ByteBuffer memory;
        private int pins;
        private boolean doomed;
        private long lastUse;

        Copy(LogicalBuffer of) {
            this.of = of;
            this.holding = of.directory().newHolding(device.id(), this::fetch);
        }

        private boolean fetch(Fetch what) {
            LockSupport.parkNanos(script.pauseNanos() / 4); // in which it may be given up, and come again
            ByteBuffer present = pinned();
            if (present == null) {
                return false;
            }
            try {
                requireThere();
                LockSupport.parkNanos(script.pauseNanos() / 4);
                int count = (int) (what.to() - what.from());
                what.target(what.from(), count).put(0, present, (int) what.from(), count);
            } finally {
                unpin();
            }
            return true;
        }

        private @Nullable ByteBuffer pinned() {
            synchronized (ResidentLane.this) {
                pins += memory == null ? 0 : 1;
                return memory;
            }
        }

        void unpin() {
            boolean frees;
            synchronized (ResidentLane.this) {
                pins--;
                frees = doomed;
            }
            if (frees) {
                free();
            }
        }

        ByteBuffer memory() {
            synchronized (ResidentLane.this) {
                if (memory == null) {
                    throw new IllegalStateException("a copy without memory");
                }
                return memory;
            }
        }

        @Override
        public void release() {
            synchronized (ResidentLane.this) {
                doomed = true;
            }
            free();
        }

        /** Unless it is in use. */
        private void free() {
            synchronized (ResidentLane.this) {
                if (pins > 0 || memory == null) {
                    return;
                }
                memory = null;
                live.remove(this);
            }
            holding.spoils(0, of.byteSize());
        }
    }

    /** The copy of a buffer, in use; null if there is no room. */
    private @Nullable Copy pin(LogicalBuffer buffer) {
        Copy copy = (Copy) buffer.attachment(this, Copy::new);
        if (copy.pinned() == null) {
            while (held() + buffer.byteSize() > budget) {
                Copy oldest = oldest();
                if (oldest == null) {
                    return null;
                }
                oldest.holding.evacuate(0, oldest.of.byteSize(), new Traffic());
                oldest.free();
            }
            synchronized (this) {
                copy.memory = bytes(buffer.byteSize());
                copy.pins++;
                live.add(copy);
            }
        }
        synchronized (this) {
            copy.lastUse = ++uses;
        }
        return copy;
    }

    private synchronized @Nullable Copy oldest() {
        Copy oldest = null;
        for (Copy copy : live) {
            if (copy.pins == 0 && (oldest == null || copy.lastUse < oldest.lastUse)) {
                oldest = copy;
            }
        }
        return oldest;
    }

    /** A chunk failed: what the device holds is in doubt. */
    private void distrust() {
        List<Copy> all;
        synchronized (this) {
            all = List.copyOf(live);
        }
        for (Copy copy : all) {
            try {
                copy.holding.evacuate(0, copy.of.byteSize(), new Traffic());
            } catch (RuntimeException e) {
                // it does not give it up
            }
            copy.holding.forget(0, copy.of.byteSize(), "scripted: only device " + device.id() + " held them");
        }
    }

    // ---- one chunk ----

    /** One argument of a chunk. */
    private final class Part {
        private final Argument.Buffer argument;
        private final long from;
        private final long count;
        private final boolean slice;
        private @Nullable Copy copy;
        private long since; // how often the buffer had been written
        private @Nullable ByteBuffer view;
        private boolean placed; // what it writes is so already for all that is behind it
        private @Nullable ByteBuffer staged; // goes to the host with commit

        Part(Argument.Buffer argument, long firstUnit, long units) {
            this.argument = argument;
            this.from = argument.seenFrom(firstUnit);
            this.count = argument.seenBytes(firstUnit, units);
            this.slice = argument.view() == Argument.View.OWN;
        }

        ByteBuffer view() {
            if (view == null) {
                throw new IllegalStateException("it was not placed");
            }
            return view;
        }

        private Directory directory() {
            return argument.buffer().directory();
        }

        void find(boolean fenced) {
            if (!holdsData() || argument.view() == Argument.View.PARTIAL) {
                return;
            }
            since = directory().changes();
            copy = !argument.buffer().hasHostViews() || !slice ? pin(argument.buffer()) : null;
            if (argument.read() && (copy == null || (fenced && argument.written()))) {
                directory().bringToHost(from, from + count, new Traffic());
            } else if (argument.read()) {
                for (long at = copy.holding.missingFrom(from, from + count); at < from + count; ) {
                    long end = copy.holding.presentFrom(at, from + count);
                    directory().bringToHost(at, end, new Traffic());
                    at = copy.holding.missingFrom(end, from + count);
                }
            }
            if (argument.written() && copy == null && !fenced) {
                directory().hostWrites(from, from + count);
            }
        }

        /** Whether nothing is to be brought for it. */
        boolean isThere() {
            Copy known = (Copy) argument.buffer().attachment(ResidentLane.this, Copy::new);
            boolean has = known.pinned() != null;
            if (has) {
                known.unpin();
            }
            return has
                    && argument.view() != Argument.View.PARTIAL
                    && (!argument.read() || known.holding.missingFrom(from, from + count) >= from + count);
        }

        boolean stays() {
            return copy != null
                    && (!argument.read() || copy.holding.missingFrom(from, from + count) >= from + count)
                    && !(argument.written() && isFetched());
        }

        void spoil() {
            placed = true;
            if (copy != null && argument.written()) {
                copy.holding.spoils(from, from + count);
            }
        }

        void place(boolean fenced) {
            Access.Reduce reduce = argument.reduction();
            if (reduce != null) {
                ByteBuffer partial = bytes(count);
                Merge.fillIdentity(partial, argument.buffer().type(), reduce.operation());
                view = partial;
                return;
            }
            if (copy != null) {
                view = slice(copy.memory(), from, count);
                if (argument.read() && !placed) {
                    send(copy);
                }
                if (argument.written() && !placed) {
                    copy.holding.spoils(from, from + count);
                }
            } else if (holdsData() || (fenced && argument.written())) {
                ByteBuffer own = bytes(count);
                if (argument.read()) {
                    own.put(0, onHost(), 0, own.capacity());
                }
                view = own;
            } else {
                view = onHost();
            }
            if (fenced && argument.written()) {
                staged = view;
            }
        }

        private void send(Copy to) {
            for (long at = to.holding.missingFrom(from, from + count); at < from + count; ) {
                long end = to.holding.presentFrom(at, from + count);
                view().put((int) (at - from), onHost(), (int) (at - from), (int) (end - at));
                at = to.holding.missingFrom(end, from + count);
            }
        }

        private ByteBuffer onHost() {
            return argument.buffer().part(from, (int) count).order(ByteOrder.nativeOrder());
        }

        /** The kernel has run. */
        void done() {
            if (holdsData() && slice && argument.written() && staged == null && (copy == null || isFetched())) {
                onHost().put(0, view(), 0, (int) count);
            }
            if (copy != null && !argument.written() && !placed) {
                copy.holding.received(from, from + count, since);
            }
        }

        private boolean isFetched() {
            return argument.buffer().isMirrored();
        }

        void commit() {
            if (staged != null) {
                directory().hostWrites(from, from + count);
                onHost().put(0, staged, 0, (int) count);
            }
            if (copy != null && argument.written()) {
                copy.holding.wrote(from, from + count, staged != null || isFetched());
            } else if (holdsData() && argument.isWrittenInPlace()) {
                directory().hostWrote(from, from + count);
            }
        }
    }

    private final class Run implements JvmKernel.Chunk {
        private final JobSpec.Phase phase;
        private final long firstUnit;
        private final boolean fenced;
        private final int number;
        private final ChunkTimes times;
        private final Part[] parts;
        private int units; // that the kernel does
        private boolean ended;
        private boolean released;
        private boolean committed; // ahead of its end

        Run(JobSpec.Phase phase, long firstUnit, long units, boolean fenced, int number, ChunkTimes times) {
            this.phase = phase;
            this.firstUnit = firstUnit;
            this.units = Math.toIntExact(units);
            this.fenced = fenced;
            this.number = number;
            this.times = times;
            this.parts = new Part[phase.arguments().size()];
            for (int i = 0; i < parts.length; i++) {
                if (phase.arguments().get(i) instanceof Argument.Buffer b) {
                    parts[i] = new Part(b, firstUnit, units);
                }
            }
        }

        private void eachPart(Consumer<Part> action) {
            for (Part part : parts) {
                if (part != null) {
                    action.accept(part);
                }
            }
        }

        boolean isThere() {
            return allParts(Part::isThere);
        }

        private boolean allParts(Predicate<Part> all) {
            for (Part part : parts) {
                if (part != null && !all.test(part)) {
                    return false;
                }
            }
            return true;
        }

        boolean commitAhead() {
            committed = !fenced && holdsData() && allParts(Part::stays);
            if (committed) {
                eachPart(part -> {
                    part.placed = true;
                    part.commit();
                });
            }
            return committed;
        }

        void takeBack() {
            if (committed) {
                committed = false;
                eachPart(Part::spoil);
            }
        }

        void find() {
            requireThere();
            eachPart(part -> part.find(fenced));
        }

        void run() {
            times.start = System.nanoTime();
            requireThere();
            boolean hangs = fenced && script.trouble() == Trouble.HANGS && number == script.chunk();
            boolean dies = script.trouble() == Trouble.DIES && number == script.chunk();
            boolean fails =
                    (script.trouble() == Trouble.THROWS && number == script.chunk()) || (dies && number % 2 == 0);
            eachPart(part -> part.place(fenced));
            if (hangs) {
                hang();
            }
            JvmKernel kernel = phase.jvm(); // none of a job that is to bring data here and no more
            if (hangs || fails) {
                units = (units + 1) / 2;
            }
            if (kernel != null) {
                kernel.run(this);
            }
            if (hangs || fails) {
                eachPart(part -> {
                    if (part.argument.written() && (!part.argument.read() || fenced || holdsData())) {
                        spoil(part.view());
                    }
                });
            }
            gone |= dies && fails;
            if (fails) {
                throw new IllegalStateException("scripted: chunk " + number + " failed");
            }
            LockSupport.parkNanos(script.trouble() == Trouble.HANGS ? 0 : script.pauseNanos());
            eachPart(Part::done);
            times.end = System.nanoTime();
            times.kernelNanos = times.end - times.start;
            slowestNanos = hangs ? slowestNanos : Math.max(slowestNanos, times.kernelNanos);
            ended = !hangs;
            gone |= dies;
        }

        private void hang() {
            try {
                boolean ignored = back.tryAcquire(script.pauseNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void commit() {
            if (!ended || released) {
                wrong.add("a chunk is committed that did not end well, or twice");
            }
            ended = false;
            eachPart(Part::commit);
        }

        void release() {
            if (!released) {
                released = true;
                eachPart(part -> {
                    if (part.copy != null) {
                        part.copy.unpin();
                    }
                });
            }
        }

        // ---- what a kernel sees ----

        @Override
        public long firstUnit() {
            return firstUnit;
        }

        @Override
        public int units() {
            return units;
        }

        @Override
        public ByteBuffer buffer(int index) {
            return parts[index].view();
        }

        @Override
        public Number scalar(int index) {
            return ((Argument.Scalar) phase.arguments().get(index)).value();
        }

        @Override
        public int viewStart(int index) {
            Argument.Buffer its = parts[index].argument;
            return its.view() == Argument.View.AROUND
                    ? (int) ((firstUnit * its.bytesPerUnit() - its.seenFrom(firstUnit))
                            / its.buffer().type().bytes())
                    : 0;
        }
    }
}
