package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.internal.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkInFlight;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import dev.evener.internal.run.LaneTask;
import dev.evener.internal.run.LaneWorker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A worker without a thread: what it does are events on a virtual clock, and what its device would take comes from a
 * {@link SimulatedDevice}. A visit goes through its steps as a thread would take it ({@link LaneTask}).
 *
 * <p>For one thread, which is that of the {@link VirtualRuntime}.
 */
final class VirtualLane extends LaneWorker {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long NEVER = Long.MAX_VALUE;

    /** What stands for the thread. */
    private enum State {
        /** Nothing to do. */
        PARKED,
        /** Called, and about to take its next visit. */
        WAKING,
        /** Waits for its device, and will take the chunk after the one under way meanwhile. */
        FOLLOWING,
        /** Waits for its device. */
        WAITING,
        /** What it waited for has ended, or failed, and the lane is about to see it. */
        NOTICING
    }

    /** A chunk that the device was given. */
    private static final class Flight {
        final SimulatedDevice.Cost cost = new SimulatedDevice.Cost();
        long submitted;
        long started;
        long ended;
    }

    /** What else the runtime asks of a lane takes no time and keeps nothing. */
    private static final class Events implements Lane {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
        private final DeviceInfo device;
        private @Nullable VirtualLane worker;

        Events(DeviceInfo device) {
            this.device = device;
        }

        @Override
        public DeviceInfo device() {
            return device;
        }

        @Override
        public long maxChunkUnits(JobSpec.Phase phase) {
            return Integer.MAX_VALUE;
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            throw new IllegalStateException("a virtual lane's chunks are events");
        }

        /** The next chunk goes back, as the one before has failed. */
        @Override
        public void await() {
            if (worker != null) {
                worker.hasSecond = false;
                worker.idle();
            }
        }

        @Override
        public void commit() {}

        @Override
        public void settle(ChunkTimes times) {
            if (worker != null) {
                worker.time.spend(worker.settling);
                worker.settling = 0;
            }
        }

        @Override
        public ByteBuffer partial(int argument) {
            return NOTHING;
        }

        @Override
        public void probe() {
            if (worker == null || worker.lost) {
                throw gone();
            }
        }

        @Override
        public void close() {}
    }

    private final VirtualRuntime runtime;
    private final VirtualTime time;
    private final SimulatedDevice model;
    private final ArrayDeque<Optional<LaneTask>> inbox = new ArrayDeque<>(); // a visit without a task is a probe
    private State state = State.PARKED;
    private long due = NEVER;
    private @Nullable LaneTask task;

    private long free; // when the thread is done with what it enqueues
    private long followUp; // when the next chunk was due to be taken
    private long settling; // until the times of the last chunk have been read

    private Flight first = new Flight(); // of the chunk that was begun
    private Flight second = new Flight(); // and of the next one
    private boolean hasSecond;

    private @Nullable Flight atWork; // what the device runs, or is about to
    private boolean running;
    private long deviceDue = NEVER; // when it begins or ends that
    private double left; // of the chunk's time, were it disturbed by nobody
    private long seen; // when that was
    private double rate = 1; // of it in a nanosecond

    private double slowness = 1;
    private boolean lost;
    private boolean hanging;

    VirtualLane(VirtualRuntime runtime, SimulatedDevice model, VirtualTime time) {
        super(new Events(model.device()), time.watchdog(), PATIENCE);
        ((Events) lane()).worker = this;
        this.runtime = runtime;
        this.model = model;
        this.time = time;
    }

    /** When it, or its device, does its next step, or {@link Long#MAX_VALUE}. */
    long due() {
        return Math.min(due, deviceDue);
    }

    int memory() {
        return model.memory();
    }

    boolean isRunning() {
        return running && !hanging;
    }

    // ---- as a worker ----

    @Override
    protected boolean isCurrent() {
        return false;
    }

    @Override
    protected void offer(LaneTask of) {
        call(Optional.of(of));
    }

    @Override
    protected void offerProbe() {
        call(Optional.empty());
    }

    private void call(Optional<LaneTask> visit) {
        inbox.add(visit);
        if (state == State.PARKED) {
            state = State.WAKING;
            due = time.getAsLong() + model.wakeNanos();
        }
    }

    // ---- its steps ----

    /** Does what is due. */
    void step() {
        if (deviceDue <= due) {
            deviceStep();
            return;
        }
        switch (state) {
            case WAKING -> visit();
            case FOLLOWING -> follow(present());
            case NOTICING -> {
                LaneTask of = present();
                if (of.present.problem == null) {
                    fill(of.present.times);
                }
                of.end();
                goOn(of);
            }
            default -> throw new IllegalStateException("a lane that waits has nothing to do");
        }
    }

