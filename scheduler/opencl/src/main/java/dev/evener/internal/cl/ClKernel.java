package dev.evener.internal.cl;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_program;
import org.jspecify.annotations.Nullable;

/** A kernel object, and what its driver tells of its parameters. Belongs to one lane's thread. */
public final class ClKernel implements AutoCloseable {
    private static final int UNTOLD = -1;

    private static final Pattern LONG = Pattern.compile("\\b(u?long|size_t|ptrdiff_t)\\b");

    final cl_kernel handle;
    private final ByteBuffer scalar = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    private final Pointer scalarPointer = Pointer.to(scalar);
    private final cl_mem[] memory = new cl_mem[1];
    private final Pointer memoryPointer = Pointer.to(memory); // which is one for all memory that it is given
    private final String name;
    private final ClDevice device;
    private final LaunchLimits limits;
    private final boolean tellsLocal; // whether the driver says that it has some
    private long ownLocalBytes; // of a group, without arguments; 0 where drivers check that themselves
    private final long mostItems; // of a group, as the driver tells
    private long privateBytes; // of a work-item, as far as known
    private long[] sizes = new long[0]; // of the arguments that are set, by number: as parameters, then as local memory
    private @Nullable Object[] values = new Object[0]; // what they were set to, where that is compared
    private long parameterBytes; // of all
    private long localBytes;
    private long @Nullable [] required;
    private @Nullable BitSet longs; // which of its parameters are
    private @Nullable List<Parameter> parameters; // asked for once: a driver takes some microseconds for each answer

    /** Where what a parameter points to lies; a parameter that is no pointer is private. */
    public enum Space {
        /** The driver does not say. */
        UNKNOWN,
        GLOBAL,
        CONSTANT,
        LOCAL,
        PRIVATE;

        private static Space of(int qualifier) {
            return switch (qualifier) {
                case CL.CL_KERNEL_ARG_ADDRESS_GLOBAL -> GLOBAL;
                case CL.CL_KERNEL_ARG_ADDRESS_CONSTANT -> CONSTANT;
                case CL.CL_KERNEL_ARG_ADDRESS_LOCAL -> LOCAL;
                case CL.CL_KERNEL_ARG_ADDRESS_PRIVATE -> PRIVATE;
                default -> UNKNOWN;
            };
        }
    }

    /** What a kernel does with an image, as its parameter's qualifier says. */
    public enum ImageUse {
        READ_ONLY,
        WRITE_ONLY,
        READ_WRITE;

        private static @Nullable ImageUse of(int qualifier) {
            return switch (qualifier) {
                case CL.CL_KERNEL_ARG_ACCESS_READ_ONLY -> READ_ONLY;
                case CL.CL_KERNEL_ARG_ACCESS_WRITE_ONLY -> WRITE_ONLY;
                case CL.CL_KERNEL_ARG_ACCESS_READ_WRITE -> READ_WRITE;
                default -> null;
            };
        }

        /** As a text has it. */
        public String qualifier() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A parameter, as the driver describes it.
     *
     * @param type its type's name, such as {@code float4*}; null where the driver does not say
     * @param constant whether it points to what is {@code const}; null where the driver does not say
     * @param named how the text calls that type, if it has a name of its own for it
     * @param bytes of a value, where the type is not one of the language's own; 0 where that is not known
     * @param use of an image; null where it is none, or the driver does not say
     */
    public record Parameter(
            Space space,
            @Nullable String type,
            @Nullable Boolean constant,
            @Nullable String named,
            long bytes,
            @Nullable ImageUse use) {
        public Parameter(Space space, @Nullable String type, @Nullable Boolean constant) {
            this(space, type, constant, type, 0, null);
        }

        /** The same with what its type stands for. */
        public Parameter meaning(Meaning its) {
            return new Parameter(space, its.type() == null ? type : its.type(), constant, named, its.bytes(), use);
        }
    }

    /**
     * What a source's own name of a type stands for.
     *
     * @param type of the language, or null if it stands for none, or the compiler does not tell
     * @param bytes of a value; 0 if the compiler does not tell
     */
    public record Meaning(@Nullable String type, long bytes) {}

    ClKernel(cl_program program, String name, ClDevice device, LaunchLimits limits) {
        limits.requireName(name);
        this.name = name;
        this.device = device;
        this.limits = limits;
        handle = Cl.make(Kind.KERNEL, "creating kernel " + name, status -> CL.clCreateKernel(program, name, status));
        long told = toldLocalBytes();
        tellsLocal = told > 0;
        ownLocalBytes = device.tellsGroups() ? told : 0;
        mostItems = device.tellsGroups() ? groupInfo(CL.CL_KERNEL_WORK_GROUP_SIZE, Long.MAX_VALUE) : Long.MAX_VALUE;
    }

