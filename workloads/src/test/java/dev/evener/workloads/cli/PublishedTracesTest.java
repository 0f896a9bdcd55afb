package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Cuts of published traces (src/test/traces/README has their origins), one of each form: on a machine that is large
 * enough jobs take what the trace says, and what is not honoured is told with its count.
 */
class PublishedTracesTest {
    private static final Path TRACES = Path.of("src", "test", "traces");

    @TempDir
    Path folder;

    private Cli.Result simulate(String name, String... more) throws IOException {
        List<Object> words = new ArrayList<>(
                List.of("simulate", TRACES.resolve(name), "--machine", TraceTest.machine(folder, 160, 16)));
        words.addAll(List.of("--json", "-", "--map", "parts=at-once"));
        words.addAll(List.of(more));
        return InProcess.run(words.toArray());
    }

    private static double number(Map<?, ?> map, String name) {
        return ((Number) Objects.requireNonNull(map.get(name), name)).doubleValue();
    }

    /** Makespans by hand, of the longest chain or the job that ends last. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "batsim-compo-sequence-delay.json|23|12103|11 jobs stopped at its walltime",
                "batsim-ptasks.json|12|5003|14 jobs with phases of communication, which is not simulated;"
                        + " 8 jobs left out: of a profile that neither waits nor computes; 6 jobs stopped at its walltime",
                "batsim-various-profile-types.json|9|32.1|8 jobs with phases of communication, which is not simulated;"
                        + " 2 jobs left out: of a profile that neither waits nor computes",
                "wfcommons-bacass.json|10|2150|10 tasks with files, whose transfers are not simulated;"
                        + " 1 task left out: it did not run",
                "helios.csv|3|675260|3 jobs with CPUs beside GPUs, of which the GPUs alone are simulated",
                "philly.json|1|193256|1 job with several attempts, which are simulated as one",
                "nasa-ipsc-1993.swf|40|36547|''",
            })
    void eachIsSimulated(String name, int jobs, double makespan, String notes) throws IOException {
        Cli.Result result = simulate(name);
        assertEquals(0, result.code(), result::toString);
        String said = result.err()
                .lines()
                .map(line -> line.replaceFirst(".*" + name + ": ", ""))
                .collect(Collectors.joining("; "));
        assertEquals(notes, said);
        assertEquals(jobs, result.json().get("jobs"));
        assertEquals(0, result.json().get("failed"));
        assertEquals(makespan, number(result.json(), "makespanSeconds"), 1e-3 * makespan);
        assertEquals(0, number(result.json(), "waitMaxSeconds"), 1e-6, "there are lanes enough");
        assertEquals(result.out(), simulate(name).out(), "the same bytes for a seed");
    }

    /** Batsim's own tests say what a profile takes on its platform of 1 Gflop/s; at most until its walltime. */
    @ParameterizedTest
    @CsvSource({"batsim-compo-sequence-delay.json, 23", "batsim-ptasks.json, 6"})
    void jobsOfBatsimTakeWhatItExpects(String name, int checked) throws IOException {
        Map<String, Object> trace = JSON.std.mapFrom(Files.readString(TRACES.resolve(name)));
        Map<?, ?> profiles = (Map<?, ?>) Objects.requireNonNull(trace.get("profiles"));
        Map<?, ?> outcomes = ReportSchema.objects(simulate(name).json(), "outcomes").stream()
                .collect(Collectors.toMap(each -> each.get("job"), each -> each));
        int found = 0;
        for (Map<?, ?> job : ReportSchema.objects(trace, "jobs")) {
            Map<?, ?> profile = (Map<?, ?>) Objects.requireNonNull(profiles.get(job.get("profile")));
            if (profile.get("com") instanceof List<?> com
                    && com.stream().anyMatch(bytes -> ((Number) bytes).doubleValue() > 0)) {
                continue;
            }
            Map<?, ?> outcome = (Map<?, ?>) Objects.requireNonNull(outcomes.get(job.get("id")));
            double took = number(outcome, "endedSeconds") - number(outcome, "submittedSeconds");
            double expected = Math.min(number(profile, "expected_execution_time"), number(job, "walltime"));
            assertEquals(expected, took, 1e-3 * expected, job::toString);
            found++;
        }
        assertEquals(checked, found);
    }

    /** The log has when jobs began, on a machine on which none of them waited. */
    @Test
    void jobsOfTheArchiveEndWhenTheyDid() throws IOException {
        List<String[]> lines;
        try (Stream<String> all = Files.lines(TRACES.resolve("nasa-ipsc-1993.swf"))) {
            lines = all.filter(line -> !line.startsWith(";"))
                    .map(line -> line.strip().split("\\s+"))
                    .toList();
        }
        Map<Object, Double> ended = ReportSchema.objects(
                        simulate("nasa-ipsc-1993.swf").json(), "outcomes")
                .stream()
                .collect(Collectors.toMap(each -> each.get("job"), each -> number(each, "endedSeconds")));
        assertEquals(lines.size(), ended.size());
        for (String[] fields : lines) {
            double then = Double.parseDouble(fields[1]) + Double.parseDouble(fields[3]);
            assertEquals(then, Objects.requireNonNull(ended.get(fields[0])), 1e-3 * then);
        }
    }

    @Test
    void profilesThatOnlyReplayOtherFilesAreRefusedWithTheirCount() throws IOException {
        simulate("batsim-smpi-compute-only.json")
                .refused(1, "3 jobs with phases of type TraceReplayProfile, which take no time");
    }

    /** No file without its origin, and no origin of a file that is gone. */
    @Test
    void originsAreTold() throws IOException {
        String readme = Files.readString(TRACES.resolve("README"));
        try (Stream<Path> files = Files.list(TRACES)) {
            for (Path file : files.filter(each -> !each.endsWith("README")).toList()) {
                String name = file.getFileName().toString();
                assertTrue(readme.contains(name.startsWith("batsim-") ? "batsim-*.json" : name), name);
            }
        }
    }
}
