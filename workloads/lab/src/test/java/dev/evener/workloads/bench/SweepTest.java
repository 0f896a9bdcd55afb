package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.InTurn;
import dev.evener.MadeUpDevices;
import dev.evener.policy.Policies;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.workloads.bench.SweepRun.Figure;
import dev.evener.workloads.document.DocumentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Experiments on simulated machines: what is read, what is counted, and that they go on where they ended. */
@InTurn(2)
class SweepTest {
    private static final String SWEEP = """
            {"format": "evener-experiment", "version": 1, "name": "s",
             "machines": [{"random": 2, "seed": 5}, "two.json"],
             "traces": [{"series": 12}, {"name": "loaded", "jobs": 15, "seconds": [0.001, 0.01], "load": 0.7}],
             "policies": ["static", "guided"], "seeds": 3}""";

    @TempDir
    Path folder;

    private static DeviceModel device(String id, double nanosPerUnit) {
        DeviceInfo info = MadeUpDevices.device(id, "made up", "device " + id, DeviceKind.CPU, 1, 1, 16, id);
        return DeviceModel.of(info, Map.of("a", KernelModel.of(0, nanosPerUnit).withBytesPerUnit(3, 1)));
    }

    /** The first is three times as fast as the second; both take no time but for the work. */
    private static Machine two() {
        return Machine.of(device("0.0", 1000), device("0.1", 3000));
    }

    private Sweep sweep(String text) {
        return Objects.requireNonNull(PlanReader.parse(text, Map.of(), folder).sweep());
    }

    private Sweep sweep() throws IOException {
        two().write(folder.resolve("two.json"));
        return sweep(SWEEP);
    }

    private static double figure(Map<Figure, Double> figures, Figure which) {
        return Objects.requireNonNull(figures.get(which));
    }

    /** A job of 4,000 units in halves takes 2 and 6 ms, and the second one waits for it. */
    @Test
    void figuresOfKnownTimes() {
        List<Simulator.Outcome> outcomes = new Simulator(two())
                .submit(SimulatedJob.of("a", 4000, 1, Policies.fixed()))
                .submit(SimulatedJob.of("a", 4000, 1, Policies.fixed(1, 0)).at(10_000_000))
                .run();
        Map<Figure, Double> figures = SweepRun.figures(outcomes, two(), List.of(), 0.005, false);
        assertEquals(0.014, figure(figures, Figure.MAKESPAN), 1e-6);
        assertEquals(0.005, figure(figures, Figure.RESPONSE), 1e-6, "of 6 and 4 ms");
        // The fastest split, of 3,000 and 1,000 units, takes 3 ms, less than the bound of 5: in halves it takes 6.
        assertEquals((6.0 / 5 + 1) / 2, figure(figures, Figure.SLOWDOWN), 1e-6);
        assertEquals(12.0 / 28, figure(figures, Figure.UTILISATION), 1e-6);
        assertEquals(0.5 / 2, figure(figures, Figure.VARIATION), 1e-6, "2 over 4 ms, and a device alone");
        assertEquals(2.0 / 6 * 2 / 2, figure(figures, Figure.IMBALANCE), 1e-6);
        assertEquals(0.5 / 2, figure(figures, Figure.LAMBDA), 1e-6);
        assertEquals(4.0 * 8000, figure(figures, Figure.BYTES));
        assertNull(figures.get(Figure.ORACLE));
        assertEquals(
                0.010,
                figure(SweepRun.figures(outcomes, two(), List.of(), 0.005, true), Figure.MAKESPAN),
                1e-6,
                "without the gap");
    }

    @Test
    void slowDownsAreBounded() {
        SimulatedJob job = SimulatedJob.of("a", 4000, 1, Policies.single()).on(List.of("0.0"));
        List<Simulator.Outcome> outcomes =
                new Simulator(two()).submit(job).submit(job).run();
        assertEquals(
                1.5,
                figure(SweepRun.figures(outcomes, two(), List.of(), 0.001, false), Figure.SLOWDOWN),
                1e-3,
                "1 and 2");
        assertEquals(4e6, outcomes.get(0).leastNanos(), 1e3);
        assertEquals(
                1,
                figure(SweepRun.figures(outcomes, two(), List.of(), 0.1, false), Figure.SLOWDOWN),
                1e-6,
                "less than the bound");
    }

