package dev.evener.internal.cl;

import dev.evener.image.Image;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.run.ChunkTimes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_event;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a chunk under way, their events, and the memory they transfer. Belongs to one lane's thread.
 *
 * <p>A chunk in one piece goes through one queue, in the order of the calls. Of a chunk in several pieces, what is sent,
 * computed and fetched goes through a queue each: a kernel waits for all that was sent before it, what is fetched for the
 * kernels before it, and nothing else waits, so that one piece is sent while another is computed and a third is fetched.
 * What is sent must therefore not overwrite what an earlier piece still needs: that is for the caller to wait for. A chunk in one piece
 * behind another may send so, too, what goes to memory that the other does not use.
 */
public final class ClCommands {
    /** JOCL keeps a local reference to each event that it waits for, of which the JVM's native interface promises as many. */
    private static final int MOST_AT_ONCE = 16;

    private final ClQueues all;
    private ClQueues queues; // of these, those of the chunk under way
    private final boolean blocking;
    final List<cl_event> events = new ArrayList<>();
    private final BitSet transfers = new BitSet(); // which of them
    private final List<Pointer> memory =
            new ArrayList<>(); // not for the garbage collector before the transfers have ended
    private final ByteBuffer answer = Cl.answer(Long.BYTES);
    private final Pointer answerPointer = Pointer.to(answer);

    /** Whether the chunk's pieces overlap. */
    private boolean overlapping;

    /** Those of the chunk that is under way when this one begins, if there is one. */
    private @Nullable ClCommands behind;

    /** What was sent by the queue for uploads, and no kernel waits for yet. */
    private @Nullable cl_event sent;

    /** The chunk's last command in the queue for kernels. */
    private @Nullable cl_event last;

    /** That of the chunk before, where it is in another queue, until this chunk's first one waits for it. */
    private @Nullable cl_event earlier;

    /** In an overlapping chunk, the kernel that nothing fetched waits for yet. */
    private @Nullable cl_event computed;

    private boolean fetching; // there is something in the queue for downloads that was not flushed

    // Host times: around the first enqueue of the chunk, when its first commands had been flushed (0 before that), when
    // the last of
    // them had ended, and the same of the chunk before, behind which this one may have waited.
    private long before;
    private long after;
    private long flushed;
    private long returned;
    private long idleSince;

    private long bytesIn;
    private long bytesOut;
    private final Traffic traffic = new Traffic();

    /** Commands for these queues. */
    public ClCommands(ClQueues queues) {
        this.all = queues;
        this.queues = queues;
        this.blocking = queues.kernels.blocks();
    }

    /** Whether pieces of a chunk could overlap at all. */
    public boolean canOverlap() {
        return queues.overlap() && !blocking;
    }

    /** A chunk comes, behind another's commands or not. */
    public void follow(@Nullable ClCommands another) {
        behind = another;
    }

    /** Whether the chunk may send what need not wait for the one before it. */
    public boolean mayOvertake() {
        return behind != null && canOverlap();
    }

    /**
     * Begins a chunk.
     *
     * @param overlap whether its pieces overlap; only if they {@linkplain #canOverlap can}
     * @param exact whether the device is asked for its times
     */
    public void begin(boolean overlap, boolean exact) {
        overlapping = overlap;
        queues = all.of(exact);
        last = null;
        earlier = behind != null && behind.queues != queues ? behind.last : null;
        sent = null;
        computed = null;
        fetching = false;
        flushed = 0;
    }

    /** Sends host memory from a place on. */
    public void send(DeviceBuffer target, long offset, long bytes, ByteBuffer host, long from) {
        send(target, offset, bytes, host, from, false);
    }

    /**
     * The same.
     *
     * @param ahead of the chunk under way, if this one {@linkplain #mayOvertake may}
     */
    public void send(DeviceBuffer target, long offset, long bytes, ByteBuffer host, long from, boolean ahead) {
        boolean apart = overlapping || ahead;
        ClQueue queue = apart ? queues.upload : queues.kernels;
        cl_event event = transfer(true, queue, target, offset, bytes, host, from, apart ? null : earlier);
        if (apart) {
            sent = event;
        } else {
            earlier = null;
            last = event;
        }
        bytesIn += bytes;
    }

