package dev.evener.history;

import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.Job;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.Estimate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What each device achieved on each kind of job, and how long whole jobs took on which devices. Jobs are of one kind if
 * kernels, sources, build options and data shapes are equal; sizes are told apart within a kind, and sizes not seen before
 * are predicted from those that were. Thread-safe.
 */
public final class History {
    /** Kinds of jobs, on different devices, that are kept at hand. */
    private static final int AT_HAND = 256;

    private final TreeMap<String, Knowledge> kinds = new TreeMap<>();
    private final ConcurrentHashMap<Like, JobHistory> atHand = new ConcurrentHashMap<>();
    private final @Nullable Path file;
    private long savedChanges;
    private final TreeMap<String, DeviceProbe> probes = new TreeMap<>(); // by device; guarded by the kinds
    private boolean probesChanged;

    private History(@Nullable Path file) {
        this.file = file;
    }

    /** A history that is forgotten at the end. */
    public static History inMemory() {
        return new History(null);
    }

    /**
     * The history kept in a file. A file that is missing gives an empty history; one that is damaged or of another version
     * is set aside under a name of its own, with a warning, and an empty history takes its place. What devices were measured
     * to do is kept in a file {@code probes.json} beside it, to which the same applies.
     */
    public static History at(Path file) {
        History history = new History(file);
        for (Knowledge knowledge : HistoryFile.load(file)) {
            history.kinds.put(key(knowledge.phases), knowledge);
        }
        for (DeviceProbe probe : ProbeFile.load(ProbeFile.beside(file))) {
            history.probes.put(probe.device(), probe);
        }
        return history;
    }

    /** The file it is kept in, or null. */
    public @Nullable Path file() {
        return file;
    }

    /**
     * What is known of jobs like this one on these devices; quick when jobs like it were asked for before.
     *
     * @param devices at most 62, in the order in which lanes are numbered; must not be changed afterwards
     */
    public JobHistory of(Job job, List<DeviceInfo> devices) {
        Like like = new Like(job, devices);
        JobHistory known = atHand.get(like);
        return known != null ? known : find(job, devices, like);
    }

    private JobHistory find(Job job, List<DeviceInfo> devices, Like like) {
        List<Like.Phase> phases = Like.phases(job);
        synchronized (kinds) {
            Knowledge knowledge = kinds.computeIfAbsent(key(phases), k -> new Knowledge(phases));
            Estimate[] estimates = new Estimate[devices.size()];
            for (int i = 0; i < estimates.length; i++) {
                DeviceInfo device = devices.get(i);
                estimates[i] = FirstEstimate.of(job, device, probes.get(device.identity()));
            }
            JobHistory made = new JobHistory(knowledge, devices, estimates);
            if (atHand.size() >= AT_HAND) {
                atHand.clear();
            }
            JobHistory other = atHand.putIfAbsent(like, made);
            return other != null ? other : made;
        }
    }

    private static String key(List<Like.Phase> phases) {
        StringBuilder key = new StringBuilder();
        for (Like.Phase phase : phases) {
            key.append(phase.kernel()).append('\n').append(phase.shape()).append('\n');
        }
        return key.toString();
    }

    /**
     * Keeps what a device was measured to do, in place of what was kept before. Jobs of kinds that a device never ran are
     * shared out by it; to what was observed it makes no difference.
     */
    public void keep(DeviceProbe probe) {
        synchronized (kinds) {
            probes.put(probe.device(), probe);
            probesChanged = true;
            atHand.clear(); // they hold estimates
        }
    }

    /** What a device was measured to do under its present driver, or null if that was never kept. */
    public @Nullable DeviceProbe probe(DeviceInfo device) {
        synchronized (kinds) {
            return probes.get(device.identity());
        }
    }

    /** What each device takes in each company, in a stable order. */
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (Knowledge knowledge : all()) {
            synchronized (knowledge) {
                knowledge.costs.forEach((key, curves) -> {
                    for (int p = 0; p < curves.length; p++) {
                        for (int octave : curves[p].numbers()) {
                            Level level = curves[p].known(octave);
                            entries.add(new Entry(
                                    knowledge.phases.get(p).kernel(),
                                    key.device(),
                                    key.company().identities(),
                                    knowledge.phases.get(p).shape(),
                                    1L << octave,
                                    curves[p].line(octave),
                                    level.spread()));
                        }
                    }
                });
            }
        }
        return List.copyOf(entries);
    }

    /** How long whole jobs took, in a stable order. */
    public List<JobTime> times() {
        List<JobTime> times = new ArrayList<>();
        for (Knowledge knowledge : all()) {
            synchronized (knowledge) {
                List<String> kernels =
                        knowledge.phases.stream().map(Like.Phase::kernel).toList();
                knowledge.outcomes.forEach((set, curve) -> {
                    for (int octave : curve.numbers()) {
                        Level level = curve.known(octave);
                        times.add(new JobTime(
                                kernels,
                                set.identities(),
                                Math.round(level.units()),
                                level.nanos(),
                                level.spread(),
                                level.samples()));
                    }
                });
            }
        }
        return List.copyOf(times);
    }

    private List<Knowledge> all() {
        synchronized (kinds) {
            return List.copyOf(kinds.values());
        }
    }

    /** Forgets everything but what devices were measured to do. */
    public void clear() {
        synchronized (kinds) {
            savedChanges = kinds.isEmpty() ? savedChanges : -1;
            kinds.clear();
            atHand.clear();
        }
    }

    /** Writes it to its file if it changed: all or nothing. A failure is a warning, since results do not depend on it. */
    public void save() {
        if (file == null) {
            return;
        }
        synchronized (kinds) {
            long changes = 0;
            for (Map.Entry<String, Knowledge> kind : kinds.entrySet()) {
                synchronized (kind.getValue()) {
                    changes += kind.getValue().changes;
                }
            }
            if (changes != savedChanges && HistoryFile.save(file, kinds.values())) {
                savedChanges = changes;
            }
            if (probesChanged && ProbeFile.save(ProbeFile.beside(file), probes.values())) {
                probesChanged = false;
            }
        }
    }

    /**
     * What one device takes for one kernel in one company, at one size.
     *
     * @param kernel kernel function
     * @param device device identity
     * @param company identities of all devices that worked on the jobs, this one among them
     * @param shape what was built and the sizes per unit
     * @param units least size of the jobs: all had at least that many units, and fewer than twice as many
     * @param cost the estimate
     * @param spread relative deviation of what was seen from the estimate
     */
    public record Entry(
            String kernel, String device, List<String> company, String shape, long units, Cost cost, double spread) {}

    /**
     * How long whole jobs of one kind took on one set of devices, at one size.
     *
     * @param kernels kernel function of each phase
     * @param devices identities
     * @param units typical size
     * @param wallNanos the estimate for that size
     * @param spread relative deviation of what was seen from the estimate
     * @param samples observations since it last changed
     */
    public record JobTime(
            List<String> kernels, List<String> devices, long units, double wallNanos, double spread, long samples) {}
}
