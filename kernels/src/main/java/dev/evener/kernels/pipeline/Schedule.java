package dev.evener.kernels.pipeline;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.Report;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which slots are free, which items are on their way, and which of them may enter their next stage: each after the one before
 * it (their work may end in another order) unless they may come in any order, and while the stage has a free place. Adds up what was
 * done. Any thread; one lock.
 */
final class Schedule<S> {
    /** One item on its way. What changes is guarded by the schedule; what is not private does not while its stage runs. */
    static final class Item<S> {
        final long number;
        final S slot;
        final CompletableFuture<ItemReport> future = new CompletableFuture<>();
        final List<Report> reports = new ArrayList<>();
        private final long submittedAt;
        int stage; // that it is in or waits for
        private boolean running; // whether it is in its stage
        private boolean cancelled;
        private boolean counted; // among those that went through all stages

        @Nullable
        Job job; // that its devices are at, or were last; null before it is submitted

        @Nullable
        CompletableFuture<Report> jobFuture; // of that

        private Item(long number, S slot, long now) {
            this.number = number;
            this.slot = slot;
            this.submittedAt = now;
        }
    }

    /** A stage's places and what it did. */
    private static final class OfStage {
        final String name;
        final boolean onHost;
        final int workers;
        final int atOnce;
        final Map<String, Long> busyNanos = new LinkedHashMap<>();
        int running;
        int present; // in it, or waiting for it
        long done;
        long queuedNanos;
        long wallNanos;
        long heldNanos;

        OfStage(Stage<?> stage, List<DeviceInfo> devices) {
            name = stage.name();
            onHost = stage instanceof Stage.OnHost;
            workers = stage instanceof Stage.OnDevices<?> d ? d.workers() : ((Stage.OnHost<?>) stage).threads();
            atOnce = stage instanceof Stage.OnDevices<?> d ? d.atOnce() : workers;
            devices.forEach(device -> busyNanos.put(device.id(), 0L)); // in their order
        }

        /** Lets an item in, if there is room. */
        boolean take(Item<?> item) {
            boolean room = running < atOnce;
            if (room) {
                item.running = true;
                running++;
            }
            return room;
        }

        void add(@Nullable Report report, long nanos) {
            done++;
            wallNanos += report == null ? nanos : report.wallNanos();
            if (report != null) {
                queuedNanos += report.queuedNanos();
                report.devices().forEach(d -> busyNanos.merge(d.id(), d.busyNanos(), Long::sum));
            }
        }

        PipelineReport.StageUse use() {
            Map<String, Long> used = new LinkedHashMap<>(busyNanos);
            used.values().removeIf(nanos -> nanos == 0);
            return new PipelineReport.StageUse(
                    name,
                    onHost ? workers : 0,
                    done,
                    queuedNanos,
                    wallNanos,
                    heldNanos,
                    Collections.unmodifiableMap(used));
        }
    }

    private final LongSupplier clock;
    private final boolean inOrder;

    // All guarded by this. Slots are taken in turn, so that a stream over prepared slots meets them in one order.
    private final List<OfStage> stages;
    private final ArrayDeque<S> free;
    private final Set<S> held = Collections.newSetFromMap(new IdentityHashMap<>()); // by the application
    private final List<Item<S>> line = new ArrayList<>(); // before the end of their last stage; older ones first
    private final Set<Item<S>> present = new LinkedHashSet<>(); // whose future is not completed
    private boolean closed;
    private long count;
    private @Nullable OfStage waitedFor;
    private long waitedSince;
    private long items;
    private long failed;
    private long firstSubmission;
    private long wallNanos;
    private long latencyNanos;
    private long maxLatencyNanos;

    /** @param inOrder whether items enter each stage in the order of their submission */
    Schedule(
            List<? extends Stage<S>> stages,
            List<S> slots,
            List<DeviceInfo> devices,
            boolean inOrder,
            LongSupplier clock) {
        this.inOrder = inOrder;
        this.stages = stages.stream().map(stage -> new OfStage(stage, devices)).toList();
        this.free = new ArrayDeque<>(slots);
        this.clock = clock;
    }

    // ---- slots ----

    /** Waits for a free slot and has the caller hold it. */
    synchronized S acquire() throws InterruptedException {
        if (Thread.interrupted()) { // which taking one that is there already would not notice
            throw new InterruptedException();
        }
        S slot;
        while ((slot = tryAcquire()) == null) {
            wait();
        }
        return slot;
    }

    synchronized @Nullable S tryAcquire() {
        requireOpen();
        S slot = free.poll();
        if (slot != null) {
            held.add(slot);
        }
        return slot;
    }

    /** The caller, who holds it, has no use for it. */
    synchronized void giveBack(S slot) {
        requireHeld(slot);
        free(slot);
    }

    private void free(S slot) {
        free.add(slot);
        notifyAll(); // not one: it may have been interrupted just now
    }

    private void requireHeld(S slot) {
        if (!held.remove(slot)) {
            throw new IllegalArgumentException(
                    "this slot was not acquired, or was submitted or released since: acquire() one for each item");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this pipeline is closed");
        }
    }

