package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.Variant;
import dev.evener.policy.LaneSet;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One file that several processes save to, and when it is saved. The limit on time is for a save that never comes. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedHistoryTest {
    private static final int SAVES = 150;

    @TempDir
    Path folder;

    private final AtomicLong now = new AtomicLong(1_000_000);

    private Path file() {
        return folder.resolve("sub/history.json");
    }

    private StoredHistory open() {
        return new StoredHistory(file(), now::get, StoredHistory.KINDS);
    }

    private static void learn(StoredHistory history, String kernel, double nanosPerUnit) {
        HistoryTest.learn(history, HistoryTest.job(kernel), 1 << 20, nanosPerUnit);
    }

    private static void learnTwice(StoredHistory history, String kernel, double nanosPerUnit) {
        learn(history, kernel, nanosPerUnit);
        learn(history, kernel, nanosPerUnit);
    }

    private static HistorySnapshot model(StoredHistory history, String kernel) {
        Job job = HistoryTest.job(kernel);
        return history.of(job, TwoDevices.BOTH).model(1 << 20);
    }

    private static List<String> kernels(StoredHistory history) {
        return history.entries().stream()
                .map(e -> String.join(" ", e.kernels()))
                .sorted()
                .toList();
    }

    // ---- what others saved ----

    @Test
    void whatSeveralLearntIsKept() {
        StoredHistory first = open();
        StoredHistory second = open();
        for (int i = 0; i < 3; i++) {
            learn(first, "a", 5);
            learn(second, "b", 7);
        }
        first.save();
        second.save();
        assertEquals(List.of("a", "b"), kernels(open()));
        assertEquals(List.of("a", "b"), kernels(second), "which knows now what the other learnt");
        assertEquals(3, model(second, "a").jobs());
        learn(first, "a", 5);
        first.save();
        assertEquals(List.of("a", "b"), kernels(first));
        assertEquals(4, model(open(), "a").jobs());
        assertEquals(3, model(open(), "b").jobs());
    }

    /** What one process saw need not be seen by another, whose evidence may be newer, nor by a job that is declared otherwise. */
    @Test
    void declarationsThatPassedAreKeptByAll() {
        StoredHistory first = open();
        StoredHistory second = open();
        first.of(HistoryTest.job("a"), TwoDevices.BOTH).passed(HistoryTest.job("a"));
        learn(first, "a", 5);
        first.save();
        now.incrementAndGet();
        learn(second, "a", 5);
        learn(second, "b", 5);
        second.save();
        for (StoredHistory each : List.of(first, second, open())) {
            assertTrue(each.of(HistoryTest.job("a"), TwoDevices.BOTH).hasPassed(HistoryTest.job("a")));
            assertFalse(each.of(HistoryTest.job("b"), TwoDevices.BOTH).hasPassed(HistoryTest.job("b")));
        }
        Job other = Job.named("job")
                .units(1)
                .kernel("a")
                .variant(Variant.plain().withGroupSize(8))
                .jvm(c -> {})
                .build();
        assertFalse(first.of(other, TwoDevices.BOTH).hasPassed(other));
    }

    @Test
    void ofOneKindOfJobTheNewestIsKept() {
        StoredHistory first = open();
        StoredHistory second = open();
        JobHistory held = first.of(HistoryTest.job("a"), TwoDevices.BOTH);
        learn(first, "a", 5);
        learn(first, "a", 5);
        now.incrementAndGet();
        for (int i = 0; i < 5; i++) {
            learn(second, "a", 50);
        }
        second.save();
        first.save();
        assertEquals(5, model(open(), "a").jobs());
        assertEquals(50, model(open(), "a").lane(0).nanosPerUnit(), 5);
        assertEquals(5, held.model(1 << 20).jobs(), "whoever has it at hand sees it too");
        assertEquals(50, held.model(1 << 20).lane(0).nanosPerUnit(), 5);

        now.incrementAndGet();
        learn(first, "a", 50);
        first.save();
        learn(second, "b", 1);
        second.save();
        assertEquals(6, model(open(), "a").jobs());
        assertEquals(6, model(second, "a").jobs());
    }

    /** Else whoever has it at hand would look anew at once, or not for as long as it had not. */
    @Test
    void withTheNewestComesWhenItLookedLast() {
        StoredHistory first = open();
        StoredHistory second = open();
        JobHistory held = first.of(HistoryTest.job("a"), TwoDevices.BOTH);
        learn(first, "a", 5);
        now.incrementAndGet();
        learnTwice(second, "a", 5);
        JobObservation seen = Observations.of(1 << 20, 5, 0);
        second.of(HistoryTest.job("a"), TwoDevices.BOTH)
                .learn(new JobObservation(
                        TwoDevices.A,
                        TwoDevices.A,
                        1 << 20,
                        seen.wallNanos(),
                        true,
                        false,
                        seen.wallNanos(),
                        1,
                        seen.delayNanos(),
                        seen.chunks()));
        long since = model(second, "a").exploration().sinceLook();
        second.save();
        first.save();
        assertEquals(3, held.model(1 << 20).jobs());
        assertEquals(since, held.model(1 << 20).exploration().sinceLook());
    }

    @Test
    void whatWasClearedDoesNotComeBack() {
        StoredHistory first = open();
        learn(first, "old", 5);
        learn(first, "old", 5);
        first.save();
        StoredHistory second = open();
        assertEquals(List.of("old"), kernels(second));
        now.incrementAndGet();
        second.clear();
        assertEquals(List.of(), second.entries());
        now.incrementAndGet();
        learn(first, "new", 5);
        learn(first, "new", 5);
        first.save();
        learn(second, "own", 5);
        learn(second, "own", 5);
        second.save();
        assertEquals(List.of("new", "own"), kernels(open()), "what others learnt since stays");
        assertEquals(List.of("new", "own"), kernels(second));
    }

    // ---- devices that are forgotten ----

    private static final String GPU = TwoDevices.GPU.identity();

    /** Jobs of both devices and of each alone. */
    private static void learnBoth(StoredHistory history, String kernel) {
        for (double[] each : new double[][] {{5, 9}, {5, 9}, {5, 0}, {5, 0}, {0, 9}, {0, 9}}) {
            HistoryTest.learn(history, HistoryTest.job(kernel), 1 << 20, each);
        }
    }

    private static void knowsTheCpuAlone(StoredHistory history, String kernel) {
        assertTrue(history.entries().stream().noneMatch(each -> each.devices().contains(GPU)), "the GPU is forgotten");
        assertEquals(5, model(history, kernel).lane(0).nanosPerUnit(), 0.5, "what the CPU takes is not");
        assertEquals(0, model(history, kernel).lane(1).chunks());
        assertEquals(
                List.of(List.of(TwoDevices.CPU.identity())),
                history.entries().stream()
                        .map(History.Entry::devices)
                        .distinct()
                        .toList());
    }

    @Test
    void aDeviceIsForgottenWithTheSetsThatItWasIn() {
        StoredHistory history = open();
        learnBoth(history, "a");
        HistoryTest.learn(history, HistoryTest.job("of the GPU"), 1 << 20, 0, 9);
        history.save();
        assertFalse(history.forget("another device"));
        assertTrue(history.forget(GPU));
        assertFalse(history.forget(GPU));
        knowsTheCpuAlone(history, "a");
        history.save();
        knowsTheCpuAlone(open(), "a");
        now.incrementAndGet();
        learnBoth(history, "a"); // the places of sets that are gone are given to new ones
        assertEquals(3, history.entries().size());
        history.save();
        StoredHistory read = open();
        assertEquals(3, read.entries().size());
        assertTrue(model(read, "a").lane(1).chunks() > 0);
    }

    /** It had the old evidence in memory, and its kind of job is the newer one. */
    @Test
    void aDeviceThatWasForgottenIsNotBroughtBackByAProcessThatSavesLater() {
        StoredHistory running = open();
        learnBoth(running, "a");
        learnBoth(running, "b");
        running.save();
        now.incrementAndGet();
        StoredHistory command = open();
        assertTrue(command.forget(GPU));
        now.incrementAndGet();
        learnBoth(running, "a");
        command.save();
        now.incrementAndGet();
        learnBoth(running, "b");
        running.save();
        knowsTheCpuAlone(open(), "a");
        knowsTheCpuAlone(open(), "b");
        knowsTheCpuAlone(running, "a");

        now.incrementAndGet();
        learnBoth(running, "a"); // from now on it is learnt anew
        running.save();
        running.save();
        assertEquals(
                3,
                open().entries().stream()
                        .filter(each -> each.kernels().contains("a"))
                        .count());
    }

    /** Whoever did not read it until then finds it in the new file. */
    @Test
    void whatIsForgottenOutlivesAFileThatIsWrittenAnew() throws IOException {
        StoredHistory running = open();
        learnBoth(running, "a");
        running.save();
        StoredHistory command = open();
        command.forget(GPU);
        command.save();
        Path old = folder.resolve("old");
        Files.copy(file(), old);
        now.incrementAndGet();
        for (int i = 0; Files.size(file()) >= Files.size(old); i++) {
            learn(command, "other", 5 + i % 2);
            Files.copy(file(), old, StandardCopyOption.REPLACE_EXISTING);
            command.save();
        }
        now.incrementAndGet();
        learnBoth(running, "a");
        running.save();
        knowsTheCpuAlone(open(), "a");
        long lines = Files.readAllLines(file()).stream()
                .filter(line -> line.contains("forgotten"))
                .count();
        assertEquals(1, lines);
    }

    /** Each learns what the other does not. */
    @Test
    void threadsThatSaveAtOnceKeepWhatAllLearnt() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        for (int t = 0; t < 4; t++) {
            String kernel = "kernel" + t;
            threads.add(new Thread(() -> {
                StoredHistory history = open();
                await(go);
                for (int i = 0; i < 50; i++) {
                    learn(history, kernel, 5);
                    history.save();
                }
            }));
        }
        threads.forEach(Thread::start);
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        for (int t = 0; t < 4; t++) {
            assertEquals(50, model(open(), "kernel" + t).jobs());
        }
    }

    /** A job that ends while the history is being written is not lost with the next save. */
    @Test
    void whatIsLearntDuringASaveIsSavedWithTheNext() throws InterruptedException {
        StoredHistory history = open();
        Thread learner = new Thread(() -> {
            for (int i = 0; i < 3000; i++) {
                learn(history, "a", 5);
            }
        });
        learner.start();
        while (learner.isAlive()) {
            history.save();
        }
        learner.join();
        history.save();
        assertEquals(3000, model(open(), "a").jobs());
    }

    @Test
    void processesThatSaveAtOnceKeepWhatBothLearnt() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            processes.add(saver("kernel" + p, SAVES)
                    .redirectOutput(folder.resolve("output" + p).toFile())
                    .start());
        }
        int reads = 0;
        while (processes.stream().anyMatch(Process::isAlive)) {
            if (Files.exists(file())) {
                assertTrue(List.of("kernel0", "kernel1").containsAll(kernels(open())));
                reads++;
            }
            Thread.sleep(1); // leaves the processes a core
        }
        for (int p = 0; p < 2; p++) {
            assertTrue(processes.get(p).waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, processes.get(p).exitValue(), Files.readString(folder.resolve("output" + p)));
        }
        assertTrue(reads > 0);
        StoredHistory both = open();
        assertEquals(List.of("kernel0", "kernel1"), kernels(both));
        for (int p = 0; p < 2; p++) {
            assertEquals(SAVES, model(both, "kernel" + p).jobs());
        }
        assertEquals(List.of("history.json", "history.json.lock"), files());
    }

    /** A process that saves so often, and says so each time. */
    private ProcessBuilder saver(String kernel, int saves) {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Saver.class.getName(),
                        file().toString(),
                        kernel,
                        Integer.toString(saves))
                .redirectErrorStream(true);
    }

    /** Kills it (SIGKILL) while it saves, each time after another number of saves, and reads all that it had saved until then. */
    @Test
    void nothingThatWasSavedIsLostWhenAProcessIsKilled() throws Exception {
        StoredHistory other = open();
        learnTwice(other, "other", 5);
        other.save();
        long saved = 0;
        for (int kill = 1; kill <= 12; kill += LongTests.ASKED_FOR ? 1 : 4) {
            Process process = saver("a", Integer.MAX_VALUE)
                    .redirectErrorStream(false)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
                for (int i = 0; i < 17 * kill; i++) {
                    saved = Long.parseLong(said.readLine());
                }
                process.destroyForcibly().waitFor();
            }
            StoredHistory read = open();
            assertEquals(List.of("a", "other"), kernels(read));
            assertTrue(
                    model(read, "a").jobs() >= saved,
                    () -> "kill after " + model(read, "a").jobs());
        }
        assertFalse(files().contains("history.json.damaged"));
    }

    /** As a process that is killed, a full disk or a power failure leave it. */
    @Test
    void aLineThatWasNotWrittenWholeIsCutOffByTheNextSave() throws IOException {
        for (String torn : List.of("{", "{\"phases\":[{\"kernel\":\"\u00e4", "\u0000".repeat(100_000))) {
            StoredHistory first = open();
            learnTwice(first, "a", 5);
            first.save();
            long whole = Files.size(file());
            Files.writeString(file(), torn, StandardOpenOption.APPEND);
            assertEquals(List.of("a"), kernels(open()));
            StoredHistory second = open();
            learnTwice(second, "b", 5);
            second.save();
            learnTwice(first, "c", 5);
            first.save();
            assertEquals(List.of("a", "b", "c"), kernels(open()));
            assertEquals(-1, Files.readString(file()).substring((int) whole).indexOf(torn + "{"));
            Files.delete(file());
        }
        assertEquals(List.of("history.json.lock"), files());
    }

    /** Somebody writes another file in its place, or edits it, while a process goes on. */
    @Test
    void aFileThatSomebodyReplacedIsReadAgain() throws IOException {
        StoredHistory first = open();
        learnTwice(first, "a", 5);
        first.save();
        StoredHistory second = StoredHistory.at(folder.resolve("another"));
        learnTwice(second, "b", 5);
        learnTwice(second, "c", 5);
        second.save();
        Files.copy(folder.resolve("another"), file(), StandardCopyOption.REPLACE_EXISTING);
        learnTwice(first, "d", 5);
        first.save();
        assertEquals(List.of("b", "c", "d"), kernels(open()));
        assertEquals(List.of("a", "b", "c", "d"), kernels(first));

        String edited =
                Files.readString(file()).replace("\"b\"", "\"another name\"").replace("\"c\"", "\"a long name\"");
        Files.writeString(file(), edited);
        learnTwice(first, "d", 5);
        first.save();
        assertEquals(List.of("a long name", "another name", "d"), kernels(open()));
    }

    /** No temporary or damaged file may be left. */
    private List<String> files() throws IOException {
        try (Stream<Path> left = Files.list(file().getParent())) {
            return left.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    /** Saves over and over; run as a process of its own. */
    static final class Saver {
        private Saver() {}

        public static void main(String[] arguments) {
            StoredHistory history = StoredHistory.at(Path.of(arguments[0]));
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                learn(history, arguments[1], 5);
                history.save();
                System.out.println(model(history, arguments[1]).jobs());
            }
        }
    }

    // ---- when it is saved ----

    @Test
    void itIsSavedFromTimeToTimeByAThreadOfItsOwn() throws InterruptedException {
        StoredHistory history = open();
        learn(history, "a", 5);
        now.addAndGet(29_999);
        learn(history, "a", 5);
        assertFalse(saving());
        assertFalse(Files.exists(file()));
        now.addAndGet(1);
        learn(history, "a", 5);
        saved();
        assertEquals(3, model(open(), "a").jobs());

        now.addAndGet(29_999);
        learn(history, "a", 5);
        assertFalse(saving());
        assertEquals(3, model(open(), "a").jobs());
        now.addAndGet(1);
        learn(history, "a", 5);
        saved();
        assertEquals(5, model(open(), "a").jobs());
    }

    @Test
    void withoutAFileNothingIsSaved() {
        StoredHistory history = new StoredHistory(null, now::get, StoredHistory.KINDS);
        now.addAndGet(1_000_000);
        learn(history, "a", 5);
        assertFalse(saving());
        history.save();
        assertEquals(1, model(history, "a").jobs());
    }

    private static boolean saving() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(t -> t.getName().equals("evener-history"));
    }

    /** Waits for the thread, which lives for one save. */
    private static void saved() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("evener-history")) {
                assertTrue(thread.isDaemon(), "it must not keep a program from ending");
                thread.join();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- what travels as bytes ----

    @Test
    void whatAnotherProcessLearntIsTakenOverAsFromAFile() {
        StoredHistory first = new StoredHistory(null, now::get, StoredHistory.KINDS);
        learnTwice(first, "a", 100);
        learnTwice(first, "b", 200);
        now.addAndGet(1000);
        StoredHistory second = new StoredHistory(null, now::get, StoredHistory.KINDS);
        learnTwice(second, "b", 400);
        learnTwice(second, "c", 800);

        second.seed(first.bytes());
        assertEquals(List.of("a", "b", "c"), kernels(second));
        first.seed(second.bytes()); // now each has the newest of all
        second.seed(second.bytes());
        assertEquals(List.of("a", "b", "c"), kernels(first));
        assertEquals(List.of("a", "b", "c"), kernels(second));
        for (String kernel : kernels(first)) {
            double nanos = model(first, kernel).forecast(LaneSet.of(0)).nanos();
            assertEquals(nanos, model(second, kernel).forecast(LaneSet.of(0)).nanos(), 1e-4 * nanos);
        }
        assertEquals(400, model(first, "b").lane(0).nanosPerUnit(), 40);
    }

    @Test
    void bytesOfWhatWasLearntSinceSomeTime() {
        StoredHistory history = new StoredHistory(null, now::get, StoredHistory.KINDS);
        learnTwice(history, "a", 100);
        learnTwice(history, "b", 200);
        Instant later = Instant.ofEpochMilli(now.addAndGet(1000));
        learnTwice(history, "b", 300);
        StoredHistory told = new StoredHistory(null, now::get, StoredHistory.KINDS);
        told.seed(history.bytes(later));
        assertEquals(List.of("b"), kernels(told));
        double nanos = model(history, "b").forecast(LaneSet.of(0)).nanos();
        assertEquals(nanos, model(told, "b").forecast(LaneSet.of(0)).nanos(), 1e-4 * nanos);
        told.seed(history.bytes(later.plusMillis(1)));
        assertEquals(List.of("b"), kernels(told));
    }

    @Test
    void bytesAreThoseOfTheFile() throws IOException {
        StoredHistory history = open();
        learnTwice(history, "a", 100);
        history.save();
        List<String> lines = Files.readAllLines(file());
        assertEquals(
                lines.subList(1, lines.size()),
                new String(history.bytes(), StandardCharsets.UTF_8)
                        .lines()
                        .skip(1)
                        .toList());
    }

    @Test
    void damagedBytesAreRefusedAndChangeNothing() {
        StoredHistory history = new StoredHistory(null, now::get, StoredHistory.KINDS);
        learnTwice(history, "a", 100);
        String text = new String(history.bytes(), StandardCharsets.UTF_8);
        StoredHistory empty = new StoredHistory(null, now::get, StoredHistory.KINDS);
        for (String damaged : List.of(
                "",
                "{}",
                "[]",
                text.substring(0, text.length() / 2),
                text.replace("\"version\":5", "\"version\":4"),
                text.substring(0, text.length() - 1),
                text + "{}\n")) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class, () -> empty.seed(damaged.getBytes(StandardCharsets.UTF_8)));
            assertTrue(String.valueOf(e.getMessage()).startsWith("these bytes are no history: "), e.getMessage());
        }
        assertEquals(List.of(), empty.entries());
    }

    @Test
    void whatWasForgottenIsNotSeededAnew() {
        StoredHistory history = new StoredHistory(null, now::get, StoredHistory.KINDS);
        learnTwice(history, "a", 100);
        byte[] bytes = history.bytes();
        now.addAndGet(1000);
        history.clear();
        history.seed(bytes);
        assertEquals(List.of(), history.entries());
    }
}
