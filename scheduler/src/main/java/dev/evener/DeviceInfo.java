package dev.evener;

/**
 * What is known of a device before any work is given to it.
 *
 * @param id what a {@link DeviceSelector} calls it: {@code platform.device}, or {@code jvm}
 * @param platform the platform's name
 * @param name the device's name
 * @param kind its class
 * @param driver driver version
 * @param computeUnits parallel compute units
 * @param memoryBytes global memory
 * @param maxAllocationBytes largest single allocation
 * @param alignmentBytes base address alignment of a sub-buffer
 * @param cacheLineBytes cache line, 0 if the device has none
 * @param workGroupMultiple work-items that run together at full efficiency
 * @param clockMhz highest clock, in MHz; 0 if unknown
 * @param sharesHostMemory whether the device works on host memory in place, without copies
 * @param physical what the device really is: devices with equal values are one piece of hardware under several runtimes
 */
public record DeviceInfo(
        String id,
        String platform,
        String name,
        DeviceKind kind,
        String driver,
        int computeUnits,
        long memoryBytes,
        long maxAllocationBytes,
        int alignmentBytes,
        int cacheLineBytes,
        int workGroupMultiple,
        int clockMhz,
        boolean sharesHostMemory,
        String physical) {

    /** Identity in the history: platform, name, driver and its index there, wherever the platform itself is listed. */
    public String identity() {
        return platform + "|" + name + "|" + driver + "|" + id.substring(id.indexOf('.') + 1);
    }

    /** A rough relative speed before anything was measured: compute units times clock, wider for a GPU. */
    public double roughSpeed() {
        double lanesPerUnit = kind == DeviceKind.GPU ? 16 : 1;
        return Math.max(1, computeUnits) * (double) Math.max(1, clockMhz) * lanesPerUnit;
    }

    /** The same device, known to be this piece of hardware. */
    public DeviceInfo withPhysical(String other) {
        return with(sharesHostMemory, other);
    }

    /** The same device, known to share host memory or not. */
    public DeviceInfo withSharesHostMemory(boolean shares) {
        return with(shares, physical);
    }

    private DeviceInfo with(boolean shares, String hardware) {
        return new DeviceInfo(
                id,
                platform,
                name,
                kind,
                driver,
                computeUnits,
                memoryBytes,
                maxAllocationBytes,
                alignmentBytes,
                cacheLineBytes,
                workGroupMultiple,
                clockMhz,
                shares,
                hardware);
    }
}
