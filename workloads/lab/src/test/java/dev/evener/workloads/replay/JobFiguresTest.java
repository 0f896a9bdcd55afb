package dev.evener.workloads.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.simulation.Machine;
import dev.evener.workloads.arrivals.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures of jobs with deadlines, of users, with power and memory, against what they are by hand. */
class JobFiguresTest {
    private static JobFigures.Served served(double seconds, double least, String user, double deadline) {
        return new JobFigures.Served(
                seconds, least, new Trace.Terms(0, user, deadline < 0 ? -1 : Math.round(1e9 * deadline), 0));
    }

    @Test
    void deadlinesQuantilesAndFairnessByHand() {
        List<JobFigures.Served> jobs = new ArrayList<>();
        for (int i = 1; i <= 101; i++) {
            jobs.add(served(i, 0, "", i <= 4 ? 2 : -1)); // 1 and 2 s are in time, 3 and 4 are not
        }
        Map<String, Object> figures = JobFigures.of(jobs);
        assertEquals(51.0, figures.get("responseP50Seconds"));
        assertEquals(96.0, figures.get("responseP95Seconds"));
        assertEquals(100.0, figures.get("responseP99Seconds"));
        assertEquals(0.5, figures.get("deadlinesMissed"));
        assertNull(figures.get("fairness"));
        List<JobFigures.Served> users = List.of(
                served(2, 1, "a", -1),
                served(4, 1, "a", -1),
                served(10, 10, "b", 5),
                served(Double.POSITIVE_INFINITY, 1, "b", 9));
        Map<String, Object> two = JobFigures.of(users);
        assertEquals((3.0 + 1) * (3 + 1) / (2 * (9 + 1)), (Double) two.get("fairness"), 1e-12, "slow-downs of 3 and 1");
        assertEquals(1.0, two.get("deadlinesMissed"), "one was late, one failed");
    }

    private static RunEvent.Chunk chunk(int device, long start, long end) {
        return new RunEvent.Chunk(0, 1, 0, device, 0, 1, device, start, start, start, start, end, 0, 0, 0, 0, 0);
    }

    /** One of two devices works all of the time, the other in the second half. */
    @Test
    void useOverTimeByHand() {
        UseOverTime use = new UseOverTime();
        use.heard(chunk(0, 1_000, 11_000));
        use.heard(chunk(0, 11_000, 21_000));
        use.heard(chunk(1, 11_000, 21_000));
        List<UseOverTime.Slice> slices = use.slices(2);
        assertEquals(20, slices.size());
        for (UseOverTime.Slice each : slices) {
            boolean second = each.fromSeconds() >= 10e-6 - 1e-12;
            assertEquals(second ? 1 : 0.5, each.utilisation(), 1e-9);
            assertEquals(second ? 0 : 1, each.imbalance(), 1e-9);
        }
        assertTrue(new UseOverTime().slices(2).isEmpty());
    }

    private static ArrivalReport simulated(Path folder, String table, List<String> rules, List<String> notes)
            throws IOException {
        Path machine = Files.writeString(folder.resolve("machine.json"), """
                {"format": "evener-machine", "version": 1, "devices": [
                  {"id": "0.0", "kind": "cpu", "memory": "a", "memoryBytes": 2097152, "idleWatts": 10, "busyWatts": 110},
                  {"id": "0.1", "kind": "cpu", "memory": "b", "memoryBytes": 1048576, "idleWatts": 20, "busyWatts": 60}]}
                """);
        Path trace = Files.writeString(folder.resolve("trace.csv"), table);
        Trace<Trace.Times> jobs = Trace.times(trace, rules);
        notes.addAll(jobs.notes());
        return new SimulatedTrace(Machine.read(machine), Policies.adaptive(), 1, List.of(), null).ofTimes(jobs, notes);
    }

    /** A chain of 2 and 3 s, and one of 4 s that only the first device has memory for; nothing is cut. */
    @Test
    void aTraceHasBoundsEnergyDeadlinesAndMemory(@TempDir Path folder) throws IOException {
        List<String> notes = new ArrayList<>();
        ArrivalReport report = simulated(folder, """
                id,arrival_seconds,seconds,after,user,deadline_seconds,memory_mib
                a,0,2,,ann,3,1
                b,0,3,a,ann,4.5,1
                c,0,4,,bob,9,1.5
                d,0,4,,bob,9,2.5
                """, List.of(), notes);
        assertEquals(List.of("1 job left out: it needs more memory than a device has"), notes);
        Map<String, Object> figures = report.toMap();
        assertEquals(5.0, (Double) figures.get("criticalPathSeconds"), 1e-6);
        assertEquals(4.0, (Double) figures.get("longestJobSeconds"), 1e-6);
        assertEquals(4.5, (Double) figures.get("areaSeconds"), 0.045, "9 s on two devices");
        assertEquals(1.0 / 3, (Double) figures.get("deadlinesMissed"), 1e-9, "b ends at 5 s");
        double makespan = report.makespanNanos() / 1e9;
        assertEquals(makespan / 5, (Double) figures.get("overBound"), 1e-6);
        assertEquals(6, makespan, 1e-3, "a and c on the first device, b on the second");
        assertEquals(10 * 6 + 100 * 6 + 20 * 6 + 40 * 3, (Double) figures.get("joules"), 1);
        assertEquals(20, ((List<?>) figures.get("overTime")).size());
        assertTrue(
                report.tables().text().contains("% of those with deadlines missed them"),
                report.tables().text());
        assertFalse(report.tables().text().contains("null"), report.tables().text());
    }

    /** Jobs of two processors have them at once if that is wanted, and one of three is left out. */
    @Test
    void partsAtOnce(@TempDir Path folder) throws IOException {
        List<String> notes = new ArrayList<>();
        String table = "arrival_seconds,seconds,processors\n0,1,2\n0,1,1\n0,1,2\n0,1,3\n";
        ArrivalReport report = simulated(folder, table, List.of("parts=at-once"), notes);
        assertEquals(List.of("1 job left out: it needs more devices at once than there are"), notes);
        assertEquals(
                List.of(0.0, 1.0, 2.0),
                report.jobs().stream()
                        .map(job -> Math.rint(job.submittedNanos() / 1e8) / 10)
                        .toList());
    }

    @Test
    void logsSayWhoseJobsAreAndWhatTheyAskedFor(@TempDir Path folder) throws IOException {
        Path log = Files.writeString(folder.resolve("log.swf"), "1 0 0 10 1 -1 512 1 20 1024 1 7 1 1 1 1 -1 -1\n");
        Trace.Terms terms = Trace.times(log, List.of("due=1.5")).jobs().get(0).terms();
        assertEquals(new Trace.Terms(0, "7", 30_000_000_000L, 1 << 20), terms);
        assertEquals(-1, Trace.times(log, List.of()).jobs().get(0).terms().deadlineNanos());
    }
}
