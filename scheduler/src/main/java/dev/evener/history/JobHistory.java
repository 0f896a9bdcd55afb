package dev.evener.history;

import dev.evener.DeviceInfo;
import dev.evener.policy.Experience;
import dev.evener.policy.Experience.Outcome;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.Estimate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link History} knows of one kind of job on certain devices: the lanes of a runtime. A set of lanes is a bit mask,
 * bit {@code i} standing for the device {@code i} in the list that it was asked for. Thread-safe.
 */
public final class JobHistory {
    /** How far a prediction from the octave beside may be off, and how much more from each octave further away. */
    private static final double CARRIED = 0.1;

    private static final double CARRIED_FURTHER = 0.1;
    private static final double CARRIED_MOST = 0.6;

    /** Say of the newest launch. */
    private static final double NEWEST_LAUNCH = 0.2;

    /** Of a launch or start: a number beyond is a measurement gone wrong. */
    static final double MOST_NANOS = 1e15;

    private final Knowledge knowledge;
    private final String[] devices;
    private final Estimate[] estimates;
    private final Map<Long, Devices> setOf = new HashMap<>();
    private final Map<Devices, Long> maskOf = new HashMap<>();

    // The keys of the knowledge that are about these devices, as arrays; guarded by the knowledge.
    private long resolvedKeys = -1;
    private long[][] companies = {};
    private Curve[][][] curves = {}; // [lane][company][phase]
    private Devices[][] companySets = {};
    private long[] sets = {};
    private Curve[] outcomes = {};

    private final PlanMemory plans = new PlanMemory();
    private volatile @Nullable View view;

    /** The latest view; good until something changes. */
    private record View(long changes, long units, Seen seen) {}

