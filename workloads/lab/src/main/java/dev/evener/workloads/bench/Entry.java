package dev.evener.workloads.bench;

import dev.evener.workloads.document.Statistics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one contender achieved, as it was measured; what follows from it is for {@link Result} to say.
 *
 * @param name unique within the case
 * @param role what it is there for
 * @param policy the name of the policy that shared out its jobs; null where there are none
 * @param first its first {@value Contender#FIRST} jobs, while it learnt; null where there were none, as it learns nothing
 * @param nanos the time that counts of each round, in order; the n-th of all contenders were measured close together; none if
 *     it was not measured
 * @param wallNanos median wall time
 * @param bytes mean of what a round read and wrote; 0 where that is not known
 * @param latencyNanos median over the rounds of the mean time of a frame; 0 where there are no frames
 * @param shares each device's mean share of the units, 0 to 1
 * @param chunks median number of chunks of a job, over all devices and phases
 * @param steals median number of chunks that a device took from another
 * @param recovered what went wrong on a device in some round and was made good by others, each once
 * @param explanation why the work was shared out as it was in the last round; empty if there was nothing to decide
 * @param verified whether its results were right; null where nobody asked
 * @param problem what was wrong about the result, or why it was not measured; null if all is well
 */
public record Entry(
        String name,
        Role role,
        @Nullable String policy,
        @Nullable FirstJobs first,
        List<Double> nanos,
        double wallNanos,
        double bytes,
        double latencyNanos,
        List<Double> shares,
        double chunks,
        double steals,
        List<String> recovered,
        String explanation,
        @Nullable Boolean verified,
        @Nullable String problem) {
    /** What a contender is there for. */
    public enum Role {
        /** One device alone: the best of them is what a policy must not fall behind. */
        SINGLE,
        /** The best static split that a sweep found: the yardstick. */
        BEST_STATIC,
        /** A policy under test, fixed splits included. */
        POLICY,
        /** Other parameters of the workload, or another workload that comes to the same. */
        STYLE,
        /** Other values of what primitives are tuned by. */
        TUNING,
        /** What memory, the JDK or another library reaches. */
        BASELINE,
        /** Where the stages of a stream of frames run. */
        PLACEMENT
    }

    /** Times are whole nanoseconds, so that seconds in a file say exactly the same. */
    public Entry {
        nanos = nanos.stream().map(Math::rint).toList();
        wallNanos = Math.rint(wallNanos);
        latencyNanos = Math.rint(latencyNanos);
    }

    /** One contender in several processes. */
    static Entry together(List<Entry> all) {
        List<Entry> fit = all.stream().filter(Entry::measured).toList();
        Entry one = fit.isEmpty() ? all.get(0) : fit.get(0);
        List<FirstJobs> first =
                fit.stream().map(Entry::first).filter(Objects::nonNull).toList();
        List<Double> shares = new ArrayList<>();
        for (int i = 0; i < one.shares.size(); i++) {
            int device = i;
            shares.add(mean(fit, e -> e.shares.get(device)));
        }
        return new Entry(
                one.name,
                one.role,
                one.policy,
                first.isEmpty() ? null : FirstJobs.mean(first),
                fit.stream().flatMap(e -> e.nanos.stream()).toList(),
                Statistics.median(fit, Entry::wallNanos),
                mean(fit, Entry::bytes),
                Statistics.median(fit, Entry::latencyNanos),
                shares,
                Statistics.median(fit, Entry::chunks),
                Statistics.median(fit, Entry::steals),
                all.stream().flatMap(e -> e.recovered.stream()).distinct().toList(),
                one.explanation,
                all.stream().allMatch(e -> e.verified == null)
                        ? null
                        : all.stream().noneMatch(e -> Boolean.FALSE.equals(e.verified)),
                all.stream()
                        .map(Entry::problem)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null));
    }

    private static double mean(List<Entry> of, ToDoubleFunction<Entry> figure) {
        return of.stream().mapToDouble(figure).average().orElse(0);
    }

    /** One that was not measured. */
    static Entry unfit(String name, Role role, String problem, @Nullable Boolean verified) {
        return new Entry(name, role, null, null, List.of(), 0, 0, 0, List.of(), 0, 0, List.of(), "", verified, problem);
    }

    /** One that always takes as long, known from elsewhere. */
    static Entry known(String name, double nanos, double bytes, int rounds) {
        List<Double> each = Collections.nCopies(rounds, nanos);
        List<Double> none = List.of();
        return new Entry(name, Role.BASELINE, null, null, each, nanos, bytes, 0, none, 0, 0, List.of(), "", null, null);
    }

    /** Whether there are times. */
    public boolean measured() {
        return !nanos.isEmpty();
    }

    /** The times that count. */
    public double[] times() {
        return nanos.stream().mapToDouble(n -> n).toArray();
    }

    /** Their median; only if it was measured. */
    public double medianNanos() {
        return Statistics.median(times());
    }
}
