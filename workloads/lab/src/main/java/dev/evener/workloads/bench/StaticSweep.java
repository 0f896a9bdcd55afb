package dev.evener.workloads.bench;

import dev.evener.workloads.bench.Result.Timed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The search for the best static split: coarse, then finer about the best so far, so that only its neighbourhood is measured
 * often. Two devices are searched on an even grid from one end to the other, and at the split in proportion to their
 * solo speeds. More are too many for that: the search starts
 * from splits in proportion to the solo speeds of the fastest one, two, three, ... devices, and then moves work from one
 * device to another for as long as that helps (coordinate descent). Pure: what a split costs comes from outside.
 */
final class StaticSweep {
    /** How much finer each stage is than the one before. */
    private static final int FINER = 4;

    /** Stages after the coarse one; with 17 coarse splits the last moves 1/256 of the job. */
    private static final int STAGES = 2;

    /** Moves in one stage of the descent, so that noise cannot keep it going. */
    private static final int MOST_MOVES = 8;

    private static final int HEATS = 3;
    private static final double FAR_BEHIND = 1.25;
    private static final long ENOUGH_NANOS = Duration.ofMillis(700).toNanos();
    private static final int LEAST_ROUNDS = 5;
    private static final int MOST_ROUNDS = 101;

    private final int lanes;
    private final int steps;
    private final Function<List<List<Double>>, List<Timed>> race;
    private final List<Timed> tried = new ArrayList<>();

    /**
     * @param lanes number of devices
     * @param steps splits of the coarse grid, at least 2
     * @param race what splits took; of those that come to the same cut, one; in any order, at least one
     */
    StaticSweep(int lanes, int steps, Function<List<List<Double>>, List<Timed>> race) {
        this.lanes = lanes;
        this.steps = steps;
        this.race = race;
    }

    /** The best split found. */
    List<Double> search() {
        return switch (lanes) {
            case 1 -> List.of(1.0);
            case 2 -> onGrid();
            default -> byDescent();
        };
    }

    /** Every split that was measured. */
    List<Timed> tried() {
        return tried;
    }

    private List<Double> onGrid() {
        double spacing = 1.0 / (steps - 1);
        List<Timed> coarse = measure(
                IntStream.range(0, steps).mapToObj(i -> pair(i / (steps - 1.0))).toList());
        List<Double> best = fastest(coarse);
        for (int stage = 0; stage < STAGES; stage++) {
            spacing /= FINER;
            List<List<Double>> finer = new ArrayList<>(about(best.get(0), spacing));
            if (stage == 0) { // noise may have led the coarse stage astray, and this is where theory expects the best
                finer.add(proportional(coarse).get(1));
            }
            best = fastest(measure(finer));
        }
        return best;
    }

    /** A split, and those on both sides of it as far as the next of the coarser stage. */
    private static List<List<Double>> about(double centre, double spacing) {
        return IntStream.range(1 - FINER, FINER)
                .mapToDouble(i -> centre + i * spacing)
                .filter(first -> first >= 0 && first <= 1)
                .mapToObj(StaticSweep::pair)
                .toList();
    }

    private List<Double> byDescent() {
        List<Timed> alone =
                measure(IntStream.range(0, lanes).mapToObj(this::only).toList());
        List<Double> best = fastest(measure(proportional(alone)));
        double move = 1.0 / (steps - 1);
        for (int stage = 0; stage <= STAGES; stage++, move /= FINER) {
            for (int moves = 0; moves < MOST_MOVES; moves++) {
                List<Double> next = fastest(measure(neighbours(best, move)));
                if (next.equals(best)) {
                    break;
                }
                best = next;
            }
        }
        return best;
    }

    /** By what each device took alone: the fastest alone, the fastest two in proportion to their speeds, and so on. */
    private List<List<Double>> proportional(List<Timed> measured) {
        double[] speed = new double[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            int own = lane;
            measured.stream().filter(t -> t.split().get(own) == 1).forEach(t -> speed[own] = 1 / t.medianNanos());
        }
        List<Integer> order = IntStream.range(0, lanes)
                .boxed()
                .sorted(Comparator.comparingDouble(lane -> -speed[lane]))
                .toList();
        List<List<Double>> splits = new ArrayList<>();
        double[] weights = new double[lanes];
        for (int lane : order) {
            weights[lane] = speed[lane];
            double all = Arrays.stream(weights).sum();
            splits.add(Arrays.stream(weights).mapToObj(w -> w / all).toList());
        }
        return splits;
    }

    /** The split itself, and all that differ by some work moved from one device to another. */
    private List<List<Double>> neighbours(List<Double> split, double move) {
        List<List<Double>> all = new ArrayList<>();
        all.add(split);
        for (int from = 0; from < lanes; from++) {
            double moved = Math.min(move, split.get(from));
            for (int to = 0; to < lanes; to++) {
                if (to != from && moved > 0) {
                    List<Double> other = new ArrayList<>(split);
                    other.set(from, split.get(from) - moved);
                    other.set(to, split.get(to) + moved);
                    all.add(other);
                }
            }
        }
        return all;
    }

    private static List<Double> fastest(List<Timed> measured) {
        return Collections.min(measured, Comparator.comparingDouble(Timed::medianNanos))
                .split();
    }

    private List<Timed> measure(List<List<Double>> splits) {
        List<Timed> result = race.apply(splits);
        tried.addAll(result);
        return result;
    }

    private List<Double> only(int lane) {
        return IntStream.range(0, lanes).mapToObj(i -> i == lane ? 1.0 : 0.0).toList();
    }

    private static List<Double> pair(double first) {
        return List.of(first, 1 - first);
    }

    /** What a split says of a job that cannot be cut, which goes to the one of its devices that is free first. */
    private static List<Double> allowed(List<Double> split) {
        return split.stream().map(Math::signum).toList();
    }

    /**
     * Measures static splits in rounds; what is far behind after a few of them is left there, and of splits that come to the same
     * whole granules all but the first rest after one.
     *
     * @param entrants one for each split
     * @param asked the most rounds to run; 0 for no limit but its own
     */
    static List<Timed> race(List<List<Double>> splits, List<Contender> entrants, Rounds rounds, int asked) {
        rounds.run();
        Set<List<Double>> seen = new HashSet<>();
        List<Contender> distinct = entrants.stream()
                .filter(c -> seen.add(c.isWhole() ? allowed(splits.get(entrants.indexOf(c))) : c.shares()))
                .toList();
        rounds.drop(c -> !distinct.contains(c));
        int most = asked == 0 ? MOST_ROUNDS : Math.min(asked, MOST_ROUNDS);
        while (rounds.within(Math.min(LEAST_ROUNDS, most), most, ENOUGH_NANOS)) {
            if (rounds.run() == HEATS) {
                double best = rounds.active().stream()
                        .mapToDouble(Contender::median)
                        .min()
                        .orElseThrow();
                rounds.drop(c -> c.median() > FAR_BEHIND * best);
            }
        }
        return distinct.stream()
                .map(c -> new Timed(splits.get(entrants.indexOf(c)), c.shares(), Math.rint(c.median()), c.turns()))
                .toList();
    }
}
