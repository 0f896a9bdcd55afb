package dev.evener.model;

/** What one job teaches. Used once, while its {@link KernelHistory} is locked. */
final class Learning {
    /** Chunks of less than this part of a lane's largest one are a group of their own: they tell what a chunk costs whatever its size. */
    private static final double SMALL = 0.5;

    private final JobHistory of;
    private final KernelHistory kernel;
    private final SizeModel size;
    private final Belief belief;
    private final LaneTerms terms;
    private final JobObservation job;
    private final ChunkLog[] chunks; // what of them is evidence
    private final boolean alone;

    /** @param belief that learns; it has all terms of the job's lanes */
    Learning(JobHistory of, KernelHistory kernel, SizeModel size, Belief belief, LaneTerms terms, JobObservation job) {
        this.of = of;
        this.kernel = kernel;
        this.size = size;
        this.belief = belief;
        this.terms = terms;
        this.job = job;
        this.chunks = job.chunks().clone();
        this.alone = Long.bitCount(job.lanes()) == 1;
    }

    /**
     * Learns. What the first chunks of a lane in a process take is no evidence: drivers compile, memory is touched for the first
     * time, clocks are down.
     *
     * @param warm lanes that ran such a job in this process before; set for those of this job
     */
    void learn(boolean[] warm) {
        boolean cold = false;
        boolean undisturbed = job.wallNanos() > 0;
        for (int i = 0; i < warm.length; i++) {
            if (took(i)) {
                if (undisturbed) {
                    of.lane(i).learnHost((double) job.delayNanos()[i], chunks[i].nanosPerLaunch(), !warm[i]);
                }
                chunks[i] = warm[i] ? chunks[i] : chunks[i].withoutFirst();
                cold |= !warm[i];
                warm[i] = true;
            }
        }
        if (!size.known) {
            findScale();
        }
        double rates = 0; // units a nanosecond, of all lanes
        double late = 0; // units that lanes did not do while they were not at work yet
        double last = 0; // when the last lane was done
        for (int i = 0; i < warm.length; i++) {
            if (!took(i)) {
                continue;
            }
            ChunkLog log = chunks[i];
            KernelHistory.Lane lane = of.lane(i);
            if (!job.single()) {
                lane.learnPhaseParts(perUnit(log));
            }
            double work = observe(i, lane, log);
            double rate = work / log.totalNanos();
            rates += rate;
            late += rate * job.delayNanos()[i];
            last = Math.max(last, (double) (job.delayNanos()[i] + log.totalNanos()));
            lane.chunks += log.chunks();
            if (!job.single()) {
                learnProfile(i, lane, log, work);
            }
        }
        kernel.profile.settle();
        size.known |= rates > 0;
        size.jobs++;
        size.lastLook = job.lookNanos() > 0 && !cold ? size.jobs : size.lastLook; // a cold one shows nothing
        if (!cold && undisturbed && rates > 0) {
            if (alone || job.balanced()) {
                learnSet((job.units() + late) / rates, last);
            }
            size.totalNanos += job.wallNanos();
            size.spentNanos += job.lookNanos();
        }
    }

    private boolean took(int lane) {
        return (job.lanes() >>> lane & 1) == 1 && chunks[lane].chunks() > 0;
    }

