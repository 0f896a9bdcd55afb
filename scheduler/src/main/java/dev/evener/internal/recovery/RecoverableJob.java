package dev.evener.internal.recovery;

import dev.evener.JobFuture;
import dev.evener.internal.JobSpec;
import dev.evener.internal.SubmittedJob;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A job under way as far as it may fail, and how it ends, well or not.
 *
 * <p>Three counters decide when it is over. {@code present}: lanes that were called and have not left; the last to leave a
 * failed run ends it. {@code holders}: the run itself and the lanes that were given up while they ran a chunk, which may still
 * touch the job's buffers; the last lets these go. {@code owed}: the run itself and every chunk whose times are still to be
 * read; the last one has the job {@linkplain #conclude concluded}.
 *
 * <p>Any thread may call what is not said to be for one. No lock is held.
 */
public abstract class RecoverableJob {
    private final String name;
    private final boolean recovers;
    private final LongSupplier clock;
    private final Executor completions;
    private final JobFuture future;
    private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> lanesFree = new CompletableFuture<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicInteger owed = new AtomicInteger(1);
    private final AtomicBoolean finished = new AtomicBoolean();
    private volatile boolean started;

    /**
     * @param recovers whether others take over what a failed lane leaves
     * @param completions where futures are completed, so that no user code runs on a lane
     * @param onOwnThread whether the calling thread is one that has to complete the run
     */
    protected RecoverableJob(
            String name, boolean recovers, LongSupplier clock, Executor completions, BooleanSupplier onOwnThread) {
        this.name = name;
        this.recovers = recovers;
        this.clock = clock;
        this.completions = completions;
        this.future = new SubmittedJob(name, released, onOwnThread);
    }

    /** The phase that the lanes of a job work at. Any thread. */
    public interface OpenPhase {
        /** Which of the job it is, from 0. */
        int number();

        /** What is run. */
        JobSpec.Phase phase();

        /** Puts back what a lane took and could not do. */
        void giveBack(long range);

        /** A lane failed: from now on every lane may take over another's work, whatever the plan. */
        void degrade();
    }

    // ---- what the run does ----

    /** The phase whose chunks are taken at present; null before the first and after the last. */
    protected abstract @Nullable OpenPhase openPhase();

    /** What lanes run at present. */
    protected abstract Form form();

    /** One way to compute a job. */
    public interface Form {
        /** The units of it, if a lane must have them in one piece; else 0. */
        long unitsInOnePiece();

        /** Whether the job can begin again in another form, although a lane has failed in a phase of this one. */
        boolean canBeginAgain(int phase);

        /** Whether a lane can take part in what is left. */
        boolean fits(RecoverableLane lane);
    }

    /** The job begins again in another form. By the lane that failed, while no other works for the job. */
    protected abstract void beginAgain(RecoverableLane lane);

    /** Calls all lanes that are left but one, those that the plan had left out too. */
    protected abstract void callOthers(RecoverableLane but);

    /** No lane has anything left to do. Once, before what follows. */
    protected abstract void ending();

    /** The job's buffers may hold anything. By whoever lets go of them last, or comes late. */
    protected abstract void buffersChanged();

    /** Nobody touches the job's buffers any more. Once. */
    protected abstract void releaseBuffers();

    /** Lets others have its lanes. Once. */
    protected abstract void releaseLanes();

    /** All is known of the job: ends its future. Once, where futures are completed. */
    protected abstract void conclude(@Nullable Throwable cause);

    // ---- what others ask ----

    /** Its name. */
    public final String name() {
        return name;
    }

    /** The present time, in nanoseconds. */
    public final long now() {
        return clock.getAsLong();
    }

    /** Whether others take over what a failed lane leaves. */
    public final boolean recovers() {
        return recovers;
    }

    /** Its future. */
    public final JobFuture future() {
        return future;
    }

    /** Completed when no lane works for the run any more, which for a cancelled job is after its future. */
    public final CompletableFuture<@Nullable Void> lanesFree() {
        return lanesFree;
    }

    /** Completed when its future is too. */
    public final CompletableFuture<@Nullable Void> ended() {
        return CompletableFuture.allOf(future.handle((report, cause) -> null), lanesFree);
    }

    /** Whether its lanes are free. */
    public final boolean isFinished() {
        return finished.get();
    }

    /** Whether lanes may have been called. */
    final boolean isStarted() {
        return started;
    }

    /** Whether it has failed by now. */
    public final boolean hasFailed() {
        return failure.get() != null;
    }

    /** Whether lanes should take no more chunks. */
    public final boolean stopped() {
        noticeCancelling();
        return failure.get() != null;
    }

    /** If the caller has ended the job's future, that is how the job fails. */
    final void noticeCancelling() {
        // By nobody but the caller while lanes work: cancel(), orTimeout(), complete().
        if (future.isDone() && failure.get() == null) {
            fail(new CancellationException("job '" + name + "' was cancelled"));
        }
    }

    // ---- who is present ----

    /** Lanes may be called from now on, or were. */
    public final void started() {
        started = true;
    }

    /** So many calls are about to be made. */
    public final void expect(int calls) {
        present.addAndGet(calls);
    }

    /** So many calls of lanes have been answered; of a failed run the last one ends it. */
    public final void leave(int calls) {
        if (present.addAndGet(-calls) == 0 && stopped()) {
            finish();
        }
    }

    // ---- how it ends ----

    /** Ends the run with this cause as soon as the chunks under way are done. The first cause counts. */
    public final void fail(Throwable cause) {
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

    /** Ends the future of a failed run without waiting for its lanes any longer. */
    public final void abandon() {
        complete(() -> {
            Throwable cause = failure.get();
            if (cause != null) {
                future.completeExceptionally(cause);
            }
        });
    }

    /** One more who may touch the job's buffers, until {@link #letGo}. */
    final void hold() {
        holders.incrementAndGet();
    }

    /** The last one who may still touch the job's buffers releases them. */
    public final void letGo() {
        if (failure.get() != null) {
            buffersChanged();
        }
        if (holders.decrementAndGet() == 0) {
            try {
                releaseBuffers();
            } finally {
                complete(() -> released.complete(null));
            }
        }
    }

    /** One more chunk whose times the report has to wait for. */
    public final void owe() {
        owed.incrementAndGet();
    }

    /** One of them is settled. */
    public final void settled() {
        if (owed.decrementAndGet() == 0) {
            complete(() -> conclude(failure.get()));
        }
    }

    /** No lane has anything left to do. */
    public final void finish() {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        ending();
        try {
            letGo();
        } catch (Throwable e) { // the lanes and the caller must not wait for a buffer that cannot be let go
            fail(e);
        }
        releaseLanes(); // first, so that the next job starts while this one's report is written
        settled();
        lanesFree.complete(null);
    }

    /** Completes a future, after which callers' code runs: not on a lane. */
    private void complete(Runnable completing) {
        try {
            completions.execute(completing);
        } catch (RejectedExecutionException e) { // the runtime was closed without waiting for this lane any longer
            completing.run();
        }
    }
}
