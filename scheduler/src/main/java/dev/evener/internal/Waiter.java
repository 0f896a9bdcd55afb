package dev.evener.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One that may wait for others, or that others wait for: a job, a scope, a thread, a future. What it says is found when it is asked, and
 * may be old the moment after. Any thread.
 */
public interface Waiter {
    /** What it is, behind "waits for": {@code job 'a'}. */
    String what();

    /** Those who all have to be over before it is; empty if there are none, or nobody knows them. */
    default List<? extends Waiter> waitsFor() {
        return List.of();
    }

    /** What it is at while it waits for nobody, behind "which": {@code runs on device 0.0}. */
    String state();

    /** What changes whenever it gets on; null if only the application can end it. */
    default @Nullable Object progress() {
        return null;
    }

    /** Whether nobody need wait for it any more. */
    boolean isOver();

    /** Those of some who are not over. */
    static List<Waiter> left(List<? extends CompletionStage<?>> stages) {
        return stages.stream().map(Waiter::of).filter(each -> !each.isOver()).toList();
    }

    /** What completes a stage. */
    static Waiter of(CompletionStage<?> stage) {
        return stage instanceof SubmittedJob job
                ? job.waiter()
                : stage instanceof GuardedFuture<?> future ? future : new Outside(stage);
    }

    /** One who is over, and of whom nothing else is kept. */
    record Over(String what) implements Waiter {
        @Override
        public String state() {
            return "is over";
        }

        @Override
        public boolean isOver() {
            return true;
        }
    }

    /** A stage that the application completes, as far as is known. */
    record Outside(CompletionStage<?> stage) implements Waiter {
        @Override
        public String what() {
            return "a future of the application's";
        }

        @Override
        public String state() {
            return "is not completed";
        }

        @Override
        public boolean isOver() {
            return stage instanceof CompletableFuture<?> future && future.isDone();
        }
    }
}
