package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot.Cost;
import java.util.ArrayList;
import java.util.List;

/** Turns what the lanes noted into a {@link Report}. Stateless. */
final class ReportBuilder {
    private ReportBuilder() {}

    static Report build(
            Job job,
            Policy policy,
            List<LaneWorker> workers,
            History history,
            History.Key[][] keys,
            Partition partition,
            LaneStats[][] stats,
            long queuedNanos,
            long wallNanos) {
        List<Report.DeviceUse> devices = new ArrayList<>();
        long firstStart = Long.MAX_VALUE;
        long lastEnd = Long.MIN_VALUE;
        for (int lane = 0; lane < workers.size(); lane++) {
            DeviceInfo device = workers.get(lane).device();
            LaneStats sum = new LaneStats();
            double alone = 0;
            for (int p = 0; p < stats.length; p++) {
                LaneStats s = stats[p][lane];
                if (s != null) {
                    add(sum, s);
                }
                Cost cost = history.cost(keys[p][lane]);
                alone = cost.known() && alone >= 0 ? alone + cost.predict((double) job.units()) : -1;
            }
            if (sum.chunks > 0) {
                firstStart = Math.min(firstStart, sum.firstStart);
                lastEnd = Math.max(lastEnd, sum.lastEnd);
            }
            devices.add(new Report.DeviceUse(
                    device.id(),
                    device.name(),
                    device.kind(),
                    partition.units(lane),
                    job.units() == 0 ? 0 : partition.units(lane) / (double) job.units(),
                    sum.busyNanos(),
                    sum.kernelNanos,
                    sum.transferNanos,
                    sum.chunks,
                    0,
                    sum.bytesIn,
                    sum.bytesOut,
                    Math.max(0, Math.round(alone))));
        }
        return new Report(
                job.name(),
                policy.name(),
                job.units(),
                queuedNanos,
                wallNanos,
                Math.max(0, lastEnd == Long.MIN_VALUE ? 0 : lastEnd - firstStart),
                null,
                List.of(),
                devices);
    }

    private static void add(LaneStats sum, LaneStats s) {
        sum.units += s.units;
        sum.kernelNanos += s.kernelNanos;
        sum.transferNanos += s.transferNanos;
        sum.chunks += s.chunks;
        sum.bytesIn += s.bytesIn;
        sum.bytesOut += s.bytesOut;
        if (s.chunks > 0) {
            sum.firstStart = Math.min(sum.firstStart, s.firstStart);
            sum.lastEnd = Math.max(sum.lastEnd, s.lastEnd);
        }
    }
}
