package dev.evener.workloads.bench;

import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Entry.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

    /**
     * One way to do what a case asks for, ready to take its turn in each round.
     *
     * @param name unique within a case
     * @param role what it is there for
     * @param turn does the work once
     * @param tried whether its result was compared with a reference before, and was right
     * @param check does it once more and makes that comparison: one sentence on what is wrong, or null; null where there is nothing
     *     to compare
     */
    record Contender(
            String name,
            Role role,
            Supplier<Sample> turn,
            boolean tried,
            @Nullable Supplier<@Nullable String> check) {}

    /**
     * What one turn of a contender took.
     *
     * @param wallNanos from the devices being free to the complete result
     * @param kernelNanos in kernels, of the device that was longest in them
     * @param bytes read and written; 0 if that is not known
     * @param report of the job; null where the work is none
     * @param latencyNanos mean time of a frame in a stream of them; else 0
     * @param note in place of the report's explanation; may be empty
     */
    record Sample(
            double wallNanos,
            double kernelNanos,
            double bytes,
            @Nullable Report report,
            double latencyNanos,
            String note) {

        /** Of a job that read and wrote so much. */
        static Sample of(Report report, double bytes) {
            double kernels = report.devices().stream()
                    .mapToLong(DeviceUse::kernelNanos)
                    .max()
                    .orElse(0);
            return new Sample(report.wallNanos(), kernels, bytes, report, 0, "");
        }

        /** Of work that is no job. */
        static Sample of(double nanos, double bytes) {
            return new Sample(nanos, nanos, bytes, null, 0, "");
        }

        /** The time that counts. */
        double nanos(Timing timing) {
            return timing == Timing.KERNELS ? kernelNanos : wallNanos;
        }
    }
}
