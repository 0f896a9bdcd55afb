package dev.evener.workloads.workload;

import dev.evener.DeviceSelector;
import dev.evener.Job;
import dev.evener.kernels.pipeline.PipelineBuilder;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Where the work on an item runs: as one job, or as a job for each stage, each on devices of its own. A job that is given
 * several devices is split over them.
 *
 * @param staged whether each stage is a job of its own
 * @param devices the devices of each stage, or those of the one job; {@link DeviceSelector#all} for all that the Evener has
 */
public record Placement(boolean staged, List<DeviceSelector> devices) {
    public Placement {
        devices = List.copyOf(devices);
    }

    /** One job an item, on these devices. */
    public static Placement whole(DeviceSelector devices) {
        return new Placement(false, List.of(devices));
    }

    /** A job for each stage, on these devices. */
    public static Placement stages(DeviceSelector... devices) {
        return new Placement(true, List.of(devices));
    }

    /** So many stages, each split over all devices. */
    public static Placement split(int stages) {
        return new Placement(true, Collections.nCopies(stages, DeviceSelector.all()));
    }

    /**
     * Adds the stages of work that is placed like this.
     *
     * @param pipeline that they are added to
     * @param name of the one job
     * @param whole makes the one job
     * @param names of the stages, for each of which this has devices
     * @param stages make the jobs of the stages, which together do what the one job does
     */
    public <S> PipelineBuilder<S> add(
            PipelineBuilder<S> pipeline,
            String name,
            Function<? super S, Job> whole,
            List<String> names,
            List<Function<? super S, Job>> stages) {
        if (!staged) {
            return pipeline.stage(name, devices.get(0), whole);
        }
        for (int i = 0; i < stages.size(); i++) {
            pipeline.stage(names.get(i), devices.get(i), stages.get(i));
        }
        return pipeline;
    }

    /** Such as {@code 0.0 > 0.1}. */
    @Override
    public String toString() {
        return devices.stream().map(DeviceSelector::toString).collect(Collectors.joining(" > "));
    }
}
