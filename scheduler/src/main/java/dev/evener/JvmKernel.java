package dev.evener;

import java.nio.ByteBuffer;

/**
 * The Java form of a kernel, run by the JVM lane. It must give the bits that the OpenCL form gives. Called by several
 * threads at once on disjoint chunks; what it does to a {@link Access.Reduce} argument goes to a partial that belongs to
 * the calling thread alone, so no atomics are needed.
 */
@FunctionalInterface
public interface JvmKernel {

    /** Processes one chunk. */
    void run(Chunk chunk);

    /** A contiguous run of units and its view of the arguments. Valid during the call only. */
    interface Chunk {
        /** First unit, counted from the job's start. */
        long firstUnit();

        /** Number of units. */
        int units();

        /**
         * The buffer given as argument number {@code index} (counting every argument, as the OpenCL kernel does; of a phase of
         * several kernels those of all of them, one kernel after the other), in
         * native byte order: for a slice, the chunk's own part from its start; for a slice with a halo, that part and the
         * units around it; for a whole buffer all of it; for a reduction this thread's partial.
         */
        ByteBuffer buffer(int index);

        /**
         * Index in {@link #buffer buffer(index)} of the first element of the chunk's first unit: what the OpenCL kernel gets
         * from {@link JobBuilder#viewStart}. 0 for a slice without a halo, which is seen from its chunk's start.
         */
        default int viewStart(int index) {
            return 0;
        }

        /** The value given as argument number {@code index}, a scalar; of the job that runs, if it was replaced. */
        default Number scalar(int index) {
            throw new IllegalArgumentException("argument " + index + " is no scalar");
        }
    }
}
