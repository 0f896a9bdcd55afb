package dev.evener.workloads.bench;

import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.document.Statistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One way to do what a case asks for, which takes its turn in each round, and what that took. One thread. */
final class Contender {
    /** Jobs whose cost is that of learning. */
    static final int FIRST = 30;

    final String name;
    final Role role;
    private final Timing timing;
    private final Supplier<Sample> work;
    private final @Nullable Supplier<@Nullable String> check;
    private final List<Sample> samples = new ArrayList<>();
    private List<Sample> first = List.of();
    private @Nullable Boolean verified;
    private @Nullable String problem;

    /**
     * @param name unique within a case
     * @param timing the time that counts
     * @param work does it once
     * @param check does it once more and compares the result with a reference: one sentence on what is wrong, or null; null where
     *     there is nothing to compare
     */
    Contender(
            String name, Role role, Timing timing, Supplier<Sample> work, @Nullable Supplier<@Nullable String> check) {
        this.name = name;
        this.role = role;
        this.timing = timing;
        this.work = work;
        this.check = check;
    }

    /** Does the work once. */
    Sample run() {
        return work.get();
    }

    /** Forgets what its turns took. */
    void begin() {
        samples.clear();
    }

    /** Does the work once, and counts it. */
    void turn() {
        samples.add(work.get());
    }

    /** The first turns were those in which it learnt. */
    void learnt() {
        first = List.copyOf(samples); // with those after them
    }

    /** Compares its result with a reference, if that can be done and was not; returns what is wrong, or null. */
    @Nullable
    String verify() {
        if (check != null && verified == null) {
            problem = check.get();
            verified = problem == null;
        }
        return problem;
    }

    /** Turns taken. */
    int turns() {
        return samples.size();
    }

    /** Median of the times that count. */
    double median() {
        return Statistics.median(samples, s -> s.nanos(timing));
    }

    private List<Double> nanos() {
        return samples.stream().map(s -> s.nanos(timing)).toList();
    }

    private FirstJobs firstJobs(List<Report> settled) {
        double[] times =
                first.stream().limit(FIRST).mapToDouble(s -> s.nanos(timing)).toArray();
        return FirstJobs.of(times, reports(first), settled);
    }

    private List<Report> reports() {
        return reports(samples);
    }

    private static List<Report> reports(List<Sample> of) {
        return of.stream().map(Sample::report).filter(Objects::nonNull).toList();
    }

    /** Whether each of its jobs was done by one device. */
    boolean isWhole() {
        return reports().stream()
                .allMatch(report -> report.devices().stream()
                        .allMatch(device -> device.units() == 0 || device.units() == report.units()));
    }

    /** Each device's mean share. */
    List<Double> shares() {
        List<Report> reports = reports();
        int devices = reports.isEmpty() ? 0 : reports.get(0).devices().size();
        return IntStream.range(0, devices)
                .mapToObj(lane -> reports.stream()
                        .mapToDouble(r -> r.devices().get(lane).share())
                        .average()
                        .orElse(0))
                .toList();
    }

    /** What its turns say. */
    Entry entry() {
        if (nanos().contains(0.0)) {
            return Entry.unfit(name, role, "it spends no time in kernels", verified);
        }
        List<Report> reports = reports();
        Sample last = samples.get(samples.size() - 1);
        Report report = last.report();
        return new Entry(
                name,
                role,
                report == null ? null : report.policy(),
                first.isEmpty() ? null : firstJobs(reports),
                nanos(),
                Statistics.median(samples, Sample::wallNanos),
                samples.stream().mapToDouble(Sample::bytes).average().orElse(0),
                Statistics.median(samples, Sample::latencyNanos),
                shares(),
                Statistics.median(reports, r -> sum(r, DeviceUse::chunks)),
                Statistics.median(reports, r -> sum(r, DeviceUse::stolenChunks)),
                reports.stream().flatMap(r -> r.failures().stream()).distinct().toList(),
                report == null ? last.note() : report.explain(),
                verified,
                problem);
    }

    private static double sum(Report report, ToDoubleFunction<DeviceUse> figure) {
        return report.devices().stream().mapToDouble(figure).sum();
    }

    /**
     * What one turn took.
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

        private double nanos(Timing timing) {
            return timing == Timing.KERNELS ? kernelNanos : wallNanos;
        }
    }
}
