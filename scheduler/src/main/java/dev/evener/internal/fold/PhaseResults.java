package dev.evener.internal.fold;

import dev.evener.Access;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The results of one run that take their final form when their phase ends: until then each unit writes its own part of a
 * {@link PartialsSlice}, and the host folds the parts in the order of the units. So the result is the same for every split,
 * and a chunk that is run again spoils nothing.
 *
 * <p>{@link #open}, {@link #fold} and {@link #close} are called one after the other by whichever thread holds the run; the
 * run orders them.
 */
public final class PhaseResults {
    private final JobSpec declared;
    private final ScratchPool pool;
    private long granule = 1;
    private final List<List<Runnable>> folds = new ArrayList<>(); // by phase
    private final List<ManagedBuffer> scratch = new ArrayList<>();
    private final List<ManagedBuffer> held = new ArrayList<>();

    public PhaseResults(JobSpec declared, ScratchPool pool) {
        this.declared = declared;
        this.pool = pool;
    }

    /**
     * The job as lanes run it, with slices only where results are still to be folded.
     *
     * @param unitsPerGranule units between two cuts
     * @throws EvenerException if there is no memory for them, or a buffer that takes results is closed
     */
    public JobSpec open(long unitsPerGranule) {
        granule = unitsPerGranule;
        List<JobSpec.Phase> phases = new ArrayList<>();
        for (JobSpec.Phase phase : declared.phases()) {
            phases.add(open(phase));
        }
        return scratch.isEmpty() ? declared : declared.withPhases(phases);
    }

    private JobSpec.Phase open(JobSpec.Phase phase) {
        List<JobSpec.Argument> arguments = new ArrayList<>(phase.arguments());
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof JobSpec.Argument.Buffer b) {
                PartialsSlice hidden = PartialsSlice.of(b);
                if (hidden != null) {
                    ManagedBuffer parts = open(phase, i, b, hidden);
                    Access.Slice slots = Access.slice(hidden.perUnit());
                    Access access = b.access() instanceof Access.Append ? slots.sparse() : slots;
                    arguments.set(i, new JobSpec.Argument.Buffer(parts, access, false, true));
                }
            }
        }
        JobSpec.Phase opened = phase.withArguments(arguments);
        folds.add(folds(phase, opened));
        return opened;
    }

    private List<Runnable> folds(JobSpec.Phase phase, JobSpec.Phase opened) {
        List<Runnable> all = new ArrayList<>();
        for (int i = 0; i < phase.arguments().size(); i++) {
            if (phase.arguments().get(i) instanceof JobSpec.Argument.Buffer b && PartialsSlice.of(b) != null) {
                ManagedBuffer target = b.buffer();
                ManagedBuffer parts = buffer(opened, i);
                if (b.access() instanceof Access.Reduce r) {
                    all.add(() -> PairwiseTree.fold(parts, declared.units(), target.elements(), r.operation(), target));
                } else if (b.access() instanceof Access.Append a) {
                    Compaction compaction =
                            new Compaction(i, parts, buffer(opened, i + 1), declared.units(), a.mostPerUnit(), target);
                    ManagedBuffer count = buffer(phase, i + 1);
                    all.add(() -> compaction.run(count));
                }
            }
        }
        return all;
    }

    private static ManagedBuffer buffer(JobSpec.Phase phase, int argument) {
        return ((JobSpec.Argument.Buffer) phase.arguments().get(argument)).buffer();
    }

    /** Holds the buffer that takes the results, and makes room for their parts. */
    private ManagedBuffer open(JobSpec.Phase phase, int index, JobSpec.Argument.Buffer argument, PartialsSlice hidden) {
        if (!argument.buffer().hold()) {
            throw new EvenerException(phase.describe(index) + ": the buffer is closed");
        }
        held.add(argument.buffer());
        long elements = declared.units() * hidden.perUnit(); // fits: checked when the job was built
        long together = granule < declared.units() ? granule * hidden.perUnit() : Math.max(1, elements);
        try {
            ManagedBuffer parts = pool.take(hidden.type(), elements, together);
            scratch.add(parts);
            return parts;
        } catch (EvenerException e) {
            throw new EvenerException(
                    phase.describe(index) + " needs host memory for " + declared.units()
                            + " units of " + hidden.perUnit() + " "
                            + hidden.type().openClName()
                            + " until its phase ends (larger units need less): " + e.getMessage(),
                    e);
        }
    }

    /**
     * Puts the results of a phase that has ended into their final form.
     *
     * @throws EvenerException if they have none; the message names job, kernel and reason
     */
    public void fold(int phase) {
        JobSpec.Phase ended = declared.phases().get(phase);
        try {
            folds.get(phase).forEach(Runnable::run);
        } catch (RuntimeException e) {
            throw new EvenerException(
                    "job '" + declared.name() + "', kernel " + ended.kernel() + ": " + e.getMessage(), e);
        } finally {
            for (JobSpec.Argument argument : ended.arguments()) {
                if (argument instanceof JobSpec.Argument.Buffer b && PartialsSlice.of(b) != null) {
                    b.buffer().version().changed(); // devices may hold what was there before
                }
            }
        }
    }

    /** Lets go of everything, when no lane works for the run any more. */
    public void close() {
        scratch.forEach(pool::giveBack);
        scratch.clear();
        held.forEach(ManagedBuffer::letGo);
        held.clear();
    }
}
