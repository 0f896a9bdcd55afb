package dev.evener.simulation;

import dev.evener.policy.Policy;
import java.util.List;

/**
 * A policy that is shown the graph of all its jobs before the first one begins, with the times that the machine's model
 * says. A {@link Simulator} runs each job whole on the device that it names, if that works, and jobs on a device in the
 * order of their slots. Where jobs come one by one, as on real devices, it decides as any other policy does.
 */
public interface GraphPolicy extends Policy {
    /** By task, where each is to run. */
    List<TaskGraph.Slot> schedule(TaskGraph graph);
}
