package dev.evener.iteration;

import dev.evener.DataBuffer;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A step that is run again and again: one job or several, whose buffers may change places after each step. It ends
 * after a number of steps, or when a condition on a small result holds.
 *
 * <pre>{@code
 * Iteration.Result done = Iteration.of(step, change)
 *         .rotating(now, next)
 *         .until(most, 10, values -> values.getFloat(0) < 1e-4f)
 *         .run(evener, 10_000)
 *         .join();
 * ManagedBuffer result = done.at(now);
 * }</pre>
 *
 * <p>Steps are submitted before earlier ones are done, at most {@link #ahead} at a time, so that devices do not wait
 * for the host and the queue stays short. Sixteen of them are one job, where {@link Job#then} can make one. Immutable;
 * any thread.
 */
public final class Iteration {
    /** Enough for steps of a few microseconds; a queued job is small. */
    private static final int AHEAD = 32;

    private final List<List<Job>> bodies; // the jobs of each step, until all buffers stand where they stood at first
    private final List<List<DataBuffer>> rotations;
    private final int ahead;
    private final @Nullable Condition until;
    private final @Nullable Consumer<Report> reports;

    /** When to stop before the last step. */
    record Condition(ManagedBuffer result, long every, Predicate<ByteBuffer> holds) {}

    /**
     * What has become of it.
     *
     * @param steps how many were run, all of which are done: the buffers hold what they hold after so many
     * @param met whether the condition held; false if there is none
     * @param readAfter after how many steps the result was read for the last time: those that it took, if the condition
     *     held; 0 if it was never read
     * @param values what was read then, in native byte order and read-only; null if it was never read
     * @param places for each buffer of {@link Iteration#rotating}, the one that a step after these would use in its
     *     place
     */
    public record Result(
            long steps,
            boolean met,
            long readAfter,
            @Nullable ByteBuffer values,
            Map<DataBuffer, DataBuffer> places) {
        public Result {
            places = Map.copyOf(places);
        }

        /**
         * The buffer that a step after these would use in this one's place: what the jobs read there is the last
         * result. Itself, if it does not rotate.
         *
         * @param <B> {@link ManagedBuffer} or {@link dev.evener.HostBuffer}
         */
        @SuppressWarnings("unchecked") // those that rotate are of one kind
        public <B extends DataBuffer> B at(B place) {
            return (B) places.getOrDefault(place, place);
        }
    }

    private Iteration(
            List<List<Job>> bodies,
            List<List<DataBuffer>> rotations,
            int ahead,
            @Nullable Condition until,
            @Nullable Consumer<Report> reports) {
        this.bodies = bodies;
        this.rotations = rotations;
        this.ahead = ahead;
        this.until = until;
        this.reports = reports;
    }

    /**
     * A step that runs these jobs in this order. As with all jobs, one waits for those before it with which it shares
     * data that one of them writes, and for no others.
     *
     * @param jobs at least one
     */
    public static Iteration of(Job... jobs) {
        List<Job> all = List.of(jobs);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("a step needs at least one job");
        }
        return new Iteration(List.of(all), List.of(), AHEAD, null, null);
    }

    /**
     * Buffers change places after each step: the next step uses the second where this one uses the first, and so on, and
     * the first where this one uses the last. So {@code rotating(now, next)} has two swap, and {@code rotating(before, now,
     * next)} is for steps that look two steps back. May be given several times, for other buffers.
     *
     * @param buffers two or more of one type and length, all managed or all the host's; a job of the step uses each
     * @throws dev.evener.EvenerException if a job cannot be run so, as {@link Job#with} says
     * @throws IllegalArgumentException if no job uses one of them, or if one rotates already, is there twice or is a
     *     result that is read
     */
    public Iteration rotating(DataBuffer... buffers) {
        List<DataBuffer> all = List.of(buffers);
        if (all.size() < 2) {
            throw new IllegalArgumentException("at least two buffers are needed to change places");
        }
        all.forEach(this::requireUsed);
        Set<DataBuffer> different = new HashSet<>(all);
        rotations.forEach(different::addAll);
        if (different.size()
                < all.size() + rotations.stream().mapToInt(List::size).sum()) {
            throw new IllegalArgumentException("a buffer may be in one rotation only, and once");
        }
        if (all.stream().map(ManagedBuffer.class::isInstance).distinct().count() > 1) {
            throw new IllegalArgumentException(
                    "managed buffers and buffers of the host cannot take each other's places");
        }
        List<List<DataBuffer>> more = new ArrayList<>(rotations);
        more.add(all);
        Iteration rotated = new Iteration(rotated(bodies.get(0), more), List.copyOf(more), ahead, until, reports);
        rotated.requireFixed();
        return rotated;
    }

    /** What stands in whose place after so many steps. */
    private static Map<DataBuffer, DataBuffer> places(List<List<DataBuffer>> rotations, long steps) {
        Map<DataBuffer, DataBuffer> places = new HashMap<>();
        for (List<DataBuffer> each : rotations) {
            for (int i = 0; i < each.size(); i++) {
                places.put(each.get(i), each.get((int) ((i + steps) % each.size())));
            }
        }
        return places;
    }

    private static List<List<Job>> rotated(List<Job> jobs, List<List<DataBuffer>> rotations) {
        int period = 1;
        for (List<DataBuffer> each : rotations) {
            period = Math.multiplyExact(period, each.size()) / gcd(period, each.size());
        }
        List<List<Job>> bodies = new ArrayList<>();
        for (int step = 0; step < period; step++) {
            Map<DataBuffer, DataBuffer> places = places(rotations, step);
            bodies.add(jobs.stream().map(job -> on(job, places)).toList());
        }
        return bodies;
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    private static Job on(Job job, Map<DataBuffer, DataBuffer> places) {
        Map<DataBuffer, DataBuffer> own = new HashMap<>(places);
        own.entrySet().removeIf(each -> each.getKey() == each.getValue() || !job.uses(each.getKey()));
        return own.isEmpty() ? job : job.with(own);
    }

    private void requireUsed(DataBuffer buffer) {
        if (bodies.get(0).stream().noneMatch(job -> job.uses(buffer))) {
            throw new IllegalArgumentException("no job of the step uses this " + buffer);
        }
    }

    private void requireFixed() {
        if (until != null && rotations.stream().anyMatch(each -> each.contains(until.result()))) {
            throw new IllegalArgumentException("a result that is read must not rotate; have a job write it elsewhere");
        }
    }

    /**
     * At most so many steps are submitted and not done; 32 unless this says otherwise. A step that is followed by a
     * check is done when that is. With 1, each waits for the one before to end.
     */
    public Iteration ahead(int steps) {
        if (steps < 1) {
            throw new IllegalArgumentException("at least 1 step must be under way, not " + steps);
        }
        return new Iteration(bodies, rotations, steps, until, reports);
    }

    /**
     * Stops when a condition holds. It is asked after every so many steps, and after the last. The result is read, as
     * by {@link ManagedBuffer#readAsync()}, as soon as the job that wrote it is done, while steps run that do not write
     * it.
     *
     * <p>Steps that were submitted by then are run: at most {@link #ahead} less one after that of which the condition
     * holds, and none with {@code ahead(1)}. {@link Result#steps} counts them.
     *
     * @param result a small buffer that the jobs of a step write, and that does not rotate
     * @param every steps from one reading to the next, at least 1
     * @param holds is given all of the buffer, in native byte order, on the thread that completes futures of jobs, so
     *     it must be quick; what it throws ends the iteration
     */
    public Iteration until(ManagedBuffer result, long every, Predicate<ByteBuffer> holds) {
        Condition condition =
                new Condition(Objects.requireNonNull(result, "result"), every, Objects.requireNonNull(holds, "holds"));
        if (every < 1) {
            throw new IllegalArgumentException("the result must be read every 1 step or more, not " + every);
        }
        requireUsed(result);
        Iteration conditioned = new Iteration(bodies, rotations, ahead, condition, reports);
        conditioned.requireFixed();
        return conditioned;
    }

    /**
     * Has each job's report: of a job of a step, or of as many steps as were one job, whose units are those of one
     * step. In the order of the steps, and not of those that fail.
     *
     * @param consumer is called by the thread that completes futures of jobs, so it must be quick; what it throws ends
     *     the iteration
     */
    public Iteration onReport(Consumer<Report> consumer) {
        return new Iteration(bodies, rotations, ahead, until, Objects.requireNonNull(consumer, "consumer"));
    }

    /**
     * Runs it. Returns at once; no thread waits for it.
     *
     * <p>The future ends exceptionally with the first cause if a step fails, when those that were submitted after it
     * have ended, too, and have let go of their buffers ({@link dev.evener.JobFuture#released}); while a device hangs
     * it does not. What they write is undefined, or lost. Cancelling it, or completing it in any other way, cancels the
     * steps under way and submits no more. It is completed where futures of jobs are, and must not be waited for there
     * ({@link dev.evener.JobFuture}).
     *
     * <p>With a {@link dev.evener.EvenerBuilder#queueLimit} it waits for its own steps where the queue is full. If none
     * is under way then, it fails with a {@link RejectedExecutionException}.
     *
     * @param steps how many at most; 0 does nothing
     * @throws RejectedExecutionException if the queue is full now
     * @throws IllegalStateException if the Evener is closed; if that happens later, the future ends with it, also if a
     *     result was still to be read
     */
    public CompletableFuture<Result> run(Evener evener, long steps) {
        if (steps < 0) {
            throw new IllegalArgumentException("the number of steps must not be negative, not " + steps);
        }
        if (steps == 0) {
            return CompletableFuture.completedFuture(new Result(0, false, 0, null, places(rotations, 0)));
        }
        return IterationRun.start(
                evener, bodies, chain(), done -> places(rotations, done), until, reports, ahead, steps);
    }

    /**
     * So many steps as one job, where they have nothing for the host to do, and leave all where it stood at first; else
     * null.
     */
    private IterationRun.@Nullable Chain chain() {
        int length = IterationRun.CHAIN - IterationRun.CHAIN % bodies.size();
        if (ahead < length || length == 0) {
            return null;
        }
        List<Job> steps = new ArrayList<>();
        for (int step = 0; step < length; step++) {
            steps.addAll(bodies.get(step % bodies.size()));
        }
        return steps.get(0)
                .then(steps.subList(1, steps.size()))
                .map(job -> new IterationRun.Chain(job, length))
                .orElse(null);
    }
}
