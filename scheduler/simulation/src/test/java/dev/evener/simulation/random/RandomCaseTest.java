package dev.evener.simulation.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.simulation.random.RandomCases.Row;
import dev.evener.simulation.random.RandomCases.Step;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is drawn, and that the oracle is one. */
class RandomCaseTest {
    private static final int MACHINES = 300;

    @Test
    void theSameSeedDrawsTheSameCase() {
        for (boolean promised : new boolean[] {true, false}) {
            RandomCase one = new RandomCase(7, 20, promised);
            RandomCase other = new RandomCase(7, 20, promised);
            assertEquals(one.text(), other.text());
            assertEquals(one.lanes(), other.lanes());
            assertEquals(one.machine(), other.machine());
            assertArrayEquals(one.oracle(), other.oracle());
            assertArrayEquals(one.over(Policies.adaptive()), other.over(Policies.adaptive()));
            assertNotEquals(one.lanes(), new RandomCase(8, 20, promised).lanes());
            assertNotEquals(one.lanes(), new RandomCase(7, 20, !promised).lanes());
        }
        assertThrows(IllegalArgumentException.class, () -> new RandomCase(1, 0, true));
    }

    /** What a seed stands for is part of published figures. */
    @Test
    void seedsStandForWhatTheyStoodFor() {
        assertEquals(
                List.of(
                        "seed 1: 4 lanes, {drift=1, two speeds=1, uneven units=1}",
                        "seed 2: 1 lane, {contention=1, uneven units=1}",
                        "seed 6: 2 lanes, {a tail=1, disturbed=1, two kernels=1}"),
                Stream.of(1, 2, 6)
                        .map(seed -> new RandomCase(seed, 300, true).text())
                        .toList());
    }

