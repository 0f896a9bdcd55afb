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
    void devicesKernelsSourcesOptionsAndShapesAreToldApart() {
        try (Evener evener = jvm();
                HostBuffer small = evener.allocate(ElementType.INT, 64);
                HostBuffer large = evener.allocate(ElementType.INT, 128)) {
            History history = History.inMemory();
            Job.Phase learnt = phase(small, Access.slice(2), "k", "text", "");
            history.record(learnt, CPU, 32, 3200);
            assertEquals(100, history.cost(learnt, CPU).nanosPerUnit(), 1e-9);
            assertEquals(Cost.UNKNOWN, history.cost(learnt, GPU));
            assertEquals(Cost.UNKNOWN, history.cost(phase(small, Access.slice(2), "l", "text", ""), CPU));
            assertEquals(Cost.UNKNOWN, history.cost(phase(small, Access.slice(2), "k", "other", ""), CPU));
            assertEquals(Cost.UNKNOWN, history.cost(phase(small, Access.slice(2), "k", "text", "-D A"), CPU));
            assertEquals(Cost.UNKNOWN, history.cost(phase(small, Access.slice(1), "k", "text", ""), CPU));
            assertEquals(Cost.UNKNOWN, history.cost(phase(small, Access.whole(), "k", "text", ""), CPU));
            // The job's size is no part of the key: that is what the cost per unit is for.
            assertTrue(history.cost(phase(large, Access.slice(2), "k", "text", ""), CPU)
                    .known());
        }
    }

    private static Job.Phase phase(HostBuffer buffer, Access access, String kernel, String source, String options) {
        return Job.named("job")
                .units(32)
                .source(source)
                .kernel(kernel)
                .reads(buffer, access)
                .variant(DeviceKind.CPU, Variant.plain().withOptions(options))
                .build()
                .phases()
                .get(0);
    }

    // ---- the file ----

    @Test
    void aFileIsReadAsItWasWritten() {
        History written = History.at(file());
        for (int i = 1; i < 20; i++) {
            written.record(phase("kernel \"\\ \u00e4 \uD83D\uDE00"), CPU, i * 1000L, i * 7000L + 500);
            written.record(phase("other"), GPU, i * 1000L, i * 10L);
        }
        written.save();
        History read = History.at(file());
        assertEquals(written.entries(), read.entries());
        assertEquals(2, read.entries().size());
        assertEquals(written.cost(phase("other"), GPU), read.cost(phase("other"), GPU));
        assertEquals(file(), read.file());
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
                damage("foreign", text -> "{\"format\": \"something else\", \"version\": 1, \"entries\": []}"),
                damage("no format", text -> "{}"),
                damage("newer", text -> text.replace("\"version\" : 1", "\"version\" : 2")),
                damage("version that rounds to 1", text -> text.replace("\"version\" : 1", "\"version\" : 1.5")),
                damage("version that wraps to 1", text -> text.replace("\"version\" : 1", "\"version\" : 4294967297")),
                damage("version as text", text -> text.replace("\"version\" : 1", "\"version\" : \"1\"")),
                damage("entries missing", text -> text.replace("\"entries\"", "\"entrees\"")),
                damage("entry is a number", text -> text.replace("\"entries\" : [", "\"entries\" : [ 5,")),
                damage("kernel missing", text -> text.replace("\"kernel\"", "\"colonel\"")),
                damage("sums missing", text -> text.replace("\"sums\"", "\"sons\"")),
                damage("number as text", text -> text.replaceAll("\"weight\" : [0-9.]+", "\"weight\" : \"heavy\"")),
                damage("negative", text -> text.replaceAll("\"weight\" : [0-9.]+", "\"weight\" : -1")),
                damage("infinite", text -> text.replaceAll("\"weight\" : [0-9.]+", "\"weight\" : 1e999")),
                damage("no observations", text -> text.replaceAll("\"samples\" : [0-9.]+", "\"samples\" : 0")),
                damage("no time", text -> text.replaceAll("\"nanos\" : [0-9.E]+", "\"nanos\" : 0")),
                damage("binary", text -> "\u0000\u0001\u0002" + text),
                damage("deeply nested lists", text -> "[".repeat(5_000_000)),
                damage(
                        "deeply nested in an entry",
                        text -> text.replace("\"entries\" : [", "\"entries\" : [" + "{\"a\":[".repeat(1_000_000))),
                damage(
                        "a very long number",
                        text -> text.replaceAll("\"weight\" : [0-9.]+", "\"weight\" : " + "9".repeat(1_000_000))),
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
        history.record(phase("k"), CPU, 10, 100);
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
            for (String name : List.of("weight", "units", "nanos", "units2", "unitsNanos", "nanos2", "samples")) {
                Files.writeString(
                        file(), good.replaceAll("\"" + name + "\" : [0-9.E]+", "\"" + name + "\" : " + extreme));
                History history = History.at(file());
                for (int i = 0; i < 3; i++) {
                    Cost cost = history.cost(phase("k"), CPU);
                    assertTrue(Double.isFinite(cost.nanosPerUnit()), name + " " + extreme + " gives " + cost);
                    assertTrue(Double.isFinite(cost.fixedNanos()), name + " " + extreme + " gives " + cost);
                    history.record(phase("k"), CPU, 1000, 5000);
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
                history.record(phase(arguments[1]), CPU, 1000L * i, 5000L * i);
                history.save();
            }
        }
    }

    private History learnt() {
        History history = History.at(file());
        for (int i = 1; i <= 5; i++) {
            history.record(phase("k"), CPU, 1000L * i, 5000L * i);
        }
        return history;
    }

    private static Job.Phase phase(String kernel) {
        return Job.named("job")
                .units(1)
                .kernel(kernel)
                .jvm(c -> {})
                .build()
                .phases()
                .get(0);
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
