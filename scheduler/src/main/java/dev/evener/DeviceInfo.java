package dev.evener;

/**
 * What is known of a device before any work is given to it.
 *
 * @param id what a {@link DeviceSelector} calls it: {@code platform.device}, that with a part ({@code 0.0:8}), or {@code jvm}
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

    /** Identity in the history: platform, name, driver, its index there and the part, wherever the platform itself is listed. */
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
        return with(id, name, computeUnits, sharesHostMemory, other);
    }

    /** The same device, known to share host memory or not. */
    public DeviceInfo withSharesHostMemory(boolean shares) {
        return with(id, name, computeUnits, shares, physical);
    }

    /**
     * A part of this device. Its name tells the number of units, since devices of one name are expected to be equally fast.
     *
     * @param partId the part's own id, such as {@code 0.0:8}
     * @param units its compute units
     */
    public DeviceInfo part(String partId, int units) {
        String partName = name + " (" + units + " of " + computeUnits + " units)";
        return with(partId, partName, units, sharesHostMemory, physical);
    }

    private DeviceInfo with(String newId, String newName, int units, boolean shares, String hardware) {
        return new DeviceInfo(
                newId,
                platform,
                newName,
                kind,
                driver,
                units,
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
