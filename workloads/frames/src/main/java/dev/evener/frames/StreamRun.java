package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.frames.StreamReport.Stage;
import dev.evener.kernels.OwnBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a {@link FrameStream}: its threads, its buffers and their end. */
final class StreamRun {
    private static final Logger LOG = LoggerFactory.getLogger(StreamRun.class);

    /** Frames encoded at once: one is written while the next is compressed, and small ones leave compressors idle. */
    private static final int PICTURES = 2;

    private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final List<Path> inputs;
    private final Path folder;
    private final FrameStream.Builder options;
    private final StreamFailures failures;
    private final StageClock processing = new StageClock(Stage.DEVICES);
    private final StageThreads decoders;
    private final StageThreads encoders = new StageThreads("evener-encode", PICTURES, Stage.ENCODE);
    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();
    private final List<Long> passNanos = new ArrayList<>();

    private final Object progressLock = new Object();

    /** Guarded by the progress lock. */
    private long done;

    /** Guarded by the progress lock. */
    private boolean listening = true;

    private long total;

    StreamRun(Path folder, FrameStream.Builder options) {
        this.inputs = options.inputs;
        this.folder = folder;
        this.options = options;
        this.failures = new StreamFailures(inputs);
        this.decoders = new StageThreads("evener-decode", options.decoders, Stage.DECODE);
    }

    StreamReport run(FrameProcessor processor) throws InterruptedException {
        long start = System.nanoTime();
        Path[] outputs = OutputNames.of(inputs, folder, failures);
        boolean keep = options.passes > 1 && fitsBudget();
        int[] order = IntStream.range(0, inputs.size())
                .filter(i -> !failures.contains(i))
                .toArray();
        total = (long) order.length * options.passes;
        Throwable thrown = null;
        PngWriter writer = new PngWriter(options.encoders);
        DecodeStage decoder = new DecodeStage(order, options, keep, failures, decoders);
        EncodeStage encoder =
                new EncodeStage(writer, PICTURES + 1, options.memory, failures, encoders, input -> progress());
        try {
            new Passes(processor, order, outputs, keep, decoder, encoder).all();
            finish(encoder);
        } catch (InterruptedException | RuntimeException | Error e) {
            thrown = e;
            abort(e instanceof StageThreads.TaskFailed ? e.getCause() : e);
        }
        List<AutoCloseable> resources = new ArrayList<>(decoder.slots());
        resources.addAll(encoder.slots());
        resources.add(writer);
        end(resources, thrown);
        rethrow(thrown);
        return new StreamReport(
                inputs.size(),
                options.passes,
                processing.times(1).frames(),
                encoder.written(),
                failures.list(),
                System.nanoTime() - start,
                passNanos,
                List.of(decoders.clock.times(options.decoders), processing.times(1), encoders.clock.times(PICTURES)));
    }

    /** Whether all frames can be kept between passes, from their headers; those that fail are out for good. */
    private boolean fitsBudget() {
        long bytes = 0;
        for (int i = 0; i < inputs.size(); i++) {
            if (!failures.contains(i)) {
                try {
                    bytes += FrameFile.open(inputs.get(i)).size().bytes();
                } catch (FrameException e) {
                    failures.add(i, e);
                }
            }
        }
        return bytes <= options.budget;
    }

    /** Stops the run: nobody waits any longer, and whoever reads or writes is interrupted. First cause only; any thread. */
    void abort(Throwable why) {
        if (cause.compareAndSet(null, why)) {
            decoders.stop();
            encoders.stop();
        }
    }

    private void checkAborted() {
        Throwable why = cause.get();
        if (why != null) {
            throw new CompletionException(why);
        }
    }

    /** The passes over the list, on the thread that runs the stream. */
    private final class Passes {
        private final FrameProcessor processor;
        private final int[] order;
        private final Path[] outputs;
        private final DecodeStage.@Nullable Decoded[] kept;
        private final DecodeStage decoder;
        private final EncodeStage encoder;

        Passes(
                FrameProcessor processor,
                int[] order,
                Path[] outputs,
                boolean keep,
                DecodeStage decoder,
                EncodeStage encoder) {
            this.processor = processor;
            this.order = order;
            this.outputs = outputs;
            this.kept = new DecodeStage.Decoded[keep ? order.length : 0];
            this.decoder = decoder;
            this.encoder = encoder;
        }

