package dev.evener.simulation;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.event.RunListener;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.ManagedData;
import dev.evener.internal.run.Dispatcher;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The runtime on a virtual clock: the same dispatcher, job runs, phases, pool and history as ever, with lanes whose work
 * takes what models say. Everything happens in the one thread that calls {@link #run}, in an order that depends on nothing
 * but what was asked for.
 */
final class VirtualRuntime {
    /** Lanes up to which assertions compare all of them. */
    private static final int ALL_LOOKED_AT = 128;

    private final VirtualTime time;
    private final List<VirtualLane> lanes = new ArrayList<>();
    private final Dispatcher dispatcher;
    private final History history;
    private final ManagedData.Turns turns;
    private final LeastTime due; // of each lane, or earlier
    private final BitSet changed = new BitSet(); // lanes that may be due earlier than it says
    private final List<List<VirtualLane>> onMemory = new ArrayList<>();
    private final int[] running; // devices on each memory
    private final int[] disturbed; // of these, those that others slow down
    private final BitSet otherMemories = new BitSet(); // on which that is not as devices were told

    /**
     * @param devices one for each lane, in lane order
     * @param listeners who is told what happens
     */
    VirtualRuntime(VirtualTime time, List<SimulatedDevice> devices, History history, List<RunListener> listeners) {
        this.time = time;
        this.history = history;
        for (SimulatedDevice device : devices) {
            VirtualLane lane = new VirtualLane(this, device, lanes.size(), time);
            lanes.add(lane);
            while (onMemory.size() <= device.memory()) {
                onMemory.add(new ArrayList<>());
            }
            onMemory.get(device.memory()).add(lane);
        }
        this.due = new LeastTime(lanes.size());
        this.running = new int[onMemory.size()];
        this.disturbed = new int[onMemory.size()];
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
        Runnable end = turns.enter(null, range, true, written -> turn.complete(null));
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
        pressureChanged(lanes.get(lane));
    }

    /** It works as fast as ever; within an event. */
    void isOver(int lane) {
        lanes.get(lane).simulated().slow(1);
        pressureChanged(lanes.get(lane));
    }

    /** Lets happen what is going to happen, until nothing is left that could end a job. */
    void run() {
        while (true) {
            VirtualLane first = first();
            assert lanes.size() > ALL_LOOKED_AT || lanes.stream().noneMatch(lane -> lane.due() < first.due());
            if (first.due() == SimulatedDevice.NEVER && time.isIdle()) {
                return;
            }
            if (time.next() <= first.due()) {
                time.step();
            } else {
                time.moveTo(first.due());
                first.step();
                count(first);
                changed.set(first.number);
            }
        }
    }

    /** The lane that is due first, with the lowest number of these: not looked for among all, of which there may be thousands. */
    private VirtualLane first() {
        for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(i + 1)) {
            due.set(i, lanes.get(i).due());
        }
        changed.clear();
        while (true) {
            int first = due.first();
            long is = lanes.get(first).due();
            if (is == due.get(first)) {
                return lanes.get(first);
            }
            due.set(first, is); // what it was to look at is over
        }
    }

    /** A lane may be due earlier than it was. */
    void changed(VirtualLane lane) {
        changed.set(lane.number);
    }

    /** Some lane began or ended, or its device changed: those that share its memory work at another speed. */
    void pressureChanged(VirtualLane lane) {
        count(lane);
        pressure(lane);
        for (int i = otherMemories.nextSetBit(0); i >= 0; i = otherMemories.nextSetBit(i + 1)) {
            if (disturbed[i] > 0) {
                onMemory.get(i).forEach(this::pressure);
            }
        }
        otherMemories.clear();
    }

    private void count(VirtualLane lane) {
        SimulatedDevice device = lane.simulated();
        if (lane.counted != device.isRunning()) {
            int memory = device.memory();
            lane.disturbed = lane.counted ? lane.disturbed : device.isDisturbed();
            int more = lane.counted ? -1 : 1;
            lane.counted = !lane.counted;
            running[memory] += more;
            disturbed[memory] += lane.disturbed ? more : 0;
            otherMemories.set(memory);
        }
    }

    private void pressure(VirtualLane lane) {
        SimulatedDevice device = lane.simulated();
        device.pressure(running[device.memory()] - (lane.counted ? 1 : 0));
        changed(lane);
    }
}
