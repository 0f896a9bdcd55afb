package dev.evener.internal.job;

import dev.evener.DataBuffer;
import dev.evener.EvenerException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.job.JobSpec.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Makes a job that was checked anew on other data. Buffers that were different stay different, so that which arguments are one
 * memory, and all that was found by that, holds. One thread.
 */
final class Substitution {
    private final JobSpec job;

    Substitution(JobSpec job) {
        this.job = job;
    }

    /** The job with other buffers. */
    JobSpec buffers(Map<? extends DataBuffer, ? extends DataBuffer> replacements) {
        Map<Range, Range> others = new HashMap<>();
        replacements.forEach((present, replacement) -> {
            Range of = Range.of(Objects.requireNonNull(present, "buffer"));
            if (!job.buffers().uses().contains(of)) {
                throw refused("it has no such " + of.text() + " to be replaced");
            }
            others.put(of, Range.of(Objects.requireNonNull(replacement, "replacement")));
        });
        return replace(others);
    }

    /** The job with two buffers in each other's place, of which it may have one only. */
    JobSpec swap(DataBuffer one, DataBuffer other) {
        Range a = Range.of(Objects.requireNonNull(one, "one"));
        Range b = Range.of(Objects.requireNonNull(other, "other"));
        if (!job.buffers().uses().contains(a) && !job.buffers().uses().contains(b)) {
            throw refused("it has neither the " + a.text() + " nor the " + b.text() + " that should swap");
        }
        return replace(a.equals(b) ? Map.of() : Map.of(a, b, b, a));
    }

    private JobSpec replace(Map<Range, Range> others) {
        boolean wrapped = false;
        for (Range each : job.buffers().uses()) {
            Range now = others.getOrDefault(each, each);
            wrapped |= now.buffer().isWrapped();
            if (now.type() != each.type()) {
                throw refused("its " + each.text() + " cannot be replaced by a " + now.text());
            }
        }
        return replace(job, others, wrapped);
    }

    private JobSpec replace(JobSpec of, Map<Range, Range> others, boolean wrapped) {
        boolean steps = false;
        for (Phase each : of.phases()) {
            steps |= each.hostStep() != null;
        }
        JobBuffers buffers = of.buffers().replaced(others, steps);
        if (buffers == null) {
            throw refused("two of its buffers would become one, or lie over each other, with the "
                    + others.values().stream().map(Range::text).collect(Collectors.joining(", the "))
                    + "; what a kernel may do with one buffer in two places is" + " checked by build() alone");
        }
        List<Phase> phases = new ArrayList<>(of.phases().size());
        for (Phase before : of.phases()) {
            if (before.hostStep() instanceof JobSpec.RunnableStep) {
                throw refused(
                        "the host step after kernel " + before.kernel() + " sees buffers through views that it has, and"
                                + " would not see those that take their place; give hostStep(host -> ..., writes)");
            }
            List<Range> writes = before.hostStepWrites();
            Phase after = before.withData(
                    replace(before.arguments(), argument -> replace(argument, others)),
                    writes == null ? null : replace(writes, each -> others.getOrDefault(each, each)));
            JobChecks.checkOtherData(of, before, after);
            phases.add(after);
        }
        if (wrapped) {
            JobChecks.refuseOverlaps(of.name(), phases);
        }
        JobSpec form = of.alone();
        return of.onData(phases, form == null ? null : replace(form, others, wrapped), buffers);
    }

    private static <T> List<T> replace(List<T> all, UnaryOperator<T> each) {
        List<T> others = new ArrayList<>(all);
        others.replaceAll(each);
        return others;
    }

    private static Argument replace(Argument argument, Map<Range, Range> others) {
        if (argument instanceof Argument.Buffer b && others.containsKey(b.range())) {
            return b.over(others.get(b.range()));
        }
        if (argument instanceof Argument.ViewStart v && others.containsKey(v.range())) {
            return new Argument.ViewStart(others.get(v.range()), v.argument());
        }
        return argument;
    }

    /** The job with another value of a scalar. */
    JobSpec scalar(String name, Number value) {
        Objects.requireNonNull(name, "scalar");
        Objects.requireNonNull(value, "value");
        Set<String> names = new HashSet<>();
        JobSpec made = scalar(job, name, value, names);
        if (!names.contains(name)) {
            String known = names.stream().sorted().collect(Collectors.joining(", "));
            throw refused("it has no scalar \"" + name + "\"; "
                    + (known.isEmpty()
                            ? "give scalar(name, value) to those that are to be replaced"
                            : "there is " + known));
        }
        return made;
    }

    private JobSpec scalar(JobSpec of, String name, Number value, Set<String> names) {
        List<Phase> phases = new ArrayList<>(of.phases().size());
        for (Phase phase : of.phases()) {
            List<Argument> arguments = new ArrayList<>(phase.arguments());
            for (int i = 0; i < arguments.size(); i++) {
                if (arguments.get(i) instanceof Argument.Scalar scalar && scalar.name() != null) {
                    names.add(scalar.name());
                    if (scalar.name().equals(name)) {
                        requireType(phase.describe(i), scalar, value);
                        arguments.set(i, new Argument.Scalar(name, value));
                    }
                }
            }
            phases.add(phase.withArguments(arguments));
        }
        JobSpec form = of.alone();
        return of.onData(phases, form == null ? null : scalar(form, name, value, names), of.buffers());
    }

    private void requireType(String where, Argument.Scalar scalar, Number value) {
        Class<?> type = scalar.value().getClass();
        if (!type.isInstance(value)) {
            throw refused(where + ", scalar \"" + scalar.name() + "\", is of type " + type.getSimpleName() + ", not "
                    + value.getClass().getSimpleName());
        }
    }

    private EvenerException refused(String reason) {
        return new JobRejectedException("job '" + job.name() + "': " + reason);
    }
}
