package dev.evener;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** What makes a phase legal to split, checked when a job is built. */
final class JobChecks {
    private JobChecks() {}

    /** The phase with every slice's size made explicit. */
    static Job.Phase resolve(String job, long units, Job.Phase phase) {
        if (phase.source() == null && phase.jvm() == null) {
            throw refused(job, phase, "it has neither OpenCL source nor a Java form");
        }
        IdentityHashMap<HostBuffer, Integer> written = new IdentityHashMap<>();
        IdentityHashMap<HostBuffer, Integer> seen = new IdentityHashMap<>();
        List<Job.Argument> arguments = new ArrayList<>();
        for (int i = 0; i < phase.arguments().size(); i++) {
            Job.Argument argument = phase.arguments().get(i);
            if (argument instanceof Job.Argument.Buffer b) {
                if (b.buffer().isClosed()) {
                    throw refused(job, phase, "argument " + i + " is a closed buffer");
                }
                argument = resolveSlice(job, units, phase, i, b);
                Integer writer = written.get(b.buffer());
                Integer other = seen.put(b.buffer(), i);
                if (writer != null || (b.written() && other != null)) {
                    throw refused(
                            job,
                            phase,
                            "argument " + i + " and argument " + (writer != null ? writer : other)
                                    + " are one buffer and one of them writes it; give it once with updates(), or use two buffers");
                }
                if (b.written()) {
                    written.put(b.buffer(), i);
                }
            }
            arguments.add(argument);
        }
        return new Job.Phase(phase.kernel(), phase.source(), arguments, phase.variants(), phase.jvm(), phase.combine());
    }

    private static Job.Argument resolveSlice(String job, long units, Job.Phase phase, int i, Job.Argument.Buffer b) {
        if (!(b.access() instanceof Access.Slice slice)) {
            return b;
        }
        long elements = b.buffer().elements();
        long perUnit = slice.elementsPerUnit();
        if (perUnit == 0) {
            if (units > 0 && (elements % units != 0 || elements == 0)) {
                throw refused(
                        job,
                        phase,
                        "argument " + i + " has " + elements + " elements, which " + units
                                + " units do not divide; give slice(elementsPerUnit)");
            }
            perUnit = units == 0 ? 1 : elements / units;
        } else if (units > elements / perUnit) {
            throw refused(
                    job,
                    phase,
                    "argument " + i + " has " + elements + " elements, but " + units + " units of " + perUnit
                            + " need more");
        }
        return new Job.Argument.Buffer(b.buffer(), Access.slice(perUnit), b.read(), b.written());
    }

    private static EvenerException refused(String job, Job.Phase phase, String reason) {
        return new EvenerException("job '" + job + "', kernel " + phase.kernel() + ": " + reason);
    }
}
