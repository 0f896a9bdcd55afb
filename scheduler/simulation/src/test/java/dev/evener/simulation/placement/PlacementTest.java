package dev.evener.simulation.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.placement.Fleet.Task;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that cannot be cut, under every policy, held against list scheduling and HEFT with the true times. */
@InTurn(2)
class PlacementTest {
    private static final long SECOND = 1_000_000_000;

    static List<String> policies() {
        return Policies.names();
    }

    private static double[] equal(int lanes) {
        double[] speeds = new double[lanes];
        Arrays.fill(speeds, 1);
        return speeds;
    }

    /** Nothing is known of the first sixteen. */
    @ParameterizedTest
    @MethodSource("policies")
    void sixteenJobsTakeFourLanesTheTimeOfFour(String name) {
        Fleet fleet = Fleet.of(equal(4), 10 * SECOND);
        List<Task> jobs = Collections.nCopies(16, Task.of(0));
        History history = History.inMemory();
        for (String known : List.of("nothing", "sixteen jobs")) {
            double makespan = fleet.makespan(Policies.named(name), history, jobs);
            assertEquals(40.0, makespan / SECOND, 0.1, () -> "where " + known + " was seen before");
        }
    }

    @Test
    void aPolicyThatMeansOneLaneGetsIt() {
        Fleet fleet = Fleet.of(equal(4), SECOND);
        List<Task> jobs = Collections.nCopies(16, Task.of(0));
        for (String text : List.of("single:1", "static:0,1,0,0")) {
            assertEquals(16.0, fleet.makespan(Policies.named(text), History.inMemory(), jobs) / SECOND, 0.1, text);
        }
    }

    /** What a machine and its jobs may be. */
    private record Bed(Fleet fleet, List<Task> jobs) {
        static Bed random(Random random, int mostLanes, int mostJobs) {
            int lanes = 2 + random.nextInt(mostLanes - 1);
            double[] speeds = equal(lanes);
            if (random.nextBoolean()) {
                Arrays.setAll(speeds, i -> i == 0 ? 1 : Math.pow(10, -random.nextDouble()));
            }
            long[] lengths = new long[1 + random.nextInt(4)];
            Arrays.setAll(lengths, kind -> Math.round(Fleet.MILLI * Math.pow(100, random.nextDouble())));
            List<Task> jobs = new ArrayList<>();
            for (int left = 16 + random.nextInt(mostJobs - 15); left > 0; left--) {
                jobs.add(Task.of(random.nextInt(lengths.length)));
            }
            return new Bed(Fleet.of(speeds, lengths), jobs);
        }

        Bed largestFirst() {
            List<Task> sorted = new ArrayList<>(jobs);
            sorted.sort(Comparator.comparingLong((Task job) -> -fleet.nanos()[0][job.kind()]));
            return new Bed(fleet, sorted);
        }
    }

    /** @param largestFirst whether the jobs come in the order of their lengths, else in any */
    private static void listScheduling(int beds, int mostLanes, int mostJobs, boolean largestFirst) {
        List<String> names = policies();
        Random random = new Random(58);
        for (int number = 0; number < beds; number++) {
            Bed drawn = Bed.random(random, mostLanes, mostJobs);
            Bed bed = largestFirst ? drawn.largestFirst() : drawn;
            Policy policy = Policies.named(names.get(number % names.size()));
            String which = "bed " + number + ", " + policy.name() + ": "
                    + bed.fleet().nanos().length + " lanes, " + bed.jobs().size() + " jobs, ";
            double list = Lists.makespan(bed.fleet(), bed.jobs());
            History history = History.inMemory();
            double cold = bed.fleet().makespan(policy, history, bed.jobs()) / list;
            double warm = bed.fleet().makespan(policy, history, bed.jobs()) / list;
            assertTrue(warm <= 1.1, which + warm + " x list scheduling, once their times are known");
            // Without knowing them, a long job may come last, or to a slow lane.
            double last = (double) Arrays.stream(bed.fleet().nanos())
                    .flatMapToLong(Arrays::stream)
                    .max()
                    .orElseThrow();
            assertTrue(cold <= 1.1 + last / list, which + cold + " x list scheduling, of the first ones");
            if (bed.jobs().size() >= 8 * bed.fleet().nanos().length) {
                double bound = warm * list / Lists.lowerBound(bed.fleet(), bed.jobs());
                assertTrue(bound <= 4.0 / 3, which + bound + " x the least that there could be");
            }
        }
    }

    @Test
    void theyTakeWhatListSchedulingTakes() {
        listScheduling(LongTests.orAll(33, 330), 8, 200, false);
    }

