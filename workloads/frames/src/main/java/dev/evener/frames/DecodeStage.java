package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.OwnBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a list of inputs one or more times with several threads, some frames ahead of the thread that takes them in order,
 * which is the only one to call its methods.
 *
 * <p>There are only so many buffers: a frame that is done with gives its own to the next one that is not begun. Memory is
 * rationed besides: whoever would exceed the budget waits, unless its frame is the one that is waited for. That one is never
 * behind others, since frames are begun in order.
 */
final class DecodeStage {
    private final List<Path> inputs;
    private final int[] order;
    private final long total;
    private final boolean keep;
    private final long budget;
    private final Allocator memory;
    private final StreamFailures failures;
    private final StageClock clock;
    private final StageThreads threads;
    private final List<OwnBuffer> slots = new ArrayList<>();
    private final Queue<CompletableFuture<Decoded>> ahead = new ArrayDeque<>();
    private long begun;

    /** Guarded by this. */
    private long reserved;

    /** The number that is waited for. Guarded by this. */
    private long wanted;

    /**
     * An input's outcome.
     *
     * @param input index in the list of inputs
     * @param slot what holds the frame
     * @param frame the frame, or null if the input failed
     */
    record Decoded(int input, OwnBuffer slot, @Nullable Frame frame) {}

    /**
     * @param order indexes of the inputs to decode
     * @param keep whether every frame gets a buffer of its own and is decoded once, for all passes
     */
    DecodeStage(int[] order, FrameStream.Builder options, boolean keep, StreamFailures failures, StageThreads threads) {
        this.inputs = options.inputs;
        this.order = order;
        this.total = (long) order.length * (keep ? 1 : options.passes);
        this.keep = keep;
        this.budget = options.budget;
        this.memory = options.memory;
        this.failures = failures;
        this.clock = threads.clock;
        this.threads = threads;
        for (int i = 0; i < options.decoders + 2; i++) { // one with the devices, one ready, and one for each decoder
            beginNext(null);
        }
    }

    private void beginNext(@Nullable OwnBuffer used) {
        if (begun == total) {
            return;
        }
        OwnBuffer slot = used;
        if (slot == null) {
            slot = new OwnBuffer(memory);
            slots.add(slot);
        }
        OwnBuffer own = slot;
        long number = begun++;
        int input = order[(int) (number % order.length)];
        ahead.add(threads.submit(
                () -> new Decoded(input, own, failures.contains(input) ? null : decode(number, input, own))));
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
        } catch (FrameException | EvenerException e) {
            failures.add(input, e);
            return null;
        }
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

    /** The next frame in order, waiting for it; as often as there are frames. */
    Decoded next() throws InterruptedException {
        want(begun - ahead.size());
        return StageThreads.await(ahead.remove());
    }

    /** Begins the next frame, in this one's buffer, unless frames are kept. */
    void recycle(Decoded decoded) {
        beginNext(keep ? null : decoded.slot);
    }

    /** All buffers, to be closed when no thread uses them any more. */
    List<OwnBuffer> slots() {
        return slots;
    }
}
