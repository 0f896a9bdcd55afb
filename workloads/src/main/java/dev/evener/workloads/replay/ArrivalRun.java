package dev.evener.workloads.replay;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.frames.FrameException;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import dev.evener.record.Recording;
import dev.evener.workloads.arrivals.Arrivals.Arrival;
import dev.evener.workloads.replay.ArrivalReport.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs as they arrive. Each is submitted when it is due, whether those before it have ended or not; the devices run one
 * after another. Before the first is due, all programs are built and the data of as many as the budget allows are made; data that
 * are made later may make a job late, which the outcome says. One thread.
 */
public final class ArrivalRun {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivalRun.class);

    private final Evener evener;
    private final Options options;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Long[] busy;

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
     */
    public record Options(
            Policy policy,
            String policyText,
            ArrivalRate rate,
            long budget,
            Tuning tuning,
            String devices,
            BiFunction<Recording.Task, String, JobLog> logs,
            Consumer<String> progress) {}

    public ArrivalRun(Evener evener, Options options) {
        this.evener = evener;
        this.options = options;
        this.busy = new Long[evener.devices().size()];
        Arrays.fill(busy, 0L);
    }

    /** A job that was submitted, or why it could not be. */
    private record Waiting(
            Arrival arrival,
            long due,
            long submitted,
            TaskRunner.@Nullable Flight flight,
            @Nullable Throwable failure) {}

    /**
     * Runs them all; a job that fails is one line of the report.
     *
     * @param arrivals in the order of their arrival
     * @throws java.util.concurrent.CancellationException if the thread was interrupted; jobs under way have ended then
     */
    public ArrivalReport run(List<Arrival> arrivals) {
        try (TaskRunner runner = new TaskRunner(
                evener,
                options.tuning(),
                options.budget(),
                task -> options.logs().apply(task, options.devices()))) {
            long before = System.nanoTime();
            prepare(arrivals, runner);
            long start = System.nanoTime();
            for (Arrival arrival : arrivals) {
                if (waiting.size() == TaskRunner.MOST_AT_ONCE) {
                    endOldest(runner);
                }
                waiting.add(submit(arrival, start, runner));
                options.progress().accept(outcomes.size() + waiting.size() + " of " + arrivals.size() + " jobs");
            }
            while (!waiting.isEmpty()) {
                endOldest(runner);
            }
            return new ArrivalReport(outcomes, evener.devices(), List.of(busy), start - before);
        }
    }

    /** Builds the programs of all kinds of jobs, and makes the data of the first jobs, as many as there is room for. */
    private void prepare(List<Arrival> arrivals, TaskRunner runner) {
        Set<Object> kinds = new HashSet<>();
        for (int i = 0; i < arrivals.size(); i++) {
            Recording.Task task = task(arrivals.get(i));
            boolean newKind = kinds.add(List.of(task.workload(), task.parameters()));
            if (newKind || runner.bytes() < options.budget()) {
                options.progress().accept("preparing, " + i + " of " + arrivals.size() + " jobs");
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

    private Recording.Task task(Arrival arrival) {
        return Tasks.of("replay", arrival.request(), options.devices());
    }

    /** A job with its data, for which those before it have to end where there is no room. */
    private TaskRunner.Flight prepared(Recording.Task task, TaskRunner runner) {
        try {
            TaskRunner.Flight flight = runner.prepare(task, false, false);
            while (flight == null) {
                endOldest(runner);
                flight = runner.prepare(task, false, false);
            }
            return flight;
        } catch (FrameException e) { // they are all synthetic
            throw new IllegalStateException(e);
        }
    }

    private Waiting submit(Arrival arrival, long start, TaskRunner runner) {
        long due = options.rate().due(arrival.nanos());
        TaskRunner.Flight flight = null;
        try {
            flight = prepared(task(arrival), runner);
            runner.submit(flight, start + due, options.policyText(), options.policy(), evener.history());
            return new Waiting(arrival, due, flight.submitted() - start, flight, null);
        } catch (EvenerException | IllegalArgumentException e) { // no memory; size and parameters do not fit
            if (flight != null) {
                runner.end(flight);
            }
            return new Waiting(arrival, due, System.nanoTime() - start, null, e);
        }
    }

    private void endOldest(TaskRunner runner) {
        Waiting oldest = waiting.remove();
        long at = oldest.submitted();
        long started = at;
        long ended = at;
        Throwable failure = oldest.failure();
        TaskRunner.Flight flight = oldest.flight();
        if (flight != null) {
            try {
                Report report = runner.join(flight);
                Arrays.setAll(
                        busy, lane -> busy[lane] + report.devices().get(lane).busyNanos());
                started = at + report.queuedNanos();
                ended = started + report.buildNanos() + report.wallNanos();
            } catch (CompletionException e) {
                failure = e.getCause() == null ? e : e.getCause();
            } finally {
                runner.end(flight);
            }
        }
        String text = failure == null
                ? null
                : String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        outcomes.add(new Outcome(oldest.arrival(), oldest.due(), at, started, ended, text));
    }
}
