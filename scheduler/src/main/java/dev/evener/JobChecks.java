package dev.evener;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** What makes a phase legal to split, checked when a job is built. */
final class JobChecks {
    private final String job;
    private final long units;
    private final Job.Phase phase;

    private JobChecks(String job, long units, Job.Phase phase) {
        this.job = job;
        this.units = units;
        this.phase = phase;
    }

    /** The phase with every slice's size made explicit. */
    static Job.Phase resolve(String job, long units, long columns, Job.Phase phase) {
        JobChecks checks = new JobChecks(job, units, phase);
        if (columns > 0) {
            checks.checkVariantsOfRows();
        }
        return checks.resolve();
    }

    private Job.Phase resolve() {
        if (phase.source() == null && phase.jvm() == null) {
            throw refused("it has neither OpenCL source nor a Java form");
        }
        List<Job.Argument> arguments = new ArrayList<>();
        for (int i = 0; i < phase.arguments().size(); i++) {
            Job.Argument argument = phase.arguments().get(i);
            arguments.add(argument instanceof Job.Argument.Buffer b ? resolve(i, b) : argument);
        }
        checkAliases();
        resolveViewStarts(arguments);
        return new Job.Phase(
                phase.kernel(),
                phase.source(),
                arguments,
                phase.variants(),
                phase.jvm(),
                phase.combine(),
                phase.combineWrites());
    }

    /** What varies the number of work-items per unit has no meaning where a unit is a row of them. */
    private void checkVariantsOfRows() {
        phase.variants().forEach((kind, variant) -> {
            if (variant.itemsPerUnit() != 1 || variant.unitsPerItem() != 1 || variant.groupsPerComputeUnit() != 0) {
                throw refused("the variant for " + kind + " devices sets items per unit, units per item or groups per"
                        + " compute unit, but a two-dimensional range has one work-item for each column of a row; only"
                        + " options and a group size may be set");
            }
        });
    }

    private Job.Argument resolve(int i, Job.Argument.Buffer b) {
        if (b.buffer().isClosed()) {
            throw refused("argument " + i + " is a closed buffer");
        }
        if (b.buffer().segmentCount() > 1
                && !(b.access() instanceof Access.Slice || b.access() instanceof Access.Append)) {
            throw refused("argument " + i + " is a buffer of " + b.buffer().byteSize() + " bytes in "
                    + b.buffer().segmentCount() + " segments, of which no kernel can see more than one at a time; only"
                    + " slice(...) may be used on it, without a halo");
        }
        if (b.access() instanceof Access.Slice s) {
            Access.Slice sized = Access.slice(perUnit(i, b, s.elementsPerUnit()));
            checkSegments(i, b.buffer(), sized.elementsPerUnit());
            return new Job.Argument.Buffer(b.buffer(), sized, b.read(), b.written());
        }
        if (b.access() instanceof Access.Halo h) {
            Access.Halo sized = new Access.Halo(perUnit(i, b, h.elementsPerUnit()), h.before(), h.after());
            return new Job.Argument.Buffer(b.buffer(), sized, b.read(), b.written());
        }
        if (b.access() instanceof Access.Reduce && b.buffer().type().isFloating()) {
            checkRoom(i, b.buffer().elements(), b.buffer().type());
        }
        if (b.access() instanceof Access.Append a) {
            checkRoom(i, a.mostPerUnit(), b.buffer().type());
        }
        return b;
    }

    /** Results of each unit, which wait in host memory for the end of the phase. */
    private void checkRoom(int i, long perUnit, ElementType type) {
        if (perUnit < 1) {
            throw refused("argument " + i + " takes results, but has no elements");
        }
        if (units > Long.MAX_VALUE / type.bytes() / perUnit) {
            throw refused("argument " + i + " needs host memory for " + units + " units of " + perUnit + " "
                    + type.openClName() + ", more than there can be; make units larger");
        }
    }

    private long perUnit(int i, Job.Argument.Buffer b, long asked) {
        long elements = b.buffer().elements();
        if (asked == 0) {
            if (units > 0 && (elements % units != 0 || elements == 0)) {
                throw refused("argument " + i + " has " + elements + " elements, which " + units
                        + " units do not divide; give slice(elementsPerUnit)");
            }
            return units == 0 ? 1 : elements / units;
        }
        if (units > elements / asked) {
            throw refused("argument " + i + " has " + elements + " elements, but " + units + " units of " + asked
                    + " need more");
        }
        return asked;
    }

    /** No unit may lie in two segments of a buffer. */
    private void checkSegments(int i, HostBuffer buffer, long perUnit) {
        long unitBytes = perUnit * buffer.type().bytes();
        if (units * unitBytes > buffer.segmentBytes() && buffer.segmentBytes() % unitBytes != 0) {
            throw refused(
                    "argument " + i + " lies in segments of " + buffer.segmentBytes() + " bytes, and some units of "
                            + unitBytes + " bytes would lie in two of them; allocate it with allocate(type, elements, "
                            + perUnit
                            + ")");
        }
    }

    /** No region may be written by one device while another touches it. */
    private void checkAliases() {
        IdentityHashMap<HostBuffer, Integer> written = new IdentityHashMap<>();
        IdentityHashMap<HostBuffer, Integer> seen = new IdentityHashMap<>();
        for (int i = 0; i < phase.arguments().size(); i++) {
            if (phase.arguments().get(i) instanceof Job.Argument.Buffer b) {
                Integer writer = written.get(b.buffer());
                Integer other = seen.put(b.buffer(), i);
                if (writer != null || (b.written() && other != null)) {
                    throw refused(
                            "argument " + i + " and argument " + (writer != null ? writer : other)
                                    + " are one buffer and one of them writes it; give it once with updates(), or use two buffers");
                }
                if (b.written()) {
                    written.put(b.buffer(), i);
                }
            }
        }
    }

    /** Each halo argument goes with one number that tells the kernel where its chunk begins. */
    private void resolveViewStarts(List<Job.Argument> arguments) {
        Set<Integer> told = new HashSet<>(); // numbers of halo arguments
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof Job.Argument.ViewStart v) {
                int halo = haloOf(arguments, i, v.buffer());
                told.add(halo);
                arguments.set(i, new Job.Argument.ViewStart(v.buffer(), halo));
            }
        }
        for (int i = 0; i < arguments.size(); i++) {
            if (phase.source() != null
                    && arguments.get(i) instanceof Job.Argument.Buffer b
                    && b.access() instanceof Access.Halo
                    && !told.contains(i)) {
                throw refused(
                        "argument " + i + " has a halo, but no viewStart(buffer) tells the kernel where in its view"
                                + " the chunk begins");
            }
        }
    }

    private int haloOf(List<Job.Argument> arguments, int index, HostBuffer buffer) {
        int found = -1;
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof Job.Argument.Buffer b
                    && b.buffer() == buffer
                    && b.access() instanceof Access.Halo) {
                if (found >= 0) {
                    throw refused("argument " + index + " is the view start of one buffer that arguments " + found
                            + " and " + i + " both read with a halo; read it once, with the larger halo");
                }
                found = i;
            }
        }
        if (found < 0) {
            throw refused("argument " + index + " is the view start of a buffer that this kernel does not read with"
                    + " slice(...).halo(before, after)");
        }
        return found;
    }

    private EvenerException refused(String reason) {
        return new EvenerException("job '" + job + "', kernel " + phase.kernel() + ": " + reason);
    }
}
