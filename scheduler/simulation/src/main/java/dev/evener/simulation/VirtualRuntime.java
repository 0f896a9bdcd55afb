package dev.evener.simulation;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.RunListener;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.ManagedData;
import dev.evener.internal.run.Dispatcher;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The runtime on a virtual clock: the same dispatcher, job runs, phases, pool and history as ever, with lanes whose work
 * takes what models say. Everything happens in the one thread that calls {@link #run}, in an order that depends on nothing
 * but what was asked for.
 */
final class VirtualRuntime {
    private final VirtualTime time;
    private final List<VirtualLane> lanes = new ArrayList<>();
    private final Dispatcher dispatcher;
    private final History history;
    private final ManagedData.Turns turns;

    /**
     * @param devices one for each lane, in lane order
     * @param listeners who is told what happens
     */
    VirtualRuntime(VirtualTime time, List<SimulatedDevice> devices, History history, List<RunListener> listeners) {
        this.time = time;
        this.history = history;
        for (SimulatedDevice device : devices) {
            lanes.add(new VirtualLane(this, device, time));
        }
        // What is to be completed is an event of its own, so that a callback does not run within a lane's step.
        this.dispatcher = new Dispatcher(lanes, history, time, time.watchdog(), task -> time.in(0, task), listeners);
        this.turns = dispatcher.turns();
    }

    /**
     * Submits a job now; within an event.
     *
     * @param own decides and learns in place of the runtime's history; null for that
     */
    CompletableFuture<Report> submit(Job job, Policy policy, @Nullable History own) {
        return dispatcher.submit(job, policy, own == null ? history : own, null);
    }

    /** The host does something to a buffer, in a scope that takes its turn now and no time; within an event. */
    void hostTurn(LogicalBuffer.Range range, Runnable what) {
        CompletableFuture<@Nullable Void> turn = new CompletableFuture<>();
        Runnable end = turns.enter(range, true, () -> turn.complete(null));
        CompletableFuture<?> ignored = turn.thenRun(what).thenRun(end);
    }

    /** Something begins to happen to a device; within an event. */
    void happens(MachineEvent event, int lane) {
        SimulatedDevice device = lanes.get(lane).simulated();
        switch (event.kind()) {
            case LOST -> lanes.get(lane).lose();
            case HANGS -> device.hang();
            case BACK -> device.recover();
            case SLOWED -> device.slow(event.factor());
            case LATE -> device.holdUp(event.until() - event.at());
        }
        pressureChanged();
    }

    /** It works as fast as ever; within an event. */
    void isOver(int lane) {
        lanes.get(lane).simulated().slow(1);
        pressureChanged();
    }

    /** Lets happen what is going to happen, until nothing is left that could end a job. */
    void run() {
        while (true) {
            VirtualLane first = lanes.get(0);
            for (int i = 1; i < lanes.size(); i++) {
                first = lanes.get(i).due() < first.due() ? lanes.get(i) : first;
            }
            if (first.due() == SimulatedDevice.NEVER && time.isIdle()) {
                return;
            }
            if (time.next() <= first.due()) {
                time.step();
            } else {
                time.moveTo(first.due());
                first.step();
            }
        }
    }

    /** Some lane began or ended, or a device changed: those that share memory work at another speed. */
    void pressureChanged() {
        int[] running = new int[lanes.size()]; // on each memory
        lanes.forEach(
                lane -> running[lane.simulated().memory()] += lane.simulated().isRunning() ? 1 : 0);
        for (VirtualLane lane : lanes) {
            SimulatedDevice device = lane.simulated();
            device.pressure(running[device.memory()] - (device.isRunning() ? 1 : 0));
        }
    }
}
