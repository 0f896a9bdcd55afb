package dev.evener.workloads.arrivals;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Workloads with their data, kept for further jobs alike within a budget; the one that was used longest ago goes first, and
 * not before its jobs have ended. One thread.
 */
final class PreparedStock implements AutoCloseable {
    private final Evener evener;
    private final long budget;
    private final Function<Request, JobLog> logs;
    private final Map<Key, Held> held = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /** What makes two jobs alike. */
    private record Key(
            String workload,
            Map<String, Object> parameters,
            long items,
            @Nullable Distribution spread,
            long seed) {}

    /** A workload with its data. */
    static final class Held {
        private final PreparedWorkload workload;
        private final JobLog log;
        private final long bytes;
        private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

        private Held(PreparedWorkload workload, JobLog log) {
            this.workload = workload;
            this.log = log;
            this.bytes = (long) Math.ceil(workload.items() * workload.bytesPerItem());
        }

        PreparedWorkload workload() {
            return workload;
        }

        /** Where its jobs are noted. */
        JobLog log() {
            return log;
        }

        /** This is the job that was submitted last on the data. */
        void inUse(CompletableFuture<Report> job) {
            last = job;
        }

        /** Waits for the last job, which is the last one that ends. */
        private void close() {
            last.handle((report, failure) -> null).join();
            workload.close();
        }
    }

    /**
     * @param budget bytes of data, by what jobs read and write; one workload may exceed it alone
     * @param logs where the jobs of a request are noted
     */
    PreparedStock(Evener evener, long budget, Function<Request, JobLog> logs) {
        this.evener = evener;
        this.budget = budget;
        this.logs = logs;
    }

    /**
     * The data of a request, made if need be.
     *
     * @throws EvenerException if there is no memory, even with nothing else held
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    Held take(Request request) {
        Held known = held.get(key(request));
        if (known != null) {
            return known;
        }
        Held made;
        try {
            made = make(request);
        } catch (EvenerException e) {
            if (held.isEmpty()) {
                throw e;
            }
            shrink(Long.MIN_VALUE);
            made = make(request);
        }
        shrink(budget - made.bytes);
        held.put(key(request), made);
        bytes += made.bytes;
        return made;
    }

    /** Whether the budget is not used up. */
    boolean hasRoom() {
        return bytes < budget;
    }

    private Held make(Request request) {
        return new Held(request.workload().prepare(evener, request), logs.apply(request));
    }

    private static Key key(Request request) {
        return new Key(
                request.workload().name(),
                request.values().toMap(),
                request.items(),
                request.distribution(),
                request.seed());
    }

    private void shrink(long most) {
        for (Iterator<Held> eldest = held.values().iterator(); bytes > most && eldest.hasNext(); ) {
            Held goes = eldest.next();
            eldest.remove();
            bytes -= goes.bytes;
            goes.close();
        }
    }

    @Override
    public void close() {
        shrink(Long.MIN_VALUE);
    }
}
