package dev.evener.internal;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.data.Traffic;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Job} is to the runtime: its description, checked and complete. Immutable.
 *
 * @param units size of the index space; the rows of a two-dimensional one
 * @param columns columns of a two-dimensional index space; 0 for one dimension
 * @param granule units at whose multiples it may be cut, as far as its kernels are concerned
 * @param phases at least one
 * @param options how it wants to be run
 * @param alone what is run instead if one device gets all of it, or null
 * @param buffers those of all of these
 * @param findings what was found about it, shared by jobs that differ in their data only
 */
public record JobSpec(
        String name,
        long units,
        long columns,
        long granule,
        List<Phase> phases,
        Options options,
        @Nullable JobSpec alone,
        JobBuffers buffers,
        Findings findings)
        implements Job {

    public JobSpec {
        phases = List.copyOf(phases);
    }

    /** A job of which nothing was found yet. */
    public JobSpec(
            String name,
            long units,
            long columns,
            long granule,
            List<Phase> phases,
            Options options,
            @Nullable JobSpec alone) {
        this(name, units, columns, granule, phases, options, alone, JobBuffers.of(phases, alone), new Findings());
    }

    /** The one implementation of a job. */
    public static JobSpec of(Job job) {
        return (JobSpec) job;
    }

    @Override
    public @Nullable DeviceSelector devices() {
        return options.devices();
    }

    // ---- others made from it ----

    @Override
    public JobSpec on(DeviceSelector which) {
        Options there = options.on(Objects.requireNonNull(which, "devices"));
        return new JobSpec(name, units, columns, granule, phases, there, alone, buffers, findings);
    }

    @Override
    public JobSpec with(Map<? extends DataBuffer, ? extends DataBuffer> replacements) {
        return new Substitution(this).buffers(replacements);
    }

    @Override
    public JobSpec swap(DataBuffer one, DataBuffer other) {
        return new Substitution(this).swap(one, other);
    }

    @Override
    public JobSpec with(String scalar, Number value) {
        return new Substitution(this).scalar(scalar, value);
    }

    /** The same job on other data, for which it was checked. */
    JobSpec onData(List<Phase> others, @Nullable JobSpec form, JobBuffers its) {
        return new JobSpec(name, units, columns, granule, others, options, form, its, findings);
    }

    /** The same job over other phases, which lie on its buffers and on others that are nobody else's. */
    public JobSpec withPhases(List<Phase> others) {
        return new JobSpec(name, units, columns, granule, others, options, alone, buffers, new Findings());
    }

    /** The same job, which nobody may cut. */
    public JobSpec inOnePiece() {
        Findings own = new Findings();
        return new JobSpec(name, units, columns, Math.max(1, units), phases, options, alone, buffers, own);
    }

    @Override
    public boolean uses(DataBuffer buffer) {
        return buffers.uses().contains(LogicalBuffer.Range.of(buffer));
    }

    // Jobs that were described alike are two jobs.

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return "job '" + name + "'";
    }

    /**
     * How a job wants to be run, apart from what it computes.
     *
     * @param policy how it is cut, or null for the runtime's policy
     * @param devices which of the runtime's devices it may use, or null for all
     * @param priority of two jobs, devices serve the one that has more of it first
     * @param deadline most time from submission to result, or null for no limit
     * @param chunkDeadline most time for one chunk, or null for the runtime's
     * @param recovers whether the other devices take over when one fails
     * @param protectsUpdates whether what is updated in place is saved before, so that a failed chunk can be run again
     * @param progress told how far the job is, or null
     */
    public record Options(
            @Nullable Policy policy,
            @Nullable DeviceSelector devices,
            int priority,
            @Nullable Duration deadline,
            @Nullable Duration chunkDeadline,
            boolean recovers,
            boolean protectsUpdates,
            @Nullable Consumer<JobFuture.Progress> progress) {

        private Options on(DeviceSelector which) {
            return new Options(policy, which, priority, deadline, chunkDeadline, recovers, protectsUpdates, progress);
        }
    }

    /**
     * What is done with all units before anything waits: one kernel, or several that run one after another over each chunk.
     *
     * @param passes its kernels in order, at least one
     * @param source where they are defined, or null for a phase that only the JVM lane can run
     * @param arguments those of all passes, one pass after the other; what several of them share stands at its first place,
     *     with what becomes of it in the phase as a whole, and at all others as {@link Argument.Again}
     * @param jvm the Java form of the whole phase, or null if there is none
     * @param combine the host step after it, or null
     * @param combineWrites the buffers that the host step writes, or null if it may write any
     */
    public record Phase(
            List<Pass> passes,
            @Nullable KernelSource source,
            List<Argument> arguments,
            @Nullable JvmKernel jvm,
            @Nullable Consumer<DataBuffer.HostAccess> combine,
            @Nullable List<LogicalBuffer.Range> combineWrites) {

        public Phase {
            passes = List.copyOf(passes);
            arguments = List.copyOf(arguments);
            combineWrites = combineWrites == null ? null : List.copyOf(combineWrites);
        }

        /**
         * Whether a range needs device memory of its own, rather than a part of the buffer's: kernels must see it from its first element
         * on, which is no legal place there, or see parts that overlap with its own, which NVIDIA's driver bears in different memory only.
         */
        public boolean liesApart(int argument, int alignment) {
            Argument.Buffer of = (Argument.Buffer) arguments.get(argument);
            LogicalBuffer.Range range = of.range();
            if (range.isAll() || of.access() instanceof Access.Halo) {
                return false;
            }
            boolean apart = of.access() instanceof Access.Whole
                    || range.from() % range.buffer().segmentBytes() % alignment != 0;
            for (int i = 0; i < arguments.size(); i++) {
                apart |= i != argument
                        && arguments.get(i) instanceof Argument.Buffer b
                        && b.range().meets(range);
            }
            return apart;
        }

        /** The same phase with other arguments. */
        public Phase withArguments(List<Argument> others) {
            return withData(others, combineWrites);
        }

        /** The same phase with other arguments, and a host step that writes other buffers. */
        Phase withData(List<Argument> others, @Nullable List<LogicalBuffer.Range> otherWrites) {
            return new Phase(passes, source, others, jvm, combine, otherWrites);
        }

        /** The kernel function; of several passes all, joined by {@code +}. For messages and the history. */
        public String kernel() {
            return passes.size() == 1
                    ? passes.get(0).kernel()
                    : passes.stream().map(Pass::kernel).collect(Collectors.joining("+"));
        }

        /** How messages name an argument: by its kernel and its number among that kernel's. */
        public String describe(int argument) {
            int pass = 0;
            while (argument >= passes.get(pass).endArgument()) {
                pass++;
            }
            return "kernel " + passes.get(pass).kernel() + ", argument "
                    + (argument - passes.get(pass).firstArgument());
        }
    }

    /**
     * One kernel of a phase.
     *
     * @param kernel the kernel function
     * @param variants how each class of devices runs it; a class that is absent runs {@link Variant#plain()}
     * @param firstArgument number of its first argument among the phase's
     * @param arguments how many it has
     * @param written numbers, among its own, of the buffers that this kernel is declared to write
     */
    public record Pass(
            String kernel, Map<DeviceKind, Variant> variants, int firstArgument, int arguments, Set<Integer> written) {
        public Pass {
            variants = Map.copyOf(variants);
            written = Set.copyOf(written);
        }

        /** Number of the argument behind its last one. */
        public int endArgument() {
            return firstArgument + arguments;
        }

        /** How a class of devices runs it. */
        public Variant variant(DeviceKind kind) {
            return variants.getOrDefault(kind, Variant.plain());
        }
    }

    /** A host step that sees buffers only as it was written: through their views. */
    public record RunnableStep(Runnable step) implements Consumer<DataBuffer.HostAccess> {
        @Override
        public void accept(DataBuffer.HostAccess host) {
            step.run();
        }
    }

    /**
     * What was found about a job on certain devices, kept for all jobs that differ from it in their data only: its granule, what
     * the history calls it. Whoever finds something keeps it here under a type of its own. Any thread; two may find the same at
     * once.
     */
    public static final class Findings {
        /** Findings that are kept: of two kinds, for a job that alternates between a few sets of devices. */
        private static final int MOST = 8;

        private volatile List<Finding> kept = List.of(); // the latest last

        private record Finding(List<DeviceInfo> devices, Object value) {}

        /**
         * What was found before, or is now.
         *
         * @param devices in lane order; must not be changed afterwards
         * @param finder finds it; may run more than once
         */
        public <T> T find(Class<T> type, List<DeviceInfo> devices, Supplier<T> finder) {
            List<Finding> before = kept;
            for (Finding each : before) { // an index would hash every device each time
                if (type.isInstance(each.value) && each.devices.equals(devices)) {
                    return type.cast(each.value);
                }
            }
            T found = finder.get();
            List<Finding> all = new ArrayList<>(before.subList(Math.max(0, before.size() - MOST + 1), before.size()));
            all.add(new Finding(devices, found));
            kept = List.copyOf(all);
            return found;
        }
    }

    /** One argument of a kernel. */
    public sealed interface Argument {
        /** A buffer, or a range of one. Places are counted in the buffer, whatever the range. */
        record Buffer(LogicalBuffer.Range range, Access access, boolean read, boolean written) implements Argument {
            /** All of a buffer. */
            public Buffer(LogicalBuffer all, Access access, boolean read, boolean written) {
                this(all.all(), access, read, written);
            }

            /** The buffer of which the range is. */
            public LogicalBuffer buffer() {
                return range.buffer();
            }

            /** Bytes of each unit's own part; 0 where units have none. */
            public long bytesPerUnit() {
                long elements = access instanceof Access.Slice s
                        ? s.elementsPerUnit()
                        : access instanceof Access.Halo h ? h.elementsPerUnit() : 0;
                return elements * range.type().bytes();
            }

            /** Bytes that a chunk of any size sees beside its units' own parts, at most. */
            public long bytesAlways() {
                if (access instanceof Access.Halo h) { // which ends where the buffer does
                    long units = range.elements() / h.elementsPerUnit() + 1;
                    return (Math.min(units, h.before()) + Math.min(units, h.after())) * bytesPerUnit();
                }
                return access instanceof Access.Slice ? 0 : range.byteSize();
            }

            /** The first byte that units from this one on see or write. */
            public long seenFrom(long firstUnit) {
                long unit = access instanceof Access.Halo h ? h.firstSeen(firstUnit) : firstUnit;
                return range.from() + unit * bytesPerUnit();
            }

            /** How many bytes these units see or write; the last unit may end behind the range, which it then sees no more of. */
            public long seenBytes(long firstUnit, long units) {
                if (!(access instanceof Access.Slice || access instanceof Access.Halo)) {
                    return range.byteSize();
                }
                long end = firstUnit + units;
                if (access instanceof Access.Halo h) { // of a range the unit behind its last whole one too
                    long more = range.isAll() ? 0 : h.elementsPerUnit() - 1;
                    end = Math.max(end, h.endSeen(end, range.elements() + more));
                }
                return Math.min(range.to(), range.from() + end * bytesPerUnit()) - seenFrom(firstUnit);
            }

            /** The books, for what is moved because these units need the buffer. */
            public Traffic countIn(Traffic books, long firstUnit, long units) {
                long own = bytesPerUnit();
                long from = range.from() + firstUnit * own;
                return own == 0 ? books.forAll() : books.forChunk(from, from + units * own);
            }
        }

        /**
         * A scalar of 4 or 8 bytes: {@link Integer}, {@link Long}, {@link Float} or {@link Double}.
         *
         * @param name by which it may be replaced, or null
         */
        record Scalar(@Nullable String name, Number value) implements Argument {}

        /** The chunk's first unit, as {@code ulong}. */
        record ChunkStart() implements Argument {}

        /** The chunk's number of units, as {@code uint}. */
        record ChunkUnits() implements Argument {}

        /**
         * Where a chunk begins in its view of a halo argument, as {@code ulong}: the index of the first element of the
         * chunk's first unit.
         *
         * @param range the halo argument's
         * @param argument number of that argument; -1 until the job is built
         */
        record ViewStart(LogicalBuffer.Range range, int argument) implements Argument {}

        /** Memory that belongs to a chunk while it runs. */
        record Temporary(dev.evener.Temporary memory) implements Argument {}

        /**
         * The same memory as an earlier argument, a {@link Buffer} or a {@link Temporary}. Made when the job is built, so that
         * each memory of a phase is sent, saved, fetched and counted once.
         *
         * @param argument number of that argument among the phase's
         */
        record Again(int argument) implements Argument {}
    }
}
