package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What makes a phase legal to split, checked when a job is built. */
final class JobChecks {
    private final String job;
    private final long units;
    private final JobSpec.Phase phase;
    /** The one whose arguments are being checked. */
    private JobSpec.Pass pass;

    private JobChecks(String job, long units, JobSpec.Phase phase) {
        this.job = job;
        this.units = units;
        this.phase = phase;
        this.pass = phase.passes().get(0);
    }

    /** The phase with every slice's size made explicit, and with each memory once. */
    static JobSpec.Phase resolve(String job, long units, boolean undivided, JobSpec.Phase phase) {
        return new JobChecks(job, units, phase).resolve(undivided);
    }

    /** No memory that is written may be seen through another buffer too: devices and lanes keep the books by buffer. */
    static void refuseOverlaps(String job, List<JobSpec.Phase> phases) {
        Set<LogicalBuffer> all = new LinkedHashSet<>();
        Set<LogicalBuffer> written = new LinkedHashSet<>();
        for (JobSpec.Phase phase : phases) {
            for (Argument.Buffer b : phase.buffers()) {
                all.add(b.buffer());
                if (b.written()) {
                    written.add(b.buffer());
                }
            }
        }
        for (LogicalBuffer one : written) {
            for (LogicalBuffer other : all) {
                if (one != other && one.mayOverlap(other)) {
                    throw new JobRejectedException(
                            "job '" + job + "': two of its buffers, a " + one.text() + " and a " + other.text()
                                    + ", lie over each other in memory, and it writes one of them; give"
                                    + " memory of its own to each, or the same HostBuffer twice where a job may have that");
                }
            }
        }
    }

    /**
     * Checks what depends on the buffers that have taken the place of others in a phase that was checked.
     *
     * @param before with the others
     */
    static void checkOtherData(JobSpec job, JobSpec.Phase before, JobSpec.Phase after) {
        JobChecks checks = new JobChecks(job.name(), job.units(), after);
        for (JobSpec.Pass each : after.passes()) {
            checks.pass = each;
            for (int i = each.firstArgument(); i < each.endArgument(); i++) {
                if (after.arguments().get(i) instanceof Argument.Buffer now
                        && before.arguments().get(i) instanceof Argument.Buffer was
                        && !now.range().equals(was.range())) {
                    checks.checkReplacement(i - each.firstArgument(), was.range(), now);
                }
            }
        }
    }

    private void checkReplacement(int i, Range was, Argument.Buffer b) {
        Range now = b.range();
        if (b.written() && b.buffer().isReadOnly()) {
            throw refused(Argument.text(i, b)
                    + " would be written, but the memory of the buffer that replaces it was read-only"
                    + " when it was wrapped");
        }
        boolean seenWhole = b.access() instanceof Access.Whole
                || b.access() instanceof Access.Parts // whose arrays would begin elsewhere
                || b.access() instanceof Access.Slices
                || b.image() != null
                || b.access() instanceof Access.Reduce
                || b.access() instanceof Access.Count;
        if (seenWhole && now.elements() != was.elements()) {
            throw refused(Argument.text(i, b) + " has " + was.elements()
                    + " elements, and what replaces it must have as many, not " + now.elements());
        }
        Argument ignored = parts(i, b).of(b.as(null), false); // which has elements of an image by now
    }

    private JobSpec.Phase resolve(boolean undivided) {
        List<Argument> arguments = new ArrayList<>();
        for (JobSpec.Pass each : phase.passes()) {
            pass = each;
            checkVariants(phase.space());
            if (phase.source() == null && phase.jvm() == null) {
                throw refused("it has neither OpenCL source nor a Java form");
            }
            for (int i = each.firstArgument(); i < each.endArgument(); i++) {
                Argument argument = phase.arguments().get(i);
                int number = i - each.firstArgument();
                arguments.add(
                        argument instanceof Argument.Buffer b ? parts(number, b).of(b, undivided) : argument);
            }
        }
        for (JobSpec.Pass each : phase.passes()) {
            pass = each;
            checkAliases(arguments);
            if (!phase.seesJob()) {
                resolveViewStarts(arguments);
            }
        }
        return phase.withArguments(eachMemoryOnce(arguments));
    }

