package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ChildJava;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Variant;
import dev.evener.internal.cl.SelfTest.Verdict;
import dev.evener.internal.device.DeviceChoice;
import dev.evener.internal.device.DeviceSpeed;
import dev.evener.internal.device.Devices;
import dev.evener.internal.device.MadeUpBackEnd;
import dev.evener.internal.recovery.LaneFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What finds drivers out that compute wrongly, and what is kept of it. */
class SelfTestTest {
    private static final int ITEMS = SelfTest.ITEMS;
    private static final int ROUNDS = SelfTest.ROUNDS;
    private static final Verdict FAILED = new Verdict("atomic operations give wrong values", 65_535);

    /** Starts no process. */
    private static final DriverTrial HERE =
            new DriverTrial(List.of(), Duration.ofMinutes(5), Duration.ofMinutes(5), said -> {});

    @TempDir
    Path folder;

    private int tests;

    private final ClDevice device = ClDevice.all().get(0);

    private Verdict verdict(Function<ClDevice, Verdict> test) {
        return SelfTest.of(device, folder, HERE, d -> {
            tests++;
            return test.apply(d);
        });
    }

    private Path file() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all =
                    files.filter(file -> !file.toString().endsWith(".lock")).toList();
            assertEquals(1, all.size());
            return all.get(0);
        }
    }

    // ---- what it finds ----

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "0.1", "1.0"})
    void aDeviceFailsIfItsLoopsEndEarlyOrItIsLlvmpipe(String id) {
        ClDevice tested = ClDevice.all().stream()
                .filter(d -> d.info().id().equals(id))
                .findFirst()
                .orElseThrow();
        Verdict verdict = SelfTest.run(tested);
        int rounds = SelfTest.LOOP_ROUNDS;
        int done = loop(id, rounds);
        assertEquals(done == rounds ? Long.MAX_VALUE : done, verdict.rounds());
        String problem = verdict.problem();
        if (id.startsWith("0.")) {
            assertNull(problem);
        } else {
            String expected = done == rounds ? "it may end the process while it compiles a barrier" : "its loops end";
            assertTrue(problem != null && problem.startsWith(expected), verdict::toString);
        }
    }

    private static int loop(String device, int rounds) {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse(device)).open()) {
            HostBuffer out = evener.allocate(ElementType.INT, 1);
            evener.submit(loops(out, rounds, 0)).join();
            return out.ints().get(0);
        }
    }

    private static Job loops(HostBuffer out, int rounds, long declared) {
        return Job.named("loops")
                .source("""
                        kernel void loops(global int *out, int rounds) {
                            int done = 0;
                            for (uint v = 1; done < rounds; done++) { v = v * 1664525u + 1013904223u; if (v == 77) out[0] = 7; }
                            out[0] = done;
                        }
                        """)
                .units(1)
                .kernel("loops")
                .variant(DeviceKind.CPU, Variant.plain().withRounds(declared))
                .writes(out, Access.slice())
                .scalar(rounds)
                .build();
    }

    /** The test bed's llvmpipe ends loops after 65,535 rounds (Mesa 22), or never (Mesa 25). */
    @Test
    void aKernelThatMayTakeMoreRoundsThanTheDriverAllowsIsRefused() {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("1.0")).open();
                HostBuffer out = evener.allocate(ElementType.INT, 1)) {
            assertTrue(
                    evener.notes().get(0).startsWith("device 1.0 (rusticl) failed its self-test, and is used only"),
                    () -> evener.notes().toString());
            if (!evener.notes().get(0).contains("its loops end after")) {
                evener.submit(loops(out, 70_000, 70_000)).join();
                assertEquals(70_000, out.ints().get(0));
                return;
            }
            CompletionException e = assertThrows(
                    CompletionException.class,
                    () -> evener.submit(loops(out, 70_000, 70_000)).join());
            String message = e.getCause().getMessage();
            assertTrue(
                    message.contains(
                            "kernel loops may take 70,000 rounds of loops, which device 1.0 ends after 65,535"),
                    message);
            evener.submit(loops(out, 60_000, 60_000)).join();
            assertEquals(60_000, out.ints().get(0), "one that takes fewer is not");
            assertThrows(
                    CompletionException.class,
                    () -> evener.submit(loops(out, 70_000, 70_000)).join(),
                    "nor does it count that the program is built now");
        }
    }

    /** Two real runtimes of one CPU: both can be measured, and one is chosen; the test bed's PoCL offers it twice. */
    @Test
    void oneCpuUnderTwoRuntimesIsMeasuredUnderBoth() {
        Map<String, DeviceSpeed> speeds = new TreeMap<>();
        for (ClDevice each : ClDevice.all()) {
            try (ClContext context = new ClContext(List.of(each))) {
                speeds.put(each.info().id(), Objects.requireNonNull(SelfTest.speed(context, each)));
            }
        }
        assertEquals(Set.of("0.0", "0.1", "1.0"), speeds.keySet());
        for (DeviceSpeed speed : speeds.values()) {
            assertTrue(speed.launchNanos() < 50_000_000, speeds::toString);
            assertTrue(speed.operationsPerSecond() > 1e7 && speed.linkBytesPerSecond() > 1e6, speeds::toString);
        }
        List<DeviceInfo> both = Evener.discover().stream()
                .filter(d -> d.id().equals("0.0") || d.id().equals("1.0"))
                .toList();
        DeviceChoice choice = DeviceChoice.of(
                DeviceSelector.all(),
                new MadeUpBackEnd(both, "", d -> DeviceInfo.Partitioning.NONE, d -> null, d -> speeds.get(d.id())),
                both.get(0),
                (a, b) -> Double.NaN);
        assertEquals(1, choice.devices().size());
        String chosen = choice.devices().get(0).id();
        String other = chosen.equals("0.0") ? "1.0" : "0.0";
        assertTrue(
                Objects.requireNonNull(speeds.get(other)).over(Objects.requireNonNull(speeds.get(chosen))) <= 1.1,
                speeds::toString);
        assertTrue(choice.notes().get(0).startsWith("device " + other + " ("), choice.notes()::toString);
        assertTrue(choice.notes().get(0).contains(" times as fast: launch "), choice.notes()::toString);
        assertEquals(
                List.of("0.0", "0.1"),
                Devices.choose(DeviceSelector.all(), (a, b) -> Double.NaN).devices().stream()
                        .map(DeviceInfo::id)
                        .toList());
    }

    // ---- what it expects ----

    /** The kernels once more, in Java. */
    @Test
    void whatItExpectsIsWhatJavaComputes() {
        assertEquals(SelfTest.digest(wide(ITEMS, ROUNDS)), SelfTest.Check.WIDE.digest);
        assertEquals(SelfTest.digest(division(ITEMS, ROUNDS)), SelfTest.Check.DIVISION.digest);
        assertEquals(SelfTest.digest(atomics(ITEMS, ROUNDS)), SelfTest.Check.ATOMICS.digest);
        assertEquals(SelfTest.digest(exchange(ITEMS, ROUNDS)), SelfTest.Check.EXCHANGE.digest);
    }

    private static int next(int v) {
        return v * 1664525 + 1013904223;
    }

    private static long[] wide(int items, int rounds) {
        long[] out = new long[ITEMS];
        for (int i = 0; i < items; i++) {
            long x = i * 0x9e3779b97f4a7c15L + 1;
            for (int r = 0; r < rounds; r++) {
                x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
                long a = x ^ (x >>> 27);
                long b = 0x94d049bb133111ebL;
                x += Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a); // unsigned
                x = Long.rotateLeft(x, r & 63);
            }
            out[i] = x;
        }
        return out;
    }

    private static long[] division(int items, int rounds) {
        long[] out = new long[ITEMS];
        for (int i = 0; i < items; i++) {
            int v = i + 1;
            long sum = 0;
            for (int r = 0; r < rounds; r++) {
                v = next(v);
                long unsigned = Integer.toUnsignedLong(v);
                int b = (v >>> 16) + 2;
                b = (v & 4) != 0 ? -b : b;
                long c = unsigned << 31 ^ unsigned * unsigned;
                sum = sum * 31 + v / b + v % b;
                sum = sum * 31 + unsigned / (r + 3) + unsigned % (r + 3);
                sum = sum * 31 + c / b + c % b;
                sum = sum * 31 + Long.divideUnsigned(c, unsigned | 1) + Long.remainderUnsigned(c, unsigned | 1);
            }
            out[i] = sum;
        }
        return out;
    }

    private static long[] atomics(int items, int rounds) {
        int[] totals = new int[2 * ITEMS];
        for (int ticket = 0; ticket < items * rounds; ticket++) {
            totals[0] += ticket * ticket;
            totals[1] = ticket;
            totals[2] ^= ticket * 0x9e3779b9;
            totals[3] -= ticket % items;
        }
        ByteBuffer bytes = ByteBuffer.allocate(totals.length * Integer.BYTES).order(ByteOrder.nativeOrder());
        bytes.asIntBuffer().put(totals);
        long[] out = new long[ITEMS];
        bytes.asLongBuffer().get(out);
        return out;
    }

    private static long[] exchange(int items, int rounds) {
        int[] shared = new int[items];
        for (int i = 0; i < items; i++) {
            shared[i] = i * 7 + 1;
        }
        for (int r = 0; r < rounds; r++) {
            int[] before = shared.clone();
            for (int i = 0; i < items; i++) {
                shared[i] = (before[(i + 1) % items] * 3 + before[(i + r) % items]) ^ r;
            }
        }
        long[] out = new long[ITEMS];
        for (int i = 0; i < items; i++) {
            out[i] = Integer.toUnsignedLong(shared[i]);
        }
        return out;
    }

    // ---- what is kept ----

    @Test
    void theVerdictIsKeptForTheDriver() {
        assertEquals(FAILED, verdict(d -> FAILED));
        assertEquals(FAILED, verdict(d -> Verdict.PASSED), "and not tested again");
        assertEquals(1, tests);
        ClDevice updated = new ClDevice(
                device.platform(), device.handle(), device.info(), device.exactDivision(), "another version");
        assertEquals(Verdict.PASSED, SelfTest.of(updated, folder, HERE, d -> Verdict.PASSED));
        assertEquals(Verdict.PASSED, SelfTest.of(updated, folder, HERE, d -> FAILED));
    }

    @Test
    void whatItWasMeasuredToDoIsKeptToo() {
        Verdict measured =
                new Verdict(null, Long.MAX_VALUE, new DeviceSpeed(16_000, 50_000_000_000L, 20_000_000_000_000L));
        assertEquals(measured, verdict(d -> measured));
        assertEquals(measured, verdict(d -> FAILED));
        assertEquals(1, tests);
    }

    @Test
    void aDriverThatDoesNotBuildTheTestHasFailed() {
        Verdict failed = verdict(d -> {
            throw new LaneFailure(LaneFailure.Kind.BUILD, "no compiler\nat all");
        });
        assertEquals("it fails in the test (no compiler)", failed.problem());
        assertEquals(failed, verdict(d -> Verdict.PASSED));
    }

    @Test
    void aFailureThatMayPassIsNoVerdict() {
        Verdict failed = verdict(d -> {
            throw new LaneFailure(LaneFailure.Kind.MEMORY, "another process has it all");
        });
        assertNotNull(failed.problem());
        assertEquals(Verdict.PASSED, verdict(d -> Verdict.PASSED));
        assertEquals(2, tests);
    }

    @Test
    void aDamagedVerdictIsMadeAgain() throws IOException {
        assertEquals(FAILED, verdict(d -> FAILED));
        for (String content : List.of("", "rounds", "\\u00", "process=x")) {
            Files.writeString(file(), content);
            assertEquals(Verdict.PASSED.problem(), verdict(d -> Verdict.PASSED).problem(), content);
        }
    }

    /** A kill may hit the test too, so it takes several processes that did not come back. */
    @Test
    void aDriverThatEndsTheProcessIsFoundOut() throws Exception {
        for (int crash = 1; crash <= 3; crash++) {
            assertThrows(
                    ThreadDeathInTest.class,
                    () -> verdict(d -> {
                        throw new ThreadDeathInTest();
                    }));
        }
        assertEquals(3, tests);
        String problem = String.valueOf(verdict(d -> Verdict.PASSED).problem());
        assertEquals(3, tests, "it is not tried once more");
        assertEquals("3 processes ended while they tested it; delete " + file() + " to have it tested again", problem);
        Files.delete(file());
        assertEquals(Verdict.PASSED, verdict(d -> Verdict.PASSED));
    }

    /** Tests a device until its standard input ends. */
    static final class Tests {
        private Tests() {}

        public static void main(String[] arguments) {
            SelfTest.of(ClDevice.all().get(0), Path.of(arguments[0]), HERE, d -> {
                System.out.println("testing");
                try {
                    System.in.read();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return Verdict.PASSED;
            });
        }
    }

    /** In containers that start together on one volume every process may be number 1, and each took the others for crashes. */
    @Test
    void aProcessThatTestsAtTheSameTimeHasNotCrashedWhateverItsNumber() throws Exception {
        Process other = ChildJava.of(Tests.class, folder).start();
        assertEquals("testing", other.inputReader().readLine());
        for (long number : new long[] {
            ProcessHandle.current().pid(),
            ProcessHandle.allProcesses().mapToLong(ProcessHandle::pid).max().orElseThrow() + 1
        }) {
            Files.writeString(file(), "process=" + number + "\ncrashes=2\n");
            assertEquals(Verdict.PASSED, verdict(d -> Verdict.PASSED));
        }
        other.outputWriter().close();
        assertEquals(0, other.waitFor());
    }

    /** Ends a test as a crash would: with nothing written. */
    private static final class ThreadDeathInTest extends Error {
        private static final long serialVersionUID = 1L;
    }
}
