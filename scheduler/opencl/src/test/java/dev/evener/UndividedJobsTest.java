package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that cannot be cut, on two devices of which nothing is known. */
class UndividedJobsTest {
    private static final int JOBS = 16;
    private static final int ROUNDS = 4_000_000; // some milliseconds, while which the next job is submitted
    private static final String SOURCE = """
            kernel void spin(global uint *x, const uint rounds) {
                uint v = get_global_id(0);
                for (uint i = 0; i < rounds; i++) {
                    v = v * 1664525u + 1013904223u;
                }
                x[get_global_id(0)] = v;
            }
            """;

    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "history", "stealing", "static", "guided"})
    void bothDevicesHaveSome(String policy) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .history(History.inMemory())
                .open()) {
            List<Job> jobs = new ArrayList<>();
            List<HostBuffer> results = new ArrayList<>();
            for (int i = 0; i < JOBS; i++) {
                HostBuffer x = evener.allocate(ElementType.UINT, 1);
                results.add(x);
                jobs.add(Job.named("spin")
                        .units(1)
                        .undivided()
                        .source(SOURCE)
                        .kernel("spin")
                        .writes(x, Access.slice())
                        .scalar(ROUNDS)
                        .build());
            }
            evener.prepare(jobs.get(0)).join();
            List<JobFuture> futures = jobs.stream()
                    .map(job -> evener.submit(job, Policies.named(policy)))
                    .toList();
            Map<String, Integer> served = new TreeMap<>();
            for (JobFuture each : futures) {
                each.join().devices().stream()
                        .filter(use -> use.units() > 0)
                        .forEach(use -> served.merge(use.id(), 1, Integer::sum));
            }
            int expected = 0;
            for (int i = 0; i < ROUNDS; i++) {
                expected = expected * 1664525 + 1013904223;
            }
            for (HostBuffer x : results) {
                assertEquals(expected, x.ints().get(0));
            }
            assertEquals(JOBS, served.values().stream().mapToInt(n -> n).sum());
            assertTrue(served.size() == 2 && !served.containsValue(1), "jobs by device: " + served);
        }
    }
}
