package dev.evener.model;

import dev.evener.policy.LaneSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What one job teaches. Used once, while its {@link KernelHistory} is locked. */
final class Learning {
    /** Variance by which a cold chunk says less than a warm one, where it took longer than was expected: it took as long, or less. */
    private static final double COLD = 1;
    /** Logarithm of four times: less is what dear units do, and other lanes at work. */
    private static final double OUT_OF_LINE = Math.log(4);

    private final JobHistory of;
    private final KernelHistory kernel;
    private final JobObservation job;
    private final ChunkLog[] chunks; // what of them is evidence
    private final boolean[] cold; // lanes of which there are cold ones only
    private final boolean[] differs; // lanes that were late before, and so may be less like their like
    private final double[] perWork; // 0 before it is asked for
    private final LaneSet company; // the lanes that did most of it
    private final boolean alone;
    private final int set;
    private final double now;
    private final long moved; // nanoseconds by which bringing data that stay made it longer at most

    Learning(JobHistory of, KernelHistory kernel, JobObservation job) {
        this.of = of;
        this.kernel = kernel;
        this.job = job;
        this.chunks = job.chunks().clone();
        this.cold = new boolean[chunks.length];
        this.differs = new boolean[chunks.length];
        this.perWork = new double[chunks.length];
        this.company = company(job);
        this.alone = company.size() == 1;
        this.set = kernel.place(of, company);
        this.now = kernel.jobs;
        long most = 0;
        for (ChunkLog log : chunks) {
            most = Math.max(most, log.brought());
        }
        this.moved = most;
    }

    /**
     * Learns. What the first chunks of a lane in a process take is weak evidence: drivers compile, memory is touched for the first
     * time, clocks are down. It counts where there is nothing else, as an upper bound.
     *
     * @param warm lanes that ran such a job in this process before; set for those of this job
     */
    void learn(boolean[] warm) {
        boolean anyCold = false;
        boolean undisturbed = job.wallNanos() > 0;
        boolean[] late = late(warm);
        for (int i = 0; i < warm.length; i++) {
            if (took(i)) {
                if (undisturbed && !late[i]) {
                    boolean first = !warm[i] || of.lane(i).fit.isEmpty();
                    double launch = first ? firstLaunch(i) : chunks[i].nanosPerLaunch();
                    of.lane(i).learnHost((double) job.delayNanos()[i], launch, first);
                }
                if (!warm[i]) {
                    ChunkLog rest = chunks[i].withoutFirst();
                    cold[i] = rest.chunks() == 0;
                    chunks[i] = cold[i] ? chunks[i] : rest;
                }
                anyCold |= !warm[i] || of.lane(i).late.any(); // also of one that was expected to be late
                warm[i] = true;
            }
        }
        double rates = 0; // units a nanosecond, of all lanes
        double undone = 0; // units that lanes did not do while they were not at work yet
        double last = 0; // when the last lane was done
        expectUnknown(late);
        for (int i = 0; i < warm.length; i++) {
            if (!took(i)) {
                continue;
            }
            ChunkLog log = chunks[i];
            LaneModel lane = of.lane(i);
            if (late[i] && !lane.late.isSettled()) {
                continue; // so long at most: the next look tells
            }
            if (!job.single()) {
                lane.learnPhaseParts(perUnit(log));
            }
            double work = observe(i, lane, log);
            double rate = work / log.totalNanos();
            rates += rate;
            undone += rate * job.delayNanos()[i];
            last = Math.max(last, (double) (job.delayNanos()[i] + log.totalNanos()));
            lane.chunks += log.chunks();
            if (!job.single() && !cold[i]) {
                learnProfile(lane, i, log, work);
            }
        }
        kernel.profile.settle();
        kernel.known |= rates > 0;
        kernel.jobs += job.wallNanos() == JobObservation.ASIDE ? 0 : 1;
        kernel.lastLook = job.lookNanos() > 0 ? kernel.jobs : kernel.lastLook;
        if (undisturbed && rates > 0) {
            if (!anyCold && (alone || job.balanced())) {
                learnSet((job.units() + undone) / rates, last);
            }
            oweLooks(Math.max(rates, job.units() / (double) job.wallNanos()));
            double longer = (double) (job.wallNanos() - moved) - job.bestNanos();
            kernel.totalNanos += job.wallNanos();
            kernel.spentNanos += job.lookNanos() > 0 ? Math.max(0, Math.min(job.bestNanos(), longer)) + moved : 0;
        }
    }

    /** Lanes that stood by and came in count as company where they did more than half of the work. */
    private static LaneSet company(JobObservation job) {
        double planned = 0;
        double all = 0;
        for (int i = 0; i < job.chunks().length; i++) {
            double units = job.chunks()[i].units();
            all += units;
            planned += job.planned().has(i) ? units : 0;
        }
        return planned < all / 2 ? job.lanes() : job.planned();
    }