    /** Fetches to host memory from a place on. */
    public void fetch(DeviceBuffer source, long offset, long bytes, ByteBuffer host, long to) {
        if (computed != null) {
            Cl.flush(queues.kernels.handle); // OpenCL wants flushed what a command of another queue waits for
        }
        ClQueue queue = overlapping ? queues.download : queues.kernels;
        cl_event event = transfer(false, queue, source, offset, bytes, host, to, computed);
        last = overlapping ? last : event;
        computed = null; // the queue is in order: what is fetched next waits with this
        fetching = overlapping;
        bytesOut += bytes;
    }

    private cl_event transfer(
            boolean send,
            ClQueue queue,
            DeviceBuffer buffer,
            long offset,
            long bytes,
            ByteBuffer host,
            long at,
            @Nullable cl_event waitsFor) {
        cl_event event = begin();
        Pointer pointer = at == 0 ? Pointer.to(host) : Pointer.to(host).withByteOffset(at);
        cl_event[] after = waitFor(waitsFor);
        int waits = after == null ? 0 : 1;
        cl_mem mem = buffer.handle;
        cl_command_queue handle = queue.handle;
        TransferThreads.Call call = TransferThreads.spare();
        int status;
        try {
            status = Cl.status(() -> send
                    ? CL.clEnqueueWriteBuffer(handle, mem, blocking, offset, bytes, pointer, waits, after, event)
                    : CL.clEnqueueReadBuffer(handle, mem, blocking, offset, bytes, pointer, waits, after, event));
        } finally {
            call.end(event);
        }
        Cl.require(status, send ? "sending " : "fetching ", bytes, " bytes");
        memory.add(pointer);
        end(event, true);
        return event;
    }

    /** Launches a kernel over as many dimensions as the arrays are long. */
    public void kernel(ClKernel kernel, long @Nullable [] offset, long[] global, long @Nullable [] local) {
        kernel.require(local);
        cl_event event = begin();
        cl_command_queue queue = queues.kernels.handle;
        cl_event[] after = waitForSent();
        int waits = after == null ? 0 : after.length;
        int status = Cl.status(() -> CL.clEnqueueNDRangeKernel(
                queue, kernel.handle, global.length, offset, global, local, waits, after, event));
        if (status != CL.CL_SUCCESS) {
            String items = global[0] + (global.length > 1 ? " x " + global[1] : "");
            throw ClFailure.ofLaunch(
                    "launching " + items + " work-items" + (local == null ? "" : " in groups of " + local[0]),
                    status,
                    () -> kernel.figures(local));
        }
        computed(event);
    }

    /**
     * Copies a job's rows, layers or planes of an image from a buffer, in which they begin at a place, into the image,
     * or the other way: a command like a kernel, on the device, in its turn, and in the time of the kernels. Of a
     * sub-buffer the whole is named, as PoCL 3.1 ends the process otherwise.
     */
    public void copyImage(
            boolean toImage,
            DeviceBuffer buffer,
            long at,
            DeviceBuffer image,
            Image.Shape shape,
            long first,
            long count) {
        cl_event event = begin();
        cl_event[] after = waitForSent();
        int waits = after == null ? 0 : after.length;
        cl_command_queue queue = queues.kernels.handle;
        long[] origin = ClImages.origin(shape, first);
        long[] region = ClImages.region(shape, count);
        int status = Cl.status(() -> toImage
                ? CL.clEnqueueCopyBufferToImage(
                        queue, buffer.whole, image.handle, buffer.from + at, origin, region, waits, after, event)
                : CL.clEnqueueCopyImageToBuffer(
                        queue, image.handle, buffer.whole, origin, region, buffer.from + at, waits, after, event));
        Cl.require(status, toImage ? "filling an image from row " : "copying an image from row ", first, "");
        computed(event);
    }

    /** What is enqueued next with the kernels waits for what was sent, and for the chunk before. */
    private cl_event @Nullable [] waitForSent() {
        if (sent != null) {
            Cl.flush(queues.upload.handle);
        }
        return sent != null && earlier != null
                ? new cl_event[] {sent, earlier}
                : waitFor(sent != null ? sent : earlier);
    }

    private void computed(cl_event event) {
        end(event, false);
        sent = null;
        earlier = null;
        last = event;
        computed = overlapping ? event : null;
    }

