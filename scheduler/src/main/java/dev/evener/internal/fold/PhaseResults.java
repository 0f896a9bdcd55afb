package dev.evener.internal.fold;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.EvenerException;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The results of one run that take their final form when their phase ends. Integers are added up as chunks end, for each lane
 * apart, and then merged in lane order. Of all else each unit writes its own part of a hidden slice, which a lane treats like
 * any other, and the host folds the parts in the order of the units. So the result is the same for every split, and a chunk
 * that is run again spoils nothing.
 *
 * <p>{@link #collect} is called by lanes, each for itself; {@link #open}, {@link #fold} and {@link #close} one after the other
 * by whichever thread holds the run; the run orders them.
 */
public final class PhaseResults {
    private final JobSpec declared;
    private final ScratchPool pool;
    private final int lanes;

    // Empty where no phase has any.
    private List<List<Runnable>> folds = List.of(); // by phase
    private List<LogicalBuffer> scratch = List.of();
    private @Nullable ByteBuffer[][] sums = {}; // [lane][argument], of the phase under way

    /** @param lanes how many collect */
    public PhaseResults(JobSpec declared, ScratchPool pool, int lanes) {
        this.declared = declared;
        this.pool = pool;
        this.lanes = lanes;
    }

    /**
     * The job as lanes run it, with slices only where results are still to be folded.
     *
     * @param unitsPerGranule units between two cuts
     * @throws EvenerException if there is no memory for them
     */
    public JobSpec open(long unitsPerGranule) {
        if (!declared.buffers().putsTogether()) {
            return declared;
        }
        folds = new ArrayList<>(1);
        scratch = new ArrayList<>();
        sums = new ByteBuffer[lanes][];
        List<JobSpec.Phase> phases = new ArrayList<>(declared.phases().size());
        for (int i = 0; i < declared.phases().size(); i++) {
            phases.add(open(declared.phases().get(i), unitsPerGranule));
        }
        return scratch.isEmpty() ? declared : declared.withPhases(phases);
    }

    private JobSpec.Phase open(JobSpec.Phase phase, long granule) {
        List<Argument> opened = new ArrayList<>(phase.arguments());
        List<Runnable> all = new ArrayList<>();
        for (int i = opened.size() - 1; i >= 0; i--) { // an append's count, which is behind it, before itself
            if (opened.get(i) instanceof Argument.Buffer b) {
                LogicalBuffer.Range target = b.range();
                Argument.Hidden hidden = b.hidden();
                Access.Reduce reduction = b.reduction();
                if (hidden != null) {
                    LogicalBuffer parts = take(phase.describe(i), hidden, granule);
                    opened.set(i, hidden.over(parts));
                    if (reduction != null) {
                        all.add(
                                0,
                                () -> PairwiseTree.fold(
                                        parts, declared.units(), target.elements(), reduction.operation(), target));
                    } else if (hidden.appended()) {
                        LogicalBuffer counts = ((Argument.Buffer) opened.get(i + 1)).buffer();
                        LogicalBuffer.Range count =
                                ((Argument.Buffer) phase.arguments().get(i + 1)).range();
                        Compaction compaction =
                                new Compaction(i, parts, counts, declared.units(), hidden.perUnit(), target);
                        all.add(0, () -> compaction.run(count));
                    }
                } else if (reduction != null) {
                    int index = i;
                    all.add(0, () -> merge(index, target, reduction));
                }
            }
        }
        folds.add(all);
        return phase.withArguments(opened);
    }

    private LogicalBuffer take(String argument, Argument.Hidden hidden, long granule) {
        long elements = declared.units() * hidden.perUnit(); // fits: checked when the job was built
        long together = granule < declared.units() ? granule * hidden.perUnit() : Math.max(1, elements);
        try {
            LogicalBuffer parts = pool.take(hidden.type(), elements, together);
            if (!parts.hold()) {
                throw new EvenerException("its Evener was closed");
            }
            scratch.add(parts);
            return parts;
        } catch (EvenerException e) {
            String what =
                    argument + " needs host memory for " + declared.units() + " units of " + hidden.perUnit() + " "
                            + hidden.type().openClName()
                            + " until its phase ends (larger units need less): " + e.getMessage();
            throw elements * hidden.type().bytes() > HostMemory.most()
                    ? new JobRejectedException(what, e) // also when all else is closed
                    : new DevicesFailedException(what, e);
        }
    }

    /** Adds the partial results of a lane's last chunk to the lane's own. */
    public void collect(int lane, IntFunction<ByteBuffer> partial, JobSpec.Phase phase) {
        List<Argument> arguments = phase.arguments();
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof Argument.Buffer b && b.reduction() != null) {
                if (sums[lane] == null) {
                    sums[lane] = new ByteBuffer[arguments.size()];
                }
                ByteBuffer sum = sums[lane][i];
                if (sum == null) {
                    sum = pool.takeHeap((int) b.range().byteSize());
                    sums[lane][i] = sum;
                    Merge.copy(sum, partial.apply(i));
                } else {
                    Merge.into(
                            sum,
                            partial.apply(i),
                            b.buffer().type(),
                            b.reduction().operation());
                }
            }
        }
    }

    private void merge(int index, LogicalBuffer.Range into, Access.Reduce reduce) {
        ByteBuffer target = into.part();
        boolean flags = reduce.operation() == Reduction.ANY || reduce.operation() == Reduction.ALL;
        boolean first = !reduce.keeps() && !flags;
        if (flags && !reduce.keeps()) { // kernels may set one to anything
            Merge.fillIdentity(target, into.type(), reduce.operation());
        }
        for (@Nullable ByteBuffer[] ofLane : sums) {
            ByteBuffer sum = ofLane == null ? null : ofLane[index];
            if (sum != null && first) {
                Merge.copy(target, sum);
                first = false;
            } else if (sum != null) {
                Merge.into(target, sum, into.type(), reduce.operation());
            }
        }
        if (first) { // no lane had work
            Merge.fillIdentity(target, into.type(), reduce.operation());
        }
    }

    /** Whether a phase has results that are not in their final form when its chunks are done. */
    public boolean hasFold(int phase) {
        return !folds.isEmpty() && !folds.get(phase).isEmpty();
    }

    /**
     * Puts the results of a phase that has ended into their final form.
     *
     * @throws JobRejectedException if there is no room for what was appended; all else is in its final form then
     * @throws EvenerException if they have none; the message names job, kernel and reason
     */
    public void fold(int phase) {
        JobRejectedException rejected = null;
        try {
            for (Runnable fold : folds.get(phase)) {
                try {
                    fold.run();
                } catch (JobRejectedException e) {
                    rejected = rejected != null ? rejected : e;
                }
            }
        } catch (RuntimeException e) {
            throw new EvenerException(what(phase, e), e);
        } finally {
            for (@Nullable ByteBuffer[] ofLane : sums) {
                for (int i = 0; ofLane != null && i < ofLane.length; i++) {
                    ByteBuffer sum = ofLane[i];
                    if (sum != null) {
                        pool.giveBack(sum);
                    }
                }
            }
            Arrays.fill(sums, null);
        }
        if (rejected != null) {
            throw new JobRejectedException(what(phase, rejected), rejected);
        }
    }

    private String what(int phase, RuntimeException reason) {
        return "job '" + declared.name() + "', kernel "
                + declared.phases().get(phase).kernel() + ": " + reason.getMessage();
    }

    /** Gives its memory back, when no lane works for the run any more. */
    public void close() {
        for (LogicalBuffer each : scratch) {
            pool.giveBack(each);
            each.letGo();
        }
        scratch = List.of();
    }
}
