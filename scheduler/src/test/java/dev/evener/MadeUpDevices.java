package dev.evener;

/** Descriptions of devices that need not be there. */
public final class MadeUpDevices {
    public static final String POCL = "Portable Computing Language";
    public static final String NVIDIA = "NVIDIA CUDA";
    public static final String RUSTICL = "rusticl";

    private MadeUpDevices() {}

    /** A CPU with 128-byte alignment. */
    public static DeviceInfo cpu(String id, String platform) {
        return device(id, platform, "cpu of " + platform, DeviceKind.CPU, 128, 64, 16, "cpu");
    }

    /** A GPU with 512-byte alignment. */
    public static DeviceInfo gpu(String id, String platform, String physical) {
        return device(id, platform, "gpu of " + platform, DeviceKind.GPU, 512, 128, 32, physical);
    }

    /** A GPU whose driver tells its UUID and place. */
    public static DeviceInfo gpu(String id, String platform, String uuid, String pci) {
        DeviceInfo gpu = gpu(id, platform, "pci " + pci);
        return new DeviceInfo(
                gpu.id(),
                gpu.platform(),
                gpu.name(),
                gpu.kind(),
                gpu.driver(),
                gpu.computeUnits(),
                gpu.memoryBytes(),
                gpu.maxAllocationBytes(),
                gpu.alignmentBytes(),
                gpu.cacheLineBytes(),
                gpu.workGroupMultiple(),
                gpu.clockMhz(),
                gpu.sharesHostMemory(),
                gpu.physical(),
                uuid,
                pci);
    }

    /** The JVM lane's. */
    public static DeviceInfo jvm() {
        return device("jvm", "Java", "JVM", DeviceKind.JVM, 64, 64, 1, "cpu");
    }

    /** Any device. */
    public static DeviceInfo device(
            String id,
            String platform,
            String name,
            DeviceKind kind,
            int alignment,
            int cacheLine,
            int groupMultiple,
            String physical) {
        return new DeviceInfo(
                id,
                platform,
                name,
                kind,
                "1.0",
                4,
                1L << 30,
                1L << 28,
                alignment,
                cacheLine,
                groupMultiple,
                1000,
                kind != DeviceKind.GPU,
                physical);
    }
}
