package dev.evener.internal.run;

import dev.evener.DataBuffer;
import dev.evener.DataLostException;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.HostTurn;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.fold.PhaseResults;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.order.Accesses;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Undo;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One way to compute a job: as it was submitted, cut among lanes; or its form for one device, which is another job with the same
 * result and with units of its own, and which a lane has in one piece, a chunk for each phase. While it is open it tells the {@link
 * dev.evener.internal.data.Directory directories} of the buffers, which the run holds, when the host has written, after that and
 * before a lane relies on what its device holds. The form for one device holds its own.
 *
 * <p>Belongs to whoever holds the run; the run orders the calls.
 */
final class JobForm {
    private final JobSpec submitted;
    private final JobSpec declared; // what this form computes, before results under way have a place of their own
    final boolean inOnePiece; // the form for one device, of whose phases and units nothing is known
    final PhaseResults results; // collected by lanes, each for itself, and folded
    final long granule; // units between two cuts
    final Traffic traffic = new Traffic(); // what its host steps and merges had fetched
    private final Accesses.Claim claim; // the job's place in the order
    private Set<Range> kept = Set.of(); // what holds what it should, although the job has failed
    private boolean holds; // what its run does not
    JobSpec job; // as lanes run it

    /**
     * @param declared what is computed: the job as it was submitted, or its form for one device
     * @param granule units between two cuts
     */
    JobForm(JobSpec submitted, JobSpec declared, long granule, ScratchPool scratch, int lanes, Accesses.Claim claim) {
        this.claim = claim;
        this.submitted = submitted;
        this.declared = declared;
        this.inOnePiece = !declared.equals(submitted);
        this.results = new PhaseResults(declared, scratch, lanes);
        this.granule = granule;
        this.job = declared;
    }

    // ---- what it is ----

    /** Units of a chunk, in those of the job as it was submitted. */
    long unitsAsSubmitted(long units) {
        return inOnePiece ? submitted.units() : units;
    }

    /** The part of all that is to be done which a chunk was, in units of the job as it was submitted, of every phase. */
    long progress(PhaseRun of, long range) {
        if (!inOnePiece) {
            return of.units(range);
        }
        long all = submitted.units() * submitted.phases().size();
        int phases = declared.phases().size();
        return of.number < phases - 1 ? all / phases : all - all / phases * (phases - 1);
    }

    /** What so many units, of all phases and in this form's units, are of the job's as it was submitted. */
    long unitsOfWhole(long done) {
        if (!inOnePiece) {
            return done / declared.phases().size(); // the mean over the phases
        }
        long all = declared.units() * declared.phases().size();
        return done == all ? submitted.units() : (long) (submitted.units() * (done / (double) all));
    }

    /**
     * Whether the job can begin again as it was declared, although a lane has failed in a phase of this form: nothing may be gone
     * that it begins with.
     */
    boolean canBeginAgain(int phase) {
        return inOnePiece && (phase == 0 || !writesWhatItReads());
    }

    private boolean writesWhatItReads() {
        List<Range> read = new ArrayList<>();
        eachBuffer(submitted, b -> {
            if (b.read()) {
                read.add(b.range());
            }
        });
        return declared.buffers().writes().stream()
                .anyMatch(written -> read.stream().anyMatch(each -> each.meets(written)));
    }

