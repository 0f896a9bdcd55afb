package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.internal.run.VirtualDevice;
import dev.evener.policy.WorkProfile;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Gives a virtual lane the figures of a {@link DeviceModel}, scattered by random numbers of its own. */
final class SimulatedDevice implements VirtualDevice {
    private final DeviceModel model;
    private final Map<String, WorkProfile> profiles;
    private final Map<String, KernelModel> models = new HashMap<>();
    private final int memory;
    private final SplittableRandom random;

    /**
     * @param profiles of kernels that have one
     * @param memory which it works on
     */
    SimulatedDevice(DeviceModel model, Map<String, WorkProfile> profiles, int memory, long seed) {
        this.model = model;
        this.profiles = profiles;
        this.memory = memory;
        this.random = new SplittableRandom(seed);
        models.putAll(model.kernels());
    }

    @Override
    public DeviceInfo device() {
        return model.device();
    }

    @Override
    public int memory() {
        return memory;
    }

    @Override
    public boolean takesAnother() {
        return model.ahead() > 0;
    }

    @Override
    public long wakeNanos() {
        return draw(model.wakeNanos());
    }

    @Override
    public void run(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, Cost into) {
        KernelModel alone = units == job.units() ? model.alone().get(job.name()) : null;
        KernelModel kernel = alone != null ? alone : models.get(phase.kernel());
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
