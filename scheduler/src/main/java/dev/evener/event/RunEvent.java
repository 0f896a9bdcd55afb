package dev.evener.event;

import dev.evener.Report;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a job, as a {@link RunListener} hears of it and as a record keeps it. Times are
 * nanoseconds of {@link System#nanoTime} in a running process; in a record, nanoseconds since it began. Devices are
 * indices into the list of devices of the Evener that ran the job. Immutable.
 */
public sealed interface RunEvent {

    /** When it happened. */
    long at();

    /** Number of the job, from 1 in order of submission. */
    long job();

    /**
     * A job was submitted.
     *
     * @param name the job's name
     * @param policy the policy that is to cut it
     * @param units size of the index space
     * @param granule units at whose multiples it may be cut; its index space has {@code ceil(units / granule)} granules
     * @param kernels the kernel of each phase, in order
     * @param devices which devices it may use
     * @param buffers what its phases do with its buffers; empty if that is not known
     */
    record Submitted(
            long at,
            long job,
            String name,
            String policy,
            long units,
            long granule,
            List<String> kernels,
            List<Integer> devices,
            List<BufferUse> buffers)
            implements RunEvent {
        public Submitted {
            kernels = List.copyOf(kernels);
            devices = List.copyOf(devices);
            buffers = List.copyOf(buffers);
        }

        /** One of whose buffers nothing is known. */
        public Submitted(
                long at,
                long job,
                String name,
                String policy,
                long units,
                long granule,
                List<String> kernels,
                List<Integer> devices) {
            this(at, job, name, policy, units, granule, kernels, devices, List.of());
        }
    }

    /**
     * What a phase does with a buffer, or with a range of one. Sizes and places are bytes.
     *
     * @param phase number of the phase, from 0
     * @param buffer number of the buffer, from 1: the same in all jobs of an Evener
     * @param size of the buffer
     * @param kept where its content stays
     * @param from where the range begins
     * @param bytes size of the range
     * @param how what is done with it
     * @param bytesPerUnit each unit's own part of it, or of what is put together when the phase ends; 0 if each unit has to do
     *     with all of it
     * @param before units in front of its own that a unit reads
     * @param after units behind its own that a unit reads
     * @param hostFrom where it begins what of the buffer the host was to write in scopes, or to discard, since the job before
     *     with this buffer was submitted
     * @param hostTo where that ends; 0 if there was nothing
     * @param name as the application {@linkplain dev.evener.DataBuffer#named calls} the buffer; null if it does not
     */
    record BufferUse(
            int phase,
            long buffer,
            long size,
            Kept kept,
            long from,
            long bytes,
            How how,
            long bytesPerUnit,
            long before,
            long after,
            long hostFrom,
            long hostTo,
            @Nullable String name) {
        /** One of a buffer without a name. */
        public BufferUse(
                int phase,
                long buffer,
                long size,
                Kept kept,
                long from,
                long bytes,
                How how,
                long bytesPerUnit,
                long before,
                long after,
                long hostFrom,
                long hostTo) {
            this(phase, buffer, size, kept, from, bytes, how, bytesPerUnit, before, after, hostFrom, hostTo, null);
        }

        /** Where content stays that devices write. */
        public enum Kept {
            /** A {@link dev.evener.HostBuffer}: with the host, which may write it between jobs. */
            HOST,
            /** A {@link dev.evener.ManagedBuffer}: on the device that wrote it. */
            DEVICE,
            /** One that is {@linkplain dev.evener.ManagedBuffer#mirror mirrored}: there and with the host. */
            BOTH
        }

        /** What is done with it. */
        public enum How {
            READS,
            WRITES,
            UPDATES,
            REDUCES,
            /** {@link dev.evener.JobBuilder#appends}, of the results and of their number. */
            APPENDS,
            /** By the host step after the phase, as it says, or of a host buffer if it does not say. */
            HOST_STEP
        }
    }

    /**
     * All earlier jobs and scopes with its data that the job had to wait for were over, or the last had nothing left but
     * what this job is enqueued behind. Heard before {@link Planned}, and of a job that
     * had to wait for none, never.
     *
     * @param earlier the last of them: a job's name, or {@code a scope}
     */
    record Waited(long at, long job, String earlier) implements RunEvent {}

    /**
     * Its devices were free and the job was shared out; once more if it had to begin again.
     *
     * @param shares units planned for each device of {@link Submitted#devices}, in that order
     * @param sharing what may happen to the shares afterwards: {@code fixed}, {@code stealing} or {@code pooled}
     * @param predicted wall time predicted for the chosen devices, in nanoseconds; 0 if nothing was
     * @param reason why these devices, in words; null if there was nothing to decide
     */
    record Planned(
            long at,
            long job,
            List<Long> shares,
            String sharing,
            long predicted,
            @Nullable String reason) implements RunEvent {
        public Planned {
            shares = List.copyOf(shares);
        }
    }

    /**
     * A device ran a chunk. Heard when its times have been read, which in a phase that is not the last may be after {@link
     * PhaseEnded}. A job that one device runs alone may run there in a form of its own, with other phases: each is one chunk
     * of all units.
     *
     * @param phase number of the phase, from 0
     * @param device who ran it
     * @param firstUnit where it begins
     * @param units how many
     * @param owner the device to which the plan had given its first unit; {@code device} itself where all take from one range
     * @param queued when the device's lane took it; before the end of the chunk before if that was under way
     * @param begun when the lane began to hand it to the device: later than {@code queued} where the host first keeps a copy of
     *     what the chunk updates in place
     * @param submitted when the lane had enqueued its commands, or the first of them, or handed it to its threads; after
     *     {@code start} where a driver runs commands while they are enqueued, before the end of the chunk before if it was
     *     enqueued behind that
     * @param start when the device began with it
     * @param end when the device was done
     * @param noticeNanos from then until the lane had seen it, before it reads the chunk's times and tells others; -1 where a
     *     record does not say
     * @param kernelNanos time in kernels
     * @param transferNanos time in transfers
     * @param bytesIn bytes sent to the device
     * @param bytesOut bytes fetched from it
     */
    record Chunk(
            long at,
            long job,
            int phase,
            int device,
            long firstUnit,
            long units,
            int owner,
            long queued,
            long begun,
            long submitted,
            long start,
            long end,
            long noticeNanos,
            long kernelNanos,
            long transferNanos,
            long bytesIn,
            long bytesOut)
            implements RunEvent {}

    /** A device took {@code units} from the back of another's range. */
    record Stolen(long at, long job, int phase, int thief, int victim, long units) implements RunEvent {}

    /**
     * All chunks of a phase were done and its host step had run.
     *
     * @param hostNanos time of merging and of the host step
     * @param parts of which each may have left something to merge: the units that the job has, or has in its form for one
     *     device if that ran; 0 if not known
     */
    record PhaseEnded(long at, long job, int phase, long hostNanos, long parts) implements RunEvent {}

    /**
     * Bytes moved for a job: heard before {@link Ended}, once for each device and cause for which there were any. What a chunk's own
     * transfers moved is in {@link Chunk#bytesIn} and {@link Chunk#bytesOut} too.
     *
     * @param device which, of all of the Evener's: data may lie on one that the job does not use
     * @param sent bytes sent to it
     * @param fetched bytes fetched from it
     */
    record Moved(long at, long job, int device, Report.Cause cause, long sent, long fetched) implements RunEvent {}

    /**
     * Something went wrong on a device.
     *
     * @param device which
     * @param what in one line, as the report says it
     */
    record Fault(long at, long job, int device, String what) implements RunEvent {}

    /**
     * The job's result was complete, or it had failed. Of one that did not come back after its deadline, or that {@link dev.evener.Evener#close} did
     * not wait for, events that tell of what devices and host steps still did may follow.
     *
     * @param buildNanos how long it waited for devices to build its programs before {@link Planned}; 0 if there was one that it could begin on
     * @param wallNanos from the end of that to the result
     * @param failure null if it succeeded
     * @param kind of the failure, as {@link dev.evener.EvenerException#failureKind} says; null if it succeeded, and in older records
     */
    record Ended(
            long at,
            long job,
            long buildNanos,
            long wallNanos,
            @Nullable String failure,
            @Nullable String kind) implements RunEvent {
        /** One of no known kind. */
        public Ended(long at, long job, long buildNanos, long wallNanos, @Nullable String failure) {
            this(at, job, buildNanos, wallNanos, failure, null);
        }
    }
}