    /** How much local memory a group has, as the driver tells: of PoCL's those before 5, and of some with what arguments have. */
    public long toldLocalBytes() {
        return groupInfo(CL.CL_KERNEL_LOCAL_MEM_SIZE, 0);
    }

    private long groupInfo(int what, long otherwise) {
        return Cl.number(Long.BYTES, otherwise, askOfGroup(what));
    }

    private Cl.Query askOfGroup(int what) {
        return (bytes, target, needed) ->
                CL.clGetKernelWorkGroupInfo(handle, device.handle(), what, bytes, target, needed);
    }

    // ---- what its device takes of it ----

    /** Whether groups have local memory that is no argument. */
    public boolean hasLocalMemory() {
        return tellsLocal || ownLocalBytes > 0;
    }

    /** Whether the driver says so. */
    public boolean tellsLocalMemory() {
        return tellsLocal;
    }

    /** Whether the device has the private memory of a group's work-items in one place that may be too small for them. */
    public boolean mayExceedStack() {
        return limits.stackBytes() < Long.MAX_VALUE;
    }

    /**
     * Whether the device has room for a group with so many bytes of private memory for each work-item, and of local
     * memory.
     *
     * @param items of the group; 0 for all that it takes of a kernel without any
     */
    public boolean hasRoom(long items, long privates, long locals) {
        long wanted = items == 0 ? limits.mostItems(mostItems, 0) : items;
        return limits.mostItems(mostItems, privates) >= wanted && locals <= limits.localBytes();
    }

    /**
     * Tells how much memory its text declares, as far as known, or at most: of each work-item, and of a group, unless
     * the driver tells that.
     */
    public void setDeclared(long privates, long locals) {
        privateBytes = privates;
        ownLocalBytes = tellsLocal ? ownLocalBytes : locals;
    }

    /** The most work-items of a group. */
    public long mostItems() {
        return limits.mostItems(mostItems, privateBytes);
    }

    /**
     * Compares a launch with what the device takes.
     *
     * @param group work-items in each dimension; null where the driver chooses
     * @param local bytes of local arguments
     * @param parameters bytes of all arguments
     * @throws LaneFailure if it takes less; the message names the limit
     */
    public void require(long @Nullable [] group, long local, long parameters) {
        limits.require(name, group, mostItems, privateBytes, ownLocalBytes + local, parameters);
    }

    /** The same with the arguments that are set. Allocates nothing. */
    void require(long @Nullable [] group) {
        require(group, localBytes, parameterBytes);
    }

    /** What a launch with the arguments that are set needs, beside what the device has, in words. */
    String figures(long @Nullable [] group) {
        return limits.figures(
                name,
                group,
                mostItems,
                groupInfo(CL.CL_KERNEL_PRIVATE_MEM_SIZE, privateBytes),
                Math.max(ownLocalBytes, toldLocalBytes()),
                localBytes,
                parameterBytes);
    }

    /**
     * Compares the arguments in constant memory with what the device takes.
     *
     * @param largest bytes of the largest
     * @throws LaneFailure if the device takes fewer, or smaller ones
     */
    public void requireConstants(int arguments, long largest) {
        limits.requireConstants(name, arguments, largest);
    }

    /** The most bytes of an argument in constant memory. */
    public long mostConstantBytes() {
        return limits.constantBytes();
    }

    /** Counts an argument, with its bytes as a parameter and those of local memory. */
    private void count(int index, long parameter, long local) {
        if (sizes.length <= 2 * index + 1) {
            sizes = Arrays.copyOf(sizes, 2 * index + 16);
        }
        long counted = Math.min(local, LaunchLimits.MUCH); // of which no number of arguments makes a sum that overflows
        parameterBytes += parameter - sizes[2 * index];
        localBytes += counted - sizes[2 * index + 1];
        sizes[2 * index] = parameter;
        sizes[2 * index + 1] = counted;
        values = values.length < sizes.length / 2 ? Arrays.copyOf(values, sizes.length / 2) : values;
    }

    /** Sets an argument, unless it has just this value: chunks that follow one another differ in few of theirs. */
    private void set(int index, long bytes, Pointer pointer, Object value) {
        count(index, bytes, 0);
        // A memory object is told by its identity: another one may lie where one lay that was freed.
        if (values[index] != value && !(value instanceof Number && value.equals(values[index]))) {
            setAnew(index, bytes, pointer);
            values[index] = value;
        }
    }

    private void setAnew(int index, long bytes, @Nullable Pointer pointer) {
        values[index] = null;
        Cl.setArg(handle, index, bytes, pointer);
    }

    // ---- its parameters ----

    /** Its parameters, in their order. */
    public List<Parameter> parameters() {
        if (parameters == null) {
            parameters = askForParameters();
        }
        return parameters;
    }

