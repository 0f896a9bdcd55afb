package dev.evener.internal.opencl;

import dev.evener.internal.run.ChunkTimes;
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
 * The commands of the chunk under way on one queue, and their events: one event object for each command, since JOCL's
 * hidden transfer threads read it later. Belongs to one lane's thread.
 */
final class ClCommands {
    private final cl_command_queue queue;
    private final ClClock clock;
    private final boolean blocking;
    private final List<cl_event> events = new ArrayList<>();
    private final List<Boolean> transfers = new ArrayList<>();
    private final long[] time = new long[1];
    private final Pointer timePointer = Pointer.to(time);

    /** Host times around the first enqueue of the chunk. */
    private long before;

    private long after;

    /** Host time when the last of them had ended. */
    private long returned;

    /** @param blocking whether a transfer is to end before the next command is enqueued */
    ClCommands(cl_command_queue queue, ClClock clock, boolean blocking) {
        this.queue = queue;
        this.blocking = blocking;
        this.clock = clock;
    }

    void send(cl_mem target, long offset, long bytes, Pointer source) {
        cl_event event = begin();
        Cl.enqueueWrite(queue, target, blocking, offset, bytes, source, event);
        end(event, true);
    }

    void fetch(cl_mem source, long offset, long bytes, Pointer target) {
        cl_event event = begin();
        Cl.enqueueRead(queue, source, blocking, offset, bytes, target, event);
        end(event, true);
    }

    void kernel(cl_kernel kernel, long @Nullable [] offset, long[] global, long @Nullable [] local) {
        cl_event event = begin();
        Cl.enqueueKernel(queue, kernel, offset, global, local, event);
        end(event, false);
    }

    /** Waits for all commands. */
    void await() {
        Cl.waitFor(events.toArray(cl_event[]::new));
        returned = System.nanoTime();
    }

    /** Adds up what the commands took. Once, after {@link #await}. */
    void measure(ChunkTimes times) {
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
            times.kernelNanos = returned - before;
            times.start = before;
            times.end = returned;
            return;
        }
        clock.observe(before, after, returned, queued, last);
        times.start = clock.toHost(first);
        times.end = clock.toHost(last);
    }

    /** Frees the events. The commands must have ended. */
    void release() {
        events.forEach(Cl::release);
        events.clear();
        transfers.clear();
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
