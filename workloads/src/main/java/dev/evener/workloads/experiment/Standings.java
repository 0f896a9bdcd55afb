package dev.evener.workloads.experiment;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns what was measured into each contender's outcome, relative to the others. */
final class Standings {
    private final Rounds rounds;
    private final Contender bestSingle;
    private final @Nullable Contender bestStatic;
    private final Map<Contender, Double> firstNanos;
    private final @Nullable Double idealNanos; // null where no device had anything to do

    /**
     * @param singles every device alone
     * @param bestStatic the yardstick, if there is one
     * @param firstNanos mean time of the first jobs of those that learnt
     */
    Standings(
            Rounds rounds, List<Contender> singles, @Nullable Contender bestStatic, Map<Contender, Double> firstNanos) {
        this.rounds = rounds;
        this.firstNanos = firstNanos;
        this.bestStatic = bestStatic;
        this.bestSingle =
                singles.stream().min(Comparator.comparingDouble(rounds::median)).orElseThrow();
        boolean worked = rounds.reports(bestSingle).stream()
                .flatMap(r -> r.devices().stream())
                .anyMatch(d -> d.chunks() > 0);
        // What the host alone computes has no speed of a device, and devices that finish together would not end it
        // sooner.
        this.idealNanos = worked
                ? 1 / singles.stream().mapToDouble(s -> 1 / rounds.median(s)).sum()
                : null;
    }

    /** The fastest single device. */
    Contender bestSingle() {
        return bestSingle;
    }

    Outcome outcome(Contender contender, @Nullable Boolean verified) {
        return Outcome.of(
                contender,
                firstNanos.getOrDefault(contender, 0.0),
                rounds.reports(contender),
                ratio(bestSingle, contender),
                bestStatic == null ? null : ratio(bestStatic, contender),
                idealNanos == null ? null : idealNanos / rounds.median(contender),
                verified);
    }

    private Estimate ratio(Contender yardstick, Contender own) {
        return Statistics.medianRatio(Outcome.nanos(rounds.reports(yardstick)), Outcome.nanos(rounds.reports(own)));
    }
}
