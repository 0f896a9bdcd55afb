package dev.evener.workloads.bench;

import dev.evener.workloads.bench.Case.Timing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * Contenders measured together: in each round every one takes its turn, in an order drawn anew, so that what changes
 * on the machine meets all of them alike, and none always follows the same other. One thread.
 */
final class Rounds {
    private final Track track;
    private final List<Contender> active;
    private final Map<Contender, List<Sample>> samples = new LinkedHashMap<>();
    private final long started;
    private int done;

    /**
     * What rounds have in common.
     *
     * @param order draws the order of turns
     * @param timing the time that counts
     * @param clock in nanoseconds
     */
    record Track(Random order, Timing timing, LongSupplier clock) {}

    Rounds(Track track, Collection<Contender> contenders) {
        this.track = track;
        this.active = new ArrayList<>(contenders);
        contenders.forEach(c -> samples.put(c, new ArrayList<>()));
        started = track.clock().getAsLong();
    }

    /** One more round. */
    void run() {
        Collections.shuffle(active, track.order());
        for (Contender contender : active) {
            samples(contender).add(contender.turn().get());
        }
        done++;
    }

    /** So many more. */
    Rounds run(int rounds) {
        for (int i = 0; i < rounds; i++) {
            run();
        }
        return this;
    }

    /** From now on without these. */
    void drop(Collection<Contender> contenders) {
        active.removeAll(contenders);
    }

    /** Who is still in. */
    List<Contender> active() {
        return active;
    }

    /** Rounds there were. */
    int done() {
        return done;
    }

    /** Time since the beginning. */
    long nanos() {
        return track.clock().getAsLong() - started;
    }

    /** One for each round that the contender was in. */
    List<Sample> samples(Contender contender) {
        List<Sample> own = samples.get(contender);
        if (own == null) {
            throw new IllegalArgumentException(contender.name() + " takes no part");
        }
        return own;
    }

    /** The times that count of each round that the contender was in. */
    double[] nanos(Contender contender) {
        return samples(contender).stream()
                .mapToDouble(s -> s.nanos(track.timing()))
                .toArray();
    }

    /** Median of the times that count. */
    double median(Contender contender) {
        return Statistics.median(nanos(contender));
    }

    /** Turns taken, over all contenders. */
    long turns() {
        return samples.values().stream().mapToLong(List::size).sum();
    }
}