    /** What a launch takes a lane by its first job, or an equal one where that is far less: a disturbance only ever lengthens it. */
    private double firstLaunch(int lane) {
        double own = chunks[lane].nanosPerLaunch();
        int like = like(lane);
        boolean known = like >= 0 && !of.lane(like).fit.isEmpty();
        double its = like < 0 ? own : known ? of.lane(like).launch : chunks[like].nanosPerLaunch();
        return Math.log(own / its) > OUT_OF_LINE ? its : own;
    }

    // ---- lanes that were late ----

    /** Which lanes took far longer than equal ones do, where nothing else is known of them: so long at most. */
    private boolean[] late(boolean[] warm) {
        boolean[] late = new boolean[chunks.length];
        for (int i = 0; i < late.length; i++) {
            LaneModel lane = took(i) && chunks[i].size() > 0 ? of.lane(i) : null;
            if (lane == null || !(lane.fit.isEmpty() || lane.late.any())) {
                continue;
            }
            if (job.wallNanos() == JobObservation.ASIDE) {
                late[i] = true;
                isAside(i, lane);
                continue;
            }
            boolean look = lane.fit.isEmpty() || lane.late.jobsToLook((double) job.units()) == 0;
            int like = like(i);
            if (like >= 0 && isLate(i, lane, like, warm[i], look)) {
                late[i] = look; // else it was expected
            } else if (lane.late.any()) {
                lane.late.end();
                lane.fit.forget();
                differs[i] = true;
            }
        }
        return late;
    }

    /**
     * A lane's chunk took so long that another did it again, and nothing else is known of the lane: a look costs no
     * more than the job.
     */
    private void isAside(int i, LaneModel lane) {
        double perUnit = Math.log(chunks[i].totalNanos() / work(i));
        kernel.late = true;
        Beliefs beliefs = beliefs(null);
        lane.late.again(0, perUnit, beliefs.perUnit[i]);
        double rates = 0;
        for (int other = 0; other < chunks.length; other++) {
            rates += of.lane(other).isOnTime() ? Math.exp(-beliefs.perUnit[other]) : 0;
        }
        lane.late.after(0, true, rates);
    }

    private Beliefs beliefs(double @Nullable [] seen) {
        LaneModel[] lanes = new LaneModel[chunks.length];
        Arrays.setAll(lanes, of::lane);
        return new Beliefs(of, kernel, lanes, 0, seen, i -> lanes[i].isOnTime());
    }

    /** An equal lane that was seen before and was not late, else the fastest that is seen in this job; -1 if there is none. */
    private int like(int lane) {
        int fastest = -1;
        for (int i = 0; i < chunks.length; i++) {
            if (i == lane || of.classOf(i) != of.classOf(lane)) {
                continue;
            }
            LaneModel other = of.lane(i);
            if (!other.late.any() && !other.fit.isEmpty()) {
                return i;
            }
            boolean seen = took(i) && perWork(i) < perWork(lane);
            fastest = seen && (fastest < 0 || perWork(i) < perWork(fastest)) ? i : fastest;
        }
        return fastest;
    }

    /** What a unit of work took a lane in this job, what is fixed included. */
    private double perWork(int lane) {
        if (perWork[lane] == 0) {
            perWork[lane] = chunks[lane].totalNanos() / work(lane);
        }
        return perWork[lane];
    }

    private double work(int lane) {
        double work = chunks[lane].moreUnits() / (double) kernel.phases.size();
        for (int c = 0; c < chunks[lane].size(); c++) {
            work += work(lane, chunks[lane], c);
        }
        return work;
    }

    /** Whether a lane's chunks took far longer than they should; notes it if they were a look. */
    private boolean isLate(int i, LaneModel lane, int like, boolean warm, boolean look) {
        ChunkLog log = chunks[i];
        CostFit its = of.lane(like).fit;
        double should = 0;
        double largest = Double.NEGATIVE_INFINITY;
        double least = Double.POSITIVE_INFINITY;
        double perUnit = Double.POSITIVE_INFINITY;
        for (int c = 0; c < log.size(); c++) {
            double work = work(i, log, c);
            should += its.isEmpty() // at most, as some of what its chunks took is fixed
                    ? (double) chunks[like].totalNanos() / (double) chunks[like].chunks() + work * perWork(like)
                    : Math.exp(its.expected(Math.log(work), now)) + of.lane(like).launch;
            least = Math.min(least, (double) log.nanos(c));
            perUnit = Math.min(perUnit, Math.log(log.nanos(c) / work));
            largest = Math.max(largest, Math.log(work));
        }
        double doubt = its.isEmpty() ? 0 : its.variance(largest, now);
        double may = CostFit.SURPRISE * Math.sqrt(lane.noise + (warm ? doubt : Math.min(COLD, doubt)));
        boolean late = Math.log((log.totalNanos() - log.moreNanos()) / should) > Math.max(OUT_OF_LINE, may);
        if (late && look) {
            kernel.late = true;
            lane.late.again(least, perUnit, its.isEmpty() ? Math.log(perWork(like)) : its.logPerUnit());
        }
        return late;
    }

