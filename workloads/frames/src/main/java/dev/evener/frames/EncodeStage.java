package dev.evener.frames;

import dev.evener.kernels.OwnBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntConsumer;

/** Writes pictures with several threads, and owns the buffers that pictures are made in. */
final class EncodeStage {
    private final PngWriter writer;
    private final StreamFailures failures;
    private final StageClock clock;
    private final IntConsumer onDone;
    private final HandOver<OwnBuffer> free;
    private final HandOver<Picture> work;
    private final List<OwnBuffer> slots = new ArrayList<>();
    private final ConcurrentSkipListMap<Integer, Path> written = new ConcurrentSkipListMap<>();

    /** What an encoder is to do. */
    private record Picture(int input, PixelImage image, Path output, OwnBuffer slot) {}

    /**
     * Prepares the stage.
     *
     * @param buffers pictures in the making at once
     * @param onDone told the index of each input whose picture was written or failed; called by encoders
     */
    EncodeStage(
            PngWriter writer,
            int buffers,
            FrameMemory memory,
            StreamFailures failures,
            StageClock clock,
            IntConsumer onDone)
            throws InterruptedException {
        this.writer = writer;
        this.failures = failures;
        this.clock = clock;
        this.onDone = onDone;
        this.free = new HandOver<>(buffers);
        this.work = new HandOver<>(buffers);
        for (int i = 0; i < buffers; i++) {
            OwnBuffer slot = new OwnBuffer(memory::allocate);
            slots.add(slot);
            free.put(slot);
        }
    }

    /** What each encoder thread runs. */
    void encodeAll() throws InterruptedException {
        while (true) {
            long start = System.nanoTime();
            Picture picture = work.take();
            start = clock.waitedSince(start);
            if (picture == null) {
                return;
            }
            try {
                writer.write(picture.image.pixels().bytes(), picture.image.size(), picture.output);
                written.put(picture.input, picture.output);
                clock.frame();
            } catch (FrameException e) {
                failures.add(picture.input, e);
            } finally {
                clock.busySince(start);
            }
            free.put(picture.slot);
            onDone.accept(picture.input);
        }
    }

    /** A buffer for the next picture, waiting for one. */
    OwnBuffer take() throws InterruptedException {
        OwnBuffer slot = free.take();
        if (slot == null) {
            throw new IllegalStateException("the encoders' buffers were closed");
        }
        return slot;
    }

    /** Gives a buffer back without a picture to write. */
    void giveBack(OwnBuffer slot) throws InterruptedException {
        free.put(slot);
    }

    /** Has a picture written; the slot comes back by itself. */
    void encode(int input, PixelImage image, Path output, OwnBuffer slot) throws InterruptedException {
        work.put(new Picture(input, image, output, slot));
    }

    /** No more pictures will come. */
    void finish() {
        work.close();
    }

    /** Ends everybody's waiting. */
    void fail(Throwable cause) {
        free.fail(cause);
        work.fail(cause);
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
