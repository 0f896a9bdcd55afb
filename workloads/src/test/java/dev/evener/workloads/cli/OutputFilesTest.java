package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No command writes over what it reads, nor two things to one file, whatever the files are called. */
class OutputFilesTest {
    private static final Object[] FAST = {"--devices", "jvm", "--quiet"};

    @TempDir
    Path folder;

    private Path frame = Path.of("");
    private Path values = Path.of("");

    private Path file(String name) {
        return folder.resolve(name);
    }

    @BeforeEach
    void inputs() throws IOException {
        frame = Files.copy(Cli.sample("city"), file("n.hdr"));
        values = Files.write(file("values"), new byte[400]);
    }

    private Cli.Result run(Object command, Object... more) {
        return InProcess.run(
                Stream.of(Stream.of(command), Stream.of(more)).flatMap(s -> s).toArray());
    }

    private static Object[] with(Object[] start, Object... more) {
        return Stream.concat(Stream.of(start), Stream.of(more)).toArray();
    }

    private Map<Path, byte[]> contents() throws IOException {
        Map<Path, byte[]> all = new HashMap<>();
        try (Stream<Path> list = Files.walk(folder)) {
            for (Path each : list.filter(Files::isRegularFile).toList()) {
                all.put(each, Files.readAllBytes(each));
            }
        }
        return all;
    }

    /** Every option that names a file to be written, on an input of its command, by four names. */
    private void refuses(Path input, List<String> options, Object... command) throws IOException {
        Path hard = Files.createLink(file("hard"), input);
        Path soft = Files.createSymbolicLink(file("soft"), input.getFileName());
        Path link = Files.createSymbolicLink(file("link"), folder);
        Map<Path, byte[]> before = contents();
        for (String option : options) {
            for (Object name : List.of(
                    input, folder + "/./" + input.getFileName(), hard, soft, link.resolve(input.getFileName()))) {
                InProcess.run(with(command, option, name)).refused(2, option + ": ", "would replace", "another file");
            }
        }
        Map<Path, byte[]> after = contents();
        assertEquals(before.keySet(), after.keySet());
        before.forEach((path, bytes) -> assertArrayEquals(bytes, after.get(path), path::toString));
        for (Path each : List.of(hard, soft, link)) {
            Files.delete(each);
        }
    }

    @Test
    void noInputIsOverwritten() throws IOException {
        List<String> reports = List.of("--json", "--record", "--report", "--trace");
        List<String> views = List.of("--json", "--report", "--trace");
        List<String> all = new ArrayList<>(reports);
        Object[] map = with(new Object[] {"tonemap"}, FAST);
        refuses(frame, reports, with(map, frame, "--out", file("out")));
        refuses(frame, reports, with(map, folder, "--out", file("out")));
        refuses(frame, List.of("--out"), with(map, frame, "--format", "y4m"));
        all.add("--output");
        refuses(values, all, with(new Object[] {"run", "sum", "--input", values}, FAST));

        Path record = file("a.rec");
        run("run", with(FAST, "sum", "--input", values, "--record", record)).silent();
        Path machine = file("m.json");
        run("simulate", record, "--save-machine", machine, "--quiet").ofShortRecord();
        refuses(record, reports, with(new Object[] {"replay", record}, FAST));
        refuses(values, reports, with(new Object[] {"replay", record}, FAST)); // which the record names
        refuses(record, views, "simulate", record, "--quiet");
        refuses(record, List.of("--save-machine"), "simulate", record, "--quiet");
        refuses(machine, views, "simulate", record, "--machine", machine, "--quiet");
        Path partial = Files.copy(record, file("b.rec.partial"));
        run("replay", with(FAST, partial, "--record", file("b.rec"))).refused(2, "--record: ", "would replace");
        Path jobs = Files.copy(Path.of("samples/mixed.csv"), file("mixed.csv"));
        refuses(jobs, reports, with(new Object[] {"replay", jobs}, FAST));
    }

    @Test
    void noDescriptionOfAnExperimentIsOverwritten() throws IOException {
        Path experiment = Files.writeString(
                file("e.json"),
                "{\"format\":\"evener-experiment\",\"version\":1,\"name\":\"e\",\"repeat\":1,\"warmUp\":0,\"sweep\":0,"
                        + "\"workloads\":[{\"workload\":\"sum\",\"sizes\":[1000]}]}");
        Path others = Files.writeString(file("others.jsonl"), "");
        List<String> outputs = List.of("--json", "--csv", "--record", "--report", "--trace");
        refuses(experiment, outputs, with(new Object[] {"bench", experiment}, FAST));
        refuses(others, outputs, with(new Object[] {"bench", experiment, "--against", others}, FAST));
        Object[] frames = {"bench", "tonemap-pipeline", "--set", "files=" + frame, "--repeat", 1, "--sweep", 0};
        refuses(frame, List.of("--json"), with(frames, FAST));
        run("bench", with(FAST, experiment, "--json", file("e.results.jsonl"))).refused(2, "--json and --out: both");
    }