    private void deviceStep() {
        Flight flight = atWork;
        if (flight == null) {
            throw new IllegalStateException("a device without a chunk has nothing to do");
        }
        long now = time.getAsLong();
        if (!running) {
            flight.started = now;
            left = flight.cost.busyNanos();
            seen = now;
            running = true;
        } else {
            flight.ended = now;
            idle();
            if (flight == first) {
                notice();
                if (hasSecond) {
                    launch(second, Math.max(now, second.submitted));
                }
            }
        }
        runtime.pressureChanged();
    }

    private void launch(Flight flight, long from) {
        atWork = flight;
        running = false;
        deviceDue = from + flight.cost.startNanos;
    }

    private void idle() {
        atWork = null;
        running = false;
        deviceDue = NEVER;
    }

    /** The first chunk has ended, which the thread sees when it is free. */
    private void notice() {
        state = State.NOTICING;
        due = Math.max(free, first.ended + first.cost.noticeNanos);
    }

    private LaneTask present() {
        LaneTask of = task;
        if (of == null) {
            throw new IllegalStateException("lane " + device().id() + " works for nobody");
        }
        return of;
    }

    private void visit() {
        LaneTask of = inbox.remove().orElse(null);
        if (of == null) {
            if (!hanging) {
                probe();
            }
            rest();
        } else {
            task = of;
            of.arrive();
            goOn(of);
        }
    }

    /** The next chunk, or the end of the visit. */
    private void goOn(LaneTask me) {
        if (!me.begin()) {
            me.depart();
            task = null;
            rest();
            return;
        }
        long now = time.getAsLong();
        if (me.present.problem != null) {
            fails(now);
            return;
        }
        if (hasSecond) { // the device has had it for some time
            Flight over = first;
            first = second;
            second = over;
            hasSecond = false;
            free = now;
        } else {
            submit(me, first, me.present);
            if (lost) {
                me.failWith(gone());
                fails(first.submitted);
                return;
            }
            launch(first, first.submitted);
        }
        if (first.ended != NEVER) {
            notice();
        } else if (model.takesAnother() && me.looksAhead()) {
            state = State.FOLLOWING;
            followUp = Math.max(free, me.followUpAt());
            due = followUp;
        } else {
            state = State.WAITING;
            due = NEVER;
        }
    }

    private void follow(LaneTask me) {
        state = State.WAITING;
        due = NEVER;
        ChunkInFlight chunk = me.beginNext() ? me.next : null;
        if (chunk != null && chunk.problem == null) {
            submit(me, second, chunk);
            hasSecond = true;
            me.followedUp(followUp, second.submitted);
        }
    }

    private void submit(LaneTask of, Flight flight, ChunkInFlight chunk) {
        model.run(of.job(), of.declaredPhase(), of.firstUnit(chunk), chunk.units, flight.cost);
        chunk.executeStart += flight.cost.saveNanos; // for the clock stands still meanwhile
        flight.submitted = time.getAsLong() + flight.cost.saveNanos + flight.cost.submitNanos;
        flight.ended = NEVER;
        free = flight.submitted;
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
        SimulatedDevice.Cost cost = first.cost;
        settling = cost.settleNanos;
        long busy = first.ended - first.started;
        double stretched = busy / cost.busyNanos(); // by others, by events
        times.submitted = first.submitted;
        times.start = first.started;
        times.end = first.ended;
        times.kernelNanos = Math.round(cost.kernelNanos * stretched);
        times.transferNanos = Math.round(cost.transferNanos * stretched);
        times.overlapNanos = times.kernelNanos + times.transferNanos - busy;
        times.bytesIn = cost.bytesIn;
        times.bytesOut = cost.bytesOut;
    }

    /** The device works faster or slower from now on. */
    void pressure(int others) {
        Flight flight = atWork;
        if (!running || flight == null) {
            return;
        }
        double now = hanging ? 0 : 1 / (slowness * (1 + (flight.cost.slowdown - 1) * others));
        long at = time.getAsLong();
        if (now != rate || at == seen) {
            left = Math.max(0, left - (at - seen) * rate);
            seen = at;
            rate = now;
            deviceDue = hanging ? NEVER : at + (long) Math.ceil(left / rate);
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
        LaneTask of = task;
        if (of != null && state != State.WAKING) {
            of.failWith(gone());
            fails(time.getAsLong());
            idle();
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
    protected boolean join(Duration limit) {
        return true;
    }
}
