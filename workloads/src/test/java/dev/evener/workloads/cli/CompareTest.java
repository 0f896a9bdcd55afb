package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** {@code evener compare}: tables, JSON, CSV, and what it refuses. */
class CompareTest {
    @TempDir
    Path folder;

    /** As little as can be measured. */
    private Cli.Result compare(Object... arguments) {
        return InProcess.run(words(arguments));
    }

    private static Object[] words(Object... arguments) {
        List<Object> start = new ArrayList<>(List.of("compare", "--repeat", 2, "--warm-up", 0));
        if (!List.of(arguments).contains("--sweep")) {
            start.addAll(List.of("--sweep", 2));
        }
        return Stream.concat(start.stream(), Stream.of(arguments)).toArray();
    }

    private static List<String> contenders() {
        List<String> names = new ArrayList<>(List.of("single 0.0", "single 0.1", "static best"));
        for (String policy : Policies.NAMES) {
            if (!policy.equals("single")) {
                names.add(policy.equals("static") ? "static equal" : policy);
            }
        }
        return names;
    }

    /** Everything at once: two workloads, two sizes, and each form of the result. */
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
                "c.json",
                "--csv",
                "c.csv");
        Cli.Result run = Cli.in(folder).run(words).silent();
        Map<String, Object> json = Cli.json(folder.resolve("c.json"));
        CompareSchema.check(json);
        List<Map<?, ?>> comparisons = ReportSchema.objects(json, "comparisons");
        assertEquals(
                List.of("sum 1000", "sum 4096", "mandelbrot 1024", "mandelbrot 4096"),
                comparisons.stream()
                        .map(c -> c.get("workload") + " " + c.get("items"))
                        .toList());
        List<List<String>> csv = CompareSchema.checkCsv(Files.readString(folder.resolve("c.csv")));
        List<String> printed = run.out().lines().toList();
        int row = 0;
        int line = 0;
        for (Map<?, ?> comparison : comparisons) {
            assertEquals("0.0,0.1", comparison.get("selector"));
            assertTrue(printed.get(line).startsWith(comparison.get("workload") + ", " + comparison.get("items") + " "));
            assertTrue(printed.get(line + 1).startsWith("contender "), run::toString);
            line += 2;
            List<Map<?, ?>> outcomes = ReportSchema.objects(comparison, "contenders");
            assertEquals(contenders(), outcomes.stream().map(o -> o.get("name")).toList());
            for (Map<?, ?> outcome : outcomes) {
                assertEquals(2, ReportSchema.numbers(outcome, "seconds").length);
                assertEquals(true, outcome.get("verified"));
                List<String> cells = csv.get(row++);
                assertEquals(outcome.get("name"), cells.get(4));
                assertEquals(ReportSchema.number(outcome, "medianSeconds"), Double.parseDouble(cells.get(10)), 1e-9);
                double ratio = ReportSchema.number(outcome, "ofBestStatic");
                assertEquals(ratio, Double.parseDouble(cells.get(18)), 1e-5 * ratio, "six digits of it");
                boolean learns = outcome.get("role").equals("policy");
                assertEquals(learns, outcome.get("firstJobsSeconds") != null);
                if (learns) {
                    double first = ReportSchema.number(outcome, "firstJobsSeconds");
                    assertEquals(first, Double.parseDouble(cells.get(9)), 1e-9);
                } else {
                    assertEquals("", cells.get(9));
                }
                String text = printed.get(line++);
                assertTrue(text.startsWith(outcome.get("name") + " ") && text.endsWith(" right"), text);
                assertTrue(
                        text.contains(String.format("%.3f ms", 1e3 * ReportSchema.number(outcome, "medianSeconds"))),
                        text);
            }
            assertEquals("", printed.get(line++));
        }
        assertEquals(csv.size(), row);
        List<String> summary = printed.subList(line, printed.size());
        assertTrue(summary.get(0).startsWith("workload "), run::toString);
        assertTrue(summary.get(1).matches("sum +1000 +0\\.0,0\\.1 +0\\.[01], .*"), run::toString);
        // One more where other processes were running.
        assertTrue(summary.size() == 5 || (summary.size() == 6 && summary.get(5).startsWith("note: ")), run::toString);
    }

    @Test
    void severalSetsOfDevicesAreComparedOneAfterAnother() {
        Cli.Result run = compare(
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
        CompareSchema.check(json);
        List<Map<?, ?>> comparisons = ReportSchema.objects(json, "comparisons");
        assertEquals(
                List.of("0.1", "jvm,0.0"),
                comparisons.stream().map(c -> c.get("selector")).toList());
        assertEquals(
                List.of(1, 2),
                comparisons.stream()
                        .map(c -> ReportSchema.objects(c, "devices").size())
                        .toList());
        assertEquals(
                List.of("single 0.1", "static best", "static equal"),
                ReportSchema.objects(comparisons.get(0), "contenders").stream()
                        .map(o -> o.get("name"))
                        .toList());
        assertEquals(List.of(1.0), comparisons.get(0).get("bestStatic"));
    }

    @Test
    void chunksAreContendersOfTheirOwn() {
        Cli.Result run = compare(
                "fma",
                "--sizes",
                "8Ki",
                "--devices",
                "0.0,0.1",
                "--policies",
                "Stealing,guided",
                "--chunks",
                "4,8",
                "--sweep",
                0,
                "--csv",
                "-");
        List<List<String>> csv = CompareSchema.checkCsv(run.silent().out());
        assertEquals(
                List.of(
                        "single 0.0",
                        "single 0.1",
                        "stealing",
                        "guided",
                        "stealing/4",
                        "guided/4",
                        "stealing/8",
                        "guided/8"),
                csv.stream().map(row -> row.get(4)).toList());
        assertEquals("", csv.get(0).get(18), "no sweep, no ratio");
        assertEquals("8", csv.get(7).get(22), () -> "chunks of guided/8 in " + run);
    }

    /** A size for which there is no memory costs a line and the exit code, not the other sizes. */
    @Test
    void whatFailsDoesNotStopTheRest() throws IOException {
        Cli cli = Cli.in(folder).jvm("-XX:MaxDirectMemorySize=4m");
        Cli.Result run = cli.run(words("saxpy", "--sizes", "1Ki,16Mi,2Ki", "--devices", "jvm", "--json", "c.json"));
        assertEquals(1, run.code(), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(run.err().startsWith("evener: saxpy, 16Mi floats on jvm: no host memory"), run::toString);
        Map<String, Object> json = Cli.json(folder.resolve("c.json"));
        CompareSchema.check(json);
        assertEquals(2, ReportSchema.objects(json, "comparisons").size());
        assertEquals(List.of(run.err().strip().substring("evener: ".length())), json.get("failures"));
        assertEquals(
                2, run.out().lines().filter(l -> l.startsWith("contender ")).count());
    }

    /** A device that fails under the measurement is named, with everybody whom it concerns. */
    @Test
    void whatOthersMadeGoodIsSaid() {
        Cli.Result run = compare(
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
        List<Map<?, ?>> contenders = ReportSchema.objects(
                ReportSchema.objects(run.json(), "comparisons").get(0), "contenders");
        assertTrue(contenders.stream().anyMatch(c -> !List.of().equals(c.get("recovered"))), run::toString);
    }

    @Test
    void quietAndTerminal() {
        Object[] arguments = {"sum", "--sizes", "1Ki", "--devices", "0.0"};
        Object[] quiet = Arrays.copyOf(arguments, arguments.length + 1);
        quiet[arguments.length] = "--quiet";
        assertEquals(
                "",
                Cli.in(folder)
                        .jvm("-Devener.terminal=true")
                        .run(words(quiet))
                        .silent()
                        .out());
        Cli.Result terminal = Cli.in(folder)
                .jvm("-Devener.terminal=true")
                .run(words(arguments))
                .done();
        assertTrue(terminal.err().startsWith("\rsum, 1Ki integers on 0.0: "), terminal::toString);
        assertTrue(terminal.err().endsWith("\r"), "the line is wiped in the end");
        assertFalse(terminal.out().contains("\r"));
    }

    @Test
    void whatCannotBeComparedIsRefused() throws IOException {
        compare("sum", "--sizes", "12X").refused(2, "--sizes", "'12X'", "16Ki");
        compare("saxpy", "tonemap", "--sizes", "1Gi").refused(2, "--sizes: saxpy takes at most ", "1073741824");
        compare("sun").refused(2, "unknown workload 'sun'", "tonemap, sum, mandelbrot, fma, saxpy");
        compare().refused(2, "WORKLOAD");
        compare("sum", "--policies", "best").refused(2, "--policies: unknown policy 'best'", "history");
        compare("sum", "--policies", "static", "--chunks", "8").refused(2, "--chunks", "stealing");
        compare("sum", "--chunks", "0").refused(2, "--chunks: 0 ");
        compare("sum", "--devices", "first").refused(2, "--devices", "first");
        compare("sum", "--devices", "0.0", "--devices", "7.7").refused(1, "7.7");
        compare("sum", "--json", "-", "--csv", "-").refused(2, "--json", "--csv");
        compare("sum", "--csv", folder).refused(1, folder.toString(), "is a folder");
        InProcess.run("compare", "sum", "--repeat", "0").refused(2, "--repeat: 0 ");
        InProcess.run("compare", "sum", "--sweep", "1").refused(2, "--sweep: 1 ");
        InProcess.run("compare", "sum", "--warm-up", "-1").refused(2, "--warm-up: -1");
        assertEquals(List.of(), Cli.names(folder));
    }
}
