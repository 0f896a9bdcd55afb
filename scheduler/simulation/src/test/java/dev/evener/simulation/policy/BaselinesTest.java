package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.simulation.Machine;
import org.junit.jupiter.api.Test;

/** The policies of the literature on a machine as in their papers: three devices, of which each is four times the one before. */
class BaselinesTest {
    private static final long UNITS = 1L << 28;
    private static final int JOBS = 10;

    private static double median(String policy) {
        Machine machine = Beds.machine(
                Beds.Work.EVEN,
                Beds.device(0, Beds.kernel(1, 5_000, 0.03)),
                Beds.device(1, Beds.kernel(4, 5_000, 0.03)),
                Beds.device(2, Beds.kernel(16, 20_000, 0.03)));
        return new Series(machine, Policies.named(policy), UNITS, 1 << 16, 7).medianAfter(20, JOBS);
    }

    /** What all three could do at best is a 21st of the work at the slowest one's speed. */
    @Test
    void heterogeneousGuidedBeatsGuidedOnUnequalDevices() {
        double ideal = UNITS / 21.0;
        double guided = median("gss:8");
        double heterogeneous = median("hguided:k=2,least=8");
        assertTrue(guided > 5 * ideal, "a third of the work for the slowest device: " + guided / ideal);
        assertTrue(heterogeneous < 1.25 * ideal, () -> "of what could be: " + heterogeneous / ideal);
        double weighted = median("awf-b");
        assertTrue(weighted < 1.25 * ideal, () -> "with weights that were learnt: " + weighted / ideal);
    }
}
