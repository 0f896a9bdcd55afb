package dev.evener.internal.memory;

import dev.evener.DeviceInfo;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * What a lane may take of the memory of a device: of one that needs copies three quarters in all, so that the driver, programs and
 * others have the rest; of that at most half of the memory for copies of host buffers, and at most a quarter for the slices
 * and temporaries of one chunk, so that a large share goes through in several. A device that works on host memory in place has
 * temporaries alone.
 *
 * @param device its id, for messages
 * @param total bytes of everything together
 * @param copies bytes of device copies
 * @param slices bytes of a chunk's slices
 * @param largest bytes of one allocation
 */
public record MemoryBudget(String device, long total, long copies, long slices, long largest) {

    /** That of a device, with at most so many bytes of device copies. */
    public static MemoryBudget of(DeviceInfo device, long mostForCopies) {
        long memory = device.memoryBytes();
        return new MemoryBudget(
                device.id(),
                memory / 4 * 3,
                Math.min(mostForCopies, memory / 2),
                memory / 4,
                device.maxAllocationBytes() > 0 ? device.maxAllocationBytes() : memory);
    }

    /** Bytes of images with which those are kept that earlier chunks used: a quarter of what a chunk may take. */
    long idleImages() {
        return slices / 4;
    }

    /**
     * The most units a chunk of a phase may have.
     *
     * @param inPlace whether the device works on buffers in place, and has to have room for temporaries alone
     * @throws LaneFailure if not even one unit finds room
     */
    public long mostUnits(JobSpec.Phase phase, boolean inPlace) {
        long perUnit = 0;
        long fixed = 0; // what every chunk needs, whatever its size
        long most = Long.MAX_VALUE;
        List<Range> seenFull = List.of(); // which have copies, all at once
        long whole = 0; // of these
        for (Argument argument : phase.arguments()) {
            long bytes;
            long always;
            if (argument instanceof Argument.Buffer b
                    && b.image() != null) { // of full size, beside what holds its pixels
                fixed += b.image().bytes();
            }
            if (argument instanceof Argument.Temporary t) {
                bytes = t.memory().bytesPerUnit();
                always = t.memory().bytesAlways();
            } else if (argument instanceof Argument.Buffer b && !inPlace) {
                boolean full = phase.seesJob() && b.bytesPerUnit() > 0; // kernels see all of it
                bytes = full ? 0 : b.bytesPerUnit();
                always = full ? b.range().byteSize() : b.bytesAlways();
                if (full && !seenFull.contains(b.range())) {
                    seenFull = seenFull.isEmpty() ? new ArrayList<>() : seenFull; // rarely: jobs ask again and again
                    seenFull.add(b.range());
                    whole += always;
                }
            } else {
                continue;
            }
            perUnit += bytes;
            fixed += always;
            if (always > largest || bytes > largest - always) {
                throw tooLarge(phase, always + bytes, largest, "in one allocation");
            }
            if (bytes > 0) {
                most = Math.min(most, (largest - always) / bytes);
            }
        }
        if (whole > copies) {
            throw tooLarge(phase, whole, copies, "for copies of whole buffers");
        }
        long room = Math.min(slices, total - fixed);
        if (room < perUnit) {
            throw tooLarge(phase, fixed + perUnit, Math.min(total, slices + fixed), "for a chunk");
        }
        return perUnit == 0 ? Long.MAX_VALUE : Math.min(most, room / perUnit);
    }

    private LaneFailure tooLarge(JobSpec.Phase phase, long needed, long has, String what) {
        return new LaneFailure(
                Kind.MEMORY,
                "one unit of kernel " + phase.kernel() + " needs " + needed + " bytes, and device " + device + " has "
                        + has + " " + what + "; make units, or the buffers that every unit sees, smaller"
                        + (phase.seesJob() ? ", or have kernels see their chunk: chunkView()" : ""));
    }
}
