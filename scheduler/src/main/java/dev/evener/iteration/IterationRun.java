package dev.evener.iteration;

import dev.evener.DataBuffer;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An iteration under way. Whenever one of its jobs or readings ends, the thread that completes futures of jobs settles what has
 * ended, in the order of submission, and submits what may follow. A counter of what has ended decides who attends, so that nobody
 * waits for another; whoever starts it attends first, and only submits. The lock is held for one job at a time, so that none
 * follows once the caller has ended the result.
 */
final class IterationRun {
    /** Most steps that are one job where ranges of them wait for each other. */
    static final int CHAIN = 16;

    /**
     * Steps in one job.
     *
     * @param steps how many, after which buffers stand where they stood before
     */
    record Chain(Job job, int steps) {}

    private final Evener evener;
    private final List<List<Job>> bodies; // of steps, until buffers stand where they stood at first
    private final @Nullable Chain chain; // from such a step on
    private final LongFunction<Map<DataBuffer, DataBuffer>> places; // of buffers, after so many steps
    private final Iteration.@Nullable Condition until;
    private final @Nullable Consumer<Report> reports;
    private final int ahead;
    private final long most;
    private final CompletableFuture<Iteration.Result> result;

    private final AtomicInteger unattended = new AtomicInteger(1); // of the thread that starts it
    private final Queue<UnderWay> underWay = new ArrayDeque<>(); // guarded by this

    // Of the thread that attends.
    private final List<CompletableFuture<?>> holding =
            new ArrayList<>(); // after a failure: jobs that have buffers still
    private long submitted; // whole steps
    private int part; // of the next step: jobs of it that were submitted
    private long done;
    private boolean met;
    private long readAfter;
    private @Nullable ByteBuffer values;
    private @Nullable Throwable failure; // the first in the order of submission

    /**
     * A job that was submitted, or a reading that was asked for.
     *
     * @param turn ends it when it is cancelled
     * @param end completed when it has ended
     * @param read what a reading has read when it is done
     * @param steps how many are done with it
     */
    private record UnderWay(
            CompletableFuture<?> turn,
            CompletableFuture<?> end,
            @Nullable ByteBuffer read,
            int steps) {}

    private IterationRun(
            Evener evener,
            List<List<Job>> bodies,
            @Nullable Chain chain,
            LongFunction<Map<DataBuffer, DataBuffer>> places,
            Iteration.@Nullable Condition until,
            @Nullable Consumer<Report> reports,
            int ahead,
            long most,
            CompletableFuture<Iteration.Result> result) {
        this.evener = evener;
        this.bodies = bodies;
        this.chain = chain;
        this.places = places;
        this.until = until;
        this.reports = reports;
        this.ahead = ahead;
        this.most = most;
        this.result = result;
    }

    /**
     * Submits the first steps; throws what submitting the very first job does.
     *
     * @param most steps, at least 1
     */
    static CompletableFuture<Iteration.Result> start(
            Evener evener,
            List<List<Job>> bodies,
            @Nullable Chain chain,
            LongFunction<Map<DataBuffer, DataBuffer>> places,
            Iteration.@Nullable Condition until,
            @Nullable Consumer<Report> reports,
            int ahead,
            long most) {
        JobFuture first = evener.submit(bodies.get(0).get(0));
        // Made by the job's future, which knows where it is completed, and must not be waited for.
        IterationRun run = new IterationRun(
                evener, bodies, chain, places, until, reports, ahead, most, first.newIncompleteFuture());
        run.start(first);
        return run.result;
    }

    private void start(JobFuture first) {
        CompletableFuture<?> ignored = result.whenComplete((r, e) -> endedByCaller());
        follows(underWay(first, first, null));
        try {
            submit();
        } catch (Throwable e) { // an Error too: whoever waits for the result must not wait for ever
            fail(e);
        }
        if (!unattended.compareAndSet(1, 0)) { // what has ended meanwhile is none of this thread's business
            onCompletions(this::attend);
        }
    }

    private void proceed() {
        if (unattended.getAndIncrement() == 0) {
            attend();
        }
    }

    private void attend() {
        int seen;
        do {
            seen = unattended.get();
            try {
                settle();
                submit();
            } catch (Throwable e) { // as above
                fail(e);
            }
            end();
        } while (unattended.addAndGet(-seen) != 0);
    }

    private void fail(Throwable cause) {
        failure = failure == null ? cause : failure;
    }

    private void end() {
        holding.removeIf(CompletableFuture::isDone);
        boolean over;
        synchronized (this) {
            over = underWay.isEmpty() && holding.isEmpty();
        }
        if (over && failure != null) {
            result.completeExceptionally(failure);
        } else if (over) {
            result.complete(new Iteration.Result(done, met, readAfter, values, places.apply(done)));
        }
    }

    /** Also by this, but then nothing is under way. */
    private void endedByCaller() {
        List<UnderWay> left;
        synchronized (this) {
            left = List.copyOf(underWay);
            underWay.clear();
        }
        left.forEach(each -> each.turn().cancel(true));
    }

