package dev.evener.internal.cl;

import dev.evener.KernelSource;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.recovery.LaneFailure;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What it costs two devices of one platform to share a context: two threads launch and wait, one for each device, in one context and
 * then in a context each; and one device uses an object that the other has filled, and a new one. NVIDIA's driver (580) takes 2.5 times
 * as long for such calls of two devices, and moves the whole object at 1 GB/s. Tried when a driver offers two such devices for the first
 * time, after both have passed the {@link SelfTest}; the result is kept as that one's is. It runs in a process of its own, as that one does, and in this one
 * where no other can be started; devices whose driver ends that process, or does not come back, cannot share. Stateless; any thread.
 */
public final class ContextTrial {
    private static final Logger LOG = LoggerFactory.getLogger(ContextTrial.class);

    /** Below it a difference is taken for noise: what two devices may lose where calls of one do not wait for those of the other. */
    private static final double FREE = 1.25;

    private static final int CALLS = 200;
    private static final int WARM_UPS = 20;
    private static final int SAMPLES = 3;
    private static final int OBJECT_BYTES = 16 << 20;

    /** For the other process. It takes 1 to 2 s, most of it the driver's beginning. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final Verdict CANNOT = new Verdict(Double.POSITIVE_INFINITY, 1);

    private ContextTrial() {}

    /**
     * What was found.
     *
     * @param calls how many times as long calls of two threads take in one context as in two; infinite if a context cannot be shared
     * @param handOver how many times as long the first use of an object takes that the other device has used, as that of a new one
     */
    public record Verdict(double calls, double handOver) {
        /** Whether sharing costs nothing. */
        public boolean isFree() {
            return Math.max(calls, handOver) <= FREE;
        }

        /** Why sharing is not free, in words. */
        public String reason() {
            return Double.isInfinite(calls)
                    ? "they cannot share one"
                    : String.format(
                            Locale.ROOT,
                            "in one context calls take %.1f times, and an object that another device has used %.1f times as long",
                            calls,
                            handOver);
        }
    }

    /**
     * The verdict on two devices of one platform, tried now if it was not before.
     *
     * @param folder where verdicts are kept
     */
    public static Verdict of(ClDevice one, ClDevice other, Path folder) {
        return of(one, other, folder, (a, b) -> apart(a, b, DriverTrial.java(ContextTrial.class), LIMIT));
    }

    static Verdict of(ClDevice one, ClDevice other, Path folder, BiFunction<ClDevice, ClDevice, Verdict> trial) {
        Path file = folder.resolve(name(one, other));
        Verdict kept = verdict(SelfTest.read(file));
        if (kept != null) {
            return kept;
        }
        try {
            Files.createDirectories(folder);
            try (FileChannel turn = new RandomAccessFile(file + ".lock", "rw").getChannel()) {
                return AtomicFiles.lock(turn)
                        ? marked(one, other, file, trial)
                        : kept(one, other, file, tried(one, other, trial));
            }
        } catch (IOException e) { // nothing can be kept there
            return tried(one, other, trial);
        }
    }

    /** To be called while no other process tries: one that began and has not ended was ended, by a driver that cannot do it. */
    private static Verdict marked(
            ClDevice one, ClDevice other, Path file, BiFunction<ClDevice, ClDevice, Verdict> trial) {
        Properties before = SelfTest.read(file);
        Verdict kept = verdict(before); // of whoever had the turn before
        if (kept != null) {
            return kept;
        }
        boolean ended = before.containsKey("process");
        before.setProperty("process", Long.toString(ProcessHandle.current().pid()));
        SelfTest.write(file, title(one, other), before);
        return kept(one, other, file, ended ? CANNOT : tried(one, other, trial));
    }

    private static Verdict tried(ClDevice one, ClDevice other, BiFunction<ClDevice, ClDevice, Verdict> trial) {
        try {
            return trial.apply(one, other);
        } catch (LaneFailure e) {
            LOG.debug(
                    "devices {} and {} share no context",
                    one.info().id(),
                    other.info().id(),
                    e);
            return CANNOT;
        }
    }

    private static String name(ClDevice one, ClDevice other) {
        String all = String.join("\0", SelfTest.name(one), SelfTest.name(other));
        return "contexts-" + KernelSource.of("key", all).digest().substring(0, 32) + ".properties";
    }

    private static String title(ClDevice one, ClDevice other) {
        return SelfTest.title(one) + " and " + SelfTest.title(other);
    }

    private static @Nullable Verdict verdict(Properties kept) {
        try {
            return new Verdict(
                    Double.parseDouble(kept.getProperty("calls", "")),
                    Double.parseDouble(kept.getProperty("handOver", "")));
        } catch (NumberFormatException e) { // none yet, or another text
            return null;
        }
    }

    private static Verdict kept(ClDevice one, ClDevice other, Path file, Verdict verdict) {
        Properties content = new Properties();
        content.setProperty("calls", Double.toString(verdict.calls()));
        content.setProperty("handOver", Double.toString(verdict.handOver()));
        SelfTest.write(file, title(one, other), content);
        return verdict;
    }

    // ---- in another process ----

