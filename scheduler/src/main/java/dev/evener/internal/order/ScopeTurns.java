package dev.evener.internal.order;

import dev.evener.internal.GuardedFuture;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.ManagedData;
import dev.evener.internal.Waiter;
import dev.evener.internal.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The host's turns at buffers: each is a claim like that of a job. {@link #close} waits for what is moved in them. Any
 * thread.
 */
public final class ScopeTurns implements ManagedData.Turns {
    private static final Logger LOG = LoggerFactory.getLogger(ScopeTurns.class);

    private final Accesses accesses;
    private final SerialQueue events;
    private final HostThreads threads;
    private final BooleanSupplier isOnLane;
    private final BooleanSupplier endsJobs;
    private final Waits waits;
    private final ReadWriteLock open = new ReentrantReadWriteLock(); // read by those at work
    private volatile boolean closed; // set with it, unless somebody hangs

    /**
     * @param events where alone the accesses are touched
     * @param endsJobs whether jobs are ended because their runtime is closed; set before the first one is
     */
    public ScopeTurns(
            Accesses accesses,
            SerialQueue events,
            HostThreads threads,
            BooleanSupplier isOnLane,
            BooleanSupplier endsJobs,
            Waits waits) {
        this.accesses = accesses;
        this.events = events;
        this.threads = threads;
        this.isOnLane = isOnLane;
        this.endsJobs = endsJobs;
        this.waits = waits;
    }

    @Override
    public Waits waits() {
        return waits;
    }

    @Override
    public Place enter(@Nullable Waiter who, LogicalBuffer.Range range, boolean writes, Consumer<Runnable> turn) {
        Scope scope = new Scope(who, range, writes);
        // Asked after the claim is made: it is told of jobs that are ended from now on. Those that were ended before
        // are over, and it would find what was there before them.
        boolean late = endsJobs.getAsBoolean();
        events.post(() -> accesses.enter(
                scope.claim,
                () -> turn.accept(() -> {
                    if (late) {
                        throw isClosed();
                    }
                    scope.claim.requireWritten(range);
                })));
        return scope;
    }

    private final class Scope implements Place {
        private final Accesses.Claim claim;
        private volatile boolean replaces;

        Scope(@Nullable Waiter who, LogicalBuffer.Range range, boolean writes) {
            Set<LogicalBuffer.Range> all = Set.of(range);
            Set<LogicalBuffer.Range> none = Set.of();
            this.claim = new Accesses.Claim("a scope", who, all, writes ? all : none, () -> replaces ? all : none);
        }

        @Override
        public List<Waiter> waitsFor() {
            return claim.waitsFor();
        }

        @Override
        public void replaces() {
            replaces = true;
        }

        @Override
        public void run() {
            events.post(() -> accesses.end(claim));
        }
    }

    @Override
    public void requireMayWait() {
        if (isOnLane.getAsBoolean() || threads.isOpening()) {
            throw new IllegalStateException(
                    "a scope cannot be waited for in a host step, a Java kernel or a callback of a scope's future,"
                            + " whose end it might wait for; ask by readAsync(), updateAsync() or overwriteAsync(),"
                            + " or open it in the thread that submits, or in a callback of the job's future");
        }
    }

    @Override
    public <T> T whileOpen(Supplier<T> work) {
        open.readLock().lock();
        try {
            if (closed) {
                throw isClosed();
            }
            return work.get();
        } finally {
            open.readLock().unlock();
        }
    }

    private static IllegalStateException isClosed() {
        return new IllegalStateException("this Evener is closed");
    }

    @Override
    public void move(Runnable work) {
        threads.move(work);
    }

    @Override
    public <T> CompletableFuture<T> newFuture(Waiter scope) {
        GuardedFuture.Guard guard = new GuardedFuture.Guard(
                "a scope of a managed buffer",
                () -> isOnLane.getAsBoolean() || threads.isCompleting(),
                threads::completeScope,
                waits,
                scope);
        CompletableFuture<T> future = new GuardedFuture<>(guard);
        CompletableFuture<?> ignored = future.whenComplete((opened, failure) -> guard.settled());
        return future;
    }

    @Override
    public void complete(Runnable future) {
        threads.completeScope(future);
    }

    @Override
    public void close(Duration limit) {
        boolean idle = false;
        try {
            idle = open.writeLock().tryLock(limit.toNanos(), TimeUnit.NANOSECONDS);
            if (!idle) {
                LOG.warn("what a scope needs is still being brought to the host after {} s", limit.toSeconds());
            }
            closed = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (idle) {
                open.writeLock().unlock();
            }
        }
    }
}
