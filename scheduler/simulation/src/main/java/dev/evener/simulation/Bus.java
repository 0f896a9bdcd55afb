package dev.evener.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What several devices move data over, one at a time, in the order in which they ask. For one thread. */
final class Bus {
    private final Deque<SimulatedDevice> waiting = new ArrayDeque<>();
    private @Nullable SimulatedDevice holder;

    /** Takes the bus, unless another has it: then that device is told when it has its turn. */
    boolean enter(SimulatedDevice device) {
        if (holder == null) {
            holder = device;
        } else if (holder != device && !waiting.contains(device)) {
            waiting.add(device);
        }
        return holder == device;
    }

    /** Gives it back, or waits no more. */
    void leave(SimulatedDevice device) {
        waiting.remove(device);
        if (holder == device) {
            holder = waiting.poll();
            if (holder != null) {
                holder.hasTurn();
            }
        }
    }
}
