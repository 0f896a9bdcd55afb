package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code simulate --machines}, from its options to table and JSON. */
class RandomMachinesTest {
    @TempDir
    Path folder;

    private static Map<?, ?> map(Map<?, ?> of, String name) {
        return (Map<?, ?>) Objects.requireNonNull(of.get(name), name);
    }

    private static double number(Map<?, ?> of, String name) {
        return ((Number) Objects.requireNonNull(of.get(name), name)).doubleValue();
    }

    @Test
    void aTableAndJsonTellTheSame() {
        Path file = folder.resolve("machines.json");
        Cli.Result run = InProcess.run("simulate", "--machines", 3, "--jobs", 120, "--json", file)
                .done();
        Map<String, Object> json = InProcess.run("simulate", "--machines", 3, "--jobs", 120, "--json", "-")
                .silent()
                .json();
        List<String> lines = run.out().lines().toList();
        assertTrue(lines.get(0).matches(" +first 30 +first 100 +settled"), run::out);
        for (String start : List.of("median ", "90 % ", "95 % ", "worst ", "worst settled")) {
            assertTrue(lines.stream().anyMatch(line -> line.startsWith(start)), run::out);
        }
        String csv = InProcess.run("simulate", "--machines", 3, "--jobs", 120, "--csv", "-")
                .silent()
                .out();
        assertEquals(4, csv.lines().count(), csv);
        assertTrue(csv.startsWith("seed,drawn,first30,first100,settled" + System.lineSeparator() + "1,"), csv);
        Schemas.check("random-machines", json);
        List<Map<?, ?>> machines = ReportSchema.objects(json, "overOracle");
        assertEquals(3, machines.size());
        assertEquals("adaptive", json.get("policy"));
        assertEquals(true, json.get("promised"));
        assertEquals(false, json.get("unkind"));
        String[] median = lines.get(1).split(" +", -1);
        assertEquals("median", median[0]);
        assertEquals(number(map(json, "first30"), "median"), Double.parseDouble(median[1]), 0.0006);
        assertEquals(number(map(json, "first100"), "median"), Double.parseDouble(median[2]), 0.0006);
        assertEquals(number(map(json, "settled"), "median"), Double.parseDouble(median[3]), 0.0006);
        double worst = machines.stream()
                .mapToDouble(each -> number(each, "settled"))
                .max()
                .orElseThrow();
        assertEquals(worst, number(map(json, "settled"), "worst"));
        for (int i = 0; i < 3; i++) {
            assertEquals(i + 1, number(machines.get(i), "seed"));
            assertTrue(run.out().contains((String) machines.get(i).get("drawn")), run::out);
        }
        assertFalse(json.containsKey("firstJobs"));
    }

    @Test
    void unkindMachinesAreOthers() {
        Object[] arguments = {"simulate", "--machines", 2, "--jobs", 101, "--unkind", "--json", "-"};
        Map<String, Object> json = InProcess.run(arguments).silent().json();
        assertEquals(true, json.get("unkind"));
        for (Map<?, ?> each : ReportSchema.objects(json, "overOracle")) {
            assertTrue(each.get("drawn").toString().contains(", unkind: "), each::toString);
        }
    }

    @Test
    void theFirstJobsOfOneMachineAreExplained() {
        Object[] arguments = {"simulate", "--machines", 1, "--seed", 6, "--jobs", 101, "--explain"};
        String text = InProcess.run(arguments).silent().out();
        assertTrue(text.matches("(?s).*\nlane +says +fixed us +wake us +ns a unit\n0\\.0 .*"), text);
        assertTrue(text.matches("(?s).*\njob +kernel +units +oracle ms +over it +devices +reason\n  1 .*"), text);
        assertTrue(text.contains("least expected time"), text);
        Map<String, Object> json = InProcess.run(
                        "simulate", "--machines", 1, "--seed", 6, "--jobs", 101, "--explain", "--json", "-")
                .silent()
                .json();
        Schemas.check("random-machines", json);
        assertEquals(2, ReportSchema.objects(json, "lanes").size());
        List<Map<?, ?>> jobs = ReportSchema.objects(json, "firstJobs");
        assertEquals(30, jobs.size());
        double mean =
                jobs.stream().mapToDouble(job -> number(job, "over")).average().orElseThrow();
        assertEquals(number(map(json, "first30"), "worst"), mean, 1e-9);
    }

