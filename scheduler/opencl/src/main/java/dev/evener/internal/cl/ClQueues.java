package dev.evener.internal.cl;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lane's in-order queues: one for kernels and, on a device that transfers while it computes, one for each direction of
 * transfers; else all three are the same. Belongs to one lane's thread.
 */
public final class ClQueues implements AutoCloseable {
    final ClQueue upload;
    final ClQueue kernels;
    final ClQueue download;
    final Clock clock;
    private final @Nullable ClQueues untimed; // the same once more, of whose commands no times are known

    /** One for everything. */
    public ClQueues(ClQueue queue) {
        this(queue, queue, queue, new Clock(), null);
    }

    private ClQueues(ClQueue upload, ClQueue kernels, ClQueue download, Clock clock, @Nullable ClQueues untimed) {
        this.upload = upload;
        this.kernels = kernels;
        this.download = download;
        this.clock = clock;
        this.untimed = untimed;
    }

    /** A queue that there is, for kernels, and one more for each direction of transfers; and as many for chunks that nobody wants timed exactly. */
    public static ClQueues three(ClQueue kernels, ClContext context, ClDevice device) {
        List<ClQueue> made = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                made.add(i < 2 ? context.queue(device) : context.untimedQueue(device));
            }
        } catch (ClFailure e) {
            made.forEach(ClQueue::close);
            throw e;
        }
        Clock clock = new Clock();
        ClQueues untimed = new ClQueues(made.get(2), made.get(3), made.get(4), clock, null);
        return new ClQueues(made.get(0), kernels, made.get(1), clock, untimed);
    }

    /** Those for a chunk. */
    ClQueues of(boolean exact) {
        return exact || untimed == null ? this : untimed;
    }

    /** Whether the times of their commands are known. */
    boolean areTimed() {
        return kernels.isTimed();
    }

    /** Whether pieces of a chunk can be sent, computed and fetched at once. */
    public boolean overlap() {
        return upload != kernels;
    }

    private List<ClQueue> all() {
        List<ClQueue> all = new ArrayList<>(overlap() ? List.of(upload, kernels, download) : List.of(kernels));
        if (untimed != null) {
            all.addAll(untimed.all());
        }
        return all;
    }

    /**
     * Waits until all are empty, whatever state their commands end in. In this order, as kernels wait for what is sent, and
     * what is fetched waits for kernels: what is waited for has been flushed then.
     */
    public void drain() {
        all().forEach(ClQueue::drain);
    }

    /** Tries each of them out. */
    public void probe() {
        all().forEach(ClQueue::probe);
    }

    @Override
    public void close() {
        all().forEach(ClQueue::close);
    }

    /**
     * Lays a device's profiling clock on {@link System#nanoTime}. A command was queued after the host began to enqueue it and
     * before that call returned, and had ended when the host's wait for it returned; these bound the offset between the clocks
     * from both sides, also where a driver runs the kernel inside the enqueue call. The tightest bounds seen lately give the
     * offset, with an error of at most half their distance.
     */
    static final class Clock {
        /** After this long any bounds replace the old ones, since clocks drift. */
        private static final long LIFETIME_NANOS = 5_000_000_000L;

        private long offset;
        private long width = Long.MAX_VALUE;
        private long taken;
        private long ended = Long.MIN_VALUE;
        private long endedOnDevice = Long.MIN_VALUE;
        private long endedOnHost;

        /**
         * Learns from one command.
         *
         * @param hostBefore host time before the enqueue call
         * @param hostAfter host time after it
         * @param hostReturned host time when the wait had returned
         * @param deviceQueued the command's QUEUED time
         * @param deviceEnd the END time of the last command waited for
         */
        void observe(long hostBefore, long hostAfter, long hostReturned, long deviceQueued, long deviceEnd) {
            long least = hostBefore - deviceQueued;
            long most = Math.min(hostAfter - deviceQueued, hostReturned - deviceEnd);
            long newWidth = Math.max(0, most - least);
            if (newWidth <= width || hostReturned - taken > LIFETIME_NANOS) {
                width = newWidth;
                taken = hostReturned;
                offset = least + newWidth / 2;
            }
        }

        /** A chunk has ended at a host time; that of the chunk before. */
        long ended(long now) {
            long before = ended;
            ended = now;
            return before;
        }

        /** When the last chunk had ended, on the device. */
        long endedOnDevice() {
            return endedOnDevice;
        }

        /** The same in host nanoseconds, as it was given: the offset may have changed since. */
        long endedOnHost() {
            return endedOnHost;
        }

        /** A chunk has ended at a device time: that in host nanoseconds. */
        long end(long deviceEnd) {
            endedOnDevice = deviceEnd;
            endedOnHost = toHost(deviceEnd);
            return endedOnHost;
        }

        /** A device time in host nanoseconds. */
        long toHost(long deviceNanos) {
            return deviceNanos + offset;
        }
    }
}
