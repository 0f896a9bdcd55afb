package dev.evener.internal.opencl;

import dev.evener.internal.run.ChunkTimes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_event;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a chunk under way, their events, and the memory they transfer. Belongs to one lane's thread.
 *
 * <p>A chunk in one piece goes through one queue, in the order of the calls. Of a chunk in several pieces, what is sent,
 * computed and fetched goes through a queue each: a kernel waits for all that was sent before it, what is fetched for the
 * kernels before it, and nothing else waits, so that one piece is sent while another is computed and a third is fetched.
 * What is sent must therefore not overwrite what an earlier piece still needs: that is for the caller to wait for.
 */
final class ClCommands {
    private final ClQueues queues;
    private final ClClock clock;
    private final boolean blocking;
    private final List<cl_event> events = new ArrayList<>();
    private final List<Boolean> transfers = new ArrayList<>();
    /** So that the garbage collector lets it be until the transfers have ended. */
    private final List<Pointer> memory = new ArrayList<>();

    private final cl_event[] waitList = new cl_event[1];
    private final long[] time = new long[1];
    private final Pointer timePointer = Pointer.to(time);
    private final int[] status = new int[1];
    private final Pointer statusPointer = Pointer.to(status);
    private final Pointer anyByte = Pointer.to(ByteBuffer.allocateDirect(1));

    /** Whether the chunk's pieces overlap. */
    private boolean overlapping;

    /** In an overlapping chunk, what no kernel waits for yet. */
    private @Nullable cl_event sent;

    /** In an overlapping chunk, the kernel that nothing fetched waits for yet. */
    private @Nullable cl_event computed;

    /** Host times around the first enqueue of the chunk. */
    private long before;

    private long after;

    /** Host time when the chunk's first commands had been flushed; 0 before that. */
    private long flushed;

    /** Host time when the last of them had ended. */
    private long returned;

    /** The same of the chunk before, behind which this one may have waited. */
    private long idleSince;

    /** @param blocking whether a transfer is to end before the next command is enqueued */
    ClCommands(ClQueues queues, ClClock clock, boolean blocking) {
        this.queues = queues;
        this.blocking = blocking;
        this.clock = clock;
    }

    /** Whether pieces of a chunk could overlap at all. */
    boolean canOverlap() {
        return queues.overlap() && !blocking;
    }

    /**
     * Begins a chunk.
     *
     * @param overlap whether its pieces overlap; only if they {@linkplain #canOverlap can}
     */
    void begin(boolean overlap) {
        overlapping = overlap;
        sent = null;
        computed = null;
        flushed = 0;
    }

    void send(cl_mem target, long offset, long bytes, Pointer source) {
        cl_event event = begin();
        cl_command_queue queue = overlapping ? queues.upload() : queues.kernels();
        Cl.enqueueWrite(queue, target, blocking, offset, bytes, source, null, event);
        memory.add(source);
        end(event, true);
        sent = overlapping ? event : null;
    }

    void fetch(cl_mem source, long offset, long bytes, Pointer target) {
        cl_event event = begin();
        if (computed != null) {
            Cl.flush(queues.kernels()); // OpenCL wants flushed what a command of another queue waits for
        }
        cl_command_queue queue = overlapping ? queues.download() : queues.kernels();
        Cl.enqueueRead(queue, source, blocking, offset, bytes, target, waitFor(computed), event);
        memory.add(target);
        end(event, true);
        computed = null; // the queue is in order: what is fetched next waits with this
    }

    void kernel(cl_kernel kernel, long @Nullable [] offset, long[] global, long @Nullable [] local) {
        cl_event event = begin();
        if (sent != null) {
            Cl.flush(queues.upload());
        }
        Cl.enqueueKernel(queues.kernels(), kernel, offset, global, local, waitFor(sent), event);
        end(event, false);
        sent = null;
        computed = overlapping ? event : null;
    }