    private static cl_event @Nullable [] waitFor(@Nullable cl_event event) {
        return event == null ? null : new cl_event[] {event};
    }

    /** Sets the device to work on what was enqueued. */
    public void flush() {
        if (overlapping && sent != null) { // else what was waited for has been flushed
            Cl.flush(queues.upload.handle);
        }
        if (!overlapping || computed != null) {
            Cl.flush(queues.kernels.handle);
        }
        if (fetching) { // which is so where pieces overlap alone
            Cl.flush(queues.download.handle);
            fetching = false;
        }
        if (flushed == 0) {
            flushed = System.nanoTime();
        }
    }

    /** How many there are. */
    public int count() {
        return events.size();
    }

    /** How many of them are kernels. */
    public int kernels() {
        return events.size() - transfers.cardinality();
    }

    /** Whether the last one has ended, well or not. */
    public boolean haveEnded() {
        return Cl.hasEnded(events.get(events.size() - 1), answerPointer, answer);
    }

    /** Waits for the last of the first so many commands. */
    public void await(int first) {
        Cl.waitFor(events.get(first - 1));
    }

    /** Waits for all commands. */
    public void await() {
        for (int from = 0; from < events.size(); from += MOST_AT_ONCE) {
            int to = Math.min(events.size(), from + MOST_AT_ONCE);
            Cl.waitFor(events.subList(from, to).toArray(cl_event[]::new));
        }
        returned = System.nanoTime();
        idleSince = queues.clock.ended(returned);
    }

    /** Waits until nothing is enqueued any more, whatever became of it. */
    public void drain() {
        queues.drain();
    }

    /** Sent to the device. */
    public long bytesIn() {
        return bytesIn;
    }

    /** Fetched from it. */
    public long bytesOut() {
        return bytesOut;
    }

    /** Why, and what was fetched from other devices for it; filled in by who enqueues. */
    public Traffic traffic() {
        return traffic;
    }

    /** The host's own clock must do: what it moved is in the time of its kernels. */
    private void timeOnHost(ChunkTimes times) {
        times.transferNanos = 0;
        times.start = Math.max(before, idleSince);
        times.end = returned;
        times.kernelNanos = times.end - times.start;
    }

    /** Adds up what the commands took and moved. Once, after {@link #await()}. */
    public void measure(ChunkTimes times) {
        times.submitted = flushed;
        times.bytesIn += bytesIn;
        times.bytesOut += bytesOut;
        times.traffic.add(traffic);
        if (!queues.areTimed()) {
            timeOnHost(times);
            return;
        }
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
            timeOnHost(times);
            return;
        }
        ClQueues.Clock clock = queues.clock;
        clock.observe(before, after, returned, queued, last);
        long ended = clock.endedOnDevice();
        boolean both =
                first < ended && ended < last; // its first piece was sent while the chunk before was still at work
        long start = both ? ended : first;
        times.start = both ? Math.min(clock.endedOnHost(), clock.toHost(last)) : clock.toHost(start);
        times.end = clock.end(last);
        if (overlapping || both) {
            // From end to end: pieces follow one another as fast as they can, so time between two belongs to the chunk.
            times.overlapNanos = times.kernelNanos + times.transferNanos - (last - start);
        }
    }

    /** Frees the events. The commands must have ended. */
    public void release() {
        events.forEach(Cl::release);
        events.clear();
        last = null;
        earlier = null;
        behind = null;
        transfers.clear();
        memory.clear();
        bytesIn = 0;
        bytesOut = 0;
        traffic.reset();
    }

    private cl_event begin() {
        if (events.isEmpty()) {
            before = System.nanoTime();
        }
        return new cl_event();
    }

    private void end(cl_event event, boolean transfer) {
        NativeLedger.made(NativeLedger.Kind.EVENT);
        if (events.isEmpty()) {
            after = System.nanoTime();
        }
        transfers.set(events.size(), transfer);
        events.add(event);
    }

    private long profile(cl_event event, int what) {
        Cl.check(
                "reading a profiling time",
                () -> CL.clGetEventProfilingInfo(event, what, Long.BYTES, answerPointer, null));
        return answer.getLong(0);
    }
}
