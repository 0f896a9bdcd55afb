package dev.evener.workloads.replay;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.simulation.MakespanBound;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.replay.ArrivalReport.Outcome;
import dev.evener.workloads.workload.Request;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs as they arrive, as {@link SimulatedTrace} simulates them: each is submitted, with its priority, when it is due and those
 * that it waits for have ended, whether others have or not. Before the first is due, all programs are built and the data of as many as
 * the budget allows are made; data that are made later may make a job late, which the outcome says. For one run, by one thread.
 */
public final class ArrivalRun {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivalRun.class);

    private final Evener evener;
    private final Options options;
    private final List<Trace.Job<Request>> jobs;
    private final Long[] busy;
    private final Outcome[] outcomes;
    private final List<List<Integer>> next; // that wait for a job
    private final int[] awaited; // by each job, and not ended
    private final PriorityQueue<Ready> ready =
            new PriorityQueue<>(Comparator.comparingLong(Ready::nanos).thenComparingInt(Ready::place));
    private final Map<Integer, TaskRunner.Flight> flights = new HashMap<>();
    private final BlockingQueue<Integer> ended = new LinkedBlockingQueue<>(); // of these; filled by other threads
    private final List<Integer> submitted = new ArrayList<>();
    private int done;
    private long start;

    /**
     * How jobs are run.
     *
     * @param policy how they are cut
     * @param policyText the policy as records name it
     * @param rate how fast they arrive
     * @param budget bytes of data that are kept for further jobs alike, by what jobs read and write; one may exceed it alone
     * @param tuning how primitives are tuned
     * @param devices the selector of devices that was asked for
     * @param logs where the jobs of a task on a selector's devices are noted
     * @param progress told now and then in a few words what is being done
     * @param use listens to the devices, if anybody wants to know how busy they were
     */
    public record Options(
            Policy policy,
            String policyText,
            ArrivalRate rate,
            long budget,
            Tuning tuning,
            String devices,
            BiFunction<Recording.Task, String, JobLog> logs,
            Consumer<String> progress,
            UseOverTime use) {}

    /** A job that waits for no other, and from when on it may be submitted. */
    private record Ready(long nanos, int place) {}

    /** Of a trace, which is run with the first call of {@link #run}. */
    public ArrivalRun(Evener evener, Options options, Trace<Request> trace) {
        this.evener = evener;
        this.options = options;
        this.jobs = trace.jobs();
        busy = new Long[evener.devices().size()];
        Arrays.fill(busy, 0L);
        outcomes = new Outcome[jobs.size()];
        awaited = jobs.stream().mapToInt(job -> job.after().size()).toArray();
        next = trace.followers();
        for (int i = 0; i < awaited.length; i++) {
            if (awaited[i] == 0) {
                ready.add(new Ready(due(i), i));
            }
        }
    }

    /**
     * Runs them all; a job that fails is one line of the report.
     *
     * @throws CancellationException if the thread was interrupted; jobs under way have ended then
     */
    public ArrivalReport run() {
        try (TaskRunner runner = new TaskRunner(
                evener,
                options.tuning(),
                options.budget(),
                task -> options.logs().apply(task, options.devices()))) {
            long before = System.nanoTime();
            prepare(runner);
            start = System.nanoTime();
            while (done < jobs.size()) {
                Ready first = flights.size() < TaskRunner.MOST_AT_ONCE ? ready.peek() : null;
                long left = first == null ? Long.MAX_VALUE : first.nanos() + start - System.nanoTime();
                Integer over = ended(left - TaskRunner.TIMER_SLACK_NANOS);
                if (over != null) {
                    end(over, runner);
                } else {
                    submit(ready.remove(), runner);
                    options.progress().accept(done + flights.size() + " of " + jobs.size() + " jobs");
                }
            }
            List<JobFigures.Served> served = new ArrayList<>();
            for (int i = 0; i < outcomes.length; i++) {
                served.add(outcomes[i].served(jobs.get(i).terms(), 0));
            }
            ArrivalReport report =
                    new ArrivalReport(List.of(outcomes), evener.devices(), List.of(busy), start - before);
            Map<String, Object> figures = JobFigures.of(served);
            JobFigures.add(figures, bound(), report.makespanNanos() / 1e9);
            return report.with(figures, options.use().slices(busy.length));
        }
    }

    private @Nullable MakespanBound bound() {
        Map<Integer, Integer> order = new HashMap<>();
        submitted.forEach(place -> order.put(place, order.size()));
        return options.use()
                .bound(
                        evener.devices(),
                        submitted.stream()
                                .map(place -> Map.entry(
                                        due(place),
                                        jobs.get(place).after().stream()
                                                .filter(order::containsKey)
                                                .map(order::get)
                                                .toList()))
                                .toList());
    }

    private long due(int place) {
        return options.rate().due(jobs.get(place).nanos());
    }

    /** A job that has ended meanwhile; null if none has within a time. */
    private @Nullable Integer ended(long nanos) {
        try {
            return ended.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        }
    }

    /** Builds the programs of all kinds of jobs, and makes the data of the first jobs, as many as there is room for. */
    private void prepare(TaskRunner runner) {
        Set<Object> kinds = new HashSet<>();
        for (int i = 0; i < jobs.size(); i++) {
            Recording.Task task = task(i);
            boolean newKind = kinds.add(List.of(task.workload(), task.parameters()));
            if (newKind || runner.bytes() < options.budget()) {
                options.progress().accept("preparing, " + i + " of " + jobs.size() + " jobs");
                try {
                    TaskRunner.Flight made = prepared(task, runner);
                    if (newKind) { // what fails now fails when it is due
                        runner.build(made);
                    }
                    runner.end(made);
                } catch (EvenerException | IllegalArgumentException e) {
                    LOG.debug("a job will fail when it is due: {}", e.toString()); // and its outcome says so
                }
            }
        }
    }

    private Recording.Task task(int place) {
        return Tasks.of("replay", jobs.get(place).work(), options.devices());
    }

    /** A job with its data, for which others have to end where there is no room. */
    private TaskRunner.Flight prepared(Recording.Task task, TaskRunner runner) {
        try {
            TaskRunner.Flight flight = runner.prepare(task, false, false);
            while (flight == null) {
                Integer over = ended(Long.MAX_VALUE);
                if (over != null) {
                    end(over, runner);
                }
                flight = runner.prepare(task, false, false);
            }
            return flight;
        } catch (FrameException e) { // they are all synthetic
            throw new IllegalStateException(e);
        }
    }

    private void submit(Ready first, TaskRunner runner) {
        int place = first.place();
        TaskRunner.Flight flight = null;
        try {
            flight = prepared(task(place), runner);
            runner.submit(
                    flight,
                    start + first.nanos(),
                    options.policyText(),
                    options.policy(),
                    evener.history(),
                    jobs.get(place).terms().priority());
            submitted.add(place);
            flights.put(place, flight);
            flight.whenEnded(() -> ended.add(place));
        } catch (EvenerException | IllegalArgumentException e) { // no memory; size and parameters do not fit
            if (flight != null) {
                runner.end(flight);
            }
            ended(place, System.nanoTime() - start, null, e);
        }
    }

    private void end(int place, TaskRunner runner) {
        TaskRunner.Flight flight = flights.remove(place);
        Report report = null;
        Throwable failure = null;
        try {
            report = runner.join(flight);
        } catch (CompletionException e) {
            failure = e.getCause() == null ? e : e.getCause();
        } finally {
            runner.end(flight);
        }
        ended(place, flight.submitted() - start, report, failure);
    }

    private void ended(int place, long submitted, @Nullable Report report, @Nullable Throwable failure) {
        String text = failure == null
                ? null
                : String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        outcomes[place] = Outcome.of(jobs.get(place), due(place), submitted, report, text);
        if (report != null) {
            Arrays.setAll(busy, lane -> busy[lane] + report.devices().get(lane).busyNanos());
        }
        done++;
        long now = System.nanoTime() - start;
        for (int after : next.get(place)) {
            awaited[after]--;
            if (awaited[after] == 0) {
                ready.add(new Ready(Math.max(now, due(after)), after));
            }
        }
    }
}