    /** Writes to the first byte of memory that nothing uses yet, and waits until that is done. Counts as no command. */
    void touch(cl_mem mem) {
        cl_event event = new cl_event();
        Cl.enqueueWrite(queues.kernels(), mem, blocking, 0, 1, anyByte, null, event);
        try {
            Cl.flush(queues.kernels());
            Cl.waitFor(new cl_event[] {event});
        } finally {
            Cl.release(event);
        }
    }

    private cl_event @Nullable [] waitFor(@Nullable cl_event event) {
        if (event == null) {
            return null;
        }
        waitList[0] = event;
        return waitList;
    }

    /** Sets the device to work on what was enqueued. */
    void flush() {
        if (overlapping) { // what was waited for has been flushed
            if (sent != null) {
                Cl.flush(queues.upload());
            }
            if (computed != null) {
                Cl.flush(queues.kernels());
            }
            Cl.flush(queues.download());
        } else {
            Cl.flush(queues.kernels());
        }
        if (flushed == 0) {
            flushed = System.nanoTime();
        }
    }

    /** The command that was enqueued last. */
    cl_event last() {
        return events.get(events.size() - 1);
    }

    /** Whether there are any. */
    boolean any() {
        return !events.isEmpty();
    }

    /** Whether the last one has ended, well or not. */
    boolean haveEnded() {
        return Cl.hasEnded(last(), statusPointer, status);
    }

    /** Waits for one command. */
    void await(cl_event event) {
        Cl.waitFor(new cl_event[] {event});
    }

    /** Waits for all commands. */
    void await() {
        Cl.waitFor(events.toArray(cl_event[]::new));
        returned = System.nanoTime();
        idleSince = clock.ended(returned);
    }

    /** Waits until nothing is enqueued any more, whatever became of it. */
    void drain() {
        queues.drain();
    }

    /** Adds up what the commands took. Once, after {@link #await()}. */
    void measure(ChunkTimes times) {
        times.submitted = flushed;
        long queued = profile(events.get(0), CL.CL_PROFILING_COMMAND_QUEUED);
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int i = 0; i < events.size(); i++) {
            long start = profile(events.get(i), CL.CL_PROFILING_COMMAND_START);
            long end = profile(events.get(i), CL.CL_PROFILING_COMMAND_END);
            first = Math.min(first, start);
            last = Math.max(last, end);
            if (transfers.get(i)) {
                times.transferNanos += end - start;
            } else {
                times.kernelNanos += end - start;
            }
        }
        if (queued <= 0 || first < queued || last <= first || last - first > returned - before) {
            // Some drivers (Rusticl of Mesa 22) answer with zeros: the host's own clock must do.
            times.transferNanos = 0;
            times.start = Math.max(before, idleSince);
            times.end = returned;
            times.kernelNanos = times.end - times.start;
            return;
        }
        clock.observe(before, after, returned, queued, last);
        long ended = clock.endedOnDevice(last);
        boolean both =
                first < ended && ended < last; // its first piece was sent while the chunk before was still at work
        long start = both ? ended : first;
        times.start = clock.toHost(start);
        times.end = clock.toHost(last);
        if (overlapping || both) {
            // From end to end: pieces follow one another as fast as they can, so time between two belongs to the chunk.
            times.overlapNanos = times.kernelNanos + times.transferNanos - (last - start);
        }
    }

    /** Frees the events. The commands must have ended. */
    void release() {
        events.forEach(Cl::release);
        events.clear();
        transfers.clear();
        memory.clear();
    }

    private cl_event begin() {
        if (events.isEmpty()) {
            before = System.nanoTime();
        }
        return new cl_event();
    }

    private void end(cl_event event, boolean transfer) {
        if (events.isEmpty()) {
            after = System.nanoTime();
        }
        events.add(event);
        transfers.add(transfer);
    }

    private long profile(cl_event event, int what) {
        Cl.profile(event, what, timePointer);
        return time[0];
    }
}
