package dev.evener.internal.cl;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.internal.device.DevicePart;
import dev.evener.internal.recovery.LaneFailure;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jocl.CL;
import org.jocl.cl_device_id;
import org.jocl.cl_platform_id;
import org.jspecify.annotations.Nullable;

/**
 * A device and its handles. Immutable; any thread.
 *
 * @param exactDivision whether it can be asked for correctly rounded division and square root
 * @param platformVersion the platform's version, which a program binary depends on
 */
public record ClDevice(
        cl_platform_id platform, cl_device_id handle, DeviceInfo info, boolean exactDivision, String platformVersion) {

    /** {@code CL_DEVICE_TYPE_ALL}; JOCL's own constant is sign-extended to -1, which Rusticl refuses. */
    private static final long ALL_TYPES = 0xFFFFFFFFL;

    private static final int WORK_GROUP_MULTIPLE = 0x1067; // CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, OpenCL 3.0
    private static final int NV_WARP_SIZE = 0x4003;
    private static final int NV_PCI_BUS = 0x4008;
    private static final int NV_PCI_SLOT = 0x4009;
    private static final int NV_PCI_DOMAIN = 0x400A;
    private static final int KHR_PCI_BUS_INFO = 0x410F;
    private static final int KHR_UUID = 0x106A;
    private static final int UUID_BYTES = 16;

    private static boolean poclCanBuild; // as was found; guarded by the lock

    /** As all name it. */
    public String id() {
        return info.id();
    }

    /** Every device of every platform, in the order the OpenCL library lists them; empty if there is no OpenCL. */
    public static List<ClDevice> all() {
        return all(new ArrayList<>());
    }

    /**
     * The same. One thread at a time: while PoCL 6 sets its devices up for one, it tells another one that there are none.
     *
     * @param problems takes why there are no others, in one line each; not of a platform that has none by itself, as a GPU's without a GPU
     */
    public static List<ClDevice> all(List<String> problems) {
        synchronized (ClLibrary.JVM) {
            String problem = ClLibrary.problem();
            if (problem != null) {
                problems.add(problem);
                return List.of();
            }
            return list(problems);
        }
    }

    /** The one with an id; a part of a device is none of them. */
    public static Optional<ClDevice> find(String id) {
        return all().stream().filter(device -> device.id().equals(id)).findFirst();
    }

    private static List<ClDevice> list(List<String> problems) {
        List<ClDevice> devices = new ArrayList<>();
        int[] count = new int[1];
        int status = Cl.status(() -> CL.clGetPlatformIDs(0, null, count));
        if (status != CL.CL_SUCCESS || count[0] <= 0) {
            String vendors = System.getenv().getOrDefault("OCL_ICD_VENDORS", "");
            String[] drivers = new File(vendors).list((folder, file) -> file.endsWith(".icd"));
            if (!vendors.endsWith("/") && drivers != null && drivers.length > 0) {
                problems.add("no OpenCL platform was found; some loaders want a slash at the end of OCL_ICD_VENDORS="
                        + vendors);
            }
            return devices;
        }
        List<Hardware> hardware = new ArrayList<>();
        cl_platform_id[] platforms = new cl_platform_id[count[0]];
        Cl.check("listing platforms", () -> CL.clGetPlatformIDs(platforms.length, platforms, null));
        for (int p = 0; p < platforms.length; p++) {
            cl_platform_id platform = platforms[p];
            String which = "platform " + p + " (" + platformText(platform, CL.CL_PLATFORM_NAME) + ")";
            String version = platformText(platform, CL.CL_PLATFORM_VERSION);
            boolean pocl = version.contains("PoCL");
            String problem = null;
            String noCpu = null;
            if (pocl && !poclCanBuild) {
                problem = PoclNeeds.cacheProblem(System.getenv(), Files::isExecutable);
                noCpu = PoclNeeds.linkerProblem(version, System.getenv());
                poclCanBuild = problem == null && noCpu == null;
            }
            if (problem == null) {
                // "Device not found" leaves garbage in the count: only a success counts.
                status = Cl.status(() -> CL.clGetDeviceIDs(platform, ALL_TYPES, 0, null, count));
                if (status == CL.CL_SUCCESS && count[0] > 0) {
                    if (addDevices(devices, hardware, platform, p, count[0], noCpu != null)) {
                        problems.add(which + " has no CPU device: " + noCpu);
                    }
                    continue;
                } else if (status == CL.CL_DEVICE_NOT_FOUND && !pocl) {
                    continue;
                }
                problem = "clGetDeviceIDs answers " + CL.stringFor_errorCode(status) + " (" + status + ")";
            }
            problems.add(which + " has no device: " + problem);
        }
        List<String> physical = Hardware.identify(hardware);
        for (int i = 0; i < devices.size(); i++) {
            ClDevice device = devices.get(i);
            devices.set(i, device.with(device.info().withPhysical(physical.get(i))));
        }
        return devices;
    }

    /** @return whether a CPU was left out, as shall be */
    @SuppressWarnings("deprecation") // CL_DEVICE_HOST_UNIFIED_MEMORY: the only question about it that 1.x devices know
    private static boolean addDevices(
            List<ClDevice> devices,
            List<Hardware> hardware,
            cl_platform_id platform,
            int p,
            int count,
            boolean withoutCpus) {
        boolean leftOut = false;
        cl_device_id[] handles = new cl_device_id[count];
        Cl.check("listing devices", () -> CL.clGetDeviceIDs(platform, ALL_TYPES, handles.length, handles, null));
        String platformName = platformText(platform, CL.CL_PLATFORM_NAME);
        String platformVersion = platformText(platform, CL.CL_PLATFORM_VERSION);
        for (int d = 0; d < handles.length; d++) {
            cl_device_id handle = handles[d];
            if (Cl.deviceNumber(handle, CL.CL_DEVICE_AVAILABLE, 1) == 0
                    || Cl.deviceNumber(handle, CL.CL_DEVICE_COMPILER_AVAILABLE, 1) == 0) {
                continue; // a device without a compiler cannot run jobs that bring source
            }
            String name = orUnknown(Cl.deviceText(handle, CL.CL_DEVICE_NAME));
            DeviceKind kind = kind(Cl.deviceNumber(handle, CL.CL_DEVICE_TYPE, 0));
            if (withoutCpus && kind == DeviceKind.CPU) {
                leftOut = true;
                continue;
            }
            Hardware known = hardware(handle, p, platformVersion.contains("PoCL"), kind, name);
            DeviceInfo info = new DeviceInfo(
                    p + "." + d,
                    platformName,
                    name,
                    kind,
                    orUnknown(Cl.deviceText(handle, CL.CL_DRIVER_VERSION)),
                    (int) Cl.deviceNumber(handle, CL.CL_DEVICE_MAX_COMPUTE_UNITS, 1),
                    Cl.deviceNumber(handle, CL.CL_DEVICE_GLOBAL_MEM_SIZE, 0),
                    Cl.deviceNumber(handle, CL.CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0),
                    (int) Math.max(1, Cl.deviceNumber(handle, CL.CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8192) / 8),
                    (int) Cl.deviceNumber(handle, CL.CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 0),
                    workGroupMultiple(handle, kind),
                    (int) Cl.deviceNumber(handle, CL.CL_DEVICE_MAX_CLOCK_FREQUENCY, 0),
                    kind == DeviceKind.CPU || Cl.deviceNumber(handle, CL.CL_DEVICE_HOST_UNIFIED_MEMORY, 0) != 0,
                    "", // known when all devices are
                    known.uuid(),
                    known.pci());
            devices.add(new ClDevice(platform, handle, info, exactDivision(handle), platformVersion));
            hardware.add(known);
        }
        return leftOut;
    }

    private static String platformText(cl_platform_id platform, int what) {
        return orUnknown(
                Cl.text((bytes, target, needed) -> CL.clGetPlatformInfo(platform, what, bytes, target, needed)));
    }

    private static DeviceKind kind(long type) {
        if ((type & CL.CL_DEVICE_TYPE_CPU) != 0) {
            return DeviceKind.CPU;
        }
        return (type & CL.CL_DEVICE_TYPE_GPU) != 0 ? DeviceKind.GPU : DeviceKind.ACCELERATOR;
    }

    private static boolean exactDivision(cl_device_id handle) {
        return (Cl.deviceNumber(handle, CL.CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL.CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
                != 0;
    }

    private static int workGroupMultiple(cl_device_id handle, DeviceKind kind) {
        int usual = kind == DeviceKind.GPU ? 64 : 16; // the widest common wavefront; the floats of a 64-byte vector
        long ofNvidia = Cl.devicePositive(handle, NV_WARP_SIZE, usual);
        return (int) Math.min(1024, Cl.devicePositive(handle, WORK_GROUP_MULTIPLE, ofNvidia));
    }

    /** What the platform tells of the hardware; where it says that it tells nothing, an answer is not asked for: PoCL gives zeros. */
    private static Hardware hardware(cl_device_id handle, int platform, boolean pocl, DeviceKind kind, String name) {
        String extensions = " " + orUnknown(Cl.deviceText(handle, CL.CL_DEVICE_EXTENSIONS)) + " ";
        String uuid = null;
        ByteBuffer told =
                pocl || !extensions.contains(" cl_khr_device_uuid ") // PoCL makes its own of the device's number
                        ? null
                        : Cl.deviceAnswer(handle, KHR_UUID, UUID_BYTES);
        if (told != null) {
            told.order(ByteOrder.BIG_ENDIAN); // as UUIDs are written
            UUID its = new UUID(told.getLong(0), told.getLong(Long.BYTES));
            uuid = its.equals(new UUID(0, 0)) ? null : its.toString();
        }
        String pci = null;
        ByteBuffer place = extensions.contains(" cl_khr_pci_bus_info ")
                ? Cl.deviceAnswer(handle, KHR_PCI_BUS_INFO, 4 * Integer.BYTES)
                : null;
        if (place != null) {
            pci = pci(place.getInt(0), place.getInt(4), place.getInt(8), place.getInt(12));
        } else if (extensions.contains(" cl_nv_device_attribute_query ")) {
            long bus = Cl.deviceNumber(handle, NV_PCI_BUS, -1);
            long slot = Cl.deviceNumber(handle, NV_PCI_SLOT, 0);
            long domain = Cl.deviceNumber(handle, NV_PCI_DOMAIN, 0);
            if (bus >= 0) { // NVIDIA packs device and function into the slot, PoCL gives the device alone
                pci = pocl ? pci(domain, bus, slot, 0) : pci(domain, bus, slot >> 3, slot & 7);
            }
        }
        return new Hardware(platform, kind, name, uuid, pci);
    }

    private static String pci(long domain, long bus, long device, long function) {
        return String.format("%04x:%02x:%02x.%x", domain, bus, device, function);
    }

    private static String orUnknown(@Nullable String text) {
        return text == null || text.isEmpty() ? "unknown" : text;
    }

    /**
     * Whether its driver must not be used by JOCL's hidden threads, of which every non-blocking transfer has one: Oclgrind
     * runs commands in any thread that waits for one, and aborts the process when two do.
     */
    public boolean needsBlockingTransfers() {
        return info.platform().toLowerCase(Locale.ROOT).contains("oclgrind");
    }

    /**
     * Whether what its driver tells of a kernel's groups is exact, and they may be no larger. NVIDIA's tells 256 of kernels that run in groups of 1,024, Mesa 22's
     * Rusticl the width of llvmpipe's vectors; NVIDIA's tells a byte of local memory of kernels that have none, and llvmpipe takes more than it
     * tells. Both refuse by themselves what they cannot launch.
     */
    boolean tellsGroups() {
        return platformVersion.contains("PoCL");
    }

    /** Whether its driver compiles the last part of a kernel when it is first launched. */
    public boolean compilesAtLaunch() {
        return info.kind() == DeviceKind.CPU && platformVersion.contains("PoCL");
    }

    /** Whether groups run in the thread that launches them, on its stack; the other drivers of PoCL have threads of their own for that. */
    public boolean runsGroupsInCaller() {
        return compilesAtLaunch()
                && (info.name().startsWith("basic") || info.name().startsWith("cpu-minimal"));
    }

    /**
     * Tests it again after a failure, in a context of its own; a part of a device is not tested apart from that.
     *
     * @throws LaneFailure if it does not work
     */
    public void testAgain() {
        String wrong = isPart() ? null : SelfTest.run(this).problem();
        if (wrong != null && SelfTest.known(this).problem() == null) {
            throw new LaneFailure(LaneFailure.Kind.DEVICE, "it fails its self-test: " + wrong);
        }
    }

    /** The same device with a corrected description. */
    public ClDevice with(DeviceInfo corrected) {
        return part(handle, corrected);
    }

    /** A sub-device of it. */
    ClDevice part(cl_device_id subDevice, DeviceInfo description) {
        return new ClDevice(platform, subDevice, description, exactDivision, platformVersion);
    }

    /** Whether it is a sub-device, which has to be released. */
    public boolean isPart() {
        return !DevicePart.of(id()).isWhole();
    }
}
