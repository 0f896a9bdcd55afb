package dev.evener.workloads.arrivals;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.policy.Policy;
import dev.evener.workloads.arrivals.ArrivalReport.Outcome;
import dev.evener.workloads.arrivals.Arrivals.Arrival;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final Options options;

    /** Workloads with their data, kept for further jobs alike; the one that was used longest ago first. */
    private final Map<List<Object>, Held> stock = new LinkedHashMap<>(16, 0.75f, true);

    private long bytes;

    /**
     * How jobs are run.
     *
     * @param policy how they are cut
     * @param rate how fast they arrive
     * @param budget bytes of data that are kept for further jobs alike, by what jobs read and write; one may exceed it alone
     * @param tuned what becomes of each request first, such as {@code r -> r.tuned(tuning)}
     * @param policyText the policy as records name it
     * @param logs where the jobs of a request are noted
     * @param progress told now and then in a few words what is being done
     */
    public record Options(
            Policy policy,
            ArrivalRate rate,
            long budget,
            UnaryOperator<Request> tuned,
            String policyText,
            Function<Request, JobLog> logs,
            Consumer<String> progress) {
        /** Noted nowhere, primitives as they are. */
        public Options(Policy policy, ArrivalRate rate, long budget) {
            this(policy, rate, budget, request -> request, "", request -> JobLog.none(), doing -> {});
        }
    }

    public ArrivalRun(Evener evener, Options options) {
        this.evener = evener;
        this.options = options;
    }

    /** A job that was submitted. */
    private record Submitted(Arrival arrival, long due, long submitted, CompletableFuture<Report> job) {}

    /** A workload with its data. */
    private static final class Held {
        private final PreparedWorkload workload;
        private final JobLog log;
        private final long bytes;
        private CompletableFuture<?> last = CompletableFuture.completedFuture(null); // the last one that ends

        Held(PreparedWorkload workload, JobLog log) {
            this.workload = workload;
            this.log = log;
            this.bytes = (long) Math.ceil(workload.items() * workload.bytesPerItem());
        }
    }

    /**
     * Runs them all; a job that fails is one line of the report.
     *
     * @param arrivals in the order of their arrival
     * @throws CancellationException if the thread was interrupted; jobs under way have ended then
     */
    public ArrivalReport run(List<Arrival> arrivals) {
        List<Outcome> outcomes = new ArrayList<>();
        Long[] busy = new Long[evener.devices().size()];
        Arrays.fill(busy, 0L);
        Deque<Submitted> waiting = new ArrayDeque<>();
        try {
            long before = System.nanoTime();
            prepare(arrivals);
            long start = System.nanoTime();
            LongSupplier now = () -> System.nanoTime() - start;
            for (Arrival arrival : arrivals) {
                if (waiting.size() == MOST_WAITING) {
                    outcomes.add(outcome(waiting.remove(), busy));
                }
                waiting.add(submit(arrival, now));
                options.progress().accept(outcomes.size() + waiting.size() + " of " + arrivals.size() + " jobs");
            }
            while (!waiting.isEmpty()) {
                outcomes.add(outcome(waiting.remove(), busy));
            }
            return new ArrivalReport(outcomes, evener.devices(), List.of(busy), start - before);
        } finally {
            shrink(Long.MIN_VALUE);
        }
    }

    /** Builds the programs of all kinds of jobs, and makes the data of the first jobs, as many as there is room for. */
    private void prepare(List<Arrival> arrivals) {
        Set<Object> kinds = new HashSet<>();
        for (int i = 0; i < arrivals.size(); i++) {
            Request request = arrivals.get(i).request();
            boolean newKind = kinds.add(
                    List.of(request.workload().name(), request.values().toMap()));
            if (newKind || bytes < options.budget()) {
                options.progress().accept("preparing, " + i + " of " + arrivals.size() + " jobs");
                try {
                    Held made = take(options.tuned().apply(request));
                    if (newKind) { // what fails now fails when it is due
                        evener.prepare(made.workload.job())
                                .handle((done, failure) -> true)
                                .join();
                    }
                } catch (EvenerException | IllegalArgumentException e) {
                    LOG.debug("a job will fail when it is due: {}", e.toString()); // and its outcome says so
                }
            }
        }
    }

    private Submitted submit(Arrival arrival, LongSupplier now) {
        long due = options.rate().due(arrival.nanos());
        try {
            Held prepared = take(options.tuned().apply(arrival.request()));
            sleep(due, now);
            long submitted = now.getAsLong();
            prepared.log.asked(options.policyText());
            CompletableFuture<Report> job = evener.submit(prepared.workload.job(), options.policy());
            prepared.last = job;
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

    private static Outcome outcome(Submitted job, Long[] busy) {
        try {
            Report report = job.job().join();
            Arrays.setAll(busy, lane -> busy[lane] + report.devices().get(lane).busyNanos());
            long started = job.submitted() + report.queuedNanos();
            long ended = started + report.buildNanos() + report.wallNanos();
            return new Outcome(job.arrival(), job.due(), job.submitted(), started, ended, null);
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String message =
                    String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
            return new Outcome(job.arrival(), job.due(), job.submitted(), job.submitted(), job.submitted(), message);
        }
    }

    /**
     * The data of a request, made if need be.
     *
     * @throws EvenerException if there is no memory, even with nothing else held
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    private Held take(Request request) {
        List<Object> key = List.of(
                request.workload().name(),
                request.values().toMap(),
                request.items(),
                String.valueOf(request.distribution()),
                request.seed());
        Held known = stock.get(key);
        if (known != null) {
            return known;
        }
        Held made;
        try {
            made = make(request);
        } catch (EvenerException e) {
            if (stock.isEmpty()) {
                throw e;
            }
            shrink(Long.MIN_VALUE);
            made = make(request);
        }
        shrink(options.budget() - made.bytes);
        stock.put(key, made);
        bytes += made.bytes;
        return made;
    }

    private Held make(Request request) {
        return new Held(
                request.workload().prepare(evener, request), options.logs().apply(request));
    }

    /** Lets go of the eldest until so much is left, each when its last job has ended. */
    private void shrink(long most) {
        for (Iterator<Held> eldest = stock.values().iterator(); bytes > most && eldest.hasNext(); ) {
            Held goes = eldest.next();
            eldest.remove();
            bytes -= goes.bytes;
            goes.last.handle((report, failure) -> null).join();
            goes.workload.close();
        }
    }
}
