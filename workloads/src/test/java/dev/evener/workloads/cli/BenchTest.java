package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code evener bench}: tables, JSON, CSV, and what it refuses. */
@InTurn(2)
class BenchTest {
    @TempDir
    Path folder;

    /** As little as can be measured. */
    private Cli.Result bench(Object... arguments) {
        return InProcess.run(words(arguments));
    }

    private static Object[] words(Object... arguments) {
        List<Object> start = new ArrayList<>(List.of("bench", "--repeat", 2, "--warm-up", 0));
        if (!List.of(arguments).contains("--sweep")) {
            start.addAll(List.of("--sweep", 2));
        }
        return Stream.concat(start.stream(), Stream.of(arguments)).toArray();
    }

    private static List<String> contenders() {
        List<String> names = new ArrayList<>(List.of("single 0.0", "single 0.1", "static best"));
        for (String policy : Policies.names().subList(0, 6)) {
            if (!policy.equals("single")) {
                names.add(policy.equals("static") ? "static equal" : policy);
            }
        }
        return names;
    }

    /** Everything at once: two workloads, two sizes, and each form of the result. Their figures are for BenchFiguresTest. */
    @Test
    void everyFormOfTheResultHoldsTheSame() throws IOException {
        Object[] words = words(
                "sum",
                "mandelbrot",
                "--sizes",
                "1000,4Ki",
                "--devices",
                "0.0,0.1",
                "--verify",
                "--json",
                folder.resolve("c.json"),
                "--csv",
                folder.resolve("c.csv"));
        Cli.Result run = InProcess.run(words).silent();
        Map<String, Object> json = Cli.json(folder.resolve("c.json"));
        Schemas.check("bench", json);
        List<Map<?, ?>> results = ReportSchema.objects(json, "results");
        assertEquals(
                List.of("sum 1000", "sum 4096", "mandelbrot 1024", "mandelbrot 4096"),
                results.stream()
                        .map(c -> c.get("workload") + " " + c.get("items"))
                        .toList());
        List<Map<String, String>> csv = BenchSchema.csv(Files.readString(folder.resolve("c.csv")));
        List<String> printed = run.out().lines().toList();
        int row = 0;
        int line = 0;
        for (Map<?, ?> result : results) {
            assertEquals("0.0,0.1", result.get("selector"));
            assertTrue(printed.get(line).startsWith(result.get("workload") + ", " + result.get("items") + " "));
            assertTrue(printed.get(line + 1).matches("contender +median +x best static +first 30"), run::toString);
            line += 2;
            List<Map<?, ?>> outcomes = ReportSchema.objects(result, "contenders");
            assertEquals(contenders(), outcomes.stream().map(o -> o.get("name")).toList());
            for (Map<?, ?> outcome : outcomes) {
                assertEquals(2, ReportSchema.numbers(outcome, "seconds").length);
                assertEquals(true, outcome.get("verified"));
                Map<String, String> cells = csv.get(row++);
                assertEquals(outcome.get("name"), cells.get("name"));
                double median = ReportSchema.number(outcome, "medianSeconds");
                assertEquals(median, Double.parseDouble(cells.get("median_seconds")), 1e-8 * median);
                assertEquals(outcome.get("role").equals("policy"), outcome.get("firstJobsSeconds") != null);
                assertTrue(printed.get(line).startsWith(outcome.get("name") + " "), printed.get(line));
                assertTrue(printed.get(line).contains(String.format("%.3f ms", 1e3 * median)), printed.get(line));
                line++;
            }
            String bound = String.format("%.3f ms", 1e3 * ReportSchema.number(result, "boundSeconds"));
            assertEquals("bound by what devices take alone: " + bound, printed.get(line++));
            assertEquals("", printed.get(line++));
        }
        assertEquals(csv.size(), row);
        List<String> summary = printed.subList(line, printed.size());
        assertTrue(summary.get(0).startsWith("workload "), run::toString);
        assertTrue(summary.get(1).matches("sum +1000 +- +0\\.0,0\\.1 +0\\.[01], .*"), run::toString);
        // One more where other processes were running.
        assertTrue(summary.size() == 5 || (summary.size() == 6 && summary.get(5).startsWith("note: ")), run::toString);
    }

