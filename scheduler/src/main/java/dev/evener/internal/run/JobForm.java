package dev.evener.internal.run;

import dev.evener.Access;
import dev.evener.EvenerException;
import dev.evener.internal.ContentVersion;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.fold.PhaseResults;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.RecoverableJob;
import dev.evener.internal.recovery.RecoverableLane;
import dev.evener.model.HistorySnapshot;
import dev.evener.model.LaneEstimate;
import dev.evener.policy.WorkProfile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * One way to compute a job: this one as it was declared, cut among lanes; {@link SingleDeviceForm} in one piece. While it is
 * open it holds the job's buffers and tells them when their content on the host has changed, by the rule of {@link
 * ContentVersion}: after the change, and before a lane relies on what its device holds.
 *
 * <p>Belongs to whoever holds the run; the run orders the calls.
 */
class JobForm implements RecoverableJob.Form {
    private final JobSpec declared;
    private final PhaseResults results;
    private final long granule;
    private final List<ManagedBuffer> held = new ArrayList<>(); // so that a buffer closed in mid-job outlives the job
    private JobSpec job;

    /** @param granule units between two cuts */
    JobForm(JobSpec declared, long granule, ScratchPool scratch) {
        this.declared = declared;
        this.results = new PhaseResults(declared, scratch);
        this.granule = granule;
        this.job = declared;
    }

    // ---- what is its own in each form ----

    /** What is expected of a lane in a phase. */
    LaneEstimate.Prior prior(HistorySnapshot model, int lane, int phase, long deviceSet) {
        return model.prior(lane, phase, deviceSet | 1L << lane);
    }

    /** Where the work is. */
    WorkProfile profile(HistorySnapshot model) {
        return model.profile();
    }

    /** Units of a chunk, in those of the job as it was submitted. */
    long unitsAsSubmitted(long units) {
        return units;
    }

    /** The part of all that is to be done which a chunk was, in units of the job as it was submitted, of every phase. */
    long progress(PhaseRun of, long range) {
        return of.units(range);
    }

    /** What so many units, of all phases and in this form's units, are of the job's as it was submitted. */
    long unitsOfWhole(long done) {
        return done / declared.phases().size(); // the mean over the phases
    }

    @Override
    public long unitsInOnePiece() {
        return 0;
    }

    @Override
    public boolean canBeginAgain(int phase) {
        return false;
    }

    @Override
    public boolean fits(RecoverableLane lane) {
        return true;
    }

    // ---- what is the same ----

    /**
     * Makes room for results under way and holds all buffers. Between jobs the application may have written anything.
     *
     * @throws EvenerException if there is no memory, or a buffer is closed; {@link #close} is due all the same
     */
    final void open() {
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
        bothJobs(JobForm::hostMayHaveWritten);
    }

    /** Lets go of everything, when no lane works for the run any more. */
    final void close() {
        results.close();
        held.forEach(ManagedBuffer::letGo);
        held.clear();
    }

    /** The job as lanes run it. */
    final JobSpec job() {
        return job;
    }

    /** Units between two cuts. */
    final long granule() {
        return granule;
    }

    /** Puts the results of a phase that has ended into their final form. */
    final void fold(int phase) {
        results.fold(phase);
    }

    // ---- what the buffers hold ----

    /** A phase, its merges and its host step have ended, however they did, and the next one has not begun. */
    final void phaseEnded(int number) {
        bothJobs(each -> buffers(each.phases().get(number))
                .filter(b -> b.written())
                .forEach(b -> {
                    if (b.access() instanceof Access.Slice) {
                        b.buffer().version().phaseWrote();
                    } else { // by the runtime, on the host
                        b.buffer().version().changed();
                    }
                }));
        JobSpec.Phase phase = declared.phases().get(number);
        List<ManagedBuffer> writes = phase.combineWrites();
        if (writes != null) {
            writes.forEach(buffer -> buffer.version().changed());
        } else if (phase.combine() != null) {
            hostMayHaveWritten(declared);
        }
    }

    /** The job has failed, or a lane came back late from it: parts may have been written by anybody, or half. */
    final void failed() {
        bothJobs(each -> buffers(each, b -> b.written())
                .forEach(buffer -> buffer.version().changed()));
    }

    /** The runtime writes to the buffers of the job as it was declared, lanes to those of the job as they run it. */
    private void bothJobs(Consumer<JobSpec> action) {
        action.accept(declared);
        if (!job.equals(declared)) {
            action.accept(job);
        }
    }

    /** Whoever keeps a buffer on devices has promised to say when it wrote it. */
    private static void hostMayHaveWritten(JobSpec job) {
        buffers(job, b -> !b.buffer().isKeptOnDevices())
                .forEach(buffer -> buffer.version().changed());
    }

    /** Whether nothing is written here that another job reads. What a host step writes that does not say so may be anything. */
    final boolean leavesInputsOf(JobSpec other) {
        Set<ManagedBuffer> read = buffers(other, b -> b.read());
        if (!Collections.disjoint(read, buffers(declared, b -> b.written()))) {
            return false;
        }
        return declared.phases().stream().allMatch(phase -> {
            List<ManagedBuffer> writes = phase.combineWrites();
            return phase.combine() == null || (writes != null && writes.stream().noneMatch(read::contains));
        });
    }

    /** Whether one of two jobs writes what the other uses. Host steps may write all of a job's buffers. */
    static boolean conflict(JobSpec one, JobSpec other) {
        return !Collections.disjoint(written(one), buffers(other, b -> true))
                || !Collections.disjoint(written(other), buffers(one, b -> true));
    }

    private static Set<ManagedBuffer> written(JobSpec job) {
        boolean all = job.phases().stream().anyMatch(phase -> phase.combine() != null);
        return buffers(job, b -> all || b.written());
    }

    /** Compared by identity. */
    private static Set<ManagedBuffer> buffers(JobSpec job, Predicate<JobSpec.Argument.Buffer> which) {
        Set<ManagedBuffer> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
        job.phases().stream().flatMap(JobForm::buffers).filter(which).forEach(b -> buffers.add(b.buffer()));
        return buffers;
    }

    private static Stream<JobSpec.Argument.Buffer> buffers(JobSpec.Phase phase) {
        return phase.arguments().stream()
                .filter(JobSpec.Argument.Buffer.class::isInstance)
                .map(JobSpec.Argument.Buffer.class::cast);
    }
}
