package dev.evener.internal.run;

import dev.evener.Job;
import dev.evener.history.JobHistory;

/**
 * What a job that ended without any failure teaches the history. Stateless; for the thread that completes the job, when all
 * chunks' times have been read.
 */
final class JobLessons {
    private JobLessons() {}

    /**
     * Teaches it.
     *
     * @param startedAt when the job was cut
     * @param wallNanos from then to its end
     */
    static void teach(
            JobHistory history, Job declared, JobCut cut, Participant[] lanes, long startedAt, long wallNanos) {
        if (cut.form().isAlone()) {
            teachAlone(history, declared, cut, lanes, startedAt, wallNanos);
        } else {
            teachTogether(history, declared, cut, lanes, startedAt, wallNanos);
        }
    }

    private static void teachTogether(
            JobHistory history, Job declared, JobCut cut, Participant[] lanes, long startedAt, long wallNanos) {
        long company = cut.company();
        int phases = declared.phases().size();
        long[][][] units = new long[phases][lanes.length][];
        long[][][] busy = new long[phases][lanes.length][];
        long[] delays = new long[lanes.length];
        for (int i = 0; i < lanes.length; i++) {
            for (int p = 0; p < phases; p++) {
                LaneStats stats = lanes[i].stats(p);
                units[p][i] = stats.unitsOf;
                busy[p][i] = stats.busyNanosOf;
                history.learnLaunch(p, i, stats.meanLaunchNanos());
                if (stats.launches > 0 && Long.bitCount(company) > 1) { // a lane alone cuts nothing and learns nothing
                    history.learnStart(p, i, stats.startNanos, stats.startTested);
                }
            }
            LaneStats first = lanes[i].stats(0);
            delays[i] = first.chunks > 0 ? Math.max(1, first.firstStart - startedAt) : 0;
        }
        // Of several lanes' wall time only a plan that meant them to finish together tells what they can do.
        boolean tells = cut.plan().decided() || Long.bitCount(company) == 1;
        history.learn(company, declared.units(), tells ? wallNanos : 0, units, busy, delays);
    }

    /**
     * What the form for one lane took is what the job takes on this lane alone, whatever it did there: the history is the
     * job's, as it was declared, and compares it with several lanes. Of the phases only the sum means anything.
     */
    private static void teachAlone(
            JobHistory history, Job declared, JobCut cut, Participant[] lanes, long startedAt, long wallNanos) {
        int lane = Long.numberOfTrailingZeros(cut.company());
        int phases = declared.phases().size();
        long[][][] units = new long[phases][lanes.length][lanes.length];
        long[][][] busy = new long[phases][lanes.length][lanes.length];
        long all = 0;
        for (int p = 0; p < cut.form().job().phases().size(); p++) {
            all += lanes[lane].stats(p).busyNanos();
        }
        for (int p = 0; p < phases; p++) {
            units[p][lane][lane] = declared.units();
            busy[p][lane][lane] = all / phases;
        }
        long[] delays = new long[lanes.length];
        delays[lane] = Math.max(1, lanes[lane].stats(0).firstStart - startedAt);
        history.learn(cut.company(), declared.units(), wallNanos, units, busy, delays);
    }
}