    /** By how much jobs take longer for want of lanes that were late, should these be as their like are. */
    private void oweLooks(double rates) {
        for (int i = 0; i < chunks.length && kernel.late; i++) {
            Lateness late = of.lane(i).late;
            if (late.any()) {
                late.after((double) job.units(), took(i), rates);
            }
        }
    }

    // ---- lanes that are new ----

    /** What was never seen is expected to be like its class, or else as much slower or faster than promised as the others of the job. */
    private void expectUnknown(boolean[] late) {
        boolean any = false;
        for (int i = 0; i < chunks.length; i++) {
            any |= took(i) && of.lane(i).fit.isEmpty();
        }
        if (!any) {
            return;
        }
        double[] seen = new double[chunks.length];
        Arrays.fill(seen, Double.NaN);
        for (int i = 0; i < chunks.length && !kernel.known; i++) {
            if (took(i) && !late[i]) {
                ChunkLog log = chunks[i];
                seen[i] = Math.log(log.busyNanos() / work(i));
            }
        }
        Beliefs beliefs = beliefs(seen);
        for (int i = 0; i < chunks.length; i++) {
            if (took(i) && of.lane(i).fit.isEmpty()) {
                of.lane(i)
                        .fit
                        .expect(
                                beliefs.fixed[i],
                                late[i] ? LaneModel.START_VARIANCE : beliefs.varianceOfFixed[i],
                                late[i] ? of.lane(i).late.logPerUnit() : beliefs.perUnit[i],
                                late[i] || differs[i] ? LaneModel.UNKNOWN : beliefs.varianceOfPerUnit[i]);
            }
        }
    }

    private boolean took(int lane) {
        return job.lanes().has(lane) && chunks[lane].chunks() > 0;
    }

    /** What a unit took in each phase. */
    private double[] perUnit(ChunkLog log) {
        double[] units = new double[kernel.phases.size()];
        double[] nanos = new double[units.length];
        for (int c = 0; c < log.size(); c++) {
            units[log.phase(c)] += log.units(c);
            nanos[log.phase(c)] += log.busy(c);
        }
        for (int p = 0; p < units.length; p++) {
            nanos[p] = units[p] > 0 ? nanos[p] / units[p] : 0;
        }
        return nanos;
    }

    /** Work of a chunk, as the part of a job of all phases that it is. */
    private double work(int lane, ChunkLog log, int chunk) {
        if (job.single()) {
            return (double) job.units() / log.chunks();
        }
        double work = kernel.profile.profile().work((double) log.first(chunk), (double) log.units(chunk), (double)
                job.units());
        return work * of.lane(lane).phaseParts[log.phase(chunk)];
    }

    /** Learns from a lane's chunks, those of about one size as their mean; returns their work. */
    private double observe(int lane, LaneModel of, ChunkLog log) {
        double[] work = new double[log.size() + 1];
        double all = 0;
        for (int c = 0; c < log.size(); c++) {
            work[c] = work(lane, log, c);
            all += work[c];
        }
        double more = log.moreUnits() / (double) kernel.phases.size();
        long moreChunks = log.chunks() - log.size();
        all += more;
        goHome(lane, of, work, log);
        boolean unseen = of.fit.isEmpty();
        double seen = 0;
        double counted = 0;
        double over = 0;
        boolean[] done = new boolean[log.size() + 1];
        double largest = 0;
        for (int first = 0; first < log.size(); first++) {
            if (done[first]) {
                continue;
            }
            double sum = 0;
            double nanos = 0;
            double count = 0;
            for (int c = first; c < log.size(); c++) {
                if (!done[c] && work[c] > 0.7 * work[first] && work[c] < 1.43 * work[first]) {
                    done[c] = true;
                    sum += work[c];
                    nanos += log.busy(c);
                    count++;
                }
            }
            if (moreChunks > 0 && more / moreChunks > 0.7 * work[first] && more / moreChunks < 1.43 * work[first]) {
                sum += more;
                nanos += log.moreBusy();
                count += moreChunks;
                moreChunks = 0;
            }
            largest = Math.max(largest, sum / count);
            double x = Math.log(sum / count);
            double y = Math.log(nanos / count);
            // Chunks of one job are alike in what disturbs them.
            double noise = of.noise * Math.max(0.25, 1 / count) * Math.max(1, 0.3 * all / sum);
            double before = of.fit.variance(x, now);
            double error = y - of.fit.expected(x, now);
            if (!unseen && !of.fit.knows(x) && error * error > CostFit.SURPRISE * CostFit.SURPRISE * (before + noise)) {
                noise += CostFit.CHANGE
                        * (1 - CostFit.CHANGE)
                        * error
                        * error; // a disturbance, or so: the next will show
            }
            if (cold[lane] && unseen && error < 0) { // so long at most, and nobody knows how much less
                of.fit.expectPerUnit(error);
                noise += LaneModel.UNKNOWN;
            } else if (cold[lane] && error > 0) {
                noise += COLD;
            }
            of.fit.observe(x, y, noise, now);
            over += sum / all * Math.exp(error);
            seen += sum
                    / all
                    * Math.min(error * error, CostFit.SURPRISE * CostFit.SURPRISE * (before + of.noise))
                    * (of.noise / (before + of.noise));
            counted += sum / all;
        }
        if (counted > 0 && !cold[lane]) {
            of.learnOverrun(over / counted);
            of.learnNoise(seen / counted);
        }
        if (largest > 0) {
            of.part = Math.log(Math.min(1, largest / job.units()));
        }
        return all;
    }