    private static void isAbout(double expected, double drawn, int of, String what) {
        double deviation = Math.sqrt(expected * (1 - expected) / of);
        assertEquals(expected, drawn, 3.5 * deviation, what);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void featuresAreDrawnInTheStatedParts(boolean promised) {
        Map<String, Integer> machines = new HashMap<>();
        Map<String, Integer> lanes = new HashMap<>();
        int all = 0;
        boolean[] counts = new boolean[17];
        for (int seed = 1; seed <= MACHINES; seed++) {
            RandomCase drawn = new RandomCase(seed, 10, promised);
            int size = drawn.lanes().size();
            all += size;
            counts[size] = true;
            drawn.features().forEach((feature, number) -> {
                assertTrue(number <= size, feature);
                machines.merge(feature, 1, Integer::sum);
                lanes.merge(feature, number, Integer::sum);
            });
            drawn.lanes().forEach(lane -> {
                assertTrue(lane.fixedNanos() >= 2_000 && lane.fixedNanos() <= 5e6, lane::toString);
                assertTrue(lane.wakeNanos() >= 5_000 && lane.wakeNanos() <= 60_000, lane::toString);
            });
        }
        for (int size = 1; size <= 16; size++) {
            assertTrue(counts[size], "machines of " + size + " lanes");
        }
        Map.of(
                        "two kernels",
                        0.25,
                        "contention",
                        0.3,
                        "uneven units",
                        0.25,
                        "sizes change",
                        0.3,
                        "a hundredfold at once",
                        0.14)
                .forEach(
                        (feature, part) -> isAbout(part, machines.get(feature) / (double) MACHINES, MACHINES, feature));
        for (Map.Entry<String, Double> each : Map.of("a tail", 0.1, "two speeds", 0.07, "disturbed", 0.07, "drift", 0.1)
                .entrySet()) {
            isAbout(each.getValue(), lanes.get(each.getKey()) / (double) all, all, each.getKey());
        }
    }

    /** In the middle of machines: what devices say of each other is right within a factor of two, or else it is anything. */
    @Test
    void devicesAreAsPromisedOrNot() {
        assertTrue(apart(true) < 2 && apart(false) > 4, apart(true) + ", " + apart(false));
    }

    /** By which factor two lanes of a machine are off from what they say of each other, at worst; in the middle of machines. */
    private static double apart(boolean promised) {
        double[] worst = IntStream.rangeClosed(1, 100)
                .mapToObj(seed -> new RandomCase(seed, 1, promised).lanes())
                .mapToDouble(lanes -> {
                    double[] off = lanes.stream()
                            .mapToDouble(lane -> Math.log(lane.nanosPerUnit().get(0) * lane.promise()))
                            .toArray();
                    return Arrays.stream(off).max().orElseThrow()
                            - Arrays.stream(off).min().orElseThrow();
                })
                .filter(spread -> spread > 0)
                .sorted()
                .toArray();
        return Math.exp(worst[worst.length / 2]);
    }

    /** As computed: nothing simpler is better. */
    @Test
    void theOracleIsNoWorseThanEqualSharesAndSingleLanes() {
        for (int seed = 1; seed <= 40; seed++) {
            RandomCase drawn = new RandomCase(seed, 12, seed % 2 == 0);
            int lanes = drawn.lanes().size();
            for (int job = 0; job < 12; job++) {
                double best = drawn.split(job)[lanes];
                double units = Arrays.stream(drawn.split(job)).limit(lanes).sum();
                BestSplit costs = drawn.costs(job);
                assertEquals((double) costs.units(), units, 1e-6 * units, drawn.text());
                for (int lane = 0; lane < lanes; lane++) {
                    assertTrue(best <= costs.together(new int[] {lane})[lanes] * 1.000001, drawn.text());
                }
                int[] all = IntStream.range(0, lanes).toArray();
                assertTrue(best <= costs.together(all)[lanes] * 1.000001, drawn.text());
            }
        }
    }

    /** As run: on average over jobs, which scatter. */
    @ParameterizedTest
    @ValueSource(longs = {1, 3, 5, 6})
    void itBeatsEqualSharesAndSingleLanesInTheSimulation(long seed) {
        RandomCase drawn = new RandomCase(seed, 40, true);
        double equal = mean(drawn.over(Policies.fixed()));
        assertTrue(equal > 0.97, drawn.text() + ": equal shares take " + equal + " of the oracle's time");
        for (int lane = 0; lane < drawn.lanes().size(); lane++) {
            double single = mean(drawn.over(Policies.single(lane)));
            assertTrue(single > 0.97, drawn.text() + ": lane " + lane + " takes " + single + " of the oracle's time");
        }
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }

    @Test
    void eachMachineHasARowInTheOrderOfSeeds() {
        ConcurrentLinkedQueue<Row> told = new ConcurrentLinkedQueue<>();
        List<Row> rows = RandomCases.run(null, 3, 5, 110, true, told::add);
        assertEquals(3, told.size());
        assertEquals(List.of(5L, 6L, 7L), rows.stream().map(Row::seed).toList());
        assertThrows(IllegalArgumentException.class, () -> RandomCases.run(null, 1, 1, 100, true, row -> {}));
        assertThrows(IllegalArgumentException.class, () -> RandomCases.run(null, 0, 1, 101, true, row -> {}));
    }

    @Test
    void quantilesAreValuesOfMachines() {
        List<Row> rows = IntStream.rangeClosed(1, 20)
                .mapToObj(i -> new Row(i, "", i, 21 - i, 1))
                .toList();
        assertEquals(10, RandomCases.Phase.FIRST.quantile(rows, 0.5));
        assertEquals(19, RandomCases.Phase.LEARNING.quantile(rows, 0.95));
        assertEquals(20, RandomCases.Phase.LEARNING.quantile(rows, 1));
        assertEquals(1, RandomCases.Phase.SETTLED.quantile(rows, 0.5));
        assertEquals(
                List.of(1L, 2L, 3L, 4L, 5L),
                RandomCases.Phase.LEARNING.worst(rows).stream().map(Row::seed).toList());
    }

    @Test
    void eachJobSaysWhatWasDecided() {
        RandomCase drawn = new RandomCase(6, 30, true);
        List<Step> steps = RandomCases.explain(drawn, Policies.adaptive());
        double[] over = drawn.over(Policies.adaptive());
        List<String> devices =
                drawn.lanes().stream().map(RandomCase.Lane::device).toList();
        for (int job = 0; job < over.length; job++) {
            Step step = steps.get(job);
            assertEquals(job + 1, step.number());
            assertEquals(over[job], step.over());
            assertEquals(drawn.oracle()[job], step.oracleNanos());
            assertEquals(job % 2 == 0 ? "a" : "b", step.kernel(), "two kernels in turn");
            assertTrue(!step.chosen().isEmpty() && devices.containsAll(step.chosen()), step::toString);
            assertTrue(devices.containsAll(step.helped()), step::toString);
            assertTrue(step.helped().stream().noneMatch(step.chosen()::contains), step::toString);
            assertTrue(!step.reason().isEmpty(), step::toString);
        }
    }
}
