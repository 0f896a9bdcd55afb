package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.ref.WeakReference;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffers and Eveners that nobody closes and nothing refers to any more: their memory and threads were kept for as long as there were any. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InTurn(2)
class ForgottenBuffersTest {
    private static final int BUFFERS = 10_000;
    private static final int BYTES = 64 << 10;

    @TempDir
    Path folder;

    /** Of 640 MB in all, a tenth of them used by a job; 32 MB may be there at once. */
    @ParameterizedTest
    @ValueSource(strings = {"jvm", "in place", "copied"})
    void tenThousandOfThemNeedNoMoreMemoryThanAFew(String how) throws Exception {
        ProcessBuilder builder = ChildJava.of(Program.class, how);
        builder.command().addAll(1, List.of("-Xmx256m", "-XX:MaxDirectMemorySize=32m", PrintingLogs.OPTION));
        Path said = folder.resolve("said");
        Process program =
                builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        assertTrue(program.waitFor(500, TimeUnit.SECONDS));
        String all = Files.readString(said);
        assertTrue(all.contains("done\n"), all);
        assertEquals(0, program.exitValue(), all);
        List<String> told = all.lines()
                .filter(line -> line.contains("not closed") || line.contains("made here"))
                .toList();
        assertEquals(2, told.size(), all); // once, with the place
        assertTrue(told.get(0).contains(" uchar was not closed") || told.get(0).contains(" int was not closed"), all);
        assertTrue(told.get(1).contains("ForgottenBuffersTest"), all);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatDevicesHeldForThemIsFreedWhileTheEvenerIsOpen(boolean inPlace) throws Exception {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(inPlace)
                .history(History.inMemory())
                .open()) {
            use(evener, false); // what stays: contexts, kernels, memory of lanes
            use(evener, true);
            long before = atLeast(evener);
            for (int i = 0; i < 20; i++) {
                use(evener, i % 2 == 1);
            }
            until(() -> buffers() <= before);
        }
    }

    private static long atLeast(Evener evener) throws InterruptedException {
        assertTrue(evener.devices().size() == 2);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(20);
            least = Math.min(least, buffers());
        }
        return least;
    }

    private static long buffers() {
        return NativeLedger.live().getOrDefault(NativeLedger.Kind.BUFFER, 0L);
    }

    /** Runs a job on a buffer and forgets it. */
    static void use(Evener evener, boolean managed) {
        DataBuffer x = managed
                ? evener.allocateManaged(ElementType.INT, BYTES / 4)
                : evener.allocate(ElementType.INT, BYTES / 4);
        double[] shares = new double[evener.devices().size()];
        Arrays.fill(shares, 1.0 / shares.length); // on all of them: a lane keeps memory from its first chunk on
        evener.submit(
                        Job.named("one")
                                .source("kernel void one(global int *x) { x[get_global_id(0)] = 1; }")
                                .units(BYTES / 4)
                                .kernel("one")
                                .writes(x, Access.slice())
                                .jvm(chunk -> {
                                    for (int i = 0; i < chunk.units(); i++) {
                                        chunk.buffer(0).putInt(4 * i, 1);
                                    }
                                })
                                .build(),
                        Policies.fixed(shares))
                .join();
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) { // the test's time limit ends what never comes
            System.gc();
            Thread.sleep(10);
        }
    }

    /** A later buffer must not have the page-locked memory that somebody still looks at. */
    @Test
    void aViewOutlivesItsBuffer() throws Exception {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(false)
                .pinnedFrom(0)
                .history(History.inMemory())
                .open()) {
            HostBuffer forgotten = evener.allocate(ElementType.INT, 1000);
            assertTrue(forgotten.isPageLocked());
            IntBuffer view = forgotten.ints();
            view.put(0, 17);
            WeakReference<HostBuffer> gone = new WeakReference<>(forgotten);
            forgotten = null;
            until(() -> gone.get() == null);
            Thread.sleep(100); // for what is done then
            for (int i = 0; i < 200; i++) {
                evener.allocate(ElementType.INT, 1000).ints().put(0, 18);
            }
            assertEquals(17, view.get(0));
        }
    }

    @Test
    void aBufferThatIsInUseKeepsItsEvener() throws Exception {
        HostBuffer x = made();
        for (int i = 0; i < 10; i++) {
            System.gc();
            Thread.sleep(10);
        }
        x.ints().put(0, 1);
        assertEquals(1, x.ints().get(0));
    }

    private static HostBuffer made() {
        return onJvm().allocate(ElementType.INT, 10);
    }

    private static Evener onJvm() {
        return Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open();
    }

    @Test
    void theThreadsOfAForgottenEvenerEnd() throws Exception {
        Set<Thread> before = threads();
        Set<Thread> made = runAndForget(before);
        assertTrue(made.size() >= 4, made.toString());
        until(() -> made.stream().noneMatch(Thread::isAlive));
    }

    private static Set<Thread> runAndForget(Set<Thread> before) {
        Evener evener = onJvm();
        use(evener, true);
        Set<Thread> made = threads();
        made.removeAll(before);
        return made;
    }

    private static Set<Thread> threads() {
        Thread[] all = new Thread[Thread.activeCount() + 100];
        int count = Thread.enumerate(all);
        Set<Thread> evener = new HashSet<>(Arrays.asList(all).subList(0, count));
        evener.removeIf(thread ->
                !thread.getName().startsWith("evener-") || thread.getName().equals("evener-shutdown"));
        return evener;
    }

    /** Makes them. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Exception {
            boolean jvm = args[0].equals("jvm");
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            PrintStream out = System.out;
            System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
            try (Evener evener = Evener.builder()
                    .devices(DeviceSelector.parse(jvm ? "jvm" : "0.0"))
                    .sharedMemory(!args[0].equals("copied"))
                    .history(History.inMemory())
                    .open()) {
                for (int i = 0; i < BUFFERS; i++) {
                    if (i % 10 == 0) {
                        use(evener, i % 20 == 0);
                    } else {
                        forget(evener);
                    }
                }
                until(
                        () -> { // of page-locked memory there may be more, for which nobody has the collector come
                            forget(evener);
                            return said.toString(StandardCharsets.UTF_8).contains("made here");
                        });
            } finally {
                out.print(said.toString(StandardCharsets.UTF_8));
            }
            out.println("done");
        }

        private static void forget(Evener evener) {
            evener.allocate(ElementType.UBYTE, BYTES).bytes().put(0, (byte) 1);
        }
    }
}
