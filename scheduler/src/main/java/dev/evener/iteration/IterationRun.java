package dev.evener.iteration;

import static dev.evener.Access.whole;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.ManagedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An iteration under way. Whenever one of its jobs ends, whoever completes that job's future settles what has ended, in the order
 * of submission, and submits what may follow. Any thread; its lock is held while jobs are submitted, which waits for nobody, and
 * not while the result's callbacks run.
 */
final class IterationRun {
    private final Evener evener;
    private final List<List<Job>> bodies; // of steps with an even number, and with an odd one
    private final Iteration.@Nullable Condition until;
    private final int ahead;
    private final long most;
    private final CompletableFuture<Iteration.Result> result;

    // Guarded by this.
    private final Queue<UnderWay> underWay = new ArrayDeque<>();
    private boolean proceeding;
    private boolean again; // something ended meanwhile, on the thread that proceeds
    private long submitted; // whole steps
    private int part; // of the next step: jobs of it that were submitted
    private long done;
    private boolean met;
    private long readAfter;
    private @Nullable ByteBuffer values;
    private @Nullable Throwable failure; // the first in the order of submission

    /**
     * A job that was submitted.
     *
     * @param read what it has read when it is done, if it is there for that
     * @param endsStep whether the step is done with it
     */
    private record UnderWay(JobFuture job, @Nullable ByteBuffer read, boolean endsStep) {}

    private IterationRun(
            Evener evener,
            List<List<Job>> bodies,
            Iteration.@Nullable Condition until,
            int ahead,
            long most,
            CompletableFuture<Iteration.Result> result) {
        this.evener = evener;
        this.bodies = bodies;
        this.until = until;
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
            Evener evener, List<List<Job>> bodies, Iteration.@Nullable Condition until, int ahead, long most) {
        JobFuture first = evener.submit(bodies.get(0).get(0));
        // Made by the job's future, which knows where it must not be waited for.
        IterationRun run = new IterationRun(evener, bodies, until, ahead, most, first.newIncompleteFuture());
        run.submitted(first, null);
        CompletableFuture<?> ignored = run.result.whenComplete((r, e) -> run.proceed());
        ignored = first.whenComplete((r, e) -> run.proceed());
        run.proceed();
        return run.result;
    }

    private void proceed() {
        List<UnderWay> left = List.of();
        boolean over;
        Throwable cause;
        Iteration.Result end;
        synchronized (this) {
            if (proceeding) { // this very thread: a job that it has just submitted had ended by then
                again = true;
                return;
            }
            proceeding = true;
            try {
                do {
                    again = false;
                    settle();
                    submit();
                } while (again);
            } catch (Throwable e) { // an Error too: whoever waits for the result must not wait for ever
                fail(e);
            } finally {
                proceeding = false;
            }
            over = underWay.isEmpty();
            cause = failure;
            end = new Iteration.Result(done, met, readAfter, values);
            if (result.isDone()) { // by its caller
                left = List.copyOf(underWay);
                underWay.clear();
            }
        }
        left.forEach(each -> each.job().cancel(true));
        if (over && cause != null) {
            result.completeExceptionally(cause);
        } else if (over) {
            result.complete(end);
        }
    }

    private void fail(Throwable cause) {
        failure = failure == null ? cause : failure;
    }

    // ---- what has ended ----

    private void settle() {
        for (UnderWay next = underWay.peek(); next != null && next.job().isDone(); next = underWay.peek()) {
            underWay.remove();
            Throwable cause = next.job().handle((report, e) -> e).join();
            if (cause != null) {
                fail(cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause);
            }
            done += next.endsStep() ? 1 : 0;
            ByteBuffer read = next.read();
            if (read != null && failure == null && !met) {
                check(read);
            }
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
        while (mayFollow()) {
            List<Job> body = bodies.get((int) (submitted % 2));
            Iteration.Condition condition = until;
            ByteBuffer into = part < body.size() || condition == null ? null : room(condition.result());
            Job next = into == null
                    ? body.get(part)
                    : reading(condition.result(), into, body.get(0).devices());
            JobFuture job = evener.trySubmit(next).orElse(null);
            if (job == null) {
                if (underWay.isEmpty()) {
                    throw new RejectedExecutionException("an iteration was refused job '" + next.name() + "' of step "
                            + submitted + ": others wait already, as many as may (queueLimit)");
                }
                return; // until one of its own is done
            }
            submitted(job, into);
            CompletableFuture<?> ignored = job.whenComplete((r, e) -> proceed());
        }
    }

    private boolean mayFollow() {
        if (failure != null || result.isDone()) {
            return false;
        }
        return part > 0 || (!met && submitted < most && submitted - done < ahead);
    }

    private void submitted(JobFuture job, @Nullable ByteBuffer into) {
        part++;
        boolean endsStep = part == bodies.get(0).size() + (isChecked(submitted + 1) ? 1 : 0);
        underWay.add(new UnderWay(job, into, endsStep));
        if (endsStep) {
            submitted++;
            part = 0;
        }
    }

    private boolean isChecked(long steps) {
        return until != null && (steps % until.every() == 0 || steps == most);
    }

    private static ByteBuffer room(ManagedBuffer of) {
        return ByteBuffer.allocate(Math.toIntExact(of.byteSize())).order(ByteOrder.nativeOrder());
    }

    /** A job that is nothing but the host's look at the result, at its place in the order. */
    private static Job reading(ManagedBuffer from, ByteBuffer into, @Nullable DeviceSelector devices) {
        Job.Builder job = Job.named("read")
                .units(0)
                .kernel("read")
                .jvm(chunk -> {})
                .reads(from, whole())
                .combine(host -> into.put(0, host.read(from, 0, from.elements()), 0, into.capacity()));
        return (devices == null ? job : job.devices(devices)).build();
    }
}
