package dev.evener.spark;

import com.codahale.metrics.MetricRegistry;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.JobFuture;
import dev.evener.Report;
import dev.evener.RunEvent;
import dev.evener.RunListener;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.Utils;

/**
 * Sums of the reports of an executor's jobs: counters of its metrics, and accumulators of the stages whose tasks submitted them. Those
 * come from the driver as text, as extra configuration of the plugin does. Thread-safe.
 */
final class Figures implements RunListener {
    /** Of metrics, after the plugin's name, and of accumulators, after {@code evener.}. */
    static final List<String> NAMES =
            List.of("jobs", "units", "bytesIn", "bytesOut", "busyNanos", "failures", "fallbacks");

    private static final int JOBS = NAMES.indexOf("jobs");
    private static final int FAILURES = NAMES.indexOf("failures");

    private final MetricRegistry metrics;
    private final List<byte[]> accumulators;

    /**
     * In an executor.
     *
     * @param fromDriver accumulators by name, as {@link #text} gave them
     */
    Figures(MetricRegistry metrics, Map<String, String> fromDriver) {
        this.metrics = metrics;
        this.accumulators = NAMES.stream()
                .filter(fromDriver::containsKey)
                .map(name -> Base64.getDecoder().decode(fromDriver.get(name)))
                .toList();
        NAMES.forEach(metrics::counter); // those that are there when the plugin has begun are the source
    }

    @Override
    public void opened(List<DeviceInfo> devices) {
        devices.forEach(device -> metrics.counter(busy(device.id())));
    }

    @Override
    public boolean wantsJobs() {
        return false;
    }

    @Override
    public void heard(RunEvent event) {}

    /** In the driver: what executors get an accumulator by. Spark forgets those that nobody keeps. */
    static String text(LongAccumulator accumulator) {
        return Base64.getEncoder().encodeToString(Utils.serialize(accumulator));
    }

    /** Accumulators for the task of this thread, which become its own by being read in it. */
    LongAccumulator[] ofTask() {
        return accumulators.stream().map(Utils::<LongAccumulator>deserialize).toArray(LongAccumulator[]::new);
    }

    @Override
    public void submitted(JobFuture job) {
        TaskJobs.submitted(job);
        CompletableFuture<?> ignored = job.whenComplete((report, failure) -> {
            if (report != null) {
                long[] figures = of(report);
                for (int i = 0; i < figures.length; i++) {
                    metrics.counter(NAMES.get(i)).inc(figures[i]);
                }
                report.devices()
                        .forEach(each -> metrics.counter(busy(each.id())).inc(each.busyNanos()));
            } else if (!(failure instanceof CancellationException)) {
                metrics.counter(NAMES.get(JOBS)).inc();
                metrics.counter(NAMES.get(FAILURES)).inc();
            }
        });
    }

    /** A dot would begin another part of a metric's name. */
    static String busy(String device) {
        return "device." + device.replace('.', '_') + ".busyNanos";
    }

    /** What a report adds, in the order of the names. A fallback is a job of which JVM threads did a part. */
    static long[] of(Report report) {
        return new long[] {
            1,
            report.units(),
            report.devices().stream().mapToLong(Report.DeviceUse::bytesIn).sum(),
            report.devices().stream().mapToLong(Report.DeviceUse::bytesOut).sum(),
            report.devices().stream().mapToLong(Report.DeviceUse::busyNanos).sum(),
            report.failures().size(),
            report.devices().stream().anyMatch(each -> each.kind() == DeviceKind.JVM && each.units() > 0) ? 1 : 0
        };
    }
}
