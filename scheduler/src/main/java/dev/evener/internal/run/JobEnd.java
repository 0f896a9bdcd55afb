package dev.evener.internal.run;

import dev.evener.DataLostException;
import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.internal.SubmittedJob;
import dev.evener.internal.order.HostThreads;
import dev.evener.internal.recovery.LaneFailure;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * When a run is over, well or not, and who may still touch what.
 *
 * <p>Three counters decide. {@code present}: lanes that were called and have not left, and who ends a phase {@linkplain #elsewhere
 * elsewhere}; the last to leave a failed run ends it.
 * {@code holders}: the run itself and the lanes that were given up while they ran a chunk, which may still touch the job's
 * buffers; the last lets these go. {@code owed}: the run itself and every chunk whose times are still to be read; the last one
 * has the job {@linkplain JobReport#conclude concluded}. Any thread; no lock is held.
 */
final class JobEnd {
    private final JobRun run;
    final SubmittedJob future; // the job's
    /** Completed when nobody works for the run any more, which for a cancelled job is after its future. */
    final CompletableFuture<@Nullable Void> idle = new CompletableFuture<>();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicInteger owed = new AtomicInteger(1);
    final AtomicBoolean finished = new AtomicBoolean(); // nobody works for it any more
    private final AtomicBoolean told = new AtomicBoolean(); // who listens, that it has ended
    private @Nullable Throwable outcome; // what it had failed with by then
    private volatile boolean over; // and its buffers were let go
    volatile boolean started; // lanes may be called, or were

    JobEnd(JobRun run) {
        this.run = run;
        this.future =
                new SubmittedJob(run, run.around.onOwnThread(), run.around.threads()::complete, run.around.waits());
    }

    /** Whether it has failed by now. */
    boolean hasFailed() {
        return failure.get() != null;
    }

    /** Whether its buffers were let go: jobs that waited for it may begin. */
    boolean isOver() {
        return over;
    }

    /** Whether it has ended, and has written what it was to write. */
    boolean isWell() {
        return over && outcome == null;
    }

    /** Why it has not written what it was to write, or will not, in words: the first cause. Null if it has, as far as is known. */
    @Nullable
    String failure() {
        Throwable cause = over ? outcome : failure.get();
        for (Throwable e = cause; e != null; e = e.getCause()) {
            if (e instanceof DataLostException lost) {
                return lost.reason();
            }
        }
        return cause == null ? null : String.valueOf(cause.getMessage());
    }

    /** Whether lanes should take no more chunks. */
    boolean stopped() {
        noticeCancelling();
        return hasFailed();
    }

    /** If the caller has ended the job's future, that is how the job fails. */
    void noticeCancelling() {
        // By nobody but the caller while lanes work: cancel(), orTimeout(), complete().
        if (!finished.get() && future.isDone() && !hasFailed()) {
            fail(new CancellationException("job '" + run.name() + "' was cancelled"));
        }
    }

    // ---- who is present ----

    /** So many calls are about to be made. */
    void expect(int calls) {
        present.addAndGet(calls);
    }

    /** So many calls of lanes have been answered; of a failed run the last one ends it. */
    void leave(int calls) {
        if (present.addAndGet(-calls) == 0 && stopped()) {
            finish();
        }
    }

    /** Has another thread than a lane's end a phase, which may be done by then; false if none is free. */
    boolean elsewhere(Runnable ending) {
        expect(1);
        boolean taken = run.around.threads().end(() -> {
            try {
                ending.run();
            } finally {
                leave(1);
            }
        });
        if (!taken) {
            leave(1);
        }
        return taken;
    }

    // ---- how it ends ----

    /** Ends the run with this cause as soon as the chunks under way are done. The first cause counts. */
    void fail(Throwable cause) {
        if (!failure.compareAndSet(null, cause)) {
            Throwable first = failure.get();
            if (first != null && first != cause) {
                first.addSuppressed(cause);
            }
        }
        if (started && present.get() == 0) {
            finish();
        }
    }

    /** What it was to come after has failed: it is not run. */
    void failAfter(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        fail(LaneFailure.ofJob(
                "job '" + run.name() + "' was not run, as what it was to come after failed: " + cause,
                cause,
                ApplicationFailedException::new));
        abandon();
    }

    /**
     * Ends the future of a failed run without waiting for its lanes any longer, and tells who listens. The run itself keeps its place in
     * the order, and its buffers, until they are back.
     */
    void abandon() {
        run.around.threads().complete(() -> {
            Throwable cause = failure.get();
            if (cause == null) {
                return;
            }
            EventPublisher.OfJob events = run.events;
            if (events != null) {
                JobStart start = run.start;
                long now = run.now();
                long build = started ? start.startedAt - start.admittedAt : 0;
                tell(events, now, build, started ? now - start.startedAt - start.waited() : 0, cause);
            }
            future.end(null, cause, Runnable::run);
        });
    }

    /** Tells who listens that the job has ended, before its future does. Once: of one that was abandoned it is known before all else. */
    void tell(EventPublisher.OfJob events, long at, long buildNanos, long wallNanos, @Nullable Throwable cause) {
        if (told.compareAndSet(false, true)) {
            events.ended(at, buildNanos, Math.max(0, wallNanos), cause);
        }
    }

    /** One more who may touch the job's buffers, until {@link #letGo}; false if they were let go, as the job is over. */
    boolean hold() {
        return holders.getAndUpdate(present -> present == 0 ? 0 : present + 1) > 0;
    }

    /** The last one who may still touch the job's buffers releases them; of a failed job they may hold anything. */
    void letGo() {
        if (hasFailed()) {
            run.plan.forms.forEach(JobForm::failed);
        }
        if (holders.decrementAndGet() == 0) {
            try {
                run.letBuffersGo();
            } finally {
                future.release();
            }
        }
    }

    /** One more chunk whose times the report has to wait for. */
    void owe() {
        owed.incrementAndGet();
    }

    /** One of them is settled. If a thread waits for the last one, it need not wait for another to wake up first. */
    void settled() {
        if (owed.decrementAndGet() > 0) {
            return;
        }
        HostThreads threads = run.around.threads();
        if (future.isAwaited() && run.progress == null) {
            JobReport.conclude(run, failure.get(), threads::complete);
        } else {
            threads.complete(() -> JobReport.conclude(run, failure.get(), Runnable::run));
        }
    }

    /** No lane has anything left to do. */
    void finish() {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        run.ending();
        try {
            letGo();
        } catch (Throwable e) { // the lanes and the caller must not wait for a buffer that cannot be let go
            fail(e);
        }
        outcome = failure.get(); // before the future is done, after which it would be taken for cancelled
        over = true;
        run.around.ended().accept(run); // first, so that the next job starts while this one's report is written
        settled();
        idle.complete(null);
        run.around.idle().accept(run);
    }
}
