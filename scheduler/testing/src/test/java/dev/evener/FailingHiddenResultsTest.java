package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.policy.Policies;
import dev.evener.testing.Faults;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Appended results and partial ones, on devices that fail. */
class FailingHiddenResultsTest {
    /** A chunk that another lane runs again leaves no trace of the first time. */
    @ParameterizedTest
    @ValueSource(strings = {"error", "hang"})
    void theySurviveALaneThatFails(String fault) {
        int units = 40_000;
        EvenerBuilder lanes = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed()) // nobody steals from the lane before it meets its fault
                .history(History.inMemory())
                .chunkDeadline(Duration.ofSeconds(3));
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.parse("0.0,0.1"))
                        .history(History.inMemory())
                        .open();
                Evener faulty = Faults.inject(lanes, "lane=1,job=1,chunk=0,fault=" + fault)
                        .open();
                HostBuffer sum = evener.allocate(ElementType.FLOAT, 3);
                HostBuffer out = evener.allocate(ElementType.UBYTE, 7L * units);
                HostBuffer count = evener.allocate(ElementType.UINT, 1);
                HostBuffer otherSum = faulty.allocate(ElementType.FLOAT, 3);
                HostBuffer otherOut = faulty.allocate(ElementType.UBYTE, 7L * units);
                HostBuffer otherCount = faulty.allocate(ElementType.UINT, 1)) {
            evener.submit(HiddenResultsTest.spread(Job.named("spread").units(units), sum, out, count))
                    .join();
            Job job = HiddenResultsTest.spread(Job.named("spread").units(units), otherSum, otherOut, otherCount);
            faulty.submit(job).join(); // for which drivers compile, which is no chunk's time
            Report report = faulty.submit(job).join();
            assertEquals(1, report.failures().size(), report::toString);
            assertEquals(sum.bytes(), otherSum.bytes());
            assertEquals(out.bytes(), otherOut.bytes());
            assertEquals(count.bytes(), otherCount.bytes());
        }
    }
}
