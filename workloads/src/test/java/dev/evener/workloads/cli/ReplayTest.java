package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was recorded runs again, on the same devices and on others, and what comes out is compared. */
@InTurn(3)
class ReplayTest {
    @TempDir
    Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    private static long number(Map<?, ?> json, String name) {
        return ((Number) Objects.requireNonNull(json.get(name), name)).longValue();
    }

    /** A replay that ran so many jobs and found so many results the same. */
    private static Map<String, Object> same(Cli.Result result, long jobs, long checked) {
        Map<String, Object> json = result.done().json();
        Schemas.check("replay", json);
        assertEquals(jobs, number(json, "jobs"));
        assertEquals(checked, number(json, "checked"));
        assertEquals(List.of(), json.get("failures"));
        assertEquals(
                checked,
                ReportSchema.objects(json, "groups").stream()
                        .mapToLong(g -> number(g, "same"))
                        .sum());
        return json;
    }

    @Test
    void recordedFramesReplayWithTheSamePixelsOnAnyDevices() throws IOException {
        Cli cli = Cli.in(folder).withMesa();
        cli.run("tonemap", "--devices", "0.0,0.1", "--out", "out", "--cold", "--record", "frames.record.gz")
                .silent();
        Recording recording = RecordReader.read(file("frames.record.gz"));
        Recording.Run run = recording.runs().get(0);
        assertEquals(
                List.of("0.0", "0.1"), run.devices().stream().map(d -> d.id()).toList());
        assertEquals(4, run.requests().size());
        for (Recording.Request request : run.requests()) {
            assertEquals("tonemap", request.task().command());
            assertEquals("0.0,0.1", request.task().devices());
            assertEquals(1024 * 512, request.task().items());
            assertEquals("adaptive", request.policy());
            assertEquals(request.number(), request.job());
            assertEquals(
                    1024 * 512 * 4, Objects.requireNonNull(request.result()).bytes());
        }
        Map<String, Object> json = same(cli.run("replay", "frames.record.gz", "--asap", "--json", "-"), 4, 4);
        assertEquals("tonemap", ReportSchema.objects(json, "groups").get(0).get("workload"));
        same(InProcess.run("replay", file("frames.record.gz"), "--devices", "jvm", "--asap", "--json", "-"), 4, 4);
        json = same(
                InProcess.run(
                        "replay",
                        file("frames.record.gz"),
                        "--devices",
                        "0.1,1.0",
                        "--split",
                        "0.4,0.6",
                        "--speed",
                        "100x",
                        "--json",
                        "-"),
                4,
                4);
        assertEquals(
                "static:0.4,0.6", ReportSchema.objects(json, "groups").get(0).get("policyNow"));
        assertEquals("0.1,1.0", ReportSchema.objects(json, "runs").get(0).get("devicesNow"));
    }

    @Test
    void anotherResultIsNoticed() throws IOException {
        record("scan.record", "scan", "--size", "5000", "--seed", "7", "--distribution", "skewed");
        Path record = file("scan.record");
        Cli.Result table = InProcess.run("replay", record).done();
        assertTrue(table.out().contains("1 results checked, all are the same"), table::toString);
        assertTrue(table.out().contains("scan"), table::toString);
        Recording.Digest digest = Objects.requireNonNull(
                RecordReader.read(record).requests().get(0).result());
        Files.writeString(record, Files.readString(record).replace(digest.sha256(), "0".repeat(64)));
        Cli.Result wrong = InProcess.run("replay", record);
        assertEquals(1, wrong.code());
        assertTrue(wrong.err().contains("request 1 (scan, 5000 items): the result is not the one of the record"));
        assertTrue(wrong.out().contains("1 DIFFERENT"), wrong::toString);
        // And another seed is another result.
        record("scan.record", "scan", "--size", "5000", "--seed", "7", "--distribution", "skewed");
        Files.writeString(record, Files.readString(record).replace("\"seed\":7", "\"seed\":8"));
        assertEquals(1, InProcess.run("replay", record, "--asap").code());
    }

    /** On two devices, which really share. */
    private void record(String name, String workload, Object... more) {
        List<Object> all = new ArrayList<>(List.of(
                "run",
                workload,
                "--devices",
                "0.0,0.1",
                "--split",
                "0.5,0.5",
                "--cold",
                "--record",
                file(name),
                "--quiet"));
        all.addAll(List.of(more));
        InProcess.run(all.toArray()).silent();
    }

