package dev.evener.kernels.pipeline;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.kernels.pipeline.Schedule.Item;
import dev.evener.policy.Policy;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of items that go through the same stages. A stage is a job, on devices of its own or split over all that the {@link
 * Evener} has, or it is work of the host's, with threads of its own; stages work at the same time, on different items. Each item
 * has a <em>slot</em>: all the buffers that its stages use, of an application's own class. There are only so many, which bounds
 * memory and the number of items under way.
 *
 * <pre>{@code
 * try (Pipeline<Slot> pipeline = Pipeline.over(evener, 5, () -> new Slot(evener))
 *         .host("decode", 2, (slot, reports) -> slot.decode())
 *         .stage("edges", slot -> slot.edgesJob())
 *         .host("encode", 2, (slot, reports) -> slot.encode())
 *         .open()) {
 *     for (Path file : files) {
 *         Slot slot = pipeline.acquire();       // waits while all are under way
 *         slot.file = file;
 *         pipeline.submit(slot);                // the slot is free again when its last stage is done
 *     }
 * }                                             // waits for all of them
 * }</pre>
 *
 * <p><b>Slots.</b> {@link #acquire} gives the caller a slot, to fill; {@link #submit submit} takes it away again, for good: the
 * item's result is read in the last stage. When that is done, or the item has failed or was cancelled, the slot is free. Nothing
 * is to be released but a slot that was acquired and not submitted ({@link #release}).
 *
 * <p><b>Order.</b> Items enter each stage in the order of their submission, so a host stage with one thread works in that order, unless
 * the pipeline is {@linkplain PipelineBuilder#unordered() unordered}.
 * A device stage has two jobs submitted at most, one that runs and the next; a distributed one two or three for each device.
 *
 * <p><b>Failures.</b> An item whose stage throws, or whose job fails (as devices that fail are replaced by others, that takes all
 * that its stage may use), ends its own future with that cause and frees its slot; the others go on. Cancelling an item's future
 * ends it: at once if it waits, else its job ends at its next chunk or the host's work when it returns, and the slot is free when
 * nobody works on it any more. A job with a {@linkplain JobBuilder#deadline deadline} should have one for chunks too: without,
 * a device that does not come back may write to the slot of a later item.
 *
 * <p><b>Threads.</b> Any thread may call any method. Host stages have threads {@code evener-NAME-1} and so on, which end with
 * {@link #close}. Functions that make jobs are called one at a time, by the thread that completes the runtime's futures, one of a
 * host stage or one that submits: they must be short and must not wait. In them, in host stages and in what hangs on the futures,
 * {@link #acquire}, {@link #drain} and {@link #close} are refused, because they would wait for themselves; {@link #tryAcquire},
 * {@link #submit submit} and {@link #cancel} are not.
 *
 * @param <S> the application's class of slots
 */
@SuppressWarnings("FutureReturnValueIgnored") // what its callbacks throw, they deal with themselves
public final class Pipeline<S> implements AutoCloseable {
    /** Whether the calling thread is in a function of a pipeline. */
    private static final ThreadLocal<Boolean> CALLED = new ThreadLocal<>();

    private final Evener evener;
    private final @Nullable Policy policy;
    private final List<Stage<S>> stages;
    private final List<? extends AutoCloseable> owned;
    private final Schedule<S> schedule;
    private final AtomicInteger unattended = new AtomicInteger(); // as in the runtime's dispatcher

    Pipeline(PipelineBuilder<S> builder, List<S> slots, List<? extends AutoCloseable> owned) {
        this.evener = builder.evener;
        this.policy = builder.policy;
        this.stages = List.copyOf(builder.stages);
        this.owned = owned;
        this.schedule = new Schedule<>(stages, slots, evener.devices(), builder.inOrder, System::nanoTime);
    }

    /**
     * Describes a pipeline over slots that stay the caller's: they must outlive it, and no other pipeline may be open over
     * them.
     */
    public static <S> PipelineBuilder<S> over(Evener evener, List<? extends S> slots) {
        List<S> given = List.copyOf(slots);
        return new PipelineBuilder<>(evener, () -> given, false);
    }

    /**
     * Describes a pipeline with slots of its own, made by {@link PipelineBuilder#open} and closed by {@link Pipeline#close}.
     *
     * @param count how many, at least 1; each stage works on one while at least one more waits or is filled, so with fewer than
     *     three or four for two stages devices idle
     * @param maker called {@code count} times
     */
    public static <S extends AutoCloseable> PipelineBuilder<S> over(
            Evener evener, int count, Supplier<? extends S> maker) {
        if (count < 1) {
            throw new IllegalArgumentException("a pipeline needs at least 1 slot, not " + count);
        }
        return new PipelineBuilder<>(evener, () -> PipelineBuilder.make(count, maker), true);
    }

    /**
     * What a host stage does with an item.
     *
     * @param <S> the application's class of slots
     */
    @FunctionalInterface
    public interface Work<S> {
        /**
         * Called by as many threads at once as the stage has.
         *
         * @param slot the item's
         * @param reports of the device stages that it has passed
         * @throws Exception whatever it throws ends this item, and no other
         */
        void run(S slot, List<Report> reports) throws Exception;
    }

    /**
     * A free slot, for the caller to fill and then {@link #submit submit} or {@link #release}. Waits while there is none.
     *
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws IllegalStateException if the pipeline is closed, before or while it waits; or in a function of a stage or what
     *     hangs on a future
     */
    public S acquire() throws InterruptedException {
        refuseWaiting("acquire()", "use tryAcquire()");
        return schedule.acquire();
    }

    /**
     * A free slot, or null if there is none at present.
     *
     * @throws IllegalStateException if the pipeline is closed
     */
    public @Nullable S tryAcquire() {
        return schedule.tryAcquire();
    }

    /**
     * Gives back a slot that was acquired and will not be submitted.
     *
     * @throws IllegalArgumentException if the slot is none that the caller may have
     */
    public void release(S slot) {
        schedule.giveBack(slot);
    }

    /**
     * Sends an item through the stages. From here on the slot is the pipeline's.
     *
     * @param slot one that was acquired, filled
     * @return completed when it is through all stages, with the reports of its jobs; exceptionally, with an {@link
     *     EvenerException} that names the stage and has what it threw as its cause. To be cancelled if there is no need for the
     *     result
     * @throws IllegalArgumentException if the slot was not acquired, or was submitted already
     * @throws IllegalStateException if the pipeline is closed; {@code close} does not wait for that slot
     */
    public CompletableFuture<ItemReport> submit(S slot) {
        Item<S> item = schedule.add(slot);
        item.future.whenComplete((report, e) -> noticeCancelling(item, e));
        attend();
        return item.future;
    }

    /**
     * Waits until no item is under way: all that were submitted before have ended.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException in a function of a stage or what hangs on a future
     */
    public void drain() throws InterruptedException {
        refuseWaiting("drain()", "use the items' futures");
        schedule.awaitEmpty();
    }

    /** What it did so far. Items in their last stage are not counted yet. */
    public PipelineReport report() {
        return schedule.report();
    }

    /** Takes no more items and cancels those under way, without waiting. Idempotent. */
    public void cancel() {
        schedule.close();
        schedule.present().forEach(item -> item.future.cancel(true));
    }

    /**
     * Takes no more items, waits until all those under way have ended (they go through all their stages, unless their Evener
     * is closed meanwhile), ends the host stages' threads and closes the slots if they are its own; those that are acquired and
     * not submitted, too. Threads that wait for a slot get an exception. If the calling thread is interrupted, it cancels all
     * items, and waits for that. Idempotent.
     *
     * @throws IllegalStateException in a function of a stage or what hangs on a future
     * @throws EvenerException if a slot could not be closed
     */
    @Override
    public void close() {
        refuseWaiting("close()", "close it from the thread that submits");
        schedule.close();
        boolean interrupted = false;
        for (boolean waiting = true; waiting; ) {
            try {
                schedule.awaitEmpty();
                stopThreads();
                waiting = false;
            } catch (InterruptedException e) {
                interrupted = true;
                cancel();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        closeAll(owned, null);
    }

    private void stopThreads() throws InterruptedException {
        for (Stage<S> stage : stages) {
            if (stage instanceof Stage.OnHost<S> host && host.executor() instanceof ExecutorService threads) {
                threads.shutdown();
                threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS); // they have nothing left to do
            }
        }
    }

    /**
     * Starts what is due. Whoever finds this unattended makes the jobs for all others, so that items enter their stages in order and no
     * lock is held meanwhile; threads of host stages are given items at once, as making jobs may take long.
     */
    private void attend() {
        schedule.due(false).forEach(this::start);
        if (unattended.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            schedule.due(true).forEach(this::start);
            seen = unattended.addAndGet(-seen);
        } while (seen != 0);
    }

    private void start(Item<S> item) {
        Stage<S> stage = stages.get(item.stage);
        if (stage instanceof Stage.OnHost<S> host) {
            host.executor().execute(() -> work(item, host));
            return;
        }
        Stage.OnDevices<S> devices = (Stage.OnDevices<S>) stage;
        try {
            submit(item, devices, asCallback(() -> devices.jobFor(item.slot, schedule.beside(item))));
        } catch (Throwable e) { // the function is user code: whatever it throws ends this item and nothing else
            ended(item, stage, null, e, 0);
        }
    }

    private void submit(Item<S> item, Stage.OnDevices<S> stage, Job job) {
        CompletableFuture<Report> future = policy == null ? evener.submit(job) : evener.submit(job, policy);
        if (schedule.submitted(item, job, future)) {
            future.cancel(true);
        }
        future.whenComplete((report, e) -> ended(item, stage, report, e, 0));
    }

    private void work(Item<S> item, Stage.OnHost<S> stage) {
        long start = System.nanoTime();
        Throwable failure = asCallback(() -> {
            try {
                stage.work().run(item.slot, Collections.unmodifiableList(item.reports));
                return null;
            } catch (Throwable e) { // user code
                return e;
            }
        });
        ended(item, stage, null, failure, System.nanoTime() - start);
    }

    private void ended(Item<S> item, Stage<S> stage, @Nullable Report report, @Nullable Throwable failure, long nanos) {
        boolean goesOn = schedule.ended(item, failure == null, report, nanos);
        attend(); // before anything that takes time, so that devices have something to do meanwhile
        Job job = item.job;
        if (!goesOn && failure != null && job != null && item.future.isDone()) {
            awaitDevices(item, job);
        } else if (!goesOn) {
            leave(item, failure == null ? null : described(stage, failure));
        }
    }

    /** A job that was cancelled has ended for its caller, and not for the devices; one that is submitted later waits for them. */
    private void awaitDevices(Item<S> item, Job job) {
        CompletableFuture<?> free;
        try {
            free = evener.prepare(
                    job); // which follows it in the queue, and uses its buffers as far as the queue can tell
        } catch (IllegalStateException e) { // the Evener was closed, which waited for the devices or gave them up
            leave(item, new CancellationException());
            return;
        }
        free.whenComplete((nothing, e) -> leave(item, new CancellationException()));
    }

    /** An item's end, with what was wrong or nothing. */
    private void leave(Item<S> item, @Nullable Throwable wrong) {
        ItemReport report = schedule.leave(item, wrong == null);
        try {
            asCallback(() -> report != null
                    ? item.future.complete(report)
                    : item.future.completeExceptionally(wrong != null ? wrong : new CancellationException()));
        } finally {
            schedule.gone(item);
        }
    }

    /** An item's future is completed: if with a failure that is not of {@link #leave}, the caller wants no result of it. */
    private void noticeCancelling(Item<S> item, @Nullable Throwable failure) {
        if (failure == null) {
            return;
        }
        if (schedule.cancel(item)) {
            leave(item, failure);
            attend();
            return;
        }
        CompletableFuture<Report> underWay = item.jobFuture; // of now; a later one is cancelled when submitted
        if (underWay != null) {
            underWay.cancel(true);
        }
    }

    private static Throwable described(Stage<?> stage, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String reason = cause instanceof EvenerException ? String.valueOf(cause.getMessage()) : cause.toString();
        return new EvenerException("stage '" + stage.name() + "': " + reason, cause);
    }

    private static <T> T asCallback(Supplier<T> call) {
        Boolean before = CALLED.get();
        CALLED.set(true);
        try {
            return call.get();
        } finally {
            if (before == null) {
                CALLED.remove();
            }
        }
    }

    private static void refuseWaiting(String what, String instead) {
        if (CALLED.get() != null) {
            throw new IllegalStateException(what + " waits, and was called where others wait for its return (a stage's"
                    + " function or work, what hangs on a future): " + instead);
        }
    }

    /** Closes all, whatever happens. */
    static void closeAll(List<? extends AutoCloseable> slots, @Nullable Throwable because) {
        Throwable first = because;
        for (AutoCloseable slot : slots) {
            try {
                slot.close();
            } catch (Exception | Error e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (because == null && first != null) {
            throw new EvenerException("a slot could not be closed: " + first, first);
        }
    }
}