    @Test
    void severalSetsOfDevicesAreComparedOneAfterAnother() {
        Cli.Result run = bench(
                "saxpy",
                "--sizes",
                "2K",
                "--devices",
                "0.1",
                "--devices",
                "jvm,0.0",
                "--policies",
                "static",
                "--json",
                "-");
        Map<String, Object> json = run.silent().json();
        Schemas.check("bench", json);
        List<Map<?, ?>> results = ReportSchema.objects(json, "results");
        assertEquals(
                List.of("0.1", "jvm,0.0"),
                results.stream().map(c -> c.get("selector")).toList());
        assertEquals(
                List.of(1, 2),
                results.stream()
                        .map(c -> ReportSchema.objects(c, "devices").size())
                        .toList());
        assertEquals(
                List.of("single 0.1", "static best", "static equal"),
                ReportSchema.objects(results.get(0), "contenders").stream()
                        .map(o -> o.get("name"))
                        .toList());
        assertEquals(
                List.of(1.0),
                ReportSchema.objects(results.get(0), "contenders").get(1).get("shares"));
    }

    @Test
    void chunksAndSplitsAreContendersOfTheirOwn() {
        Cli.Result run = bench(
                "fma",
                "--sizes",
                "8Ki",
                "--devices",
                "0.0,0.1",
                "--policies",
                "Stealing,guided/8",
                "--split",
                "0.25,0.75",
                "--sweep",
                0,
                "--csv",
                "-");
        List<Map<String, String>> csv = BenchSchema.csv(run.silent().out());
        assertEquals(
                List.of("single 0.0", "single 0.1", "stealing", "guided/8", "static:0.25,0.75"),
                csv.stream().map(row -> row.get("name")).toList());
        assertFalse(csv.get(0).containsKey("x_best_static"), "no sweep, no ratio");
        assertEquals("8", csv.get(3).get("chunks"), () -> "chunks of guided/8 in " + run);
        assertEquals("0.25 0.75", csv.get(4).get("shares"));
    }

    private static List<String> names(Map<?, ?> result) {
        return ReportSchema.objects(result, "contenders").stream()
                .map(c -> (String) c.get("name"))
                .toList();
    }

    @Test
    void stylesTuningsBaselinesAndAnotherLibrary() throws IOException {
        Path other = folder.resolve("other.json");
        Files.writeString(other, """
                {"library": "CUB", "workload": "scan", "items": 4096, "parameters": {"type": "int"}, "seconds": 1000}
                {"library": "CUB", "workload": "scan", "items": 4097, "seconds": 1}
                """);
        Map<String, Object> json = bench(
                        "scan",
                        "--sizes",
                        "4Ki",
                        "--devices",
                        "0.0,0.1",
                        "--alone",
                        "--set",
                        "type=int",
                        "--baselines",
                        "copy,read,jdk",
                        "--tunings",
                        "scan.groups=512,scan.tiles-at-once=4",
                        "--resident",
                        "--against",
                        other,
                        "--json",
                        "-")
                .silent()
                .json();
        Schemas.check("bench", json);
        List<Map<?, ?>> results = ReportSchema.objects(json, "results");
        assertEquals(
                List.of("0.0", "0.1"),
                results.stream().map(r -> r.get("selector")).toList());
        assertEquals(
                List.of("single 0.0", "scan.groups=512,scan.tiles-at-once=4", "copy", "read", "jdk", "CUB"),
                names(results.get(0)));
        assertEquals("kernels", results.get(0).get("timing"));
        Map<?, ?> ratios = (Map<?, ?>)
                ReportSchema.objects(results.get(0), "contenders").get(0).get("ratios");
        assertTrue(ReportSchema.number((Map<?, ?>) ratios.get("CUB"), "value") > 1000, json::toString);
        bench("scan", "--against", folder.resolve("none")).refused(2, "--against", "no such file");
        Files.writeString(other, "\n{\"library\": \"CUB\"}\n");
        bench("scan", "--against", other).refused(2, "--against: ", "line 2: 'workload' is missing");
    }

