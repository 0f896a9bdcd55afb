package dev.evener.kernels.pipeline;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Adds up what a pipeline does. Any thread. */
final class Tally {
    // All guarded by this.
    private final List<OfStage> stages = new ArrayList<>();
    private long items;
    private long failed;
    private long firstSubmission;
    private boolean any;
    private long wallNanos;
    private long latencyNanos;
    private long maxLatencyNanos;

    Tally(List<? extends Stage<?>> of, List<DeviceInfo> devices) {
        of.forEach(stage -> stages.add(new OfStage(stage.name(), devices)));
    }

    synchronized void submitted(long now) {
        if (!any || now - firstSubmission < 0) {
            firstSubmission = now;
            any = true;
        }
    }

    synchronized void done(int stage, Report report) {
        OfStage of = stages.get(stage);
        of.jobs++;
        of.queuedNanos += report.queuedNanos();
        of.wallNanos += report.wallNanos();
        for (Report.DeviceUse device : report.devices()) {
            if (device.busyNanos() > 0) {
                of.busyNanos.merge(device.id(), device.busyNanos(), Long::sum);
            }
        }
    }

    synchronized void ended(boolean well, long latency, long now) {
        wallNanos = Math.max(wallNanos, now - firstSubmission);
        if (well) {
            items++;
            latencyNanos += latency;
            maxLatencyNanos = Math.max(maxLatencyNanos, latency);
        } else {
            failed++;
        }
    }

    /** One that {@link #ended} well was cancelled after all. */
    synchronized void endedBadly(long latency) {
        items--;
        failed++;
        latencyNanos -= latency;
    }

    synchronized PipelineReport report() {
        return new PipelineReport(
                items,
                failed,
                wallNanos,
                items == 0 ? 0 : latencyNanos / items,
                maxLatencyNanos,
                stages.stream().map(OfStage::use).toList());
    }

    private static final class OfStage {
        final String name;
        final Map<String, Long> busyNanos = new LinkedHashMap<>();
        long jobs;
        long queuedNanos;
        long wallNanos;

        OfStage(String name, List<DeviceInfo> devices) {
            this.name = name;
            devices.forEach(device -> busyNanos.put(device.id(), 0L));
        }

        PipelineReport.StageUse use() {
            Map<String, Long> used = new LinkedHashMap<>(busyNanos);
            used.values().removeIf(nanos -> nanos == 0);
            return new PipelineReport.StageUse(name, jobs, queuedNanos, wallNanos, Collections.unmodifiableMap(used));
        }
    }
}
