package dev.evener.internal.cl;

import dev.evener.DeviceInfo;
import dev.evener.KernelSource;
import dev.evener.internal.device.DevicePart;
import dev.evener.internal.device.DeviceSpeed;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a device computes right what every job takes for granted: long loops, 64-bit arithmetic, division, atomics, local
 * memory behind barriers; and how fast it is. Run when a device's driver is first seen by this user, before any job; the verdict is kept in a file for
 * each kind of device, driver and version of the test. Mesa's llvmpipe fails in all versions. The test runs in a process of its own
 * ({@link DriverTrial}), so that a driver that crashes or hangs has failed and harms nobody. Thread-safe; tests one
 * device at a time.
 */
public final class SelfTest {
    private static final Logger LOG = LoggerFactory.getLogger(SelfTest.class);
    // Tested anew where another linker is found: PoCL ends the process if that fails.
    private static final KernelSource SOURCE = KernelSource.resource(SelfTest.class, "self-test.cl")
            .withMacro("LINKER", PoclNeeds.linker(System.getenv()).hashCode());

    /** Beyond 16 bits, and still done in a few milliseconds. */
    static final int LOOP_ROUNDS = 100_000;

    static final int ROUNDS = 200;
    static final int ITEMS = 16;

    // Of what is timed: work-items enough for the largest GPU, and their operations in a round
    private static final int MANY = 1 << 18;
    private static final int OPERATIONS = 4;
    private static final int LINK_BYTES = 16 << 20;
    private static final long LONG_ENOUGH_NANOS = 2_000_000;
    private static final int SAMPLES = 7;

    /** The other kernels, with digests of what they give where so many work-items do so many rounds. */
    enum Check {
        WIDE("64-bit arithmetic gives", 0x125332c42817627dL),
        DIVISION("integer division gives", 0x3780258beb08d1c0L),
        ATOMICS("atomic operations give", 0xea0f9638f18ce481L),
        EXCHANGE("local memory behind barriers gives", 0x7dec45827c03e451L);

        private final String what;
        final long digest; // which this class's test computes

        Check(String what, long digest) {
            this.what = what;
            this.digest = digest;
        }

        String kernel() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** More than one, as a process may also have been killed at that moment. */
    private static final int CRASHES = 3;

    /** By the id of the device, and by the name of its file, which equal devices share. */
    private static final Map<String, Verdict> VERDICTS = new ConcurrentHashMap<>();

    /**
     * What came of a test.
     *
     * @param problem what the device gets wrong, or null
     * @param rounds after how many rounds its loops end; {@code Long.MAX_VALUE} if they do not
     * @param speed what it was measured to do, or null
     */
    public record Verdict(
            @Nullable String problem, long rounds, @Nullable DeviceSpeed speed) {
        static final Verdict PASSED = new Verdict(null, Long.MAX_VALUE);

        Verdict(@Nullable String problem, long rounds) {
            this(problem, rounds, null);
        }

        static Verdict of(Properties kept) {
            double launch = DriverTrial.number(kept, "launchNanos", 0);
            double link = DriverTrial.number(kept, "linkBytesPerSecond", 0);
            double operations = DriverTrial.number(kept, "operationsPerSecond", 0);
            return new Verdict(
                    kept.getProperty("problem"),
                    (long) DriverTrial.number(kept, "rounds", Long.MAX_VALUE),
                    Math.min(launch, Math.min(link, operations)) <= 0
                            ? null
                            : new DeviceSpeed(launch, link, operations));
        }

        Properties kept() {
            Properties content = new Properties();
            if (problem != null) {
                content.setProperty("problem", problem);
            }
            content.setProperty("rounds", Long.toString(rounds));
            if (speed != null) {
                content.setProperty("launchNanos", Long.toString((long) speed.launchNanos()));
                content.setProperty("linkBytesPerSecond", Long.toString((long) speed.linkBytesPerSecond()));
                content.setProperty("operationsPerSecond", Long.toString((long) speed.operationsPerSecond()));
            }
            return content;
        }
    }