    /** A unit that is a row of work-items may be several rows, but no part of one. */
    private void checkVariants(Space space) {
        pass.variants().forEach((kind, variant) -> {
            boolean fixed = variant.groupsPerComputeUnit() != 0 || variant.groups() != 0;
            boolean capped = variant.groupsPerComputeUnit() != 0;
            if (space.dimensions() > 1 && (variant.unitsPerItem() != 1 || capped)) {
                throw refused("the variant for " + kind + " devices sets units per item or groups per compute unit, but"
                        + " a range of several dimensions has at least one work-item for each place; only options, a group"
                        + " size and items per unit may be set, which are rows of them");
            }
            if (phase.seesJob() && fixed) {
                throw refused("the variant for " + kind + " devices sets a number of groups, which in the job's view is"
                        + " what the job's units make it; use chunkView(), or give a group size alone");
            }
            if (!pass.group().isEmpty() && variant.groupSize() > 0) {
                throw refused("groupSize(...) and the variant for " + kind + " devices both set its group size");
            }
            if (phase.seesJob() && units > Integer.MAX_VALUE / variant.itemsPerUnit() * (long) variant.unitsPerItem()) {
                throw refused(
                        "the job's view has at most " + Integer.MAX_VALUE + " work-items along the dimension that is"
                                + " cut, which is what drivers bear; use chunkView()");
            }
        });
        checkLocals();
        for (int i = space.dimensions(); i < 3 && !pass.group().isEmpty(); i++) {
            if (pass.group().get(i) != 1) {
                throw refused("its groups have more dimensions than the job's range, which has " + space.dimensions());
            }
        }
    }

    /** Memory of groups is as large as its kernel's groups need, which nobody knows where these may have any size; lanes look again. */
    private void checkLocals() {
        boolean open = phase.source() != null;
        for (DeviceKind kind : DeviceKind.values()) {
            open &= kind == DeviceKind.JVM || pass.group(kind, 0) == 0;
        }
        for (int i = pass.firstArgument(); i < pass.endArgument() && open; i++) {
            if (phase.arguments().get(i) instanceof Argument.Local) {
                throw refused("argument " + (i - pass.firstArgument())
                        + " is local memory, but the size of the groups that share it is left open, which may then be any: give"
                        + " groupSize(n), which local(type, group -> elements) is told, or a Variant with one");
            }
        }
    }