    // ---- items ----

    /** Takes a slot that the caller holds, as the last item. */
    synchronized Item<S> add(S slot) {
        requireOpen();
        requireHeld(slot);
        long now = clock.getAsLong();
        if (count == 0) {
            firstSubmission = now;
        }
        Item<S> item = new Item<>(count++, slot, now);
        line.add(item);
        present.add(item);
        stages.get(0).present++;
        measure();
        return item;
    }

    /**
     * The items whose stage is to be started now, in this order. Each is named once.
     *
     * @param devices whether those that enter a stage of devices, too
     */
    synchronized List<Item<S>> due(boolean devices) {
        List<Item<S>> due = new ArrayList<>(line.size());
        int begun = Integer.MAX_VALUE; // stages that the item before has begun
        for (Item<S> item : line) {
            OfStage stage = stages.get(item.stage);
            if (!item.running && (item.stage < begun || !inOrder) && (devices || stage.onHost) && stage.take(item)) {
                due.add(item);
            }
            begun = item.stage + (item.running ? 1 : 0);
        }
        measure();
        return due;
    }

    /** How many other items have yet to leave the stage that an item has entered. */
    synchronized int beside(Item<S> item) {
        int beside = -1; // itself
        for (Item<S> each : line) {
            beside += each.stage <= item.stage ? 1 : 0;
        }
        return beside;
    }

    /** The job of an item's stage was submitted. True if the item was cancelled meanwhile. */
    synchronized boolean submitted(Item<S> item, Job job, CompletableFuture<Report> future) {
        item.job = job;
        item.jobFuture = future;
        return item.cancelled;
    }

    /**
     * An item's stage has ended. True if it goes on to its next stage; else it ends: it is through all, has failed or was cancelled.
     *
     * @param well whether it did its work
     * @param report of a device stage that did
     * @param nanos that a host stage took
     */
    synchronized boolean ended(Item<S> item, boolean well, @Nullable Report report, long nanos) {
        OfStage stage = stages.get(item.stage);
        stage.running--;
        stage.present--;
        item.running = false;
        if (well) {
            stage.add(report, nanos);
        }
        boolean goesOn = well && !item.cancelled && ++item.stage < stages.size();
        if (goesOn) {
            stages.get(item.stage).present++;
            item.job = null;
            item.jobFuture = null;
        } else {
            line.remove(item);
        }
        if (report != null) {
            item.reports.add(report);
        }
        measure();
        return goesOn;
    }

    /** The caller wants no result of it. True if it waits and so has ended with this; else it ends with its stage. */
    synchronized boolean cancel(Item<S> item) {
        if (item.counted) { // a moment too late for all but the count
            item.counted = false;
            items--;
            failed++;
            return false;
        }
        item.cancelled = true;
        boolean waits = !item.running && line.remove(item);
        if (waits) {
            stages.get(item.stage).present--;
            measure();
        }
        return waits;
    }

    /** Counts an item that is in no stage any more, and frees its slot. Its report, if it went through all. */
    synchronized @Nullable ItemReport leave(Item<S> item, boolean well) {
        long now = clock.getAsLong();
        wallNanos = Math.max(wallNanos, now - firstSubmission);
        free(item.slot);
        if (!well || item.future.isDone()) {
            failed++;
            return null;
        }
        long latency = now - item.submittedAt;
        item.counted = true;
        items++;
        latencyNanos += latency;
        maxLatencyNanos = Math.max(maxLatencyNanos, latency);
        return new ItemReport(item.number, latency, item.reports);
    }

    /** An item's future is completed. */
    synchronized void gone(Item<S> item) {
        present.remove(item);
        notifyAll();
    }

    /** No more items; who waits for a slot gets an exception. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Waits until there are no items. */
    synchronized void awaitEmpty() throws InterruptedException {
        while (!present.isEmpty()) {
            wait();
        }
    }

    /** All whose future is not completed. */
    synchronized List<Item<S>> present() {
        return List.copyOf(present);
    }

    // ---- what it did ----

    /**
     * Adds the time since the last change to the stage that the stream waited for: the last one whose workers all have an item while
     * another one waits for them; without such a queue, the first that works.
     */
    private void measure() {
        long now = clock.getAsLong();
        if (waitedFor != null) {
            waitedFor.heldNanos += now - waitedSince;
        }
        waitedSince = now;
        OfStage first = null;
        for (int s = stages.size() - 1; s >= 0; s--) {
            OfStage stage = stages.get(s);
            if (stage.running >= stage.workers && stage.present > stage.workers) {
                waitedFor = stage;
                return;
            }
            first = stage.running > 0 ? stage : first;
        }
        waitedFor = first;
    }

    synchronized PipelineReport report() {
        return new PipelineReport(
                items,
                failed,
                wallNanos,
                items == 0 ? 0 : latencyNanos / items,
                maxLatencyNanos,
                stages.stream().map(OfStage::use).toList());
    }
}
