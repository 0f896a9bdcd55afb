package dev.evener.internal.run;

import dev.evener.EvenerException;
import dev.evener.history.HistorySnapshot;
import dev.evener.history.JobHistory;
import dev.evener.history.LaneEstimate;
import dev.evener.history.PlannedAhead;
import dev.evener.internal.JobSpec;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.CostModel;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.policy.WorkProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one job is cut at present: which lanes may take part, what the policy planned for them, and in which {@link Form} they
 * run it.
 *
 * <p>Changed by {@link #begin}, on the thread of the dispatcher, or of the last lane to have built, before any lane is given
 * work, and by {@link #leaveForm} and {@link #cut}, on
 * the thread of the lane that had the job alone. Read by the lanes that are called after that (being called, or seeing the phase
 * that {@link JobRun} opened, comes after the change) and by the thread that completes the job. So nothing here is volatile
 * and nothing locked. {@link #failed} and {@link #close} are for whoever lets go of the job's buffers last.
 */
final class JobCut {
    private static final Logger LOG = LoggerFactory.getLogger(JobCut.class);

    private final JobSpec declared; // as it was submitted
    private final Policy policy;
    private final Participant[] lanes;
    private final JobHistory history;
    private final ScratchPool scratch;
    private final LaneFaults faults;
    private final Announcer.@Nullable OfJob events;
    private final boolean fenced;

    private final Form ordinary;
    private Form form; // what lanes run at present
    private final List<Form> forms = new ArrayList<>(); // all that were opened
    private @Nullable Plan plan;
    private @Nullable HistorySnapshot model; // what the plan rests on
    private int[] bounds = {0};
    private long company; // the lanes of the plan, as a bit mask

    /**
     * @param ordinary the job as it was declared, not yet open
     * @param fenced whether chunks may be taken from lanes that run them
     */
    JobCut(
            JobSpec declared,
            Form ordinary,
            Policy policy,
            Participant[] lanes,
            JobHistory history,
            ScratchPool scratch,
            LaneFaults faults,
            Announcer.@Nullable OfJob events,
            boolean fenced) {
        this.declared = declared;
        this.policy = policy;
        this.lanes = lanes;
        this.history = history;
        this.scratch = scratch;
        this.faults = faults;
        this.events = events;
        this.fenced = fenced;
        this.ordinary = ordinary;
        this.form = ordinary;
    }

    // ---- what it is ----

    /** What lanes run at present. */
    Form form() {
        return form;
    }

    /** @throws IllegalStateException if the job was never cut */
    Plan plan() {
        Plan made = plan;
        if (made == null) {
            throw new IllegalStateException("a phase was opened without a plan");
        }
        return made;
    }

    /** The granule at which each lane's range begins, and at the end how many there are. */
    int[] bounds() {
        return bounds;
    }

    /** The lanes that were given something, as a bit mask. */
    long company() {
        return company;
    }

    /** Whether a range's lane cannot run it, so that it must go to the others. */
    boolean mustDegrade() {
        for (int i = 0; i < lanes.length; i++) {
            if (bounds[i + 1] > bounds[i] && !lanes[i].active()) {
                return true;
            }
        }
        return false;
    }

    /** Tells a lane what it should take for a phase. Of a form for one lane nothing is known by phase: there is one chunk. */
    void expect(Participant lane, int phase) {
        HistorySnapshot known = model;
        lane.expect(
                known == null || form.isAlone()
                        ? LaneEstimate.Prior.UNKNOWN
                        : known.prior(lane.index(), phase, company | 1L << lane.index()));
    }

    /** Where the work is in what lanes run at present. */
    WorkProfile profile() {
        HistorySnapshot known = model;
        return known == null || form.isAlone() ? WorkProfile.EVEN : known.profile();
    }

    // ---- making it ----

    /**
     * Holds the job's buffers, finds its lanes and cuts it.
     *
     * @throws EvenerException if there is no memory for results under way, no lane, or a buffer is closed
     */
    void begin() {
        forms.add(ordinary);
        ordinary.open();
        findLanes();
        cut();
        goAlone();
    }

    /** The form for one lane has failed: from now on lanes run the job as it was declared, once it was {@link #cut} again. */
    void leaveForm() {
        form.failed();
        form = ordinary;
    }

    /**
     * Finds the lanes that may take part. A quarantined one is used only when there is no other: the job is then its probe.
     *
     * @throws EvenerException if there is none
     */
    void findLanes() {
        int good = 0;
        for (Participant lane : lanes) {
            boolean fit = lane.worker().quarantined() == null && !unfit(lane) && tooSmall(lane) == null;
            lane.setUsable(fit);
            good += fit ? 1 : 0;
        }
        for (int i = 0; i < lanes.length && good == 0; i++) {
            if (!lanes[i].worker().hangs()) {
                lanes[i].setUsable(true);
            }
        }
        for (Participant lane : lanes) {
            if (lane.usable()) {
                faults.countIn();
            } else {
                String why = lane.worker().quarantined();
                faults.leaveOut(
                        lane,
                        why != null
                                ? "it is quarantined, because " + why
                                : unfit(lane) ? "a kernel of this job does not build there" : tooSmall(lane));
            }
        }
        if (faults.noneUsable()) {
            throw new EvenerException("no device can take it: " + String.join("; ", faults.all()));
        }
    }

    private boolean unfit(Participant lane) {
        for (JobSpec.Phase each : declared.phases()) {
            if (lane.worker().cannotRun(each)) {
                return true;
            }
        }
        return false;
    }

    /** Why the device has no memory for even the smallest chunk, or null. */
    private @Nullable String tooSmall(Participant lane) {
        try {
            for (JobSpec.Phase each : ordinary.job().phases()) {
                lane.worker().lane().maxChunkUnits(each);
            }
            return null;
        } catch (LaneFailure e) {
            return e.getMessage();
        }
    }

    /** Has the policy share it out among the lanes that are usable, and activates those that get something. */
    void cut() {
        long units = declared.units();
        long granule = ordinary.granule();
        long granules = Partition.granules(units, granule);
        PlannedAhead.Entry entry = history.ahead().take(policy, units, granules, available());
        if (entry == null) {
            entry = planned(granules);
        }
        HistorySnapshot known = entry.model();
        model = known;
        Plan made = entry.plan();
        bounds = new Partition(units, granule, lanes.length, made.shares(), policy.name()).granuleBounds();
        if (made.sharing() == Plan.Sharing.STEALING) { // other shares are to be as they are
            moveToSeams(known);
        }
        company = 0;
        for (int i = 0; i < lanes.length; i++) {
            if (bounds[i + 1] > bounds[i] && lanes[i].usable()) {
                lanes[i].activate();
                company |= 1L << i;
            }
        }
        plan = made;
        if (events != null) {
            events.planned(made, bounds, granule, units);
        }
    }

    private void moveToSeams(HistorySnapshot known) {
        long spacing = Long.MAX_VALUE; // in units
        for (JobSpec.Phase each : declared.phases()) {
            spacing = Math.min(spacing, Seams.toNext(each, 0));
        }
        if (spacing >= declared.units()) {
            return;
        }
        double[] granuleNanos = new double[lanes.length];
        double[] launchNanos = new double[lanes.length];
        for (int i = 0; i < lanes.length; i++) {
            CostModel.LaneCost cost = known.lane(i);
            granuleNanos[i] = cost.chunks() > 0 ? cost.nanosPerUnit() * ordinary.granule() : 0;
            boolean spans = lanes[i].worker().lane().spansSegments() && !fenced;
            launchNanos[i] = spans ? 0 : declared.phases().size() * cost.fixedNanos();
        }
        Seams.attract(bounds, spacing / ordinary.granule(), granuleNanos, launchNanos);
    }

    /**
     * Takes the job's form for one lane if the plan gives all of it to one, and that lane can. Not in fenced jobs: all in one
     * chunk would be late by a limit that is meant for chunks, and need as much memory again.
     */
    private void goAlone() {
        JobSpec alone = declared.alone();
        int lane = soloist();
        if (alone == null || lane < 0 || fenced) {
            return;
        }
        Form tried = Form.alone(declared, alone, scratch);
        try {
            tried.open();
            if (tried.fits(lanes[lane].worker(), declared.options().protectsUpdates())) {
                forms.add(tried);
                form = tried;
                bounds = new int[bounds.length];
                Arrays.fill(bounds, lane + 1, bounds.length, 1);
            }
        } catch (EvenerException e) { // the job can do without
            LOG.debug("job '{}' is not run in its form for one device: {}", declared.name(), e.toString());
        } finally {
            if (form != tried) {
                tried.close();
            }
        }
    }

    /** The lane that the plan gave everything, or -1. */
    private int soloist() {
        int all = bounds[bounds.length - 1];
        for (int i = 0; i < lanes.length; i++) {
            if (all > 0 && bounds[i + 1] - bounds[i] == all && lanes[i].active()) {
                return i;
            }
        }
        return -1;
    }

    /** Plans the next job like this one, when this one was learnt from; where there is nothing to decide, that can wait. */
    void planAhead() {
        Plan made = plan;
        if (made != null && made.isDecided()) {
            history.ahead().keep(planned(Partition.granules(declared.units(), ordinary.granule())));
        }
    }

    private PlannedAhead.Entry planned(long granules) {
        HistorySnapshot known = history.model(declared.units());
        Plan made = policy.plan(snapshot(granules, known));
        return new PlannedAhead.Entry(policy, declared.units(), granules, available(), made, known);
    }

    private long available() {
        long available = 0;
        for (int i = 0; i < lanes.length; i++) {
            available |= lanes[i].usable() ? 1L << i : 0;
        }
        return available;
    }

    private Snapshot snapshot(long granules, HistorySnapshot known) {
        List<Snapshot.LaneView> views = new ArrayList<>(lanes.length);
        for (Participant lane : lanes) {
            views.add(new Snapshot.LaneView(lane.device().id(), lane.usable()));
        }
        return new Snapshot(granules, ordinary.granule(), views, known);
    }

    // ---- the end ----

    /** Tells the job's buffers that they may hold anything. */
    void failed() {
        forms.forEach(Form::failed);
    }

    /** Lets go of the job's buffers, when nobody touches them any more. */
    void close() {
        forms.forEach(Form::close);
    }
}
