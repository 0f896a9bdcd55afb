package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.EvenerException;
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
    private final StageClock decoding = new StageClock(StreamReport.Stage.DECODE);
    private final StageClock processing = new StageClock(StreamReport.Stage.DEVICES);
    private final StageClock encoding = new StageClock(StreamReport.Stage.ENCODE);
    private final AtomicReference<@Nullable Throwable> cause = new AtomicReference<>();
    private final List<Long> passNanos = new ArrayList<>();

    /** Guarded by this, with the stages, so that an abort meets all or none of them. */
    private final List<Thread> threads = new ArrayList<>();

    private @Nullable DecodeStage decoder;
    private @Nullable EncodeStage encoder;

    private final Object progressLock = new Object();

    /** Guarded by the progress lock. */
    private long done;

    /** Guarded by the progress lock. */
    private boolean listening = true;

    private long total;

    StreamRun(List<Path> inputs, Path folder, FrameStream.Builder options) {
        this.inputs = inputs;
        this.folder = folder;
        this.options = options;
        this.failures = new StreamFailures(inputs);
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
        try {
            start(order, keep, writer);
            Passes passes = new Passes(processor, order, outputs, keep);
            passes.all();
            finishEncoding();
        } catch (InterruptedException | RuntimeException | Error e) {
            thrown = e;
            abort(e);
        }
        end(writer, thrown);
        rethrow(thrown);
        EncodeStage encode = encoder;
        return new StreamReport(
                inputs.size(),
                options.passes,
                processing.times(1).frames(),
                encode == null ? List.of() : encode.written(),
                failures.list(),
                System.nanoTime() - start,
                passNanos,
                List.of(decoding.times(options.decoders), processing.times(1), encoding.times(PICTURES)));
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

    private synchronized void start(int[] order, boolean keep, PngWriter writer) throws InterruptedException {
        DecodeStage decode = new DecodeStage(
                inputs,
                order,
                keep ? 1 : options.passes,
                keep,
                // One with the devices, one ready, and one in the hands of each decoder.
                options.decoders + 2,
                options.budget,
                options.memory,
                failures,
                decoding);
        EncodeStage encode =
                new EncodeStage(writer, PICTURES + 1, options.memory, failures, encoding, input -> progress());
        decoder = decode;
        encoder = encode;
        checkAborted();
        for (int i = 1; i <= options.decoders; i++) {
            start("evener-decode-" + i, decode::decodeAll);
        }
        for (int i = 1; i <= PICTURES; i++) {
            start("evener-encode-" + i, encode::encodeAll);
        }
    }

    /** What a thread of the pipeline does until it ends. */
    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }

    private void start(String name, Work work) {
        Thread thread = new Thread(() -> guarded(work), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void guarded(Work work) {
        try {
            work.run();
        } catch (Throwable e) {
            // After an abort this is its echo, and its first cause stays; else it is the cause.
            abort(e);
        }
    }

    /** Stops the run: nobody waits any longer, and whoever reads or writes is interrupted. First cause only; any thread. */
    void abort(Throwable why) {
        if (!cause.compareAndSet(null, why)) {
            return;
        }
        synchronized (this) {
            if (decoder != null) {
                decoder.fail(why);
            }
            if (encoder != null) {
                encoder.fail(why);
            }
            threads.forEach(Thread::interrupt);
        }
    }

    private void checkAborted() {
        Throwable why = cause.get();
        if (why != null) {
            throw new CompletionException(why);
        }
    }

    private DecodeStage decoder() {
        return Objects.requireNonNull(decoder);
    }

    private EncodeStage encoder() {
        return Objects.requireNonNull(encoder);
    }

    /** The passes over the list, on the thread that runs the stream. */
    private final class Passes {
        private final FrameProcessor processor;
        private final int[] order;
        private final Path[] outputs;
        private final DecodeStage.@Nullable Decoded[] kept;

        Passes(FrameProcessor processor, int[] order, Path[] outputs, boolean keep) {
            this.processor = processor;
            this.order = order;
            this.outputs = outputs;
            this.kept = new DecodeStage.Decoded[keep ? order.length : 0];
        }

        void all() throws InterruptedException {
            long number = 0;
            for (int pass = 1; pass <= options.passes; pass++) {
                long start = System.nanoTime();
                long end = start;
                for (int i = 0; i < order.length; i++) {
                    checkAborted();
                    if (Thread.interrupted()) {
                        // Queues that are never empty nor full would not notice.
                        throw new InterruptedException("interrupted between two frames");
                    }
                    DecodeStage.Decoded decoded = frame(number++, pass, i);
                    if (decoded.frame() == null || failures.contains(decoded.input())) {
                        progress();
                    } else {
                        end = process(decoded, decoded.frame(), pass == options.passes);
                    }
                    decoder().recycle(decoded);
                }
                passNanos.add(end - start);
            }
        }

        private DecodeStage.Decoded frame(long number, int pass, int place) throws InterruptedException {
            if (kept.length > 0 && pass > 1) {
                return Objects.requireNonNull(kept[place]);
            }
            long start = System.nanoTime();
            DecodeStage.Decoded decoded = decoder().next(number);
            decoding.heldSince(start);
            processing.waitedSince(start);
            if (kept.length > 0) {
                kept[place] = decoded;
            }
            return decoded;
        }

        /** Returns when the devices were done with it. */
        private long process(DecodeStage.Decoded decoded, Frame frame, boolean last) throws InterruptedException {
            long start = System.nanoTime();
            OwnBuffer slot = encoder().take();
            encoding.heldSince(start);
            start = processing.waitedSince(start);
            long end = start;
            PixelImage image = null;
            try {
                image = new PixelImage(
                        frame.size(),
                        slot.atLeast(ElementType.UINT, frame.size().words()));
                processor.process(frame, image);
                processing.frame();
            } catch (FrameException e) {
                failures.add(decoded.input(), e);
                image = null;
            } catch (EvenerException e) {
                failures.add(decoded.input(), e);
                image = null;
            } finally {
                processing.heldSince(start);
                end = processing.busySince(start);
            }
            if (image != null && last) {
                encoder().encode(decoded.input(), image, outputs[decoded.input()], slot);
            } else {
                encoder().giveBack(slot);
                progress();
            }
            return end;
        }
    }

    private void finishEncoding() throws InterruptedException {
        long start = System.nanoTime();
        encoder().finish();
        for (Thread thread : threads) {
            thread.join();
        }
        encoding.heldSince(start);
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
    private void end(PngWriter writer, @Nullable Throwable thrown) {
        boolean joined = joinAll();
        List<AutoCloseable> resources = new ArrayList<>();
        if (joined) {
            resources.add(writer);
            if (decoder != null) {
                resources.addAll(decoder.slots());
            }
            if (encoder != null) {
                resources.addAll(encoder.slots());
            }
        } else {
            LOG.warn(
                    "threads of the frame stream still run after {} s; their buffers stay open: {}",
                    TimeUnit.NANOSECONDS.toSeconds(JOIN_NANOS),
                    threads);
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

    private boolean joinAll() {
        boolean interrupted = false;
        long deadline = System.nanoTime() + JOIN_NANOS;
        for (Thread thread : threads) {
            long left = deadline - System.nanoTime();
            while (thread.isAlive() && left > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedJoin(thread, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                left = deadline - System.nanoTime();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return threads.stream().noneMatch(Thread::isAlive);
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