    private SelfTest() {}

    /**
     * The verdict on a device, tested now if it was not before. A failure is logged once in a process.
     *
     * @param folder where verdicts are kept
     */
    public static synchronized Verdict of(ClDevice device, Path folder) {
        Verdict known = VERDICTS.get(device.id());
        if (known == null) {
            known = VERDICTS.computeIfAbsent(name(device), name -> of(device, folder, usual(), SelfTest::run));
            VERDICTS.put(device.id(), known);
            if (known.problem() != null) {
                String name = device.info().name();
                LOG.info("device {} ({}) failed its self-test: {}", device.id(), name, known.problem());
            }
        }
        return known;
    }

    /** The verdict on a device, or on the one that it is a part of, if this process knows it; otherwise that it passed. */
    public static Verdict known(ClDevice device) {
        return VERDICTS.getOrDefault(DevicePart.of(device.id()).device(), Verdict.PASSED);
    }

    /** As users get it. */
    static DriverTrial usual() {
        return new DriverTrial(
                DriverTrial.java(SelfTest.class), Duration.ofSeconds(60), Duration.ofSeconds(3), LOG::warn);
    }

    /** The verdict from the folder, or else from another process, or else from this test. */
    static Verdict of(ClDevice device, Path folder, DriverTrial trial, Function<ClDevice, Verdict> test) {
        return Verdict.of(trial.verdict(
                subject(device, folder.resolve(name(device))),
                () -> test.apply(device).kept()));
    }

    /** With its verdict in a file. */
    static DriverTrial.Subject subject(ClDevice device, Path file) {
        Map<String, String> failed = Map.of("rounds", Long.toString(Long.MAX_VALUE));
        DeviceInfo is = device.info();
        String driver = "device " + is.id() + " (" + is.name() + ", " + is.platform() + ")";
        return new DriverTrial.Subject(driver, title(device), file, failed, CRASHES);
    }

    /** The other process: tests the device whose verdict has the name of this file. */
    public static void main(String[] arguments) {
        run(Path.of(arguments[0]), SelfTest::run);
    }

    static void run(Path told, Function<ClDevice, Verdict> test) {
        DriverTrial.run(
                told,
                () -> ClDevice.all().stream()
                        .filter(device -> told.endsWith(name(device)))
                        .findFirst()
                        .ifPresent(device -> DriverTrial.here(
                                subject(device, told), () -> test.apply(device).kept())));
    }

    /** Of the verdict's file: another one for another version of the test, kind of device or driver. */
    static String name(ClDevice device) {
        DeviceInfo is = device.info();
        String units = Integer.toString(is.computeUnits()); // of which a container or a variable may leave fewer
        String all = String.join(
                "\0", SOURCE.digest(), is.platform(), is.name(), is.driver(), device.platformVersion(), units);
        return KernelSource.of("key", all).digest().substring(0, 32) + ".properties";
    }

    static String title(ClDevice device) {
        return device.info().platform() + ", " + device.info().name() + ", "
                + device.info().driver();
    }

    // ---- the test ----

