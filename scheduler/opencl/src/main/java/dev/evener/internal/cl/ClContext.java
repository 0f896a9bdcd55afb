package dev.evener.internal.cl;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.KernelSource;
import dev.evener.image.Image;
import dev.evener.image.Sampler;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.ClKernel.Meaning;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_context;
import org.jocl.cl_device_id;
import org.jocl.cl_program;
import org.jspecify.annotations.Nullable;

/** A context shared by devices of one platform, with its programs. Thread-safe. */
public final class ClContext implements AutoCloseable {
    final cl_context handle;
    private final List<ClDevice> devices;
    private final List<Member> members;
    private final Programs programs;
    private final ClImages images;
    private final Map<List<String>, Meaning> meanings = new ConcurrentHashMap<>(); // of types, as they are asked for

    /** @param number for its programs */
    private record Member(ClDevice device, int number, LaunchLimits limits) {}

    /** The language's own, of which a value can be a parameter. */
    private static final List<String> TYPES = Stream.of(
                    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double")
            .flatMap(type -> Stream.of("", "2", "3", "4", "8", "16").map(width -> type + width))
            .toList();

    /** @param chosen devices of one platform; those that are parts belong to the context from now on */
    public ClContext(List<ClDevice> chosen) {
        devices = List.copyOf(chosen);
        try {
            handle = Cl.createContext(
                    devices.get(0).platform(),
                    devices.stream().map(ClDevice::handle).toArray(cl_device_id[]::new));
        } catch (RuntimeException e) {
            Fission.release(devices);
            throw e;
        }
        TransferThreads.retain();
        members = devices.stream()
                .map(device -> new Member(device, ProgramNumbers.take(device), LaunchLimits.of(device)))
                .toList();
        programs = new Programs(handle);
        images = new ClImages(handle);
    }

    /** Those that share it. */
    public List<ClDevice> devices() {
        return devices;
    }

    public ClQueue queue(ClDevice device) {
        return new ClQueue(this, device, NativeLedger.Kind.QUEUE, true);
    }

    /** A queue of whose commands no times are known. */
    ClQueue untimedQueue(ClDevice device) {
        return new ClQueue(this, device, NativeLedger.Kind.QUEUE, false);
    }

    /** A queue that maps page-locked memory, counted with it. */
    public ClQueue pageLockingQueue(ClDevice device) {
        return new ClQueue(this, device, NativeLedger.Kind.PAGE_LOCKED, false);
    }

    /** Memory of a device's own; which one's is decided by its first use. */
    public DeviceBuffer allocate(long bytes) {
        return buffer(0, bytes, null, NativeLedger.Kind.BUFFER);
    }

    /** An image in memory of a device's own, with the uses that kernels make of it. */
    public DeviceBuffer image(Image.Shape shape, boolean read, boolean written) {
        return images.make(shape, read, written);
    }

    /** Why one of its devices has no such image; null if it does. */
    public @Nullable String imageProblem(DeviceInfo info, Image.Shape shape, boolean read, boolean written) {
        ClDevice device = member(info).device();
        String problem = images.problem(device, shape, read, written);
        String wrong = problem != null ? problem : ImageTest.problem(this, device, shape.format());
        return wrong.isEmpty() ? null : wrong;
    }

    /** A sampler, which stays the context's. */
    public ClSampler sampler(Sampler sampler) {
        return images.sampler(sampler);
    }

    /** Host memory that devices transfer at full speed; of use only while it is {@linkplain ClQueue#map mapped}. */
    public DeviceBuffer allocatePageLocked(long bytes) {
        return buffer(CL.CL_MEM_ALLOC_HOST_PTR, bytes, null, NativeLedger.Kind.PAGE_LOCKED);
    }

    /** The same of memory that is there, all of it. */
    public DeviceBuffer pageLocked(ByteBuffer memory) {
        return buffer(CL.CL_MEM_USE_HOST_PTR, memory.capacity(), Pointer.to(memory), NativeLedger.Kind.PAGE_LOCKED);
    }

    /** A buffer over host memory from a place on, which a device works on in place if it can. */
    public DeviceBuffer over(ByteBuffer memory, long from, long bytes) {
        Pointer host = Pointer.to(memory).withByteOffset(from);
        return buffer(CL.CL_MEM_USE_HOST_PTR, bytes, host, NativeLedger.Kind.BUFFER);
    }

    private DeviceBuffer buffer(long flags, long bytes, @Nullable Pointer host, NativeLedger.Kind kind) {
        return new DeviceBuffer(Cl.createBuffer(handle, CL.CL_MEM_READ_WRITE | flags, bytes, host), bytes, kind);
    }

    /**
     * A new kernel object, of a program built for all devices of that one's kind whose launches the driver keeps apart.
     *
     * @throws LaneFailure if the program does not build or has no such kernel
     */
    public ClKernel kernel(KernelSource source, String options, DeviceInfo info, String name) {
        Member its = member(info);
        cl_program program = programs.get(
                source,
                options + ProgramNumbers.option(its.number()),
                ofKind(info, member -> member.number() == its.number()));
        try {
            return new ClKernel(program, name, its.device(), its.limits());
        } catch (ClFailure e) {
            String names = Cl.text((bytes, target, needed) ->
                    CL.clGetProgramInfo(program, CL.CL_PROGRAM_KERNEL_NAMES, bytes, target, needed));
            if (e.kind() != Kind.DECLARATION || names == null || names.isEmpty()) {
                throw e;
            }
            String[] sorted = names.split(";");
            Arrays.sort(sorted);
            throw new LaneFailure(
                    Kind.DECLARATION,
                    e.getMessage() + "; the kernels of source " + source.name() + " are " + String.join(", ", sorted)
                            + BuildLog.builtIn(name),
                    e);
        }
    }

    private List<ClDevice> ofKind(DeviceInfo info, Predicate<Member> which) {
        return members.stream()
                .filter(member -> member.device().info().kind() == info.kind() && which.test(member))
                .map(Member::device)
                .toList();
    }

    private Member member(DeviceInfo info) {
        return members.stream()
                .filter(member -> member.device().id().equals(info.id()))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException(info.id()));
    }

