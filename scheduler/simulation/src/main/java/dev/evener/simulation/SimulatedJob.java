package dev.evener.simulation;

import dev.evener.History;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job to be simulated: what the runtime would know of it, without kernels and data.
 *
 * @param name its name
 * @param units size of its index space
 * @param granule units at whose multiples it may be cut, at least 1
 * @param kernels the kernel of each phase, at least one
 * @param devices ids of the devices it may use; empty for all of them
 * @param policy how it is cut
 * @param history what it is decided by, and learnt in; null for the simulator's own
 * @param arrival when it is submitted, in nanoseconds since the simulation began, or, if {@code follows}, since the job
 *     given before it had ended
 * @param follows whether it waits for that job
 * @param chunkDeadline after which a chunk is taken from a device that hangs; null for never
 * @param buffers what its phases do with its buffers, whose numbers are those of all jobs of the simulation; empty if
 *     each chunk moves what the device's {@link KernelModel} says
 * @param priority devices serve it before jobs of a lower one
 * @param behind places, among the jobs of the simulation in the order in which they are given, of those that must have
 *     ended before it is submitted, however they ended
 * @param atOnce how many devices it needs at once, in equal parts; 0 if any number will do. Such jobs wait for one
 *     another, first come, first served, and have their devices to themselves as far as these are concerned
 */
public record SimulatedJob(
        String name,
        long units,
        long granule,
        List<String> kernels,
        List<String> devices,
        Policy policy,
        @Nullable History history,
        long arrival,
        boolean follows,
        @Nullable Duration chunkDeadline,
        List<BufferUse> buffers,
        int priority,
        List<Integer> behind,
        int atOnce) {

    /** @throws IllegalArgumentException if a figure is out of range, or if it has no kernel */
    public SimulatedJob {
        kernels = List.copyOf(kernels);
        devices = List.copyOf(devices);
        buffers = List.copyOf(buffers);
        behind = List.copyOf(behind);
        Numbers.require("units", (double) units, 0);
        Numbers.require("granule", (double) granule, 1);
        Numbers.require("arrival", (double) arrival, 0);
        if (kernels.isEmpty()) {
            throw new IllegalArgumentException("job '" + name + "' has no kernel");
        }
    }

    /** A job of the usual priority that waits for no other, or for the one given before it. */
    public SimulatedJob(
            String name,
            long units,
            long granule,
            List<String> kernels,
            List<String> devices,
            Policy policy,
            @Nullable History history,
            long arrival,
            boolean follows,
            @Nullable Duration chunkDeadline,
            List<BufferUse> buffers) {
        this(
                name,
                units,
                granule,
                kernels,
                devices,
                policy,
                history,
                arrival,
                follows,
                chunkDeadline,
                buffers,
                0,
                List.of(),
                0);
    }

    /** A job of one kernel, which gives it its name, for all devices, submitted at the beginning. */
    public static SimulatedJob of(String kernel, long units, long granule, Policy policy) {
        return new SimulatedJob(
                kernel, units, granule, List.of(kernel), List.of(), policy, null, 0, false, null, List.of());
    }

    /** One like a recorded job, on devices of these ids; on all of them if there are none. */
    public static SimulatedJob like(RunEvent.Submitted job, List<String> ids, Policy policy) {
        return new SimulatedJob(
                job.name(),
                job.units(),
                job.granule(),
                job.kernels(),
                ids,
                policy,
                null,
                0,
                false,
                null,
                job.buffers());
    }

    /** The same, submitted at another time since the beginning. */
    public SimulatedJob at(long nanos) {
        return with(devices, policy, history, nanos, false, buffers, priority, behind, atOnce);
    }

    /** The same, submitted so long after the job given before it has ended. */
    public SimulatedJob after(long nanos) {
        return with(devices, policy, history, nanos, true, buffers, priority, behind, atOnce);
    }

    /** The same, decided by this history and learnt in it. */
    public SimulatedJob learningIn(History own) {
        return with(devices, policy, own, arrival, follows, buffers, priority, behind, atOnce);
    }

    /** The same, cut by another policy. */
    SimulatedJob by(Policy other) {
        return with(devices, other, history, arrival, follows, buffers, priority, behind, atOnce);
    }

    /** The same on these devices only. */
    public SimulatedJob on(List<String> ids) {
        return with(ids, policy, history, arrival, follows, buffers, priority, behind, atOnce);
    }

    /** The same, whose phases do this with its buffers. */
    public SimulatedJob touching(BufferUse... uses) {
        return with(devices, policy, history, arrival, follows, List.of(uses), priority, behind, atOnce);
    }

    /** The same, of a priority, submitted when it has arrived and the jobs at these places have ended. */
    public SimulatedJob behind(List<Integer> places, int urgency) {
        return with(devices, policy, history, arrival, follows, buffers, urgency, places, atOnce);
    }

    /** The same, which needs so many devices at once. */
    public SimulatedJob atOnce(int count) {
        return with(devices, policy, history, arrival, follows, buffers, priority, behind, count);
    }

    private SimulatedJob with(
            List<String> ids,
            Policy by,
            @Nullable History own,
            long when,
            boolean after,
            List<BufferUse> uses,
            int urgency,
            List<Integer> places,
            int count) {
        return new SimulatedJob(
                name, units, granule, kernels, ids, by, own, when, after, chunkDeadline, uses, urgency, places, count);
    }
}
