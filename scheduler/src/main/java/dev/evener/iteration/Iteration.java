package dev.evener.iteration;

import dev.evener.DataBuffer;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A step that is run again and again: one job or several, of which two buffers may change places after each step. It ends after a
 * number of steps, or when a condition on a small result holds.
 *
 * <pre>{@code
 * Iteration.Result done = Iteration.of(step, change)
 *         .swapping(now, next)
 *         .until(most, 10, values -> values.getFloat(0) < 1e-4f)
 *         .run(evener, 10_000)
 *         .join();
 * ManagedBuffer result = done.swapped() ? next : now;
 * }</pre>
 *
 * <p>Steps are submitted before earlier ones are done, at most {@link #ahead} at a time, so that devices do not wait for the host
 * and the queue stays short. Sixteen of them are one job, where {@link Job#then} can make one.
 * Immutable; any thread.
 */
public final class Iteration {
    /** Enough for steps of a few microseconds; a queued job is small. */
    private static final int AHEAD = 32;

    private final List<Job> jobs; // of steps with an even number, the first being 0
    private final List<Job> swapped; // of the others
    private final Set<DataBuffer> swapping;
    private final int ahead;
    private final @Nullable Condition until;

    /** When to stop before the last step. */
    record Condition(ManagedBuffer result, long every, Predicate<ByteBuffer> holds) {}

    /**
     * What has become of it.
     *
     * @param steps how many were run, all of which are done: the buffers hold what they hold after so many
     * @param met whether the condition held; false if there is none
     * @param readAfter after how many steps the result was read for the last time: those that it took, if the condition held; 0
     *     if it was never read
     * @param values what was read then, in native byte order and read-only; null if it was never read
     */
    public record Result(
            long steps,
            boolean met,
            long readAfter,
            @Nullable ByteBuffer values) {

        /** Whether the buffers of {@link Iteration#swapping} have changed places: each was last used as the other at first. */
        public boolean swapped() {
            return steps % 2 == 1;
        }
    }

    private Iteration(
            List<Job> jobs, List<Job> swapped, Set<DataBuffer> swapping, int ahead, @Nullable Condition until) {
        this.jobs = jobs;
        this.swapped = swapped;
        this.swapping = swapping;
        this.ahead = ahead;
        this.until = until;
    }

    /**
     * A step that runs these jobs in this order. As with all jobs, one waits for those before it with which it shares data that
     * one of them writes, and for no others.
     *
     * @param jobs at least one
     */
    public static Iteration of(Job... jobs) {
        List<Job> all = List.of(jobs);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a step needs at least one job");
        }
        return new Iteration(all, all, Set.of(), AHEAD, null);
    }

    /**
     * Two buffers change places in all jobs after each step: what the first step calls {@code one} is {@code other} in the
     * second. May be given several times, for other buffers.
     *
     * @throws dev.evener.EvenerException if a job cannot be run so, as {@link Job#swap} says
     * @throws IllegalArgumentException if no job uses one of them, or if one swaps already or is a result that is read
     */
    public Iteration swapping(DataBuffer one, DataBuffer other) {
        Objects.requireNonNull(one, "one");
        Objects.requireNonNull(other, "other");
        requireUsed(one);
        requireUsed(other);
        Set<DataBuffer> all = new HashSet<>(swapping);
        if (!all.add(one) || !all.add(other)) {
            throw new IllegalArgumentException("a buffer may change places with one other only");
        }
        requireFixed(all, until);
        List<Job> others = swapped.stream()
                .map(job -> job.uses(one) || job.uses(other) ? job.swap(one, other) : job)
                .toList();
        return new Iteration(jobs, others, all, ahead, until);
    }

    private void requireUsed(DataBuffer buffer) {
        if (jobs.stream().noneMatch(job -> job.uses(buffer))) {
            throw new IllegalArgumentException("no job of the step uses this " + buffer);
        }
    }

    private static void requireFixed(Set<DataBuffer> swapping, @Nullable Condition until) {
        if (until != null && swapping.contains(until.result())) {
            throw new IllegalArgumentException("a result that is read must not swap; have a job write it elsewhere");
        }
    }

    /**
     * At most so many steps are submitted and not done; 32 unless this says otherwise. A step that is followed by a check is done
     * when that is. With 1, each waits for the one before to end.
     */
    public Iteration ahead(int steps) {
        if (steps < 1) {
            throw new IllegalArgumentException("at least 1 step must be under way, not " + steps);
        }
        return new Iteration(jobs, swapped, swapping, steps, until);
    }

    /**
     * Stops when a condition holds. It is asked after every so many steps, and after the last. The result is read, as by {@link
     * ManagedBuffer#readAsync()}, as soon as the job that wrote it is done, while steps run that do not write it.
     *
     * <p>Steps that were submitted by then are run: at most {@link #ahead} less one after that of which the condition holds, and
     * none with {@code ahead(1)}. {@link Result#steps} counts them.
     *
     * @param result a small buffer that the jobs of a step write, and that does not swap
     * @param every steps from one reading to the next, at least 1
     * @param holds is given all of the buffer, in native byte order, on the thread that completes futures of jobs, so it must be
     *     quick; what it throws ends the iteration
     */
    public Iteration until(ManagedBuffer result, long every, Predicate<ByteBuffer> holds) {
        Condition condition =
                new Condition(Objects.requireNonNull(result, "result"), every, Objects.requireNonNull(holds, "holds"));
        if (every < 1) {
            throw new IllegalArgumentException("the result must be read every 1 step or more, not " + every);
        }
        requireUsed(result);
        requireFixed(swapping, condition);
        return new Iteration(jobs, swapped, swapping, ahead, condition);
    }

    /**
     * Runs it. Returns at once; no thread waits for it.
     *
     * <p>The future ends exceptionally with the first cause if a step fails, when those that were submitted after it have ended,
     * too, and have let go of their buffers ({@link dev.evener.JobFuture#released}); while a device hangs it does not. What they
     * write is undefined, or lost. Cancelling it, or completing it in any other way, cancels the steps under way and submits no
     * more. It is completed where futures of jobs are, and must not be waited for there ({@link dev.evener.JobFuture}).
     *
     * <p>With a {@link dev.evener.EvenerBuilder#queueLimit} it waits for its own steps where the queue is full. If none is under
     * way then, it fails with a {@link RejectedExecutionException}.
     *
     * @param steps how many at most; 0 does nothing
     * @throws RejectedExecutionException if the queue is full now
     * @throws IllegalStateException if the Evener is closed; if that happens later, the future ends with it, also if a result
     *     was still to be read
     */
    public CompletableFuture<Result> run(Evener evener, long steps) {
        if (steps < 0) {
            throw new IllegalArgumentException("the number of steps must not be negative, not " + steps);
        }
        return steps == 0
                ? CompletableFuture.completedFuture(new Result(0, false, 0, null))
                : IterationRun.start(evener, List.of(jobs, swapped), chain(), until, ahead, steps);
    }

    /** So many steps as one job, where they have nothing for the host to do; else null. */
    private @Nullable Job chain() {
        if (ahead < IterationRun.CHAIN) {
            return null;
        }
        List<Job> steps = new ArrayList<>();
        for (int step = 0; step < IterationRun.CHAIN; step++) {
            steps.addAll(step % 2 == 0 ? jobs : swapped);
        }
        return steps.get(0).then(steps.subList(1, steps.size())).orElse(null);
    }
}
