package dev.evener.workloads.experiment;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Contenders measured together: in each round every one runs the job once, in an order drawn anew, so that what changes
 * on the machine meets all of them alike, and none always follows the same other. One thread.
 */
final class Rounds {
    private final Bench bench;
    private final List<Contender> active;
    private final Map<Contender, List<Report>> reports = new LinkedHashMap<>();
    private final long started = System.nanoTime();
    private int done;

    /** Where rounds take place. */
    record Bench(Evener evener, PreparedWorkload workload, Random order, JobLog log) {

        /**
         * Runs the job once.
         *
         * @throws EvenerException if it failed
         */
        Report run(Contender contender) {
            return log.run(
                    contender.asked(),
                    () -> evener.submit(workload.job(), contender.policy(), contender.history()),
                    workload::output);
        }
    }

    Rounds(Bench bench, List<Contender> contenders) {
        this.bench = bench;
        this.active = new ArrayList<>(contenders);
        contenders.forEach(c -> reports.put(c, new ArrayList<>()));
    }

    /** One more round. */
    void run() {
        Collections.shuffle(active, bench.order());
        for (Contender contender : active) {
            reports(contender).add(bench.run(contender));
        }
        done++;
    }

    /** From now on without these. */
    void drop(Collection<Contender> contenders) {
        active.removeAll(contenders);
    }

    /** Who is still in. */
    List<Contender> active() {
        return active;
    }

    /** Rounds there were. */
    int done() {
        return done;
    }

    /** Time since the beginning. */
    long nanos() {
        return System.nanoTime() - started;
    }

    /** One report for each round that the contender was in. */
    List<Report> reports(Contender contender) {
        List<Report> own = reports.get(contender);
        if (own == null) {
            throw new IllegalArgumentException(contender.name() + " takes no part");
        }
        return own;
    }

    /** Median wall nanoseconds of a contender. */
    double median(Contender contender) {
        return Statistics.median(Outcome.nanos(reports(contender)));
    }

    /** Jobs run, over all contenders. */
    long jobs() {
        return reports.values().stream().mapToLong(List::size).sum();
    }
}
