package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Report;
import dev.evener.policy.Decision;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where the time of a policy's first jobs goes. */
class FirstJobsTest {
    private static final List<Report> SETTLED = List.of(job(0, 10, 1000, 900, 70), job(0, 10, 1000, 900, 70));

    private static Report job(long build, long plan, long wall, long device, double explored) {
        Decision decision = new Decision(List.of(), List.of(), 0, "", explored, 1);
        return new Report(
                "job", "adaptive", 1, 1, 0, 0, null, build, plan, wall, device, null, List.of(), decision, List.of());
    }

    /** @param excess in the order of its parts */
    private static FirstJobs expected(double mean, double median, double... excess) {
        Map<FirstJobs.Part, Double> parts = new EnumMap<>(FirstJobs.Part.class);
        for (FirstJobs.Part part : FirstJobs.Part.values()) {
            parts.put(part, excess[parts.size()]);
        }
        return new FirstJobs(mean, median, parts);
    }

    @Test
    void whatJobsTakeLongerIsToldByItsCause() {
        List<Report> first = List.of(
                job(500, 210, 1600, 1100, 0), // planned 200 longer, computed 200 longer, and 200 remain
                job(0, 10, 4000, 3900, 0), // a look, as the next one says
                job(0, 10, 990, 900, 70));
        assertEquals(
                expected(2800, 2800, 200, 500, 200, 200, 3000),
                FirstJobs.of(new double[] {1600, 4000}, first, SETTLED));
        assertEquals(
                4100, FirstJobs.of(new double[] {1600, 4000}, first, SETTLED).excessNanos());
        assertEquals(
                expected(2197, 1600, 200, 500, 190, 200, 3000),
                FirstJobs.of(new double[] {1600, 4000, 990}, first, SETTLED),
                "the last one of all took less");
    }

    @Test
    void whatIsNoJobHasTimesOnly() {
        assertEquals(expected(2, 2, 0, 0, 0, 0, 0), FirstJobs.of(new double[] {1, 3}, List.of(), List.of()));
    }
}