    @Test
    void workloadsReplayWithTheirParametersAndFiles() throws IOException {
        byte[] bytes = new byte[4 * 3000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        Path input = Files.write(file("numbers.raw"), bytes);
        record("files.record", "histogram", "--input", input, "--set", "bins=64");
        Recording.Task task =
                RecordReader.read(file("files.record")).requests().get(0).task();
        assertEquals("64", task.parameters().get("bins"));
        assertEquals(input, task.files().get(0).path());
        same(
                InProcess.run(
                        "replay", file("files.record"), "--policy", "stealing", "--devices", "1.0", "--json", "-"),
                1,
                1);
        bytes[17]++;
        Files.write(input, bytes);
        InProcess.run("replay", file("files.record"))
                .refused(1, "files.record: ", "numbers.raw: this file is not what it was when it was recorded");
        Files.delete(input);
        InProcess.run("replay", file("files.record")).refused(1, "numbers.raw: this file of the record cannot be read");
    }

    @Test
    void aBenchReplaysJobForJobWithDataThatAreUpdatedInPlace() {
        InProcess.run(
                        "bench",
                        "saxpy",
                        "--sizes",
                        "4096",
                        "--devices",
                        "0.0,0.1",
                        "--repeat",
                        2,
                        "--sweep",
                        0,
                        "--warm-up",
                        0,
                        "--policies",
                        "static,guided,guided/4",
                        "--verify",
                        "--record",
                        file("bench.record"),
                        "--quiet")
                .silent();
        Recording recording = RecordReader.read(file("bench.record"));
        List<Recording.Request> requests = recording.requests();
        assertEquals(
                List.of("guided", "guided:4", "single:0", "single:1", "static"),
                requests.stream()
                        .map(Recording.Request::policy)
                        .distinct()
                        .sorted()
                        .collect(Collectors.toList()));
        long checked = requests.stream().filter(r -> r.result() != null).count();
        assertEquals(1 + 5, checked, "the first job, and each contender's check");
        same(InProcess.run("replay", file("bench.record"), "--asap", "--json", "-"), requests.size(), checked);
        InProcess.run("replay", file("bench.record"), "--devices", "0.0")
                .refused(1, "bench.record: ", "single:1 is for more devices than 1");
    }

    @Test
    void aRecordThatIsCutOffReplaysAsFarAsItGoes() throws IOException {
        record("cut.record", "vector-add", "--size", "3000");
        Path record = file("cut.record");
        String text = Files.readString(record);
        Files.writeString(record, text.substring(0, text.indexOf("{\"end\"") - 3));
        InProcess.run("replay", record).refused(1, "cut.record, line ", "cut off", "--partial");
        Cli.Result result = InProcess.run("replay", record, "--partial", "--json", "-");
        // The line that was cut is the one with the digest.
        Map<String, Object> json = same(result, 1, 0);
        assertEquals(false, json.get("complete"));
    }

    @Test
    void whatCannotBeReplayedIsRefusedWithTheReason() throws IOException {
        record("r.record", "vector-add", "--size", "3000");
        Path record = file("r.record");
        String text = Files.readString(record);
        Files.writeString(record, text.replace("\"version\":1", "\"version\":2"));
        InProcess.run("replay", record).refused(1, "r.record, line 1: ", "version 2");
        Files.writeString(record, text.replace("\"workload\":\"vector-add\"", "\"workload\":\"magic\""));
        InProcess.run("replay", record).refused(1, "r.record: request 1: ", "magic");
        Files.writeString(record, text.replace("static:0.5,0.5", "static:0.5,0.5,0"));
        InProcess.run("replay", record).refused(1, "static:0.5,0.5,0 is for 3 devices, not for 2");
        Files.writeString(record, text.replace("\"items\":3000", "\"items\":3000000000000"));
        InProcess.run("replay", record).refused(1, "request 1: ", "at most");
        InProcess.run("replay", Cli.sample("studio")).refused(1, "line 1: ", "not");
        InProcess.run("replay", file("missing")).refused(1, "there is no such file");
        InProcess.run("replay", record, "--speed", "fast").refused(2, "--speed: 'fast'");
        InProcess.run("replay", record, "--speed", "2x", "--asap").refused(2, "do not go together");
        InProcess.run("replay").refused(2, "RECORD");
        InProcess.run("run", "scan", "--record", "-").refused(2, "--record: ");
        InProcess.run("run", "scan", "--record", folder).refused(1, "is a folder");
    }

    @Test
    void arrivalsAreThoseOfTheRecord() throws IOException {
        record("slow.record", "vector-add", "--size", "3000");
        Path record = file("slow.record");
        // A second request for the same task, two seconds after the first.
        String text = Files.readString(record);
        Recording.Request first = RecordReader.read(record).requests().get(0);
        String later = "{\"request\":2,\"task\":1,\"at\":" + (first.at() + 2_000_000_000L)
                + ",\"policy\":\"single:0\",\"fresh\":true}\n";
        Files.writeString(record, text.substring(0, text.indexOf("{\"end\"")) + later);
        Map<String, Object> json =
                same(InProcess.run("replay", record, "--partial", "--speed", "2x", "--json", "-"), 2, 1);
        assertTrue(
                ((Number) Objects.requireNonNull(json.get("makespanSecondsNow"))).doubleValue() >= 1, json::toString);
        assertFalse((Boolean) json.get("complete"));
    }

    @Test
    void jobsOfATableRunWhenTheyAreDueAndAllAtOnce() throws IOException {
        Path table = Files.writeString(file("jobs.csv"), """
                arrival_seconds,workload,size
                0,saxpy,4096
                0.5,sum,10000
                1,saxpy,4096
                """);
        Map<String, Object> json = InProcess.run(
                        "replay", table, "--devices", "0.0,0.1", "--policy", "static", "--speed", "2x", "--json", "-")
                .done()
                .json();
        Schemas.check("jobs", json);
        assertEquals(3, number(json, "jobs"));
        assertEquals(0, number(json, "failed"));
        assertTrue(seconds(json, "makespanSeconds") >= 0.5, json::toString);
        assertEquals(
                List.of(0.0, 0.25, 0.5),
                ReportSchema.objects(json, "outcomes").stream()
                        .map(o -> o.get("dueSeconds"))
                        .toList());
        Cli.Result text = InProcess.run("replay", table, "--devices", "jvm", "--asap", "--report", file("jobs.html"))
                .done();
        assertTrue(text.out().startsWith("3 jobs in "), text::toString);
        assertTrue(Files.readString(file("jobs.html")).contains("jobs.csv"));
        Files.writeString(table, Files.readString(table).replace("10000", "many"));
        InProcess.run("replay", table).refused(1, "jobs.csv", "line 3");
        InProcess.run("replay", table, "--map", "scale=1").refused(2, "--map: ");
        InProcess.run("simulate", table).refused(2, "jobs.csv is a trace: it goes with --machine FILE");
    }

    private static double seconds(Map<?, ?> json, String name) {
        return ((Number) Objects.requireNonNull(json.get(name), name)).doubleValue();
    }

    /** Jobs that were never run, of kinds that a record knows: the makespan of a replay before it happens. */
    @Test
    void arrivalsAreSimulatedAfterARecordOfTheirKinds() throws IOException {
        String head = "arrival_seconds,workload,size,id,after,priority\n";
        Path kinds = Files.writeString(
                file("kinds.csv"), head + "0,saxpy,40960,,,\n0,sum,10000,,,\n".repeat(4) + "0,saxpy,4096,,,\n");
        Path record = file("kinds.record.gz");
        InProcess.run("replay", kinds, "--devices", "0.0,0.1", "--policy", "guided", "--record", record)
                .done();
        Path table = Files.writeString(
                file("jobs.csv"),
                head + "0,saxpy,40960,a,,\n0,sum,10000,b,a,\n9,sum,10000,c,b,1\n0,saxpy,5000,d,c,\n0,sum,10000,e,d,\n");
        Object[] words = {"simulate", record, "--arrivals", table, "--policy", "guided", "--json", "-"};
        Cli.Result result = InProcess.run(words).done();
        assertTrue(
                result.err().contains("jobs.csv: 1 job left out: the record has none of that workload, size"),
                result::err);
        List<Map<?, ?>> outcomes = ReportSchema.objects(result.json(), "outcomes");
        assertEquals(
                List.of("saxpy", "sum", "sum", "sum"),
                outcomes.stream().map(o -> o.get("workload")).toList());
        assertTrue(seconds(outcomes.get(1), "submittedSeconds") >= seconds(outcomes.get(0), "endedSeconds"));
        assertEquals(9, seconds(outcomes.get(2), "submittedSeconds"), 1e-6, "when it is due");
        assertTrue(seconds(outcomes.get(3), "submittedSeconds") >= seconds(outcomes.get(2), "endedSeconds"));
        assertEquals(result.out(), InProcess.run(words).out(), "the same seed");
        InProcess.run("replay", kinds, "--devices", "0.0,0.1", "--split", "0,1", "--record", file("one.record"))
                .done();
        Cli.Result one = InProcess.run("simulate", file("one.record"), "--arrivals", table)
                .done();
        assertTrue(one.err().contains("4 jobs without device 0.0, of which the machine does not say"), one::err);
        InProcess.run("simulate", record, "--arrivals", table, "--map", "scale=1")
                .refused(2, "--map: ");
        InProcess.run("simulate", table, "--arrivals", table, "--machine", table)
                .refused(2, "is a trace");
    }

    @Test
    void jobsOfALogBecomeWorkloadsByRules() throws IOException {
        Path log = Files.writeString(file("cluster.swf"), """
                ; a job a line
                1 7 0 60 1 -1 -1 1 120 -1 1 1 1 1 1 -1 -1 -1
                2 9 0 30 4 -1 -1 4 120 -1 1 5 1 2 1 -1 -1 -1
                """);
        Map<String, Object> json = InProcess.run(
                        "replay",
                        log,
                        "--devices",
                        "0.0",
                        "--asap",
                        "--map",
                        "scale=100,workload=fma+saxpy",
                        "--json",
                        "-")
                .done()
                .json();
        assertEquals(
                List.of("saxpy", "fma"),
                ReportSchema.objects(json, "outcomes").stream()
                        .map(o -> o.get("workload"))
                        .toList());
        InProcess.run("replay", log, "--map", "size=3").refused(2, "--map: ");
    }

    @Test
    void aRecordIsSimulatedTheSameWayForASeed() throws IOException {
        record("sim.record", "saxpy", "--size", "100000", "--repeat", "5");
        Path record = file("sim.record");
        String[] simulate = {"--policy", "stealing", "--seed", "3", "--json", "-"};
        List<Object> words = new ArrayList<>(List.of("simulate", record));
        words.addAll(List.of(simulate));
        List<Object> again = new ArrayList<>(words);
        words.addAll(List.of("--trace", file("one.json")));
        again.addAll(List.of("--trace", file("two.json"), "--report", file("sim.html")));
        Cli.Result first = InProcess.run(words.toArray()).done();
        Cli.Result second = InProcess.run(again.toArray()).done();
        assertEquals(first.out(), second.out());
        Schemas.check("simulate", first.json());
        Map<?, ?> row = ReportSchema.objects(first.json(), "simulated").get(0);
        assertEquals("stealing", row.get("simulatedPolicy"));
        assertTrue(seconds(row, "simulatedSeconds") > 0, row::toString);
        assertTrue(seconds(row, "recordedSimulatedSeconds") > 0, row::toString);
        assertEquals(0, number(row, "failed"));
        String trace = Files.readString(file("one.json"));
        assertTrue(trace.contains("saxpy"), trace);
        assertEquals(trace, Files.readString(file("two.json")), "byte for byte, whenever and under whatever name");
        InProcess.run("simulate", record, "--seed", "4", "--trace", file("other.json"))
                .done();
        assertNotEquals(trace, Files.readString(file("other.json")));
        assertTrue(Files.size(file("sim.html")) > 0);
        // All devices lost at once: jobs fail, and the exit code says so.
        Cli.Result lost = InProcess.run("simulate", record, "--event", "0.0 lost at 0 s", "--event", "0.1 lost at 0 s");
        assertEquals(1, lost.code(), lost::toString);
        assertTrue(
                lost.err()
                        .lines()
                        .allMatch(line -> line.startsWith("evener: the record is short: ")
                                || line.startsWith("evener: fewer than three kinds of job were run twice")),
                () -> "modelled devices are no reason for warnings: " + lost.err());
        InProcess.run("replay", record, "--simulate", "--seed", "3")
                .refused(
                        2,
                        "'evener replay --simulate' is 'evener simulate' now; type: evener simulate " + record
                                + " --seed 3");
        InProcess.run("simulate", record, "--event", "0.0 vanishes").refused(2, "--event: ");
    }
}
