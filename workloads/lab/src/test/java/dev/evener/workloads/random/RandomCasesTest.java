package dev.evener.workloads.random;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.policy.Policies;
import dev.evener.workloads.random.RandomCases.Row;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code adaptive} takes on machines that nobody tuned it for, over an oracle's best static split. Seeded, so the same figures every
 * time; the bounds are those of today and a tenth more.
 */
@InTurn(2)
class RandomCasesTest {
    private static final int MACHINES = 40;
    private static final int JOBS = 200;

    @ParameterizedTest
    @CsvSource({
        "true, 1.50, 1.60, 1.20, 1.40, 1.13, 1.50", //
        "false, 1.43, 1.55, 1.22, 1.25, 1.17, 1.30"
    })
    void randomMachinesAreDecidedWell(
            boolean promised,
            double first,
            double worstFirst,
            double learning,
            double worstLearning,
            double settled,
            double worstSettled) {
        List<Row> rows = RandomCases.run(Policies.adaptive(), MACHINES, 1, JOBS, promised, Ranges.KIND, row -> {});
        String text = rows.toString();
        assertAtMost(first, worstFirst, rows, Row::first, "the first 30, " + text);
        assertAtMost(learning, worstLearning, rows, Row::learning, "the first 100, " + text);
        assertAtMost(settled, worstSettled, rows, Row::settled, "settled, " + text);
    }

    /** @param most that 95 of a hundred machines may take */
    private static void assertAtMost(double most, double worst, List<Row> rows, ToDoubleFunction<Row> of, String what) {
        double[] sorted = rows.stream().mapToDouble(of).sorted().toArray();
        assertTrue(sorted[(int) Math.ceil(0.95 * sorted.length) - 1] <= most, () -> "95 % of " + what);
        assertTrue(sorted[sorted.length - 1] <= worst, () -> "the worst of " + what);
    }
}
