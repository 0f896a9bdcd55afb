package dev.evener.internal.run;

import dev.evener.event.RunListener;
import dev.evener.internal.Waits;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.order.HostThreads;
import dev.evener.internal.recovery.Watchdog;
import java.util.List;
import java.util.function.LongSupplier;

/** What a run needs where there is no dispatcher. */
final class Around {
    private Around() {}

    /** Futures are completed where the run ends, and lanes are released to nobody. */
    static JobRun.Surroundings of(
            LongSupplier clock, Watchdog watchdog, List<? extends LaneWorker> workers, RunListener... listeners) {
        return new JobRun.Surroundings(
                clock,
                watchdog,
                new HostThreads(Runnable::run, 1),
                ScratchPool.NONE,
                () -> 0,
                () -> 0,
                () -> {},
                ended -> {},
                idle -> {},
                Runnable::run,
                () -> false,
                Waits.untold(),
                EventPublisher.of(List.of(listeners), List.copyOf(workers)));
    }
}
