package dev.evener;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
 * @param uuid the hardware's UUID, 32 hexadecimal digits in lower case and with hyphens, as {@code nvidia-smi} prints it behind
 *     {@code GPU-}; null where the driver does not tell it
 * @param pci its place on the PCI bus, {@code domain:bus:device.function} such as {@code 0000:3b:00.0}; null likewise
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
        String physical,
        @Nullable String uuid,
        @Nullable String pci) {

    /** A device whose driver tells neither UUID nor place. */
    public DeviceInfo(
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
        this(
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
                sharesHostMemory,
                physical,
                null,
                null);
    }

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
                hardware,
                uuid,
                pci);
    }

    /**
     * How a device can be opened in parts (OpenCL calls it device fission).
     *
     * @param maxParts how many parts it may be split into at most; 0 if it cannot be split
     * @param byCounts whether into parts of any number of compute units, such as {@code 0.0:8+8}
     * @param numaNodes the compute units of each of its NUMA nodes, for {@code 0.0:numa}; empty if it cannot be split by them
     */
    public record Partitioning(int maxParts, boolean byCounts, List<Integer> numaNodes) {
        /** That of a device which can only be opened whole. */
        public static final Partitioning NONE = new Partitioning(0, false, List.of());

        public Partitioning {
            numaNodes = List.copyOf(numaNodes);
        }
    }

    /**
     * How the devices of an {@link Evener} are at one moment.
     *
     * @param working those that get work
     * @param quarantined why the others get none, by id: each failed or did not answer. They are tried again after a second, then after
     *     twice the time each, up to a minute, and are back once that succeeds
     * @param leftOut what was left out when the Evener was opened, and why, as {@link Evener#notes} says
     * @param degraded whether there is less than was meant: a device is quarantined, one failed its self-test and no other runtime offers
     *     its hardware, or JVM threads stand in for OpenCL
     */
    public record Health(
            List<DeviceInfo> working, Map<String, String> quarantined, List<String> leftOut, boolean degraded) {
        public Health {
            working = List.copyOf(working);
            quarantined = Map.copyOf(quarantined);
            leftOut = List.copyOf(leftOut);
        }
    }
}
