package dev.evener.model;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What makes jobs alike for the history: kernels, sources, build options and the bytes a unit has of each buffer, but
 * neither the number of units nor the data. Immutable.
 *
 * @param phases of the job
 * @param devices in lane order; must not be changed afterwards
 */
record JobKey(List<Phase> phases, List<DeviceInfo> devices) {
    /**
     * One phase, as the file has it.
     *
     * @param kernel its function
     * @param shape what is built, and the sizes per unit
     */
    record Phase(String kernel, String shape) {}

    /** How the form for one device begins in a shape. */
    static final String FORM = " alone:";

    /** The key of a job. */
    static JobKey of(JobSpec job, List<DeviceInfo> devices) {
        List<Phase> phases = new ArrayList<>(job.phases().size());
        for (JobSpec.Phase phase : job.phases()) {
            phases.add(new Phase(phase.kernel(), shape(phase)));
        }
        JobSpec alone = job.alone();
        if (alone != null) { // what one device takes is what it takes in this form
            StringBuilder form = new StringBuilder(phases.get(0).shape());
            for (JobSpec.Phase phase : alone.phases()) {
                form.append(FORM).append(phase.kernel()).append('@').append(name(phase));
                phase.passes().forEach(pass -> describe(pass, form));
            }
            phases.set(0, new Phase(phases.get(0).kernel(), form.toString()));
        }
        return new JobKey(phases, devices);
    }

    private static String shape(JobSpec.Phase phase) {
        StringBuilder shape = new StringBuilder(name(phase));
        Space space = phase.space();
        for (int i = 0; i < space.dimensions(); i++) { // of which the number of units is no part
            if (i != space.along()) {
                shape.append(" columns:").append(space.sizes().get(i));
            }
        }
        for (JobSpec.Pass pass : phase.passes()) {
            shape.append(pass.firstArgument() == 0 ? "" : " then");
            describe(pass, shape);
            for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
                describe(phase.arguments().get(i), shape);
            }
        }
        return shape.toString();
    }

    /** What a job declares beyond its key, of which kernels were seen to keep it or not: a number in hexadecimal. */
    static String declaration(Job job) {
        JobSpec declared = JobSpec.of(job);
        StringBuilder all = new StringBuilder().append(declared.granule());
        for (JobSpec.Phase phase : declared.phases()) {
            all.append(phase.seesJob())
                    .append(phase.space().along())
                    .append(phase.space().hasOffsets());
            for (JobSpec.Pass pass : phase.passes()) {
                all.append(pass.kernel()).append(pass.group());
                new TreeMap<>(pass.variants())
                        .forEach((kind, its) -> all.append(kind)
                                .append(List.of(its.options(), its.itemsPerUnit(), its.unitsPerItem(), its.groupSize()))
                                .append(List.of(its.groupsPerComputeUnit(), its.groups(), its.rounds())));
            }
            for (Argument each : phase.arguments()) {
                if (each instanceof Argument.Buffer b) {
                    all.append(b.shape())
                            .append(b.range().type())
                            .append(b.read())
                            .append(b.written());
                    all.append(b.layout().before())
                            .append(':')
                            .append(b.layout().after());
                }
            }
        }
        return Long.toHexString(JobHistory.hash(all.toString()));
    }

    private static String name(JobSpec.Phase phase) {
        return phase.source() == null ? "jvm" : phase.source().digest().substring(0, 16);
    }

    private static void describe(JobSpec.Pass pass, StringBuilder shape) {
        for (Map.Entry<DeviceKind, Variant> variant : new TreeMap<>(pass.variants()).entrySet()) {
            String options = variant.getValue().options().trim();
            if (!options.isEmpty()) {
                shape.append(' ').append(variant.getKey()).append(':').append(options);
            }
        }
    }

    private static void describe(Argument argument, StringBuilder shape) {
        if (argument instanceof Argument.Buffer b) {
            shape.append(' ').append(b.shape());
        } else if (argument instanceof Argument.Again again) {
            shape.append(" again:").append(again.argument());
        } else if (argument instanceof Argument.Temporary t) {
            shape.append(" temporary:").append(t.memory().bytesPerUnit());
        }
    }
}