    /** @param estimates by device, from what it was measured to do */
    JobHistory(Knowledge knowledge, List<DeviceInfo> list, Estimate[] estimates) {
        this.knowledge = knowledge;
        this.estimates = estimates;
        this.devices = new String[list.size()];
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < devices.length; i++) {
            String identity = list.get(i).identity();
            for (int twin = 2; !taken.add(identity); twin++) { // two devices that nothing tells apart
                identity = list.get(i).identity() + "#" + twin;
            }
            devices[i] = identity;
        }
    }

    /**
     * What is known for a job of this size, as of now.
     *
     * @param units at least 0
     */
    public Experience experience(long units) {
        View last = view;
        synchronized (knowledge) {
            if (last == null || last.changes() != knowledge.changes || last.units() != units) {
                last = new View(knowledge.changes, units, look(units));
                view = last;
            }
        }
        return last.seen();
    }

    /**
     * A plan made for an earlier job that holds for this one too, or null.
     *
     * @param available the lanes whose devices work, as a bit mask
     */
    public @Nullable Plan planned(Policy policy, long units, long granules, long available) {
        return plans.find(policy, units, granules, available, knowledge.shifts.get());
    }

    /** Keeps a plan for as many jobs of this kind as it holds for. */
    public void remember(Policy policy, long units, long granules, long available, Plan plan) {
        plans.keep(policy, units, granules, available, knowledge.shifts.get(), plan);
    }

    private Seen look(long units) {
        resolve();
        int octave = Curve.octave(units);
        Cost[][] costs = new Cost[devices.length][];
        for (int lane = 0; lane < devices.length; lane++) {
            costs[lane] = new Cost[companies[lane].length];
            for (int c = 0; c < costs[lane].length; c++) {
                costs[lane][c] = sum(curves[lane][c], octave, knowledge.delay(devices[lane], companySets[lane][c]));
            }
        }
        Knowledge.Usage usage = knowledge.usages.get(octave);
        long jobs = usage == null ? 0 : usage.jobs;
        Outcome[] known = new Outcome[sets.length];
        double[] overheads = new double[sets.length];
        double[] balances = new double[sets.length];
        for (int i = 0; i < sets.length; i++) {
            known[i] = outcome(outcomes[i], octave, units, jobs, usage == null ? 0 : usage.drift);
            Level near = outcomes[i].nearest(octave);
            overheads[i] = near == null ? 0 : near.overheadNanos();
            balances[i] = near == null ? 1 : near.balance();
        }
        Devices usual = usage == null ? null : usage.usual;
        return new Seen(
                companies,
                costs,
                sets,
                known,
                overheads,
                balances,
                new Outcome(0, 0, 0, jobs, 0),
                usual == null ? 0 : Math.max(0, mask(usual)));
    }

    private static Outcome outcome(Curve curve, int octave, long units, long jobs, double drift) {
        Level here = curve.at(octave);
        if (here != null) {
            return new Outcome(
                    here.outdated(drift) * here.nanos((double) Math.max(1, units)),
                    here.spread(),
                    here.samples(),
                    Math.max(0, jobs - here.seenAt() - 1),
                    here.trials());
        }
        int further = curve.distance(octave) - 1;
        double doubt = Math.min(CARRIED_MOST, CARRIED + CARRIED_FURTHER * further);
        return new Outcome(curve.line(octave).predict((double) Math.max(1, units)), doubt, 0, jobs, 0);
    }

    /** The phases share one cut, so what counts is the sum of their costs; unknown if one of them is. */
    private static Cost sum(Curve[] phases, int octave, double delay) {
        double fixed = delay;
        double perUnit = 0;
        long samples = Long.MAX_VALUE;
        for (Curve phase : phases) {
            Cost cost = phase.line(octave);
            fixed += cost.fixedNanos();
            perUnit += cost.nanosPerUnit();
            samples = Math.min(samples, cost.samples());
        }
        return samples == 0 ? Cost.UNKNOWN : new Cost(fixed, perUnit, samples);
    }

    /**
     * The best guess at what a lane takes in a phase: from this company, else from when it was alone, else from the company
     * it was seen in at the size that is nearest. {@link Cost#UNKNOWN} if it never ran.
     *
     * @param company the lanes that work for the job, this one among them
     * @param units of the whole job
     */
    public Cost cost(int phase, int lane, long company, long units) {
        synchronized (knowledge) {
            resolve();
            int octave = Curve.octave(units);
            Curve curve = curve(phase, lane, company, octave);
            return curve == null ? Cost.UNKNOWN : curve.line(octave);
        }
    }

    /** What a lane should take for such a job if it never ran one; unknown if its device was never measured. */
    public Estimate estimate(int lane) {
        return estimates[lane];
    }

    private @Nullable Curve curve(int phase, int lane, long company, int octave) {
        Curve alone = null;
        Curve nearest = null;
        for (int c = 0; c < companies[lane].length; c++) {
            Curve curve = curves[lane][c][phase];
            int distance = curve.distance(octave);
            if (distance == Integer.MAX_VALUE) {
                continue;
            }
            if (companies[lane][c] == company) {
                return curve;
            }
            if (companies[lane][c] == 1L << lane) {
                alone = curve;
            }
            if (nearest == null || distance < nearest.distance(octave)) {
                nearest = curve;
            }
        }
        return alone != null ? alone : nearest;
    }

    /**
     * Predicted time a lane would be busy with the whole job, if it had it alone; 0 if it never ran a phase of it.
     *
     * @param units of the whole job
     */
    public double aloneNanos(int lane, long units) {
        double sum = 0;
        for (int phase = 0; phase < knowledge.phases.size(); phase++) {
            Cost cost = cost(phase, lane, 1L << lane, units);
            if (!cost.known()) {
                return 0;
            }
            sum += cost.predict((double) units);
        }
        return sum;
    }

    /** What a chunk of a phase costs on a lane beside the time the device is busy with it; 0 if unknown. */
    public double launchNanos(int phase, int lane) {
        synchronized (knowledge) {
            double[] launches = knowledge.launches.get(devices[lane]);
            return launches == null ? 0 : launches[phase];
        }
    }

    /** What a chunk of a phase takes on a lane's device whatever its size, as {@link ChunkCost} has it; 0 if unknown. */
    public double startNanos(int phase, int lane) {
        synchronized (knowledge) {
            return knowledge.startOf(devices[lane], phase).nanos;
        }
    }

    /** Whether the next job is to test that. */
    public boolean testsStart(int phase, int lane) {
        synchronized (knowledge) {
            return knowledge.startOf(devices[lane], phase).due();
        }
    }

    /** Learns {@link #launchNanos}: the mean of a job, above 0. */
    public void learnLaunch(int phase, int lane, double nanos) {
        double seen = Math.min(nanos, MOST_NANOS);
        if (!(seen > 0)) {
            return;
        }
        synchronized (knowledge) {
            double[] launches =
                    knowledge.launches.computeIfAbsent(devices[lane], device -> new double[knowledge.phases.size()]);
            double known = launches[phase];
            launches[phase] =
                    known <= 0 || seen < known / 2 ? seen : known + NEWEST_LAUNCH * (Math.min(seen, 2 * known) - known);
            knowledge.changes++;
        }
    }

    /**
     * Learns {@link #startNanos} from a job that several lanes shared, for one alone cuts nothing.
     *
     * @param nanos that the lane's last chunk left, not negative
     * @param tested whether the job's chunks were of sizes that may tell
     */
    public void learnStart(int phase, int lane, double nanos, boolean tested) {
        synchronized (knowledge) {
            knowledge.startOf(devices[lane], phase).learn(Math.min(nanos, MOST_NANOS), tested);
        }
    }

    /**
     * Learns what became of a job of which it is not known when its lanes began and whose part they did: as if each had done
     * its own.
     *
     * @param laneUnits units that each lane did, by phase and lane
     * @param laneBusyNanos time that each lane's device was busy with them, by phase and lane
     */
    public void learn(long company, long units, long wallNanos, long[][] laneUnits, long[][] laneBusyNanos) {
        learn(company, units, wallNanos, own(laneUnits), own(laneBusyNanos), new long[devices.length]);
    }

    private static long[][][] own(long[][] byLane) {
        long[][][] own = new long[byLane.length][][];
        for (int phase = 0; phase < own.length; phase++) {
            own[phase] = new long[byLane[phase].length][byLane[phase].length];
            for (int lane = 0; lane < own[phase].length; lane++) {
                own[phase][lane][lane] = byLane[phase][lane];
            }
        }
        return own;
    }

    /**
     * Learns what became of a job that ended well.
     *
     * <p>A lane's cost is that of the range which the plan gave it, what others took over included: in a job whose units cost
     * different times, what is stolen says little about the rest, and shares that followed it would wander.
     *
     * @param company the lanes that the plan gave a share
     * @param units of the job
     * @param wallNanos from its start to its end; 0 if that says nothing about these lanes, because the shares were not
     *     meant to make them finish together
     * @param doneUnits units by phase, by the lane that did them, and by the lane that the plan had given them to
     * @param doneNanos time that the doing lane's device was busy with them, in the same order
     * @param delayNanos time from the start of the job until each lane's device began with it; 0 if not known
     */
    public void learn(
            long company, long units, long wallNanos, long[][][] doneUnits, long[][][] doneNanos, long[] delayNanos) {
        if (units <= 0 || company == 0) {
            return;
        }
        synchronized (knowledge) {
            int octave = Curve.octave(units);
            Devices set = set(company);
            long end = 0;
            double together = 0; // when all lanes would be done if they finished each phase together
            for (int phase = 0; phase < doneUnits.length; phase++) {
                long last = 0;
                double speeds = 0;
                double work = 0;
                for (int lane = 0; lane < devices.length; lane++) {
                    if ((company >>> lane & 1) == 0) {
                        continue;
                    }
                    long busy = sum(doneNanos[phase][lane]);
                    if (busy > 0 && phase == 0 && delayNanos[lane] > 0) {
                        knowledge.learnDelay(devices[lane], set, delayNanos[lane]);
                        busy += delayNanos[lane];
                    }
                    last = Math.max(last, busy);
                    double speed = sum(doneUnits[phase][lane]) / Math.max(1.0, (double) busy);
                    speeds += speed;
                    work += speed * busy;
                    long own = ownedUnits(doneUnits[phase], lane);
                    if (doneUnits[phase][lane][lane] > 0) {
                        double nanos = ownedNanos(doneUnits[phase], doneNanos[phase], lane);
                        knowledge.learnCost(devices[lane], set, phase, octave, own, units, nanos);
                    }
                }
                end += last;
                together += speeds > 0 ? work / speeds : 0;
            }
            if (wallNanos > 0) {
                knowledge.learnOutcome(set, octave, units, wallNanos, end, together);
            }
            knowledge.usage(octave).count(set);
            knowledge.changes++;
        }
    }

    private static long sum(long[] values) {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    private static long ownedUnits(long[][] done, int owner) {
        long units = 0;
        for (long[] byOwner : done) {
            units += byOwner[owner];
        }
        return units;
    }

    /** What the owner would have been busy with all of its range: others' times count by how much faster they are. */
    private static double ownedNanos(long[][] units, long[][] nanos, int owner) {
        double own = perUnit(units, nanos, owner);
        double sum = (double) nanos[owner][owner];
        for (int lane = 0; lane < units.length; lane++) {
            if (lane != owner && units[lane][owner] > 0) {
                double ratio = units[lane][lane] > 0 ? own / perUnit(units, nanos, lane) : 1;
                sum += ratio * nanos[lane][owner];
            }
        }
        return sum;
    }

    private static double perUnit(long[][] units, long[][] nanos, int lane) {
        return Math.max(1.0, (double) nanos[lane][lane]) / units[lane][lane];
    }

    /** Looks the keys up again if there are new ones. */
    private void resolve() {
        if (resolvedKeys == knowledge.keys) {
            return;
        }
        companies = new long[devices.length][];
        curves = new Curve[devices.length][][];
        companySets = new Devices[devices.length][];
        for (int lane = 0; lane < devices.length; lane++) {
            List<Long> masks = new ArrayList<>();
            List<Curve[]> found = new ArrayList<>();
            List<Devices> beside = new ArrayList<>();
            for (Map.Entry<Knowledge.CostKey, Curve[]> entry : knowledge.costs.entrySet()) {
                if (entry.getKey().device().equals(devices[lane])) {
                    // Companies with devices that are not here now still tell something of this one.
                    masks.add(mask(entry.getKey().company()));
                    found.add(entry.getValue());
                    beside.add(entry.getKey().company());
                }
            }
            companySets[lane] = beside.toArray(Devices[]::new);
            companies[lane] = masks.stream().mapToLong(Long::longValue).toArray();
            curves[lane] = found.toArray(Curve[][]::new);
        }
        List<Long> masks = new ArrayList<>();
        List<Curve> found = new ArrayList<>();
        knowledge.outcomes.forEach((set, curve) -> {
            long mask = mask(set);
            if (mask >= 0) {
                masks.add(mask);
                found.add(curve);
            }
        });
        sets = masks.stream().mapToLong(Long::longValue).toArray();
        outcomes = found.toArray(Curve[]::new);
        resolvedKeys = knowledge.keys;
    }

    private Devices set(long mask) {
        return setOf.computeIfAbsent(mask, m -> {
            List<String> members = new ArrayList<>();
            for (int lane = 0; lane < devices.length; lane++) {
                if ((m >>> lane & 1) == 1) {
                    members.add(devices[lane]);
                }
            }
            return new Devices(members);
        });
    }

    /** The lanes of a set; -1 if a device of it is not among them. */
    private long mask(Devices set) {
        return maskOf.computeIfAbsent(set, s -> {
            long mask = 0;
            for (int lane = 0; lane < devices.length; lane++) {
                mask |= s.identities().contains(devices[lane]) ? 1L << lane : 0;
            }
            return Long.bitCount(mask) == s.identities().size() ? mask : -1L;
        });
    }
}
