package dev.evener.internal.cl;

import dev.evener.KernelSource;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Phaser;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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
        private Map<String, String> kept() {
            return Map.of("calls", Double.toString(calls), "handOver", Double.toString(handOver));
        }

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
        return of(one, other, folder, trial(java(one, other), LIMIT), ContextTrial::run);
    }

    /** Nobody is told: it takes no longer than a driver's beginning, or is given up. */
    static DriverTrial trial(List<String> command, Duration limit) {
        return new DriverTrial(command, limit, limit, said -> {});
    }

    static List<String> java(ClDevice one, ClDevice other) {
        return DriverTrial.java(ContextTrial.class, one.id(), other.id());
    }

    static Verdict of(
            ClDevice one,
            ClDevice other,
            Path folder,
            DriverTrial trial,
            BiFunction<ClDevice, ClDevice, Verdict> test) {
        String both = String.join("\0", SelfTest.name(one), SelfTest.name(other));
        String name = "contexts-" + KernelSource.of("key", both).digest().substring(0, 32) + ".properties";
        Properties kept = trial.verdict(subject(one, other, folder.resolve(name)), () -> tried(one, other, test));
        return new Verdict(
                DriverTrial.number(kept, "calls", CANNOT.calls()),
                DriverTrial.number(kept, "handOver", CANNOT.handOver()));
    }

    /**
     * A driver that ended a process with both in one context cannot do it: once is enough, as every later start would
     * be ended too.
     */
    private static DriverTrial.Subject subject(ClDevice one, ClDevice other, Path file) {
        String title = SelfTest.title(one) + " and " + SelfTest.title(other);
        return new DriverTrial.Subject("devices " + title, title, file, CANNOT.kept(), 1);
    }

    private static Properties tried(ClDevice one, ClDevice other, BiFunction<ClDevice, ClDevice, Verdict> test) {
        Verdict found = CANNOT;
        try {
            found = test.apply(one, other);
        } catch (LaneFailure e) {
            LOG.debug("devices {} and {} share no context", one.id(), other.id(), e);
        }
        Properties kept = new Properties();
        kept.putAll(found.kept());
        return kept;
    }

    /** The other process: tries the devices of two ids, and leaves the verdict in a file. */
    public static void main(String[] arguments) {
        Path told = Path.of(arguments[2]);
        DriverTrial.run(told, () -> {
            ClDevice one = ClDevice.find(arguments[0]).orElseThrow();
            ClDevice other = ClDevice.find(arguments[1]).orElseThrow();
            DriverTrial.here(subject(one, other, told), () -> tried(one, other, ContextTrial::run));
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
        double least = Double.POSITIVE_INFINITY;
        try (ClQueue queue = context.queue(one);
                ClQueue queue2 = context2.queue(other);
                ClKernel kernel = SelfTest.kernel(context, one, "speed");
                ClKernel kernel2 = SelfTest.kernel(context2, other, "speed");
                DeviceBuffer memory = context.allocate(bytes);
                DeviceBuffer memory2 = context2.allocate(bytes)) {
            kernel.set(0, memory);
            kernel.set(1, 1);
            kernel2.set(0, memory2);
            kernel2.set(1, 1);
            for (int i = 0; i < SAMPLES; i++) {
                Phaser both = new Phaser(2);
                CompletableFuture<Long> beside =
                        CompletableFuture.supplyAsync(() -> launch(queue2, kernel2, both), DriverTrial::beside);
                least = Math.min(least, (double) Math.max(launch(queue, kernel, both), beside.join()));
            }
            return least;
        } catch (CompletionException e) {
            throw e.getCause() instanceof LaneFailure failure ? failure : e;
        }
    }

    /** The nanoseconds of some launches of one work-item, begun when the other thread begins. */
    private static long launch(ClQueue queue, ClKernel kernel, Phaser both) {
        Consumer<ClCommands> one = commands -> commands.kernel(kernel, null, new long[] {1}, null);
        try {
            for (int i = 0; i < WARM_UPS; i++) {
                queue.run(one);
            }
            both.arriveAndAwaitAdvance();
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                queue.run(one);
            }
            return System.nanoTime() - start;
        } finally {
            both.arriveAndDeregister(); // nobody waits for one that failed
        }
    }

    private static double handOver(ClContext context, ClDevice one, ClDevice other) {
        ByteBuffer zeros = ByteBuffer.allocateDirect(OBJECT_BYTES);
        double fresh = Double.POSITIVE_INFINITY;
        double used = Double.POSITIVE_INFINITY;
        try (ClQueue first = context.queue(one);
                ClQueue second = context.queue(other)) {
            for (int i = 0; i < SAMPLES; i++) {
                try (DeviceBuffer untouched = context.allocate(OBJECT_BYTES)) {
                    fresh = Math.min(fresh, touch(second, untouched));
                }
                try (DeviceBuffer filled = context.allocate(OBJECT_BYTES)) {
                    first.run(commands -> commands.send(filled, 0, OBJECT_BYTES, zeros, 0));
                    used = Math.min(used, touch(second, filled));
                }
            }
        }
        return used / fresh;
    }

    private static double touch(ClQueue queue, DeviceBuffer buffer) {
        long start = System.nanoTime();
        queue.touch(buffer);
        return Math.max(1, System.nanoTime() - start);
    }
}
