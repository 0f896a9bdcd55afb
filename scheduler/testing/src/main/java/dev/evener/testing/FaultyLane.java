package dev.evener.testing;

import dev.evener.DeviceInfo;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A lane with faults in front of it, which runs a chunk at a time unless all of them are chunks that fail. Threads as for any lane. */
final class FaultyLane implements Lane {
    /** The operating system may wake a thread this much late; the rest of a wait is spent yielding. */
    private static final long TIMER_SLACK_NANOS = 100_000;

    private final Lane lane;
    private final List<Fault> faults = new ArrayList<>(); // none is added once it runs
    private final BooleanSupplier begun;
    private long chunks;
    private long jobs = -1; // a job of which this lane has seen nothing does not count
    private long chunksInJob;
    private long mostUnits = Long.MAX_VALUE;
    private long addedNanos;
    private boolean inTurn; // a chunk is over before another is enqueued
    private final ArrayDeque<Boolean> failing = new ArrayDeque<>(); // those under way, the first first
    private volatile boolean stopping;

    private FaultyLane(Lane lane, BooleanSupplier begun) {
        this.lane = lane;
        this.begun = begun;
    }

    /**
     * The lane with one more fault.
     *
     * @param begun whether faults, jobs and chunks count yet; asked at each job's beginning and at each chunk
     */
    static FaultyLane of(Lane lane, Fault fault, BooleanSupplier begun) {
        FaultyLane faulty =
                lane instanceof FaultyLane known && known.begun == begun ? known : new FaultyLane(lane, begun);
        faulty.faults.add(fault);
        faulty.inTurn |= fault.kind() != Fault.Kind.ERROR && fault.kind() != Fault.Kind.DIE;
        return faulty;
    }

    @Override
    public DeviceInfo device() {
        return lane.device();
    }

    @Override
    public long stackBytes() {
        return lane.stackBytes();
    }

    @Override
    public boolean isOnHelper() {
        return lane.isOnHelper();
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        return lane.maxChunkUnits(phase);
    }

    @Override
    public boolean checks() {
        return lane.checks();
    }

    @Override
    public boolean isBuilt(JobSpec.Phase phase) {
        return lane.isBuilt(phase);
    }

    @Override
    public void build(JobSpec.Phase phase) {
        lane.build(phase);
    }

    @Override
    public boolean isWarm(JobSpec job, JobSpec.Phase phase) {
        return lane.isWarm(job, phase);
    }

    @Override
    public void warm(JobSpec job, JobSpec.Phase phase) {
        lane.warm(job, phase);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // two phases that are equal are two phases
    public void prepare(JobSpec job, JobSpec.Phase phase) {
        if (!begun.getAsBoolean()) {
            lane.prepare(job, phase);
            return;
        }
        if (phase == job.phases().get(0)) { // once for each run of a job
            jobs++;
            chunksInJob = 0;
        }
        if (fault(Fault.Kind.BUILD, true) != null) {
            throw new LaneFailure(LaneFailure.Kind.BUILD, "injected: kernel " + phase.kernel() + " does not build");
        }
        lane.prepare(job, phase);
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        long start = System.nanoTime();
        addedNanos = 0;
        if (!begun.getAsBoolean()) {
            return run(job, phase, firstUnit, units, fenced, times, false);
        }
        boolean counts = true;
        try {
            Fault alloc = fault(Fault.Kind.ALLOC, true);
            if (alloc != null) {
                mostUnits = mostUnits == Long.MAX_VALUE ? Math.max(1, units / 2) : mostUnits;
                if (units > mostUnits) {
                    times.untouched = true;
                    throw new LaneFailure(LaneFailure.Kind.MEMORY, "injected: no memory for " + units + " units");
                }
            }
            if (fault(Fault.Kind.DIE, true) != null) {
                times.untouched = true;
                throw new LaneFailure(LaneFailure.Kind.DEVICE, "injected: the device is gone");
            }
            Fault hang = fault(Fault.Kind.HANG, false);
            if (hang != null) {
                hang(hang);
            }
            boolean fails = fault(Fault.Kind.ERROR, false) != null;
            counts = run(job, phase, firstUnit, units, fenced, times, fails);
            long taken = System.nanoTime() - start;
            Fault slow = fault(Fault.Kind.SLOW, true);
            if (slow != null) {
                addedNanos = pause((long) (taken * (slow.factor() - 1)));
            }
            return counts;
        } finally {
            chunks += counts ? 1 : 0;
            chunksInJob += counts ? 1 : 0;
        }
    }

    private boolean run(
            JobSpec job,
            JobSpec.Phase phase,
            long firstUnit,
            long units,
            boolean fenced,
            ChunkTimes times,
            boolean fails) {
        if (!lane.enqueue(job, phase, firstUnit, units, fenced, times)) {
            return false;
        }
        failing.add(fails);
        if (inTurn) {
            lane.await();
        }
        return true;
    }

    @Override
    public boolean takesAnother() {
        return !inTurn && lane.takesAnother();
    }

    @Override
    public void proceed() {
        lane.proceed();
    }

    @Override
    public void await() {
        boolean fails = Boolean.TRUE.equals(failing.poll());
        if (!inTurn) {
            lane.await();
        }
        if (fails) {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "injected: the chunk failed");
        }
    }

