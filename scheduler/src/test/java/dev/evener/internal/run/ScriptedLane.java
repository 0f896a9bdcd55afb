package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.JvmKernel;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A lane whose device is a loop over a job's Java kernels, and that gets into trouble as a script says. It misbehaves as
 * badly as a device may: a chunk that fails has updated half of its units and spoilt whatever it was to write; one that
 * comes back late has computed nonsense. It notes every call that breaks the contract of {@link Lane}.
 *
 * <p>One that queues ahead takes a second chunk while it has one, and runs each when it is waited for.
 */
final class ScriptedLane implements Lane {

    /** What goes wrong. */
    enum Trouble {
        NONE,
        /** One chunk fails. */
        THROWS,
        /** From one chunk on all fail, and so do probes. */
        DIES,
        DOES_NOT_BUILD,
        /** Chunks of more than so many units find no memory. */
        HAS_LITTLE_MEMORY,
        /** One chunk of a fenced job is not done until its time is up, or much later. */
        HANGS,
        /** Every so many chunks one begins late, and reads what is there by then. */
        IS_LATE
    }

    /**
     * What happens when.
     *
     * @param chunk number of the lane's chunk, from 0, at which it begins; of a lane that is late, how many are from one to the next
     * @param mostUnits with little memory: the largest chunk there is memory for
     * @param pauseNanos how long each chunk takes beside its work; of a lane that is late, by how much; of one that hangs, how long it hangs at most, 0 for
     *     as long as it is left alone
     */
    record Script(Trouble trouble, int chunk, int mostUnits, long pauseNanos) {
        static final Script GOOD = new Script(Trouble.NONE, 0, 0, 0);
    }

    private static final byte NONSENSE = 0x5a;

    /** A chunk is over after this time, as if its device had run it meanwhile, however long it was expected to take. */
    private static final long LONGEST_NANOS = 2_000_000;

    private final DeviceInfo device;
    private final Script script;
    private final long maxChunkUnits;
    private final ToLongFunction<JobSpec> granules;
    private final Queue<String> wrong;
    private final Set<JobSpec.Phase> prepared = new HashSet<>();
    private final Set<String> built = ConcurrentHashMap.newKeySet();
    private final boolean queuesAhead;
    private final AtomicInteger met = new AtomicInteger();
    private final ArrayDeque<Run> underWay = new ArrayDeque<>();
    private @Nullable Run over; // the chunk that was waited for last
    private int chunks;
    private int followed;
    private volatile int dropped;
    private long enqueuedAt; // the last chunk
    private volatile long longestNanos;
    private @Nullable Thread owner;
    private boolean committable;
    private final Semaphore back = new Semaphore(0);
    private volatile BooleanSupplier isGivenUp = () -> true;
    volatile boolean closed;

    /** What a fenced chunk wrote, and where it goes. */
    private record Staged(ByteBuffer from, ByteBuffer to) {}

    /**
     * @param granules of the jobs it will see
     * @param queuesAhead whether it takes a chunk while it runs one
     * @param wrong told what is called that must not be
     */
    ScriptedLane(
            DeviceInfo device,
            Script script,
            long maxChunkUnits,
            ToLongFunction<JobSpec> granules,
            boolean queuesAhead,
            Queue<String> wrong) {
        this.queuesAhead = queuesAhead;
        this.device = device;
        this.script = script;
        this.maxChunkUnits = maxChunkUnits;
        this.granules = granules;
        this.wrong = wrong;
    }

    /** How many chunks have had trouble. */
    int met() {
        return met.get();
    }

    /** How many chunks it has done that another did again meanwhile. */
    int dropped() {
        return dropped;
    }

    /** How long it had a chunk that was not to hang, at most. */
    long longestNanos() {
        return longestNanos;
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        return maxChunkUnits;
    }

    @Override
    public boolean isBuilt(JobSpec.Phase phase) {
        return built.contains(phase.kernel());
    }

    @Override
    public void build(JobSpec.Phase phase) {
        requireThread("build");
        built.add(phase.kernel());
        LockSupport.parkNanos(script.pauseNanos() / 10);
        if (script.trouble() == Trouble.DOES_NOT_BUILD) {
            throw new LaneFailure(LaneFailure.Kind.BUILD, "scripted: it does not build");
        }
    }