    /** @throws LaneFailure if something fails, rather than giving wrong values */
    static Verdict run(ClDevice device) {
        int most = (int) Math.min(ITEMS, Cl.deviceNumber(device.handle(), CL.CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
        int items = Math.max(1, most);
        try (ClContext context = new ClContext(List.of(device))) {
            long[] looped = launch(context, device, "loops", items, LOOP_ROUNDS);
            if (!Arrays.equals(looped, loops(items, LOOP_ROUNDS))) {
                long rounds = looped[0] >>> 32;
                return rounds < LOOP_ROUNDS && Arrays.equals(looped, loops(items, (int) rounds))
                        ? new Verdict(
                                String.format(
                                        Locale.ROOT, "its loops end after %,d rounds, and results are wrong", rounds),
                                rounds)
                        : new Verdict("a loop of many rounds gives wrong values", 0);
            }
            if (device.info().name().startsWith("llvmpipe")) {
                // By its name, and without the kernels that have barriers: no test could survive what is to be found
                // out.
                return new Verdict(
                        "it may end the process while it compiles a barrier within a function, as Mesa 25.0 does",
                        Long.MAX_VALUE);
            }
            for (Check check : items == ITEMS ? Check.values() : new Check[0]) {
                if (digest(launch(context, device, check.kernel(), items, ROUNDS)) != check.digest) {
                    return new Verdict(check.what + " wrong values", Long.MAX_VALUE);
                }
            }
            return new Verdict(null, Long.MAX_VALUE, speed(context, device));
        }
    }

    static long digest(long[] values) {
        return LongStream.of(values).reduce(1, (digest, value) -> digest * 0x9e3779b97f4a7c15L + value);
    }

    private static long[] launch(ClContext context, ClDevice device, String name, int items, int rounds) {
        int bytes = ITEMS * Long.BYTES; // for totals, more than there are items
        ByteBuffer host = Cl.answer(bytes);
        try (ClQueue queue = context.queue(device);
                ClKernel kernel = kernel(context, device, name);
                DeviceBuffer memory = context.allocate(bytes)) {
            kernel.set(0, memory);
            kernel.set(1, rounds);
            queue.run(commands -> {
                commands.send(memory, 0, bytes, host, 0);
                commands.kernel(kernel, null, new long[] {items}, new long[] {items});
                commands.fetch(memory, 0, bytes, host, 0);
            });
        }
        long[] values = new long[ITEMS];
        host.asLongBuffer().get(values);
        return values;
    }

    /** A kernel of the test's. */
    static ClKernel kernel(ClContext context, ClDevice device, String name) {
        return context.kernel(SOURCE, "-D ITEMS=" + ITEMS, device.info(), name);
    }

    /** What it does, which takes some milliseconds; null if that cannot be measured. */
    static @Nullable DeviceSpeed speed(ClContext context, ClDevice device) {
        try (DeviceBuffer pinned = context.allocatePageLocked(LINK_BYTES);
                ClQueue queue = context.queue(device);
                ClKernel kernel = kernel(context, device, "speed");
                DeviceBuffer memory = context.allocate(LINK_BYTES)) {
            kernel.set(0, memory);
            kernel.set(1, 1);
            double launch = least(queue, commands -> commands.kernel(kernel, null, new long[] {1}, null));
            ByteBuffer host = queue.map(pinned);
            double link = 2e9
                    * LINK_BYTES
                    / least(queue, commands -> {
                        commands.send(memory, 0, LINK_BYTES, host, 0);
                        commands.fetch(memory, 0, LINK_BYTES, host, 0);
                    });
            queue.unmap(pinned, host);
            double nanos = 0;
            double operations = 0;
            for (int rounds = 64; nanos < LONG_ENOUGH_NANOS && rounds < 1 << 24; rounds *= 4) {
                kernel.set(1, rounds);
                nanos = least(queue, commands -> commands.kernel(kernel, null, new long[] {MANY}, null));
                operations = 1e9 * MANY * OPERATIONS * rounds / nanos;
            }
            return new DeviceSpeed(launch, link, operations);
        } catch (LaneFailure e) {
            return null;
        }
    }

    /** The least nanoseconds of some runs, as others may be at work; a first one, for which drivers compile, does not count. */
    private static double least(ClQueue queue, Consumer<ClCommands> enqueue) {
        queue.run(enqueue);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < SAMPLES; i++) {
            long start = System.nanoTime();
            queue.run(enqueue);
            least = Math.min(least, System.nanoTime() - start);
        }
        return Math.max(1, least);
    }

    private static int next(int v) {
        return v * 1664525 + 1013904223;
    }

    private static long[] loops(int items, int rounds) {
        long[] out = new long[ITEMS];
        for (int i = 0; i < items; i++) {
            int v = i + 1;
            for (int r = 0; r < rounds; r++) {
                v = next(v);
            }
            out[i] = (long) rounds << 32 | Integer.toUnsignedLong(v);
        }
        return out;
    }
}
