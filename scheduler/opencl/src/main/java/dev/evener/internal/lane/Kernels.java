package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClKernel;
import dev.evener.internal.cl.ClKernel.Parameter;
import dev.evener.internal.cl.Programs;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.KernelText;
import dev.evener.internal.job.Space;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import dev.evener.internal.source.Recent;
import dev.evener.internal.source.SourceNames;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A lane's kernel objects, made when they are first needed and kept, and their launches over chunks: how many work-items, and in
 * which groups. Belongs to one lane's thread, but for {@link #tried}.
 *
 * <p>Where a variant leaves the group size open, a GPU's driver chooses. On a CPU the choice is made here, because PoCL
 * compiles a kernel anew for every group size it meets, which takes from 50 milliseconds to seconds, and its own choice
 * changes with the size of the chunk. Two sizes serve all chunks: {@link #GROUP}, and 1 for what is left over (less than a group
 * of a chunk; of each row it would be too much, see {@link #inRows}). Of each, PoCL
 * makes one form for launches from item 0 and one for others, and of the first one more for 65,535 items or more in a row.
 */
public final class Kernels implements AutoCloseable {
    /**
     * Work-items of a group chosen here. PoCL 3.1 vectorises a plain kernel from 64 on; groups of 64 cost saxpy 6 % and, on data
     * in the cache, 30 % more than these, and 256 gain nothing.
     */
    private static final int GROUP = 128;

    /** Groups for each compute unit without which single items are spread more evenly. */
    private static final int GROUPS_PER_UNIT = 2;

    /** Another size than usual; see {@link #otherGroups}. */
    public static final int OTHER = -1;

    /** Of a group of the checking mode where there would be single items. */
    private static final int OTHER_GROUP = 8;

    /** From what is chosen here for few items to what GPUs' drivers choose for many. */
    private static final List<Integer> SIZES = List.of(1, 4, 16, 64, 256, 1024);

    /** Fewest and most work-items of a group that divides a row. */
    private static final int SMALLEST = 64;

    private static final int LARGEST = 256;

    /**
     * Bytes of memory that a kernel's text declares.
     *
     * @param privates of a work-item
     * @param locals of a group
     * @param exact whether it is the compiler's answer, else at most so many by the text
     */
    private record Declared(long privates, long locals, boolean exact) {}

    /** Of the kernels that were asked for last: finding it takes as long as building a program, and each context would have to. */
    private static final Map<List<String>, Declared> DECLARED = Recent.map(4096);

    private final ClContext context;
    private final DeviceInfo info;
    private final boolean loopsEndEarly;
    private final Map<List<Object>, ClKernel> kernels = new HashMap<>();
    private final Set<List<Object>> tried = ConcurrentHashMap.newKeySet(); // that were built, or do not build
    private final Map<List<Object>, Long> mostUnits =
            new ConcurrentHashMap<>(); // of a chunk, where slices are in constant memory
    private final Map<List<String>, DeclaredMemory> declared = Recent.map(1);
    private int otherGroups;
    private volatile boolean checking; // whether groups may have another size

    private final Map<List<String>, Set<String>> typeWords = new ConcurrentHashMap<>();
    private final Map<List<String>, Asked> asks = new ConcurrentHashMap<>(); // by source, options and kernel

    // Of the launch being made.
    private final long[] global = new long[3];
    private final long[] group = new long[3];
    private final long[] offset = new long[3];
    private int along;
    private int dimensions;
    private long mostItems; // of a group that is chosen here
    private long carried; // work-items of all launches together along that dimension, of which the kernel is told, or 0
    private boolean numbered; // whether it may ask which group has a number

    // What is given to the driver, by the number of dimensions.
    private final long[][] offsets = {new long[1], new long[2], new long[3]};
    private final long[][] sizes = {new long[1], new long[2], new long[3]};
    private final long[][] groups = {new long[1], new long[2], new long[3]};

    /** What a text may ask of its launches, and a kernel of its groups. */
    private record Asked(boolean ofLaunch, boolean ofGroups) {}

    Kernels(ClContext context, DeviceInfo info, boolean loopsEndEarly) {
        this.context = context;
        this.info = info;
        this.loopsEndEarly = loopsEndEarly;
    }

    /**
     * The kernel of a pass.
     *
     * @throws LaneFailure if it cannot be built
     */
    ClKernel get(JobSpec.Phase phase, JobSpec.Pass pass) {
        KernelSource source = phase.source();
        if (source == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + pass.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        List<Object> key = key(source, phase, pass);
        ClKernel known = kernels.get(key);
        if (known == null) {
            try {
                Space space = phase.space();
                String telling = Programs.telling(told(phase, pass), space.along(), space.offsets());
                known = context.kernel(source, options(source, pass) + telling, info, pass.kernel());
                kernels.put(key, known);
            } finally {
                tried.add(key);
            }
        }
        return known;
    }

    private String options(KernelSource source, JobSpec.Pass pass) {
        return (source.options() + " " + pass.variant(info.kind()).options()).trim();
    }

    /**
     * Compares a pass with its kernel.
     *
     * @throws LaneFailure if they do not fit
     */
    void check(JobSpec.Phase phase, JobSpec.Pass pass) {
        requireImages(phase, pass); // of which a device that has none cannot even be asked
        ClKernel kernel = get(phase, pass);
        KernelSource source = Objects.requireNonNull(phase.source());
        String options = options(source, pass);
        List<Parameter> explained = ArgumentCheck.explained(
                phase,
                pass,
                kernel.parameters(),
                type -> typeWords.computeIfAbsent(
                        List.of(type, source.digest(), options),
                        key -> SourceNames.of(source.text(), options).wordsOf(type)),
                type -> context.meaning(type, source, options, info));
        kernel.explain(explained);
        ArgumentCheck.check(phase, pass, explained, pass.variant(info.kind()).options());
        long[] required = kernel.requiredGroup();
        for (int i = 0; i < 3 && required[0] > 0 && !kernel.wantsSingleItems(); i++) {
            if (required[i] != Math.max(1, pass.group(info.kind(), i)) || pass.group(info.kind(), 0) == 0) {
                throw LaneFailure.declaration("kernel " + pass.kernel() + " wants groups of " + required[0] + " x "
                        + required[1] + " x " + required[2] + " work-items (reqd_work_group_size): give groupSize("
                        + required[0] + (required[1] * required[2] > 1 ? ", " + required[1] : "")
                        + (required[2] > 1 ? ", " + required[2] : "") + ")");
            }
        }
        requireFits(phase, pass, kernel, source);
    }

    /** Has another device do what this one has not the images for. */
    private void requireImages(JobSpec.Phase phase, JobSpec.Pass pass) {
        for (int i = pass.firstArgument(); i < pass.endArgument(); i++) {
            if (phase.arguments().get(i) instanceof Argument.Buffer b && b.image() != null) {
                String problem = context.imageProblem(info, b.image(), b.read(), b.written());
                if (problem != null) {
                    throw new LaneFailure(
                            Kind.BUILD,
                            phase.describe(i) + " is an " + b.image() + ", which device " + info.id() + " has not: "
                                    + problem);
                }
            }
        }
    }

    /** Compares with what the device takes of a launch, which {@link ClCommands#kernel} does again with what is launched. */
    private void requireFits(JobSpec.Phase phase, JobSpec.Pass pass, ClKernel kernel, KernelSource source) {
        long local = 0;
        long parameters = 0;
        int constants = 0;
        long largest = 0;
        long units = Long.MAX_VALUE;
        for (int i = 0; i < pass.arguments(); i++) {
            Argument argument = phase.arguments().get(pass.firstArgument() + i);
            if (argument instanceof Argument.Local l) {
                local = Math.min(Long.MAX_VALUE / 2, local + localBytes(pass, l));
            }
            boolean constant = kernel.parameters().get(i).space() == ClKernel.Space.CONSTANT;
            constants += constant ? 1 : 0;
            if (constant && ArgumentCheck.argument(phase, pass, i) instanceof Argument.Buffer b) {
                boolean all = phase.seesJob() || b.bytesPerUnit() == 0;
                largest = Math.max(largest, all ? b.range().byteSize() : b.bytesAlways() + b.bytesPerUnit());
                units = all
                        ? units
                        : Math.min(units, (kernel.mostConstantBytes() - b.bytesAlways()) / b.bytesPerUnit());
            }
            parameters += ArgumentCheck.bytesOf(argument);
        }
        kernel.requireConstants(constants, largest);
        if (units < Long.MAX_VALUE) {
            mostUnits.merge(key(source, phase, pass), units, Math::min); // of jobs with other slices, the least
        }
        boolean open = pass.group(info.kind(), 0) == 0;
        if (kernel.mayExceedStack()) {
            findDeclared(pass, kernel, source, open, local);
        }
        if (open
                && !kernel.wantsSingleItems()
                && (local > 0
                        || (kernel.hasLocalMemory() // some drivers need some
                                && KernelText.mayHaveLocals(source, pass.kernel())))) {
            throw LaneFailure.declaration(
                    "kernel " + pass.kernel() + " has local memory, but the size of its groups is left"
                            + " open on " + info.kind()
                            + " devices, where it may then be any: give groupSize(n), or a Variant with"
                            + " one");
        }
        long[] group = open
                ? null
                : IntStream.range(0, 3)
                        .mapToLong(i -> Math.max(1, pass.group(info.kind(), i)))
                        .toArray();
        kernel.require(group, local, parameters);
    }

    /**
     * Has a kernel know how large the memory is that its text declares, as far as that and its compiler tell; at most,
     * where nothing depends on how much less it is.
     *
     * @param open whether the size of its groups is, so that it may have no local memory
     * @param local bytes of local arguments
     */
    private void findDeclared(JobSpec.Pass pass, ClKernel kernel, KernelSource source, boolean open, long local) {
        String options = options(source, pass);
        List<String> key =
                List.of(pass.kernel(), source.digest(), options, info.platform(), info.name(), info.driver());
        boolean localIsTold = kernel.tellsLocalMemory();
        Declared known = DECLARED.get(key);
        Declared bytes = known == null ? atMost(pass.kernel(), localIsTold, declared(source, options)) : known;
        long items = open ? 0 : groupItems(pass);
        boolean will = bytes != null
                && (bytes.exact()
                        || (!(open && bytes.locals() > 0)
                                && kernel.hasRoom(items, bytes.privates(), bytes.locals() + local)));
        if (!will) {
            bytes = bytesOf(pass.kernel(), localIsTold, declared(source, options), source, options);
        }
        DECLARED.put(key, bytes);
        kernel.setDeclared(bytes.privates(), bytes.locals());
    }

    /** What a text declares: the last one is kept, as its kernels mostly come one behind the other. */
    private DeclaredMemory declared(KernelSource source, String options) {
        return declared.computeIfAbsent(
                List.of(source.digest(), options), key -> DeclaredMemory.of(source.text(), options));
    }

    /** By the text alone; null if that does not tell. */
    private static @Nullable Declared atMost(String kernel, boolean localIsTold, DeclaredMemory declared) {
        List<String> arrays = declared.privates(kernel);
        List<String> shared = localIsTold ? List.of() : declared.locals(kernel);
        double privates = declared.atMost(arrays);
        double locals = declared.atMost(shared);
        boolean none = arrays.isEmpty() && shared.isEmpty(); // of which there is nothing to ask
        return privates + locals < Integer.MAX_VALUE ? new Declared((long) privates, (long) locals, none) : null;
    }

    /** By what the compiler says. */
    private Declared bytesOf(
            String kernel, boolean localIsTold, DeclaredMemory declared, KernelSource source, String options) {
        long[] told = context.demanded(
                declared.asks(kernel), KernelSource.of(source.name(), declared.asking()), options, info);
        if (told != null) {
            return new Declared(told[0] - 1, told[1] - 1, true);
        }
        if (bytes(List.of(), declared, source, options) < 0) { // a text that says nothing without its functions
            return new Declared(0, 0, true);
        }
        return new Declared(
                sum(declared.privates(kernel), declared, source, options),
                localIsTold ? 0 : sum(declared.locals(kernel), declared, source, options),
                true);
    }

    /** Without those that the compiler does not know outside of their functions. */
    private long sum(List<String> some, DeclaredMemory declared, KernelSource source, String options) {
        return some.stream()
                .mapToLong(each -> Math.max(0, bytes(List.of(each), declared, source, options)))
                .sum();
    }

    private long bytes(List<String> some, DeclaredMemory declared, KernelSource source, String options) {
        KernelSource text = KernelSource.of(source.name(), declared.asking(some));
        long[] told = context.demanded(DeclaredMemory.ASKS, text, options, info);
        return told == null ? -1 : told[0] - 1;
    }

    private List<Object> key(KernelSource source, JobSpec.Phase phase, JobSpec.Pass pass) {
        String options = pass.variant(info.kind()).options();
        Space space = phase.space();
        return List.of(source.digest(), options, pass.kernel(), told(phase, pass), space.along(), space.offsets());
    }

    /** Whether the kernels of a phase were made, as far as they can be; any thread. */
    boolean tried(JobSpec.Phase phase) {
        KernelSource source = phase.source(); // without one there is nothing to build
        if (source != null) {
            for (JobSpec.Pass pass : phase.passes()) {
                if (!tried.contains(key(source, phase, pass))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The most units of a chunk for what its kernels have in constant memory, as far as they were built; any thread. */
    long mostUnits(JobSpec.Phase phase) {
        long most = Long.MAX_VALUE;
        KernelSource source = phase.source();
        if (!mostUnits.isEmpty() && source != null) {
            for (JobSpec.Pass pass : phase.passes()) {
                most = Math.min(most, mostUnits.getOrDefault(key(source, phase, pass), Long.MAX_VALUE));
            }
        }
        return most;
    }

    /** Sets an argument of a launch over a chunk, if that is no memory but the group's; false if it is. */
    boolean set(
            ClKernel kernel, int index, JobSpec job, JobSpec.Phase phase, JobSpec.Pass pass, long first, int units) {
        Argument argument = phase.arguments().get(pass.firstArgument() + index);
        if (argument instanceof Argument.Scalar s) {
            kernel.set(index, s.value());
        } else if (argument instanceof Argument.Sampler s) {
            kernel.set(index, context.sampler(s.value()));
        } else if (argument instanceof Argument.Value v) {
            kernel.set(index, v.bytes());
        } else if (argument instanceof Argument.Local l) {
            kernel.setLocal(index, localBytes(pass, l));
        } else if (argument instanceof Argument.ChunkStart) {
            kernel.set(index, phase.seesJob() ? 0 : first);
        } else if (argument instanceof Argument.ChunkUnits) {
            long number = phase.seesJob() ? job.units() : units;
            if (kernel.takesLong(index)) {
                kernel.set(index, number);
            } else {
                kernel.set(index, (int) number);
            }
        } else {
            return false;
        }
        return true;
    }

    private long localBytes(JobSpec.Pass pass, Argument.Local local) {
        long count = local.count().applyAsLong(groupItems(pass));
        if (count < 1) {
            throw LaneFailure.declaration(
                    "kernel " + pass.kernel() + ": local memory of " + count + " elements; there must be at least 1");
        }
        return Math.min(count, Long.MAX_VALUE / 16) * local.type().bytes();
    }

    private long groupItems(JobSpec.Pass pass) {
        long items = 1;
        for (int i = 0; i < 3; i++) {
            items *= Math.max(1, pass.group(info.kind(), i));
        }
        return items;
    }

    /**
     * For the checking mode: groups have this size, where that is left open and as far as items make whole ones; {@link #OTHER} for
     * another one than usual, 0 for the usual one.
     */
    public void otherGroups(int size) {
        otherGroups = size;
        checking = true;
    }

    /** For the checking mode: sizes that groups of a phase may have, if a kernel that leaves its own open asks for anything of them. */
    public List<Integer> sizesToTry(JobSpec.Phase phase) {
        boolean open = phase.passes().stream().anyMatch(pass -> pass.group(info.kind(), 0) == 0);
        boolean asks = phase.source() != null
                && phase.passes().stream().anyMatch(pass -> asks(phase, pass).ofGroups());
        return open && asks ? SIZES : List.of();
    }

    /** Fewest units that make whole groups of the size that is chosen here, where that is left open and no kernel asks for it; else 1. */
    long unitsOfGroups(JobSpec.Phase phase) {
        long units = 1;
        for (JobSpec.Pass pass : phase.passes()) {
            Variant variant = pass.variant(info.kind());
            if (info.kind() == DeviceKind.CPU
                    && pass.group(info.kind(), 0) == 0
                    && phase.space().dimensions() == 1
                    && variant.groups() == 0
                    && !asks(phase, pass).ofGroups()) {
                long own = GROUP * (long) variant.unitsPerItem();
                while (own * variant.itemsPerUnit() / variant.unitsPerItem() % (2 * GROUP) == 0 && own % 2 == 0) {
                    own /= 2;
                }
                units = Math.max(units, own);
            }
        }
        return units;
    }

    /** Enqueues a kernel over a chunk that begins with a unit. */
    void launch(
            ClCommands commands,
            JobSpec job,
            JobSpec.Phase phase,
            JobSpec.Pass pass,
            ClKernel kernel,
            long first,
            int units) {
        Variant variant = pass.variant(info.kind());
        Space space = job.space();
        boolean fixed = variant.groups() > 0; // in one dimension, whatever the units
        along = fixed ? 0 : space.along();
        boolean open = pass.group(info.kind(), 0) == 0 && !kernel.wantsSingleItems();
        boolean told = told(phase, pass) > 0;
        boolean line = fixed || space.dimensions() == 1;
        mostItems = open ? kernel.mostItems() : LARGEST;
        int most = loopsEndEarly ? Integer.MAX_VALUE : info.computeUnits();
        for (int i = 0; i < 3; i++) {
            group[i] = Math.max(1, pass.group(info.kind(), i));
            offset[i] = 0;
            global[i] = i == along
                    ? up((long) units * variant.itemsPerUnit(), group[i])
                    : fixed ? 1 : up(space.sizes().get(i), group[i]);
        }
        long all = up((phase.seesJob() ? job.units() : units) * variant.itemsPerUnit(), group[along]);
        if (line) {
            // A cap would have each work-item loop over more units, for as many rounds as there are.
            global[along] = variant.globalSize(units, most);
            all = phase.seesJob() ? variant.globalSize(job.units(), most) : global[along];
        }
        offset[along] = phase.seesJob() ? first * variant.itemsPerUnit() / variant.unitsPerItem() : 0;
        dimensions = told ? 3 : line ? 1 : space.dimensions();
        carried = told ? all : 0;
        numbered = told && asks(phase, pass).ofGroups();
        boolean choose = open && (otherGroups != 0 || info.kind() == DeviceKind.CPU || numbered);
        if (!choose) {
            launch(commands, kernel, 0, global[0], open ? 0 : group[0]);
        } else if (line || along == 0) {
            inGroups(commands, kernel, global[0]);
        } else if (otherGroups != 0) {
            launch(commands, kernel, 0, global[0], divisor(global[0], Math.max(1, otherGroups)));
        } else {
            inRows(commands, kernel, global[0], told);
        }
    }

    /**
     * Of how many dimensions a kernel is told by what {@link Programs} puts in front of its text: of none, unless it may ask for more than
     * its index, and gets a part of the work, or one that may be launched in two parts.
     */
    private int told(JobSpec.Phase phase, JobSpec.Pass pass) {
        boolean twice = pass.group(info.kind(), 0) == 0 && (checking || info.kind() == DeviceKind.CPU);
        boolean is = (phase.seesJob() || twice)
                && (phase.space().hasOffsets() || asks(phase, pass).ofLaunch());
        return is ? phase.space().dimensions() : 0;
    }

    private Asked asks(JobSpec.Phase phase, JobSpec.Pass pass) {
        KernelSource source = Objects.requireNonNull(phase.source());
        String options = pass.variant(info.kind()).options();
        List<String> text = List.of(source.digest(), options, pass.kernel());
        Asked known = asks.get(text);
        if (known == null) {
            SourceNames names = SourceNames.of(source.text(), options(source, pass));
            known = new Asked(names.mayAskOfLaunch(), KernelText.mayAskOfGroups(names, pass.kernel()));
            asks.put(text, known);
        }
        return known;
    }

    private static long up(long size, long group) {
        return (size + group - 1) / group * group;
    }

    /** Of fewer items in a launch, groups chosen for a CPU have one each. */
    long fewItems() {
        return (long) GROUP * GROUPS_PER_UNIT * info.computeUnits();
    }

    /** The items of the second launch count on, so a kernel sees no difference. */
    private void inGroups(ClCommands commands, ClKernel kernel, long items) {
        boolean enough = items >= fewItems();
        boolean other = otherGroups == OTHER;
        boolean single = other ? enough || info.kind() != DeviceKind.CPU : !enough && info.kind() == DeviceKind.CPU;
        long chosen = single ? 1 : other ? OTHER_GROUP : GROUP;
        long size = Math.min(mostItems, otherGroups > 0 ? otherGroups : chosen);
        if (numbered && offset[0] > 0) { // of which the first group must have a number
            size = Math.min(size, Long.lowestOneBit(offset[0]));
        }
        long whole = items - items % size;
        if (whole > 0) {
            launch(commands, kernel, 0, whole, size);
        }
        if (whole < items) {
            launch(commands, kernel, whole, items - whole, 1);
        }
    }

    /**
     * Groups within a row, in one launch where a group of a good size divides it, else in two: groups of {@link #GROUP}, and the
     * rest of each row as one group large enough to be vectorised. Single items would take up to ten times as long. The choice
     * does not depend on the number of rows, so that no chunk brings a size of its own.
     *
     * @param whole whether there must be one launch, because the kernel asks how long a row is
     */
    private void inRows(ClCommands commands, ClKernel kernel, long columns, boolean whole) {
        long divisor = divisor(columns, LARGEST);
        if (whole || mostItems < LARGEST || divisor >= Math.min(SMALLEST, columns)) {
            launch(commands, kernel, 0, columns, divisor);
        } else {
            long rest = columns % GROUP < SMALLEST ? columns % GROUP + GROUP : columns % GROUP;
            launch(commands, kernel, 0, columns - rest, GROUP);
            launch(commands, kernel, columns - rest, rest, rest);
        }
    }

    /** The largest group that divides a row, up to a size. */
    private long divisor(long columns, long most) {
        long group = Math.min(columns, Math.min(mostItems, most));
        while (columns % group != 0) {
            group--;
        }
        return group;
    }

    /**
     * One launch over all of the present sizes, but for a part of the first dimension.
     *
     * @param size work-items of a group in that dimension; 0 has the driver choose
     */
    private void launch(ClCommands commands, ClKernel kernel, long from, long items, long size) {
        long[] offsets = this.offsets[dimensions - 1];
        long[] sizes = this.sizes[dimensions - 1];
        long[] groups = this.groups[dimensions - 1];
        boolean any = carried > 0;
        for (int i = 0; i < dimensions; i++) {
            offsets[i] = offset[i] + (i == 0 ? from : 0);
            sizes[i] = i == 0 ? items : global[i];
            groups[i] = i == 0 ? size : group[i];
            any |= offsets[i] > 0;
        }
        if (carried > 0) { // where the text in front of the kernel's looks for it
            offsets[along == 0 ? 1 : 0] = carried;
            offsets[along == 2 ? 1 : 2] = size == 0 ? 0 : offsets[along] / groups[along];
        }
        commands.kernel(kernel, any ? offsets : null, sizes, size == 0 ? null : groups);
    }

    @Override
    public void close() {
        kernels.values().forEach(ClKernel::close);
        kernels.clear();
    }
}
