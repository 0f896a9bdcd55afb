package dev.evener.kernels.pipeline;

import dev.evener.Job;
import dev.evener.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One item on its way. What changes is guarded by its {@link Line}. */
final class Item<S> {
    final long number;
    final S slot;
    final Consumer<? super ItemReport> consumer;
    final Executor executor;
    final long submittedAt;
    final CompletableFuture<ItemReport> future = new CompletableFuture<>();
    final List<Report> reports = new ArrayList<>();

    /** The stage that it is in or waits for; the number of stages if it waits for its consumer. */
    int stage;

    /** Whether a job of that stage is being made, is queued or runs. */
    boolean running;

    /** Whether the caller has cancelled it. */
    boolean cancelled;

    /** The job under way, and its future; null before it is submitted. */
    @Nullable
    Job job;

    @Nullable
    CompletableFuture<Report> jobFuture;

    Item(long number, S slot, Consumer<? super ItemReport> consumer, Executor executor, long submittedAt) {
        this.number = number;
        this.slot = slot;
        this.consumer = consumer;
        this.executor = executor;
        this.submittedAt = submittedAt;
    }
}
