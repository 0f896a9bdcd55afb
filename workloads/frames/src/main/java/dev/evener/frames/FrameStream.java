package dev.evener.frames;

import dev.evener.Evener;
import dev.evener.kernels.Allocator;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames, has each one processed, and writes the pictures as PNG files, all at once: while the devices have one
 * frame, decoders read the next ones and encoders write the last ones. Frames wait for each other in bounded queues, so
 * memory does not grow with the number of inputs.
 *
 * <p><b>Failures.</b> A file that cannot be read, processed or written is one line in the report; the others go on, and it
 * is not tried again in later passes. Of two inputs whose pictures would have one name, the second fails.
 *
 * <p><b>Passes.</b> To measure devices, the list can be gone through several times. If all frames together fit the memory
 * budget, they are decoded in the first pass and kept; else every pass decodes them again. Pictures are written by the last
 * pass only, so that encoders do not take cores from the passes before. Every pass processes the same frames and so makes
 * the same pixels.
 *
 * <p>One run only. {@link #run} is called by one thread, on which the processor runs; {@link #close} and the builder's
 * progress listener may be called by others.
 */
public final class FrameStream implements AutoCloseable {
    private final Builder options;
    private final Path folder;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Guarded by this. */
    private boolean closed;

    /** The run under way or over. Guarded by this. */
    private @Nullable StreamRun run;

    /** The thread in {@link #run}. Guarded by this. */
    private @Nullable Thread runner;

    private FrameStream(Builder options, Path folder) {
        this.options = options;
        this.folder = folder;
    }

    /** Told how far the run is, by one thread at a time; if it throws, it is told nothing more. */
    @FunctionalInterface
    public interface Progress {
        /**
         * One more frame is finished, or has failed.
         *
         * @param done frames finished, all passes together
         * @param total all there are
         */
        void update(long done, long total);
    }

    /** Describes a stream over these files, in this order, with buffers from {@code memory}. */
    public static Builder of(List<Path> inputs, Allocator memory) {
        return new Builder(inputs, memory);
    }

    /**
     * Runs the stream to its end. When it returns or throws, all its threads have ended and all its buffers are closed.
     *
     * @throws FrameException if the output folder cannot be made
     * @throws InterruptedException if the calling thread is interrupted; files complete by then stay
     * @throws CancellationException if the stream is closed meanwhile
     * @throws IllegalStateException if it was run before
     */
    public StreamReport run(FrameProcessor processor) throws FrameException, InterruptedException {
        StreamRun mine;
        synchronized (this) {
            if (run != null) {
                throw new IllegalStateException("a frame stream runs only once");
            }
            if (closed) {
                throw new CancellationException("the frame stream is closed");
            }
            mine = new StreamRun(folder, options);
            run = mine;
            runner = Thread.currentThread();
        }
        try {
            makeFolder();
            return mine.run(processor);
        } finally {
            ended.countDown();
        }
    }

    private void makeFolder() throws FrameException {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw new FrameException(folder, "is a file, not a folder for pictures", e);
        } catch (IOException e) {
            throw new FrameException(folder, "cannot be made a folder for pictures: " + FrameException.reason(e), e);
        }
    }

    /**
     * Ends a run early and waits until it has ended; the frame that is with the processor is finished first. Without a run
     * it only prevents one. Idempotent; any thread, and from within the processor without waiting.
     */
    @Override
    public void close() {
        StreamRun present;
        boolean inside;
        synchronized (this) {
            closed = true;
            present = run;
            inside = Thread.currentThread() == runner;
        }
        if (present == null) {
            return;
        }
        present.abort(new CancellationException("the frame stream was closed"));
        boolean interrupted = false;
        while (!inside && ended.getCount() > 0) {
            try {
                ended.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Settings of a stream, with a default each. One thread. */
    public static final class Builder {
        final List<Path> inputs;
        final Allocator memory;
        int passes = 1;
        int decoders;
        int encoders;
        // Direct memory is limited to the heap's limit by default, and devices need theirs besides.
        long budget = Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 4);
        Progress progress = (done, total) -> {};

        private Builder(List<Path> inputs, Allocator memory) {
            this.inputs = List.copyOf(inputs);
            this.memory = memory;
            int cores = Evener.processors();
            // Decoding costs a fifth of encoding, and encoding has the cores only while devices leave them.
            this.decoders = Math.max(1, Math.min(4, cores / 2));
            this.encoders = cores;
        }

        /** How often to go through the list, at least 1, the default. */
        public Builder passes(int passes) {
            this.passes = atLeastOne(passes, "passes");
            return this;
        }

        /** Threads that decode; by default half the cores, at most 4. */
        public Builder decoders(int decoders) {
            this.decoders = atLeastOne(decoders, "decoders");
            return this;
        }

        /** Threads that compress pictures; by default as many as cores. */
        public Builder encoders(int encoders) {
            this.encoders = atLeastOne(encoders, "encoders");
            return this;
        }

        /**
         * Bytes of decoded frames to hold at once; by default 1 GiB or a quarter of the JVM's largest heap, if that is
         * less. One frame is decoded however large it is.
         */
        public Builder budget(long bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("a memory budget of " + bytes + " bytes");
            }
            this.budget = bytes;
            return this;
        }

        /** Who is told how far the run is. */
        public Builder progress(Progress progress) {
            this.progress = progress;
            return this;
        }

        /** The stream, writing to this folder, which is made if it is not there when the run starts. */
        public FrameStream into(Path folder) {
            return new FrameStream(this, folder);
        }

        private static int atLeastOne(int value, String what) {
            if (value < 1 || value > 1 << 20) {
                throw new IllegalArgumentException(value + " " + what + "; there must be 1 to " + (1 << 20));
            }
            return value;
        }
    }
}
