package dev.evener.internal.job;

import dev.evener.DataBuffer;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.image.Sampler;
import dev.evener.internal.LogicalBuffer;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Job} is to the runtime: its description, checked and complete. Immutable.
 *
 * @param units size of the index space along the dimension that is cut
 * @param space the index space, with that dimension
 * @param granule units at whose multiples it may be cut, as far as its kernels are concerned
 * @param phases at least one
 * @param options how it wants to be run
 * @param alone what is run instead if one device gets all of it, or null
 * @param buffers those of all of these
 * @param reach how many units around its own a unit needs done of all phases before; {@link Chain#NONE} where these end before
 * @param findings what was found about it, shared by jobs that differ in their data only
 */
public record JobSpec(
        String name,
        long units,
        Space space,
        long granule,
        List<Phase> phases,
        Options options,
        @Nullable JobSpec alone,
        JobBuffers buffers,
        long reach,
        Findings findings)
        implements Job {

    public JobSpec {
        phases = List.copyOf(phases);
    }

    /** A job of which nothing was found yet. */
    public JobSpec(
            String name,
            long units,
            Space space,
            long granule,
            List<Phase> phases,
            Options options,
            @Nullable JobSpec alone) {
        this(
                name,
                units,
                space,
                granule,
                phases,
                options,
                alone,
                JobBuffers.of(phases, alone),
                Chain.NONE,
                new Findings());
    }

    /**
     * The one implementation of a job.
     *
     * @throws IllegalArgumentException if somebody else made it
     */
    public static JobSpec of(Job job) {
        if (Objects.requireNonNull(job, "job") instanceof JobSpec spec) {
            return spec;
        }
        throw new IllegalArgumentException(
                "a job of " + job.getClass().getName() + " cannot be run; Job.named(...) makes jobs");
    }

    @Override
    public @Nullable DeviceSelector devices() {
        return options.devices();
    }

    // ---- others made from it ----

    @Override
    public JobSpec on(DeviceSelector which) {
        return withOptions(
                options.with(Objects.requireNonNull(which, "devices"), options.priority(), options.coming()));
    }

    @Override
    public JobSpec withPriority(int urgency) {
        return withOptions(options.with(options.devices(), urgency, options.coming()));
    }

    @Override
    public JobSpec before(int others) {
        if (others < 0) {
            throw new IllegalArgumentException("before " + others + " others: there are none, or more");
        }
        return withOptions(options.with(options.devices(), options.priority(), others));
    }

    @Override
    public Optional<Job> then(List<? extends Job> others) {
        List<JobSpec> all = Stream.concat(Stream.of(this), Objects.requireNonNull(others, "others").stream())
                .map(JobSpec::of)
                .toList();
        return Chain.of(all).map(each -> each);
    }

    private JobSpec withOptions(Options others) {
        return new JobSpec(name, units, space, granule, phases, others, alone, buffers, reach, findings);
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
        return new JobSpec(name, units, space, granule, others, options, form, its, reach, findings);
    }

    /** The same job over other phases, which lie on its buffers and on others that are nobody else's. */
    public JobSpec withPhases(List<Phase> others) {
        Findings own = new Findings(findings.firstRun());
        return new JobSpec(name, units, space, granule, others, options, alone, buffers, reach, own);
    }

    /** The same job, in which a unit of a phase may begin where those before it are done as far around. */
    public JobSpec withReach(long far) {
        return new JobSpec(name, units, space, granule, phases, options, alone, buffers, far, findings);
    }

    /** A job of these phases, each of which may begin where those before it are done as far around as that. */
    JobSpec chained(List<Phase> steps, long far) {
        return new JobSpec(name, units, space, granule, steps, options, null).withReach(far);
    }

    /** Whether a device may be at a chunk of it for longer than the job lasts, which does that again. */
    public boolean mayLeaveBehind() {
        return options.recovers() && phases.size() == 1 && phases.get(0).mayBeLeftBehind();
    }

    /** The same job, which nobody may cut. */
    public JobSpec inOnePiece() {
        Findings own = new Findings();
        return new JobSpec(name, units, space, Math.max(1, units), phases, options, alone, buffers, reach, own);
    }

    /**
     * Whether kernels may read means of an image's pixels, by samplers that they are given, or that stand in their
     * text.
     */
    public boolean filtersImages() {
        boolean images = false;
        for (Phase phase : phases) {
            images |= phase.any(b -> b.image() != null);
        }
        return images
                && findings.find(Filtering.class, List.of(), this::filtering).any();
    }

    private record Filtering(boolean any) {}

    private Filtering filtering() {
        return new Filtering(phases.stream()
                .anyMatch(phase ->
                        (phase.source() != null && phase.source().text().contains("CLK_FILTER_LINEAR"))
                                || phase.arguments().stream()
                                        .anyMatch(each -> each instanceof Argument.Sampler s
                                                && s.value().filter() == Sampler.Filter.LINEAR)));
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
     * @param coming how many others like it are known to come soon
     */
    public record Options(
            @Nullable Policy policy,
            @Nullable DeviceSelector devices,
            int priority,
            @Nullable Duration deadline,
            @Nullable Duration chunkDeadline,
            boolean recovers,
            boolean protectsUpdates,
            @Nullable Consumer<JobFuture.Progress> progress,
            int coming) {

        private Options with(@Nullable DeviceSelector which, int urgency, int others) {
            return new Options(
                    policy, which, urgency, deadline, chunkDeadline, recovers, protectsUpdates, progress, others);
        }
    }

    /**
     * What is done with all units before anything waits: one kernel, or several that run one after another over each chunk.
     *
     * @param passes its kernels in order, at least one
     * @param source where they are defined, or null for a phase that only the JVM lane can run
     * @param arguments those of all passes, one pass after the other; what several of them share stands at its first place,
     *     with what becomes of it in the phase as a whole, and at all others as {@link Argument.Again}
     * @param space the job's
     * @param jvm the Java form of the whole phase, or null if there is none
     * @param hostStep the host step after it, or null
     * @param hostStepWrites the buffers that the host step writes, or null if it may write any
     * @param buffers those among the arguments
     */
    public record Phase(
            List<Pass> passes,
            @Nullable KernelSource source,
            List<Argument> arguments,
            Space space,
            @Nullable JvmKernel jvm,
            @Nullable Consumer<DataBuffer.HostAccess> hostStep,
            @Nullable List<LogicalBuffer.Range> hostStepWrites,
            List<Argument.Buffer> buffers) {

        public Phase {
            passes = List.copyOf(passes);
            arguments = List.copyOf(arguments);
            hostStepWrites = hostStepWrites == null ? null : List.copyOf(hostStepWrites);
            buffers = buffers(arguments);
        }

        /** One of these arguments. */
        public Phase(
                List<Pass> passes,
                @Nullable KernelSource source,
                List<Argument> arguments,
                Space space,
                @Nullable JvmKernel jvm,
                @Nullable Consumer<DataBuffer.HostAccess> hostStep,
                @Nullable List<LogicalBuffer.Range> hostStepWrites) {
            this(passes, source, arguments, space, jvm, hostStep, hostStepWrites, List.of());
        }

        /** Whether something holds of any of its buffers. Asked of every chunk: without an iterator. */
        public boolean any(Predicate<Argument.Buffer> holds) {
            boolean any = false;
            for (int i = 0; i < buffers.size() && !any; i++) {
                any = holds.test(buffers.get(i));
            }
            return any;
        }

        private static List<Argument.Buffer> buffers(List<Argument> arguments) {
            List<Argument.Buffer> all = new ArrayList<>(arguments.size());
            for (Argument each : arguments) {
                if (each instanceof Argument.Buffer b) {
                    all.add(b);
                }
            }
            return List.copyOf(all);
        }

        /**
         * Whether a range needs device memory of its own, rather than a part of the buffer's: kernels must see it from its first element
         * on, which is no legal place there, or see parts that overlap with its own, which NVIDIA's driver bears in different memory only.
         */
        public boolean liesApart(int argument, int alignment) {
            Argument.Buffer of = (Argument.Buffer) arguments.get(argument);
            LogicalBuffer.Range range = of.range();
            if (range.isAll() || (of.view() == Argument.View.AROUND && !seesJob())) {
                return false;
            }
            boolean apart = seesJob()
                    || of.isSeenWhole()
                    || range.from() % range.buffer().segmentBytes() % alignment != 0;
            for (int i = 0; i < arguments.size(); i++) {
                apart |= i != argument
                        && arguments.get(i) instanceof Argument.Buffer b
                        && b.range().meets(range);
            }
            return apart;
        }

        /** The same phase of a job with this index space. */
        Phase over(Space other) {
            List<Pass> its = other.dimensions() > 1
                    ? passes
                    : passes.stream().map(Pass::inLine).toList();
            return new Phase(its, source, arguments, other, jvm, hostStep, hostStepWrites);
        }

        /** Whether kernels see their job, rather than their chunk. */
        public boolean seesJob() {
            return space.seesJob();
        }

        /**
         * Whether a device may still be at a chunk of it when the job has ended without that, and its buffers hold
         * something else: its kernel does no harm then. It is one, as a second one goes by what the first has seen
         * there. Their memory is the runtime's to free, and what it writes is wanted on the host, part by part.
         */
        public boolean mayBeLeftBehind() {
            boolean may = !seesJob() && passes.size() == 1 && (source == null || source.allowsTrialLaunch());
            for (int i = 0; may && i < arguments.size(); i++) {
                may = arguments.get(i) instanceof Argument.Buffer b
                        ? !b.buffer().isWrapped()
                                && !(b.written() && !b.buffer().hasHostViews())
                        : !(arguments.get(i) instanceof Argument.Temporary);
            }
            return may;
        }

        /** The same phase with other arguments. */
        public Phase withArguments(List<Argument> others) {
            return withData(others, hostStepWrites);
        }

        /** The same phase with other arguments, and a host step that writes other buffers. */
        Phase withData(List<Argument> others, @Nullable List<LogicalBuffer.Range> otherWrites) {
            return new Phase(passes, source, others, space, jvm, hostStep, otherWrites);
        }

        /** The kernel function; of several passes all, joined by {@code +}. For messages and the history. */
        public String kernel() {
            return passes.size() == 1
                    ? passes.get(0).kernel()
                    : passes.stream().map(Pass::kernel).collect(Collectors.joining("+"));
        }

        /** The kernel of which an argument is. */
        Pass passOf(int argument) {
            int pass = 0;
            while (argument >= passes.get(pass).endArgument()) {
                pass++;
            }
            return passes.get(pass);
        }

        /** How messages name an argument among its kernel's: by its number, and by its buffer if that has a name. */
        public String text(int argument) {
            Argument its = arguments.get(argument);
            int first = its instanceof Argument.Again again ? again.argument() : argument;
            return Argument.text(argument - passOf(argument).firstArgument(), arguments.get(first));
        }

        /** The same with its kernel. */
        public String describe(int argument) {
            return "kernel " + passOf(argument).kernel() + ", " + text(argument);
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
     * @param group work-items of a group in each of three dimensions; empty where variants say, or leave it open
     */
    public record Pass(
            String kernel,
            Map<DeviceKind, Variant> variants,
            int firstArgument,
            int arguments,
            Set<Integer> written,
            List<Integer> group) {
        public Pass {
            variants = Map.copyOf(variants);
            written = Set.copyOf(written);
            group = List.copyOf(group);
        }

        /** A kernel whose groups are as variants say. */
        public Pass(
                String kernel,
                Map<DeviceKind, Variant> variants,
                int firstArgument,
                int arguments,
                Set<Integer> written) {
            this(kernel, variants, firstArgument, arguments, written, List.of());
        }

        /** Number of the argument behind its last one. */
        public int endArgument() {
            return firstArgument + arguments;
        }

        /** How a class of devices runs it. */
        public Variant variant(DeviceKind kind) {
            return variants.getOrDefault(kind, Variant.plain());
        }

        /** Whether each class of devices has one work-item for each unit, in as many groups as there are. */
        boolean isPlain() {
            return variants.values().stream()
                    .allMatch(v -> v.itemsPerUnit() == 1
                            && v.unitsPerItem() == 1
                            && v.groups() == 0
                            && v.groupsPerComputeUnit() == 0);
        }

        /** The same kernel over one dimension, with its group size where that of variants is. */
        private Pass inLine() {
            boolean twice = variants.values().stream().anyMatch(each -> each.groupSize() > 0); // which is refused
            if (group.isEmpty() || group.get(1) > 1 || group.get(2) > 1 || twice) {
                return this;
            }
            Map<DeviceKind, Variant> all = new EnumMap<>(DeviceKind.class);
            for (DeviceKind kind : DeviceKind.values()) {
                Variant its = variant(kind);
                all.put(kind, its.groupSize() > 0 ? its : its.withGroupSize(group.get(0)));
            }
            return new Pass(kernel, all, firstArgument, arguments, written, List.of());
        }

        /** Work-items of a group along a dimension on such devices; 0 where that is left open. */
        public int group(DeviceKind kind, int dimension) {
            int size = variant(kind).groupSize();
            return !group.isEmpty() ? group.get(dimension) : size > 0 && dimension > 0 ? 1 : size;
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

        private volatile Finding[] kept = {}; // the latest last
        private final FirstRun firstRun;

        public Findings() {
            this(new FirstRun());
        }

        private Findings(FirstRun firstRun) {
            this.firstRun = firstRun;
        }

        /** What its kernels were seen to do before they ran on the job's memory. */
        public FirstRun firstRun() {
            return firstRun;
        }

        private record Finding(List<DeviceInfo> devices, Object value) {}

        /**
         * What was found before, or is now.
         *
         * @param devices in lane order; must not be changed afterwards
         * @param finder finds it; may run more than once
         */
        public <T> T find(Class<T> type, List<DeviceInfo> devices, Supplier<T> finder) {
            Finding[] before = kept;
            for (Finding each : before) { // an index would hash every device each time
                if (type.isInstance(each.value) && each.devices.equals(devices)) {
                    return type.cast(each.value);
                }
            }
            T found = finder.get();
            Finding[] all = Arrays.copyOfRange(before, Math.max(0, before.length - MOST + 1), before.length + 1);
            all[all.length - 1] = new Finding(devices, found);
            kept = all;
            return found;
        }
    }

    /**
     * What is known of a job's first run in guarded memory; shared by jobs that differ in their data only. Lanes note
     * what they have seen, and the run that ends well has the history remember it. Any thread.
     */
    public static final class FirstRun {
        private volatile boolean over;
        private volatile boolean passed;
        private volatile boolean leftOut;
        private final Set<Seen> seen = ConcurrentHashMap.newKeySet(0);

        /** Which units were run: those at an end of a lane's own first chunk, or where the job begins or ends. */
        public enum Place {
            OWN,
            FIRST,
            LAST
        }

        private record Seen(Object lane, Place place, List<Pass> passes, List<Object> declared) {}

        /**
         * Whether a phase of a job has kernels of which nobody knows where they write, and that may be run on a few
         * units.
         */
        public static boolean isFor(JobSpec job, JobSpec.Phase phase) {
            KernelSource source = phase.source();
            return source != null && !source.allowsTrialLaunch() && job.granule() < job.units();
        }

        /** Whether any phase has. */
        public static boolean isFor(JobSpec job) {
            for (int i = 0; i < job.phases().size(); i++) { // each time that one is submitted
                if (isFor(job, job.phases().get(i))) {
                    return true;
                }
            }
            return false;
        }

        /** Whether a lane has seen these units of a phase, or sees them. */
        public boolean has(Object lane, JobSpec.Phase phase, Place place) {
            return seen.contains(key(lane, phase, place));
        }

        /** A lane sees them; false if it had. */
        public boolean add(Object lane, JobSpec.Phase phase, Place place) {
            return seen.add(key(lane, phase, place));
        }

        private static Seen key(Object lane, JobSpec.Phase phase, Place place) {
            List<Object> declared = phase.arguments().stream()
                    .map(a -> a instanceof Argument.Buffer b ? List.of(b.access(), b.read(), b.written()) : 0)
                    .toList();
            return new Seen(lane, place, phase.passes(), declared);
        }

        /** Kernels did not do what was declared: they will be seen again. */
        public void failed() {
            seen.clear();
        }

        /** Kernels did what was declared. */
        public void passed() {
            passed = true;
        }

        /** Something cannot be run so. False if that was known. */
        public boolean leaveOut() {
            boolean was = leftOut;
            leftOut = true;
            return !was;
        }

        /** Whether a job that has ended well was seen. */
        public boolean hasPassed() {
            return passed && !leftOut && !over;
        }

        /** Nothing is to be seen any more. */
        public void end() {
            over = true;
            seen.clear();
        }

        public boolean isOver() {
            return over;
        }
    }
}
