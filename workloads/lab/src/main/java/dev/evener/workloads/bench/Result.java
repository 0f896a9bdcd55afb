package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Statistics.Estimate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What came out for one case. Holds what was measured; every figure that follows is computed when it is asked for.
 *
 * @param what the case
 * @param items the size it had, in whole units
 * @param flopsPerItem floating-point operations for an item; 0 where there are none or they depend on the data
 * @param devices the devices, in lane order
 * @param rounds how often each contender was measured
 * @param warmUpJobs turns before anything counted
 * @param entries one for each contender, single devices first
 * @param sweep every static split that was tried, in the order of trial; a split may be there more than once
 * @param processes what each of several processes measured, of which this is all together; none if one process measured it
 */
public record Result(
        Case what,
        long items,
        double flopsPerItem,
        List<DeviceInfo> devices,
        int rounds,
        long warmUpJobs,
        List<Entry> entries,
        List<Timed> sweep,
        List<Result> processes) {
    /** Measured by one process. */
    public Result(
            Case what,
            long items,
            double flopsPerItem,
            List<DeviceInfo> devices,
            int rounds,
            long warmUpJobs,
            List<Entry> entries,
            List<Timed> sweep) {
        this(what, items, flopsPerItem, devices, rounds, warmUpJobs, entries, sweep, List.of());
    }

    /**
     * One case measured in several processes, each of which is warmed up, learns and sweeps for itself: all times, and of what a process
     * has one figure their median or mean.
     *
     * @param processes at least one; a contender may have been unfit in some
     */
    public static Result together(List<Result> processes) {
        Result one = processes.get(0);
        if (processes.size() == 1) {
            return one;
        }
        Map<String, List<Entry>> byName = processes.stream()
                .flatMap(p -> p.entries.stream())
                .collect(Collectors.groupingBy(Entry::name, LinkedHashMap::new, Collectors.toList()));
        return new Result(
                one.what,
                one.items,
                one.flopsPerItem,
                one.devices,
                processes.stream().mapToInt(Result::rounds).sum(),
                processes.stream().mapToLong(Result::warmUpJobs).sum(),
                byName.values().stream().map(Entry::together).toList(),
                processes.stream().flatMap(p -> p.sweep.stream()).toList(),
                List.copyOf(processes));
    }

    /** What a contender measured, if it did. */
    private Stream<Entry> named(Entry own) {
        return entries.stream().filter(e -> e.name().equals(own.name()) && e.measured());
    }

    /** The 95 % interval of a contender's median, by a bootstrap over processes and their rounds; null where there was one process. */
    public @Nullable Estimate median(Entry own) {
        return processes.isEmpty() || !own.measured()
                ? null
                : Statistics.bootstrap(processes.stream()
                        .flatMap(p -> p.named(own))
                        .map(Entry::times)
                        .toList());
    }

    /**
     * A static split and how long the job took under it.
     *
     * @param split the fraction asked for, for each device
     * @param shares the fraction it came to, in whole granules
     * @param medianNanos wall time, a median over the rounds
     * @param rounds how often it was measured
     */
    public record Timed(List<Double> split, List<Double> shares, double medianNanos, int rounds) {}

    /** The same with what another library takes, beside all that was measured. */
    public Result against(String library, double nanos) {
        List<Entry> more = new ArrayList<>(entries);
        double bytes = bestSingle().map(Entry::bytes).orElse(0.0);
        more.add(Entry.known(library, nanos, bytes, rounds));
        List<Result> each =
                processes.stream().map(p -> p.against(library, nanos)).toList();
        return new Result(what, items, flopsPerItem, devices, rounds, warmUpJobs, more, sweep, each);
    }

    private Stream<Entry> measured(Role role) {
        return entries.stream().filter(e -> e.role() == role && e.measured());
    }

    /** The fastest of the devices alone. */
    public Optional<Entry> bestSingle() {
        return measured(Role.SINGLE).min(Comparator.comparingDouble(Entry::medianNanos));
    }

    /** What others are compared with, by short names: best device alone or first style, best static split, baselines. */
    public Map<String, Entry> yardsticks() {
        Map<String, Entry> all = new LinkedHashMap<>();
        bestSingle().ifPresent(e -> all.put("best single", e));
        if (all.isEmpty()) {
            measured(Role.STYLE).findFirst().ifPresent(e -> all.put("first style", e));
        }
        measured(Role.BEST_STATIC).forEach(e -> all.put("best static", e));
        measured(Role.BASELINE).forEach(e -> all.put(e.name(), e));
        return all;
    }

    /** The yardstick of the plain table: the best static split, else a baseline, else the best device alone or the first style. */
    public @Nullable String mainYardstick() {
        Map<String, Entry> all = yardsticks();
        return all.containsKey("best static")
                ? "best static"
                : all.keySet().stream().skip(all.size() > 1 ? 1 : 0).findFirst().orElse(null);
    }

    /**
     * How many times as fast as a yardstick a contender is: the median of the ratios within a round, whose turns were close together,
     * so that what slows the machine for longer than a round cancels out. Of several processes the interval is a bootstrap's over these
     * and their rounds.
     */
    public Estimate ratio(Entry yardstick, Entry own) {
        if (processes.isEmpty()) {
            return Statistics.medianRatio(yardstick.times(), own.times());
        }
        List<double[]> ratios = new ArrayList<>();
        for (Result process : processes) {
            List<Entry> pair = Stream.of(yardstick, own).flatMap(process::named).toList();
            if (pair.size() == 2) {
                ratios.add(Statistics.ratios(pair.get(0).times(), pair.get(1).times()));
            }
        }
        return Statistics.bootstrap(ratios);
    }

    /**
     * The time that the job would take if all devices worked at their own speeds and finished together: the optimum of
     * a divisible load, and so what bounds it by area, critical path and longest job, as there is one job at a time.
     * Null where no device had anything to do, as what the host alone computes has no speed of a device.
     */
    public @Nullable Double boundNanos() {
        double speeds =
                measured(Role.SINGLE).mapToDouble(e -> 1 / e.medianNanos()).sum();
        return bestSingle().filter(e -> e.chunks() > 0).isPresent() ? 1 / speeds : null;
    }

    /** That over a contender's time; null for baselines as well. */
    public @Nullable Double efficiency(Entry own) {
        Double bound = boundNanos();
        return bound == null || own.role() == Role.BASELINE ? null : bound / own.medianNanos();
    }

    /** Bytes read and written in a second; 0 where they are not known. */
    public double bytesPerSecond(Entry own) {
        return own.bytes() / own.medianNanos() * 1e9;
    }

    /** Items in a second. */
    public double itemsPerSecond(Entry own) {
        return items / own.medianNanos() * 1e9;
    }

    /** Sentences on results that were wrong. */
    public List<String> mismatches() {
        return entries.stream()
                .filter(e -> Boolean.FALSE.equals(e.verified()))
                .map(e -> e.name() + ": " + e.problem())
                .toList();
    }

    /**
     * What went wrong on a device and was made good by others, with the names of the contenders that it happened to. Where a
     * device alone or the best static split is among them, what is relative to it means little.
     */
    public Map<String, List<String>> recovered() {
        Map<String, List<String>> names = new LinkedHashMap<>();
        entries.forEach(e -> e.recovered()
                .forEach(failure ->
                        names.computeIfAbsent(failure, f -> new ArrayList<>()).add(e.name())));
        return names;
    }
}
