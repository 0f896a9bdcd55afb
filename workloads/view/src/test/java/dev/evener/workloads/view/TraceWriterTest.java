package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.Chunk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The trace file, held against the documented format and against the events that it was made from. */
class TraceWriterTest {
    private static String text(RunEvents... runs) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TraceWriter.write(out, List.of(runs), Map.of("command", "evener run \"x\" </script>"));
        return out.toString(StandardCharsets.UTF_8);
    }

    private static List<Map<String, Object>> trace(RunEvents... runs) throws IOException {
        return TraceFormat.check(text(runs));
    }

    private static List<Map<String, Object>> of(List<Map<String, Object>> trace, String phase, String category) {
        return trace.stream()
                .filter(e -> e.get("ph").equals(phase) && category.equals(e.get("cat")))
                .toList();
    }

    private static List<Chunk> chunks(RunEvents run) {
        return run.events().stream()
                .filter(Chunk.class::isInstance)
                .map(Chunk.class::cast)
                .toList();
    }

    @Test
    void everyChunkIsACompleteEventWithItsTimes() throws IOException {
        RunEvents run = new MadeUpRun()
                .job("blur", "adaptive", 5, 40_000)
                .job("blur", "adaptive", 3, 9_000)
                .done("run");
        List<Map<String, Object>> found = of(trace(run), "X", "chunk");
        List<Chunk> chunks = chunks(run);
        assertEquals(24, chunks.size());
        Set<String> expected = chunks.stream()
                .map(c -> c.job() + "/" + c.firstUnit() + ": " + (c.start() - MadeUpRun.BEGIN) + "+"
                        + (c.end() - c.start()) + " " + c.units() + " " + c.bytesIn() + " " + c.bytesOut())
                .collect(Collectors.toSet());
        Set<String> seen = found.stream()
                .map(e -> {
                    Map<String, Object> args = TraceFormat.object(e, "args");
                    return args.get("job") + "/" + args.get("firstUnit") + ": " + TraceFormat.nanos(e, "ts") + "+"
                            + TraceFormat.nanos(e, "dur") + " " + args.get("units") + " " + args.get("bytesIn") + " "
                            + args.get("bytesOut");
                })
                .collect(Collectors.toSet());
        assertEquals(expected, seen);
        Map<String, Object> first = TraceFormat.object(found.get(0), "args");
        assertEquals(1.5, ((Number) first.get("queuedMicrosBefore")).doubleValue(), 1e-9);
        assertEquals(0.6, ((Number) first.get("submittedMicrosBefore")).doubleValue(), 1e-9);
        assertEquals(24, of(trace(run), "X", "queue").size(), "and its wait is one beside");
    }

    @Test
    void devicesOfAPlatformAreThreadsOfOneProcess() throws IOException {
        RunEvents run = new MadeUpRun().job("blur", "adaptive", 2, 40_000).done("run");
        List<Map<String, Object>> trace = trace(run);
        Map<Object, Object> processes = trace.stream()
                .filter(e -> e.get("name").equals("process_name"))
                .collect(Collectors.toMap(
                        e -> e.get("pid"), e -> TraceFormat.object(e, "args").get("name")));
        assertEquals(
                List.of("run: jobs and shares", "run: Portable Computing Language", "run: rusticl"),
                List.copyOf(processes.values()));
        List<Object> threads = trace.stream()
                .filter(e -> e.get("name").equals("thread_name"))
                .map(e -> e.get("pid") + ": " + TraceFormat.object(e, "args").get("name"))
                .collect(Collectors.toList());
        assertEquals(6, threads.size(), threads::toString);
        assertTrue(threads.contains("2: 0.1 basic"), threads::toString);
        assertTrue(threads.contains("2: 0.1 queue"), threads::toString);
        assertTrue(threads.get(4).toString().startsWith("3: 1.0 </script>"), threads::toString);
    }

    @Test
    void aStealIsAnArrowFromTheVictimToTheThief() throws IOException {
        RunEvents run = new MadeUpRun().job("blur", "stealing", 4, 40_000).done("run");
        List<Map<String, Object>> trace = trace(run);
        Map<String, Object> leaves = of(trace, "s", "steal").get(0);
        Map<String, Object> arrives = of(trace, "f", "steal").get(0);
        assertEquals(1, of(trace, "s", "steal").size());
        Chunk stolen = chunks(run).stream()
                .filter(c -> c.owner() != c.device())
                .findFirst()
                .orElseThrow();
        assertEquals(stolen.start() - MadeUpRun.BEGIN, TraceFormat.nanos(arrives, "ts"));
        assertEquals("e", arrives.get("bp"));
        assertFalse(leaves.get("tid").equals(arrives.get("tid")));
        RunEvent.Stolen steal = (RunEvent.Stolen) run.events().stream()
                .filter(RunEvent.Stolen.class::isInstance)
                .findFirst()
                .orElseThrow();
        assertTrue(TraceFormat.nanos(leaves, "ts") <= steal.at() - MadeUpRun.BEGIN);
        assertEquals(
                "0.0",
                TraceFormat.object(of(trace, "i", "steal").get(0), "args").get("victim"));
    }

    @Test
    void sharesAreCountersAndJobsAreSpans() throws IOException {
        RunEvents run = new MadeUpRun()
                .job("blur", "adaptive", 4, 40_000)
                .failing("none")
                .done("run");
        List<Map<String, Object>> trace = trace(run);
        List<Map<String, Object>> counters = of(trace, "C", "share");
        assertEquals(2, counters.size(), "planned and done; a failed job has none");
        for (Map<String, Object> counter : counters) {
            double sum = TraceFormat.object(counter, "args").values().stream()
                    .mapToDouble(v -> ((Number) v).doubleValue())
                    .sum();
            assertEquals(100, sum, 1e-9);
            assertEquals(
                    Set.of("0.0", "0.1", "1.0"),
                    TraceFormat.object(counter, "args").keySet());
        }
        List<Map<String, Object>> ends = of(trace, "e", "job").stream()
                .filter(e -> e.containsKey("args"))
                .toList();
        assertEquals("none", TraceFormat.object(ends.get(0), "args").get("failure"));
        List<String> spans = of(trace, "b", "job").stream()
                .map(e -> e.get("name") + " from " + TraceFormat.nanos(e, "ts"))
                .toList();
        assertEquals("waits for data of an <earlier> one from 0", spans.get(1));
        assertEquals("waits for its devices from 5000", spans.get(2));
        assertEquals(
                "4096 bytes sent, 1024 fetched",
                TraceFormat.object(ends.get(0), "args").get("0.1 halo"));
        assertEquals(
                "no <device> can take it",
                TraceFormat.object(ends.get(1), "args").get("failure"));
    }

    @Test
    void aFaultIsAnInstantOnItsDevicesTrack() throws IOException {
        MadeUpRun made = new MadeUpRun();
        made.job("a", "adaptive", 2, 9_000).job("a", "adaptive", 2, 9_000).job("a", "adaptive", 2, 9_000);
        List<Map<String, Object>> faults = of(trace(made.done("run")), "i", "fault");
        assertEquals(1, faults.size());
        assertEquals(
                "it failed: <b>out of luck</b>",
                TraceFormat.object(faults.get(0), "args").get("what"));
        assertEquals(201, faults.get(0).get("tid"));
    }

    @Test
    void chunksThatOverlapLieOnSeveralTracks() throws IOException {
        List<RunEvent> events =
                new ArrayList<>(new MadeUpRun().job("a", "adaptive", 1, 9_000).events());
        Chunk one = (Chunk)
                events.stream().filter(Chunk.class::isInstance).findFirst().orElseThrow();
        events.add(new Chunk(
                one.at(),
                one.job(),
                0,
                0,
                7,
                7,
                0,
                one.queued(),
                one.begun(),
                one.submitted(),
                one.start() + 10,
                one.end() + 10,
                1,
                1,
                1,
                0,
                0));
        List<Map<String, Object>> trace = trace(new RunEvents("run", MadeUpRun.devices(), events, 0)); // checks nesting
        assertTrue(trace.stream()
                .anyMatch(e -> TraceFormat.object(e, "args")
                        .getOrDefault("name", "")
                        .toString()
                        .endsWith(" (2)")));
    }

    @Test
    void anEmptyRunAndOneThatBrokeOffAreTracesToo() throws IOException {
        assertTrue(trace().isEmpty());
        List<RunEvent> events = new MadeUpRun().job("a", "adaptive", 3, 9_000).events();
        for (int length = 0; length < events.size(); length++) {
            assertNotNull(trace(new RunEvents("run", MadeUpRun.devices(), events.subList(0, length), 0)));
            RunEvents end = new RunEvents("run", MadeUpRun.devices(), events.subList(length, events.size()), length);
            assertNotNull(trace(end));
        }
    }

    @Test
    void whatWasForgottenIsSaid() throws IOException {
        RunEvents run = new RunEvents("run", MadeUpRun.devices(), List.of(), 17);
        Map<String, Object> file = JSON.std.mapFrom(text(run));
        assertEquals("17", TraceFormat.object(file, "otherData").get("events left out, run"));
    }
}
