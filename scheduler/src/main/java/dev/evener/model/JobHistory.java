package dev.evener.model;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link StoredHistory} knows of one kind of job on certain devices: the lanes of a runtime. Lane {@code i} is
 * the device {@code i} in the list that it was asked for. Thread-safe.
 *
 * <p><b>The model.</b> A chunk of work x takes a lane {@code t(x) = launch + f + x * c}: {@code launch} on the host,
 * {@code f} on the device whatever the size, {@code c} for a unit of mean cost. {@code f} and {@code c} are estimated
 * together from chunks of all sizes ({@link CostFit}), as neither can be told from one: chunks of about one size are a
 * bin, and those of one job in one bin one observation, as they are disturbed alike. The fit is where the sum of
 * {@code (ln f - ln f0)^2 / V_f + (ln c - ln c0)^2 / V_c} and, over the bins, {@code (y - ln(f + x * c))^2 / (v +
 * 0.05^2)} is least. What a bin is off that line is added for sizes near by.
 *
 * <p><b>Change.</b> Evidence fades by 0.0005 of variance a job. A time 2.5 deviations from what its bin expects is a
 * disturbance or the beginning of a change, each as likely: the bin moves by half the error, all become doubtful, and
 * the next job decides. A lane's first chunk of a phase in a process is an upper bound at most, as runtimes compile in
 * it. A lane that is far slower than its like is looked at again, ever more rarely, before it is believed ({@link
 * Lateness}).
 *
 * <p><b>Lanes of a class</b>, devices of one name, driver and size, are expected to be equal within 10 %: what the
 * others show is the prior of each. Lanes that work at once slow each other down, so a lane's fit is that of the set
 * it was in last; of each other set it keeps the gap, the logarithm of the ratio of times ({@link LaneModel}). The gap
 * to a set it was never in is {@code sharing * ln(|S| / |home|)}, where {@code sharing} is learnt and begins as 0.35
 * with a deviation of 0.29. A gap has bounds: lanes together are never faster than alone, and never slower than if
 * each had its part of one device.
 *
 * <p><b>How long a set takes.</b> With the shares that make its lanes finish together they need the time T for which
 * the sum of {@code max(0, T - away - delay - fixed) / c} over the lanes is the number of units. {@code fixed} is
 * {@code launch + exp(ln f + V_f / 2)}, the mean of what it may be: a lane whose fixed cost is a guess gets no share
 * of a short job on the strength of that. What jobs take beyond T is learnt for each set ({@link SetModel}), and what
 * jobs of this size took there last corrects it. Units may differ in cost along the index space: a profile of 64 parts
 * learns that, and shares, chunks and thefts are measured in work.
 *
 * <p>Sources: Kalman, A New Approach to Linear Filtering and Prediction Problems, 1960, for bins and gaps; Gelman and
 * others, Bayesian Data Analysis, 2013, for most probable fits and pooling by class; Augonnet, Thibault and Namyst,
 * Automatic Calibration of Performance Models on Heterogeneous Multicore Architectures, 2009, for models kept by
 * kernel and size.
 */
public final class JobHistory {
    private static final int MOST_POLICIES = 64;

    /** Part of the time that plans made ahead may take, once a job more adds no more than that to what is known. */
    private static final double PLANNING = 0.01;

    private final StoredHistory owner;
    private final KernelHistory kernel;
    final List<DeviceInfo> list;
    private static final double[] NONE = {};

    private final String[] devices;
    private final long[] hashes;
    private final int[] classes;
    private final double[] logSpeeds;
    private final AtomicReference<@Nullable Planned> ahead = new AtomicReference<>();
    private volatile long planAgainAt; // when planning will have taken no more of the time than it may

    private final Map<Policy, Policy> ofKind =
            new ConcurrentHashMap<>(); // of those that keep state, or are made by name

    /** Lanes that ran such a job in this process: as it was declared, and in its form for one device. Guarded by the kernel. */
    private final boolean[][] warm;

