package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.Variant;
import dev.evener.policy.Snapshot.Cost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is learnt is kept, under the right key, and a file that cannot be understood never stops a run. */
class HistoryTest {
    private static final DeviceInfo CPU = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
    private static final DeviceInfo GPU = MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 1");

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("sub/history.json");
    }

    // ---- keys ----

    @Test
    void kernelsSourcesOptionsAndShapesAreToldApart() {
        try (Evener evener = jvm();
                HostBuffer small = evener.allocate(ElementType.INT, 64);
                HostBuffer large = evener.allocate(ElementType.INT, 128)) {
            History history = History.inMemory();
            learn(history, job(small, Access.slice(2), "k", "text", ""), CPU, 32, 3200);
            assertEquals(
                    100,
                    cost(history, job(small, Access.slice(2), "k", "text", ""), CPU)
                            .nanosPerUnit(),
                    1e-9);
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(2), "k", "text", ""), GPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(2), "l", "text", ""), CPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(2), "k", "other", ""), CPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(2), "k", "text", "-D A"), CPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(1), "k", "text", ""), CPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(2).halo(1, 0), "k", "text", ""), CPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.slice(2).halo(0, 1), "k", "text", ""), CPU));
            assertEquals(Cost.UNKNOWN, cost(history, job(small, Access.whole(), "k", "text", ""), CPU));
            // The job's size is no part of what makes jobs alike: that is what the cost per unit is for.
            assertTrue(cost(history, job(large, Access.slice(2), "k", "text", ""), CPU)
                    .known());
        }
    }

    private static Job job(HostBuffer buffer, Access access, String kernel, String source, String options) {
        Job.Builder job = Job.named("job")
                .units(32)
                .source(source)
                .kernel(kernel)
                .reads(buffer, access)
                .variant(DeviceKind.CPU, Variant.plain().withOptions(options));
        return (access instanceof Access.Halo ? job.viewStart(buffer) : job).build();
    }

    private static Cost cost(History history, Job job, DeviceInfo device) {
        return history.of(job, List.of(device)).cost(0, 0, 1, 32);
    }

    /** A job on one device; it took a microsecond longer than the device was busy. */
    private static void learn(History history, Job job, DeviceInfo device, long units, long nanos) {
        history.of(job, List.of(device)).learn(1, units, nanos + 1000, new long[][] {{units}}, new long[][] {{nanos}});
    }

    // ---- the file ----

    @Test
    void aFileIsReadAsItWasWritten() {
        History written = History.at(file());
        for (int i = 1; i < 20; i++) {
            learn(written, job("kernel \"\\ \u00e4 \uD83D\uDE00"), CPU, i * 1000L, i * 7000L + 500);
            learn(written, job("other"), GPU, i * 1000L, i * 10L);
        }
        written.save();
        History read = History.at(file());
        assertAlike(written, read);
        assertEquals(12, read.entries().size(), "two kernels in six octaves");
        assertEquals(12, read.times().size());
        assertEquals(file(), read.file());
    }

    @Test
    void startsAreKeptAndAFileWithoutThemIsRead() throws IOException {
        History history = learnt();
        JobHistory job = history.of(job("k"), List.of(CPU, GPU));
        job.learnStart(0, 1, 80_000, true);
        job.learn(3, 1000, 3000, new long[][] {{600, 400}}, new long[][] {{3000, 3000}});
        history.save();
        JobHistory read = History.at(file()).of(job("k"), List.of(CPU, GPU));
        assertEquals(80_000, read.startNanos(0, 1));
        assertEquals(0, read.startNanos(0, 0));
        String text = Files.readString(file());
        Files.writeString(file(), text.replace("\"starts\"", "\"unknown\""));
        History older = History.at(file());
        assertAlike(history, older);
        assertEquals(0, older.of(job("k"), List.of(CPU, GPU)).startNanos(0, 1));
    }

    @Test
    void aHistoryThatDidNotChangeIsNotWritten() throws IOException {
        History.at(file()).save();
        assertFalse(Files.exists(file()));
        History history = learnt();
        history.save();
        Files.delete(file());
        history.save();
        assertFalse(Files.exists(file()));
        history.clear();
        history.save();
        assertEquals(List.of(), History.at(file()).entries());
        assertTrue(Files.exists(file()));
    }

    static Stream<Arguments> filesThatAreNoHistory() {
        return Stream.of(
                damage("empty", text -> ""),
                damage("truncated", text -> text.substring(0, text.length() / 2)),
                damage("cut at the last brace", text -> text.substring(0, text.lastIndexOf('}'))),
                damage("not JSON", text -> "kernel,device,time\n"),
                damage("a list", text -> "[]"),
                damage("null", text -> "null"),
                damage("a number", text -> "17"),
                damage("foreign", text -> "{\"format\": \"something else\", \"version\": 2, \"jobs\": []}"),
                damage("no format", text -> "{}"),
                damage("newer", text -> text.replace("\"version\" : 2", "\"version\" : 3")),
                damage("version that rounds to 2", text -> text.replace("\"version\" : 2", "\"version\" : 2.5")),
                damage("version that wraps to 2", text -> text.replace("\"version\" : 2", "\"version\" : 4294967298")),
                damage("version as text", text -> text.replace("\"version\" : 2", "\"version\" : \"2\"")),
                damage("older", text -> text.replace("\"version\" : 2", "\"version\" : 1")),
                damage("jobs missing", text -> text.replace("\"jobs\"", "\"jabs\"")),
                damage("job is a number", text -> text.replace("\"jobs\" : [", "\"jobs\" : [ 5,")),
                damage("kernel missing", text -> text.replace("\"kernel\"", "\"colonel\"")),
                damage("sizes missing", text -> text.replace("\"sizes\"", "\"sighs\"")),
                damage("phases missing", text -> text.replace("\"phases\"", "\"faces\"")),
                damage("no phases", text -> text.replaceAll("(?s)\"phases\" : \\[.*?\\]", "\"phases\" : []")),
                damage("phase of none", text -> text.replace("\"phase\" : 0", "\"phase\" : 1")),
                damage("octave of none", text -> text.replaceAll("\"octave\" : [0-9]+", "\"octave\" : 63")),
                damage("no company", text -> text.replaceAll("\"company\" : \\[[^\\]]*\\]", "\"company\" : []")),
                damage(
                        "others' company",
                        text -> text.replaceAll("\"company\" : \\[[^\\]]*\\]", "\"company\" : [\"x\"]")),
                damage("twins", text -> text.replaceAll("\"devices\" : \\[[^\\]]*\\]", "\"devices\" : [\"x\", \"x\"]")),
                damage(
                        "company of numbers",
                        text -> text.replaceAll("\"company\" : \\[[^\\]]*\\]", "\"company\" : [7]")),
                damage("number as text", text -> text.replaceAll("\"spread\" : [0-9.E-]+", "\"spread\" : \"heavy\"")),
                damage("negative", text -> text.replaceAll("\"spread\" : [0-9.E-]+", "\"spread\" : -1")),
                damage("infinite", text -> text.replaceAll("\"spread\" : [0-9.E-]+", "\"spread\" : 1e999")),
                damage("no observations", text -> text.replaceAll("\"samples\" : [0-9.]+", "\"samples\" : 0")),
                damage("no time", text -> text.replaceAll("\"nanos\" : [0-9.E]+", "\"nanos\" : 0")),
                damage("binary", text -> "\u0000\u0001\u0002" + text),
                damage("deeply nested lists", text -> "[".repeat(5_000_000)),
                damage(
                        "deeply nested in an entry",
                        text -> text.replace("\"jobs\" : [", "\"jobs\" : [" + "{\"a\":[".repeat(1_000_000))),
                damage(
                        "a very long number",
                        text -> text.replaceAll("\"spread\" : [0-9.E-]+", "\"spread\" : " + "9".repeat(1_000_000))),
                damage("huge", text -> text + " ".repeat(17 << 20)),
                Arguments.of("not UTF-8", UnaryOperator.<String>identity(), true));
    }

    private static Arguments damage(String what, UnaryOperator<String> change) {
        return Arguments.of(what, change, false);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("filesThatAreNoHistory")
    void aFileThatIsNoHistoryIsSetAside(String what, UnaryOperator<String> change, boolean badBytes)
            throws IOException {
        learnt().save();
        String good = Files.readString(file());
        String bad = change.apply(good);
        if (badBytes) {
            Files.write(file(), new byte[] {'{', (byte) 0xC3, (byte) 0x28, '}'});
        } else {
            assertNotEquals(good, bad, "the damage did nothing");
            Files.writeString(file(), bad);
        }
        byte[] before = Files.readAllBytes(file());

        History history = History.at(file());

        assertEquals(List.of(), history.entries());
        assertFalse(Files.exists(file()));
        Path aside = file().resolveSibling("history.json.damaged");
        assertTrue(Arrays.equals(before, Files.readAllBytes(aside)), "the damaged file must be kept as it was");
        learn(history, job("k"), CPU, 10, 100);
        history.save();
        assertEquals(1, History.at(file()).entries().size());
    }

    @Test
    void aRunGoesOnWithADamagedHistory() throws IOException {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), "{");
        try (Evener evener = jvm(History.at(file()))) {
            evener.submit(Job.named("j").units(8).kernel("k").jvm(c -> {}).build())
                    .join();
        }
        assertEquals(1, History.at(file()).entries().size());
        assertEquals("{", Files.readString(file().resolveSibling("history.json.damaged")));
    }

    @Test
    void extremeNumbersInAFileDoNotReachThePolicies() throws IOException {
        learnt().save();
        String good = Files.readString(file());
        for (String extreme : List.of("1e-320", "1e308")) {
            for (String name : List.of(
                    "units", "nanos", "spread", "samples", "gain", "elasticity", "overheadNanos", "age", "jobs")) {
                Files.writeString(
                        file(), good.replaceAll("\"" + name + "\" : [0-9.E-]+", "\"" + name + "\" : " + extreme));
                History history = History.at(file());
                for (int i = 0; i < 3; i++) {
                    Cost cost = cost(history, job("k"), CPU);
                    assertTrue(Double.isFinite(cost.nanosPerUnit()), name + " " + extreme + " gives " + cost);
                    assertTrue(Double.isFinite(cost.fixedNanos()), name + " " + extreme + " gives " + cost);
                    learn(history, job("k"), CPU, 1000, 5000);
                }
                history.save();
                assertEquals(1, History.at(file()).entries().size(), name + " " + extreme);
            }
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsOnlyAWarning() throws IOException {
        // A file where the folder should be: refused to every user, root included.
        Files.writeString(folder.resolve("sub"), "in the way");
        try (Evener evener = jvm(History.at(file()))) {
            evener.submit(Job.named("j").units(8).kernel("k").jvm(c -> {}).build())
                    .join();
        }
        assertEquals("in the way", Files.readString(folder.resolve("sub")));
    }

    @Test
    void processesThatSaveAtOnceLeaveAReadableFile() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<Process> processes = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            processes.add(new ProcessBuilder(
                            java,
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Saver.class.getName(),
                            file().toString(),
                            "kernel" + p)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output" + p).toFile())
                    .start());
        }
        int reads = 0;
        while (processes.stream().anyMatch(Process::isAlive)) {
            if (Files.exists(file())) {
                List<History.Entry> seen = History.at(file()).entries();
                assertFalse(seen.isEmpty());
                assertTrue(seen.get(0).kernel().startsWith("kernel"), seen.toString());
                reads++;
            }
            Thread.sleep(1); // leaves the processes a core
        }
        for (int p = 0; p < 2; p++) {
            assertTrue(processes.get(p).waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, processes.get(p).exitValue(), Files.readString(folder.resolve("output" + p)));
        }
        assertTrue(reads > 0);
        assertEquals(1, History.at(file()).entries().size());
        try (Stream<Path> left = Files.list(file().getParent())) {
            assertEquals(List.of(file()), left.toList(), "no temporary or damaged file may be left");
        }
    }

    /** Saves over and over; run as a process of its own. */
    static final class Saver {
        private Saver() {}

        public static void main(String[] arguments) {
            for (int i = 1; i <= 300; i++) {
                History history = History.at(Path.of(arguments[0]));
                history.clear();
                learn(history, job(arguments[1]), CPU, 1000L * i, 5000L * i);
                history.save();
            }
        }
    }

    private static void assertAlike(History a, History b) {
        assertEquals(a.entries().size(), b.entries().size());
        for (int i = 0; i < a.entries().size(); i++) {
            History.Entry x = a.entries().get(i);
            History.Entry y = b.entries().get(i);
            assertEquals(
                    List.of(x.kernel(), x.device(), x.company(), x.shape(), x.units()),
                    List.of(y.kernel(), y.device(), y.company(), y.shape(), y.units()));
            assertEquals(x.cost().samples(), y.cost().samples());
            assertEquals(
                    x.cost().nanosPerUnit(),
                    y.cost().nanosPerUnit(),
                    1e-9 * x.cost().nanosPerUnit());
            assertEquals(x.spread(), y.spread(), 1e-9);
        }
        assertEquals(a.times().size(), b.times().size());
        for (int i = 0; i < a.times().size(); i++) {
            History.JobTime x = a.times().get(i);
            History.JobTime y = b.times().get(i);
            assertEquals(
                    List.of(x.kernels(), x.devices(), x.units(), x.samples()),
                    List.of(y.kernels(), y.devices(), y.units(), y.samples()));
            assertEquals(x.wallNanos(), y.wallNanos(), 1e-9 * x.wallNanos());
        }
    }

    private History learnt() {
        History history = History.at(file());
        for (int i = 1; i <= 5; i++) {
            learn(history, job("k"), CPU, 1000L + i, 5000L + 5L * i);
        }
        return history;
    }

    private static Job job(String kernel) {
        return Job.named("job").units(1).kernel(kernel).jvm(c -> {}).build();
    }

    private static Evener jvm() {
        return jvm(History.inMemory());
    }

    private static Evener jvm(History history) {
        return Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(history)
                .open();
    }
}
