package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.kernels.OwnBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a list of inputs one or more times with several threads, and gives the frames out in order.
 *
 * <p>A decoder first takes a buffer and then the next number. So the lowest number that is missing always has a buffer, and
 * decoders that ran ahead cannot hold all of them while the one that is waited for gets none. Memory is rationed by the
 * same rule: whoever would exceed the budget waits, unless its frame is the one that is waited for.
 */
final class DecodeStage {
    private final List<Path> inputs;
    private final int[] order;
    private final long total;
    private final boolean keep;
    private final long budget;
    private final FrameMemory memory;
    private final StreamFailures failures;
    private final StageClock clock;
    private final HandOver<OwnBuffer> free;
    private final HandOver<Decoded> done;
    private final Queue<OwnBuffer> slots = new ConcurrentLinkedQueue<>();
    private final AtomicLong next = new AtomicLong();

    /** Frames that came before their turn. Used by the consumer only. */
    private final Map<Long, Decoded> early = new HashMap<>();

    /** Guarded by this. */
    private long reserved;

    /** The number that the consumer waits for. Guarded by this. */
    private long wanted;

    /**
     * An input's outcome.
     *
     * @param number its place in the sequence of all passes
     * @param input index in the list of inputs
     * @param slot what holds the frame
     * @param frame the frame, or null if the input failed
     */
    record Decoded(
            long number,
            int input,
            OwnBuffer slot,
            @Nullable Frame frame) {}

    /**
     * Prepares the stage.
     *
     * @param order indexes of the inputs to decode
     * @param passes how often
     * @param keep whether every frame gets a buffer of its own, never recycled
     * @param buffers how many buffers go round otherwise
     * @param budget bytes of decoded frames to stay within
     */
    DecodeStage(
            List<Path> inputs,
            int[] order,
            int passes,
            boolean keep,
            int buffers,
            long budget,
            FrameMemory memory,
            StreamFailures failures,
            StageClock clock) {
        this.inputs = inputs;
        this.order = order;
        this.total = (long) order.length * passes;
        this.keep = keep;
        this.budget = budget;
        this.memory = memory;
        this.failures = failures;
        this.clock = clock;
        this.free = new HandOver<>(buffers);
        this.done = new HandOver<>(buffers);
        for (int i = 0; i < buffers; i++) {
            recycleNew();
        }
    }

    private void recycleNew() {
        try {
            free.put(slot());
        } catch (InterruptedException e) {
            // There is room for all of them, so that put does not wait.
            throw new AssertionError(e);
        }
    }

    private OwnBuffer slot() {
        OwnBuffer slot = new OwnBuffer(memory::allocate);
        slots.add(slot);
        return slot;
    }

    /** What each decoder thread runs. */
    void decodeAll() throws InterruptedException {
        while (true) {
            long start = System.nanoTime();
            OwnBuffer slot = keep ? slot() : free.take();
            clock.waitedSince(start);
            long number = next.getAndIncrement();
            if (slot == null || number >= total) {
                free.close();
                return;
            }
            int input = order[(int) (number % order.length)];
            Frame frame = failures.contains(input) ? null : decode(number, input, slot);
            start = System.nanoTime();
            done.put(new Decoded(number, input, slot, frame));
            clock.waitedSince(start);
        }
    }

    private @Nullable Frame decode(long number, int input, OwnBuffer slot) throws InterruptedException {
        Path path = inputs.get(input);
        try {
            long start = System.nanoTime();
            FrameFile file = FrameFile.open(path);
            start = clock.busySince(start);
            long before = slot.bytes();
            long growth = Math.max(0, file.size().bytes() - before);
            reserve(number, growth);
            start = clock.waitedSince(start);
            try {
                HostBuffer buffer = slot.atLeast(ElementType.FLOAT, file.size().floats());
                file.decode(buffer.bytes());
                clock.frame();
                return new Frame(path, file.size(), buffer);
            } finally {
                clock.busySince(start);
                // Nothing unless the allocation failed, which leaves the slot empty.
                correct(slot.bytes() - before - growth);
            }
        } catch (FrameException e) {
            failures.add(input, e);
        } catch (EvenerException e) {
            failures.add(input, e);
        }
        return null;
    }

    private synchronized void reserve(long number, long bytes) throws InterruptedException {
        while (bytes > 0 && reserved + bytes > budget && number > wanted) {
            wait();
        }
        reserved += bytes;
    }

    private synchronized void correct(long bytes) {
        reserved += bytes;
        notifyAll();
    }

    private synchronized void want(long number) {
        wanted = number;
        notifyAll();
    }

    /** The next frame in order, waiting for it. Called by the consumer, exactly as often as there are frames. */
    Decoded next(long number) throws InterruptedException {
        want(number);
        Decoded decoded = early.remove(number);
        while (decoded == null) {
            decoded = done.take();
            if (decoded == null) {
                throw new IllegalStateException("frame " + number + " was never decoded");
            }
            if (decoded.number != number) {
                early.put(decoded.number, decoded);
                decoded = null;
            }
        }
        return decoded;
    }

    /** Lets a decoder use the frame's buffer again, unless frames are kept. Called by the consumer. */
    void recycle(Decoded decoded) throws InterruptedException {
        if (!keep) {
            free.put(decoded.slot);
        }
    }

    /** Ends everybody's waiting. */
    void fail(Throwable cause) {
        free.fail(cause);
        done.fail(cause);
    }

    /** All buffers, to be closed when no thread uses them any more. */
    List<OwnBuffer> slots() {
        return new ArrayList<>(slots);
    }
}