    /** A lane that was in another set before shows, by what its chunks take now, what the two sets do to it. */
    private void goHome(int lane, LaneModel of, double[] work, ChunkLog log) {
        if (!company.has(lane)) {
            if (!of.isKnown()) { // what it did when it came in is all that is known of it
                of.goesTo(kernel.place(this.of, job.lanes()), 0, 0, now);
            }
            return;
        }
        if (of.home == set) {
            return;
        }
        double gap = 0;
        double variance = 0;
        if (of.isKnown() && of.home < kernel.sets.size() && log.size() > 0) {
            int size = company.size();
            double eFolds = kernel.eFolds(of, size);
            double expected = kernel.gap(of, set, eFolds);
            double doubt = kernel.doubtOfGap(of, set, size, eFolds, kernel.hasForm());
            double nanos = 0;
            double should = 0;
            double x = 0;
            for (int c = 0; c < log.size(); c++) {
                nanos += log.busy(c);
                should += Math.exp(of.fit.expected(Math.log(work[c]), now) + expected);
                x = Math.max(x, Math.log(work[c]));
            }
            double error = Math.log(nanos / should);
            double total = doubt + of.fit.variance(x, now) + of.noise + (cold[lane] ? COLD : 0);
            double limit = CostFit.SURPRISE * Math.sqrt(total);
            double gain = doubt / total;
            gap = expected + gain * Math.max(-limit, Math.min(limit, error));
            variance = doubt * (1 - gain);
            if (eFolds != 0 && !kernel.hasForm()) {
                gap = Math.max(Math.min(0, eFolds), Math.min(Math.max(0, eFolds), gap));
                kernel.learnSharing(gap, eFolds, variance);
            }
        }
        of.goesTo(set, gap, variance, now);
    }

    /** A chunk that took longer than the lane's chunks on average shows where units are dear. */
    private void learnProfile(LaneModel of, int lane, ChunkLog log, double work) {
        double fixed = Math.exp(of.fit.logFixed());
        double doubt = Math.min(1, of.fit.varianceOfFixed());
        double busy = log.busyNanos();
        double nanosPerWork = Math.max(0.5, 1 - log.chunks() * fixed / busy) * busy / work;
        for (int c = 0; c < log.size() && log.size() > 1; c++) {
            double part = fixed / log.busy(c);
            if (part < 0.5) { // else it tells of starts
                kernel.profile.observe(
                        log.first(c) / (double) job.units(),
                        (log.first(c) + log.units(c)) / (double) job.units(),
                        Math.log(log.busy(c) / (fixed + work(lane, log, c) * nanosPerWork)),
                        of.noise + part * part * doubt);
            }
        }
    }

    /**
     * Learns what the job took beyond its lanes' work.
     *
     * @param together nanoseconds after which the lanes would have been done, had they finished together
     * @param last after which the last one was: lanes that end far apart had the wrong shares, and say little
     */
    private void learnSet(double together, double last) {
        double apart = Math.log(Math.max(1, last / together));
        double all = (double) job.wallNanos();
        SetModel its = kernel.sets.get(set);
        // In the first one lanes end apart by shares of which nobody knew that they were wrong.
        double uneven = its.jobs == 0 ? Math.max(0, last - together) : 0;
        double wall = Math.max(all - moved - uneven, Math.min(all, together));
        double less = Math.log(all / wall); // or less, where others stole meanwhile
        double noise = of.lane(company.first()).noise + apart * apart + less * less;
        its.observe(together, wall, (double) job.units(), noise, kernel.jobs);
    }
}