    /** The first job of a kind tells the scale; what is left are the devices' differences from what was guessed. */
    private void findScale() {
        double sum = 0;
        int lanes = 0;
        for (int i = 0; i < chunks.length; i++) {
            if (took(i)) {
                ChunkLog log = chunks[i];
                double work = moreWork(log);
                for (int c = 0; c < log.size(); c++) {
                    work += work(i, log, c);
                }
                sum += Math.log(log.busyNanos() / work) - terms.log(i, job.lanes());
                lanes++;
            }
        }
        if (lanes > 0) {
            belief.setMean(terms.scale(), belief.mean(terms.scale()) + sum / lanes);
        }
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

    private double moreWork(ChunkLog log) {
        return log.moreUnits() / (double) kernel.phases.size();
    }

    /** Sums over a lane's large chunks, at 0, and its small ones, at 1. */
    private final class Sums {
        final double[] work = new double[2];
        final double[] nanos = new double[2];
        final double[] count = new double[2];

        /** Of the first so many chunks of a log. */
        Sums(int lane, ChunkLog log, int end) {
            double largest = 0;
            for (int c = 0; c < end; c++) {
                largest = Math.max(largest, work(lane, log, c));
            }
            for (int c = 0; c < end; c++) {
                double each = work(lane, log, c);
                add(each < SMALL * largest ? 1 : 0, each, (double) log.busy(c), 1);
            }
        }

        void add(int group, double moreWork, double moreNanos, double moreChunks) {
            work[group] += moreWork;
            nanos[group] += moreNanos;
            count[group] += moreChunks;
        }
    }

    /** Learns from a lane's chunks, large and small ones each as a sum; returns their work. */
    private double observe(int lane, KernelHistory.Lane of, ChunkLog log) {
        Sums sums = new Sums(lane, log, log.size());
        sums.add(1, moreWork(log), (double) log.moreBusy(), (double) (log.chunks() - log.size()));
        double[] work = sums.work;
        learnStart(lane, of, log);
        for (int group = 0; group < 2; group++) {
            if (work[group] > 0) {
                double start = sums.count[group] * terms.startNanos(lane);
                double own = work[group] * Math.exp(terms.log(lane, job.lanes()));
                double all = start + own;
                double[] row = new double[belief.size()];
                terms.add(row, lane, job.lanes(), own / all);
                // A few small chunks say less of the device than the rest does; what is not known of starts is noise.
                double noise = of.noise * (work[0] + work[1]) / work[group]
                        + start / all * start / all * belief.covariance(terms.start(lane), terms.start(lane));
                double error = Math.log(sums.nanos[group] / all);
                double seen = belief.observe(row, error, noise, terms.changing(lane, job.lanes()));
                of.learnNoise(seen * of.noise / noise);
            }
        }
        return work[0] + work[1];
    }

    /**
     * What chunks take whatever their size is where the line through the times of large and of small ones meets size zero. The sums
     * alone do not tell: while it is thought to be little, all is put down to the units. Only chunks that lie side by side are
     * compared, as what was taken over from others may cost another time.
     */
    private void learnStart(int lane, KernelHistory.Lane of, ChunkLog log) {
        int end = 0;
        while (end < log.size() && (end == 0 || log.first(end - 1) + log.units(end - 1) == log.first(end))) {
            end++;
        }
        Sums sums = new Sums(lane, log, end);
        if (sums.count[0] * sums.count[1] == 0) {
            return;
        }
        double large = sums.nanos[0] / sums.count[0];
        double small = sums.nanos[1] / sums.count[1];
        double less = sums.work[1] / sums.count[1] / (sums.work[0] / sums.count[0]);
        LogNormal start = belief.alone(terms.start(lane));
        double noise = of.noise + kernel.profile.doubtOfNeighbours();
        start.observeLine(small, large, less, noise / sums.count[1], noise / sums.count[0]);
        belief.learn(terms.start(lane), start);
    }

    /** A chunk that took longer than the lane's chunks on average shows where units are dear. */
    private void learnProfile(int lane, KernelHistory.Lane of, ChunkLog log, double work) {
        double fixed = terms.startNanos(lane);
        double doubt = Math.min(1, belief.covariance(terms.start(lane), terms.start(lane)));
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
        String set = of.name(job.lanes());
        SizeModel.OfSet known = size.sets.get(set);
        SizeModel.OfSet before = known != null ? known : size.unseen();
        double apart = Math.log(Math.max(1, last / together));
        double noise = of.lane(Long.numberOfTrailingZeros(job.lanes())).noise + apart * apart;
        size.sets.put(set, before.observe(together, (double) job.wallNanos(), (double) job.units(), noise, size.jobs));
    }
}
