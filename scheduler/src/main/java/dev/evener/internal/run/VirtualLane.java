package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A worker without a thread: what it does are events on a virtual clock, and what its device would take comes from a
 * {@link VirtualDevice}. A visit goes through its steps as a thread would take it ({@link JobRun#visit}).
 *
 * <p>For one thread, which is that of the {@link VirtualRuntime}.
 */
final class VirtualLane extends LaneWorker {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long NEVER = Long.MAX_VALUE;

    private enum State {
        /** Nothing to do. */
        PARKED,
        /** Called, and about to take its next visit. */
        WAKING,
        /** Has taken a chunk that its device has not begun with. */
        LAUNCHING,
        /** The device works. */
        RUNNING,
        /** The device is done, or has failed, and the lane about to see it. */
        NOTICING
    }

    private record Visit(@Nullable JobRun run, int lane) {}

    private final VirtualRuntime runtime;
    private final VirtualTime time;
    private final VirtualDevice model;
    private final VirtualDevice.Cost cost = new VirtualDevice.Cost();
    private final ArrayDeque<Visit> inbox = new ArrayDeque<>();
    private State state = State.PARKED;
    private long due = NEVER;
    private @Nullable JobRun run;
    private int index;

    private long submitted;
    private long started;
    private double left; // of the chunk's time, were it disturbed by nobody
    private long seen; // when that was
    private double rate = 1; // of it in a nanosecond
    private long ended;
    private long settling; // until the times of the last chunk have been read

    private double slowness = 1;
    private boolean lost;
    private boolean hanging;

    VirtualLane(VirtualRuntime runtime, VirtualDevice model, VirtualTime time) {
        super(new Device(model), time.watchdog(), PATIENCE);
        ((Device) lane()).owner = this;
        this.runtime = runtime;
        this.model = model;
        this.time = time;
    }

    /** When it does its next step, or {@link Long#MAX_VALUE}. */
    long due() {
        return due;
    }

    int memory() {
        return model.memory();
    }

    boolean isRunning() {
        return state == State.RUNNING && !hanging;
    }

    // ---- as a worker ----

    @Override
    boolean isCurrent() {
        return false;
    }

    @Override
    void offer(JobRun of, int lane) {
        call(new Visit(of, lane));
    }

    @Override
    void offerProbe() {
        call(new Visit(null, 0));
    }

    private void call(Visit visit) {
        inbox.add(visit);
        if (state == State.PARKED) {
            state = State.WAKING;
            due = time.getAsLong() + model.wakeNanos();
        }
    }

    // ---- its steps ----

    /** Does what is due. */
    void step() {
        switch (state) {
            case WAKING -> visit();
            case LAUNCHING -> {
                started = time.getAsLong();
                left = cost.busyNanos();
                seen = started;
                state = State.RUNNING;
                runtime.pressureChanged();
            }
            case RUNNING -> {
                ended = time.getAsLong();
                state = State.NOTICING;
                due = ended + cost.noticeNanos;
                runtime.pressureChanged();
            }
            case NOTICING -> {
                JobRun of = present();
                if (!of.lane(index).hasFailed()) {
                    fill(times());
                }
                of.end(index);
                goOn(of);
            }
            default -> throw new IllegalStateException("a parked lane has nothing to do");
        }
    }

    private JobRun present() {
        JobRun of = run;
        if (of == null) {
            throw new IllegalStateException("lane " + device().id() + " works for nobody");
        }
        return of;
    }

    private void visit() {
        Visit visit = inbox.remove();
        JobRun of = visit.run();
        if (of == null) {
            if (!hanging) {
                probe();
            }
            rest();
        } else {
            run = of;
            index = visit.lane();
            of.arrive(index);
            goOn(of);
        }
    }

    /** The next chunk, or the end of the visit. */
    private void goOn(JobRun of) {
        if (!of.begin(index)) {
            of.depart(index);
            run = null;
            rest();
            return;
        }
        Participant me = of.lane(index);
        PhaseRun phase = me.phase();
        long now = time.getAsLong();
        if (me.hasFailed()) {
            fails(now);
            return;
        }
        model.run(of.job(), phase.phase(), phase.firstUnit(me.held()), phase.units(me.held()), cost);
        me.saved(cost.saveNanos);
        submitted = now + cost.saveNanos + cost.submitNanos;
        state = State.LAUNCHING;
        due = submitted + cost.startNanos;
        if (lost) {
            me.failWith(gone());
            fails(submitted);
        }
    }

    private void rest() {
        state = inbox.isEmpty() ? State.PARKED : State.WAKING;
        due = inbox.isEmpty() ? NEVER : time.getAsLong();
    }

    private void fails(long when) {
        state = State.NOTICING;
        due = when;
    }

    private void fill(ChunkTimes times) {
        settling = cost.settleNanos;
        long busy = ended - started;
        double stretched = busy / cost.busyNanos(); // by others, by events
        times.submitted = submitted;
        times.start = started;
        times.end = ended;
        times.kernelNanos = Math.round(cost.kernelNanos * stretched);
        times.transferNanos = Math.round(cost.transferNanos * stretched);
        times.overlapNanos = times.kernelNanos + times.transferNanos - busy;
        times.bytesIn = cost.bytesIn;
        times.bytesOut = cost.bytesOut;
    }

    /** The device works faster or slower from now on. */
    void pressure(int others) {
        if (state != State.RUNNING) {
            return;
        }
        double now = hanging ? 0 : 1 / (slowness * (1 + (cost.slowdown - 1) * others));
        long at = time.getAsLong();
        if (now != rate || at == seen) {
            left = Math.max(0, left - (at - seen) * rate);
            seen = at;
            rate = now;
            due = hanging ? NEVER : at + (long) Math.ceil(left / rate);
        }
    }

    // ---- what happens to its device ----

    /** From now on its work takes so many times as long, but for what takes no time on the device; 1 for as long as ever. */
    void slow(double factor) {
        slowness = factor;
        runtime.pressureChanged();
    }

    /** The device is gone: what it runs, and will be asked to run, fails. */
    void lose() {
        lost = true;
        if (run != null && state != State.WAKING) {
            run.lane(index).failWith(gone());
            fails(time.getAsLong());
            runtime.pressureChanged();
        }
    }

    /** From now on no chunk ends. */
    void hang() {
        hanging = true;
        runtime.pressureChanged();
    }

    /** The device works as ever. */
    void recover() {
        lost = false;
        hanging = false;
        slowness = 1;
        runtime.pressureChanged();
    }

    private static LaneFailure gone() {
        return new LaneFailure(LaneFailure.Kind.DEVICE, "the device was lost");
    }

    @Override
    public void close() {}

    @Override
    boolean join(Duration limit) {
        return true;
    }

    /** What else a lane is asked takes no time and keeps nothing. */
    private static final class Device implements Lane {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
        private final VirtualDevice model;
        private @Nullable VirtualLane owner;

        Device(VirtualDevice model) {
            this.model = model;
        }

        @Override
        public DeviceInfo device() {
            return model.device();
        }

        @Override
        public long maxChunkUnits(Job.Phase phase) {
            return Integer.MAX_VALUE;
        }

        @Override
        public void execute(Job job, Job.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            throw new IllegalStateException("a virtual lane's chunks are events");
        }

        @Override
        public void commit() {}

        @Override
        public void settle(ChunkTimes times) {
            if (owner != null) {
                owner.time.spend(owner.settling);
                owner.settling = 0;
            }
        }

        @Override
        public ByteBuffer partial(int argument) {
            return NOTHING;
        }

        @Override
        public void probe() {
            if (owner == null || owner.lost) {
                throw gone();
            }
        }

        @Override
        public void close() {}
    }
}
