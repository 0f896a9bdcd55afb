package dev.evener.model;

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
import dev.evener.JobBuilder;
import dev.evener.MadeUpDevices;
import dev.evener.Variant;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.CostModel.Forecast;
import dev.evener.policy.LaneSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is learnt is kept, under the right key, and a file that cannot be understood never stops a run. */
class HistoryTest {
    private static final DeviceInfo CPU = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);
    private static final DeviceInfo GPU = MadeUpDevices.gpu("1.0", MadeUpDevices.NVIDIA, "pci 1");
    private static final List<DeviceInfo> BOTH = List.of(CPU, GPU);

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("sub/history.json");
    }

    // ---- keys ----

    @Test
    void kernelsSourcesOptionsAndShapesAreToldApart() {
        try (Evener evener = jvm(StoredHistory.inMemory());
                HostBuffer small = evener.allocate(ElementType.INT, 64);
                HostBuffer large = evener.allocate(ElementType.INT, 128)) {
            StoredHistory history = StoredHistory.inMemory();
            learn(history, job(small, Access.slice(2), "k", "text", ""), 32, 100);
            learn(history, job(small, Access.slice(2), "k", "text", ""), 32, 100);
            assertEquals(
                    100,
                    model(history, job(small, Access.slice(2), "k", "text", ""), 32)
                            .lane(0)
                            .nanosPerUnit(),
                    100);
            // The job's size is no part of what makes jobs alike: that is what the cost per unit is for.
            assertTrue(model(history, job(large, Access.slice(2), "k", "text", ""), 32)
                    .known());
            for (Job other : List.of(
                    job(small, Access.slice(2), "l", "text", ""),
                    job(small, Access.slice(2), "k", "other", ""),
                    job(small, Access.slice(2), "k", "text", "-D A"),
                    job(small, Access.slice(1), "k", "text", ""),
                    job(small, Access.slice(2).halo(1, 0), "k", "text", ""),
                    job(small, Access.slice(2).halo(0, 1), "k", "text", ""),
                    job(small, Access.whole(), "k", "text", ""))) {
                assertFalse(model(history, other, 32).known());
            }
        }
    }

    private static Job job(HostBuffer buffer, Access access, String kernel, String source, String options) {
        JobBuilder job = Job.named("job")
                .units(32)
                .source(source)
                .kernel(kernel)
                .reads(buffer, access)
                .variant(DeviceKind.CPU, Variant.plain().withOptions(options));
        return (access instanceof Access.Halo ? job.viewStart(buffer) : job).build();
    }

    /** What a lane has to do first comes before its part, and is no part of what the set is known to take. */
    @Test
    void aLaneThatIsBusyBeginsLater() {
        StoredHistory history = StoredHistory.inMemory();
        for (int i = 0; i < 20; i++) {
            learn(history, job("k"), 1_000_000, 10, 10);
            learn(history, job("k"), 1_000_000, 10, 0);
            learn(history, job("k"), 1_000_000, 0, 10);
        }
        HistorySnapshot idle = model(history, job("k"), 1_000_000);
        HistorySnapshot busy = history.of(job("k"), BOTH).model(1_000_000, new double[] {2e6, 0});
        // What jobs took on a set corrects what is expected as far as it is surer, and waiting takes part of the doubt.
        assertAlmost(
                idle.forecast(LaneSet.of(0)).nanos() + 2e6,
                busy.forecast(LaneSet.of(0)).nanos());
        assertClose(2e6, busy.forecast(LaneSet.of(0)).awayNanos());
        assertClose(
                idle.forecast(LaneSet.of(1)).nanos(),
                busy.forecast(LaneSet.of(1)).nanos());
        Forecast both = busy.forecast(LaneSet.of(0, 1));
        assertEquals(1e6, both.awayNanos(), 0.1e6);
        assertAlmost(idle.forecast(LaneSet.of(0, 1)).nanos() + both.awayNanos(), both.nanos());
        assertEquals(0.2e6, both.work()[1] - both.work()[0], 0.02e6);
    }

    private static void assertAlmost(double expected, double actual) {
        assertEquals(expected, actual, 0.001 * expected);
    }

    private static HistorySnapshot model(StoredHistory history, Job job, long units) {
        return history.of(job, BOTH).model(units);
    }

    /** A job of lanes that take so long for a unit; 0 for one that has no part. */
    static void learn(StoredHistory history, Job job, long units, double... nanosPerUnit) {
        history.of(job, BOTH).learn(Observations.of(units, Arrays.copyOf(nanosPerUnit, 2)));
    }

    static Job job(String... kernels) {
        JobBuilder job = Job.named("job").units(1);
        for (String kernel : kernels) {
            job.kernel(kernel).jvm(c -> {});
        }
        return job.build();
    }

    // ---- the file ----

    @Test
    void aFileIsReadAsItWasWritten() {
        StoredHistory written = StoredHistory.at(file());
        Job strange = job("kernel \"\\ \u00e4 \uD83D\uDE00");
        for (int i = 1; i < 20; i++) {
            learn(written, strange, 1000L << i % 3, 7000, 500);
            learn(written, strange, 1000L << i % 3, 6000);
            learn(written, job("other"), 1000L * i, 0, 10_000);
        }
        uneven(written, job("p"));
        twoPhases(written, job("p", "q"));
        written.save();

        StoredHistory read = StoredHistory.at(file());

        assertEquals(names(written), names(read));
        assertEquals(5, read.entries().size(), "two sets, one, and two jobs");
        assertEquals(file(), read.file());
        for (long units = 1; units < 1 << 20; units *= 2) {
            assertAlike(written, read, strange, units);
            assertAlike(written, read, job("other"), units);
            assertAlike(written, read, job("p"), units);
            assertAlike(written, read, job("p", "q"), units);
        }
        assertFalse(model(read, job("p"), 64).profile().even());
    }

    /** The first quarter costs more than the rest, and looks have cost something. */
    private static void uneven(StoredHistory history, Job job) {
        for (int i = 0; i < 10; i++) {
            ChunkLog log = new ChunkLog();
            for (int c = 0; c < 8; c++) {
                long took = c < 2 ? 90_000_000 : 10_000_000;
                log.add(0, 8L * c, 8, took, took);
            }
            history.of(job, BOTH)
                    .learn(new JobObservation(
                            LaneSet.of(0),
                            LaneSet.of(0),
                            64,
                            log.totalNanos(),
                            true,
                            false,
                            1e6,
                            1e6,
                            new long[2],
                            new ChunkLog[] {log, new ChunkLog()}));
        }
    }

    private static void twoPhases(StoredHistory history, Job job) {
        for (int i = 0; i < 16; i++) {
            ChunkLog log = new ChunkLog();
            log.add(0, 0, 64, 90_000_000, 89_000_000);
            log.add(1, 0, 64, 10_000_000, 9_900_000);
            history.of(job, BOTH).learn(Observations.done(LaneSet.of(0), 64, 101_000_000, log, new ChunkLog()));
        }
    }

    private static void assertAlike(StoredHistory a, StoredHistory b, Job job, long units) {
        HistorySnapshot x = model(a, job, units);
        HistorySnapshot y = model(b, job, units);
        double third = units / 3.0;
        assertEquals(x.jobs(), y.jobs());
        assertEquals(x.known(), y.known());
        assertClose(x.exploration().spentNanos(), y.exploration().spentNanos());
        assertClose(x.exploration().totalNanos(), y.exploration().totalNanos());
        assertEquals(x.profile().work(0, third, 3 * third), y.profile().work(0, third, 3 * third), 1e-3 * third);
        for (int lane = 0; lane < 2; lane++) {
            assertEquals(x.lane(lane).chunks(), y.lane(lane).chunks());
            for (int phase = 0; phase < JobSpec.of(job).phases().size(); phase++) {
                LaneEstimate.Prior p = x.prior(lane, phase, LaneSet.of(0, 1));
                LaneEstimate.Prior q = y.prior(lane, phase, LaneSet.of(0, 1));
                assertClose(p.launchNanos(), q.launchNanos());
                assertEquals(p.logFixed(), q.logFixed(), 1e-4);
                assertClose(p.varianceOfFixed(), q.varianceOfFixed());
                assertEquals(p.logPerUnit(), q.logPerUnit(), 1e-4);
                assertClose(p.varianceOfPerUnit(), q.varianceOfPerUnit());
                assertClose(p.overrun(), q.overrun());
                assertClose(p.noise(), q.noise());
            }
        }
        for (LaneSet set : List.of(LaneSet.of(0), LaneSet.of(1), LaneSet.of(0, 1))) {
            Forecast f = x.forecast(set);
            Forecast g = y.forecast(set);
            assertClose(f.nanos(), g.nanos());
            assertClose(f.doubt(), g.doubt());
            assertClose(f.contention(), g.contention());
            assertEquals(f.jobs(), g.jobs());
            assertClose(x.doubt(f, x.forecast(LaneSet.of(0))), y.doubt(g, y.forecast(LaneSet.of(0))));
        }
    }

    /** What is known, without figures, of which the file has few digits. */
    private static List<String> names(StoredHistory history) {
        assertFalse(history.entries().isEmpty());
        return history.entries().stream()
                .map(each -> each.kernels() + " " + each.shapes() + " " + each.devices() + " " + each.units() + " "
                        + each.jobs())
                .sorted()
                .toList();
    }

    private static void assertClose(double expected, double actual) {
        assertEquals(expected, actual, 1e-4 * Math.abs(expected));
    }

    @Test
    void aHistoryThatDidNotChangeIsNotWritten() throws IOException {
        StoredHistory.at(file()).save();
        assertFalse(Files.exists(file()));
        StoredHistory history = learnt();
        history.save();
        Files.delete(file());
        history.save();
        assertFalse(Files.exists(file()));
        history.clear();
        history.save();
        assertEquals(List.of(), StoredHistory.at(file()).entries());
        assertTrue(Files.exists(file()));
    }

    static Stream<Arguments> filesThatAreNoHistory() {
        return Stream.of(
                damage("empty", text -> ""),
                damage("cut off in the first line", text -> text.substring(0, 30)),
                damage("without its line breaks", text -> text.replace("\n", "")),
                damage("not JSON", text -> "kernel,device,time\n"),
                damage("a list", text -> "[]\n"),
                damage("null", text -> "null\n"),
                damage("foreign", text -> text.replace("evener-history", "something else")),
                damage("no format", text -> "{}\n"),
                damage("version that rounds to 5", version("5.5")),
                damage("version as text", version("\"5\"")),
                damage("binary", text -> "\u0000\u0001\u0002" + text),
                damage("deeply nested lists", text -> "[".repeat(5_000_000)),
                damage("huge", text -> " ".repeat(65 << 20) + text),
                Arguments.of("not UTF-8", UnaryOperator.<String>identity(), true));
    }

    private static Arguments damage(String what, UnaryOperator<String> change) {
        return Arguments.of(what, change, false);
    }

    private static UnaryOperator<String> version(String other) {
        return text -> text.replace("\"version\":5", "\"version\":" + other);
    }

    private static UnaryOperator<String> number(String name, String other) {
        return text -> text.replaceAll("\"" + name + "\":-?[0-9][0-9.E-]*", "\"" + name + "\":" + other);
    }

    private static UnaryOperator<String> list(String name, String other) {
        return text -> text.replaceAll("(?s)\"" + name + "\":\\[.*?\\]", "\"" + name + "\":[" + other + "]");
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

        StoredHistory history = StoredHistory.at(file());

        assertEquals(List.of(), history.entries());
        assertFalse(Files.exists(file()));
        Path aside = file().resolveSibling("history.json.damaged");
        assertTrue(Arrays.equals(before, Files.readAllBytes(aside)), "the damaged file must be kept as it was");
        learn(history, job("k"), 10, 100);
        learn(history, job("k"), 10, 100);
        history.save();
        assertEquals(1, StoredHistory.at(file()).entries().size());
    }

    /** It was called damaged and renamed, so that two versions side by side took each other's away in turns. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"format\":\"evener-history\",\"version\":6}\n",
                "{\"format\":\"evener-history\",\"version\":4294967301,\"file\":\"1\"}\n",
                "{\n  \"format\" : \"evener-history\",\n  \"version\" : 4,\n  \"jobs\" : [ ]\n}\n"
            })
    void anotherVersionsIsLeftToIt(String other) throws IOException {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), other);
        StoredHistory history = learnt();
        history.save();
        assertEquals(other, Files.readString(file()));
        assertEquals(file().resolveSibling("history.json.v5"), history.file());
        assertEquals(history.file(), StoredHistory.fileOf(file()));
        assertEquals(names(history), names(StoredHistory.at(file())));
        assertFalse(Files.exists(file().resolveSibling("history.json.damaged")));
    }

    static Stream<Arguments> damagedLines() {
        return Stream.of(
                Arguments.of("empty", line(line -> "")),
                Arguments.of("half", line(line -> line.substring(0, line.length() / 2))),
                Arguments.of("cut at the last brace", line(line -> line.substring(0, line.lastIndexOf('}')))),
                Arguments.of("two in one", line(line -> line + line)),
                Arguments.of("nothing but zeros", line(line -> "\u0000".repeat(line.length()))),
                Arguments.of("a number", line(line -> "5")),
                Arguments.of("kernel missing", line(line -> line.replace("\"kernel\"", "\"colonel\""))),
                Arguments.of("gaps missing", line(line -> line.replace("\"gaps\"", "\"gasps\""))),
                Arguments.of("lanes missing", line(line -> line.replace("\"lanes\"", "\"lines\""))),
                Arguments.of("fit missing", line(line -> line.replace("\"fit\"", "\"feat\""))),
                Arguments.of("sets missing", line(line -> line.replace("\"sets\"", "\"nets\""))),
                Arguments.of("phases missing", line(line -> line.replace("\"phases\"", "\"faces\""))),
                Arguments.of("a state of two phases", line(list("state", "1, 1, 1, 0.5, 0.5"))),
                Arguments.of("half a fit", line(list("fit", "0, 0"))),
                Arguments.of("devices of numbers", line(list("devices", "7"))),
                Arguments.of("half a profile", line(list("profile", "0, 0"))),
                Arguments.of(
                        "a device that is a number",
                        line(line -> line.replaceAll("\"device\":\"[^\"]*\"", "\"device\":7"))),
                Arguments.of("number as text", line(number("chunks", "\"heavy\""))),
                Arguments.of("infinite", line(number("chunks", "1e999"))),
                Arguments.of("no time", line(line -> line.replace("\"updatedMillis\"", "\"update\""))),
                Arguments.of("deeply nested", line(line -> "{\"a\":[".repeat(1_000_000))),
                Arguments.of("a very long number", line(number("chunks", "9".repeat(1_000_000)))),
                Arguments.of("far too long", line(line -> " ".repeat(65 << 20) + line)));
    }

    /** Damages the second of three kinds. */
    private static UnaryOperator<String> line(UnaryOperator<String> change) {
        return text -> {
            String[] lines = text.split("\n");
            String good = lines[2];
            lines[2] = change.apply(good);
            assertNotEquals(good, lines[2], "the damage did nothing");
            return String.join("\n", lines) + "\n";
        };
    }

    /** It costs its kind of job, once: the next save writes the file anew. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("damagedLines")
    void aDamagedLineCostsItsKindOnly(String what, UnaryOperator<String> damage) throws IOException {
        StoredHistory written = StoredHistory.at(file());
        for (String kernel : List.of("a", "b", "c")) {
            uneven(written, job(kernel));
        }
        written.save();
        Files.writeString(file(), damage.apply(Files.readString(file())));

        StoredHistory history = StoredHistory.at(file());
        assertEquals(List.of("a", "c"), kernels(history));
        uneven(history, job("d"));
        history.save();
        assertEquals(List.of("a", "c", "d"), kernels(StoredHistory.at(file())));
        assertEquals(4, Files.readAllLines(file()).size());
        assertFalse(Files.exists(file().resolveSibling("history.json.damaged")));
    }

    private static List<String> kernels(StoredHistory history) {
        return history.entries().stream()
                .map(entry -> String.join(" ", entry.kernels()))
                .sorted()
                .distinct()
                .toList();
    }

    /** Another process may have damaged it, or an older one replaced it, since it was read. */
    @Test
    void aFileThatWasDamagedMeanwhileIsSetAsideWhenItIsSaved() throws IOException {
        StoredHistory history = learnt();
        history.save();
        Files.writeString(file(), "{");
        learn(history, job("k"), 1000, 5);
        history.save();
        assertEquals(names(history), names(StoredHistory.at(file())));
        assertEquals("{", Files.readString(file().resolveSibling("history.json.damaged")));
    }

    @Test
    void aRunGoesOnWithADamagedHistory() throws IOException {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), "{");
        try (Evener evener = jvm(StoredHistory.at(file()))) {
            evener.submit(run()).join();
            evener.submit(run()).join();
        }
        assertEquals(1, StoredHistory.at(file()).entries().size());
        assertEquals("{", Files.readString(file().resolveSibling("history.json.damaged")));
    }

    @Test
    void extremeNumbersInAFileDoNotReachThePolicies() throws IOException {
        learnt().save();
        String good = Files.readString(file());
        for (String extreme : List.of("0", "1e-320", "1e99", "-1e99", "1e308")) {
            for (String name : List.of("updatedMillis", "chunks")) {
                assertHarmless(name + " " + extreme, good, number(name, extreme));
            }
            for (String name : List.of("state", "profile", "fit", "gaps", "variances", "seen")) {
                Matcher lists =
                        Pattern.compile("\"" + name + "\":\\[[^\\]]*\\]").matcher(good);
                assertHarmless(
                        name + " " + extreme,
                        good,
                        text -> lists.replaceAll(
                                list -> list.group().replaceAll("(?<=[\\[,])-?[0-9][0-9.E-]*", extreme)));
            }
        }
    }

    private void assertHarmless(String what, String good, UnaryOperator<String> change) throws IOException {
        String bad = change.apply(good);
        assertNotEquals(good, bad, what);
        Files.writeString(file(), bad);
        StoredHistory history = StoredHistory.at(file());
        for (int i = 0; i < 3; i++) {
            HistorySnapshot model = model(history, job("k"), 1000);
            assertTrue(model.jobs() >= 0 && model.exploration().sinceLook() >= 0, what);
            for (LaneSet set : List.of(LaneSet.of(0), LaneSet.of(1), LaneSet.of(0, 1))) {
                Forecast forecast = model.forecast(set);
                assertTrue(forecast.nanos() > 0 && Double.isFinite(forecast.nanos()), what + ": " + forecast);
                assertTrue(forecast.doubt() >= 0 && Double.isFinite(forecast.doubt()), what + ": " + forecast);
                assertTrue(forecast.jobs() >= 0, what + ": " + forecast);
                for (double work : forecast.work()) {
                    assertTrue(work >= 0 && Double.isFinite(work), what + ": " + Arrays.toString(forecast.work()));
                }
                LaneEstimate.Prior prior = model.prior(0, 0, set.with(0));
                assertTrue(Double.isFinite(prior.logPerUnit() + prior.logFixed()), what + ": " + prior);
                assertTrue(prior.launchNanos() > 0 && Double.isFinite(prior.launchNanos()), what + ": " + prior);
                assertTrue(prior.varianceOfPerUnit() >= 0 && prior.varianceOfFixed() >= 0, what + ": " + prior);
                assertTrue(Double.isFinite(prior.varianceOfPerUnit() + prior.varianceOfFixed()), what + ": " + prior);
                assertTrue(prior.overrun() >= 0 && Double.isFinite(prior.overrun()), what + ": " + prior);
            }
            learn(history, job("k"), 1000, 5000);
        }
        history.save();
        assertEquals(names(history).size(), names(StoredHistory.at(file())).size(), what);
    }

    @Test
    void aFolderThatCannotBeWrittenIsOnlyAWarning() throws IOException {
        // A file where the folder should be: refused to every user, root included.
        Files.writeString(folder.resolve("sub"), "in the way");
        try (Evener evener = jvm(StoredHistory.at(file()))) {
            evener.submit(run()).join();
        }
        assertEquals("in the way", Files.readString(folder.resolve("sub")));
    }

    private StoredHistory learnt() {
        StoredHistory history = StoredHistory.at(file());
        for (int i = 1; i <= 5; i++) {
            learn(history, job("k"), 1000L + i, 5000);
        }
        return history;
    }

    private static Job run() {
        return Job.named("j").units(8).kernel("k").jvm(c -> {}).build();
    }

    private static Evener jvm(StoredHistory history) {
        return Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(history)
                .open();
    }
}
