package dev.evener.history;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What makes jobs alike for the history: kernels, sources, build options and the bytes a unit has of each buffer, but
 * neither the number of units nor the data. Equal for like jobs on equal devices; quick to make, since that happens for
 * each job, while {@link #phases} writes it out for people and files. Immutable.
 */
final class JobKey {
    private final Object[] objects;
    private final long[] numbers;
    private final List<DeviceInfo> devices;
    private final int hash;

    /** What a phase is called in the file. */
    record Phase(String kernel, String shape) implements Comparable<Phase> {
        @Override
        public int compareTo(Phase other) {
            int byKernel = kernel.compareTo(other.kernel);
            return byKernel != 0 ? byKernel : shape.compareTo(other.shape);
        }
    }

    /** @param devices must not be changed afterwards */
    JobKey(Job job, List<DeviceInfo> devices) {
        List<Job.Phase> phases = job.phases();
        int arguments = 0;
        for (Job.Phase phase : phases) {
            arguments += phase.arguments().size();
        }
        this.devices = devices;
        Job alone = job.alone();
        this.objects = new Object
                [2 * (phases.size() + (alone == null ? 0 : alone.phases().size()))];
        this.numbers = new long[1 + 4 * arguments];
        numbers[0] = job.columns();
        int o = 0;
        int n = 1;
        for (Job.Phase phase : phases) {
            objects[o++] = phase.passes();
            objects[o++] = digest(phase);
            for (Job.Argument argument : phase.arguments()) {
                describe(argument, n);
                n += 4;
            }
        }
        if (alone != null) {
            for (Job.Phase phase : alone.phases()) {
                objects[o++] = phase.passes();
                objects[o++] = digest(phase);
            }
        }
        this.hash = 31 * Arrays.hashCode(objects) + Arrays.hashCode(numbers);
    }

    private static String digest(Job.Phase phase) {
        return phase.source() == null ? "" : phase.source().digest();
    }

    private void describe(Job.Argument argument, int at) {
        if (argument instanceof Job.Argument.Buffer b) {
            int bytes = b.buffer().type().bytes();
            if (b.access() instanceof Access.Slice s) {
                numbers[at] = 1;
                numbers[at + 1] = s.elementsPerUnit() * bytes;
            } else if (b.access() instanceof Access.Halo h) {
                numbers[at] = 2;
                numbers[at + 1] = h.elementsPerUnit() * bytes;
                numbers[at + 2] = h.before();
                numbers[at + 3] = h.after();
            } else if (b.access() instanceof Access.Append a) {
                numbers[at] = 3;
                numbers[at + 1] = a.mostPerUnit() * bytes;
            } else {
                numbers[at] = b.access() instanceof Access.Whole ? 4 : 5;
                numbers[at + 1] = b.buffer().byteSize();
            }
        } else if (argument instanceof Job.Argument.Again again) {
            numbers[at] = 6;
            numbers[at + 1] = again.argument();
        } else if (argument instanceof Job.Argument.Temporary t) {
            numbers[at] = 7; // how much of it there is for all units may go by their number, which does not matter here
            numbers[at + 1] = t.memory().bytesPerUnit();
        }
    }

    /** The job's phases as the file has them. */
    static List<Phase> phases(Job job) {
        List<Phase> phases = new ArrayList<>(job.phases().size());
        for (Job.Phase phase : job.phases()) {
            phases.add(new Phase(phase.kernel(), shape(phase, job.columns())));
        }
        Job alone = job.alone();
        if (alone != null) { // what one device takes is what it takes in this form
            StringBuilder form = new StringBuilder(phases.get(0).shape());
            for (Job.Phase phase : alone.phases()) {
                form.append(" alone:").append(phase.kernel()).append('@').append(name(phase));
                phase.passes().forEach(pass -> describe(pass, form));
            }
            phases.set(0, new Phase(phases.get(0).kernel(), form.toString()));
        }
        return phases;
    }

    private static String shape(Job.Phase phase, long columns) {
        StringBuilder shape = new StringBuilder(name(phase));
        if (columns > 0) {
            shape.append(" columns:").append(columns);
        }
        for (Job.Pass pass : phase.passes()) {
            shape.append(pass.firstArgument() == 0 ? "" : " then");
            describe(pass, shape);
            describe(phase.arguments().subList(pass.firstArgument(), pass.endArgument()), shape);
        }
        return shape.toString();
    }

    private static String name(Job.Phase phase) {
        return phase.source() == null ? "jvm" : digest(phase).substring(0, 16);
    }

    private static void describe(Job.Pass pass, StringBuilder shape) {
        for (Map.Entry<DeviceKind, Variant> variant : new TreeMap<>(pass.variants()).entrySet()) {
            String options = variant.getValue().options().trim();
            if (!options.isEmpty()) {
                shape.append(' ').append(variant.getKey()).append(':').append(options);
            }
        }
    }

    private static void describe(List<Job.Argument> arguments, StringBuilder shape) {
        for (Job.Argument argument : arguments) {
            if (argument instanceof Job.Argument.Buffer b) {
                int bytes = b.buffer().type().bytes();
                if (b.access() instanceof Access.Slice s) {
                    shape.append(" slice:").append(s.elementsPerUnit() * bytes);
                } else if (b.access() instanceof Access.Halo h) {
                    shape.append(" halo:")
                            .append(h.elementsPerUnit() * bytes)
                            .append('+')
                            .append(h.before())
                            .append('+')
                            .append(h.after());
                } else if (b.access() instanceof Access.Append a) {
                    shape.append(" append:").append(a.mostPerUnit() * bytes);
                } else {
                    shape.append(b.access() instanceof Access.Whole ? " whole:" : " reduce:")
                            .append(b.buffer().byteSize());
                }
            } else if (argument instanceof Job.Argument.Again again) {
                shape.append(" again:").append(again.argument());
            } else if (argument instanceof Job.Argument.Temporary t) {
                shape.append(" temporary:").append(t.memory().bytesPerUnit());
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobKey key
                && key.hash == hash
                && Arrays.equals(key.numbers, numbers)
                && Arrays.equals(key.objects, objects)
                && key.devices.equals(devices);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