    @Override
    public void prepare(JobSpec job, JobSpec.Phase phase) {
        requireThread("prepare");
        if (script.trouble() == Trouble.DOES_NOT_BUILD) {
            throw new LaneFailure(LaneFailure.Kind.BUILD, "scripted: it does not build");
        }
        prepared.add(phase);
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        requireThread("enqueue");
        requireLegal(job, phase, firstUnit, units);
        if (!underWay.isEmpty()) {
            followed++;
            if (!queuesAhead || underWay.size() > 1 || fenced) {
                wrong.add("a chunk is enqueued behind " + underWay.size() + " others");
            }
        }
        if (underWay.isEmpty()) {
            dropped += committable ? 1 : 0;
            committable = false;
        }
        int number = chunks++;
        if (script.trouble() == Trouble.HAS_LITTLE_MEMORY && units > script.mostUnits()) {
            if (!underWay.isEmpty() && number % 2 == 0) {
                return false; // perhaps there is more when that has ended
            }
            met.incrementAndGet();
            times.untouched = true;
            throw new LaneFailure(LaneFailure.Kind.MEMORY, "scripted: no memory for " + units + " units");
        }
        Run run = new Run(phase, firstUnit, units, fenced, number, times);
        if (queuesAhead) {
            underWay.add(run);
            enqueuedAt = System.nanoTime();
        } else {
            over = run;
            run.run();
        }
        return true;
    }

    @Override
    public boolean takesAnother() {
        return queuesAhead && underWay.size() == 1 && System.nanoTime() - enqueuedAt < LONGEST_NANOS;
    }

    @Override
    public void await() {
        requireThread("await");
        if (queuesAhead) {
            committable = false;
            over = underWay.remove();
            over.run();
        }
    }

    /** How many chunks were enqueued behind another. */
    int followed() {
        return followed;
    }

    private void requireLegal(JobSpec job, JobSpec.Phase phase, long firstUnit, long units) {
        long end = firstUnit + units;
        if (closed) {
            wrong.add("a closed lane executes");
        }
        if (!prepared.contains(phase)) {
            wrong.add("phase " + phase.kernel() + " runs unprepared");
        }
        if (units < 1 || firstUnit < 0 || end > job.units()) {
            wrong.add("units " + firstUnit + " to " + end + " of " + job.units());
        }
        long granule = granules.applyAsLong(job);
        if (units > Math.max(maxChunkUnits, granule)) {
            wrong.add(units + " units at once, of which a lane takes " + maxChunkUnits);
        }
        if (firstUnit % granule != 0 || (end % granule != 0 && end != job.units())) {
            wrong.add("units " + firstUnit + " to " + end + " are no granules of " + granule);
        }
    }

    private void requireThread(String call) {
        if (owner == null) {
            owner = Thread.currentThread();
        }
        if (Thread.currentThread() != owner) {
            wrong.add(call + " on " + Thread.currentThread());
        }
    }

    private void hang() {
        back.drainPermits();
        try {
            if (script.pauseNanos() == 0) {
                back.acquire();
            } else if (!back.tryAcquire(script.pauseNanos(), TimeUnit.NANOSECONDS)) {
                while (!isGivenUp.getAsBoolean() && !back.tryAcquire(10, TimeUnit.MILLISECONDS)) {
                    continue; // whoever is to take the chunk away may be late on a machine that is short of time
                }
            }
        } catch (InterruptedException e) {
            wrong.add("interrupted");
        }
    }

    /** If it hangs, it does not come back by itself before the lane is out of use. */
    void hangsUntil(BooleanSupplier givenUp) {
        isGivenUp = givenUp;
    }

    /** Lets it come back if it hangs. */
    void comeBack() {
        back.release();
    }

    @Override
    public void stop() {
        comeBack();
    }

    private static JvmKernel kernel(JobSpec.Phase phase) {
        JvmKernel kernel = phase.jvm();
        if (kernel == null) {
            throw new IllegalStateException("no Java form");
        }
        return kernel;
    }

    /** One chunk. */
    private final class Run {
        private final JobSpec.Phase phase;
        private final long firstUnit;
        private final long units;
        private final boolean fenced;
        private final int number;
        private final ChunkTimes times;
        private final List<Staged> staged = new ArrayList<>();
        private final ByteBuffer[] buffers;
        private final long begun = System.nanoTime();

        Run(JobSpec.Phase phase, long firstUnit, long units, boolean fenced, int number, ChunkTimes times) {
            this.phase = phase;
            this.firstUnit = firstUnit;
            this.units = units;
            this.fenced = fenced;
            this.number = number;
            this.times = times;
            this.buffers = new ByteBuffer[phase.arguments().size()];
            bind();
        }

