package dev.evener.workloads.experiment;

import dev.evener.workloads.experiment.Rounds.Bench;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Measures static splits in rounds; what is far behind after a few of them is left there. One thread. */
final class SplitRace implements StaticSweep.Race {
    private static final int HEATS = 3;
    private static final double FAR_BEHIND = 1.25;
    private static final long ENOUGH_NANOS = Duration.ofMillis(700).toNanos();
    private static final int LEAST_ROUNDS = 5;
    private static final int MOST_ROUNDS = 101;

    private final Bench bench;
    private final int most;

    /** @param rounds the most rounds to run; 0 for no limit but its own */
    SplitRace(Bench bench, int rounds) {
        this.bench = bench;
        this.most = rounds == 0 ? MOST_ROUNDS : Math.min(rounds, MOST_ROUNDS);
    }

    @Override
    public List<Timed> run(List<List<Double>> splits) {
        List<Contender> entrants = splits.stream().map(Contender::split).toList();
        Rounds rounds = new Rounds(bench, entrants);
        rounds.run();
        List<Contender> distinct = distinct(rounds, entrants);
        while (more(rounds)) {
            rounds.run();
            if (rounds.done() == HEATS) {
                dropFarBehind(rounds);
            }
        }
        List<Timed> result = new ArrayList<>();
        for (int i = 0; i < entrants.size(); i++) {
            Contender entrant = entrants.get(i);
            if (distinct.contains(entrant)) {
                result.add(new Timed(
                        splits.get(i),
                        Outcome.shares(rounds.reports(entrant)),
                        rounds.median(entrant),
                        rounds.reports(entrant).size()));
            }
        }
        return result;
    }

    private boolean more(Rounds rounds) {
        int least = Math.min(LEAST_ROUNDS, most);
        return rounds.done() < least || (rounds.done() < most && rounds.nanos() < ENOUGH_NANOS);
    }

    /** Of splits that come to the same whole granules the first; the others rest from now on. */
    private static List<Contender> distinct(Rounds rounds, List<Contender> entrants) {
        Set<List<Double>> seen = new HashSet<>();
        List<Contender> first = new ArrayList<>();
        List<Contender> others = new ArrayList<>();
        for (Contender entrant : entrants) {
            (seen.add(Outcome.shares(rounds.reports(entrant))) ? first : others).add(entrant);
        }
        rounds.drop(others);
        return first;
    }

    private static void dropFarBehind(Rounds rounds) {
        double best = rounds.active().stream().mapToDouble(rounds::median).min().orElseThrow();
        rounds.drop(rounds.active().stream()
                .filter(c -> rounds.median(c) > FAR_BEHIND * best)
                .toList());
    }
}
