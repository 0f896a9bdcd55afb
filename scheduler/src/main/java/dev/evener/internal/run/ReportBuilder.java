package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.internal.JobSpec;
import dev.evener.policy.CostModel;
import dev.evener.policy.Decision;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns what the lanes noted into a {@link Report}. Stateless. */
final class ReportBuilder {
    private ReportBuilder() {}

    /** Of a job that was built and not run. */
    static Report ofBuild(JobSpec job, Policy policy, List<String> failures, long queuedNanos, long buildNanos) {
        return new Report(
                job.name(), policy.name(), job.units(), queuedNanos, buildNanos, 0, 0, null, failures, null, List.of());
    }

    static Report build(
            JobSpec job,
            Form form,
            Policy policy,
            Participant[] lanes,
            CostModel model,
            @Nullable Decision decision,
            List<String> failures,
            long queuedNanos,
            long buildNanos,
            long wallNanos) {
        List<Report.DeviceUse> devices = new ArrayList<>();
        long firstStart = Long.MAX_VALUE;
        long lastEnd = Long.MIN_VALUE;
        long givenBefore = 0;
        long unitsBefore = 0;
        for (Participant lane : lanes) {
            DeviceInfo device = lane.device();
            LaneStats sum = new LaneStats();
            for (int p = 0; p < form.job().phases().size(); p++) {
                sum.add(lane.stats(p));
            }
            if (sum.chunks > 0) {
                firstStart = Math.min(firstStart, sum.firstStart);
                lastEnd = Math.max(lastEnd, sum.lastEnd);
            }
            // Rounded so that the lanes' units add up to the job's.
            unitsBefore += sum.units;
            long units = form.unitsOfWhole(unitsBefore) - givenBefore;
            givenBefore += units;
            devices.add(new Report.DeviceUse(
                    device.id(),
                    device.name(),
                    device.kind(),
                    units,
                    job.units() == 0 ? 0 : units / (double) job.units(),
                    sum.busyNanos(),
                    sum.kernelNanos,
                    sum.transferNanos,
                    sum.chunks,
                    sum.stolenChunks,
                    sum.bytesIn,
                    sum.bytesOut,
                    aloneNanos(model, lane.index())));
        }
        return new Report(
                job.name(),
                policy.name(),
                job.units(),
                queuedNanos,
                buildNanos,
                wallNanos,
                Math.max(0, lastEnd == Long.MIN_VALUE ? 0 : lastEnd - firstStart),
                null,
                failures,
                decision,
                devices);
    }

    /** What the whole job would take on a lane alone; 0 if it never ran one like it. */
    private static long aloneNanos(CostModel model, int lane) {
        return model.known() && model.lane(lane).chunks() > 0
                ? Math.round(model.forecast(1L << lane).nanos())
                : 0;
    }
}
