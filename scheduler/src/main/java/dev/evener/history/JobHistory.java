package dev.evener.history;

import dev.evener.DeviceInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a {@link History} knows of one kind of job on certain devices: the lanes of a runtime. A set of lanes is a bit mask,
 * bit {@code i} standing for the device {@code i} in the list that it was asked for. Thread-safe.
 */
public final class JobHistory {
    /** Chunks of less than this part of a lane's largest one are seen as a group of their own: they tell the fixed cost. */
    private static final double SMALL = 0.5;

    /**
     * Variance of what a lane's first job in a process takes: compilers of the JVM, first touches of memory and clocks that are
     * down may make it twice as long.
     */
    private static final double COLD = Math.log(2) * Math.log(2);

    private final History owner;
    private final KernelHistory kernel;
    private final DeviceInfo[] list;
    private final String[] devices;
    private final String[] classes;
    private final boolean[] warm; // lanes that ran such a job in this process; guarded by the kernel
    private final Map<Long, String> nameOf = new ConcurrentHashMap<>(); // of a set

    /** Where the terms of the lanes are in a belief. */
    record Places(int scale, int sharing, int[] ofClass, int[] ofDevice, int[] start) {}

    JobHistory(History owner, KernelHistory kernel, List<DeviceInfo> devices) {
        this.owner = owner;
        this.kernel = kernel;
        this.list = devices.toArray(DeviceInfo[]::new);
        this.devices = new String[list.length];
        this.classes = new String[list.length];
        this.warm = new boolean[list.length];
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < list.length; i++) {
            DeviceInfo device = list[i];
            String identity = device.identity();
            for (int twin = 2; !taken.add(identity); twin++) { // two devices that nothing tells apart
                identity = device.identity() + "#" + twin;
            }
            this.devices[i] = identity;
            classes[i] = device.kind() + "|" + device.name() + "|" + device.driver() + "|" + device.computeUnits();
        }
    }

    /**
     * What is known for a job of this size, as of now.
     *
     * @param units of the job, at least 0
     */
    public HistorySnapshot model(long units) {
        synchronized (kernel) {
            SizeModel size = kernel.size(KernelHistory.octave(units));
            return new HistorySnapshot(this, kernel, size, places(size), (double) Math.max(1, units));
        }
    }

    /** Where the terms of these lanes are; made if need be, in a belief of which nobody holds a copy. */
    private Places places(SizeModel size) {
        Belief belief = size.belief;
        boolean missing = belief.find("log scale") < 0;
        for (int i = 0; i < devices.length && !missing; i++) {
            missing = belief.find("once a chunk " + devices[i]) < 0;
        }
        if (missing) {
            belief = belief.copy();
            place(belief, "log scale", 0, 1);
            place(belief, "sharing", SizeModel.SHARING, SizeModel.SHARING_VARIANCE);
            for (int i = 0; i < devices.length; i++) {
                place(belief, "class " + classes[i], -Math.log(list[i].roughSpeed()), SizeModel.CLASS_VARIANCE);
                place(belief, "device " + devices[i], 0, SizeModel.DEVICE_VARIANCE);
                place(belief, "once a chunk " + devices[i], Math.log(SizeModel.START_NANOS), SizeModel.START_VARIANCE);
            }
            size.belief = belief;
        }
        Belief in = belief;
        return new Places(
                in.find("log scale"),
                in.find("sharing"),
                Arrays.stream(classes).mapToInt(c -> in.find("class " + c)).toArray(),
                Arrays.stream(devices).mapToInt(d -> in.find("device " + d)).toArray(),
                Arrays.stream(devices).mapToInt(d -> in.find("once a chunk " + d)).toArray());
    }

    private static int place(Belief belief, String term, double mean, double variance) {
        int known = belief.find(term);
        return known >= 0 ? known : belief.add(term, mean, variance);
    }

    /** The term of what a set does to one of its lanes. */
    String companyTerm(long set, int lane) {
        return "beside " + name(set) + ": " + devices[lane];
    }

    /** What a set is called. */
    String name(long set) {
        return nameOf.computeIfAbsent(set, s -> {
            List<String> members = new ArrayList<>();
            for (int lane = 0; lane < devices.length; lane++) {
                if ((s >>> lane & 1) == 1) {
                    members.add(devices[lane]);
                }
            }
            members.sort(null);
            return String.join(" + ", members);
        });
    }

    KernelHistory.Lane lane(int lane) {
        return kernel.lane(devices[lane]);
    }

    int lanes() {
        return devices.length;
    }

    /** Learns what became of a job that ended well. */
    public void learn(JobObservation job) {
        if (job.units() <= 0 || job.lanes() == 0) {
            return;
        }
        synchronized (kernel) {
            SizeModel size = kernel.size(KernelHistory.octave(job.units()));
            Places places = places(size);
            Belief belief = size.belief.copy();
            size.fade(belief);
            new Learning(job, size, belief, places).learn();
            size.belief = belief;
            kernel.changes++;
        }
        owner.learnt(kernel);
    }

    /** One job's lesson. */
    private final class Learning {
        private final JobObservation job;
        private final SizeModel size;
        private final Belief belief;
        private final Places places;
        private final boolean alone;
        private final double sharing; // how often the term of sharing counts
        private boolean cold; // whether a lane ran such a job for the first time

        Learning(JobObservation job, SizeModel size, Belief belief, Places places) {
            this.job = job;
            this.size = size;
            this.belief = belief;
            this.places = places;
            this.alone = Long.bitCount(job.lanes()) == 1;
            this.sharing = Math.log(Long.bitCount(job.lanes()));
        }

        void learn() {
            double rates = 0; // units a nanosecond, of all lanes
            double last = 0; // when the last lane was done
            double late = 0; // units that lanes did not do while they were not at work yet
            if (!size.known) {
                findScale();
            }
            for (int i = 0; i < devices.length; i++) {
                ChunkLog log = job.chunks()[i];
                if ((job.lanes() >>> i & 1) == 0 || log.chunks() == 0) {
                    continue;
                }
                KernelHistory.Lane lane = lane(i);
                double[] perUnit = perUnit(log);
                if (!job.single()) {
                    lane.learnPhaseParts(perUnit);
                }
                if (warm[i]) {
                    lane.learnDelay(alone, (double) job.delayNanos()[i]);
                    lane.learnLaunch(log.launchNanos() / (double) log.chunks());
                } else {
                    cold = true;
                }
                double work = observe(i, lane, log);
                lane.chunks += log.chunks();
                double rate = work / log.totalNanos();
                rates += rate;
                late += rate * job.delayNanos()[i];
                last = Math.max(last, job.delayNanos()[i] + log.totalNanos());
                if (!job.single()) {
                    learnProfile(i, lane, log, 1 / rate);
                }
                warm[i] = true;
            }
            kernel.profile.settle();
            if (rates > 0 && !cold && (alone || job.balanced())) {
                learnTail((job.units() + late) / rates, last);
            }
            size.known = true;
            size.jobs++;
            size.totalNanos += job.wallNanos();
            size.spentNanos += job.lookNanos();
            size.lastLook = job.lookNanos() > 0 ? size.jobs : size.lastLook;
        }

        /** The first job of a kind tells the scale; what is left are the devices' differences from what was guessed. */
        private void findScale() {
            double sum = 0;
            int lanes = 0;
            for (int i = 0; i < devices.length; i++) {
                ChunkLog log = job.chunks()[i];
                if ((job.lanes() >>> i & 1) == 1 && log.chunks() > 0) {
                    double own = Math.max(log.totalNanos() / 2.0, log.totalNanos() - log.launchNanos());
                    sum += Math.log(own / work(i, log)) - expectedLog(i);
                    lanes++;
                }
            }
            if (lanes > 0) {
                belief.setMean(places.scale(), belief.mean(places.scale()) + sum / lanes);
            }
        }

        private double[] perUnit(ChunkLog log) {
            double[] units = new double[kernel.phases.size()];
            double[] nanos = new double[units.length];
            for (int c = 0; c < log.size(); c++) {
                int phase = Math.min(log.phase(c), units.length - 1);
                units[phase] += log.units(c);
                nanos[phase] += log.nanos(c);
            }
            for (int p = 0; p < units.length; p++) {
                nanos[p] = units[p] > 0 ? nanos[p] / units[p] : 0;
            }
            return nanos;
        }

        /** Work of a chunk, as the part of a job of all phases that it is. */
        private double work(int lane, ChunkLog log, int chunk) {
            return job.single()
                    ? (double) job.units() / log.chunks()
                    : kernel.profile
                                    .profile()
                                    .work((double) log.first(chunk), (double) log.units(chunk), (double) job.units())
                            * lane(lane).phaseParts[log.phase(chunk)];
        }

        private double work(int lane, ChunkLog log) {
            double sum = log.moreUnits() / (double) kernel.phases.size();
            for (int c = 0; c < log.size(); c++) {
                sum += work(lane, log, c);
            }
            return sum;
        }

        private double expectedLog(int lane) {
            double sum = belief.mean(places.scale())
                    + belief.mean(places.ofClass()[lane])
                    + belief.mean(places.ofDevice()[lane])
                    + sharing * belief.mean(places.sharing());
            return alone ? sum : sum + belief.mean(ofCompany(lane));
        }

        private int ofCompany(int lane) {
            return place(belief, companyTerm(job.lanes(), lane), 0, SizeModel.SET_VARIANCE);
        }

        /** Learns from a lane's chunks, large and small ones each as a sum; returns their work. */
        private double observe(int lane, KernelHistory.Lane of, ChunkLog log) {
            double largest = 0;
            for (int c = 0; c < log.size(); c++) {
                largest = Math.max(largest, work(lane, log, c));
            }
            double[] work = {0, log.moreUnits() / (double) kernel.phases.size()};
            double[] nanos = {0, (double) log.moreNanos()};
            int[] count = {0, log.more()};
            for (int c = 0; c < log.size(); c++) {
                double each = work(lane, log, c);
                int group = each < SMALL * largest ? 1 : 0;
                work[group] += each;
                nanos[group] += log.nanos(c);
                count[group]++;
            }
            for (int group = 0; group < 2; group++) {
                if (work[group] > 0) {
                    // A few small chunks say less of the device than the rest does.
                    double noise = of.noise * (work[0] + work[1]) / work[group] + (warm[lane] ? 0 : COLD);
                    observe(lane, of, count[group], work[group], nanos[group], noise);
                }
            }
            return work[0] + work[1];
        }

        private void observe(
                int lane, KernelHistory.Lane of, double chunks, double work, double nanos, double noise) {
            int company = alone ? -1 : ofCompany(lane);
            double start = chunks * Math.exp(belief.mean(places.start()[lane]));
            double units = work * Math.exp(expectedLog(lane));
            double all = chunks * of.launch + start + units;
            double part = units / all;
            int[] row = alone
                    ? new int[] {
                        places.scale(), places.ofClass()[lane], places.ofDevice()[lane], places.start()[lane]
                    }
                    : new int[] {
                        places.scale(),
                        places.ofClass()[lane],
                        places.ofDevice()[lane],
                        places.start()[lane],
                        places.sharing(),
                        company
                    };
            double[] factors = alone
                    ? new double[] {part, part, part, start / all}
                    : new double[] {part, part, part, start / all, part * sharing, part};
            double known = belief.variance(row, factors);
            double error = Math.log(nanos / all);
            double counted = belief.observe(row, factors, error, noise, places.ofDevice()[lane]);
            if (warm[lane]) {
                of.learnNoise(counted, of.noise / (known + noise));
            }
        }

        private void learnProfile(int lane, KernelHistory.Lane of, ChunkLog log, double nanosPerWork) {
            if (log.size() < 2) {
                return;
            }
            int start = places.start()[lane];
            double fixed = of.launch + Math.exp(belief.mean(start));
            double variance = belief.covariance(start, start);
            for (int c = 0; c < log.size(); c++) {
                double expected = work(lane, log, c) * nanosPerWork;
                double part = fixed / log.nanos(c);
                if (part < 0.5 && expected > 0) { // else it tells of launches
                    double from = log.first(c) / (double) job.units();
                    double to = (log.first(c) + log.units(c)) / (double) job.units();
                    kernel.profile.observe(
                            from,
                            to,
                            Math.log(log.nanos(c) / expected),
                            of.noise + part * part * Math.min(1, variance));
                }
            }
        }

        /**
         * Learns what the job took beyond its lanes' work.
         *
         * @param together nanoseconds after which the lanes would have been done, had they finished together
         * @param last after which the last one was: lanes that end far apart had the wrong shares, and say little
         */
        private void learnTail(double together, double last) {
            double apart = Math.log(Math.max(1, last / together));
            String set = name(job.lanes());
            SizeModel.Tail known = size.tails.get(set);
            SizeModel.Tail before = known != null ? known : size.expectedTail(together);
            double nanos = job.wallNanos() - together;
            double log = Math.log(Math.max(0.5, job.wallNanos() / together));
            double noise = lane(Long.numberOfTrailingZeros(job.lanes())).noise;
            size.tails.put(set, before.observe(log, nanos, Math.log(job.wallNanos() / (double) job.units()), noise + apart * apart));
        }
    }
}
