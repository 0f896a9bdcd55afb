package dev.evener.internal.job;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.image.Image;
import dev.evener.image.Sampler;
import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.job.JobSpec.Pass;
import dev.evener.internal.job.JobSpec.Phase;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link JobBuilder} has been told: of the job as a whole, the phases it has, and the one it is at: its passes
 * but the last one, its arguments so far, and its last pass. Between two phases there is none. Not thread-safe.
 */
public final class JobDraft {
    private final String job;
    private final List<Phase> phases = new ArrayList<>();
    private @Nullable KernelSource source; // of the next phase
    private @Nullable KernelSource phaseSource; // of this one
    private List<Pass> passes = new ArrayList<>();
    private List<Argument> arguments = new ArrayList<>();
    private @Nullable String kernel;
    private int firstArgument;
    private final Map<String, Number> names = new HashMap<>(); // of scalars, in all phases
    private Map<DeviceKind, Variant> variants = new EnumMap<>(DeviceKind.class);
    private List<Integer> group = List.of();
    private boolean hasClasses; // whether a kernel is run by some class of devices as by no other
    private @Nullable JvmKernel jvm;

    // What it is as a whole, and how it wants to be run.
    public final Space.Draft range = new Space.Draft(this::refused);
    private long granule = 1;
    public boolean undivided; // nobody may cut it
    public @Nullable Boolean seesJob; // or, if not, their chunk; null until somebody says
    private @Nullable JobSpec alone;
    public @Nullable Policy policy;
    public @Nullable DeviceSelector devices;
    private @Nullable Duration deadline;
    private @Nullable Duration chunkDeadline;
    public int priority;
    public boolean recovers = true;
    public boolean protectsUpdates = true;
    public @Nullable Consumer<JobFuture.Progress> progress;

    /** @param job its name, for messages */
    public JobDraft(String job) {
        this.job = named("job", job);
    }