    JobHistory(StoredHistory owner, KernelHistory kernel, List<DeviceInfo> devices) {
        this.owner = owner;
        this.kernel = kernel;
        this.list = devices;
        this.devices = new String[list.size()];
        this.hashes = new long[list.size()];
        this.classes = new int[list.size()];
        this.logSpeeds = new double[list.size()];
        this.warm = new boolean[2][list.size()];
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < this.devices.length; i++) {
            DeviceInfo device = list.get(i);
            String identity = device.identity();
            for (int twin = 2; !taken.add(identity); twin++) { // two devices that nothing tells apart
                identity = device.identity() + "#" + twin;
            }
            this.devices[i] = identity.intern(); // thousands of kinds have the same names
            hashes[i] = hash(identity);
            logSpeeds[i] = Math.log(device.roughSpeed());
            while (!isAlike(list.get(classes[i]), device)) {
                classes[i]++;
            }
        }
    }

    private static boolean isAlike(DeviceInfo a, DeviceInfo b) {
        return a.kind() == b.kind()
                && a.computeUnits() == b.computeUnits()
                && a.name().equals(b.name())
                && a.driver().equals(b.driver());
    }

    /** Whether it is what was asked for with such devices. */
    boolean isOn(List<DeviceInfo> devices) {
        return list.equals(devices);
    }

    /** Whether jobs of this kind are of the other, or one of the steps that the other's are made of. */
    public boolean isPartOf(JobHistory other) {
        return this == other
                || (owner == other.owner
                        && kernel.phases.size() == 1
                        && other.kernel.phases.contains(kernel.phases.get(0)));
    }

    /** Whether a job declared like this one was seen to do what it declares. */
    public boolean hasPassed(Job job) {
        synchronized (kernel) {
            return !kernel.passed.isEmpty() && kernel.passed.contains(JobKey.declaration(job));
        }
    }

    /** It was; saved with what is learnt next. */
    public void passed(Job job) {
        synchronized (kernel) {
            if (kernel.passed.size() >= KernelHistory.MOST_PASSED) {
                kernel.passed.clear();
            }
            kernel.passed.add(JobKey.declaration(job));
        }
    }

    /** A policy for jobs of this kind, which may keep state for them: {@link Policy#forKind}. */
    public Policy forKind(Policy policy) {
        Policy known = ofKind.get(policy);
        if (known != null) {
            return known;
        }
        Policy own = policy.forKind();
        if (own.equals(policy)) { // which would be kept for nothing, and there may be one for each job
            return policy;
        }
        if (ofKind.size() >= MOST_POLICIES) {
            ofKind.clear();
        }
        return ofKind.computeIfAbsent(policy, each -> own);
    }

    /** What is known for a job of this size, as of now, on lanes that have nothing else to do. */
    public HistorySnapshot model(long units) {
        return model(units, new double[devices.length]);
    }

    /**
     * What is known for a job of this size, as of now.
     *
     * @param units of the job, at least 0
     * @param busy how long each lane works for other jobs before, in nanoseconds
     */
    public HistorySnapshot model(long units, double[] busy) {
        if (kernel.phases.size() > 1 && kernel.isUnknown()) {
            owner.expectOfSteps(kernel);
        }
        synchronized (kernel) {
            return new HistorySnapshot(this, kernel, (double) Math.max(1, units), busy);
        }
    }

    /**
     * A plan for the next job, made when the last one's lesson was learnt, so that a short job does not wait for the making of its own.
     *
     * @param policy that made it
     * @param units of the job
     * @param granules that it is cut into
     * @param available lanes whose devices work
     * @param data of the job that was learnt from, which another job on them knows
     * @param plan how it is cut
     * @param model what was known
     */
    public record Planned(
            Policy policy,
            long units,
            long granules,
            LaneSet available,
            Object data,
            Plan plan,
            HistorySnapshot model) {
        /** Of a plan that does not depend on where data lie, as nobody knows what it takes to bring them. */
        private static final Object ANY = new Object();

        private boolean isFor(Policy own, long itsUnits, long itsGranules, LaneSet lanes, Predicate<Object> isThere) {
            return units == itsUnits
                    && granules == itsGranules
                    && available.equals(lanes)
                    && (data == ANY || isThere.test(data))
                    && policy.equals(own);
        }
    }

    /** What a plan for a job on such data is kept for. */
    public Object plannedFor(Object data) {
        return owner.hasMoved() ? data : Planned.ANY;
    }

    /**
     * Keeps a plan, made from one time to another in nanoseconds, until the next takes its place; one for a look
     * holds for one job.
     */
    public void planAhead(Planned planned, long began, long ended) {
        ahead.set(planned);
        planAgainAt = ended + (long) ((ended - began) / PLANNING);
    }

    /** The plan for such a job, or null. */
    public @Nullable Planned planned(
            Policy policy, long units, long granules, LaneSet available, Predicate<Object> isThere) {
        Planned kept = ahead.get();
        boolean fits = kept != null && kept.isFor(policy, units, granules, available, isThere);
        return fits && (kept.plan.lookNanos() == 0 || ahead.compareAndSet(kept, null)) ? kept : null;
    }

    /**
     * Whether the plan that is there will do for the next such job: it is no look, little was learnt since it was
     * made, and it was made just now, by what planning takes. So jobs that take less than that are not planned one by
     * one.
     */
    public boolean isPlanned(
            Policy policy, long units, long granules, LaneSet available, Predicate<Object> isThere, long now) {
        Planned kept = ahead.get();
        synchronized (kernel) {
            return kept != null
                    && kept.isFor(policy, units, granules, available, isThere)
                    && kept.plan.lookNanos() == 0
                    && now - planAgainAt < 0
                    && kernel.jobs <= (1 + PLANNING) * kept.model.jobs();
        }
    }

    /** Whether a lane has run such a job in this process, so that nothing is done there for the first time. */
    public boolean isWarm(int lane) {
        synchronized (kernel) {
            return warm[0][lane];
        }
    }

    /** Learns what became of a job that ended well. */
    public void learn(JobObservation job) {
        if (job.units() <= 0 || job.lanes().isEmpty()) {
            return;
        }
        for (int i = 0; i < devices.length; i++) {
            ChunkLog log = job.chunks()[i];
            owner.brought(list.get(i).name(), log.brought(), log.broughtBytes());
        }
        synchronized (kernel) {
            if (kernel.known || job.wallNanos() != JobObservation.ASIDE) { // else nobody knows yet what is late
                new Learning(this, kernel, job).learn(warm[job.single() ? 1 : 0]);
            }
        }
        owner.learnt(kernel);
    }

    /** What a lane alone is known by. */
    long key(int lane) {
        return hashes[lane];
    }

    /** What a set is known by: the same in whatever order its devices are. */
    long key(LaneSet set) {
        long key = 0;
        for (int lane = 0; lane < devices.length; lane++) {
            key += set.has(lane) ? hashes[lane] : 0;
        }
        return key;
    }

    /** The devices of a set. */
    List<String> devices(LaneSet set) {
        IntStream members = IntStream.range(0, devices.length).filter(set::has);
        return members.mapToObj(lane -> devices[lane]).sorted().toList();
    }

    /** A number for a text, such as a device's, of which no two sets of devices should have the same sum. */
    static long hash(String text) {
        long hash = 0xcbf29ce484222325L; // FNV-1a, then the finalizer of SplitMix64
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return hash ^ (hash >>> 31);
    }

    /** What is known of a lane whatever the size of jobs; guarded by the kernel. */
    LaneModel lane(int lane) {
        return kernel.lane(devices[lane]);
    }

    int lanes() {
        return devices.length;
    }

    /** The number of the class of devices that a lane's is of: equal ones have the same, that of the first of them. */
    public int classOf(int lane) {
        return classes[lane];
    }

    /** Logarithm of a rough speed, before anything was measured. */
    double logSpeed(int lane) {
        return logSpeeds[lane];
    }

    /**
     * What a byte takes that is brought to each lane, in nanoseconds; 0 if nobody knows, and nothing if nobody knows
     * of any.
     */
    double[] nanosPerByte() {
        double[] all = owner.hasMoved() ? new double[list.size()] : NONE;
        Arrays.setAll(all, i -> owner.nanosPerByte(list.get(i).name()));
        return all;
    }

    /** What the lane's device is like in other kinds of jobs; null if nobody knows. */
    KernelHistory.@Nullable Trait trait(int lane) {
        return owner.traits().get(devices[lane]);
    }
}