    /** A style that a device cannot do is a line below the table; PoCL before 5 has no work-group functions. */
    @Test
    void stylesAreMeasuredWhereTheyCanBe() {
        Cli.Result run = bench(
                "segmented-scan",
                "--sizes",
                "4Ki",
                "--devices",
                "0.0",
                "--styles",
                "style=naive,collective",
                "--styles",
                "style=runs",
                "--json",
                "-");
        Map<?, ?> result = ReportSchema.objects(run.json(), "results").get(0);
        assertEquals(
                List.of("collective", "naive", "runs"),
                names(result).stream().sorted().toList());
        for (Map<?, ?> contender : ReportSchema.objects(result, "contenders")) {
            boolean measured = ReportSchema.numbers(contender, "seconds").length > 0;
            assertEquals(measured, contender.get("problem") == null, contender::toString);
            assertTrue(measured || contender.get("name").equals("collective"), contender::toString);
            assertTrue(
                    measured || String.valueOf(contender.get("problem")).contains("work-group collectives"),
                    contender::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"canny-pipeline", "tonemap-pipeline"})
    void streamsArePlaced(String stream) {
        Cli.Result run = bench(
                stream,
                "--sizes",
                7,
                "--set",
                "size=200x150",
                "--set",
                "slots=3",
                "--devices",
                "0.0,0.1",
                "--json",
                "-");
        Map<String, Object> json = run.silent().json();
        Schemas.check("bench", json);
        Map<?, ?> result = ReportSchema.objects(json, "results").get(0);
        assertEquals(
                List.of(
                        "single 0.0",
                        "single 0.1",
                        "frames split",
                        "stages 0.0 > 0.1",
                        "stages 0.1 > 0.0",
                        "stages split"),
                names(result));
        assertEquals(7, result.get("items"));
        for (Map<?, ?> contender : ReportSchema.objects(result, "contenders")) {
            assertEquals(true, contender.get("verified"));
            assertTrue(ReportSchema.number(contender, "latencySeconds") > 0);
            assertTrue(String.valueOf(contender.get("explanation")).startsWith("busy for a frame: "));
        }
    }

    @Test
    void streamsTakeFiles() {
        String files = Cli.sample("city") + "," + Cli.sample("studio");
        assertTrue(bench("tonemap-pipeline", "--devices", "0.0", "--sizes", 4, "--set", "files=" + files)
                .silent()
                .out()
                .startsWith("tonemap-pipeline, 4 frames, files="));
        Cli.Result run = bench("tonemap-pipeline", "--devices", "0.0", "--sizes", 4, "--set", "files=x.hdr");
        assertEquals(1, run.code(), run::toString);
        assertTrue(run.err().contains("x.hdr"), run::toString);
        bench("canny-pipeline", "--set", "size=64").refused(2, "--set", "1920x1080");
        bench("canny-pipeline", "--set", "files=x.hdr").refused(2, "--set", "files");
        assertEquals(
                1,
                bench("tonemap-pipeline", "--set", "size=99999x99999", "--devices", "0.0")
                        .code());
    }

    /** Every one that comes with Evener, on little data, on whatever it asks. */
    @ParameterizedTest
    @ValueSource(
            strings = {"primitives", "resident", "transfers", "segmented-scans", "reduction-steps", "rgb-histograms"})
    void experimentsWithOtherContenders(String experiment) throws IOException {
        Path file = folder.resolve("e.json");
        bench(experiment, "--sizes", "64Ki", "--devices", "0.0", "--out", folder.resolve("r.jsonl"), "--json", file)
                .done();
        Map<String, Object> json = Cli.json(file);
        Schemas.check("bench", json);
        assertEquals(experiment, json.get("experiment"));
        List<Map<?, ?>> results = ReportSchema.objects(json, "results");
        assertTrue(results.size() >= 2, json::toString);
        for (Map<?, ?> result : results) {
            for (Map<?, ?> contender : ReportSchema.objects(result, "contenders")) {
                if (!contender.get("name").equals("collective")) {
                    assertEquals(null, contender.get("problem"), contender::toString);
                    assertTrue(ReportSchema.number(contender, "medianSeconds") > 0);
                }
            }
        }
        assertTrue(bench("--list").silent().out().contains("\n" + experiment + " "));
    }

    @Test
    void theNamesOfOldAnswerWithTheNewOne() {
        String[][] lines = {
            {"compare sum --sizes 1Ki --policies static", "bench sum --sizes 1Ki --policies static"},
            {"compare --experiment slow-device --fresh", "bench slow-device --fresh"},
            {"compare fma --chunks 8", "bench fma --policies stealing/8"},
            {"compare canny-pipeline --frames 9 --slots 3", "bench canny-pipeline --sizes 9 --set slots=3"},
            {"yardsticks --devices cpu", "bench primitives --devices cpu"},
            {"resident --against cub.json", "bench resident --against cub.json"},
        };
        for (String[] line : lines) {
            String old = line[0].split(" ", 2)[0];
            InProcess.run((Object[]) line[0].split(" ", -1))
                    .refused(2, "'evener " + old + "' is 'evener bench' now; type: evener " + line[1] + "\n");
        }
    }

    /** A size for which there is no memory is reported in a line and the exit code; the other sizes are measured. */
    @Test
    void whatFailsDoesNotStopTheRest() throws IOException {
        Cli cli = Cli.in(folder).jvm("-XX:MaxDirectMemorySize=4m");
        Cli.Result run = cli.run(words("saxpy", "--sizes", "1Ki,16Mi,2Ki", "--devices", "jvm", "--json", "c.json"));
        assertEquals(1, run.code(), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(run.err().startsWith("evener: saxpy, 16Mi floats on jvm: no host memory"), run::toString);
        Map<String, Object> json = Cli.json(folder.resolve("c.json"));
        Schemas.check("bench", json);
        assertEquals(2, ReportSchema.objects(json, "results").size());
        assertEquals(List.of(run.err().strip().substring("evener: ".length())), json.get("failures"));
        assertEquals(
                2, run.out().lines().filter(l -> l.startsWith("contender ")).count());
    }

    /** A device that fails under the measurement is named, with everybody whom it concerns. */
    @Test
    void whatOthersMadeGoodIsSaid() {
        Cli.Result run = bench(
                "saxpy",
                "--sizes",
                "1Ki",
                "--devices",
                "0.0,0.1",
                "--policies",
                "static",
                "--inject",
                "lane=1,fault=error",
                "--json",
                "-");
        assertEquals(0, run.code(), run::toString);
        List<String> lines = run.err()
                .lines()
                .filter(l -> l.startsWith("evener: saxpy, 1Ki floats on 0.0,0.1, "))
                .toList();
        assertTrue(lines.stream().anyMatch(l -> l.contains("static equal: device 0.1")), run::toString);
        List<Map<?, ?>> contenders =
                ReportSchema.objects(ReportSchema.objects(run.json(), "results").get(0), "contenders");
        assertTrue(contenders.stream().anyMatch(c -> !List.of().equals(c.get("recovered"))), run::toString);
    }

    @Test
    void quietAndTerminal() {
        Object[] arguments = {"sum", "--sizes", "1Ki", "--devices", "0.0"};
        Object[] quiet = Arrays.copyOf(arguments, arguments.length + 1);
        quiet[arguments.length] = "--quiet";
        assertEquals("", InProcess.onTerminal(words(quiet)).silent().out());
        Cli.Result terminal = InProcess.onTerminal(words(arguments)).done();
        assertTrue(terminal.err().startsWith("\rsum, 1Ki integers on 0.0: "), terminal::toString);
        assertTrue(terminal.err().endsWith("\r"), "the line is wiped in the end");
        assertFalse(terminal.out().contains("\r"));
    }

    @Test
    void whatCannotBeComparedIsRefused() throws IOException {
        bench("sum", "--sizes", "12X").refused(2, "--sizes", "'12X'", "16Ki");
        bench("saxpy", "tonemap", "--sizes", "1Gi").refused(2, "--sizes: saxpy takes at most ", "1073741824");
        bench("sun").refused(2, "there is no workload, experiment or file 'sun' (did you mean 'sum'?)", "tonemap, sum");
        bench("sum", "sun").refused(2, "unknown workload 'sun'");
        bench("slow-devise").refused(2, "(did you mean 'slow-device'?)", "when-it-pays");
        bench().refused(2, "WORKLOAD");
        bench("sum", "--policies", "best").refused(2, "--policies", "unknown policy 'best'", "history");
        bench("sum", "--policies", "guided/0").refused(2, "--policies", "'guided/0'");
        bench("sum", "--split", "0.5,x").refused(2, "--policies", "static:0.5,x");
        bench("sum", "--styles", "x").refused(2, "--styles: 'x' is not NAME=VALUE");
        bench("sum", "--styles", "x=1").refused(2, "--styles[0].parameters: there is no 'x'");
        bench("sum", "--baselines", "jdk").refused(2, "--baselines", "scan, reduce and sort");
        bench("sum", "--tunings", "x=1").refused(2, "--tunings", "'x'");
        bench("sum", "--timing", "cpu").refused(2, "--timing", "'cpu' is not one of wall, kernels");
        bench("saxpy", "--resident").refused(2, "saxpy has no data that could stay on devices");
        bench("sum", "--set", "a=1").refused(2, "--set", "'a'");
        bench("sum", "--inject", "lane=9").refused(2, "--inject");
        bench("sum", "--chunk-deadline", "0").refused(2, "--chunk-deadline");
        bench("sum", "--fresh").refused(2, "--fresh goes with an experiment or --out");
        bench("sum", "--devices", "first").refused(2, "--devices", "first");
        bench("sum", "--devices", "0.0", "--devices", "7.7").refused(1, "7.7");
        bench("sum", "--json", "-", "--csv", "-").refused(2, "--json", "--csv");
        bench("sum", "--csv", folder).refused(1, folder.toString(), "is a folder");
        InProcess.run("bench", "sum", "--repeat", "0").refused(2, "--repeat: ", "not 0");
        InProcess.run("bench", "sum", "--sweep", "1").refused(2, "--sweep: 1 ");
        InProcess.run("bench", "sum", "--warm-up", "-1").refused(2, "--warm-up: ", "not -1");
        assertEquals(List.of(), Cli.names(folder));
    }
}