        void run() {
            times.start = System.nanoTime();
            boolean hangs = fenced && script.trouble() == Trouble.HANGS && number == script.chunk();
            boolean isLate = script.trouble() == Trouble.IS_LATE && number % script.chunk() == 0;
            if (hangs || isLate) {
                met.incrementAndGet();
                hang();
            }
            boolean fails = (script.trouble() == Trouble.THROWS && number == script.chunk())
                    || (script.trouble() == Trouble.DIES && number >= script.chunk());
            if (hangs || fails) {
                kernel(phase).run(new View(firstUnit, (units + 1) / 2, buffers));
                spoil(hangs);
            } else {
                kernel(phase).run(new View(firstUnit, units, buffers));
            }
            if (fails) {
                met.incrementAndGet();
                if (number % 2 == 0) {
                    throw new IllegalStateException("scripted: chunk " + number + " failed");
                }
                throw new AssertionError("scripted: chunk " + number + " failed");
            }
            if (script.trouble() != Trouble.HANGS && script.trouble() != Trouble.IS_LATE) {
                LockSupport.parkNanos(script.pauseNanos());
            }
            times.end = System.nanoTime();
            if (!hangs) {
                longestNanos = Math.max(longestNanos, times.end - begun);
            }
            times.kernelNanos = times.end - times.start;
            committable = !hangs; // for its time was up
        }

        private void bind() {
            List<Argument> arguments = phase.arguments();
            for (int i = 0; i < buffers.length; i++) {
                if (!(arguments.get(i) instanceof Argument.Buffer b)) {
                    continue;
                }
                if (b.access() instanceof Access.Slice s) {
                    int bytes = (int) s.elementsPerUnit() * b.buffer().type().bytes();
                    ByteBuffer part = b.buffer().segment(0).slice((int) firstUnit * bytes, (int) units * bytes);
                    buffers[i] = fenced && b.written() ? stage(part) : part;
                } else if (b.access() instanceof Access.Reduce r) {
                    buffers[i] = ByteBuffer.allocate((int) b.buffer().byteSize());
                    Merge.fillIdentity(buffers[i], b.buffer().type(), r.operation());
                } else {
                    buffers[i] = b.buffer().segment(0);
                }
                buffers[i].order(ByteOrder.nativeOrder());
            }
        }

        private ByteBuffer stage(ByteBuffer part) {
            ByteBuffer own = ByteBuffer.allocate(part.capacity());
            own.put(0, part, 0, part.capacity());
            staged.add(new Staged(own, part));
            return own;
        }

        /** Nonsense into everything that a second run will write anew, and, if nothing of it may be kept, into all the rest. */
        private void spoil(boolean all) {
            for (int i = 0; i < buffers.length; i++) {
                if (phase.arguments().get(i) instanceof Argument.Buffer b && b.written() && (all || !b.read())) {
                    for (int at = 0; at < buffers[i].capacity(); at++) {
                        buffers[i].put(at, NONSENSE);
                    }
                }
            }
        }
    }

    private Run over() {
        if (over == null) {
            throw new IllegalStateException("no chunk was waited for");
        }
        return over;
    }

    @Override
    public void commit() {
        requireThread("commit");
        if (!committable) {
            wrong.add("a chunk is committed that did not end well, or twice");
        }
        committable = false;
        over().staged.forEach(each -> each.to().put(0, each.from(), 0, each.to().capacity()));
    }

    @Override
    public ByteBuffer partial(int argument) {
        return over().buffers[argument];
    }

    @Override
    public void probe() {
        requireThread("probe");
        if (script.trouble() == Trouble.DIES && met() > 0) {
            throw new IllegalStateException("scripted: it is gone");
        }
    }

    @Override
    public void close() {
        requireThread("close");
        if (!underWay.isEmpty()) {
            wrong.add(underWay.size() + " chunks were never waited for");
        }
        closed = true;
    }

    /** What a kernel sees of the present chunk. */
    private static final class View implements JvmKernel.Chunk {
        private final long firstUnit;
        private final int units;
        private final ByteBuffer[] buffers;

        View(long firstUnit, long units, ByteBuffer[] buffers) {
            this.buffers = buffers;
            this.firstUnit = firstUnit;
            this.units = Math.toIntExact(units);
        }

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
            return buffers[index];
        }
    }
}
