package dev.evener.model;

import dev.evener.DeviceInfo;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link StoredHistory} knows of one kind of job on certain devices: the lanes of a runtime. A set of lanes is a bit mask,
 * bit {@code i} standing for the device {@code i} in the list that it was asked for. Thread-safe.
 */
public final class JobHistory {
    private final StoredHistory owner;
    private final KernelHistory kernel;
    private final DeviceInfo[] list;
    private final String[] devices;
    private final String[] classes;
    private final Map<Long, String> nameOf = new ConcurrentHashMap<>(); // of a set
    private final Map<Long, String[]> termsOf = new ConcurrentHashMap<>(); // of a set, by lane

    @Nullable
    LaneTerms terms; // of its lanes, in the belief that was looked at last; guarded by the kernel

    private final AtomicReference<@Nullable Planned> ahead = new AtomicReference<>();

    /** Lanes that ran such a job in this process: as it was declared, and in its form for one device. Guarded by the kernel. */
    private final boolean[][] warm;

    JobHistory(StoredHistory owner, KernelHistory kernel, List<DeviceInfo> devices) {
        this.owner = owner;
        this.kernel = kernel;
        this.list = devices.toArray(DeviceInfo[]::new);
        this.devices = new String[list.length];
        this.classes = new String[list.length];
        this.warm = new boolean[2][list.length];
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < list.length; i++) {
            String identity = list[i].identity();
            for (int twin = 2; !taken.add(identity); twin++) { // two devices that nothing tells apart
                identity = list[i].identity() + "#" + twin;
            }
            this.devices[i] = identity.intern(); // thousands of kinds have the same names
            DeviceInfo d = list[i];
            classes[i] = (d.kind() + "|" + d.name() + "|" + d.driver() + "|" + d.computeUnits()).intern();
        }
    }

    /** Whether it is what was asked for with such devices. */
    boolean isOn(List<DeviceInfo> devices) {
        return Arrays.asList(list).equals(devices);
    }

    /** What is known for a job of this size, as of now, on lanes that have nothing else to do. */
    public HistorySnapshot model(long units) {
        return model(units, new double[list.length]);
    }

    /**
     * What is known for a job of this size, as of now.
     *
     * @param units of the job, at least 0
     * @param busy how long each lane works for other jobs before, in nanoseconds
     */
    public HistorySnapshot model(long units, double[] busy) {
        synchronized (kernel) {
            SizeModel size = kernel.size(KernelHistory.octave(units));
            if (!LaneTerms.in(size.belief, this)) {
                size.belief = size.belief.copy();
            }
            return new HistorySnapshot(
                    this, kernel, size, LaneTerms.of(this, size.belief, list), (double) Math.max(1, units), busy);
        }
    }

    /**
     * A plan for the next job, made when the last one's lesson was learnt, so that a short job does not wait for the making of its own.
     *
     * @param policy that made it
     * @param units of the job
     * @param granules that it is cut into
     * @param available lanes whose devices work
     * @param plan how it is cut
     * @param model what was known
     */
    public record Planned(Policy policy, long units, long granules, long available, Plan plan, HistorySnapshot model) {}

    /** Keeps a plan until the next one takes its place; one for a look holds for one job. */
    public void planAhead(Planned planned) {
        ahead.set(planned);
    }

    /** The plan for such a job, or null. */
    public @Nullable Planned planned(Policy policy, long units, long granules, long available) {
        Planned kept = ahead.get();
        boolean fits = kept != null
                && kept.units == units
                && kept.granules == granules
                && kept.available == available
                && kept.policy.equals(policy);
        return fits && (kept.plan.lookNanos() == 0 || ahead.compareAndSet(kept, null)) ? kept : null;
    }

    /** Learns what became of a job that ended well. */
    public void learn(JobObservation job) {
        if (job.units() <= 0 || job.lanes() == 0) {
            return;
        }
        synchronized (kernel) {
            SizeModel size = kernel.size(KernelHistory.octave(job.units()));
            Belief belief = size.belief.copy();
            size.makeRoom(name(job.lanes()), belief);
            LaneTerms terms = LaneTerms.of(this, belief, list);
            terms.addCompany(job.lanes());
            terms.fade();
            new Learning(this, kernel, size, belief, terms, job).learn(warm[job.single() ? 1 : 0]);
            size.belief = belief;
        }
        owner.learnt(kernel);
    }

    /** The term of what a set does to those of its lanes that are of this one's class. */
    String companyTerm(long set, int lane) {
        return termsOf.computeIfAbsent(set, s -> {
            String[] terms = new String[devices.length];
            Arrays.setAll(terms, i -> (company(name(s)) + devices[i]).intern());
            return terms;
        })[lane];
    }

    /** How the terms of a set begin. */
    static String company(String set) {
        return "beside " + set + ": ";
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
            return String.join(" + ", members).intern();
        });
    }

    /** What is known of a lane whatever the size of jobs; guarded by the kernel. */
    KernelHistory.Lane lane(int lane) {
        return kernel.lane(devices[lane]);
    }

    int lanes() {
        return devices.length;
    }

    /** Whether the job has a form of its own for one device. */
    boolean hasForm() {
        return kernel.phases.get(0).shape().contains(JobKey.FORM);
    }

    /** What a lane's device has in common with devices that are equal to it. */
    String classOf(int lane) {
        return classes[lane];
    }

    /** A lane's device, told apart from all others. */
    String device(int lane) {
        return devices[lane];
    }
}
