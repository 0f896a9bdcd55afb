package dev.evener.internal.run;

import dev.evener.Report;
import dev.evener.Report.Cause;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.JobSpec;
import dev.evener.model.ChunkLog;
import dev.evener.model.JobObservation;
import dev.evener.policy.LaneSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the lanes noted of a job, as its {@link Report} and as evidence for the history. Stateless; for the thread that completes
 * the job, when all chunks' times have been read.
 */
final class JobReport {
    private JobReport() {}

    /**
     * All is known of the job: ends its future. Once, where futures are completed, or on a lane.
     *
     * @param callbacks runs what completes its future for them, and what can wait
     */
    static void conclude(JobRun run, @Nullable Throwable cause, Executor callbacks) {
        JobStart start = run.start;
        long queuedNanos = start.admittedAt - run.submitted + start.waited();
        long buildNanos = start.startedAt - start.admittedAt;
        long wallNanos = run.endedAt - start.startedAt - start.waited();
        Report report = null;
        Throwable failure = cause;
        try {
            Traffic traffic = traffic(run.plan, run.parts());
            if (run.events != null) { // before the future: who waited for it has all of the job
                run.events.moved(run.endedAt, traffic);
                run.tell(run.events, run.endedAt, buildNanos, wallNanos, cause);
            }
            List<String> failures = run.recovery.failures();
            if (cause == null) {
                List<String> told = failures;
                for (LaneWorker lane : run.workers) {
                    String back = lane.health().tellReturn();
                    told = back == null ? told : Recovery.with(told, Recovery.named(lane.device()) + " " + back);
                }
                report = of(run, traffic, told, queuedNanos, buildNanos, wallNanos);
                if (failures.isEmpty() && !start.runsNothing) {
                    teach(run, wallNanos);
                }
                if (run.progress != null) {
                    run.progress.end();
                }
            }
        } catch (Throwable e) { // a report that cannot be made must not leave the caller waiting
            report = null;
            failure = e;
        }
        run.future.end(report, failure, callbacks);
        if (report != null && report.failures().isEmpty() && !start.runsNothing && run.plan.mayPlanAhead()) {
            callbacks.execute(run.plan::planAhead);
        }
    }

    /** What was moved for a job, by its chunks, merges and host steps. */
    private static Traffic traffic(JobPlan plan, LaneTask[] lanes) {
        Traffic all = plan.form.traffic; // which nobody adds to any more
        for (LaneTask lane : lanes) {
            if (lane.stats != null) {
                all.add(lane.stats.total.times.traffic);
            }
        }
        for (JobForm each : plan.forms) {
            if (each != plan.form) {
                all.add(each.traffic);
            }
        }
        return all;
    }

    private static @Nullable LaneStats stats(JobRun run, int lane) {
        LaneTask part = run.part(lane);
        return part == null ? null : part.stats;
    }

    /** Bytes fetched from a device beside what its chunks did. */
    private static long aside(Map<Cause, Long> fetched) {
        long all = 0;
        for (Map.Entry<Cause, Long> each : fetched.entrySet()) {
            all += each.getKey() == Cause.RESULT || each.getKey() == Cause.REDUCTION ? 0 : each.getValue();
        }
        return all;
    }

