package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ChildJava;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.internal.cl.SelfTest.Verdict;
import dev.evener.internal.recovery.LaneFailure;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jocl.CL;
import org.jocl.NativePointerObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A driver that crashes or hangs harms no program but the one that tries it out. */
@Timeout(300) // for hangs
@InTurn(2)
class DriverTrialTest {
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final String HUNG = "its driver has not come back from the test within 1 s";

    @TempDir
    Path folder;

    private final ClDevice device = ClDevice.all().get(0);
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private Verdict verdict(List<String> command, Duration limit, Function<ClDevice, Verdict> here) {
        return SelfTest.of(device, folder, new DriverTrial(command, limit, Duration.ZERO, said::add), here);
    }

    /** One that is known, or found elsewhere. */
    private Verdict verdict(List<String> command, Duration limit) {
        return verdict(command, limit, d -> {
            throw new AssertionError("tested in this process");
        });
    }

    private void assertKept(Verdict verdict) {
        assertEquals(verdict, verdict(List.of("/no/such/java"), SHORT));
    }

    private String again() {
        return "; delete " + folder.resolve(SelfTest.name(device)) + " to have it tested again";
    }

    // ---- drivers, as the other process meets them ----

    /** Its compiler never ends. */
    static final class Hangs {
        public static void main(String[] arguments) {
            SelfTest.run(Path.of(arguments[0]), d -> {
                while (true) {
                    Thread.onSpinWait();
                }
            });
        }
    }

    /** It ends the process. */
    static final class Ends {
        public static void main(String[] arguments) {
            SelfTest.run(Path.of(arguments[0]), d -> {
                Runtime.getRuntime().halt(3);
                return Verdict.PASSED;
            });
        }
    }

    /** It reads where nothing is. */
    static final class Crashes {
        public static void main(String[] arguments) {
            SelfTest.run(Path.of(arguments[0]), d -> {
                try {
                    Field pointer = NativePointerObject.class.getDeclaredField("nativePointer");
                    pointer.setAccessible(true);
                    pointer.setLong(d.platform(), 8);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
                CL.clGetPlatformInfo(d.platform(), CL.CL_PLATFORM_NAME, 0, null, new long[1]);
                return Verdict.PASSED;
            });
        }
    }

    /** Not by its driver: the system may have had no memory left. */
    static final class IsKilled {
        public static void main(String[] arguments) {
            SelfTest.run(Path.of(arguments[0]), d -> {
                try {
                    new ProcessBuilder("sh", "-c", "kill -s KILL $PPID").start().waitFor();
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return Verdict.PASSED;
            });
        }
    }

    static final class HasNoMemory {
        public static void main(String[] arguments) {
            SelfTest.run(Path.of(arguments[0]), d -> {
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "another process has it all");
            });
        }
    }

    static final class LacksAClass {
        public static void main(String[] arguments) {
            SelfTest.run(Path.of(arguments[0]), d -> {
                throw new NoClassDefFoundError("as if it were not on the class path");
            });
        }
    }

    // ---- verdicts ----

    @Test
    void aSoundDriverPassesInAnotherProcess() throws IOException {
        Verdict verdict = verdict(SelfTest.usual().command(), LONG);
        assertEquals(new Verdict(null, Long.MAX_VALUE, verdict.speed()), verdict);
        assertNotNull(verdict.speed(), "it is measured");
        assertKept(verdict);
        assertEquals(
                "waiting for the driver of device 0.0 (" + device.info().name(),
                said.remove().replaceAll(",.*", ""));
    }

    @Test
    void aDriverThatHangsIsFoundOutOnceAndItsProcessEnds() {
        Verdict verdict = verdict(DriverTrial.java(Hangs.class), SHORT);
        assertEquals(HUNG + again(), verdict.problem());
        assertEquals(List.of(), running(ProcessHandle.current()), "it goes on");
        assertKept(verdict);
    }

    private static List<ProcessHandle> running(ProcessHandle parent) {
        return parent.descendants()
                .filter(process -> process.isAlive()
                        && process.info().commandLine().orElse("").contains(Hangs.class.getName()))
                .toList();
    }

    @Test
    void aDriverThatEndsTheProcessIsFoundOutAtOnce() {
        Verdict verdict = verdict(DriverTrial.java(Ends.class), LONG);
        assertEquals("its driver ends the process that tests it (exit code 3)" + again(), verdict.problem());
        assertKept(verdict);
    }

    @Test
    void aDriverThatCrashesIsFoundOutAtOnce() throws IOException {
        List<Path> before = here();
        Verdict verdict = verdict(DriverTrial.java(Crashes.class), LONG);
        assertEquals("its driver ends the process that tests it (signal 6)" + again(), verdict.problem());
        assertKept(verdict);
        assertEquals(before, here(), "it leaves a report of the crash");
    }

