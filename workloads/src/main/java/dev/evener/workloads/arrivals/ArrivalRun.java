package dev.evener.workloads.arrivals;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.policy.Policy;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs as they arrive. Each is submitted when it is due, whether those before it have ended or not; the devices run one
 * after another. Before the first is due, all programs are built and the data of as many as the budget allows are made; data that
 * are made later may make a job late, which the outcome says. One thread.
 */
public final class ArrivalRun {
    /** Jobs that may wait for the devices; whoever would be one more is late. */
    private static final int MOST_WAITING = 1024;

    /** The operating system may wake a thread this much late; the rest of a wait is spent spinning. */
    private static final long TIMER_SLACK_NANOS = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(ArrivalRun.class);

    private final Evener evener;
    private final Policy policy;
    private final Pace pace;
    private final long budget;
    private final UnaryOperator<Request> tuned;
    private final Noting noting;
    private final Consumer<String> progress;

    /**
     * How jobs are noted.
     *
     * @param policy theirs, as records name it
     * @param logs where the jobs of a request are
     */
    public record Noting(String policy, Function<Request, JobLog> logs) {
        /** Not at all. */
        public static final Noting NONE = new Noting("", request -> JobLog.none());
    }

    /**
     * @param policy how jobs are cut
     * @param budget bytes of data that are kept for further jobs alike, by what jobs read and write
     * @param tuned what becomes of each request first, such as {@code r -> r.tuned(tuning)}
     * @param noting how they are noted, when they are submitted
     * @param progress told now and then in a few words what is being done
     */
    public ArrivalRun(
            Evener evener,
            Policy policy,
            Pace pace,
            long budget,
            UnaryOperator<Request> tuned,
            Noting noting,
            Consumer<String> progress) {
        this.evener = evener;
        this.policy = policy;
        this.pace = pace;
        this.budget = budget;
        this.tuned = tuned;
        this.noting = noting;
        this.progress = progress;
    }

    /** A job that was submitted. */
    private record Submitted(Arrival arrival, long due, long submitted, CompletableFuture<Report> job) {}

    /**
     * Runs them all; a job that fails is one line of the report.
     *
     * @param arrivals in the order of their arrival
     * @throws CancellationException if the thread was interrupted; jobs under way have ended then
     */
    public ArrivalReport run(List<Arrival> arrivals) {
        List<ArrivalOutcome> outcomes = new ArrayList<>();
        long preparedNanos;
        long[] busy = new long[evener.devices().size()];
        Deque<Submitted> waiting = new ArrayDeque<>();
        try (PreparedStock stock = new PreparedStock(evener, budget, noting.logs())) {
            long before = System.nanoTime();
            prepare(arrivals, stock);
            long start = System.nanoTime();
            preparedNanos = start - before;
            LongSupplier now = () -> System.nanoTime() - start;
            for (Arrival arrival : arrivals) {
                if (waiting.size() == MOST_WAITING) {
                    outcomes.add(outcome(waiting.remove(), busy));
                }
                waiting.add(submit(arrival, stock, now));
                progress.accept(outcomes.size() + waiting.size() + " of " + arrivals.size() + " jobs");
            }
            while (!waiting.isEmpty()) {
                outcomes.add(outcome(waiting.remove(), busy));
            }
        }
        List<Long> busyNanos = new ArrayList<>();
        for (long nanos : busy) {
            busyNanos.add(nanos);
        }
        return new ArrivalReport(outcomes, evener.devices(), busyNanos, preparedNanos);
    }

    /** Builds the programs of all kinds of jobs, and makes the data of the first jobs, as many as there is room for. */
    private void prepare(List<Arrival> arrivals, PreparedStock stock) {
        Set<Object> kinds = new HashSet<>();
        for (int i = 0; i < arrivals.size(); i++) {
            Request request = arrivals.get(i).request();
            boolean newKind = kinds.add(
                    List.of(request.workload().name(), request.values().toMap()));
            if (newKind || stock.hasRoom()) {
                progress.accept("preparing, " + i + " of " + arrivals.size() + " jobs");
                try {
                    PreparedStock.Held made = stock.take(tuned.apply(request));
                    if (newKind) { // what fails now fails when it is due
                        evener.prepare(made.workload().job())
                                .handle((done, failure) -> true)
                                .join();
                    }
                } catch (EvenerException | IllegalArgumentException e) {
                    LOG.debug("a job will fail when it is due: {}", e.toString()); // and its outcome says so
                }
            }
        }
    }

    private Submitted submit(Arrival arrival, PreparedStock stock, LongSupplier now) {
        long due = pace.due(arrival.nanos());
        try {
            Request request = tuned.apply(arrival.request());
            PreparedStock.Held prepared = stock.take(request);
            sleep(due, now);
            long submitted = now.getAsLong();
            prepared.log().asked(noting.policy());
            CompletableFuture<Report> job = evener.submit(prepared.workload().job(), policy);
            prepared.inUse(job);
            return new Submitted(arrival, due, submitted, job);
        } catch (EvenerException | IllegalArgumentException e) { // no memory; size and parameters do not fit
            return new Submitted(arrival, due, now.getAsLong(), CompletableFuture.failedFuture(e));
        }
    }

    private static void sleep(long until, LongSupplier now) {
        for (long left = until - now.getAsLong(); left > 0; left = until - now.getAsLong()) {
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new CancellationException("interrupted");
            }
            if (left > TIMER_SLACK_NANOS) {
                LockSupport.parkNanos(left - TIMER_SLACK_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private static ArrivalOutcome outcome(Submitted job, long[] busy) {
        try {
            Report report = job.job().join();
            for (int lane = 0; lane < busy.length; lane++) {
                busy[lane] += report.devices().get(lane).busyNanos();
            }
            long started = job.submitted() + report.queuedNanos();
            long ended = started + report.buildNanos() + report.wallNanos();
            return new ArrivalOutcome(job.arrival(), job.due(), job.submitted(), started, ended, null);
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String message =
                    String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
            return new ArrivalOutcome(
                    job.arrival(), job.due(), job.submitted(), job.submitted(), job.submitted(), message);
        }
    }
}