    private static Report of(
            JobRun run, Traffic traffic, List<String> failures, long queuedNanos, long buildNanos, long wallNanos) {
        JobSpec job = run.declared;
        JobPlan plan = run.plan;
        JobStart start = run.start;
        int lanes = start.runsNothing ? 0 : run.lanes(); // else it was built, and that is all
        List<Report.DeviceUse> devices = new ArrayList<>(lanes);
        long firstStart = Long.MAX_VALUE;
        long lastEnd = Long.MIN_VALUE;
        long unitsBefore = 0;
        for (int lane = 0; lane < lanes; lane++) {
            Report.DeviceUse idle = plan.model().idle(lane); // by the model on which the decision rested
            Map<Cause, Long> sent = traffic.sent(idle.id());
            Map<Cause, Long> fetched = traffic.fetched(idle.id());
            LaneStats stats = stats(run, lane);
            if (stats == null && sent.isEmpty() && fetched.isEmpty()) {
                devices.add(idle);
                continue;
            }
            LaneStats.Total sum = stats == null ? new LaneStats.Total() : stats.total;
            firstStart = Math.min(firstStart, sum.times.start);
            lastEnd = Math.max(lastEnd, sum.times.end);
            long before = plan.form.unitsOfWhole(unitsBefore); // rounded so that all add up to the job's
            unitsBefore += sum.units;
            long units = plan.form.unitsOfWhole(unitsBefore) - before;
            devices.add(new Report.DeviceUse(
                    idle.id(),
                    idle.name(),
                    idle.kind(),
                    units,
                    job.units() == 0 ? 0 : units / (double) job.units(),
                    sum.times.busyNanos(),
                    sum.times.kernelNanos,
                    sum.times.transferNanos,
                    sum.chunks,
                    sum.stolenChunks,
                    sum.times.bytesIn,
                    sum.times.bytesOut + (fetched.isEmpty() ? 0 : aside(fetched)),
                    sent,
                    fetched,
                    traffic.moved(idle.id()),
                    idle.aloneNanos()));
        }
        return new Report(
                job.name(),
                plan.policyName,
                job.units(),
                plan.form.granule,
                queuedNanos,
                start.dataNanos,
                start.waitedFor,
                buildNanos,
                start.planNanos,
                wallNanos,
                Math.max(0, lastEnd == Long.MIN_VALUE ? 0 : lastEnd - firstStart),
                null,
                failures,
                lanes == 0 ? null : plan.plan().decision(),
                devices);
    }

    /**
     * Tells the history what became of a job that ended without any failure, as if its lanes had not worked for other jobs first. While
     * a lane did, the job's set lost that lane's part of its speed: of the wall time the mean of the lanes' waits is not the job's own,
     * weighted by what each of them did. Where one went to another job in between, only what chunks took is evidence.
     *
     * @param wallNanos from when a lane had come to it to the job's end
     */
    private static void teach(JobRun run, long wallNanos) {
        JobPlan plan = run.plan;
        JobStart start = run.start; // when it was cut, and how long all of its lanes were at work for others then
        ChunkLog[] chunks = new ChunkLog[run.lanes()];
        long[] delays = new long[chunks.length];
        Arrays.fill(chunks, ChunkLog.NONE);
        for (LaneTask lane : run.parts()) {
            chunks[lane.index] = lane.stats == null ? ChunkLog.NONE : lane.stats.log;
        }
        // One that came late is as if it had stood by, and one that did nothing in time as if it had not come.
        LaneSet planned = plan.deviceSet;
        for (LaneTask lane : run.parts()) {
            boolean isNone = start.late.has(lane.index) || (lane.overtaken && chunks[lane.index].chunks() == 0);
            planned = isNone ? planned.without(lane.index) : planned;
        }
        LaneSet set = planned;
        boolean undisturbed = !run.shared;
        double waited = 0;
        double done = 0;
        boolean again = false; // of a chunk
        for (LaneTask lane : run.parts()) {
            LaneStats stats = lane.stats;
            int i = lane.index;
            if (stats == null) {
                continue;
            }
            set = chunks[i].chunks() > 0 ? set.with(i) : set;
            again |= lane.overtaken;
            undisturbed &= !start.late.has(i)
                    || (chunks[i].chunks() == 0 && plan.plan().standsBy(i));
            delays[i] = Math.max(0, stats.firstBegun - start.startedAt - stats.waited);
            waited += (double) Math.max(0, stats.waited - start.waited()) * stats.total.units;
            done += stats.total.units;
        }
        long own = wallNanos - Math.round(waited / Math.max(1, done));
        JobSpec.FirstRun seen = run.declared.findings().firstRun();
        if (seen.hasPassed()) {
            run.history.passed(run.declared);
            seen.end();
        }
        run.history.learn(new JobObservation(
                planned,
                set,
                run.declared.units(),
                undisturbed ? Math.max(1, own) : 0,
                plan.plan().isBalanced() && set.equals(plan.deviceSet) && !again,
                plan.form.inOnePiece,
                plan.plan().lookNanos(),
                plan.plan().bestNanos(),
                delays,
                chunks));
    }
}