    /** Has its parameters have types that the driver does not tell. */
    public void explain(List<Parameter> explained) {
        if (!explained.equals(parameters)) {
            parameters = List.copyOf(explained);
            longs = null;
        }
    }

    private List<Parameter> askForParameters() {
        ByteBuffer count = Cl.answer(Integer.BYTES);
        Cl.check(
                "asking for a kernel's arguments",
                () -> CL.clGetKernelInfo(handle, CL.CL_KERNEL_NUM_ARGS, Integer.BYTES, Pointer.to(count), null));
        List<Parameter> answers = new ArrayList<>();
        for (int i = 0; i < count.getInt(0); i++) {
            long qualifiers = Cl.number(Long.BYTES, UNTOLD, askOfArgument(i, CL.CL_KERNEL_ARG_TYPE_QUALIFIER));
            String type = Cl.text(askOfArgument(i, CL.CL_KERNEL_ARG_TYPE_NAME));
            long space = Cl.number(Integer.BYTES, UNTOLD, askOfArgument(i, CL.CL_KERNEL_ARG_ADDRESS_QUALIFIER));
            long use = Cl.number(Integer.BYTES, UNTOLD, askOfArgument(i, CL.CL_KERNEL_ARG_ACCESS_QUALIFIER));
            String named = type == null || type.isEmpty() ? null : type;
            Boolean constant = qualifiers == UNTOLD ? null : (qualifiers & CL.CL_KERNEL_ARG_TYPE_CONST) != 0;
            answers.add(new Parameter(Space.of((int) space), named, constant, named, 0, ImageUse.of((int) use)));
        }
        return List.copyOf(answers);
    }

    private Cl.Query askOfArgument(int index, int what) {
        return (bytes, target, needed) -> CL.clGetKernelArgInfo(handle, index, what, bytes, target, needed);
    }

    public void set(int index, DeviceBuffer buffer) {
        memory[0] = buffer.handle;
        set(index, Sizeof.cl_mem, memoryPointer, buffer.handle);
    }

    public void set(int index, ClSampler sampler) {
        set(index, Sizeof.cl_sampler, sampler.pointer, sampler);
    }

    /** Whether a parameter is known to be an integer of 64 bits. */
    public boolean takesLong(int index) {
        if (longs == null) { // once: it is asked at each launch
            longs = new BitSet();
            for (int i = 0; i < parameters().size(); i++) {
                String type = parameters().get(i).type();
                longs.set(i, type != null && LONG.matcher(type).find());
            }
        }
        return longs.get(index);
    }

    /** Work-items of a group in each dimension, if the kernel wants so many, else zeros. */
    public long[] requiredGroup() {
        if (required == null) {
            ByteBuffer sizes = Cl.answer(3 * Long.BYTES, askOfGroup(CL.CL_KERNEL_COMPILE_WORK_GROUP_SIZE));
            required = new long[3];
            if (sizes != null) {
                sizes.asLongBuffer().get(required);
            }
        }
        return required;
    }

    /** Whether groups are known to have one work-item each, as the kernel wants it. */
    public boolean wantsSingleItems() {
        return required != null && required[0] == 1 && required[1] == 1 && required[2] == 1;
    }

    /** Sets a struct or vector. */
    public void set(int index, ByteBuffer value) {
        count(index, value.remaining(), 0);
        setAnew(index, value.remaining(), Pointer.to(value));
    }

    /** Sets so many bytes of memory of each work-group. */
    public void setLocal(int index, long bytes) {
        count(index, Long.BYTES, bytes);
        setAnew(index, bytes, null);
    }

    public void set(int index, int value) {
        scalar.putInt(0, value);
        set(index, Integer.BYTES, scalarPointer, value);
    }

    public void set(int index, long value) {
        scalar.putLong(0, value);
        set(index, Long.BYTES, scalarPointer, value);
    }

    /** Sets a scalar of the number's own type: a char, a short, an int, a float, a double, or else a long. */
    public void set(int index, Number value) {
        if (value instanceof Byte || value instanceof Short) {
            // Of which the lower bytes come first: JOCL is for little-endian machines only.
            scalar.putLong(0, value.longValue());
            set(index, value instanceof Byte ? Byte.BYTES : Short.BYTES, scalarPointer, value);
        } else if (value instanceof Integer i) {
            set(index, i.intValue());
        } else if (value instanceof Float f) {
            set(index, Float.floatToRawIntBits(f));
        } else if (value instanceof Double d) {
            set(index, Double.doubleToRawLongBits(d));
        } else {
            set(index, value.longValue());
        }
    }

    @Override
    public void close() {
        NativeLedger.freed(Kind.KERNEL);
        Cl.succeeds(() -> CL.clReleaseKernel(handle));
    }
}
