package dev.evener.internal.run;

import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.fold.PhaseResults;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Undo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One way to compute a job: as it was declared, cut among lanes, or in its form for one lane, which is another job with the
 * same result and is not cut. A run has one form at a time, and may fall back from the second to the first.
 *
 * <p>Belongs to whoever holds the run; the run orders the calls.
 */
final class Form {
    private final JobSpec whole;
    private final JobSpec declared;
    private final PhaseResults results;
    private final long granule;
    private final List<ManagedBuffer> held = new ArrayList<>(); // so that a buffer closed in mid-job outlives the job
    private JobSpec job;

    private Form(JobSpec whole, JobSpec declared, long granule, ScratchPool scratch) {
        this.whole = whole;
        this.declared = declared;
        this.results = new PhaseResults(declared, scratch);
        this.granule = granule;
        this.job = declared;
    }

    /** The job as it was declared, cut at multiples of a granule. */
    static Form ordinary(JobSpec job, long granule, ScratchPool scratch) {
        return new Form(job, job, granule, scratch);
    }

    /** The job's form for one lane, in one piece. */
    static Form alone(JobSpec job, JobSpec alone, ScratchPool scratch) {
        return new Form(job, alone.inOnePiece(), alone.units(), scratch);
    }

    /**
     * Makes room for results under way and holds all buffers.
     *
     * @throws EvenerException if there is no memory, or a buffer is closed; {@link #close} is due all the same
     */
    void open() {
        job = results.open(granule);
        for (JobSpec.Phase each : job.phases()) {
            for (int i = 0; i < each.arguments().size(); i++) {
                if (each.arguments().get(i) instanceof JobSpec.Argument.Buffer b) {
                    if (!b.buffer().hold()) {
                        throw new EvenerException(each.describe(i) + ": the buffer is closed");
                    }
                    held.add(b.buffer());
                }
            }
        }
        Versions.jobBegins(declared, job);
    }

    /** Lets go of everything, when no lane works for the run any more. */
    void close() {
        results.close();
        held.forEach(ManagedBuffer::letGo);
        held.clear();
    }

    /** Whether it is the form for one lane. */
    boolean isAlone() {
        return declared != whole;
    }

    /** The job as lanes run it. */
    JobSpec job() {
        return job;
    }

    /** Units between two cuts. */
    long granule() {
        return granule;
    }

    /** Puts the results of a phase that has ended into their final form. */
    void fold(int phase) {
        results.fold(phase);
    }

    /** Tells the buffers that a phase has ended, however it did. */
    void phaseEnded(int phase) {
        Versions.phaseEnded(declared, job, phase);
    }

    /** Tells the buffers that they may hold anything. */
    void failed() {
        Versions.jobFailed(declared, job);
    }

    /** The part of all that is to be done which a chunk was, in units of the job as it was declared, of every phase. */
    long progress(PhaseRun of, long range) {
        if (!isAlone()) {
            return of.units(range);
        }
        long all = whole.units() * whole.phases().size();
        int phases = job.phases().size(); // a chunk each
        return of.number() < phases - 1 ? all / phases : all - all / phases * (phases - 1);
    }

    /** What so many units, of all phases and in this form's units, are of the job's as it was declared. */
    long unitsOfWhole(long done) {
        int phases = job.phases().size();
        if (!isAlone()) {
            return done / phases; // the mean over the phases
        }
        double all = (double) job.units() * phases;
        return done == job.units() * phases ? whole.units() : (long) (whole.units() * (done / all));
    }

    /**
     * Whether another form can begin anew whatever became of this one: nothing that the other reads is written here. What a
     * host step writes that does not say so may be anything.
     */
    boolean leavesInputsOf(JobSpec other) {
        Set<ManagedBuffer> read = Collections.newSetFromMap(new IdentityHashMap<>());
        for (JobSpec.Phase phase : other.phases()) {
            forEachBuffer(phase, b -> {
                if (b.read()) {
                    read.add(b.buffer());
                }
            });
        }
        boolean[] leaves = {true};
        for (JobSpec.Phase phase : declared.phases()) {
            forEachBuffer(phase, b -> leaves[0] &= !(b.written() && read.contains(b.buffer())));
            List<ManagedBuffer> writes = phase.combineWrites();
            leaves[0] &= phase.combine() == null
                    || (writes != null && writes.stream().noneMatch(read::contains));
        }
        return leaves[0];
    }

    private static void forEachBuffer(JobSpec.Phase phase, Consumer<JobSpec.Argument.Buffer> action) {
        for (JobSpec.Argument argument : phase.arguments()) {
            if (argument instanceof JobSpec.Argument.Buffer b) {
                action.accept(b);
            }
        }
    }

    /**
     * Whether a lane can run it in one piece: there is code for its kind of device that builds, no segment of a buffer ends
     * in between, and the device, and the host where it must save what is updated, have the memory.
     */
    boolean fits(LaneWorker lane, boolean saves) {
        long units = job.units();
        if (units == 0 || units > Integer.MAX_VALUE) {
            return false;
        }
        for (JobSpec.Phase phase : job.phases()) {
            boolean written = lane.device().kind() == DeviceKind.JVM ? phase.jvm() != null : phase.source() != null;
            if (!written
                    || lane.cannotRun(phase, units)
                    || Seams.toNext(phase, 0) < units
                    || (saves && Undo.mostUnits(phase) < units)) {
                return false;
            }
            try {
                if (lane.lane().maxChunkUnits(phase) < units) {
                    return false;
                }
            } catch (LaneFailure e) { // not even a unit
                return false;
            }
        }
        return true;
    }
}
