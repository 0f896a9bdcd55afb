package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.policy.Power;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A lane and its device, as a simulation knows them.
 *
 * @param device whom it stands for; its identity in histories and events
 * @param memory name of the memory it works on: devices that name the same one slow one another as their kernels say.
 *     Names that begin
 *     with {@link #HOST} are parts of the host's
 * @param wakeNanos from being called until the lane is at work
 * @param ahead chunks that may be enqueued while it runs another: 0 or 1
 * @param link what moves its data
 * @param kernels what each kernel takes, by the kernel's name
 * @param alone what a job takes when this device runs all of it in one chunk, by the job's name; jobs that are not here take
 *     what their kernels say
 * @param power what it draws
 */
public record DeviceModel(
        DeviceInfo device,
        String memory,
        Times wakeNanos,
        int ahead,
        Link link,
        Map<String, KernelModel> kernels,
        Map<String, KernelModel> alone,
        Power power) {
    /** The memory that devices share unless something else is said. */
    public static final String HOST = "host";

    public DeviceModel {
        Numbers.require("ahead", ahead, 0, 1);
        kernels = Collections.unmodifiableMap(new TreeMap<>(kernels));
        alone = Collections.unmodifiableMap(new TreeMap<>(alone));
    }

    /** One of whose power nothing is known. */
    public DeviceModel(
            DeviceInfo device,
            String memory,
            Times wakeNanos,
            int ahead,
            Link link,
            Map<String, KernelModel> kernels,
            Map<String, KernelModel> alone) {
        this(device, memory, wakeNanos, ahead, link, kernels, alone, Power.UNKNOWN);
    }

    /** Whether it says what that job, or each of its kernels, takes. */
    public boolean knows(String job, List<String> jobKernels) {
        return alone.containsKey(job) || kernels.keySet().containsAll(jobKernels);
    }

    /** A device on host memory that wakes at once. */
    public static DeviceModel of(DeviceInfo device, Map<String, KernelModel> kernels) {
        return new DeviceModel(device, HOST, Times.NONE, 0, Link.NONE, kernels, Map.of());
    }

    /** Whether it has memory of its own, in which data stay: it does not share the host's, or there is a link. */
    boolean hasOwnMemory() {
        return !device.sharesHostMemory() || !link.equals(Link.NONE);
    }

    /** The same, working on another memory. */
    public DeviceModel withMemory(String other) {
        return new DeviceModel(device, other, wakeNanos, ahead, link, kernels, alone, power);
    }

    /** The same, waking after so long. */
    public DeviceModel withWake(double nanos) {
        return new DeviceModel(device, memory, Times.of(nanos), ahead, link, kernels, alone, power);
    }

    /** The same, with so many chunks enqueued while it runs another. */
    public DeviceModel withAhead(int chunks) {
        return new DeviceModel(device, memory, wakeNanos, chunks, link, kernels, alone, power);
    }

    /** The same behind another link. */
    public DeviceModel withLink(Link other) {
        return new DeviceModel(device, memory, wakeNanos, ahead, other, kernels, alone, power);
    }

    /** The same with these kernels, and no jobs in forms of their own. */
    public DeviceModel withKernels(Map<String, KernelModel> others) {
        return new DeviceModel(device, memory, wakeNanos, ahead, link, others, Map.of(), power);
    }

    /** The same, drawing so much. */
    public DeviceModel withPower(Power other) {
        return new DeviceModel(device, memory, wakeNanos, ahead, link, kernels, alone, other);
    }
}