    /** It was divided by the policy's own wall time: the longer a job ran, the better it looked. */
    @Test
    void theWorsePolicyHasTheGreaterSlowDown() {
        double[] slow = new double[2];
        for (int i = 0; i < 2; i++) { // in the best shares and in the worst
            SimulatedJob job = SimulatedJob.of("a", 4000, 1, Policies.fixed(i == 0 ? 0.75 : 0, i == 0 ? 0.25 : 1));
            List<Simulator.Outcome> outcomes =
                    new Simulator(two()).submit(job).submit(job).run();
            slow[i] = figure(SweepRun.figures(outcomes, two(), List.of(), 1e-6, false), Figure.SLOWDOWN);
        }
        assertEquals(1.5, slow[0], 1e-4, "3 and 6 ms, over the least of 3");
        assertEquals(6, slow[1], 1e-4, "12 and 24");
    }

    /** A chain of three seconds had a response of 1 s, as jobs counted from when those before them had ended. */
    @Test
    void responsesCountFromTheArrival() {
        SimulatedJob job = SimulatedJob.of("a", 1_000_000, 1, Policies.fixed(1, 0));
        List<Simulator.Outcome> chain = new Simulator(two())
                .submit(job)
                .submit(job.behind(List.of(0), 0))
                .submit(job.behind(List.of(1), 0))
                .run();
        Map<Figure, Double> figures = SweepRun.figures(chain, two(), List.of(), 0.01, false);
        assertEquals(2, figure(figures, Figure.RESPONSE), 1e-4, "1, 2 and 3 s");
        assertEquals(3, figure(figures, Figure.MAKESPAN), 1e-4);
        assertEquals(2 / 0.75, figure(figures, Figure.SLOWDOWN), 1e-4, "on both devices each takes three quarters");
    }

    @Test
    void eachPolicyMeetsTheSameJobs() throws IOException {
        Sweep sweep = sweep();
        assertEquals(3 * 2 * 2 * 3, sweep.runs());
        List<SweepRun> runs = SweepRun.all(sweep, null, "1", done -> {});
        assertEquals(sweep.runs(), runs.size());
        SweepRun first = runs.get(0);
        assertEquals(
                List.of("random 5", "series of 12", "static", 1L),
                List.of(first.machine(), first.trace(), first.policy(), first.seed()));
        assertEquals(12, first.jobs());
        assertTrue(figure(first.figures(), Figure.ORACLE) > 0.8, () -> "over the best static split: " + first);
        List<SweepRun> without =
                runs.stream().filter(run -> run.problem() != null).toList();
        assertEquals(6, without.size(), "of the machine that no series was drawn with");
        assertTrue(without.stream()
                .allMatch(r -> r.machine().equals("two.json") && r.trace().equals("series of 12")));
        assertEquals(
                List.of(
                        "series of 12, static: 'series' are jobs drawn with a random machine, and two.json is none (3 runs)",
                        "series of 12, guided: 'series' are jobs drawn with a random machine, and two.json is none (3 runs)"),
                SweepRun.problems(runs));
        assertEquals(runs, SweepRun.all(sweep, null, "1", done -> {}), "the same again");
    }

    /** As after a kill: some lines are there, and half a line. */
    @Test
    void itGoesOnWhereItEnded() throws IOException {
        Sweep sweep = sweep();
        Path file = folder.resolve("r.jsonl");
        List<SweepRun> runs;
        try (ResultsFile kept = ResultsFile.open(file, false)) {
            runs = SweepRun.all(sweep, kept, "1", done -> {});
        }
        List<String> lines = Files.readAllLines(file);
        assertEquals(1 + 30, lines.size(), "all that has figures");
        String left =
                String.join("\n", lines.subList(0, 11)) + "\n" + lines.get(11).substring(0, 40);
        Files.writeString(file, left.replaceFirst("\"jobs\":15", "\"jobs\":77"));
        try (ResultsFile kept = ResultsFile.open(file, false)) {
            List<SweepRun> again = new ArrayList<>(SweepRun.all(sweep, kept, "1", done -> {}));
            assertEquals(31, Files.readAllLines(file).size());
            int changed = again.indexOf(
                    again.stream().filter(r -> r.jobs() == 77).findFirst().orElseThrow());
            again.set(changed, runs.get(changed));
            assertEquals(runs, again, "one was taken from the file, and no figure is another");
        }
        try (ResultsFile kept = ResultsFile.open(file, false)) {
            assertFalse(SweepRun.all(sweep, kept, "2", done -> {}).stream().anyMatch(r -> r.jobs() == 77));
            assertEquals(61, Files.readAllLines(file).size(), "another version makes all again");
        }
    }