    /** What a type is for which a source has a name. */
    public Meaning meaning(String type, KernelSource source, String options, DeviceInfo info) {
        return meanings.computeIfAbsent(List.of(type, source.digest(), options), key -> {
            boolean pointer = type.contains("*");
            String named = type.replaceAll("\\b(const|restrict|volatile|__\\w+)\\b|\\*", " ")
                    .trim();
            StringBuilder kinds = new StringBuilder("enum { evener_type = 0\n");
            for (int i = 0; i < TYPES.size(); i++) {
                String each = TYPES.get(i);
                String needs =
                        each.matches("half\\d+") ? "cl_khr_fp16" : each.startsWith("double") ? "cl_khr_fp64" : "";
                kinds.append(needs.isEmpty() ? "" : "#ifdef " + needs + "\n")
                        .append("+ " + (i + 1) + " * __builtin_types_compatible_p(" + named + ", " + each + ")\n")
                        .append(needs.isEmpty() ? "" : "#endif\n");
            }
            String kind = "evener_type > 0 ? evener_type : " + TYPES.size() + " + sizeof(" + named + ")";
            long said = told(kinds.append("};").toString(), kind, source, options, info);
            return said > TYPES.size() || said < 1
                    ? new Meaning(null, Math.max(0, said - TYPES.size()))
                    : new Meaning(TYPES.get((int) said - 1) + (pointer ? "*" : ""), 0);
        });
    }

    /**
     * How large work-groups have to be that a kernel is launched in, which is not meant to be.
     *
     * @return of each dimension, 0 where any will do; null if the text does not build
     */
    public long @Nullable [] demanded(String kernel, KernelSource source, String options, DeviceInfo info) {
        Member its = member(info);
        List<ClDevice> same = ofKind(info, member -> true);
        try (ClKernel asked = new ClKernel(programs.get(source, options, same), kernel, its.device(), its.limits())) {
            return asked.requiredGroup();
        } catch (EvenerException e) {
            return null;
        }
    }

    /**
     * The number that an expression is behind a source and declarations; 0 if the compiler does not tell. It is made to tell by the size
     * of work-groups that a kernel behind the text demands, which drivers can be asked for.
     */
    private long told(String declarations, String expression, KernelSource source, String options, DeviceInfo info) {
        String text = source.text() + "\n" + declarations + "\n__kernel __attribute__((reqd_work_group_size("
                + expression + ", 1, 1))) void evener_size(__global int *unused) { *unused = 0; }\n";
        long[] demanded = demanded("evener_size", KernelSource.of(source.name(), text), options, info);
        return demanded == null ? 0 : demanded[0];
    }

    /** Frees programs, context and sub-devices, after everything that was made with them. */
    @Override
    public void close() {
        programs.close();
        images.close();
        members.forEach(member -> ProgramNumbers.giveBack(member.device(), member.number()));
        TransferThreads.release();
        Cl.release(handle);
        Fission.release(devices);
    }
}
