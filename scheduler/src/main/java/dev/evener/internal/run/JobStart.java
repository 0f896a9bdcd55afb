package dev.evener.internal.run;

import dev.evener.DataLostException;
import dev.evener.EvenerException;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From a job's admission to its first phase. Before it is cut and its clock starts, every lane that may take part builds what it
 * has not built yet, the job's form for one lane included, all at the same time and each on its own thread. Where everything is
 * built nobody is called.
 *
 * <p>What does not build is no matter here: a lane that is then given a share of the job says so itself when it begins with it
 * ({@link #prepare}). Only of a job that is built and not run are the failures kept.
 *
 * <p>{@link #start} is called by the dispatcher before any lane is called, {@link #build} and {@link #prepare} by lanes.
 */
final class JobStart {
    private static final Logger LOG = LoggerFactory.getLogger(JobStart.class);

    private final JobRun run;
    private final JobSpec declared;
    private final @Nullable JobSpec alone;
    final boolean runsNothing; // whether the job is built, and that is all
    private final LaneTask[] lanes;
    private final AtomicIntegerArray building; // 1 of lanes that are asked to and have not said that they are done
    private final AtomicInteger unfinished = new AtomicInteger();
    private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();
    private boolean opens; // when what it follows is over
    long dataNanos; // from submission until it had its turn at its data

    @Nullable
    String waitedFor; // whose end that was; null if it had its turn at once

    long admittedAt;
    long startedAt; // when its programs were built and it was cut, or it ended without
    long planNanos; // from then until it was cut
    private final AtomicLong waited =
            new AtomicLong(-1); // until the first lane was done with other jobs; -1 while none has come

    /** A lane cannot run the job as it was declared. */
    private record Refusal(LaneTask lane, JobSpec.Phase phase, Throwable cause) {}

    /** @param runsNothing whether the job is built and not run: all lanes are asked, so that those which have built it check it */
    JobStart(JobRun run, boolean runsNothing) {
        this.run = run;
        this.declared = run.declared;
        this.alone = run.fenced ? null : declared.alone(); // which no lane takes where chunks may be taken away
        this.lanes = run.lanes;
        this.building = new AtomicIntegerArray(lanes.length);
        this.runsNothing = runsNothing;
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
     * Whether its first chunk may be enqueued behind the last one of a job that it waits for, on that lane: all of it would run there, and
     * nothing is to be built or moved.
     */
    boolean mayFollow(LaneTask earlier) {
        LaneTask lane = null;
        for (LaneTask each : lanes) {
            lane = each.worker == earlier.worker ? each : lane;
            if (!isBuilt(each, declared)
                    && each.health().quarantined() == null
                    && !each.health().cannotBuild(declared)) {
                return false;
            }
        }
        try {
            if (lane == null
                    || runsNothing
                    || run.fenced
                    || run.workers.stream().anyMatch(LaneWorker::isHeld)
                    || !JobBuffers.stayOnDevices(declared)) {
                return false;
            }
            run.plan.form.requireInputs(); // those of the job before are there by now
            return run.plan.foresees(lane);
        } catch (RuntimeException e) { // something is lost, or of a policy, which may be user code
            return false;
        }
    }

    /** Sets the lanes to build, if they have to, and then to work. Called once. */
    void start() {
        admittedAt = run.now();
        startedAt = admittedAt;
        try {
            int builders = run.end.stopped() ? 0 : findBuilders();
            if (builders == 0) {
                cutAndOpen(null);
                return;
            }
            unfinished.set(builders);
            run.end.expect(builders); // all of them before the first may leave
            run.end.started = true;
            for (LaneTask lane : lanes) {
                if (building.get(lane.index) == 1) {
                    lane.attendance.call();
                }
            }
        } catch (Throwable e) { // an Error too: it must not stop the dispatcher for all jobs
            run.end.started = true;
            run.end.fail(new EvenerException("job '" + declared.name() + "': starting it failed: " + e, e));
        }
    }

    /** A lane has come to work for the job, and could not before for so many nanoseconds; of the first one the job's clock starts with that. */
    void arrived(long nanos) {
        waited.compareAndSet(-1, nanos);
    }

    /** How long all of its lanes were at work for other jobs when it was cut, in nanoseconds. */
    long waited() {
        return Math.max(0, waited.get());
    }

    /** Finds the lanes that have something to build. */
    private int findBuilders() {
        int count = 0;
        for (LaneTask lane : lanes) {
            if (lane.health().quarantined() == null
                    && !lane.health().cannotBuild(declared)
                    && (runsNothing || !isBuilt(lane, declared) || (alone != null && !isBuilt(lane, alone)))) {
                building.set(lane.index, 1);
                count++;
            }
        }
        if (count == 0 && runsNothing) { // as when it is run: better those than none
            for (LaneTask lane : lanes) {
                if (!lane.health().hangs()) {
                    building.set(lane.index, 1);
                    count++;
                }
            }
        }
        return count;
    }

    /** Whether lanes are to find its first launches ready: not those of a form for one lane, whose chunk is all of the job. */
    private static boolean warms(LaneTask lane, JobSpec form) {
        return form.equals(lane.run.declared) && !lane.health().cannotBuild(form);
    }

    private static boolean isBuilt(LaneTask lane, JobSpec form) {
        for (JobSpec.Phase phase : form.phases()) {
            Lane its = lane.worker.lane();
            if (!its.isBuilt(phase) || (warms(lane, form) && !its.isWarm(form, phase))) {
                return false;
            }
        }
        return true;
    }

    /** Builds all that a lane may run of the job, if it was called for that, on its thread. The last one to have built goes on. */
    void build(LaneTask lane) {
        if (building.get(lane.index) == 0) {
            return;
        }
        build(lane, declared, runsNothing);
        if (alone != null
                && alone.phases().stream()
                        .allMatch(p -> JobForm.isWrittenFor(lane.device().kind(), p))) {
            build(lane, alone, false); // the job can do without
        }
        isBuilt(lane, lane);
    }

    /**
     * A lane has built what it was asked to, or will not.
     *
     * @param self the lane whose thread this is, if it is one's
     */
    void isBuilt(LaneTask lane, @Nullable LaneTask self) {
        if (!building.compareAndSet(lane.index, 1, 0)) {
            return;
        }
        if (unfinished.decrementAndGet() == 0
                && !run.end.finished.get()) { // else it hung, and the job ended without it
            startedAt = run.now();
            cutAndOpen(self);
        }
    }

    private void build(LaneTask lane, JobSpec form, boolean keepFailure) {
        for (JobSpec.Phase phase : form.phases()) {
            if (run.end.stopped()) {
                return;
            }
            try {
                lane.worker.lane().build(phase);
                if (warms(lane, form)) {
                    lane.worker.lane().warm(form, phase);
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

    /** All is built: cuts the job and sets its lanes to work. By the dispatcher, or by the last lane to have built. */
    private void cutAndOpen(@Nullable LaneTask self) {
        try {
            if (!run.end.stopped() && runsNothing) { // fails as the run would have
                run.plan.findLanes();
                for (Refusal each : refusals) {
                    if (each.lane().usable) {
                        run.recovery.doesNotBuild(each.lane(), each.phase(), each.cause());
                    }
                }
            } else if (!run.end.stopped()) {
                long before = run.now();
                run.plan.begin();
                planNanos = run.now() - before;
                // If one that was given nothing is called in because another fails, it comes when it is done elsewhere.
                run.letGo(lane -> !lane.active());
            }
        } catch (Throwable e) { // policies may be user code: an Error must not stop the dispatcher for all jobs
            boolean says = e instanceof EvenerException || e instanceof IllegalArgumentException;
            run.end.fail(new EvenerException(
                    "job '" + declared.name() + "': " + (says ? e.getMessage() : "cutting it failed: " + e), e));
        }
        run.end.started = true;
        if (runsNothing) {
            run.end.finish();
            return;
        }
        LaneTask before = run.follows;
        opens = before != null && !run.end.hasFailed() && !run.plan.isFor(run.on(before.worker));
        if (!opens) {
            open(self);
        }
    }

    /**
     * What it follows is over. Once, if it follows anything.
     *
     * @param well whether that has written what it was to write; by now the chunk behind may have changed it
     */
    void followsNoMore(boolean well) {
        if (run.end.finished.get()) {
            return;
        }
        try {
            if (opens || !well) { // else its lane finds out
                run.plan.form.requireInputs();
            }
        } catch (DataLostException e) {
            run.end.fail(new EvenerException("job '" + declared.name() + "': " + e.getMessage(), e));
        }
        if (opens) {
            open(null);
        }
    }

    private void open(@Nullable LaneTask self) {
        try {
            run.open(self);
        } catch (Throwable e) { // nor must this
            run.end.fail(new EvenerException("job '" + declared.name() + "': opening its first phase failed: " + e, e));
        }
        run.around.laneIsFree().run(); // one that was given nothing
    }

    /**
     * Has a lane build what phases need, all at once: a build in mid-job would hold up the other lanes. On its thread, when it
     * begins with a form of the job; false if it failed.
     */
    boolean prepare(LaneTask lane, PhaseRun in) {
        JobSpec job = run.plan.form.job;
        for (JobSpec.Phase each : job.phases()) {
            try {
                lane.worker.lane().prepare(job, each);
            } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
                run.recovery.laneFailed(lane, in, each, ChunkPool.NONE, e);
                return false;
            }
        }
        return true;
    }
}
