package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * {@link ViewConformance} and what every set of lanes must do with a job that has a form for one device: whichever form is
 * run, the result is the same.
 */
abstract class AloneConformance extends ViewConformance {

    @Test
    void theFormForOneDeviceIsRunWhereOneHasEverything() {
        for (int n : List.of(0, 1, 31, 128, 129, 5000)) {
            for (boolean inPlace : new boolean[] {false, true}) {
                for (Policy policy : policies()) {
                    check(n, inPlace, policy);
                }
            }
        }
        for (Policy policy : everyCut(8)) {
            check(2048, true, policy);
        }
    }

    private void check(int n, boolean inPlace, Policy policy) {
        Queue<JobFuture.Progress> told = new ConcurrentLinkedQueue<>();
        try (RunningSums sums = new RunningSums(evener, n, inPlace)) {
            Report report = evener.submit(
                            sums.job().policy(policy).onProgress(told::add).build())
                    .join();
            sums.check(report);
            long working = report.devices().stream().filter(d -> d.units() > 0).count();
            boolean single = policy.name().equals("single");
            if (n == 0 || single || working > 1) { // from a common range one device may happen to take everything
                assertEquals(n == 0 ? 0 : single ? RunningSums.ALONE : RunningSums.CUT, sums.form(), report::summary);
            }
            assertEquals(
                    n,
                    report.devices().stream().mapToLong(Report.DeviceUse::units).sum());
            if (n > 0) {
                JobFuture.Progress last = told.stream().reduce((a, b) -> b).orElseThrow();
                assertEquals(2L * n, last.done());
                assertEquals(2L * n, last.total());
            }
        }
    }

    /** A limit for chunks is not meant for all units at once. */
    @Test
    void aFencedJobIsRunAsItIsDeclared() {
        try (RunningSums sums = new RunningSums(evener, 5000, true)) {
            Report report = evener.submit(sums.job()
                            .policy(Policies.single(0))
                            .chunkDeadline(Duration.ofMinutes(1))
                            .build())
                    .join();
            sums.check(report);
            assertEquals(RunningSums.CUT, sums.form());
        }
    }

    /** What its phases share, and what it appends, lies in the form that is run and in no other. */
    @Test
    void theOtherFormMayHaveResultsOfItsOwn() {
        int n = 3000;
        try (HostBuffer in = evener.allocate(ElementType.INT, n);
                HostBuffer out = evener.allocate(ElementType.INT, n);
                HostBuffer count = evener.allocate(ElementType.UINT, 1)) {
            for (int i = 0; i < n; i++) {
                Ints.put(in, i, i);
            }
            for (Policy policy : policies()) {
                count.ints().put(0, 0);
                Job alone = keep(n / 3, 3, in, out, count).build();
                evener.submit(keep(n, 1, in, out, count)
                                .policy(policy)
                                .alone(alone)
                                .build())
                        .join();
                assertEquals(n / 2, count.ints().get(0));
                int[] expected = new int[n / 2];
                for (int i = 0; i < n / 2; i++) {
                    expected[i] = 2 * i;
                }
                assertArrayEquals(expected, Ints.first(out, n / 2));
            }
        }
    }

    private static JobBuilder keep(int units, int perUnit, HostBuffer in, HostBuffer out, HostBuffer count) {
        return Job.named("even")
                .source("""
                        __kernel void even(__global const int *in, __global int *slots, __global uint *counts, int n) {
                            size_t u = get_global_id(0);
                            uint kept = 0;
                            for (int k = 0; k < n; k++)
                                if (in[u * n + k] % 2 == 0) slots[u * n + kept++] = in[u * n + k];
                            counts[u] = kept;
                        }
                        """)
                .units(units)
                .kernel("even")
                .reads(in, Access.slice(perUnit))
                .appends(out, count, perUnit)
                .scalar(perUnit)
                .jvm(chunk -> {
                    for (int u = 0; u < chunk.units(); u++) {
                        int kept = 0;
                        for (int k = 0; k < perUnit; k++) {
                            int value = ints(chunk.buffer(0)).get(u * perUnit + k);
                            if (value % 2 == 0) {
                                ints(chunk.buffer(1)).put(u * perUnit + kept++, value);
                            }
                        }
                        ints(chunk.buffer(2)).put(u, kept);
                    }
                });
    }
}
