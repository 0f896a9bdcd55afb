package dev.evener.internal.run;

import dev.evener.EvenerException;
import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.job.Chain;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.model.HistorySnapshot;
import dev.evener.model.JobHistory;
import dev.evener.model.LaneEstimate;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.policy.Snapshot.Move;
import dev.evener.policy.WorkProfile;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one job is cut at present: which lanes may take part, what the policy planned for them, and in which {@link JobForm} they
 * run it, which is decided here alone.
 *
 * <p>Changed by {@link #begin}, on the thread of the dispatcher, and by {@link #mayBegin}, there or on that of a lane that has built,
 * before any lane is given work; by {@link #beginAgain}, on the thread of the lane that had the job alone. Read by the lanes that are called after
 * that (being called, or seeing the phase that {@link JobRun} opened, comes after the change) and by the thread that completes
 * the job. So nothing here is volatile and nothing locked.
 */
final class JobPlan {
    private static final Logger LOG = LoggerFactory.getLogger(JobPlan.class);

    /** So many jobs are cut alike in a chain, as steps of an iteration are. */
    private static final int MOST_JOINED = 16;

    /** And for so long at most: no lane takes over another's part there, whatever happens to that. */
    private static final double MOST_NANOS = 250e6;

    /** Chunks after which a lane is trusted to be on time: what is slow at first is over by then. */
    private static final int FEW = 20;

    private final JobRun run;
    private final JobSpec declared; // as it was submitted
    final String policyName;
    final Policy policy; // for jobs of this kind
    private final List<LaneWorker> lanes;
    private final JobForm ordinary;
    JobForm form; // what lanes run at present
    List<JobForm> forms = List.of(); // all that were opened
    private @Nullable Plan plan;
    private @Nullable HistorySnapshot model; // what the plan rests on
    private JobHistory.@Nullable Planned foreseen; // what gives all to a lane that was found before the job is cut
    private JobHistory.@Nullable Planned draft; // of a job that cannot be cut, before a lane was found for it
    final boolean whole; // it cannot be cut, and there is more than one lane
    private @Nullable JobPlan joined; // behind whose job it goes in a chain
    private long reach; // there
    private int place; // in a chain, from 0
    int[] bounds = {0}; // the granule at which each lane's range begins, and at the end how many there are
    LaneSet deviceSet = LaneSet.NONE; // the lanes that were given something
    private boolean tries; // whether late chunks may be done again; known when the job may begin
    boolean hasStandBy; // lanes that may take over, though they were given nothing
    /** Whether ranges of phases wait for each other, rather than phases; then lanes keep to their shares. Final when the job may begin. */
    boolean isChained;

    /** @param granule units between two cuts */
    JobPlan(JobRun run, long granule, Policy policy) {
        this.run = run;
        this.declared = run.declared;
        this.policyName = policy.name();
        this.policy = run.history.forKind(policy);
        this.lanes = run.workers;
        this.ordinary = new JobForm(declared, declared, granule, run.around.scratch(), lanes.size(), run.claim);
        this.form = ordinary;
        this.whole = lanes.size() > 1 && Granules.count(declared.units(), granule) == 1;
    }

    // ---- what it is ----

    /**
     * Whether lanes may begin with the phase after one before that has ended, as soon as they have taken all that is
     * theirs of it.
     */
    boolean isFollowedAtOnce(JobSpec.Phase phase) {
        return isChained || (alone() != null && !form.inOnePiece && !run.fenced && JobBuffers.stayOnDevices(phase));
    }

    /** How many granules it has. */
    private long granules() {
        return Granules.count(declared.units(), ordinary.granule);
    }

    /** What the policy planned, when the job is cut. */
    Plan plan() {
        return Objects.requireNonNull(plan, "plan");
    }

    /** What it rests on. */
    HistorySnapshot model() {
        return Objects.requireNonNull(model, "model");
    }

    /** Whether lanes do their own shares and nothing else; what cannot be cut may go to another lane yet. */
    boolean isFixed() {
        Plan made = plan;
        return made == null
                || (made.sharing() == Plan.Sharing.FIXED
                        && !(whole && made.mayGo(available()).size() > 1));
    }

    /** Whether a range's lane cannot run it, so that it must go to the others. */
    boolean mustDegrade() {
        for (int i = 0; i < lanes.size(); i++) {
            if (bounds[i + 1] > bounds[i] && !isActive(i)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a lane works for the job. */
    boolean isActive(int lane) {
        LaneTask part = run.part(lane);
        return part != null && part.active();
    }

    /** What a lane's task would be that has none. */
    LaneTask task(int lane) {
        return new LaneTask(run, lane, lanes.get(lane));
    }

    /** The lane in whose range a granule is. */
    int owner(int granule) {
        int owner = 0;
        while (bounds[owner + 1] <= granule) {
            owner++;
        }
        return owner;
    }

    /** The number of a class of devices that are equal, as far as anybody can tell, below that of lanes: that of a lane's. */
    int classOf(int lane) {
        return run.history.classOf(lane);
    }

    /** The job's number among those of its Evener. */
    long jobNumber() {
        return run.number;
    }

    /** Nanoseconds since the job began. */
    double elapsedNanos() {
        return Math.max(0, run.now() - run.start.startedAt);
    }

    /** What a lane should take for a phase. */
    LaneEstimate.Prior prior(int lane, int phase) {
        return form.inOnePiece ? LaneEstimate.Prior.UNKNOWN : model().prior(lane, phase, deviceSet.with(lane));
    }

    /** Where the work is in what lanes run at present. */
    WorkProfile profile() {
        return form.inOnePiece ? WorkProfile.EVEN : model().profile();
    }

    // ---- making it ----

    /**
     * Finds the job's lanes and cuts it, as if all of them were ready.
     *
     * @throws EvenerException if there is no memory for results under way, or no lane
     */
    void begin() {
        forms = List.of(ordinary);
        ordinary.open(run.follows == null);
        findLanes();
        JobPlan chain = joined;
        if (chain == null) {
            reaches(form.job.reach());
            cut(available());
            return;
        }
        reaches(reach);
        boolean same = run.history == chain.run.history;
        model = same ? chain.model : run.history.model(declared.units());
        plan = same ? chain.plan : Plan.of(Plan.Sharing.FIXED, chain.plan().shares());
        bounds = chain.bounds;
        deviceSet = chain.deviceSet;
        run.on(deviceSet, LaneTask::takePart);
    }

    /**
     * Whether the job may begin while some lanes build. All lanes that have a share must be ready where nobody may take it over, else any
     * lane. If none of those with a share is, it is cut anew among the ones that are ready, and the others, unless that was a look at
     * them, stand by. When it may, once, it is final who takes part, and in which form.
     */
    boolean mayBegin(LaneSet builds) {
        boolean all = true;
        boolean any = bounds[lanes.size()] == 0; // there is nothing but host steps
        for (int i = 0; i < lanes.size(); i++) {
            boolean has = bounds[i + 1] > bounds[i];
            all &= !has || !builds.has(i);
            any |= has && !builds.has(i);
        }
        if (!all && isFixed()) {
            return false;
        }
        if (!all && !any) {
            LaneSet ready = LaneSet.where(lanes.size(), i -> run.usable().has(i) && !builds.has(i));
            if (ready.isEmpty()) {
                return false;
            }
            LaneSet part = run.where(LaneTask::active);
            boolean look = plan().lookNanos() > 0;
            for (LaneTask lane : run.parts()) {
                lane.takesPart = false;
            }
            cut(ready);
            standBy(look ? LaneSet.NONE : part);
        }
        if (joined != null) {
            joined = null;
            isChained = all && !mustDegrade();
            announce();
            return true;
        }
        chooseForm();
        if (run.isToBeFollowed && !form.inOnePiece && form.job.reach() == Chain.NONE) {
            reaches(Chain.between(declared, declared));
        }
        isChained = form.job.reach() != Chain.NONE
                && (form.job.phases().size() > 1 || run.isToBeFollowed)
                && deviceSet.size() > 1
                && nanos() < MOST_NANOS
                && (all || !any)
                && !hasStandBy
                && !run.fenced
                && plan().lookNanos() == 0
                && plan().sharing() != Plan.Sharing.POOLED
                && form.job.phases().stream().allMatch(each -> Granules.toNextSeam(each, 0) == Long.MAX_VALUE)
                && hasRunOn(deviceSet);
        tries = mayDoLateAgain();
        for (LaneTask lane : run.parts()) {
            lane.onTrial = isOnTrial(lane.index);
        }
        announce();
        return true;
    }

    /** A unit may begin where those before it are done as far around as that, in whole granules. */
    private void reaches(long far) {
        long whole = far > 0 ? Granules.count(far, form.granule) * form.granule : far;
        form.job = form.job.reach() == whole ? form.job : form.job.withReach(whole);
    }

    /** Whether lanes have shown that they build and run it. */
    private boolean hasRunOn(LaneSet set) {
        for (int i = 0; i < lanes.size(); i++) {
            if (set.has(i) && model().lane(i).chunks() == 0) {
                return false;
            }
        }
        return true;
    }

    private void announce() {
        EventPublisher.OfJob events = run.events;
        if (events != null) {
            events.planned(plan(), bounds, ordinary.granule, declared.units());
        }
    }

    /** The form for one lane has failed: from now on lanes run the job as it was declared. */
    void beginAgain() {
        form.failed();
        form = ordinary;
        for (LaneTask lane : run.parts()) {
            lane.takesPart = false;
        }
        cut(available());
        announce();
    }

    /** Whether all of the job is for one lane, if no lane has anything else to do; it is cut so then. */
    boolean foresees(int lane) {
        long granules = granules();
        LaneSet working = run.use(i -> lanes.get(i).health().quarantined() == null);
        int coming = declared.options().coming();
        JobHistory.Planned kept = coming > 0
                ? null
                : run.history.planned(policy, declared.units(), granules, available(), declared.buffers()::stayWith);
        JobHistory.Planned made =
                kept != null ? kept : planned(granules, new double[lanes.size()], 0, run.number, available(), null);
        boolean moves = whole
                && made.plan().lookNanos() == 0
                && new Occupancy.Times(made.model(), lanes.size())
                        .isGood(lane, made.plan().mayGo(made.available()));
        JobHistory.Planned found = moves ? onto(lane, made, made.model()) : made;
        int[] ends = Granules.bounds(granules, lanes.size(), found.plan().shares(), policyName);
        boolean fits = found.plan().lookNanos() == 0
                && found.plan().sharing() != Plan.Sharing.POOLED
                && IntStream.range(0, lanes.size()).noneMatch(found.plan()::standsBy)
                && working.has(lane)
                && granules > 0
                && ends[lane] == 0
                && ends[lane + 1] == granules;
        if (fits) {
            foreseen = found;
        } else if (kept != null) {
            run.history.planAhead(kept, run.now(), run.now()); // one for a look is still to be had
        }
        return fits;
    }

    /**
     * It is cut as a job in a chain is behind which it goes, of which so many units around its own have to be done
     * before one of its.
     */
    void joins(JobPlan last, long around) {
        joined = last;
        reach = around;
        place = last.place + 1;
    }

    /**
     * Whether another job may go behind it in its chain: its shares stay as they are, and are made anew now and then.
     */
    boolean mayBeJoined() {
        return place + 1 < MOST_JOINED && nanos() * (place + 2) < MOST_NANOS;
    }

    /** What the job takes with these shares, as far as anybody knows. */
    private double nanos() {
        HistorySnapshot known = model;
        return known == null || !known.known() || deviceSet.isEmpty()
                ? 0
                : known.forecast(deviceSet).nanos();
    }

    /** The lane that was given all of it, if nobody may take that over; else null. */
    @Nullable
    LaneTask alone() {
        return isFor(deviceSet.first()) ? run.part(deviceSet.first()) : null;
    }

    /** Whether a lane alone was given something. */
    boolean isFor(int lane) {
        return deviceSet.size() == 1 && deviceSet.has(lane) && !hasStandBy && !mustDegrade();
    }

    /**
     * Finds the lanes that may take part. A quarantined one is used only when there is no other: the job is then its probe.
     *
     * @throws JobRejectedException if none will ever have the memory
     * @throws EvenerException if there is none
     */
    void findLanes() {
        LaneSet small = LaneSet.where(lanes.size(), i -> tooSmall(lanes.get(i)) != null);
        if (small.size() == lanes.size()) {
            throw new JobRejectedException("it fits on no device: "
                    + lanes.stream()
                            .map(lane -> Recovery.named(lane.device()) + ": " + tooSmall(lane))
                            .collect(Collectors.joining("; ")));
        }
        if (run.use(i -> !small.has(i) && whyNot(lanes.get(i)) == null).isEmpty()) {
            run.use(i -> !small.has(i) && !lanes.get(i).health().hangs());
        }
        run.recovery.countIn(i -> {
            String why = whyNot(lanes.get(i));
            return why != null ? why : tooSmall(lanes.get(i));
        });
    }

    /** Why a lane cannot take part that has the memory, or null if it can. */
    private @Nullable String whyNot(LaneWorker lane) {
        String why = lane.health().quarantined();
        if (why != null) {
            return "it is quarantined, because " + why;
        }
        return lane.health().cannotBuild(declared) ? "a kernel of this job does not build there" : null;
    }

    /** Why a lane has no memory for even the smallest chunk, or null if it has. */
    private @Nullable String tooSmall(LaneWorker lane) {
        try {
            for (int p = 0; p < ordinary.job.phases().size(); p++) {
                lane.lane().maxChunkUnits(ordinary.job.phases().get(p));
            }
            return null;
        } catch (LaneFailure e) {
            return e.getMessage();
        }
    }

    /** Has the policy share it out among these lanes, and activates those that get something. */
    private void cut(LaneSet among) {
        long units = declared.units();
        long granules = granules();
        int waiting = run.around.waiting().getAsInt(); // others, for lanes
        boolean asPlanned = waiting == 0 && !isShared();
        JobHistory.Planned entry = foreseen;
        if (entry == null || !among.hasAll(lanesOf(entry.plan()))) {
            entry = asPlanned
                    ? run.history.planned(policy, units, granules, among, declared.buffers()::stayWith)
                    : null;
            if (entry == null) {
                entry = planned(granules, busyNanos(), waiting, run.number, among, null);
                boolean looks = asPlanned && entry.plan().lookNanos() > 0;
                if (whole && !looks) {
                    Occupancy.Times times = new Occupancy.Times(entry.model(), lanes.size());
                    entry = onto(laneFor(entry, times, new Occupancy()), entry, entry.model());
                }
            }
        }
        model = entry.model();
        plan = entry.plan();
        bounds = Granules.bounds(granules, lanes.size(), plan().shares(), policyName);
        LaneSet usable = run.usable();
        deviceSet = LaneSet.where(lanes.size(), i -> bounds[i + 1] > bounds[i] && usable.has(i));
        run.on(deviceSet, LaneTask::takePart);
        standBy(LaneSet.NONE);
        if (whole && !deviceSet.isEmpty()) {
            lanes.get(deviceSet.first()).lastWhole = run.number;
        }
    }

    /**
     * Whether others may do a lane's chunks again when it is late. Not where what it writes should stay on its device,
     * nor where a kernel may do harm with what is in its buffers when the job is over.
     */
    private boolean mayDoLateAgain() {
        return !isChained
                && !form.inOnePiece
                && (deviceSet.size() > 1 || hasStandBy)
                && plan().sharing() == Plan.Sharing.STEALING
                && !run.fenced // where chunks have deadlines
                && declared.mayLeaveBehind();
    }

    /**
     * Whether others may do a lane's chunks again, as it is looked at, has run no such job in this process yet, or was
     * hardly ever seen.
     */
    boolean isOnTrial(int lane) {
        return tries
                && ((plan().lookNanos() > 0 && !plan().standsBy(lane))
                        || !run.history.isWarm(lane)
                        || model().lane(lane).chunks() < FEW);
    }

    /** Activates those that stand by, and these without a share beside them. */
    private void standBy(LaneSet more) {
        Plan cut = plan();
        if (!more.isEmpty()) {
            LaneSet set = LaneSet.where(lanes.size(), i -> more.has(i) || cut.standsBy(i));
            plan = cut.standingBy(set, cut.standByNanos());
        }
        LaneSet usable = run.usable();
        LaneSet standBy = LaneSet.where(lanes.size(), i -> plan().standsBy(i) && usable.has(i));
        hasStandBy = !standBy.isEmpty();
        run.on(standBy, LaneTask::takePart);
    }

    /**
     * Takes the job's form for one lane if the plan gives all of it to one, and that lane can. Not in fenced jobs: all in one
     * chunk would be late by a limit that is meant for chunks, and need as much memory again.
     */
    private void chooseForm() {
        JobSpec alone = declared.alone();
        int lane = deviceSet.first();
        boolean one = deviceSet.size() == 1 && bounds[lane + 1] - bounds[lane] == bounds[bounds.length - 1];
        if (alone == null || !one || run.fenced || (hasStandBy && !isLookAtForm(lane))) {
            return;
        }
        JobForm tried =
                new JobForm(declared, alone.inOnePiece(), alone.units(), run.around.scratch(), lanes.size(), run.claim);
        try {
            tried.open(true);
            if (tried.fits(lanes.get(lane))) {
                forms = List.of(ordinary, tried);
                form = tried;
                for (LaneTask each : run.parts()) { // nobody can take over from a form in one piece
                    each.takesPart = each.index == lane;
                }
                hasStandBy = false;
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

    /** Whether one lane that is known is looked at: alone it is another program, of which only that tells what it takes. */
    private boolean isLookAtForm(int lane) {
        return plan().lookNanos() > 0 && model().lane(lane).chunks() > 0;
    }

    /**
     * Plans the next job like this one, when this one was learnt from. That can wait where there is nothing to decide, and where lanes have
     * other jobs: the next one is planned with those in mind.
     */
    void planAhead() {
        long began = run.now();
        try {
            JobHistory.Planned made = planned(granules(), new double[lanes.size()], 0, 0, available(), null);
            run.history.planAhead(made, began, run.now());
        } catch (Throwable e) { // policies may be user code: the next job will say so itself
            LOG.debug("job '{}' could not be planned ahead", declared.name(), e);
        }
    }

    /** Whether there is something to {@link #planAhead}. */
    boolean mayPlanAhead() {
        return plan().isDecided()
                && !isShared()
                && !run.history.isPlanned(
                        policy, declared.units(), granules(), available(), declared.buffers()::stayWith, run.now());
    }

    /** Whether lanes have other jobs, or more like this one are coming. */
    private boolean isShared() {
        boolean shared = declared.options().coming() > 0;
        for (int i = 0; i < lanes.size() && !shared; i++) {
            shared = openJobs(i) > 0;
        }
        return shared;
    }

    private JobHistory.Planned planned(
            long granules, double[] busy, int waiting, long number, LaneSet among, @Nullable HistorySnapshot found) {
        HistorySnapshot known = found != null ? found : run.history.model(declared.units(), busy);
        List<Snapshot.LaneView> views = IntStream.range(0, lanes.size())
                .mapToObj(i -> new Snapshot.LaneView(lanes.get(i).device().id(), among.has(i), busy[i], openJobs(i)))
                .toList();
        int coming = declared.options().coming();
        Snapshot seen = new Snapshot(granules, ordinary.granule, views, known, waiting, coming, number, this::move);
        Plan made;
        try {
            made = policy.plan(seen);
        } catch (EvenerException | IllegalArgumentException e) { // it refuses the job
            throw e;
        } catch (Throwable e) { // policies may be user code
            throw policyFailed(e);
        }
        Object data = run.history.plannedFor(declared.buffers());
        return new JobHistory.Planned(policy, declared.units(), granules, among, data, made, known);
    }

    /** What the job's policy threw, as the job's failure. */
    ApplicationFailedException policyFailed(Throwable e) {
        return new ApplicationFailedException(
                "job '" + declared.name() + "': policy " + policyName + " failed: " + e, e);
    }

    /** How long each lane is at work for other jobs first. */
    private double[] busyNanos() {
        double[] busy = new double[lanes.size()];
        Arrays.setAll(busy, i -> lanes.get(i).busyNanos(run, run.part(i)));
        return busy;
    }

    private int openJobs(int lane) {
        return lanes.get(lane).openJobs(run.part(lane));
    }

    // ---- one that cannot be cut ----

    /** The lane that was given it; null if it can be cut, or was given to none. */
    @Nullable
    LaneWorker wholeOn() {
        return whole && !deviceSet.isEmpty() ? lanes.get(deviceSet.first()) : null;
    }

    /**
     * Finds the lane that is done first with a job that cannot be cut. By the dispatcher, before it starts it.
     *
     * @return whether it may start there now, as that has nothing else to do, or, if times are known, one other such job
     */
    boolean place(Occupancy occupancy) {
        try {
            LaneSet good = LaneSet.where(lanes.size(), i -> whyNot(lanes.get(i)) == null);
            if (good.isEmpty()) {
                return true; // it is their probe
            }
            Occupancy.Times times = occupancy.times(run);
            JobHistory.Planned made = draft;
            if (made == null || !made.available().equals(good)) {
                made = planned(1, busyNanos(), run.around.waiting().getAsInt(), run.number, good, times.model);
                draft = made;
            }
            int lane = laneFor(made, times, occupancy);
            LaneWorker worker = lanes.get(lane);
            boolean only = made.plan().mayGo(good).size() == 1;
            if (!occupancy.isIdle(worker) && (worker.wholes > 1 || !(only || times.model.known()))) {
                occupancy.waits(worker, times.nanos(lane), only);
                return false;
            }
            foreseen = onto(lane, made, times.model);
        } catch (Throwable e) { // policies may be user code: the job will say so itself when it is cut
            LOG.debug("no lane was found for job '{}'", declared.name(), e);
        }
        return true;
    }

    /** Where it goes: to the lane that is done with it first. */
    private int laneFor(JobHistory.Planned made, Occupancy.Times times, Occupancy occupancy) {
        LaneSet among = made.plan().mayGo(made.available());
        return occupancy.firstDone(lanes, among, times, lane -> move(lane, 0, 1).bytes());
    }

    private static LaneSet lanesOf(Plan of) {
        long[] shares = of.shares();
        return LaneSet.where(shares.length, i -> shares[i] > 0);
    }

    private static JobHistory.Planned onto(int lane, JobHistory.Planned made, HistorySnapshot known) {
        return new JobHistory.Planned(
                made.policy(),
                made.units(),
                made.granules(),
                made.available(),
                made.data(),
                made.plan().onto(lane),
                known);
    }

    private Move move(int lane, long first, long count) {
        long granule = ordinary.granule;
        long from = Math.min(declared.units(), first * granule);
        long units = Math.min(declared.units() - from, count * granule);
        String device =
                lanes.get(lane).lane().holdsData() ? lanes.get(lane).device().id() : null;
        return declared.phases().isEmpty() || units <= 0
                ? Move.NOTHING
                : JobBuffers.move(declared.phases().get(0), device, from, units);
    }

    private LaneSet available() {
        LaneSet usable = run.usable();
        LaneSet present = usable;
        for (int i = 0; i < lanes.size(); i++) {
            present = lanes.get(i).isOut() ? present.without(i) : present;
        }
        return present.isEmpty() ? usable : present;
    }
}
