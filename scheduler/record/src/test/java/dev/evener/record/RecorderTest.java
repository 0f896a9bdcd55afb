package dev.evener.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recorded can be read again, whatever happens meanwhile. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecorderTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"a.record", "b.record.gz"})
    void everyLineComesBackAsItWas(String name) throws IOException {
        Path file = folder.resolve(name);
        long before = System.nanoTime();
        long origin;
        List<RunEvent> events;
        try (Recorder recorder = Recorder.to(file)) {
            origin = System.nanoTime();
            events = Records.events(origin);
            recorder.opened(List.of(Records.CPU, Records.GPU));
            long task = recorder.task(Records.TASK);
            long request = recorder.request(task, "static:0.5,0.5", true);
            events.forEach(recorder::heard);
            recorder.result(request, Records.DIGEST);
            recorder.request(task, "adaptive", false);
            recorder.opened(List.of(Records.CPU));
            assertEquals(3, recorder.request(task, "single:0", false));
            assertEquals(file.toAbsolutePath(), recorder.file());
            assertFalse(Files.exists(file), "not before it is complete");
        }
        assertEquals(List.of(name), names());
        byte[] bytes = Files.readAllBytes(file);
        assertEquals(name.endsWith(".gz"), bytes[0] == 0x1f && bytes[1] == (byte) 0x8b);

        Recording read = RecordReader.read(file);
        assertTrue(read.complete());
        assertEquals(
                Runtime.getRuntime().availableProcessors(),
                read.header().machine().cores());
        assertEquals(2, read.runs().size());
        Recording.Run run = read.runs().get(0);
        assertEquals(Records.CPU, run.devices().get(0));
        assertEquals(Records.GPU, run.devices().get(1));
        long shift = events.get(0).at() - run.events().get(0).at(); // the recorder's own beginning
        assertTrue(shift >= before && shift <= origin, "times are counted from the beginning of the record");
        assertEquals(events.stream().map(e -> Records.since(e, shift)).toList(), run.events());
        Recording.Request first = run.requests().get(0);
        assertEquals(
                new Recording.Request(1, Records.TASK, first.at(), "static:0.5,0.5", true, 1, Records.DIGEST), first);
        Recording.Request second = run.requests().get(1);
        assertEquals(0, second.job());
        assertNull(second.result());
        assertEquals("single:0", read.runs().get(1).requests().get(0).policy());
        assertEquals(3, read.requests().size());
        assertEquals(events.size(), read.events());
    }

    private List<String> names() throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    /** What is recorded once went to where it led. */
    @Test
    void aPlantedPartialLinkIsNotWrittenThrough() throws IOException {
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        for (boolean hard : new boolean[] {false, true}) {
            Path partial = folder.resolve(hard ? "b.record.partial" : "a.record.partial");
            if (hard) {
                Files.createLink(partial, precious);
            } else {
                Files.createSymbolicLink(partial, precious);
            }
            Path file = folder.resolve(hard ? "b.record" : "a.record");
            Recorder.to(file).close();
            assertEquals("precious", Files.readString(precious));
            assertTrue(Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
        }
        Files.createDirectory(folder.resolve("c.record.partial"));
        assertThrows(RecordException.class, () -> Recorder.to(folder.resolve("c.record")));
        assertTrue(Files.isDirectory(folder.resolve("c.record.partial")));
    }

    @Test
    void aDanglingLinkIsFollowed() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("real.record"));
        Recorder.to(link).close();
        assertEquals(List.of("link", "real.record"), names());
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void aRealRuntimeIsRecordedWhole() {
        Path file = folder.resolve("jobs.record");
        List<Report> reports = new ArrayList<>();
        List<RunEvent> heard = new CopyOnWriteArrayList<>();
        try (Recorder recorder = Recorder.to(file);
                Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("0.0,0.1"))
                        .history(History.inMemory())
                        .listener(recorder)
                        .listener(heard::add)
                        .open()) {
            Job job = Job.named("nothing")
                    .source("kernel void nothing(int n) {}")
                    .units(1 << 16)
                    .kernel("nothing")
                    .scalar(1)
                    .build();
            for (int i = 0; i < 3; i++) {
                reports.add(evener.submit(job, Policies.stealing()).join());
            }
        }
        Recording read = RecordReader.read(file);
        Recording.Run run = read.runs().get(0);
        assertEquals(
                List.of("0.0", "0.1"), run.devices().stream().map(d -> d.id()).toList());
        assertEquals(heard.size(), run.events().size());
        for (int i = 0; i < 3; i++) {
            long number = i + 1L;
            List<RunEvent> own =
                    run.events().stream().filter(e -> e.job() == number).toList();
            long units = own.stream()
                    .mapToLong(e -> e instanceof RunEvent.Chunk c ? c.units() : 0)
                    .sum();
            assertEquals(1 << 16, units);
            RunEvent.Ended ended = (RunEvent.Ended) own.get(own.size() - 1);
            assertEquals(reports.get(i).wallNanos(), ended.wallNanos());
            for (RunEvent event : own) {
                if (event instanceof RunEvent.Chunk c) {
                    assertTrue(c.queued() > 0 && c.queued() <= c.submitted(), c::toString);
                    assertTrue(c.start() <= c.end() && c.end() <= c.at(), c::toString);
                }
            }
        }
    }

    /** Many more events than may wait, from several threads at once. */
    @Test
    void nothingIsLostHoweverFastItComes() throws InterruptedException {
        Path file = folder.resolve("many.record");
        int threads = 3;
        int each = 60_000;
        try (Recorder recorder = Recorder.to(file)) {
            recorder.opened(List.of(Records.CPU));
            List<Thread> all = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                long job = t + 1L;
                recorder.heard(new RunEvent.Submitted(0, job, "j", "static", 1 << 30, 1, List.of("k"), List.of(0)));
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        recorder.heard(new RunEvent.Stolen(i, job, 0, 0, 0, i));
                    }
                });
                thread.start();
                all.add(thread);
            }
            for (Thread thread : all) {
                thread.join();
            }
        }
        Recording.Run run = RecordReader.read(file).runs().get(0);
        for (int t = 1; t <= threads; t++) {
            long job = t;
            assertEquals(
                    LongStream.range(0, each).boxed().toList(),
                    run.events().stream()
                            .filter(e -> e.job() == job && e instanceof RunEvent.Stolen)
                            .map(e -> ((RunEvent.Stolen) e).units())
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"killed.record", "killed.record.gz"})
    void aProcessThatIsKilledLeavesWhatItHadRecorded(String name) throws Exception {
        Path file = folder.resolve(name);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Killed.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(9, process.exitValue(), said);
        assertEquals(List.of(name + ".partial"), names());
        Path partial = folder.resolve(name + ".partial");
        RecordException e = assertThrows(RecordException.class, () -> RecordReader.read(partial));
        assertTrue(e.getMessage().contains("cut off") && e.getMessage().contains("--partial"), e.getMessage());
        Recording read = RecordReader.readPartial(partial);
        assertFalse(read.complete());
        assertEquals(Records.events(0).size(), read.events());
    }

    /** Records something, waits until that has reached the file, and is gone. */
    static final class Killed {
        private Killed() {}

        public static void main(String[] arguments) throws Exception {
            Path file = Path.of(arguments[0]);
            Recorder recorder = Recorder.to(file);
            recorder.opened(List.of(Records.CPU, Records.GPU));
            Records.events(System.nanoTime()).forEach(recorder::heard);
            Path partial = file.resolveSibling(file.getFileName() + ".partial");
            while (RecordReader.readPartial(partial).events()
                    < Records.events(0).size()) {
                Thread.sleep(20);
            }
            Runtime.getRuntime().halt(9);
        }
    }

    @Test
    void aFullDiskStopsTheRecordAndNothingElse() {
        Path full = Path.of("/dev/full");
        Recorder recorder = assertThrowsOrOpens(full);
        if (recorder == null) {
            return; // refused at once, which is as good
        }
        recorder.opened(List.of(Records.CPU));
        for (int i = 0; i < 200_000; i++) {
            recorder.heard(new RunEvent.Fault(i, 1, 0, "text that fills up whatever buffer there is"));
        }
        RecordException e = assertThrows(RecordException.class, recorder::close);
        assertTrue(e.getMessage().startsWith("/dev/full: the record could not be written"), e.getMessage());
    }

    private static Recorder assertThrowsOrOpens(Path full) {
        try {
            return Recorder.to(full);
        } catch (RecordException e) {
            assertTrue(e.getMessage().startsWith("/dev/full: the record cannot be written"), e.getMessage());
            return null;
        }
    }

    @Test
    void whatCannotBeWrittenIsSaidAtOnce() throws IOException {
        RecordException e = assertThrows(RecordException.class, () -> Recorder.to(folder));
        assertTrue(e.getMessage().contains("it is a folder"), e.getMessage());
        Path plain = Files.writeString(folder.resolve("plain"), "x");
        assertThrows(RecordException.class, () -> Recorder.to(plain.resolve("x.record")));
        Recorder recorder = Recorder.to(plain);
        recorder.close();
        recorder.close();
        recorder.heard(new RunEvent.Fault(1, 1, 0, "too late"));
        assertEquals(0, RecordReader.read(plain).events());
    }

    @Test
    void aTextTooLongForALineIsCut() {
        Path file = folder.resolve("long.record");
        String text = "0123456789".repeat(200_000);
        try (Recorder recorder = Recorder.to(file)) {
            recorder.opened(List.of(Records.CPU));
            recorder.heard(new RunEvent.Submitted(0, 1, text, "static", 1, 1, List.of("k"), List.of(0)));
        }
        RunEvent.Submitted read = (RunEvent.Submitted)
                RecordReader.read(file).runs().get(0).events().get(0);
        assertEquals(Shape.LONGEST_TEXT, read.name().length());
        assertTrue(read.name().startsWith("0123456789") && read.name().endsWith("\u2026"));
    }

    /** Lines as the first Evener with this version of the format wrote them: read and written the same ever since. */
    @Test
    void theVersionOfTheFormatIsKeptByteForByte() throws Exception {
        String expected;
        try (InputStream in = RecorderTest.class.getResourceAsStream("version-1.record")) {
            expected = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (JsonGenerator json = LineFormat.writer(written)) {
            for (String text : expected.lines().toList()) {
                byte[] line = text.getBytes(StandardCharsets.US_ASCII);
                Map<?, ?> fields = LineFormat.fields(line, line.length);
                if (text.startsWith("{\"format")) {
                    LineFormat.write(json, LineFormat.header(fields));
                } else {
                    LineFormat.write(json, LineFormat.line(fields), 0);
                }
            }
        }
        assertEquals(expected, written.toString(StandardCharsets.US_ASCII));
        assertTrue(RecordReader.read(
                        folder.resolve("none"),
                        new ByteArrayInputStream(expected.getBytes(StandardCharsets.US_ASCII)),
                        false,
                        1 << 20)
                .complete());
    }

    @Test
    void linesAreOneObjectEachOfPlainAscii() throws IOException {
        Path file = folder.resolve("lines.record");
        Records.write(file);
        String text = Files.readString(file, StandardCharsets.UTF_8);
        assertTrue(text.chars().allMatch(c -> c == '\n' || (c >= ' ' && c <= '~')));
        assertTrue(text.endsWith("}\n"));
        assertEquals(
                List.of("format", "run", "task", "request", "event", "result", "end"),
                text.lines()
                        .map(line -> line.substring(2, line.indexOf('"', 2)))
                        .distinct()
                        .collect(Collectors.toList()));
    }
}
