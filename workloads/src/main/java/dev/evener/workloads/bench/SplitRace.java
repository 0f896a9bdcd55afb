package dev.evener.workloads.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/** Measures static splits in rounds; what is far behind after a few of them is left there. One thread. */
final class SplitRace implements StaticSweep.Race {
    private static final int HEATS = 3;
    private static final double FAR_BEHIND = 1.25;
    private static final long ENOUGH_NANOS = Duration.ofMillis(700).toNanos();
    private static final int LEAST_ROUNDS = 5;
    private static final int MOST_ROUNDS = 101;

    private final Function<List<Contender>, Rounds> track;
    private final Function<List<Double>, Contender> contender;
    private final int most;

    /**
     * @param track where contenders race
     * @param contender makes one of a split
     * @param rounds the most rounds to run; 0 for no limit but its own
     */
    SplitRace(Function<List<Contender>, Rounds> track, Function<List<Double>, Contender> contender, int rounds) {
        this.track = track;
        this.contender = contender;
        this.most = rounds == 0 ? MOST_ROUNDS : Math.min(rounds, MOST_ROUNDS);
    }

    @Override
    public List<Timed> run(List<List<Double>> splits) {
        List<Contender> entrants = splits.stream().map(contender).toList();
        Rounds rounds = track.apply(entrants);
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
                        shares(rounds, entrant),
                        Math.rint(rounds.median(entrant)), // whole nanoseconds, as entries have them
                        rounds.samples(entrant).size()));
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
            (seen.add(shares(rounds, entrant)) ? first : others).add(entrant);
        }
        rounds.drop(others);
        return first;
    }

    private static List<Double> shares(Rounds rounds, Contender entrant) {
        return Entry.shares(rounds.samples(entrant).stream()
                .map(Sample::report)
                .filter(Objects::nonNull)
                .toList());
    }

    private static void dropFarBehind(Rounds rounds) {
        double best = rounds.active().stream().mapToDouble(rounds::median).min().orElseThrow();
        rounds.drop(rounds.active().stream()
                .filter(c -> rounds.median(c) > FAR_BEHIND * best)
                .toList());
    }
}