    /** On eight machines one policy is always a tenth slower than another, and the third sometimes. */
    @Test
    void policiesAreComparedPairByPair() {
        List<SweepRun> runs = new ArrayList<>();
        for (int machine = 1; machine <= 8; machine++) {
            for (long seed = 1; seed <= 3; seed++) {
                double[] times = {machine, 1.1 * machine, machine * (machine % 2 == 0 ? 0.9 : 1.2)};
                for (int policy = 0; policy < 3; policy++) {
                    Map<Figure, Double> figures = Map.of(Figure.MAKESPAN, times[policy], Figure.SLOWDOWN, 2.0);
                    runs.add(new SweepRun("m" + machine, "t", "p" + policy, seed, 5, null, figures));
                }
            }
        }
        SweepReport report = new SweepReport(runs);
        Map<String, Object> map = report.toMap("e");
        List<?> pairs = (List<?>) Objects.requireNonNull(map.get("pairs"));
        Map<?, ?> pair = (Map<?, ?>) pairs.get(0);
        assertEquals(List.of("p0", "p1", 8), List.of(pair.get("first"), pair.get("second"), pair.get("pairs")));
        Map<?, ?> ratio = (Map<?, ?>) pair.get("ratio");
        assertEquals(1 / 1.1, (Double) ratio.get("value"), 1e-6);
        assertEquals(-1.0, pair.get("effect"));
        assertEquals(2.0 / 256, (Double) pair.get("chance"), 1e-12);
        assertEquals(3 * 2.0 / 256, (Double) pair.get("correctedChance"), 1e-12);
        assertEquals("p0", pair.get("shorter"));
        assertNull(((Map<?, ?>) pairs.get(1)).get("shorter"), "as often shorter as longer");
        assertEquals(72, ((List<?>) Objects.requireNonNull(map.get("runs"))).size());
        String text = report.tables(false).text();
        assertTrue(text.contains("0.909 (0.909 to 0.909)"), text);
        assertTrue(report.tables(true).markdown().contains(" | p0 | p1 | "), report.tables(true)::markdown);
        assertEquals(2, report.rankings().size(), "makespans and slow-downs; no oracle is known");
        assertEquals(1 + 72, report.tables(false).csv().lines().count());
    }