    /**
     * The verdict of another process, or, if none began, of this one.
     *
     * @param command starts the process, but for the file that it writes and the devices; empty if that cannot be
     */
    static Verdict apart(ClDevice one, ClDevice other, List<String> command, Duration limit) {
        if (command.isEmpty()) {
            return run(one, other);
        }
        Path folder = null;
        try {
            folder = Files.createTempDirectory("evener-trial");
            Path told = folder.resolve("contexts.properties");
            List<String> whole = new ArrayList<>(command);
            whole.addAll(List.of(told.toString(), one.info().id(), other.info().id()));
            DriverTrial.runs(whole, limit);
            Properties found = SelfTest.read(told);
            Verdict verdict = verdict(found);
            if (verdict != null || found.containsKey("process")) {
                return verdict != null ? verdict : CANNOT;
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("contexts are tried in this process, as no other can be started", e);
        } finally {
            if (folder != null) {
                NativeLibrary.remove(folder);
            }
        }
        return run(one, other);
    }

    /** The other process: tries the devices of two ids, and leaves the verdict in a file. */
    public static void main(String[] arguments) {
        Path told = Path.of(arguments[0]);
        DriverTrial.runs(told, () -> {
            ClDevice one = ClDevice.find(arguments[1]).orElseThrow();
            ClDevice other = ClDevice.find(arguments[2]).orElseThrow();
            Properties begun = new Properties();
            begun.setProperty("process", Long.toString(ProcessHandle.current().pid()));
            SelfTest.write(told, title(one, other), begun);
            kept(one, other, told, tried(one, other, ContextTrial::run));
        });
    }

    // ---- the trial ----

    /** @throws LaneFailure if the two cannot share a context */
    static Verdict run(ClDevice one, ClDevice other) {
        List<ClDevice> both = List.of(one, other);
        double shared;
        double handOver;
        try (ClContext context = new ClContext(both)) {
            shared = atOnce(context, one, context, other);
            handOver = handOver(context, one, other);
        }
        try (ClContext ofOne = new ClContext(List.of(one));
                ClContext ofOther = new ClContext(List.of(other))) {
            return new Verdict(shared / atOnce(ofOne, one, ofOther, other), handOver);
        }
    }

    /** The least nanoseconds that two threads take for some launches each, on a device each. */
    private static double atOnce(ClContext context, ClDevice one, ClContext context2, ClDevice other) {
        long bytes = Long.BYTES * SelfTest.ITEMS;
        double[] least = {Double.POSITIVE_INFINITY};
        SelfTest.Use onBoth = (queue, kernel, memory) ->
                SelfTest.with(context2, other, "speed", bytes, (queue2, kernel2, memory2) -> {
                    kernel.set(1, 1);
                    kernel2.set(1, 1);
                    for (int i = 0; i < SAMPLES; i++) {
                        CountDownLatch both = new CountDownLatch(2);
                        CompletableFuture<Long> beside = new CompletableFuture<>();
                        Thread thread = new Thread(() -> launch(queue2, kernel2, beside, both), "evener-self-test");
                        thread.setDaemon(true);
                        thread.start();
                        CompletableFuture<Long> here = new CompletableFuture<>();
                        launch(queue, kernel, here, both);
                        least[0] = Math.min(least[0], (double) Math.max(here.join(), beside.join()));
                    }
                });
        try {
            SelfTest.with(context, one, "speed", bytes, onBoth);
            return least[0];
        } catch (CompletionException e) {
            throw e.getCause() instanceof LaneFailure failure ? failure : e;
        }
    }

    /**
     * Completes a future with the nanoseconds of some launches of one work-item, begun when the other thread begins.
     */
    private static void launch(ClQueue queue, ClKernel kernel, CompletableFuture<Long> nanos, CountDownLatch both) {
        Consumer<ClCommands> one = commands -> commands.kernel(kernel, null, new long[] {1}, null);
        try {
            for (int i = 0; i < WARM_UPS; i++) {
                queue.run(one);
            }
            both.countDown();
            both.await();
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                queue.run(one);
            }
            nanos.complete(System.nanoTime() - start);
        } catch (Throwable e) {
            both.countDown();
            nanos.completeExceptionally(e);
        }
    }

    private static double handOver(ClContext context, ClDevice one, ClDevice other) {
        ByteBuffer zeros = ByteBuffer.allocateDirect(OBJECT_BYTES);
        ClQueue first = context.queue(one);
        ClQueue second = context.queue(other);
        try {
            double fresh = Double.POSITIVE_INFINITY;
            double used = Double.POSITIVE_INFINITY;
            for (int i = 0; i < SAMPLES; i++) {
                DeviceBuffer untouched = context.allocate(OBJECT_BYTES);
                try {
                    fresh = Math.min(fresh, touch(second, untouched));
                } finally {
                    untouched.release();
                }
                DeviceBuffer filled = context.allocate(OBJECT_BYTES);
                try {
                    first.run(commands -> commands.send(filled, 0, OBJECT_BYTES, zeros, 0));
                    used = Math.min(used, touch(second, filled));
                } finally {
                    filled.release();
                }
            }
            return used / fresh;
        } finally {
            second.release();
            first.release();
        }
    }

    private static double touch(ClQueue queue, DeviceBuffer buffer) {
        long start = System.nanoTime();
        queue.touch(buffer);
        return Math.max(1, System.nanoTime() - start);
    }
}