    @Test
    void whatEvenerKeepsIsNoReport() throws IOException {
        for (String kept : List.of("history.json", "tuning.json")) {
            Path file = Path.of(System.getenv("EVENER_CACHE"), kept);
            run("devices", "--quiet", "--json", file).refused(2, "--json: ", "would replace", kept);
            run("history", "--export", file).refused(2, "--export: ", "would replace", kept);
        }
    }

    @Test
    void twoOutputsHaveTwoFiles() throws IOException {
        Path there = Files.writeString(file("there"), "");
        Path hard = Files.createLink(file("hard"), there);
        Path soft = Files.createSymbolicLink(file("soft"), Path.of("new"));
        Files.createSymbolicLink(file("link"), folder);
        Object[] sum = with(new Object[] {"run", "sum", "--size", 100}, FAST);
        Object[][] same = {
            {there, there},
            {there, hard},
            {soft, file("new")},
            {file("new"), folder + "/./none/../new"},
            {file("link/new"), file("new")},
            {file("link/folder/new"), file("folder/new")}
        };
        for (Object[] names : same) {
            for (List<String> options : List.of(
                    List.of("--json", "--trace"), List.of("--report", "--record"), List.of("--output", "--json"))) {
                InProcess.run(with(sum, options.get(0), names[0], options.get(1), names[1]))
                        .refused(2, options.get(0), options.get(1), "both name ");
            }
        }
        InProcess.run(with(sum, "--record", file("r"), "--json", file("r.partial")))
                .refused(2, "both name");
        InProcess.run(with(sum, "--json", "/dev/null", "--trace", "/dev/null")).silent();
        run("bench", "sum", "--json", "-", "--csv", "-").refused(2, "--json and --csv: both name standard output");
        Object[] map = with(new Object[] {"tonemap", frame}, FAST);
        InProcess.run(with(map, "--out", file("out"), "--json", file("out/n.png")))
                .refused(2, "--json and --out: both name ", "n.png");
        InProcess.run(with(map, "--out", file("out"), "--trace", file("out"))).refused(2, "both name");
        assertEquals(List.of("hard", "link", "n.hdr", "soft", "there", "values"), Cli.names(folder));
        assertEquals(0, Files.size(there));
    }

    /** A picture that would replace a frame costs that picture. */
    @Test
    void noPictureReplacesAFrame() throws IOException {
        Path out = Files.createDirectories(file("out"));
        Files.createSymbolicLink(out.resolve("n.png"), Path.of("../n.hdr"));
        Path hard = Files.createLink(file("hard.hdr"), values);
        Files.createLink(out.resolve("hard.png"), values);
        Map<Path, byte[]> before = contents();
        Cli.Result run = run("tonemap", with(FAST, frame, hard, "--out", out));
        assertEquals(1, run.code(), run::toString);
        assertEquals(2, run.err().lines().count(), run::toString);
        run.err().lines().forEach(line -> assertTrue(line.contains(" is itself an input"), line));
        before.forEach((path, bytes) -> assertArrayEquals(bytes, read(path), path::toString));
    }

    /** The first failure decides, and all are said. */
    @Test
    void everyOutputIsTried() throws IOException {
        String full = "/dev/full: No space left on device";
        Cli.Result run = run(
                "run",
                with(
                        FAST,
                        "sum",
                        "--size",
                        100,
                        "--output",
                        "/dev/full",
                        "--json",
                        file("r.json"),
                        "--trace",
                        "/dev/full",
                        "--report",
                        file("r.html"),
                        "--record",
                        file("r.rec")));
        assertEquals(1, run.code(), run::toString);
        assertEquals(
                "evener: the output could not be written to " + full + "\nevener: the report could not be written to "
                        + full + "\n",
                run.err());
        assertEquals(null, Cli.json(file("r.json")).get("output"));
        assertTrue(Files.size(file("r.html")) > 0);
        for (Object[] command : new Object[][] {
            {"replay", file("r.rec")},
            {"bench", "sum", "--sizes", 100, "--repeat", 1, "--warm-up", 0, "--sweep", 0, "--csv", "/dev/full"}
        }) {
            Path trace = file(command[0] + ".trace");
            run = InProcess.run(with(with(command, FAST), "--json", "/dev/full", "--trace", trace));
            assertEquals(1, run.code(), run::toString);
            String line = "evener: the report could not be written to " + full + "\n";
            assertEquals(line + (command[0].equals("bench") ? line : ""), run.err());
            assertTrue(Files.size(trace) > 0);
        }
        Cli.Result simulated =
                run("simulate", file("r.rec"), "--quiet", "--save-machine", "/dev/full", "--json", file("s.json"));
        assertEquals(1, simulated.code(), simulated::toString);
        String said = simulated.err().lines().reduce("", (before, line) -> line); // behind that the record is short
        assertEquals("evener: the machine could not be written to " + full, said);
        assertTrue(Files.size(file("s.json")) > 0);
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