    @Override
    public boolean commitAhead() {
        return lane.commitAhead();
    }

    @Override
    public boolean bringsEdges() {
        return lane.bringsEdges();
    }

    @Override
    public boolean awaitEdges() {
        return lane.awaitEdges();
    }

    @Override
    public void takeBack() {
        lane.takeBack();
    }

    @Override
    public boolean holdsData() {
        return lane.holdsData();
    }

    @Override
    public void commit() {
        lane.commit();
    }

    @Override
    public void settle(ChunkTimes times) {
        lane.settle(times);
        if (addedNanos > 0) {
            times.kernelNanos += addedNanos;
            times.end += addedNanos;
        }
    }

    @Override
    public ByteBuffer partial(int argument) {
        return lane.partial(argument);
    }

    @Override
    public void probe() {
        if (begun.getAsBoolean() && fault(Fault.Kind.DIE, true) != null) {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "injected: the device is gone");
        }
        lane.probe();
    }

    @Override
    public boolean waits() {
        return lane.waits();
    }

    @Override
    public long waitedNanos() {
        return lane.waitedNanos();
    }

    @Override
    public void stop() {
        stopping = true;
        lane.stop();
    }

    @Override
    public void close() {
        lane.close();
    }

    /** The fault of a kind that applies to the present chunk. */
    private @Nullable Fault fault(Fault.Kind kind, boolean fromThenOn) {
        for (Fault fault : faults) {
            if (fault.kind() == kind && applies(fault, fromThenOn)) {
                return fault;
            }
        }
        return null;
    }

    private boolean applies(Fault fault, boolean fromThenOn) {
        if (fault.job() == Fault.ANY_JOB) {
            return fromThenOn ? chunks >= fault.chunk() : chunks == fault.chunk();
        }
        if (jobs == fault.job()) {
            return fromThenOn ? chunksInJob >= fault.chunk() : chunksInJob == fault.chunk();
        }
        return fromThenOn && jobs > fault.job();
    }

    private void hang(Fault fault) {
        long start = System.nanoTime();
        long length = fault.length().isZero() ? Long.MAX_VALUE : fault.length().toNanos();
        while (!stopping && System.nanoTime() - start < length) {
            LockSupport.parkNanos(this, 1_000_000);
        }
    }

    /** Waits that long, to within microseconds, and says how long it was. */
    private static long pause(long nanos) {
        long start = System.nanoTime();
        long passed = 0;
        while (passed < nanos) {
            if (nanos - passed > TIMER_SLACK_NANOS) {
                LockSupport.parkNanos(nanos - passed - TIMER_SLACK_NANOS);
            } else {
                Thread.onSpinWait();
            }
            passed = System.nanoTime() - start;
        }
        return passed;
    }
}
