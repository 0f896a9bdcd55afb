package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.InTurn;
import dev.evener.policy.Objective;
import dev.evener.policy.Policies;
import dev.evener.policy.Power;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the default policy keeps least, beside the best of all sets of lanes. */
@InTurn(2)
class ObjectiveTest {
    private static final long UNITS = 1 << 20;
    private static final int JOBS = 80;
    private static final int LATE = 30; // jobs at the end, of which few are looks

    /** A lane: a fixed time and one for each unit, in nanoseconds, and what it draws. */
    private record Lane(double fixed, double perUnit, Power power) {
        DeviceModel device(int number) {
            String id = "0." + number;
            DeviceInfo info =
                    new DeviceInfo(id, "simulated", "d" + number, DeviceKind.CPU, "", 1, 0, 0, 1, 0, 1, 1000, true, id);
            return DeviceModel.of(info, Map.of("k", KernelModel.of(fixed, perUnit)))
                    .withMemory("m" + number)
                    .withPower(power);
        }
    }

    private static Lane lane(double perUnit, double idle, double busy) {
        return new Lane(2000, perUnit, new Power(idle, busy));
    }

    /** What a job costs on some lanes of all, with shares with which they end at once. */
    private static double cost(Objective objective, List<Lane> all, Set<Integer> set) {
        double rates = 0;
        double before = 0;
        double watts =
                all.stream().mapToDouble(each -> each.power().idleWatts()).sum();
        for (int i : set) {
            Lane each = all.get(i);
            rates += 1 / each.perUnit();
            before += each.fixed() / each.perUnit();
            watts += each.power().busyWatts() - each.power().idleWatts();
        }
        double seconds = (UNITS + before) / rates / 1e9;
        return switch (objective) {
            case TIME -> seconds;
            case ENERGY -> seconds * watts;
            case EDP -> seconds * seconds * watts;
        };
    }

    private static Set<Integer> best(Objective objective, List<Lane> all) {
        Set<Integer> best = Set.of();
        double least = Double.MAX_VALUE;
        for (int bits = 1; bits < 1 << all.size(); bits++) {
            int chosen = bits;
            Set<Integer> set = IntStream.range(0, all.size())
                    .filter(i -> (chosen >> i & 1) == 1)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
            double cost = cost(objective, all, set);
            best = cost < least ? set : best;
            least = Math.min(least, cost);
        }
        return best;
    }

    private static List<Simulator.Outcome> run(Objective objective, List<Lane> all) {
        DeviceModel[] devices = new DeviceModel[all.size()];
        Arrays.setAll(devices, i -> all.get(i).device(i));
        Simulator simulator = new Simulator(Machine.of(devices)).seed(1);
        for (int i = 0; i < JOBS; i++) {
            simulator.submit(SimulatedJob.of("k", UNITS, 1, Policies.named("adaptive:" + objective.text()))
                    .after(0));
        }
        return simulator.run();
    }

    /** What each of the late jobs cost, the middle one of all. */
    private static double settled(Objective objective, List<Lane> all, List<Simulator.Outcome> outcomes) {
        double[] costs = outcomes.subList(JOBS - LATE, JOBS).stream()
                .mapToDouble(outcome -> {
                    double seconds = outcome.report().wallNanos() / 1e9;
                    double joules = 0;
                    for (int i = 0; i < all.size(); i++) {
                        String id = "0." + i;
                        double busy = outcome.report().devices().stream()
                                .filter(use -> use.id().equals(id))
                                .mapToDouble(use -> use.busyNanos() / 1e9)
                                .sum();
                        joules += all.get(i).power().joules(seconds, busy);
                    }
                    return switch (objective) {
                        case TIME -> seconds;
                        case ENERGY -> joules;
                        case EDP -> joules * seconds;
                    };
                })
                .sorted()
                .toArray();
        return costs[costs.length / 2];
    }

    /** A fast one that draws much, one half as fast that draws little, and one that is only in the way. */
    private static final List<Lane> DIFFERENT = List.of(lane(1, 10, 400), lane(2, 5, 60), lane(2.5, 5, 330));

    @ParameterizedTest
    @EnumSource(Objective.class)
    void eachObjectiveHasASetOfItsOwn(Objective objective) {
        Function<Objective, Set<Integer>> known =
                Map.of(Objective.TIME, Set.of(0, 1, 2), Objective.ENERGY, Set.of(1), Objective.EDP, Set.of(0, 1))::get;
        assertEquals(known.apply(objective), best(objective, DIFFERENT), "by trying all");
        List<Simulator.Outcome> outcomes = run(objective, DIFFERENT);
        Map<Set<Integer>, Long> used = outcomes.subList(JOBS - LATE, JOBS).stream()
                .map(outcome -> outcome.report().devices().stream()
                        .filter(use -> use.chunks() > 0)
                        .map(use -> Integer.valueOf(use.id().substring(2)))
                        .collect(Collectors.toSet()))
                .collect(Collectors.groupingBy(set -> set, Collectors.counting()));
        assertTrue(used.getOrDefault(known.apply(objective), 0L) >= LATE - 3, used::toString);
    }

    /** Random machines: what settles is within a twentieth of the best of all sets, whichever that is; the product of two within two. */
    @ParameterizedTest
    @EnumSource(Objective.class)
    void itComesToTheBestOfAllSets(Objective objective) {
        SplittableRandom random = new SplittableRandom(5);
        List<Double> over = new ArrayList<>();
        int others = 0;
        for (int round = 0; round < 20; round++) {
            List<Lane> all = new ArrayList<>();
            for (int i = 0, lanes = 2 + random.nextInt(4); i < lanes; i++) {
                double idle = random.nextDouble(40);
                all.add(new Lane(
                        1000 + random.nextDouble(20_000),
                        Math.exp(random.nextDouble(2.5)),
                        new Power(idle, idle + Math.exp(1 + random.nextDouble(5)))));
            }
            Set<Integer> best = best(objective, all);
            others += best.equals(best(Objective.TIME, all)) ? 0 : 1;
            over.add(settled(objective, all, run(objective, all)) / cost(objective, all, best));
        }
        assertTrue(objective == Objective.TIME || others >= 5, "the best set is another in " + others + " machines");
        double most = objective == Objective.EDP ? 1.05 * 1.05 : 1.05;
        assertTrue(over.stream().allMatch(each -> each < most), over::toString);
        assertTrue(over.stream().mapToDouble(each -> each).average().orElseThrow() < 1.02, over::toString);
    }

    /** It cannot keep least what it does not know. */
    @Test
    void withoutPowerItRefuses() {
        List<Lane> unknown = List.of(lane(1, 10, 400), lane(2, 0, 0));
        assertEquals(
                "job 'k': adaptive:energy needs to know what devices draw, and nobody has told of 0.1",
                run(Objective.ENERGY, unknown).get(0).failure());
        assertNotEquals(null, run(Objective.TIME, unknown).get(0).report());
    }
}