    private static String named(String what, String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of a " + what
                    + " is blank; give the name that messages, records" + " and the history are to have");
        }
        return name;
    }

    /** At whose multiples it may be cut. */
    public void granule(long count) {
        if (count < 1) {
            throw refused("a granule needs at least 1 unit, not " + count);
        }
        granule = count;
    }

    /** Most time from submission to result. */
    public void deadline(Duration limit) {
        deadline = positive(limit, "deadline");
    }

    /** Most time for one chunk. */
    public void chunkDeadline(Duration limit) {
        chunkDeadline = positive(limit, "chunkDeadline");
    }

    private static Duration positive(Duration limit, String what) {
        if (Objects.requireNonNull(limit, what).isNegative() || limit.isZero()) {
            throw new IllegalArgumentException(what + " must be positive, not " + limit);
        }
        return limit;
    }

    /** What is run instead if one device gets all of it. */
    public void alone(Job other) {
        JobSpec form = JobSpec.of(Objects.requireNonNull(other, "alone"));
        if (form.alone() != null) {
            throw refused("its form for one device, job '" + form.name()
                    + "', has such a form itself; give alone(job) to one of them");
        }
        alone = form;
    }

    /** Where the kernels of the phases that follow are defined. */
    public void source(KernelSource text) {
        source = Objects.requireNonNull(text, "source");
        if (phaseSource == null) {
            phaseSource = text;
        }
    }

    /** Begins a phase with its first kernel. */
    public void kernel(String function) {
        endPhase(null, null);
        phaseSource = source;
        kernel = named("kernel", function);
    }

    /** Goes on with another kernel. */
    public void then(String function) {
        Objects.requireNonNull(function, "kernel");
        if (kernel == null) {
            throw refused("then(\"" + function + "\") was given before kernel(name); it goes on with the phase that"
                    + " kernel(name) begins");
        }
        endPass(kernel);
        kernel = function;
    }

    /** How the present kernel is run by a class of devices. */
    public void variant(DeviceKind kind, Variant variant) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(variant, "variant");
        requireKernel("variant");
        variants.put(kind, variant);
        hasClasses = true;
    }

    /** The same by all devices. */
    public void variant(Variant variant) {
        boolean before = hasClasses;
        for (DeviceKind kind : DeviceKind.values()) {
            variant(kind, variant);
        }
        hasClasses = before;
    }

    /** Work-items of a group of the present kernel, in each dimension. */
    public void groupSize(int... each) {
        requireKernel("groupSize");
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(i < each.length ? each[i] : 1);
        }
        if (each.length < 1 || each.length > 3 || Collections.min(all) < 1) {
            throw refused("groupSize" + Arrays.toString(each) + " of kernel " + kernel
                    + ": a group has one to three dimensions of at least 1 work-item");
        }
        group = all;
    }

    /** The Java form of the present phase. */
    public void jvm(JvmKernel form) {
        Objects.requireNonNull(form, "jvm");
        requireKernel("jvm");
        if (jvm != null && !passes.isEmpty()) {
            throw refused(
                    "kernel " + kernel + " has a Java form of its own, but a phase has one for all its kernels, and"
                            + " it was given already");
        }
        jvm = form;
    }

    // ---- arguments ----

    /** An argument of the present kernel. */
    private void add(Argument argument) {
        requireKernel("an argument");
        arguments.add(argument);
    }

    /** A scalar, which can be replaced if it has a name. */
    public void scalar(@Nullable String name, Number value) {
        Objects.requireNonNull(value, "value");
        if (!Argument.Scalar.TYPES.contains(value.getClass())) {
            throw refused("scalar " + (name == null ? arguments.size() - firstArgument : "\"" + name + "\"") + " is a "
                    + value.getClass().getSimpleName()
                    + "; a kernel takes a Byte, Short, Integer, Long, Float or Double");
        }
        if (name != null && !value.equals(names.getOrDefault(name, value))) {
            throw refused("scalar \"" + name + "\" is " + typed(names.get(name)) + " and " + typed(value)
                    + "; a name is one value wherever the job has it, so give the other another name");
        }
        add(new Argument.Scalar(name, value));
        if (name != null) {
            names.put(name, value);
        }
    }

    private static String typed(@Nullable Number value) {
        return value == null ? "" : value.getClass().getSimpleName() + " " + value;
    }

    /** A struct or vector. */
    public void value(ByteBuffer bytes) {
        String order = bytes.remaining() > 1 ? HostMemory.otherOrder(bytes) : null;
        if (order != null) {
            throw refused("value " + (arguments.size() - firstArgument) + " " + order);
        }
        ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining()).order(ByteOrder.nativeOrder());
        add(new Argument.Value(copy.put(bytes.duplicate()).flip()));
    }

    /** Memory of a group. */
    public void local(ElementType type, LongUnaryOperator count) {
        add(new Argument.Local(Objects.requireNonNull(type, "type"), Objects.requireNonNull(count, "count")));
    }

    /** The chunk's first unit, or its number of units. */
    public void ofChunk(boolean start) {
        add(start ? new Argument.ChunkStart() : new Argument.ChunkUnits());
    }

    /** Where the chunk begins in its view of a buffer. */
    public void viewStart(DataBuffer buffer) {
        add(new Argument.ViewStart(LogicalBuffer.Range.of(buffer), -1));
    }

    /** Memory of the chunk's own. */
    public void temporary(Temporary memory) {
        add(new Argument.Temporary(Objects.requireNonNull(memory, "temporary")));
    }

    /** How images are read. */
    public void sampler(Sampler sampler) {
        add(new Argument.Sampler(Objects.requireNonNull(sampler, "sampler")));
    }

    private void buffer(DataBuffer buffer, Access access, boolean read, boolean written) {
        LogicalBuffer.Range range = LogicalBuffer.Range.of(buffer);
        if (written && range.buffer().isReadOnly()) {
            throw refused(
                    Argument.text(arguments.size() - firstArgument, range) + " would be written, but its memory was"
                            + " read-only when it was wrapped; wrap a writable ByteBuffer, or write to a buffer of allocate(...)");
        }
        add(new Argument.Buffer(range, Objects.requireNonNull(access, "access"), read, written));
    }

    /** How messages name the next argument, if that is this buffer. */
    private String next(DataBuffer buffer) {
        return "kernel " + kernel + ", "
                + Argument.text(arguments.size() - firstArgument, LogicalBuffer.Range.of(buffer));
    }

    /** A buffer that is only read. */
    public void reads(DataBuffer buffer, Access access) {
        if (access instanceof Access.Reduce) {
            throw refused("a reduction is written, not read: use reduces(buffer, operation)");
        }
        if (access instanceof Access.Append || access instanceof Access.Count) {
            throw refused("what is appended is written, not read: use appends(out, count, mostPerUnit)");
        }
        buffer(buffer, access, true, false);
    }

    /** An image that is only read. */
    public void reads(Image<?> image, Access access) {
        reads(image.pixels(), access);
        asImage(image);
    }

    /** An image that is written. */
    public void writes(String verb, Image<?> image, Access access, boolean read) {
        writes(verb, image.pixels(), access, read);
        asImage(image);
    }

    /** Has the last argument seen as an image. */
    private void asImage(Image<?> image) {
        int last = arguments.size() - 1;
        arguments.set(last, ((Argument.Buffer) arguments.get(last)).as(image.shape()));
    }

    /** A buffer that is written, and perhaps read too. */
    public void writes(String verb, DataBuffer buffer, Access access, boolean read) {
        String argument = next(buffer) + ": " + verb;
        if (Objects.requireNonNull(access, "access") instanceof Access.Halo
                || (access instanceof Access.Parts p && (p.before() > 0 || p.after() > 0))) {
            throw refused(argument + " takes no halo: two devices would write the units where they overlap; read one"
                    + " buffer with slice(...).halo(before, after) and write another with slice(...)");
        }
        if (!(access instanceof Access.Slice
                || access instanceof Access.Slices
                || access instanceof Access.Parts
                || access instanceof Access.Whole)) {
            throw refused(argument + " takes slice(), planes or columns; results that units have in common go to"
                    + " reduces(buffer, operation) or accumulates(buffer, operation)");
        }
        buffer(buffer, access, read, true);
    }

    /**
     * A buffer in which partial results are combined.
     *
     * @param keeps whether its former content counts
     */
    public void reduces(DataBuffer buffer, Reduction operation, boolean keeps) {
        ElementType type = Objects.requireNonNull(buffer, "buffer").type();
        if (type.isFloating()
                && (keeps || Objects.requireNonNull(operation, "operation").isOfBits())) {
            throw refused(next(buffer) + ": "
                    + (keeps ? "accumulates" : operation + " of reduces") + " needs integers, not " + type.openClName()
                    + "; the order of floating-point operations would depend on the split");
        }
        buffer(buffer, new Access.Reduce(Objects.requireNonNull(operation, "operation"), keeps), keeps, true);
    }

    /** Buffers of results, and of their number. */
    public void appends(DataBuffer out, DataBuffer count, long mostPerUnit) {
        if (mostPerUnit < 1) {
            throw refused("appends needs room for at least 1 element per unit, not " + mostPerUnit);
        }
        Objects.requireNonNull(out, "out");
        Objects.requireNonNull(count, "count");
        if (count.elements() != 1 || (count.type() != ElementType.UINT && count.type() != ElementType.ULONG)) {
            throw refused("the count of appends needs a buffer of 1 uint or ulong, not a "
                    + LogicalBuffer.Range.of(count).text());
        }
        buffer(out, new Access.Append(mostPerUnit), false, true);
        buffer(count, new Access.Count(), false, true);
    }

    // ---- the ends of passes, phases and the job ----

    /**
     * Ends the present phase with a host step.
     *
     * @param writes the buffers it writes, or null if it may write any
     */
    public void hostStep(Consumer<DataBuffer.HostAccess> step, DataBuffer @Nullable [] writes) {
        requireKernel("hostStep");
        List<LogicalBuffer.Range> written = writes == null ? null : new ArrayList<>();
        if (writes != null) {
            for (DataBuffer each : writes) {
                written.add(LogicalBuffer.Range.of(Objects.requireNonNull(each, "writes")));
            }
        }
        endPhase(step, written);
    }

    /** The same for a step that is given nothing. */
    public void hostStep(Runnable step, HostBuffer @Nullable [] writes) {
        hostStep(new JobSpec.RunnableStep(Objects.requireNonNull(step, "step")), writes);
    }

    private void requireKernel(String what) {
        if (kernel == null) {
            throw refused(what + " was given before kernel(name)");
        }
    }

    private void endPhase(
            @Nullable Consumer<DataBuffer.HostAccess> hostStep, @Nullable List<LogicalBuffer.Range> hostStepWrites) {
        if (kernel != null) {
            endPass(kernel);
            phases.add(new Phase(passes, phaseSource, arguments, Space.LINE, jvm, hostStep, hostStepWrites));
            kernel = null;
            passes = new ArrayList<>();
            arguments = new ArrayList<>();
            firstArgument = 0;
            jvm = null;
        }
    }

    private void endPass(String function) {
        Set<Integer> written = IntStream.range(firstArgument, arguments.size())
                .filter(i -> arguments.get(i) instanceof Argument.Buffer b && b.written())
                .mapToObj(i -> i - firstArgument)
                .collect(Collectors.toSet());
        passes.add(new Pass(function, variants, firstArgument, arguments.size() - firstArgument, written, group));
        firstArgument = arguments.size();
        group = List.of();
        variants = new EnumMap<>(DeviceKind.class);
    }

    /** The job, checked; its last phase ends. */
    public JobSpec build() {
        endPhase(null, null);
        if (phases.isEmpty()) {
            throw refused("it has no kernel");
        }
        if (!undivided) {
            KernelText.refuseState(phases, this::refused);
        }
        Space cut = range.build();
        boolean sees =
                undivided || cut.hasOffsets() || KernelText.seeJob(phases, hasClasses, cut, seesJob, this::refused);
        Space space = cut.seeing(sees);
        long units = space.sizes().get(space.along());
        if (undivided) {
            granule = Math.max(1, units);
        }
        if (granule > units && units > 0) {
            throw refused("a granule of " + granule + " units is larger than the job of " + units
                    + ", which would have no whole one");
        }
        if (alone != null && alone.units() == 0 && units > 0) {
            throw refused("its form for one device, job '" + alone.name() + "', has no units");
        }
        phases.replaceAll(phase -> JobChecks.resolve(job, units, undivided, phase.over(space)));
        JobChecks.refuseOverlaps(job, phases);
        JobSpec.Options options = new JobSpec.Options(
                policy, devices, priority, deadline, chunkDeadline, recovers, protectsUpdates, progress, 0);
        return new JobSpec(job, units, space, granule, phases, options, alone);
    }

    /** What is wrong with the job. */
    public EvenerException refused(String reason) {
        return new JobRejectedException("job '" + job + "': " + reason);
    }
}
