package dev.evener.internal.run;

import dev.evener.DataLostException;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.LaneSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From a job's admission to its first phase. Lanes that have not built what they may run of the job are asked to, all at the same time
 * and each on its own thread ({@link LaneWorker#wantsBuilt}), and the job is cut meanwhile. It begins as soon as the lanes are ready that
 * it needs ({@link JobPlan#mayBegin}). The others are no part of it while they build: it ends without them if it is done by then, else
 * they are called when they are ready.
 *
 * <p>What does not build is no matter here: a lane that is then given a share of the job says so itself when it begins with it
 * ({@link #prepare}). Only of a job that is built and not run are the failures kept.
 *
 * <p>{@link #start} is called by the dispatcher, {@link #build} and {@link #prepare} by lanes, the rest by any thread. A lock decides
 * who begins the job, which is held while it is cut anew and never by a lane at work.
 */
final class JobStart {
    private static final Logger LOG = LoggerFactory.getLogger(JobStart.class);

    private final JobRun run;
    private final JobSpec declared;
    private final @Nullable JobSpec alone;
    final boolean runsNothing; // whether the job is built, and that is all
    private volatile boolean planned;
    volatile boolean begun; // its lanes were called, or need not be
    LaneSet late = LaneSet.NONE; // the lanes that take part and were not ready then
    private final Collection<Refusal> refusals; // of one that runs nothing
    private boolean opens; // when what it follows is over
    long dataNanos; // from submission until it had its turn at its data

    @Nullable
    String waitedFor; // whose end that was; null if it had its turn at once

    long admittedAt;
    long startedAt; // when it could begin, but for the time that it took to cut it; or it ended without
    long planNanos; // that time
    private final AtomicLong waited =
            new AtomicLong(-1); // until the first lane was done with other jobs; -1 while none has come

    /** A lane cannot run the job as it was declared. */
    private record Refusal(LaneTask lane, JobSpec.Phase phase, Throwable cause) {}

    /**
     * The lanes that a job wants.
     *
     * @throws EvenerException if none is
     */
    static List<LaneWorker> wanted(List<LaneWorker> workers, JobSpec job) {
        List<LaneWorker> selected = selected(workers, job);
        return selected.size() > 1 && job.filtersImages() ? alike(selected) : selected;
    }

    /**
     * Those of one driver, and of one name where that is not a CPU's: how exactly means of an image's pixels are taken
     * is each driver's own
     * affair, and where a job is cut must not show. Of several such sets the one that should be fastest, and has a
     * device that works.
     */
    private static List<LaneWorker> alike(List<LaneWorker> workers) {
        Map<List<Object>, List<LaneWorker>> sets = new LinkedHashMap<>();
        for (LaneWorker each : workers) {
            DeviceInfo device = each.device();
            boolean cpu = device.kind() == DeviceKind.CPU;
            List<Object> key = List.of(device.kind(), device.platform(), device.driver(), cpu ? "" : device.name());
            sets.computeIfAbsent(key, its -> new ArrayList<>()).add(each);
        }
        return Collections.max(sets.values(), Comparator.comparingDouble(JobStart::speed));
    }

    private static double speed(List<LaneWorker> set) {
        return set.stream()
                .filter(each -> each.health().quarantined() == null)
                .mapToDouble(each -> each.device().roughSpeed())
                .sum();
    }

    private static List<LaneWorker> selected(List<LaneWorker> workers, JobSpec job) {
        DeviceSelector selector = job.devices();
        if (selector == null) {
            return workers;
        }
        List<LaneWorker> wanted =
                workers.stream().filter(w -> selector.matches(w.device())).toList();
        if (wanted.isEmpty()) {
            throw new JobRejectedException(
                    "job '" + job.name() + "' wants devices '" + selector + "', but this Evener has "
                            + workers.stream().map(w -> w.device().id()).toList());
        }
        return wanted;
    }

    /** @param runsNothing whether the job is built and not run: all lanes are asked, so that those which have built it check it */
    JobStart(JobRun run, boolean runsNothing) {
        this.run = run;
        this.declared = run.declared;
        this.alone = run.fenced ? null : declared.alone(); // which no lane takes where chunks may be taken away
        this.runsNothing = runsNothing;
        this.refusals = runsNothing ? new ConcurrentLinkedQueue<>() : List.of();
    }

    /** The earlier jobs and scopes with its data let it begin, of which this was the last. By the dispatcher, before {@link #start}. */
    void dataCame(String last) {
        waitedFor = last;
        dataNanos = Math.max(0, run.waitedNanos());
        if (run.events != null) {
            run.events.waited(last);
        }
    }

    /**
     * Whether it may start as far as its lanes are concerned: none is held, and one of them has nothing to do, be it that the host does
     * something for its jobs. On its only lane it may also be the second, so that there is something to do when that is so. One that
     * cannot be cut waits for the lane that is done with it first.
     *
     * @param spokenFor lanes that more urgent jobs wait for, and keep for themselves
     * @return null if it may, else the lanes that it keeps for itself
     */
    @Nullable
    List<LaneWorker> waitsFor(Set<LaneWorker> spokenFor, Occupancy occupancy) {
        boolean used = false;
        boolean idle = false;
        boolean allIdle = true;
        boolean held = false;
        for (LaneWorker each : run.workers) {
            boolean is = each.jobs() == 0 && !each.isBuilding();
            held |= each.isHeld();
            used |= each.isUsed();
            idle |= is;
            allIdle &= is || (!each.isBuilding() && each.openJobs(null) == 0);
        }
        boolean may = run.holdsLanes
                ? !used
                : idle || (run.workers.size() == 1 && run.workers.get(0).users() < 2);
        if (held || !may || (!spokenFor.isEmpty() && !Collections.disjoint(run.workers, spokenFor))) {
            return run.workers;
        }
        boolean placed = allIdle || runsNothing || run.holdsLanes || !run.plan.whole || run.plan.place(occupancy);
        return placed ? null : List.of();
    }

    /**
     * Whether it may begin before its turn, as nothing is to be built or brought for it.
     *
     * @param alone the last task of the job that it waits for, on whose lane all of it has to run; null in a chain
     */
    boolean mayFollow(@Nullable LaneTask alone) {
        for (LaneWorker each : run.workers) {
            if ((!isBuilt(each, declared) || each.isBuilding())
                    && each.health().quarantined() == null
                    && !each.health().cannotBuild(declared)) {
                return false;
            }
        }
        try {
            if (runsNothing
                    || run.fenced
                    || run.workers.stream().anyMatch(LaneWorker::isHeld)
                    || !JobBuffers.stayOnDevices(declared)) {
                return false;
            }
            run.plan.form.requireInputs(); // those of the job before are there by now
            int lane = alone == null ? -1 : run.workers.indexOf(alone.worker);
            return alone == null || (lane >= 0 && run.plan.foresees(lane));
        } catch (RuntimeException e) { // something is lost, or of a policy, which may be user code
            return false;
        }
    }

    /** Has lanes build, if they have to, cuts the job, and sets those to work that are ready. Called once. */
    void start() {
        admittedAt = run.now();
        startedAt = admittedAt;
        String step = "starting";
        try {
            boolean builds = !run.isStopped() && askToBuild();
            step = "cutting";
            if (!run.isStopped() && !runsNothing) {
                long before = run.now();
                run.plan.begin();
                planNanos = run.now() - before;
                if (!builds) { // nor is any called before all of this is done
                    run.hold(run.where(LaneTask::active));
                }
            }
        } catch (Throwable e) { // policies may be user code: an Error must not stop the dispatcher for all jobs
            fail(step, e);
        }
        run.mayCall = true;
        planned = true;
        proceed(runsNothing);
        run.around.laneIsFree().run(); // one that was given nothing
    }

    void fail(String step, Throwable e) {
        if (e instanceof ApplicationFailedException) { // which says all of it
            run.fail(e);
            return;
        }
        boolean says = e instanceof EvenerException || e instanceof IllegalArgumentException;
        String what = "job '" + declared.name() + "': " + (says ? e.getMessage() : step + " it failed: " + e);
        run.fail(LaneFailure.ofJob(what, e, says ? JobRejectedException::new : ApplicationFailedException::new));
    }

    /** A lane has come to work for the job, and could not before for so many nanoseconds; of the first one the job's clock starts with that. */
    void arrived(long nanos) {
        waited.compareAndSet(-1, nanos);
    }

    /** How long all of its lanes were at work for other jobs when it was cut, in nanoseconds. */
    long waited() {
        return Math.max(0, waited.get());
    }

    /**
     * Asks the lanes that are not ready, if there are any: of a job that is built and not run all, so that those which have built it
     * check it.
     */
    private boolean askToBuild() {
        List<LaneWorker> workers = run.workers;
        LaneSet unready = LaneSet.where(
                workers.size(),
                i -> workers.get(i).health().quarantined() == null
                        && !workers.get(i).health().cannotBuild(declared)
                        && (hasToBuild(workers.get(i)) || workers.get(i).isBuilding()));
        LaneSet all = unready.isEmpty() && runsNothing // as when it is run: better those than none
                ? LaneSet.where(workers.size(), i -> !workers.get(i).health().hangs())
                : unready;
        boolean builds = runsNothing || !all.isEmpty();
        if (builds) {
            run.hold(LaneSet.all(workers.size())); // before any can be lost
            run.on(all, lane -> lane.builds = true);
            run.on(all, lane -> lane.worker.wantsBuilt(lane));
        }
        return builds;
    }

    /** Whether the job is to have a lane that is not ready. */
    boolean wants(LaneTask lane) {
        return lane.builds && (runsNothing || lane.active());
    }

    /** Whether it waits for that, and does not run meanwhile. */
    boolean awaits(LaneTask lane) {
        return planned && !begun && (wants(lane) || (lane.builds && !run.plan.isFixed()));
    }

    /** Whether there is something to build on a lane. */
    boolean hasToBuild(LaneWorker lane) {
        return runsNothing || !isBuilt(lane, declared) || (alone != null && !isBuilt(lane, alone));
    }

    /** Whether lanes are to find its first launches ready: not those of a form for one lane, whose chunk is all of the job. */
    private boolean warms(LaneWorker lane, JobSpec form) {
        return form.equals(declared) && !lane.health().cannotBuild(form);
    }

    private boolean isBuilt(LaneWorker lane, JobSpec form) {
        for (int p = 0; p < form.phases().size(); p++) {
            JobSpec.Phase phase = form.phases().get(p);
            Lane its = lane.lane();
            if (!its.isBuilt(phase) || (warms(lane, form) && !its.isWarm(form, phase))) {
                return false;
            }
        }
        return true;
    }

    /** Builds all that a lane may run of the job, on its thread; also if the job has ended well, for the next one. */
    void build(LaneTask lane) {
        build(lane, declared, runsNothing);
        if (alone != null
                && alone.phases().stream()
                        .allMatch(p -> JobForm.isWrittenFor(lane.device().kind(), p))) {
            build(lane, alone, false); // the job can do without
        }
    }

    /** A lane has built what it was asked to, or will not. The job begins with it, or has it join in. Any thread. */
    void isReady(LaneTask lane) {
        if (lane.isReady() && !proceed(true) && run.phase != null) {
            lane.call(); // whoever opened that phase took it for building
        }
    }

    /** Whether nobody needs any more what a lane builds. */
    private boolean ends(LaneTask lane) {
        return run.isStopped() || lane.worker.isStopping();
    }

    private void build(LaneTask lane, JobSpec form, boolean keepFailure) {
        for (JobSpec.Phase phase : form.phases()) {
            if (ends(lane)) {
                return;
            }
            try {
                lane.lane().build(phase);
                if (warms(lane.worker, form) && !ends(lane)) {
                    lane.lane().warm(form, phase);
                }
            } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
                LOG.debug("job '{}': {} could not build: {}", declared.name(), Recovery.named(lane.device()), e);
                if (keepFailure) {
                    refusals.add(new Refusal(lane, phase, e));
                }
                return;
            }
        }
    }

    /**
     * Begins the job, if it was cut, has not begun, and the lanes are ready that it needs.
     *
     * @param waited whether it could not begin when it was cut
     * @return whether it has begun now
     */
    private boolean proceed(boolean waited) {
        run.noticeCancelling(); // not under the lock, as it may end the run
        Throwable failure = null;
        synchronized (this) {
            if (!planned || begun || run.finished.get()) { // it hung, and the job ended without it
                return false;
            }
            try {
                if (!run.hasFailed() && !isReady()) {
                    return false;
                }
            } catch (Throwable e) { // policies may be user code
                failure = e;
            }
            begun = true;
        }
        startedAt = waited ? Math.max(admittedAt, run.now() - planNanos) : admittedAt;
        if (failure != null) {
            fail("cutting", failure);
        }
        if (runsNothing) {
            endBuild();
            return true;
        }
        late = run.where(this::wants);
        JobRun before = run.follows;
        LaneTask on = before == null ? null : before.plan.alone();
        boolean behind = run.isChained() || (on != null && run.plan.isFor(run.workers.indexOf(on.worker)));
        opens = before != null && !run.hasFailed() && !behind;
        if (!opens) {
            open();
        }
        return true;
    }

    /** Whether the lanes are ready that it needs; cuts it for those that are, if need be. */
    private boolean isReady() {
        if (runsNothing) {
            return run.where(lane -> lane.builds).isEmpty();
        }
        long before = run.now();
        // Asked once, as lanes get ready meanwhile.
        LaneSet building = run.where(lane -> lane.builds);
        boolean ready = run.plan.mayBegin(building);
        planNanos += run.now() - before;
        if (ready) { // one that was given nothing comes, if another fails, when it is done elsewhere
            run.letGo(lane -> !run.plan.isActive(lane));
        }
        return ready;
    }

    /** All is built of a job that is not run: it fails as the run would have. */
    private void endBuild() {
        try {
            if (!run.hasFailed()) {
                run.plan.findLanes();
                for (Refusal each : refusals) {
                    if (run.usable().has(each.lane().index)) {
                        run.recovery.doesNotBuild(each.lane(), each.phase(), each.cause());
                    }
                }
            }
        } catch (Throwable e) {
            fail("cutting", e);
        }
        run.finish();
    }

    /**
     * What it follows is over. Once, if it follows anything.
     *
     * @param well whether that has written what it was to write; by now the chunk behind may have changed it
     */
    void followsNoMore(boolean well) {
        if (run.finished.get()) {
            return;
        }
        try {
            if (opens || !well) { // else its lane finds out
                run.plan.form.requireInputs();
            }
        } catch (DataLostException e) {
            run.fail(new DataLostException("job '" + declared.name() + "': " + e.getMessage(), e));
        }
        if (opens) {
            open();
        }
    }

    private void open() {
        try {
            run.open();
        } catch (Throwable e) { // nor must this
            fail("opening", e);
        }
    }

    /**
     * Has a lane build what phases need, all at once: a build in mid-job would hold up the other lanes. On its thread, when it
     * begins with a form of the job; false if it failed.
     */
    boolean prepare(LaneTask lane, PhaseRun in) {
        JobSpec job = run.plan.form.job;
        for (int p = 0; p < job.phases().size(); p++) {
            JobSpec.Phase each = job.phases().get(p);
            try {
                lane.lane().prepare(job, each);
            } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
                run.recovery.laneFailed(lane, in, each, ChunkPool.NONE, e);
                return false;
            }
        }
        return true;
    }
}