        void all() throws InterruptedException {
            for (int pass = 1; pass <= options.passes; pass++) {
                long start = System.nanoTime();
                long end = start;
                for (int i = 0; i < order.length; i++) {
                    checkAborted();
                    if (Thread.interrupted()) {
                        // Waiting for what is there already would not notice.
                        throw new InterruptedException("interrupted between two frames");
                    }
                    DecodeStage.Decoded decoded = frame(pass, i);
                    if (decoded.frame() == null || failures.contains(decoded.input())) {
                        progress();
                    } else {
                        end = process(decoded, decoded.frame(), pass == options.passes);
                    }
                    decoder.recycle(decoded);
                }
                passNanos.add(end - start);
            }
        }

        private DecodeStage.Decoded frame(int pass, int place) throws InterruptedException {
            if (kept.length > 0 && pass > 1) {
                return Objects.requireNonNull(kept[place]);
            }
            long start = System.nanoTime();
            DecodeStage.Decoded decoded = decoder.next();
            decoders.clock.heldSince(start);
            processing.waitedSince(start);
            if (kept.length > 0) {
                kept[place] = decoded;
            }
            return decoded;
        }

        /** Returns when the devices were done with it. */
        private long process(DecodeStage.Decoded decoded, Frame frame, boolean last) throws InterruptedException {
            long start = System.nanoTime();
            OwnBuffer slot = encoder.take();
            encoders.clock.heldSince(start);
            start = processing.waitedSince(start);
            long end = start;
            PixelImage image = null;
            try {
                image = new PixelImage(
                        frame.size(),
                        slot.atLeast(ElementType.UINT, frame.size().words()));
                processor.process(frame, image);
                processing.frame();
            } catch (FrameException | EvenerException e) {
                failures.add(decoded.input(), e);
                image = null;
            } finally {
                processing.heldSince(start);
                end = processing.busySince(start);
            }
            if (image != null && last) {
                encoder.encode(decoded.input(), image, outputs[decoded.input()], slot);
            } else {
                encoder.giveBack(slot);
                progress();
            }
            return end;
        }
    }

    private void finish(EncodeStage encoder) throws InterruptedException {
        long start = System.nanoTime();
        encoder.finish();
        encoders.clock.heldSince(start);
        checkAborted();
    }

    private void progress() {
        synchronized (progressLock) {
            done++;
            if (listening) {
                try {
                    options.progress.update(done, total);
                } catch (RuntimeException e) {
                    listening = false;
                    LOG.warn("the progress listener failed and is not called again", e);
                }
            }
        }
    }

    /** Joins all threads, then closes all buffers. */
    private void end(List<AutoCloseable> resources, @Nullable Throwable thrown) {
        long deadline = System.nanoTime() + JOIN_NANOS;
        boolean decoded = decoders.join(deadline);
        boolean encoded = encoders.join(deadline);
        if (!decoded || !encoded) {
            LOG.warn(
                    "threads of the frame stream still run after {} s; their buffers stay open: {}, {}",
                    TimeUnit.NANOSECONDS.toSeconds(JOIN_NANOS),
                    decoders,
                    encoders);
            return;
        }
        for (AutoCloseable resource : resources) {
            try {
                resource.close();
            } catch (Exception e) {
                if (thrown != null) {
                    thrown.addSuppressed(e);
                } else {
                    LOG.warn("a buffer of the frame stream could not be closed", e);
                }
            }
        }
    }

    /** Throws what ended the run, which is the first cause and not its echo in a thread that was made to stop. */
    private void rethrow(@Nullable Throwable thrown) throws InterruptedException {
        Throwable first = cause.get();
        if (thrown == null || first == null) {
            return;
        }
        if (first instanceof CancellationException cancelled) {
            throw cancelled;
        }
        if (first != thrown) {
            throw new IllegalStateException("a thread of the frame stream failed: " + first, first);
        }
        if (thrown instanceof InterruptedException e) {
            throw e;
        }
        if (thrown instanceof Error e) {
            throw e;
        }
        throw (RuntimeException) thrown;
    }
}
