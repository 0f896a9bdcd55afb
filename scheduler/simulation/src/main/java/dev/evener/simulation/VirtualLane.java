package dev.evener.simulation;

import static dev.evener.simulation.SimulatedDevice.NEVER;

import dev.evener.DataLostException;
import dev.evener.internal.run.ChunkInFlight;
import dev.evener.internal.run.LaneTask;
import dev.evener.internal.run.LaneWorker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A worker without a thread: what it does are events on a virtual clock, and its device is a {@link SimulatedDevice}. A visit goes
 * through its steps as a thread would take it ({@link LaneTask}).
 *
 * <p>For one thread, which is that of the {@link VirtualRuntime}.
 */
final class VirtualLane extends LaneWorker {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

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

    final int number;
    boolean counted; // the runtime's: among those that run on its memory
    boolean disturbed; // the runtime's: and among those that others slow down
    private final VirtualRuntime runtime;
    private final VirtualTime time;
    private final SimulatedDevice device;
    private boolean probeIsDue;
    private State state = State.PARKED;
    private long due = NEVER;
    private @Nullable LaneTask task;
    private long free; // when the thread is done with what it enqueues
    private long followUp; // when the next chunk was due to be taken

    VirtualLane(VirtualRuntime runtime, SimulatedDevice device, int number, VirtualTime time) {
        super(device, time.watchdog(), PATIENCE);
        this.runtime = runtime;
        this.number = number;
        this.device = device;
        this.time = time;
        device.onChange(() -> runtime.changed(this));
    }

    /** When it, or its device, does its next step, or {@link SimulatedDevice#NEVER}. */
    long due() {
        return Math.min(state == State.PARKED ? nextLook() : due, device.due());
    }

    SimulatedDevice simulated() {
        return device;
    }

    // ---- as a worker ----

    @Override
    protected boolean isCurrent() {
        return false;
    }

    @Override
    protected void offer(LaneTask of) {
        heard(of);
        wake();
    }

    @Override
    protected void offerProbe() {
        probeIsDue = true;
        wake();
    }

    private void wake() {
        if (state == State.PARKED) {
            enter(State.WAKING, time.getAsLong() + device.wakeNanos());
        }
    }

    @Override
    public void close() {}

    @Override
    protected boolean join(Duration limit) {
        return true;
    }

    // ---- its steps ----

    private void enter(State next, long when) {
        state = next;
        due = when;
        runtime.changed(this);
    }

    /** Does what is due. */
    void step() {
        if (device.due() == due()) {
            if (device.step()) {
                notice();
            }
            runtime.pressureChanged(this);
            return;
        }
        switch (state) {
            case PARKED -> lookAgain(time.getAsLong());
            case WAKING -> visit();
            case FOLLOWING -> follow(present());
            case NOTICING -> {
                LaneTask of = present();
                if (of.present.problem == null) {
                    device.read(of.present.times);
                }
                of.end();
                visit();
            }
            default -> throw new IllegalStateException("a lane that waits has nothing to do");
        }
    }

    /** The first chunk has ended, which the thread sees when it is free. */
    private void notice() {
        SimulatedDevice.Chunk first = device.first();
        enter(State.NOTICING, Math.max(free, first.ended + first.noticeNanos));
    }

    private LaneTask present() {
        LaneTask of = task;
        if (of == null) {
            throw new IllegalStateException("lane " + device().id() + " works for nobody");
        }
        return of;
    }

    private void visit() {
        if (servesNobody()) {
            if (probeIsDue && !device.isHanging()) {
                probe();
            }
            probeIsDue = false;
        }
        LaneTask of = pick();
        task = of;
        if (of != null) {
            goOn(of);
            return;
        }
        enter(State.PARKED, NEVER);
    }

    /** The next chunk, or the end of the visit. */
    private void goOn(LaneTask me) {
        if (!me.begin()) {
            depart(me);
            visit();
            return;
        }
        long now = time.getAsLong();
        if (me.present.problem != null) {
            enter(State.NOTICING, now);
            return;
        }
        if (device.goOn()) {
            free = now;
        } else {
            submit(me, me.present, false);
            if (device.isLost()) {
                me.failWith(SimulatedDevice.gone());
            }
            if (me.present.problem != null) {
                enter(State.NOTICING, free);
                return;
            }
            device.launch();
        }
        if (device.first().ended != NEVER) {
            notice();
        } else if (device.takesNext() && me.looksAhead()) {
            followUp = Math.max(free, me.followUpAt());
            enter(State.FOLLOWING, followUp);
        } else {
            enter(State.WAITING, NEVER);
        }
    }

    private void follow(LaneTask me) {
        enter(State.WAITING, NEVER);
        ChunkInFlight chunk = me.beginNext() ? me.next : null;
        if (chunk != null && chunk.problem == null) {
            submit(me, chunk, true);
            if (chunk.problem == null) {
                me.followedUp(followUp, free);
            }
        }
    }

    private void submit(LaneTask of, ChunkInFlight chunk, boolean behind) {
        try {
            SimulatedDevice.Chunk handed =
                    device.submit(behind, of.job(), chunk.declaredPhase(), chunk.firstUnit(), chunk.units);
            chunk.saved(handed.saveNanos); // as the clock stands still meanwhile
            free = handed.submitted;
        } catch (DataLostException e) { // with a device, since the job began
            chunk.problem = e;
            free = time.getAsLong();
        }
    }

    // ---- what happens to its device ----

    /** Its device is gone: what it runs, and will be asked to run, fails. */
    void lose() {
        device.lose();
        LaneTask of = task;
        if (of != null && state != State.WAKING) {
            of.failWith(SimulatedDevice.gone());
            enter(State.NOTICING, time.getAsLong());
            device.idle();
        }
    }
}
