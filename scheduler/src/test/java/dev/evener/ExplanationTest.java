package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.policy.Decision;
import dev.evener.policy.Decision.Candidate;
import dev.evener.policy.Decision.Lane;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A decision in words and as JSON. */
class ExplanationTest {
    private static final Decision LEARNT = new Decision(
            List.of(
                    new Lane("0.0", 34_500, 12.34, 0.0123, 1, ""),
                    new Lane("1.0", 250, 0.5, 0.2, 87, ""),
                    new Lane("1.1", 2_000_000, 1_500, 1.5, 0, "with it the job would take 7% longer")),
            List.of(
                    new Candidate(List.of("0.0"), 12_500_000, 0.0123, 1, 1),
                    new Candidate(List.of("0.0", "1.0"), 950_000, 0.0456, 1.25, 12),
                    new Candidate(List.of("0.0", "1.0", "1.1"), 1_020_000, 0.3, 1.5, 0)),
            1,
            "least expected time",
            3_000_000,
            400_000_000);

    private static Report report(Decision decision, long wallNanos) {
        return new Report(
                "job",
                "adaptive",
                1_000_000,
                1,
                0,
                0,
                null,
                0,
                0,
                wallNanos,
                wallNanos,
                null,
                List.of(),
                decision,
                List.of());
    }

    private static String lines(String... lines) {
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    @Test
    void itSaysWhatTheModelKnowsAndWhatBecameOfIt() {
        assertEquals(
                lines(
                        "job, 1000000 units, policy adaptive: least expected time",
                        "    device 0.0: 34.5 µs a chunk + 12.3 ns a unit ± 1.2%, from 1 chunk",
                        "    device 1.0: 250 ns a chunk + 0.500 ns a unit ± 20.0%, from 87 chunks",
                        "    device 1.1: 2.000 ms a chunk + 1.5 µs a unit ± 150.0%, from 0 chunks; left out: with it the"
                                + " job would take 7% longer",
                        "    0.0: 12.500 ms ± 1.2%, 1 job",
                        "  > 0.0 + 1.0: 950.0 µs ± 4.6%, 1.25 x the time for a unit alone, 12 jobs",
                        "    0.0 + 1.0 + 1.1: 1.020 ms ± 30.0%, 1.50 x the time for a unit alone, not run yet",
                        "    looks at other devices have cost 0.75% of the time so far",
                        "  it took 1.045 ms, 10.0% more than predicted"),
                report(LEARNT, 1_045_000).explain());
    }

    @Test
    void lessThanPredictedIsSaidSo() {
        String text = report(LEARNT, 475_000).explain();
        assertEquals(
                "  it took 475.0 µs, 50.0% less than predicted",
                text.lines().toList().get(8));
    }

    @Test
    void whatIsNotKnownIsSaidSo() {
        Decision first = new Decision(
                List.of(
                        new Lane("0.0", 0, 0, 2, 0, ""),
                        new Lane("1.0", 0, 0, 2, 0, "its device does not work at present")),
                List.of(new Candidate(List.of("0.0"), 0, 2, 1, 0)),
                0,
                "first job of its kind: others help if it is long enough",
                0,
                0);
        assertEquals(
                lines(
                        "job, 1000000 units, policy adaptive: first job of its kind: others help if it is long enough",
                        "    device 0.0: nothing is known",
                        "    device 1.0: nothing is known; left out: its device does not work at present",
                        "  > 0.0: nothing is known",
                        "  it took 12.000 ms"),
                report(first, 12_000_000).explain());
        assertNull(report(first, 12_000_000).predictionError());
    }

    @Test
    void whereNothingWasDecidedThereIsNothingToSay() {
        Report report = new Report("job", "static", 1, 1, 0, 0, null, 0, 0, 1, 1, null, List.of(), null, List.of());
        assertEquals("", report.explain());
        assertNull(report.toMap().get("decision"));
    }

    @Test
    void aJobThatIsShorterThanItsWayIsSaidToBeSo() {
        for (long busy : new long[] {0, 1, 499_999, 500_000, 1_000_000}) {
            Report.DeviceUse use = new Report.DeviceUse(
                    "0.0", "d", DeviceKind.CPU, 8, 1, busy, 0, 0, 1, 0, 0, 0, Map.of(), Map.of(), Map.of(), 0);
            Report report = new Report(
                    "job",
                    "adaptive",
                    8,
                    1,
                    0,
                    0,
                    null,
                    0,
                    0,
                    1_000_000,
                    1,
                    null,
                    List.of(),
                    LEARNT,
                    List.of(use, use));
            boolean isShort = busy > 0 && busy < 500_000;
            assertEquals(isShort, report.isShort());
            assertEquals(isShort, report.summary().endsWith("; shorter than its way"));
            String last = report.explain().lines().reduce((a, b) -> b).orElseThrow();
            assertEquals(
                    isShort, last.startsWith("  this job is shorter than its way to the devices and back, "), last);
            assertEquals(busy == 499_999, last.contains("back, 500.0 µs: submit several by batch(...)"), last);
        }
    }

    /** Where a job may be cut in few places only, its shares are not what was asked for. */
    @Test
    void aCoarseGranuleIsSaid() {
        Report.DeviceUse half = new Report.DeviceUse(
                "0.0", "d", DeviceKind.CPU, 64, 0.64, 1_000_000, 0, 0, 1, 0, 0, 0, Map.of(), Map.of(), Map.of(), 0);
        List<Report.DeviceUse> both = List.of(half, half);
        Report coarse =
                new Report("job", "static", 100, 64, 0, 0, null, 0, 0, 2_000_000, 1, null, List.of(), null, both);
        assertEquals(
                "job: 100 units in 2.000 ms (static), cut every 64 units; 0.0 64.0% busy 1.000 ms; 0.0 64.0% busy 1.000 ms",
                coarse.summary());
        assertEquals(lines("job, 100 units, policy static: it may be cut every 64 units"), coarse.explain());
        assertEquals(64L, coarse.toMap().get("granule"));
        Report fine =
                new Report("job", "static", 10_000, 64, 0, 0, null, 0, 0, 2_000_000, 1, null, List.of(), null, both);
        assertEquals(-1, fine.summary().indexOf("cut every"));
        assertEquals("", fine.explain());
    }

    @Test
    void theJsonHasTheSame() {
        Map<?, ?> json = (Map<?, ?>) report(LEARNT, 1_045_000).toMap().get("decision");
        assertEquals("least expected time", json.get("reason"));
        assertEquals(1, json.get("chosen"));
        assertEquals(0.1, (Double) json.get("predictionError"), 1e-9);
        assertEquals(0.003, json.get("exploredSeconds"));
        assertEquals(0.4, json.get("totalSeconds"));
        List<?> considered = (List<?>) json.get("considered");
        assertEquals(3, considered.size());
        assertEquals(
                Map.of(
                        "devices",
                        List.of("0.0", "1.0"),
                        "predictedSeconds",
                        0.00095,
                        "doubt",
                        0.0456,
                        "contention",
                        1.25,
                        "jobs",
                        12L),
                considered.get(1));
        List<?> lanes = (List<?>) json.get("lanes");
        Map<?, ?> last = (Map<?, ?>) lanes.get(2);
        assertEquals(
                Arrays.asList("1.1", 0.002, 1.5e-6, 1.5, 0L, "with it the job would take 7% longer"),
                List.copyOf(last.values()));
        assertNull(((Map<?, ?>) lanes.get(0)).get("leftOut"));
    }
}
