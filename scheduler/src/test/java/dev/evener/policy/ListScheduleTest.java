package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.CostModel.Forecast;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ListScheduleTest {
    /** What {@link ListSchedule#whole} is to find, job by job and lane by lane. */
    private static @Nullable Forecast byHand(List<Forecast> candidates, Forecast best, int waiting) {
        int jobs = Math.min(waiting + 1, 64);
        List<Forecast> lanes =
                candidates.stream().filter(each -> each.lanes().size() == 1).toList();
        Forecast found = null;
        double least = jobs * best.nanos() + jobs * (jobs - 1) / 2.0 * (best.nanos() - best.awayNanos());
        LaneSet set = LaneSet.NONE;
        for (int n = 1; n <= lanes.size(); n++) {
            set = set.with(lanes.get(n - 1).lanes().first());
            LaneSet these = set;
            double contention = n == 1
                    ? 1
                    : candidates.stream()
                            .filter(each -> each.lanes().equals(these))
                            .findFirst()
                            .map(Forecast::contention)
                            .orElse(1.0);
            double[] takes = new double[n];
            double[] end = new double[n];
            Arrays.setAll(
                    takes,
                    i -> contention * (lanes.get(i).nanos() - lanes.get(i).awayNanos()));
            Arrays.setAll(end, i -> lanes.get(i).awayNanos());
            Forecast first = null;
            double sum = 0;
            for (int job = 0; job < jobs; job++) {
                int lane = 0;
                for (int i = 1; i < n; i++) {
                    lane = end[i] + takes[i] < end[lane] + takes[lane] ? i : lane;
                }
                end[lane] += takes[lane];
                sum += end[lane];
                first = first == null ? lanes.get(lane) : first;
            }
            if (sum < least) {
                least = sum;
                found = first;
            }
        }
        return found;
    }

    @Test
    void findsTheLaneThatAScheduleByHandFinds() {
        Random random = new Random(5);
        int found = 0;
        for (int round = 0; round < 5000; round++) {
            int count = 1 + random.nextInt(6);
            List<Forecast> candidates = new ArrayList<>();
            for (int lane = 0; lane < count; lane++) {
                int away = random.nextInt(3) * random.nextInt(20);
                candidates.add(forecast(LaneSet.of(lane), away + 1 + random.nextInt(30), away, 1));
            }
            candidates.sort(Comparator.comparingDouble(Forecast::nanos));
            LaneSet set = candidates.get(0).lanes();
            for (int n = 2; n <= count; n++) {
                set = set.with(candidates.get(n - 1).lanes().first());
                if (random.nextInt(4) > 0) { // of others nobody knows
                    candidates.add(forecast(set, 1 + random.nextInt(20), 0, 1 + random.nextInt(4) / 2.0));
                }
            }
            Forecast best = candidates.get(random.nextInt(candidates.size()));
            int waiting = random.nextInt(100);

            Forecast expected = byHand(candidates, best, waiting);

            assertEquals(expected, ListSchedule.whole(candidates, best, waiting), "round " + round);
            found += expected == null ? 0 : 1;
        }
        assertTrue(found > 1000 && found < 4900, found + " of 5000");
    }

    /** In whole and half nanoseconds, whose sums are exact in any order. */
    private static Forecast forecast(LaneSet lanes, double nanos, double away, double contention) {
        return new Forecast(lanes, nanos, away, 0, contention, new double[0], 0, new double[0], 0, 0);
    }
}