    /** Six machines and eight policies can never tell one from another: 28 pairs times 2/64 is 0.88. */
    @ParameterizedTest
    @CsvSource({
        "6, 1, 8, '6 machines and 28 pairs of policies the least chance after correction is 0.88, not below 0.05; 11 machines'",
        "6, 100, 8, 11 machines",
        "1, 4, 2, '4 runs and 1 pair of policies the least chance after correction is 0.13, not below 0.05; 6 seeds'",
        "2, 3, 3, '6 runs and 3 pairs'",
        "2, 4, 3, ",
        "11, 1, 8, ",
        "10, 1, 8, 11 machines",
        "1, 1, 1, "
    })
    void verdictsThatCannotBeAreToldBefore(int machines, int seeds, int policies, String part) {
        String said = SweepReport.impossible(machines, seeds, policies);
        assertEquals(part == null, said == null, () -> String.valueOf(said));
        assertTrue(said == null || said.contains(part), said);
        // The best that can be: the first policy is shorter wherever they meet.
        List<SweepRun> runs = new ArrayList<>();
        for (int i = 0; i < machines * seeds * policies; i++) {
            int policy = i % policies;
            int unit = i / policies;
            Map<Figure, Double> figures = Map.of(Figure.MAKESPAN, 1.0 + policy + unit * 1e-3);
            runs.add(new SweepRun("m" + unit % machines, "t", "p" + policy, unit / machines, 5, null, figures));
        }
        List<?> pairs = (List<?>)
                Objects.requireNonNullElse(new SweepReport(runs).toMap("e").get("pairs"), List.of());
        boolean any = pairs.stream().anyMatch(pair -> ((Map<?, ?>) pair).get("shorter") != null);
        assertEquals(said == null && policies > 1, any, "what is said is what comes of it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"seeds\": 3; \"seeds\": 0; seeds: expected a whole number from 1 to 1000000, not 0",
                "\"static\",; \"statik\",; policies[0]",
                "\"load\"; \"lod\"; there is no 'lod' (did you mean 'load'?)",
                "[0.001, 0.01]; [0.01, 0.001]; traces[1].seconds: expected the least before the most",
                "two.json; one.json; machines[1]: cannot be read: java.nio.file.NoSuchFileException",
                "{\"series\": 12}; \"two.json\"; traces[0]",
                "\"random\": 2; \"random\": 1001; machines[0].random: expected a whole number from 1 to 1000",
                "\"loaded\"; \"series of 12\"; traces: every trace has a name of its own"
            })
    void whatIsWrongIsSaid(String right, String wrong, String message) throws IOException {
        two().write(folder.resolve("two.json"));
        assertTrue(SWEEP.contains(right), right);
        String changed = SWEEP.replace(right, wrong);
        String said = String.valueOf(
                assertThrows(DocumentException.class, () -> sweep(changed)).getMessage());
        assertTrue(said.contains(message), said);
    }

    @Test
    void optionsForDevicesAreRefused() throws IOException {
        two().write(folder.resolve("two.json"));
        Map<String, Object> typed = Map.of("--sizes", List.of("1Ki"));
        String said = String.valueOf(assertThrows(DocumentException.class, () -> PlanReader.parse(SWEEP, typed, folder))
                .getMessage());
        assertTrue(said.contains("--sizes"), said);
    }

    /** Two traces as they come with Evener, by name and with rules. */
    @Test
    void tracesOfOtherSystemsAreSwept() throws IOException {
        for (String name : List.of(
                "machine.json",
                "small-cluster.swf",
                "cholesky-cpu.swf",
                "cholesky-gpu.swf",
                "cholesky-precedence.txt")) {
            Files.copy(Path.of("..", "samples", name), folder.resolve(name));
        }
        String text = """
                {"format": "evener-experiment", "version": 1, "name": "s", "machines": ["machine.json"],
                 "traces": ["small-cluster.swf", {"name": "dag", "file": "cholesky-cpu.swf",
                   "map": ["gpu-times=cholesky-gpu.swf", "precedence=cholesky-precedence.txt", "unit=ms"]}],
                 "policies": ["static", "adaptive"], "seeds": 2}""";
        Sweep sweep = sweep(text);
        List<SweepRun> runs = SweepRun.all(sweep, null, "1", done -> {});
        assertEquals(8, runs.size());
        assertEquals(List.of(), SweepRun.problems(runs));
        assertTrue(runs.stream().allMatch(run -> run.jobs() > 10), runs::toString);
        SweepReport report = new SweepReport(runs);
        List<String> lines = report.tables(false).text().lines().toList();
        for (String trace : List.of("small-cluster.swf", "dag")) {
            assertEquals(
                    2 + 1 + 1,
                    lines.stream().filter(l -> l.startsWith(trace + " ")).count(),
                    lines::toString);
            assertEquals(
                    2,
                    report.rankings().stream()
                            .filter(r -> r.title().startsWith(trace + ": "))
                            .count());
        }
        assertEquals(
                List.of(
                        "small-cluster.swf",
                        "dag",
                        "no verdict can come of this"), // it waits for jobs that are not there
                sweep.notes().stream()
                        .map(note -> note.substring(0, note.indexOf(": ")))
                        .distinct()
                        .toList(),
                sweep.notes()::toString);
        String said =
                String.valueOf(assertThrows(DocumentException.class, () -> sweep(text.replace("unit=ms", "unit=years")))
                        .getMessage());
        assertTrue(said.startsWith("traces[1]: ") && said.contains("years"), said);
    }
}