    // ---- what has ended ----

    private void settle() {
        for (UnderWay next = ended(); next != null; next = ended()) {
            Throwable cause = next.end().handle((report, e) -> e).join();
            if (cause != null) {
                fail(cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause);
            }
            done += next.steps();
            ByteBuffer read = next.read();
            if (failure != null && next.turn() instanceof JobFuture job) {
                waitForBuffers(job);
            } else if (failure == null && read != null && !met) {
                check(read);
            } else if (failure == null && reports != null && next.turn() instanceof JobFuture job) {
                reports.accept(job.join());
            }
        }
    }

    private synchronized @Nullable UnderWay ended() {
        UnderWay next = underWay.peek();
        return next != null && next.end().isDone() ? underWay.remove() : null;
    }

    private void waitForBuffers(JobFuture job) {
        CompletableFuture<?> released = job.released();
        if (!released.isDone()) {
            holding.add(released);
            CompletableFuture<?> ignored = released.whenComplete((none, e) -> proceed());
        }
    }

    private void check(ByteBuffer read) {
        values = read.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
        readAfter = done;
        met = Objects.requireNonNull(until, "until").holds().test(view(values));
    }

    /** One whose position is of no concern to others. */
    private static ByteBuffer view(ByteBuffer of) {
        return of.duplicate().order(ByteOrder.nativeOrder());
    }

    // ---- what may follow ----

    private void submit() {
        for (UnderWay next = next(); next != null; next = next()) {
            follows(next);
        }
    }

    /** Here rather than under the lock: it may have ended by now. */
    private void follows(UnderWay next) {
        CompletableFuture<?> ignored = next.turn() == next.end()
                ? next.end().whenComplete((report, e) -> proceed())
                // Not where futures of scopes are: there the condition and the result's callbacks could open none.
                : next.end().whenComplete((none, e) -> onCompletions(this::proceed));
    }

    /** Where futures of jobs are completed. */
    private void onCompletions(Runnable what) {
        CompletableFuture<@Nullable Void> there = result.newIncompleteFuture();
        CompletableFuture<?> ignored = there.completeAsync(() -> {
            what.run();
            return null;
        });
    }

    /** Submits the next job, or asks for the next reading; null if none may follow now. */
    private synchronized @Nullable UnderWay next() {
        if (!mayFollow()) {
            return null;
        }
        List<Job> body = bodies.get((int) (submitted % bodies.size()));
        Iteration.Condition condition = until;
        if (part == body.size() && condition != null) {
            return reading(condition.result());
        }
        Chain several = part == 0 ? chainNow() : null;
        Job next = several != null ? several.job : body.get(part);
        JobFuture job = evener.trySubmit(next).orElse(null);
        if (job != null) {
            return several != null ? chainUnderWay(job, several.steps) : underWay(job, job, null);
        } else if (underWay.isEmpty()) {
            throw new RejectedExecutionException("an iteration was refused job '" + next.name() + "' of step "
                    + submitted + ": others wait already, as many as may (queueLimit)");
        }
        return null; // until one of its own is done
    }

    /** The next steps as one job, if as many are to come before anybody looks at a result. */
    private @Nullable Chain chainNow() {
        Chain all = chain;
        long left = most - submitted;
        long every = until == null ? Long.MAX_VALUE : until.every();
        return all != null
                        && submitted % bodies.size() == 0
                        && left >= all.steps
                        && every - submitted % every > all.steps
                ? all
                : null;
    }

    private UnderWay chainUnderWay(JobFuture job, int steps) {
        submitted += steps;
        UnderWay next = new UnderWay(job, job, null, steps);
        underWay.add(next);
        return next;
    }

    private boolean mayFollow() {
        if (failure != null || result.isDone()) {
            return false;
        }
        if (part > 0) {
            return true;
        }
        Chain several = chainNow();
        return !met && submitted < most && submitted - done + (several == null ? 1 : several.steps) <= ahead;
    }

    /** The host's look at the result, at its place in the order. */
    private UnderWay reading(ManagedBuffer from) {
        ByteBuffer into = ByteBuffer.allocate(Math.toIntExact(from.byteSize())).order(ByteOrder.nativeOrder());
        CompletableFuture<ManagedBuffer.Scope> turn = from.readAsync();
        CompletableFuture<?> end = turn.thenAccept(scope -> {
            try (scope) { // the next step waits for its end
                into.put(0, scope.bytes(), 0, into.capacity());
            }
        });
        return underWay(turn, end, into);
    }

    private synchronized UnderWay underWay(
            CompletableFuture<?> turn, CompletableFuture<?> end, @Nullable ByteBuffer read) {
        part++;
        boolean endsStep = part == bodies.get(0).size() + (isChecked(submitted + 1) ? 1 : 0);
        if (endsStep) {
            submitted++;
            part = 0;
        }
        UnderWay next = new UnderWay(turn, end, read, endsStep ? 1 : 0);
        underWay.add(next);
        return next;
    }

    private boolean isChecked(long steps) {
        return until != null && (steps % until.every() == 0 || steps == most);
    }
}
