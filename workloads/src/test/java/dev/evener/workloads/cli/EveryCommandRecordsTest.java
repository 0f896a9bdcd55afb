package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.event.RunEvent;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.workloads.view.TraceFormat;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records, traces and pages of the commands that open several Eveners, one after another, and what a replay makes of them. */
@InTurn(3)
class EveryCommandRecordsTest {
    @TempDir
    Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** With all three files, and nothing on standard error. */
    private Recording record(Object... words) throws IOException {
        InProcess.run(Stream.concat(
                                Stream.of(words),
                                Stream.of(
                                        "--record",
                                        file("all.record.gz"),
                                        "--trace",
                                        file("all.json"),
                                        "--report",
                                        file("all.html"),
                                        "--quiet"))
                        .toArray())
                .silent();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file("all.record.gz"))), StandardCharsets.US_ASCII))) {
            Set<String> shapes = new HashSet<>(); // of lines that differ in numbers alone one is enough
            Schemas.checkLines("record", lines.lines().filter(line -> shapes.add(line.replaceAll("[0-9]+", "0"))));
        }
        Recording recording = RecordReader.read(file("all.record.gz"));
        assertTrue(recording.complete());
        List<Recording.Run> busy =
                recording.runs().stream().filter(r -> jobs(r) > 0).toList();
        List<Map<String, Object>> trace = TraceFormat.check(Files.readString(file("all.json")));
        assertEquals(
                jobs(recording),
                trace.stream()
                        .filter(e -> e.get("ph").equals("b")
                                && String.valueOf(e.get("name")).startsWith("job "))
                        .count());
        String page = Files.readString(file("all.html"));
        int sections = page.split("<section class=\"run\"", -1).length - 1;
        assertEquals(busy.size(), sections, "one for each case");
        assertTrue(page.contains("<h1>evener " + words[0]), "the command");
        return recording;
    }

    private static long jobs(Recording.Run run) {
        return run.events().stream()
                .filter(RunEvent.Submitted.class::isInstance)
                .count();
    }

    private static long jobs(Recording recording) {
        return recording.runs().stream()
                .mapToLong(EveryCommandRecordsTest::jobs)
                .sum();
    }

    /** So many jobs run again, and so many results are the same. */
    private Map<String, Object> replayed(long jobs, long checked, Object... more) {
        List<Object> words = new ArrayList<>(List.of("replay", file("all.record.gz"), "--asap", "--json", "-"));
        words.addAll(List.of(more));
        Map<String, Object> json = InProcess.run(words.toArray()).done().json();
        Schemas.check("replay", json);
        assertEquals(List.of(), json.get("failures"));
        assertEquals(jobs, (long) ReportSchema.number(json, "jobs"));
        assertEquals(checked, (long) ReportSchema.number(json, "checked"));
        return json;
    }

    @Test
    void anExperimentRunsAgain() throws IOException {
        Recording recording = record(
                "bench",
                "reduction-steps",
                "--sizes",
                "4Ki",
                "--repeat",
                2,
                "--warm-up",
                0,
                "--devices",
                "0.0,0.1",
                "--out",
                file("kept"));
        Files.delete(file("kept"));
        // Two devices, two ways to do the second pass; five steps, each tried once, warmed up in 3 and 2 rounds, and
        // measured
        // twice.
        assertEquals(4, recording.runs().size());
        assertEquals(4 * 5 * (1 + 3 + 2 + 2), jobs(recording));
        assertEquals(jobs(recording), recording.requests().size());
        Map<String, Object> json = replayed(jobs(recording), 4 * 5);
        assertEquals(Map.of(), json.get("leftOut"));
        assertEquals(List.of("0.0", "0.0", "0.1", "0.1"), devices(json));
        String text = InProcess.run("replay", file("all.record.gz"), "--asap", "--devices", "0.1")
                .silent()
                .out();
        assertTrue(text.contains("reduce-steps second-pass=device step=tree "), text);
    }

    private static List<Object> devices(Map<String, Object> json) {
        List<Object> devices = new ArrayList<>();
        ReportSchema.objects(json, "runs").forEach(run -> devices.add(run.get("devicesNow")));
        return devices;
    }

    @Test
    void whatWasTunedRunsAgainTunedSo() throws IOException {
        Recording recording = record("tune", "map", "--quick", "--dry-run", "--repeat", 1, "--devices", "0.1");
        assertEquals(jobs(recording), recording.requests().size());
        List<Recording.Task> tasks = recording.requests().stream()
                .map(Recording.Request::task)
                .distinct()
                .toList();
        assertTrue(
                tasks.stream()
                        .anyMatch(t -> t.parameters().keySet().stream().anyMatch(n -> n.startsWith("tuning.map."))),
                tasks::toString);
        long checked =
                recording.requests().stream().filter(r -> r.result() != null).count();
        Map<String, Object> json = replayed(jobs(recording), checked);
        assertTrue(
                ReportSchema.objects(json, "groups").stream()
                        .anyMatch(g -> String.valueOf(g.get("parameters")).contains("tuning.map.")),
                json::toString);
    }

    /** All but what is no job: the JDK's own algorithms. */
    @Test
    void baselinesAndTuningsRunAgain() throws IOException {
        Recording recording = record(
                "bench",
                "scan",
                "--sizes",
                "4Ki",
                "--repeat",
                1,
                "--warm-up",
                0,
                "--devices",
                "0.0",
                "--set",
                "type=int",
                "--baselines",
                "copy,jdk",
                "--tunings",
                "scan.groups=512");
        assertEquals(jobs(recording), recording.requests().size());
        assertEquals(1 + 2 * 1 + 3 * (3 + 2 + 1), jobs(recording), "one for its bytes, two tried, then rounds");
        Map<String, Object> json = replayed(jobs(recording), 3);
        assertTrue(json.toString().contains("tuning.scan.groups=512"), json::toString);
    }

    @Test
    void whatCannotRunAgainIsSaidAndSimulated() throws IOException {
        Recording recording = record(
                "bench",
                "canny-pipeline",
                "--set",
                "size=64x48",
                "--sizes",
                3,
                "--repeat",
                1,
                "--warm-up",
                0,
                "--devices",
                "0.0,0.1");
        assertEquals(1, recording.runs().size());
        InProcess.run("replay", file("all.record.gz"))
                .refused(1, "none of its jobs can be run again", " of canny", "evener simulate");
        Map<String, Object> json = InProcess.run("simulate", file("all.record.gz"), "--json", "-")
                .done()
                .json();
        assertEquals(
                jobs(recording),
                ReportSchema.objects(json, "simulated").stream()
                        .mapToLong(row -> (long) ReportSchema.number(row, "jobs"))
                        .sum());
    }

    /** As a process, as {@link InProcess} could hide what happens at its end. */
    @Test
    void aReplayRecordsItself() throws IOException {
        Cli cli = Cli.in(folder);
        cli.run(
                        "run",
                        "saxpy",
                        "--size",
                        "3000",
                        "--devices",
                        "0.0,0.1",
                        "--cold",
                        "--record",
                        "all.record.gz",
                        "--quiet")
                .silent();
        cli.run("replay", "all.record.gz", "--devices", "0.1", "--policy", "static", "--record", "again.record")
                .silent();
        Recording.Request then =
                RecordReader.read(file("all.record.gz")).requests().get(0);
        Recording again = RecordReader.read(file("again.record"));
        assertEquals(1, again.requests().size());
        Recording.Request now = again.requests().get(0);
        assertEquals(then.result(), now.result());
        assertEquals("static", now.policy());
        assertEquals("0.1", now.task().devices());
        assertEquals(then.task().parameters(), now.task().parameters());
        cli.run("replay", "again.record", "--asap", "--quiet").silent();
        assertEquals(List.of("again.record", "all.record.gz"), Cli.names(folder));
    }

    @Test
    void jobsOfATableAreRecorded() throws IOException {
        Path table = Files.writeString(file("jobs.csv"), """
                arrival_seconds,workload,size
                0,saxpy,4096
                0,sum,10000
                0,saxpy,4096
                """);
        InProcess.run("replay", table, "--devices", "0.0,0.1", "--record", file("all.record.gz"), "--quiet")
                .silent();
        Recording recording = RecordReader.read(file("all.record.gz"));
        assertEquals(
                List.of("saxpy", "sum", "saxpy"),
                recording.requests().stream().map(r -> r.task().workload()).toList());
        assertEquals(
                2,
                recording.requests().stream().filter(Recording.Request::fresh).count());
        replayed(3, 0);
        InProcess.run("replay", file("all.record.gz"), "--quiet").silent();
    }

    @Test
    void whatFailsLeavesNoHalfFile() throws IOException {
        for (List<String> command : List.of(
                List.of("bench", "scan"), List.of("bench", "canny-pipeline"), List.of("tune", "map", "--dry-run"))) {
            List<Object> words = new ArrayList<>(command);
            words.addAll(List.of("--record", file("r"), "--trace", file("t"), "--report", file("h")));
            words.addAll(List.of("--devices", "7.7"));
            InProcess.run(words.toArray()).refused(1, "7.7");
            assertEquals(List.of(), Cli.names(folder));
            InProcess.run(command.get(0), command.get(1), "--record", "-").refused(2, "--record", "standard output");
            InProcess.run(command.get(0), command.get(1), "--trace", folder).refused(1, "is a folder");
        }
        // What began is a whole record of what happened, which is nothing.
        Cli.Result failed = InProcess.run(
                "bench", "tonemap-pipeline", "--set", "files=x.hdr", "--devices", "0.0", "--record", file("r"));
        assertEquals(1, failed.code(), failed::toString);
        assertTrue(failed.err().contains("x.hdr"), failed::toString);
        assertEquals(List.of("r"), Cli.names(folder));
        assertEquals(0, RecordReader.read(file("r")).events());
        InProcess.run("replay", file("r")).refused(1, "there are no jobs in it");
    }

    @Test
    void aRecordIsNotReplacedWhileItIsReplayed() throws IOException {
        InProcess.run("run", "sum", "--size", "3000", "--devices", "jvm", "--record", file("r"), "--quiet")
                .silent();
        String before = Files.readString(file("r"));
        InProcess.run("replay", file("r"), "--record", file("r")).refused(2, "--record: ", "name another file");
        Files.move(file("r"), file("x.partial"));
        InProcess.run("replay", file("x.partial"), "--partial", "--record", file("x"))
                .refused(2, "--record: ", "name another file");
        assertEquals(before, Files.readString(file("x.partial")));
        assertFalse(Files.exists(file("x")));
        InProcess.run("simulate", file("x.partial"), "--record", file("y")).refused(2, "--record");
    }
}