    @Test
    void theOraclesSharesAndOtherPoliciesAreCompared() {
        for (String policy : List.of("oracle", "history")) {
            Map<String, Object> json = InProcess.run(
                            "simulate",
                            "--machines",
                            2,
                            "--jobs",
                            101,
                            "--unpromised",
                            "--policy",
                            policy,
                            "--json",
                            "-")
                    .silent()
                    .json();
            assertEquals(policy, json.get("policy"));
            assertEquals(false, json.get("promised"));
            assertTrue(number(map(json, "first100"), "median") > 0.8, json::toString);
        }
    }

    @Test
    void whatDoesNotGoTogetherIsRefused() {
        InProcess.run("simulate").refused(2, "RECORD is missing", "--machines");
        InProcess.run("simulate", "a.rec", "--machines", 1)
                .refused(2, "RECORD and --machines cannot be given together");
        for (String option : List.of("--jobs=200", "--unpromised", "--unkind", "--explain")) {
            InProcess.run("simulate", "a.rec", option).refused(2, option.split("=", -1)[0], "go with --machines");
        }
        for (String option : List.of(
                "--partial",
                "--machine=m",
                "--save-machine=m",
                "--event=0.1 lost at 2 s",
                "--split=0.5,0.5",
                "--trace=t",
                "--report=r")) {
            InProcess.run("simulate", "--machines", 1, option).refused(2, option.split("=", -1)[0], "go with a RECORD");
        }
        InProcess.run("simulate", "--machines", 0).refused(2, "--machines: 0 is not between 1 and 1000000");
        InProcess.run("simulate", "--machines", 1, "--jobs", 100).refused(2, "--jobs: 100 is not between 101 and");
        InProcess.run("simulate", "--machines", 2, "--explain").refused(2, "--explain", "--machines 1");
        InProcess.run("simulate", "--machines", 1, "--policy", "best")
                .refused(2, "--policy: ", "unknown policy 'best'");
        InProcess.run("simulate", "a.rec", "--policy", "oracle").refused(2, "--policy: ", "unknown policy 'oracle'");
    }

    /**
     * One table, the least regret first, with the figures that each policy has by itself; the oracle may be among them.
     */
    @Test
    void policiesAreComparedOnTheSameMachines() {
        Map<String, Object> both = InProcess.run(
                        "simulate",
                        "--machines",
                        2,
                        "--jobs",
                        110,
                        "--seed",
                        90210,
                        "--policies",
                        "static,oracle",
                        "--json",
                        "-")
                .silent()
                .json();
        Map<String, Object> alone = InProcess.run(
                        "simulate",
                        "--machines",
                        2,
                        "--jobs",
                        110,
                        "--seed",
                        90210,
                        "--policy",
                        "static",
                        "--json",
                        "-")
                .silent()
                .json();
        List<Map<?, ?>> regrets = ReportSchema.objects(both, "regrets");
        assertEquals(
                List.of("oracle", "static"),
                regrets.stream().map(each -> each.get("policy")).toList());
        for (String phase : List.of("first30", "first100", "settled")) {
            Map<?, ?> own = map(alone, phase);
            assertEquals(number(own, "median") - 1, number(regrets.get(1), phase + "Median"), 1e-12);
            assertEquals(number(own, "part95") - 1, number(regrets.get(1), phase + "Part95"), 1e-12);
            assertEquals(number(own, "worst") - 1, number(regrets.get(1), phase + "Worst"), 1e-12);
        }
        assertEquals(
                2, InProcess.run("simulate", "x.record", "--policies", "static").code());
        assertEquals(
                2,
                InProcess.run("simulate", "--machines", 1, "--policies", "nobody")
                        .code());
    }
}