    private static List<Path> here() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(""))) {
            return files.sorted().toList();
        }
    }

    @Test
    void whatIsNotTheDriversDoingIsNoVerdict() {
        String killed = verdict(DriverTrial.java(IsKilled.class), LONG).problem();
        assertEquals("its driver ends the process that tests it (signal 9)" + again(), killed);
        String memory = verdict(DriverTrial.java(HasNoMemory.class), LONG).problem();
        assertEquals("it fails in the test (another process has it all)", memory);
        assertNull(verdict(SelfTest.usual().command(), LONG).problem());
    }

    // ---- where no process can be had ----

    @Test
    void whereNoProcessCanBeHadTheTestRunsInThisOne() throws IOException {
        List<String> unknown = new ArrayList<>(SelfTest.usual().command());
        unknown.set(unknown.size() - 1, "no.such.Class");
        for (List<String> command :
                List.of(List.<String>of(), List.of("/no/such/java"), unknown, DriverTrial.java(LacksAClass.class))) {
            Verdict here = new Verdict("found here", 77);
            assertEquals(here, verdict(command, LONG, d -> here), command::toString);
            Files.delete(folder.resolve(SelfTest.name(device)));
        }
        assertEquals(List.of(), DriverTrial.java(String.class), "its classes are in no file");
    }

    @Test
    void aDriverThatHangsInThisProcessIsLeftAlone() {
        CountDownLatch end = new CountDownLatch(1);
        try {
            Verdict verdict = verdict(List.of(), SHORT, d -> {
                assertTrue(Thread.currentThread().isDaemon());
                while (true) {
                    try {
                        end.await();
                        return Verdict.PASSED;
                    } catch (InterruptedException e) {
                        // as a driver would
                    }
                }
            });
            assertEquals(HUNG + again(), verdict.problem());
            assertKept(verdict);
        } finally {
            end.countDown();
        }
    }

    @Test
    void aThreadThatIsInterruptedStillTestsAndStaysSo() {
        Thread.currentThread().interrupt();
        Verdict verdict = verdict(List.of(), LONG, d -> Verdict.PASSED);
        assertTrue(Thread.interrupted());
        assertEquals(Verdict.PASSED, verdict);
    }

    /** Eight containers that started together on a busy host tested it all at once, and left it out for not answering in time. */
    @Test
    void whoComesLaterWaitsForTheVerdictOfWhoTests() throws Exception {
        Path file = folder.resolve(SelfTest.name(device));
        CompletableFuture<Verdict> second;
        try (FileChannel turn =
                FileChannel.open(Path.of(file + ".turn.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertNotNull(turn.tryLock());
            second = CompletableFuture.supplyAsync(() -> verdict(List.of("/no/such/java"), LONG));
            assertTrue(said.take().startsWith("waiting for the driver of device 0.0 "));
            SelfTest.subject(device, file).keep(new Verdict("the first found this", 7).kept());
        }
        assertEquals(new Verdict("the first found this", 7), second.join());
    }

    // ---- what users see ----

    /** Opens every device, and says what was left out. */
    static final class Opens {
        public static void main(String[] arguments) {
            try (Evener evener =
                    Evener.builder().devices(DeviceSelector.parse("cpu")).open()) {
                evener.notes().forEach(System.out::println);
            }
        }
    }

    @Test
    void theReasonIsInTheNotesOfWhoOpensDevicesLater() throws Exception {
        Path cache = folder;
        folder = folder.resolve("drivers");
        String problem = verdict(DriverTrial.java(Hangs.class), SHORT).problem();
        ProcessBuilder opens = ChildJava.of(Opens.class);
        opens.environment().put("EVENER_CACHE", cache.toString());
        Process process = opens.start();
        String notes = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        assertTrue(
                notes.contains("device 0.0 (" + device.info().platform()
                        + ") failed its self-test and is left out; --devices 0.0 insists: " + problem + "\n"),
                notes);
    }

    /** Tries a driver that hangs. */
    static final class Tries {
        public static void main(String[] arguments) {
            SelfTest.of(
                    ClDevice.all().get(0),
                    Path.of(arguments[0]),
                    new DriverTrial(DriverTrial.java(Hangs.class), LONG, LONG, said -> {}),
                    d -> Verdict.PASSED);
        }
    }

    @Test
    void aDriverThatHangsDoesNotOutliveTheProgram() throws Exception {
        Process program = ChildJava.of(Tries.class, folder).start();
        List<ProcessHandle> trial = running(program.toHandle());
        while (trial.isEmpty()) {
            assertTrue(program.isAlive());
            Thread.sleep(20);
            trial = running(program.toHandle());
        }
        program.destroyForcibly().waitFor();
        trial.get(0).onExit().get(2, TimeUnit.MINUTES);
    }
}
