package dev.evener.workloads.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.policy.WorkProfile;
import dev.evener.workloads.random.RandomCases.Row;
import dev.evener.workloads.random.RandomCases.Step;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
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

    /** What a seed draws of the usual ranges does not change when others get more features: lanes, costs, sizes and disturbances. */
    @Test
    void usualMachinesAreThoseOfPublishedFigures() {
        for (double[] each : new double[][] {
            {
                1,
                53_216.94973739487,
                6_828.048444947277,
                11.233076929376177,
                6_606_400,
                2.01956796064186,
                279_663.98661953496
            },
            {
                6,
                64_082.50825669218,
                11_204.655117059672,
                4.686458418366303,
                14_645_216,
                1.2286979501603847,
                316_977.7691863033
            },
            {17, 2_061.1361426887047, 8_072.7641022071675, 10.422780748926076, 14_755_440, 1, 119_114_844.0704744}
        }) {
            RandomCase drawn = new RandomCase((long) each[0], 300, true);
            RandomCase.Lane last = drawn.lanes().get(drawn.lanes().size() - 1);
            double[] found = {
                each[0],
                last.fixedNanos(),
                last.wakeNanos(),
                last.nanosPerUnit().get(0),
                last.promise(),
                mean(drawn.over(Policies.fixed())),
                mean(drawn.oracle())
            };
            for (int i = 0; i < each.length; i++) {
                assertEquals(each[i], found[i], 1e-6 * each[i], "figure " + i + " of seed " + each[0]);
            }
        }
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

    @Test
    void unkindMachinesHaveWhatTheUsualOnesLack() {
        Map<String, Integer> machines = new HashMap<>();
        Map<String, Integer> lanes = new HashMap<>();
        int all = 0;
        boolean unlike = false;
        boolean unfixed = false;
        for (int seed = 1; seed <= MACHINES; seed++) {
            RandomCase drawn = new RandomCase(seed, 10, true, Ranges.UNKIND);
            all += drawn.lanes().size();
            for (Map.Entry<String, Integer> each : drawn.features().entrySet()) {
                String feature = each.getKey().endsWith(" kernels") ? "several kernels" : each.getKey();
                machines.merge(feature, 1, Integer::sum);
                lanes.merge(feature, each.getValue(), Integer::sum);
            }
            Map<Double, List<RandomCase.Lane>> alike =
                    drawn.lanes().stream().collect(Collectors.groupingBy(RandomCase.Lane::fixedNanos));
            for (List<RandomCase.Lane> its : alike.values()) {
                unlike |= its.size() > 1 && apart(its) > 1.5;
                unfixed |= its.get(0).fixedNanos() < 1_000;
            }
        }
        assertTrue(unlike && unfixed, "devices of one name that differ, and chunks without fixed cost");
        for (Map.Entry<String, Double> each : Map.of(
                        "several kernels", 0.35,
                        "contention", 0.4,
                        "uneven units", 0.35,
                        "a step", 0.35 / 3,
                        "spikes", 0.35 / 3,
                        "sizes change", 0.4,
                        "a jump in size", 0.12,
                        "coarse granules", 0.25,
                        "tails everywhere", 0.1)
                .entrySet()) {
            isAbout(each.getValue(), machines.get(each.getKey()) / (double) MACHINES, MACHINES, each.getKey());
        }
        for (Map.Entry<String, Double> each : Map.of(
                        "a tail", 0.2,
                        "two speeds", 0.1,
                        "disturbed", 0.1,
                        "drift", 0.1,
                        "late at first", 0.02,
                        "slower than promised", 0.01)
                .entrySet()) {
            isAbout(each.getValue(), lanes.get(each.getKey()) / (double) all, all, each.getKey());
        }
    }

    private static double apart(List<RandomCase.Lane> lanes) {
        double[] costs = lanes.stream()
                .mapToDouble(lane -> lane.nanosPerUnit().get(0))
                .sorted()
                .toArray();
        return costs[costs.length - 1] / costs[0];
    }

    /** What is rare is drawn for all, so that a test need not look for it. */
    private static RandomCase of(Ranges.OfLane lane, Ranges.OfJobs jobs, long seed) {
        Ranges unkind = Ranges.UNKIND;
        return new RandomCase(seed, 20, true, new Ranges(unkind.machine(), unkind.device(), lane, jobs, 1));
    }

    private static Ranges.OfLane late(double part, Ranges.Span by, Ranges.Span jobs) {
        Ranges.OfLane of = Ranges.KIND.lane();
        return new Ranges.OfLane(
                of.noise(),
                of.tail(),
                of.twoSpeeds(),
                of.disturbed(),
                of.disturbedPart(),
                of.drift(),
                of.driftJobs(),
                new Ranges.Some(part, by),
                jobs,
                of.slower());
    }

    /** By as many times as was drawn, however large a job is. The yardstick is a machine on which nothing is late. */
    @Test
    void firstChunksAreLateInTheFirstJobsAlone() {
        Ranges.OfJobs of = Ranges.UNKIND.jobs();
        Ranges.OfJobs ofAllSizes = jobs(new Ranges.Some(1, of.sizes().by()), of.granules());
        Ranges.Span tenfold = new Ranges.Span(10, 10);
        for (Ranges.OfJobs jobs : List.of(Ranges.KIND.jobs(), ofAllSizes)) {
            RandomCase late = of(late(1, tenfold, new Ranges.Span(3, 3)), jobs, 5);
            RandomCase punctual = of(late(0, tenfold, new Ranges.Span(3, 3)), jobs, 5);
            assertArrayEquals(punctual.oracle(), late.oracle());
            double[] over = late.over(Policies.single(0));
            double[] without = punctual.over(Policies.single(0));
            for (int job = 0; job < 20; job++) {
                double alone =
                        punctual.costs(job).together(new int[] {0})[late.lanes().size()];
                double more = (over[job] - without[job]) * punctual.oracle()[job] / alone;
                assertTrue(job < 3 ? more > 1 && more < 15 : more == 0, "job " + job + ": " + more);
            }
        }
    }

    /** The unkind ones, but for what is rare. */
    private static Ranges.OfJobs jobs(Ranges.Some sizes, Ranges.Some granules) {
        Ranges.OfJobs of = Ranges.UNKIND.jobs();
        return new Ranges.OfJobs(
                of.nanos(),
                of.units(),
                of.kernels(),
                of.uneven(),
                of.shapes(),
                sizes,
                of.jump(),
                of.within(),
                granules);
    }

    /** All jobs are multiples of their granule, and no lane gets a part of one. */
    @Test
    void jobsThatCannotBeCutAtWillAreSplitInGranules() {
        Ranges.OfJobs of = Ranges.UNKIND.jobs();
        Ranges.OfJobs coarse = jobs(of.sizes(), new Ranges.Some(1, of.granules().by()));
        for (int seed = 1; seed <= 30; seed++) {
            RandomCase drawn = of(Ranges.UNKIND.lane(), coarse, seed);
            int lanes = drawn.lanes().size();
            for (int job = 0; job < 20; job++) {
                long granule = drawn.costs(job).granule();
                assertEquals(0, drawn.costs(job).units() % granule, drawn.text());
                for (double units : Arrays.copyOf(drawn.split(job), lanes)) {
                    assertEquals(0, units % granule, drawn.text());
                }
            }
        }
    }

    /** Tried against all ways to give three lanes twelve granules one after the other. */
    @Test
    void noSplitInGranulesIsShorterThanTheBest() {
        double[] steep = {1, 1, 7, 1, 0.1, 3};
        for (WorkProfile profile : new WorkProfile[] {null, WorkProfile.of(steep)}) {
            for (double slowdown : new double[] {1, 1.4}) {
                for (int i = 1; i < 20; i++) {
                    double[] cost = {1, 1 + i * 0.2, 3.0 / i};
                    double[] late = {0, 10 * i, 40};
                    BestSplit best = new BestSplit(cost, late, 1200, 100, slowdown, 5, profile);
                    double found = best.best()[3];
                    double least = Double.MAX_VALUE;
                    for (int first = 0; first <= 12; first++) {
                        for (int second = first; second <= 12; second++) {
                            least = Math.min(least, time(best, 0, 100.0 * first, 100.0 * second, 1200));
                        }
                    }
                    assertEquals(least, found, 1e-6 * least, (profile != null) + ", " + slowdown + ", " + i);
                }
            }
        }
    }

    private static double time(BestSplit of, double... ends) {
        int lanes = 0;
        for (int lane = 0; lane < 3; lane++) {
            lanes += ends[lane + 1] > ends[lane] ? 1 : 0;
        }
        double time = 0;
        for (int lane = 0; lane < 3; lane++) {
            double units = ends[lane + 1] - ends[lane];
            double work = of.profile() == null ? units : of.profile().work(ends[lane], units, 1200);
            double disturbed = 1 + (of.slowdown() - 1) * (lanes - 1);
            time = Math.max(time, units == 0 ? 0 : of.late()[lane] + work * of.cost()[lane] * disturbed);
        }
        return time + of.host();
    }

    /** In the middle of machines: what devices say of each other is right within a factor of two, or else it is anything. */
    @Test
    void devicesAreAsPromisedOrNot() {
        assertTrue(off(true) < 2 && off(false) > 4, off(true) + ", " + off(false));
    }

    /** By which factor two lanes of a machine are off from what they say of each other, at worst; in the middle of machines. */
    private static double off(boolean promised) {
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
            RandomCase drawn = new RandomCase(seed, 12, seed % 2 == 0, seed % 4 < 2 ? Ranges.KIND : Ranges.UNKIND);
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
        List<Row> rows = RandomCases.run(null, 3, 5, 110, true, Ranges.KIND, told::add);
        assertEquals(3, told.size());
        assertEquals(List.of(5L, 6L, 7L), rows.stream().map(Row::seed).toList());
        assertThrows(
                IllegalArgumentException.class, () -> RandomCases.run(null, 1, 1, 100, true, Ranges.KIND, row -> {}));
        assertThrows(
                IllegalArgumentException.class, () -> RandomCases.run(null, 0, 1, 101, true, Ranges.KIND, row -> {}));
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
