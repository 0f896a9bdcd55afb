package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.policy.WorkProfile;
import java.util.Map;
import java.util.SplittableRandom;

/** What a {@link VirtualLane} asks in place of a device: the figures of a {@link DeviceModel}, scattered by random numbers of its own. For one thread. */
final class SimulatedDevice {
    private final DeviceModel model;
    private final Map<String, WorkProfile> profiles;
    private final int memory;
    private final SplittableRandom random;

    /** What one chunk takes, in nanoseconds and bytes, on a device that is disturbed by nobody. Reused. */
    static final class Cost {
        /** From taking it until the host has kept a copy of what it updates. */
        long saveNanos;
        /** From there until its commands are enqueued. */
        long submitNanos;
        /** From there until the device begins. */
        long startNanos;
        /** In kernels. */
        double kernelNanos;
        /** In transfers. */
        double transferNanos;
        /** Of these two, what goes on at once. */
        double overlapNanos;
        /** From the end until the lane takes notice. */
        long noticeNanos;
        /** From there until it has read the chunk's times and can tell others. */
        long settleNanos;
        /** How many times longer it takes while one other device works on the same memory, at least 1; two slow it twice as much. */
        double slowdown;
        /** Bytes sent to the device. */
        long bytesIn;
        /** Bytes fetched from it. */
        long bytesOut;

        double busyNanos() {
            return Math.max(1, kernelNanos + transferNanos - overlapNanos);
        }
    }

    /**
     * @param profiles of kernels that have one
     * @param memory which it works on
     */
    SimulatedDevice(DeviceModel model, Map<String, WorkProfile> profiles, int memory, long seed) {
        this.model = model;
        this.profiles = profiles;
        this.memory = memory;
        this.random = new SplittableRandom(seed);
    }

    DeviceInfo device() {
        return model.device();
    }

    /** Devices with the same number take time from one another where a chunk says so. */
    int memory() {
        return memory;
    }

    /** Whether it takes a chunk while it runs another. */
    boolean takesAnother() {
        return model.ahead() > 0;
    }

    /** From being called to being at work, in nanoseconds. */
    long wakeNanos() {
        return draw(model.wakeNanos());
    }

    /**
     * What a chunk will take.
     *
     * @param into filled in completely
     */
    void run(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, Cost into) {
        KernelModel alone = units == job.units() ? model.alone().get(job.name()) : null;
        KernelModel kernel = alone != null ? alone : model.kernels().get(phase.kernel());
        if (kernel == null) { // refused before anything runs, but for a job that this device is known to run as a whole
            throw new EvenerException("the machine does not say what a part of job '" + job.name()
                    + "' takes, only the whole: simulate it with the policy single");
        }
        double weight = units;
        if (kernel.wave() > 1) {
            weight = kernel.wave() * Math.ceil(weight / kernel.wave());
        }
        WorkProfile profile = profiles.get(phase.kernel());
        if (profile != null && alone == null) {
            weight *= profile.work((double) firstUnit, (double) units, (double) job.units()) / units;
        }
        KernelModel.Moves moves = kernel.moves();
        double in = moves.inPerChunk() + moves.inPerUnit() * units;
        double out = moves.outPerChunk() + moves.outPerUnit() * units;
        KernelModel.Launch launch = kernel.launch();
        into.saveNanos = Math.round(launch.saveNanosPerUnit() * units);
        into.submitNanos = draw(launch.submitNanos()) + Math.round(launch.submitNanosPerUnit() * units);
        into.startNanos = draw(launch.startNanos());
        into.kernelNanos =
                kernel.factor().at(random.nextDouble()) * (kernel.fixedNanos() + kernel.nanosPerUnit() * weight);
        Link link = model.link();
        into.transferNanos = link.nanos(in, out) * some(link.factor());
        into.overlapNanos =
                link.overlap() * link.hideable(into.kernelNanos, into.transferNanos, in, out) - some(launch.gapNanos());
        into.noticeNanos = draw(launch.noticeNanos());
        into.settleNanos = Math.round(some(launch.settleNanos()));
        into.slowdown = kernel.slowdown();
        into.bytesIn = Math.round(in);
        into.bytesOut = Math.round(out);
    }

    /** Of what most devices do not have: figures that are always the same leave the random numbers of others alone. */
    private double some(Times times) {
        return times.quantiles().size() == 1 ? times.median() : times.at(random.nextDouble());
    }

    private long draw(Times times) {
        return Math.round(times.at(random.nextDouble()));
    }
}