    /**
     * Whether a lane can run what is to be had in one piece: there is code for its kind of device that builds, no segment of a
     * buffer ends in between, and the device, and the host where it must save what is updated, have the memory.
     */
    boolean fits(LaneWorker lane) {
        long units = declared.units();
        if (!inOnePiece) {
            return true;
        } else if (units == 0 || units > Integer.MAX_VALUE) {
            return false;
        }
        for (JobSpec.Phase phase : job.phases()) {
            if (!isWrittenFor(lane.device().kind(), phase)
                    || lane.health().cannotRun(phase, units)
                    || Granules.toNextSeam(phase, 0) < units
                    || (submitted.options().protectsUpdates() && Undo.mostUnits(phase) < units)) {
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

    /** Whether there is code of a phase for a kind of device. */
    static boolean isWrittenFor(DeviceKind kind, JobSpec.Phase phase) {
        return kind == DeviceKind.JVM ? phase.jvm() != null : phase.source() != null;
    }

    // ---- from its beginning to its end ----

    /**
     * Makes room for results under way. Between jobs the application may have written anything.
     *
     * @param complete whether jobs that write its inputs have ended; else {@link #requireInputs} is due once they have
     * @throws EvenerException if there is no memory, or a buffer that is not the job's as it was submitted is closed; {@link #close} is due all
     *     the same
     */
    void open(boolean complete) {
        if (inOnePiece) {
            declared.buffers().hold(declared);
            holds = true;
        }
        job = results.open(granule);
        if (complete) {
            requireInputs();
        }
        bothJobs(each -> hostMayHaveWritten(each, b -> true));
    }

    /**
     * Looks at what it is given. Of what an earlier phase or step of its own writes, whoever reads it finds out.
     *
     * @throws DataLostException if some of that is lost, or not what a job before it was to write
     */
    void requireInputs() {
        List<Range> made = new ArrayList<>();
        for (int p = 0; p < declared.phases().size(); p++) {
            JobSpec.Phase each = declared.phases().get(p);
            for (Argument.Buffer b : each.buffers()) {
                if (b.read() && (made.isEmpty() || made.stream().noneMatch(its -> its.contains(b.range())))) {
                    claim.requireWritten(b.range());
                    b.buffer()
                            .directory()
                            .requireNotLost(b.range().from(), b.range().to());
                }
            }
            if (declared.phases().size() > 1) { // else nothing is read after it
                each.buffers().forEach(b -> {
                    if (b.written()) {
                        made.add(b.range());
                    }
                });
                made.addAll(namedWrites(each));
            }
        }
    }

    /** What it has written may have been lost with a device since. */
    void requireResults() {
        eachBuffer(job, b -> {
            if (b.isWrittenInPlace()) {
                for (int p = 0; p < b.ownPieces(); p++) {
                    b.buffer().directory().requireNotLost(b.seenFrom(p, 0, job.units()), b.seenTo(p, 0, job.units()));
                }
            }
        });
    }

    /**
     * Puts the results of a phase that has ended together. What was appended and found no room leaves all of these as they were, but for
     * the counts, which say what is needed.
     */
    void fold(int number) {
        if (!declared.buffers().putsTogether()) {
            return;
        }
        bringResults(number);
        try {
            results.fold(number);
        } catch (JobRejectedException e) {
            kept = new HashSet<>();
            declared.phases().get(number).buffers().forEach(b -> {
                if (b.isAppended()) {
                    hostWrote(b.range());
                    kept.add(b.range());
                }
            });
            throw e;
        }
    }

    /** What stands as {@link #fold} says, in the buffers of a job that has failed by it. */
    Set<Range> kept() {
        return kept;
    }

    /** Before results are put together on the host: what devices hold of the buffers that they go to, unless they replace all of it. */
    private void bringResults(int number) {
        declared.phases().get(number).buffers().forEach(b -> {
            if (b.isPutTogether()) {
                Directory directory = b.buffer().directory();
                long from = b.range().from();
                long to = b.range().to();
                boolean replaces = b.reduction() != null && !b.reduction().keeps();
                if (!replaces) {
                    directory.bringToHost(from, to, traffic);
                }
                directory.hostWrites(from, to);
                if (replaces) { // by then, for the host step
                    directory.hostWrote(from, to);
                }
            }
        });
    }

    /** Lets go of all that it holds, when no lane works for the run any more. */
    void close() {
        results.close();
        if (holds) {
            declared.buffers().letGo();
        }
    }

    /**
     * Whether the host has something to do after a phase that no later job can see but in this one's buffers: a host step that does
     * not say what it writes may do anything, and comes before later jobs.
     */
    boolean endsOnHost(PhaseRun of) {
        boolean says = of.phase.hostStepWrites() != null;
        return says || (of.phase.hostStep() == null && results.hasFold(of.number));
    }

    /** Runs the host step after a phase, if there is one. */
    void runHostStep(int number) {
        JobSpec.Phase phase = declared.phases().get(number);
        Consumer<DataBuffer.HostAccess> step = phase.hostStep();
        if (step != null) {
            List<Range> seen = new ArrayList<>();
            eachBuffer(declared, b -> seen.add(b.range()));
            HostTurn turn = new HostTurn(declared.buffers()::standingFor, seen, namedWrites(phase), traffic);
            try {
                step.accept(turn);
            } finally {
                turn.end();
            }
        }
    }

    // ---- what the buffers hold ----

    /** A phase, its merges and its host step have ended, however they did, and the next one has not begun. */
    void phaseEnded(int number) {
        if (declared.buffers().putsTogether()) {
            bothJobs(each -> each.phases().get(number).buffers().forEach(b -> {
                if (b.isPutTogether()) {
                    hostWrote(b.range());
                }
            }));
        }
        JobSpec.Phase phase = declared.phases().get(number);
        List<Range> writes = phase.hostStepWrites();
        if (writes != null) {
            // Of others the step has said which parts.
            for (Range range : writes) {
                if (range.buffer().hasHostViews()) {
                    hostWrote(range);
                }
            }
        } else if (phase.hostStep() != null) {
            hostMayHaveWritten(declared, b -> true);
        }
    }

    /** The job has failed, or a lane came back late from it: parts may have been written by anybody, or half. */
    void failed() {
        bothJobs(each -> hostMayHaveWritten(each, Argument.Buffer::written));
    }

    /** The runtime writes to the buffers of the job as it was declared, lanes to those of the job as they run it. */
    private void bothJobs(Consumer<JobSpec> action) {
        action.accept(declared);
        if (!job.equals(declared)) {
            action.accept(job);
        }
    }

    private static void hostMayHaveWritten(JobSpec job, Predicate<Argument.Buffer> which) {
        eachBuffer(job, b -> {
            if (b.buffer().hasHostViews() && which.test(b)) {
                hostWrote(b.range());
            }
        });
    }

    private static void hostWrote(Range range) {
        range.buffer().directory().hostWrote(range.from(), range.to());
    }

    /** What the host step after a phase says that it writes; nothing where there is none, or it does not say. */
    private static List<Range> namedWrites(JobSpec.Phase phase) {
        List<Range> writes = phase.hostStepWrites();
        return writes == null ? List.of() : writes;
    }

    private static void eachBuffer(JobSpec job, Consumer<Argument.Buffer> action) {
        for (int p = 0; p < job.phases().size(); p++) { // of every job: without an iterator
            List<Argument.Buffer> its = job.phases().get(p).buffers();
            for (int i = 0; i < its.size(); i++) {
                action.accept(its.get(i));
            }
        }
    }
}
