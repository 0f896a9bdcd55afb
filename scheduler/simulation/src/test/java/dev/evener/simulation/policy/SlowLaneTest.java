package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.policy.Beds.Work;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code stealing}, whose shares are equal, with a lane that is much slower than the others and promises to be as fast. */
class SlowLaneTest {
    private static final long UNITS = 100_000_000;
    private static final int SETTLED = 20;

    @ParameterizedTest
    @CsvSource({"2, 10", "2, 100", "4, 10", "4, 30", "4, 100"})
    void itHoldsNobodyUp(int lanes, double slower) {
        Machine machine = Beds.machine(
                Work.EVEN,
                IntStream.range(0, lanes)
                        .mapToObj(i -> Beds.device(i, Beds.kernel(i == lanes - 1 ? 1 / slower : 1, 5_000, 0.03))
                                .withMemory("m" + i))
                        .toArray(DeviceModel[]::new));
        double ideal = UNITS / (lanes - 1 + 1 / slower);
        List<Series.Done> jobs = new Series(machine, Policies.stealing(), UNITS, UNITS / 8192, 7).run(SETTLED + 10);
        for (int job = 0; job < jobs.size(); job++) {
            double most = job < SETTLED ? 2 : 1.05;
            double its = jobs.get(job).wall() / ideal;
            assertTrue(its <= most, "job " + job + " took " + its + " x what it would at best");
        }
    }
}