    @Test
    void onManyLanesToo() {
        listScheduling(LongTests.orAll(5, 200), 64, LongTests.orAll(200, 1000), false);
    }

    /** Jobs that nobody waits for are served in the order in which they come: who wants the least makespan submits the largest first. */
    @Test
    void largestFirstTheyTakeWhatThatTakes() {
        listScheduling(LongTests.orAll(11, 330), 16, LongTests.orAll(100, 1000), true);
    }

    /** Times are not what they were: what waits for the faster lane must not do so for ever. */
    @Test
    void oneThatStandsStillIsNotWaitedFor() {
        Fleet fleet = Fleet.of(new double[] {1, 0.25}, 100 * Fleet.MILLI);
        History history = History.inMemory();
        List<Task> jobs = Collections.nCopies(10, Task.of(0));
        fleet.makespan(Policies.adaptive(), history, jobs);
        MachineEvent stands = new MachineEvent("0.0", MachineEvent.Kind.SLOWED, 10, 60 * SECOND, 1e6);
        long[] ends = fleet.ends(Policies.adaptive(), history, jobs, stands);
        assertTrue(ends[7] < 4 * SECOND, "eight are left to the other lane, at 400 ms each: " + ends[7]);
    }

    /**
     * Lanes of any speed at each kind of task, and a graph of tasks: what it takes over HEFT's makespan when nothing is known, when it ran once,
     * and what its longest task takes over that on the slowest lane, which one may find out no other way.
     */
    private static double[] ofHeft(int seed, Policy policy) {
        Random random = new Random(seed);
        int lanes = 2 + random.nextInt(7);
        boolean alike = random.nextBoolean();
        long[][] nanos = new long[lanes][4];
        double[] lengths =
                random.doubles(4).map(x -> Fleet.MILLI * Math.pow(10, x)).toArray();
        for (long[] lane : nanos) {
            double speed = Math.pow(10, random.nextDouble());
            Arrays.setAll(
                    lane, kind -> Math.round(lengths[kind] / speed * (alike ? 1 : Math.pow(4, random.nextDouble()))));
        }
        List<Task> tasks = switch (seed % 4) {
            case 0 -> Graphs.cholesky(8 + random.nextInt(LongTests.orAll(8, 14)));
            case 1 -> Graphs.lu(6 + random.nextInt(LongTests.orAll(6, 11)));
            case 2 -> Graphs.forkJoin(10, 10 + random.nextInt(LongTests.orAll(50, 190)), nanos[0].length, random);
            default -> Graphs.random(100 + random.nextInt(LongTests.orAll(900, 1900)), nanos[0].length, random);
        };
        Fleet fleet = new Fleet(nanos);
        History history = History.inMemory();
        double heft = Lists.heft(fleet, tasks);
        double cold = fleet.makespan(policy, history, tasks) / heft;
        double warm = fleet.makespan(policy, history, tasks) / heft;
        double longest = (double)
                Arrays.stream(nanos).flatMapToLong(Arrays::stream).max().orElseThrow();
        return new double[] {cold, warm, longest / heft};
    }

    /** The tasks come when those have ended that they need, and nobody knows what comes after them. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "stealing", "gss"})
    void graphsOfTasksTakeLittleLongerThanBySchedulesMadeBefore(String name) {
        int graphs = LongTests.orAll(12, 260);
        double[] cold = new double[graphs];
        double[] warm = new double[graphs];
        for (int seed = 0; seed < graphs; seed++) {
            double[] found = ofHeft(seed, Policies.named(name));
            cold[seed] = found[0];
            warm[seed] = found[1];
            assertTrue(cold[seed] <= 1.25 + found[2], "graph " + seed + ", when nothing is known: " + cold[seed]);
        }
        for (double[] found : List.of(cold, warm)) {
            Arrays.sort(found);
            assertTrue(found[graphs - 1 - graphs / 50] <= 1.25, "98 of a hundred: " + Arrays.toString(found));
            assertTrue(found[graphs / 2] <= 1.1, "the median: " + Arrays.toString(found));
        }
        assertTrue(warm[graphs - 1] <= 1.35, "the worst: " + warm[graphs - 1]);
    }

    /**
     * Simulated by a schedule made before, which knows the machine's times, graphs take what it says, and launches: 16
     * us a task.
     */
    @Test
    void schedulesMadeBeforeAreKept() {
        for (int seed : new int[] {0, 3}) {
            double cold = ofHeft(seed, Policies.named("heft"))[0];
            assertTrue(cold > 0.999 && cold < 1.05, "graph " + seed + ": " + cold);
        }
    }
}
