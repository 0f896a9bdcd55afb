package dev.evener.kernels.pipeline;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stream of items that go through the same stages, one job each. Stages on different devices work at the same time, on
 * different items; a stage without devices of its own is split over all that the {@link Evener} has, as any job. Each item
 * has a <em>slot</em>: all the buffers that its stages use, of an application's own class. There are only so many, which
 * bounds memory and the number of items under way.
 *
 * <pre>{@code
 * try (Pipeline<Slot> pipeline = Pipeline.over(evener, 4, () -> new Slot(evener))
 *         .stage("gradient", DeviceSelector.parse("0.0"), slot -> slot.gradientJob())
 *         .stage("edges", DeviceSelector.parse("0.1"), slot -> slot.edgesJob())
 *         .open()) {
 *     for (Path file : files) {
 *         Slot slot = pipeline.acquire();                  // waits while all are under way
 *         slot.read(file);
 *         pipeline.submit(slot, report -> slot.write());   // the slot is free again when this has returned
 *     }
 * }                                                        // waits for all of them
 * }</pre>
 *
 * <p><b>Slots.</b> {@link #acquire} gives the caller a slot, to fill; {@link #submit submit} takes it away again, for good:
 * the item's result is read in the consumer given there, which is called when the last stage is done. When it has returned
 * or thrown, or the item has failed or was cancelled, the slot is free. Nothing is to be released but a slot that was
 * acquired and not submitted ({@link #release}).
 *
 * <p><b>Order.</b> Items enter each stage in the order of their submission, and consumers that no executor runs are called in
 * that order. A stage has two jobs submitted at most, one that runs and the next.
 *
 * <p><b>Failures.</b> An item whose job cannot be made, fails (as devices that fail are replaced by others, that takes all that
 * its stage may use), or whose consumer throws, ends its own future with that cause and frees its slot; the others go on.
 * Cancelling an item's future ends it: at once if it waits, else its job ends at its next chunk, and the slot is free when no
 * device works on it any more. A job with a {@linkplain Job.Builder#deadline deadline} should have one for chunks too: without,
 * a device that does not come back may write to the slot of a later item.
 *
 * <p><b>Threads.</b> There is none of its own. Any thread may call any method. Stages' functions are called one at a time, and
 * so are consumers without an executor; by the thread that completes the runtime's futures, or by one that submits. So they
 * must be short and must not wait. In them, and in what hangs on the futures, {@link #acquire}, {@link #drain} and {@link
 * #close} are refused, because they would wait for themselves; {@link #tryAcquire} and {@link #submit submit} are not.
 *
 * @param <S> the application's class of slots
 */
@SuppressWarnings("FutureReturnValueIgnored") // what its callbacks throw, they deal with themselves
public final class Pipeline<S> implements AutoCloseable {
    /** Whether the calling thread is in a function or consumer of a pipeline. */
    private static final ThreadLocal<Boolean> CALLED = new ThreadLocal<>();

    private final Evener evener;
    private final List<Stage<S>> stages;
    private final List<? extends AutoCloseable> owned;
    private final SlotPool<S> slots;
    private final Line<S> line;
    private final Tally tally;
    private final AtomicInteger unattended = new AtomicInteger(); // as in the runtime's dispatcher
    private final AtomicInteger undelivered = new AtomicInteger();

    private Pipeline(Builder<S> builder, List<S> slots, List<? extends AutoCloseable> owned) {
        this.evener = builder.evener;
        this.stages = List.copyOf(builder.stages);
        this.owned = owned;
        this.slots = new SlotPool<>(slots);
        this.line = new Line<>(stages.size(), this.slots);
        this.tally = new Tally(stages, evener.devices());
    }

    /**
     * Describes a pipeline over slots that stay the caller's: they must outlive it, and no other pipeline may be open over
     * them.
     */
    public static <S> Builder<S> over(Evener evener, List<? extends S> slots) {
        List<S> given = List.copyOf(slots);
        return new Builder<>(evener, () -> given, false);
    }

    /**
     * Describes a pipeline with slots of its own, made by {@link Builder#open} and closed by {@link Pipeline#close}.
     *
     * @param count how many, at least 1; of two stages on two devices each works on one item while at least one more is
     *     filled or read, so fewer than three or four leave devices idle
     * @param maker called {@code count} times
     */
    public static <S extends AutoCloseable> Builder<S> over(Evener evener, int count, Supplier<? extends S> maker) {
        if (count < 1) {
            throw new IllegalArgumentException("a pipeline needs at least 1 slot, not " + count);
        }
        return new Builder<>(evener, () -> make(count, maker), true);
    }

    private static <S extends AutoCloseable> List<S> make(int count, Supplier<? extends S> maker) {
        List<S> made = new ArrayList<>(count);
        try {
            for (int i = 0; i < count; i++) {
                made.add(maker.get());
            }
            return made;
        } catch (RuntimeException | Error e) {
            closeAll(made, e);
            throw e;
        }
    }

    /**
     * A free slot, for the caller to fill and then {@link #submit submit} or {@link #release}. Waits while there is none.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the pipeline is closed, before or while it waits; or in a stage's function, a consumer
     *     or what hangs on a future
     */
    public S acquire() throws InterruptedException {
        refuseWaiting("acquire()", "use tryAcquire()");
        return slots.acquire();
    }

    /**
     * A free slot, or null if there is none at present.
     *
     * @throws IllegalStateException if the pipeline is closed
     */
    public @Nullable S tryAcquire() {
        return slots.tryAcquire();
    }

    /**
     * Gives back a slot that was acquired and will not be submitted.
     *
     * @throws IllegalArgumentException if the slot is none that the caller may have
     */
    public void release(S slot) {
        slots.giveBack(slot);
    }

    /**
     * {@link #submit(Object, Consumer, Executor)} with a consumer that is called on the thread that completes the runtime's
     * futures: it holds up all else that happens there, and must be short.
     */
    public CompletableFuture<ItemReport> submit(S slot, Consumer<? super ItemReport> consumer) {
        return submit(slot, consumer, Runnable::run);
    }

    /**
     * Sends an item through the stages. From here on the slot is the pipeline's.
     *
     * @param slot one that was acquired, filled
     * @param consumer reads the result from the slot, which is free when it has returned
     * @param executor runs the consumer
     * @return completed after that, with the reports of all stages; exceptionally if a stage failed ({@link EvenerException}
     *     that names it) or the consumer did (with what it threw). To be cancelled if there is no need for the result
     * @throws IllegalArgumentException if the slot was not acquired, or was submitted already
     * @throws IllegalStateException if the pipeline is closed; {@code close} does not wait for that slot
     */
    public CompletableFuture<ItemReport> submit(S slot, Consumer<? super ItemReport> consumer, Executor executor) {
        Objects.requireNonNull(consumer, "consumer");
        Objects.requireNonNull(executor, "executor");
        long now = System.nanoTime();
        Item<S> item = line.add(slot, consumer, executor, now);
        tally.submitted(now);
        item.future.whenComplete((report, e) -> noticeCancelling(item));
        attend();
        return item.future;
    }

    /**
     * Waits until no item is under way: all that were submitted before have ended, and their consumers have returned.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException in a stage's function, a consumer or what hangs on a future
     */
    public void drain() throws InterruptedException {
        refuseWaiting("drain()", "use the items' futures");
        line.awaitEmpty();
    }

    /** What it did so far. Items whose consumer runs are not counted yet. */
    public PipelineReport report() {
        return tally.report();
    }

    /**
     * Takes no more items, waits until all those under way have ended (they go through all their stages, unless their Evener
     * is closed meanwhile), and closes the slots if they are its own; those that are acquired and not submitted, too. Threads
     * that wait for a slot get an exception. If the calling thread is interrupted, it cancels all items, and waits for that.
     * Idempotent.
     *
     * @throws IllegalStateException in a stage's function, a consumer or what hangs on a future
     * @throws EvenerException if a slot could not be closed
     */
    @Override
    public void close() {
        refuseWaiting("close()", "close it from the thread that submits");
        line.close();
        slots.close();
        boolean interrupted = false;
        for (boolean waiting = true; waiting; ) {
            try {
                line.awaitEmpty();
                waiting = false;
            } catch (InterruptedException e) {
                interrupted = true;
                line.present().forEach(item -> item.future.cancel(true));
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        closeAll(owned, null);
    }

    /**
     * Submits what is due. Whoever finds this unattended does it for all others, so that jobs are submitted in order and no
     * function is called while a lock is held.
     */
    private void attend() {
        if (unattended.getAndIncrement() != 0) {
            return; // somebody is at it and will see what is new
        }
        int seen = 1;
        do {
            line.due().forEach(this::start);
            seen = unattended.addAndGet(-seen);
        } while (seen != 0);
    }

    private void start(Item<S> item) {
        Stage<S> stage = stages.get(item.stage); // which does not change before the job has ended
        CompletableFuture<Report> future;
        try {
            Job job = asCallback(() -> stage.jobFor(item.slot));
            future = evener.submit(job);
            if (line.submitted(item, job, future)) {
                future.cancel(true);
            }
        } catch (Throwable e) { // the function is user code: whatever it throws ends this item and nothing else
            ended(item, stage, null, e);
            return;
        }
        future.whenComplete((report, e) -> ended(item, stage, report, e));
    }

    private void ended(Item<S> item, Stage<S> stage, @Nullable Report report, @Nullable Throwable failure) {
        if (report != null) {
            tally.done(item.stage, report);
        }
        Job job = item.job;
        Line.Next next = line.ended(item, report);
        attend(); // before anything that takes time, so that devices have something to do meanwhile
        switch (next) {
            case WAIT -> {}
            case END -> leave(item, null, described(stage, failure));
            case END_WHEN_DEVICES_ARE_FREE -> awaitDevices(item, Objects.requireNonNull(job));
        }
        deliver();
    }

    /** Has the consumers called of items that are through. As {@link #attend}: by one thread at a time, in order. */
    private void deliver() {
        if (undelivered.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            line.through().forEach(this::consume);
            seen = undelivered.addAndGet(-seen);
        } while (seen != 0);
    }

    /** A job that was cancelled has ended for its caller, and not for the devices; one that is submitted later waits for them. */
    private void awaitDevices(Item<S> item, Job job) {
        CompletableFuture<Report> free;
        try {
            free = Stage.awaitDevices(evener, job);
        } catch (IllegalStateException e) { // the Evener was closed, which waited for the devices or gave them up
            leave(item, null, new CancellationException());
            return;
        }
        free.whenComplete((report, e) -> leave(item, null, new CancellationException()));
    }

    private void consume(Item<S> item) {
        ItemReport report = new ItemReport(item.number, System.nanoTime() - item.submittedAt, item.reports);
        try {
            item.executor.execute(() -> {
                Throwable thrown = null;
                try {
                    asCallback(() -> {
                        item.consumer.accept(report);
                        return report;
                    });
                } catch (Throwable e) { // user code
                    thrown = e;
                }
                leave(item, report, thrown);
            });
        } catch (RuntimeException | Error e) { // it takes no more tasks
            leave(item, null, e);
        }
    }

    /** An item's end: with a report, or with what was wrong. */
    private void leave(Item<S> item, @Nullable ItemReport report, @Nullable Throwable wrong) {
        boolean well = report != null && wrong == null && !item.future.isDone();
        tally.ended(well, report == null ? 0 : report.latencyNanos(), System.nanoTime());
        slots.release(item.slot);
        try {
            boolean asSaid = asCallback(() -> (report != null && wrong == null)
                    ? item.future.complete(report)
                    : item.future.completeExceptionally(wrong != null ? wrong : new CancellationException()));
            if (well && !asSaid) { // it was cancelled a moment ago
                tally.endedBadly(report.latencyNanos());
            }
        } finally {
            line.gone(item);
        }
    }

    /** An item's future is completed: if not by {@link #leave}, then by the caller, who wants no result of it. */
    private void noticeCancelling(Item<S> item) {
        if (line.cancel(item)) {
            leave(item, null, new CancellationException());
            attend();
            deliver();
        } else {
            CompletableFuture<Report> underWay = line.underWay(item);
            if (underWay != null) {
                underWay.cancel(true);
            }
        }
    }

    private static Throwable described(Stage<?> stage, @Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause == null) {
            return new CancellationException();
        }
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
            throw new IllegalStateException(what
                    + " waits, and was called where others wait for its return (a stage's function, a consumer, what hangs"
                    + " on a future): " + instead);
        }
    }

    /** Closes all, whatever happens. */
    private static void closeAll(List<? extends AutoCloseable> slots, @Nullable Throwable because) {
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

    /** Collects a pipeline's stages. Not thread-safe. */
    public static final class Builder<S> {
        private final Evener evener;
        private final Supplier<List<S>> maker;
        private final boolean owns;
        private final List<Stage<S>> stages = new ArrayList<>();

        private Builder(Evener evener, Supplier<List<S>> maker, boolean owns) {
            this.evener = Objects.requireNonNull(evener, "evener");
            this.maker = maker;
            this.owns = owns;
        }

        /**
         * A stage whose jobs are split over all devices, or run where they say themselves.
         *
         * @param name for reports and messages
         * @param job makes the job for the item in a slot
         */
        public Builder<S> stage(String name, Function<? super S, Job> job) {
            return add(new Stage<>(name, null, job));
        }

        /**
         * A stage whose jobs run on these devices of the Evener, whatever they say themselves.
         *
         * @param name for reports and messages
         * @param devices such that another stage uses others
         * @param job makes the job for the item in a slot
         */
        public Builder<S> stage(String name, DeviceSelector devices, Function<? super S, Job> job) {
            return add(new Stage<>(name, Objects.requireNonNull(devices, "devices"), job));
        }

        private Builder<S> add(Stage<S> stage) {
            Objects.requireNonNull(stage.job(), "job");
            if (stages.stream().anyMatch(s -> s.name().equals(stage.name()))) {
                throw new IllegalArgumentException("there are two stages of the name '" + stage.name() + "'");
            }
            stages.add(stage);
            return this;
        }

        /**
         * Makes the slots, if they are the pipeline's own, and opens it.
         *
         * @throws IllegalArgumentException if there is no stage or no slot, or a slot is given twice
         * @throws EvenerException if the Evener has none of a stage's devices, or if there is no memory for a slot
         */
        public Pipeline<S> open() {
            if (stages.isEmpty()) {
                throw new IllegalArgumentException("a pipeline needs at least one stage");
            }
            for (Stage<S> stage : stages) {
                DeviceSelector devices = stage.devices();
                if (devices != null && evener.devices().stream().noneMatch(devices::matches)) {
                    throw new EvenerException("stage '" + stage.name() + "' wants devices '" + devices
                            + "', but this Evener has "
                            + evener.devices().stream().map(d -> d.id()).toList());
                }
            }
            List<S> slots = maker.get();
            Set<S> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
            distinct.addAll(slots);
            List<AutoCloseable> owned = new ArrayList<>();
            if (owns) {
                distinct.forEach(slot -> owned.add((AutoCloseable) slot));
            }
            if (distinct.isEmpty() || distinct.size() < slots.size()) {
                IllegalArgumentException refused = new IllegalArgumentException(
                        slots.isEmpty() ? "a pipeline needs at least 1 slot" : "a slot is given twice");
                closeAll(owned, refused);
                throw refused;
            }
            return new Pipeline<>(this, slots, owned);
        }
    }
}
