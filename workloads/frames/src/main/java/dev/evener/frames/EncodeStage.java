package dev.evener.frames;

import dev.evener.kernels.Allocator;
import dev.evener.kernels.OwnBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntConsumer;

/** Writes pictures with several threads, and owns the buffers that pictures are made in. One thread calls its methods. */
final class EncodeStage {
    private final PngWriter writer;
    private final StreamFailures failures;
    private final StageClock clock;
    private final StageThreads threads;
    private final IntConsumer onDone;
    private final List<OwnBuffer> slots = new ArrayList<>();
    private final Queue<OwnBuffer> free = new ArrayDeque<>();
    private final List<CompletableFuture<OwnBuffer>> underWay = new ArrayList<>();
    private final ConcurrentSkipListMap<Integer, Path> written = new ConcurrentSkipListMap<>();

    /**
     * Prepares the stage.
     *
     * @param buffers pictures in the making at once
     * @param onDone told the index of each input whose picture was written or failed; called by encoders
     */
    EncodeStage(
            PngWriter writer,
            int buffers,
            Allocator memory,
            StreamFailures failures,
            StageThreads threads,
            IntConsumer onDone) {
        this.writer = writer;
        this.failures = failures;
        this.clock = threads.clock;
        this.threads = threads;
        this.onDone = onDone;
        for (int i = 0; i < buffers; i++) {
            slots.add(new OwnBuffer(memory));
        }
        free.addAll(slots);
    }

    /** A buffer for the next picture, waiting for one. */
    OwnBuffer take() throws InterruptedException {
        while (free.isEmpty()) {
            StageThreads.await(CompletableFuture.anyOf(underWay.toArray(CompletableFuture<?>[]::new)));
            for (Iterator<CompletableFuture<OwnBuffer>> each = underWay.iterator(); each.hasNext(); ) {
                CompletableFuture<OwnBuffer> picture = each.next();
                if (picture.isDone()) {
                    free.add(StageThreads.await(picture));
                    each.remove();
                }
            }
        }
        return free.remove();
    }

    /** Gives a buffer back without a picture to write. */
    void giveBack(OwnBuffer slot) {
        free.add(slot);
    }

    /** Has a picture written; the slot comes back by itself. */
    void encode(int input, PixelImage image, Path output, OwnBuffer slot) {
        underWay.add(threads.submit(() -> {
            long start = System.nanoTime();
            try {
                writer.write(image.pixels().bytes(), image.size(), output);
                written.put(input, output);
                clock.frame();
            } catch (FrameException e) {
                failures.add(input, e);
            } finally {
                clock.busySince(start);
            }
            onDone.accept(input);
            return slot;
        }));
    }

    /** Waits until all pictures are written. */
    void finish() throws InterruptedException {
        for (CompletableFuture<OwnBuffer> picture : underWay) {
            StageThreads.await(picture);
        }
    }

    /** The files written so far, in the order of the inputs. */
    List<Path> written() {
        return List.copyOf(written.values());
    }

    /** All buffers, to be closed when no thread uses them any more. */
    List<OwnBuffer> slots() {
        return slots;
    }
}