    /** No region may be written by one device while another touches it, nor be written and touched by one kernel. */
    private void checkAliases(List<Argument> arguments) {
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            for (int other = i - 1; other >= 0; other--) {
                if (arguments.get(i) instanceof Argument.Buffer a
                        && arguments.get(other) instanceof Argument.Buffer b
                        && a.range().meets(b.range())) {
                    checkAlias(arguments, i, a, other, b);
                } else if (other >= pass.firstArgument()
                        && arguments.get(i) instanceof Argument.Temporary t
                        && arguments.get(other) instanceof Argument.Temporary u
                        && t.memory() == u.memory()) {
                    throw refused(
                            named(i) + " and " + named(other) + " are one temporary; give it once, or make another");
                }
            }
        }
    }

    private void checkAlias(List<Argument> arguments, int i, Argument.Buffer a, int other, Argument.Buffer b) {
        boolean same = a.range().equals(b.range());
        boolean alike = same && a.access().equals(b.access()) && Objects.equals(a.image(), b.image());
        String both = named(i) + " and " + named(other)
                + (same ? " are one buffer" : " are ranges of one buffer with elements in common");
        if (other >= pass.firstArgument()) {
            boolean inPlace = alike && a.image() == null && !a.isPutTogether(); // if the kernel sees its job
            if ((a.written() || b.written()) && !(inPlace && phase.seesJob())) {
                throw refused(both + " and one of them writes it; "
                        + (inPlace ? "say jobView(), in which both parameters may have it, or " : "")
                        + "give it once with updates(), or use two buffers");
            }
            return;
        }
        if (a.isPutTogether() || b.isPutTogether()) {
            throw refused(both + ", which is merged when the phase ends; only one"
                    + " kernel of a phase may have it, and kernel(name) begins a new phase");
        }
        if (!alike && isWritten(arguments, a.range(), b.range())) {
            throw refused(both + ", which this phase writes, but they touch it in"
                    + " different ways, and other devices may be writing what one of them would see; use the same slice(...)"
                    + " in both, or begin a new phase with kernel(name)");
        }
    }

    private static boolean isWritten(List<Argument> arguments, Range one, Range other) {
        return arguments.stream()
                .anyMatch(a -> a instanceof Argument.Buffer b
                        && b.written()
                        && (b.range().meets(one) || b.range().meets(other)));
    }

    /** How a message about the present pass names an argument of it or of an earlier one. */
    private String named(int argument) {
        JobSpec.Pass its = phase.passOf(argument);
        return phase.text(argument) + (its.firstArgument() == pass.firstArgument() ? "" : " of kernel " + its.kernel());
    }

    /**
     * What stands at several places becomes {@link Argument.Again} at all but the first. There it is read if its first
     * kernel reads it, since what others read was written by then; and written if any of them writes it.
     */
    private List<Argument> eachMemoryOnce(List<Argument> arguments) {
        List<Argument> once = new ArrayList<>(arguments);
        for (int i = 0; i < once.size(); i++) {
            int first = firstOf(arguments, i);
            if (first == i) {
                continue;
            }
            once.set(i, new Argument.Again(first));
            if (arguments.get(i) instanceof Argument.Buffer b) {
                Argument.Buffer at = (Argument.Buffer) once.get(first);
                boolean read = at.read() || (b.read() && isOfOnePass(first, i));
                once.set(first, at.with(at.access(), read, at.written() || b.written()));
            }
        }
        return once;
    }

    private boolean isOfOnePass(int first, int other) {
        return phase.passes().stream().anyMatch(p -> p.firstArgument() <= first && other < p.endArgument());
    }

    /** The first argument that is the same memory, touched in the same way; the argument itself if there is none before. */
    private static int firstOf(List<Argument> arguments, int argument) {
        for (int i = 0; i < argument; i++) {
            if (isSame(arguments.get(i), arguments.get(argument))) {
                return i;
            }
        }
        return argument;
    }

    private static boolean isSame(Argument one, Argument other) {
        return one instanceof Argument.Buffer a
                ? other instanceof Argument.Buffer b
                        && a.range().equals(b.range())
                        && a.access().equals(b.access())
                        && Objects.equals(a.image(), b.image())
                : one instanceof Argument.Temporary t
                        && other instanceof Argument.Temporary u
                        && t.memory() == u.memory();
    }

    /** Each halo argument goes with one number that tells the kernel where its chunk begins. */
    private void resolveViewStarts(List<Argument> arguments) {
        Set<Integer> told = new HashSet<>(); // numbers of halo arguments
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            if (arguments.get(i) instanceof Argument.ViewStart v) {
                int halo = haloOf(arguments, i, v.range());
                told.add(halo);
                arguments.set(i, new Argument.ViewStart(v.range(), firstOf(arguments, halo)));
            }
        }
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            if (phase.source() != null
                    && arguments.get(i) instanceof Argument.Buffer b
                    && b.access() instanceof Access.Halo
                    && !told.contains(i)) {
                throw refused(named(i)
                        + " has a halo, but no viewStart(buffer) tells the kernel where in its view the chunk begins");
            }
        }
    }

    private int haloOf(List<Argument> arguments, int index, Range range) {
        int found = -1;
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            if (arguments.get(i) instanceof Argument.Buffer b
                    && b.range().equals(range)
                    && b.access() instanceof Access.Halo) {
                if (found >= 0) {
                    throw refused(named(index) + " is the view start of one buffer that arguments "
                            + (found - pass.firstArgument()) + " and " + (i - pass.firstArgument())
                            + " both read with a halo; read it once, with the larger halo");
                }
                found = i;
            }
        }
        if (found < 0) {
            throw refused(named(index) + " is the view start of a buffer that this kernel does not read with"
                    + " slice(...).halo(before, after)");
        }
        return found;
    }

    /** Checks what units have of an argument of the present pass. */
    private UnitParts parts(int number, Argument argument) {
        String text = Argument.text(number, argument);
        return new UnitParts(units, phase.seesJob(), reason -> refused(text + reason));
    }

    private EvenerException refused(String reason) {
        return new JobRejectedException("job '" + job + "', kernel " + pass.kernel() + ": " + reason);
    }
}
