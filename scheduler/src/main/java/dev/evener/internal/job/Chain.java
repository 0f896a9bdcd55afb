package dev.evener.internal.job;

import dev.evener.Job;
import dev.evener.internal.job.JobSpec.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Jobs one behind the other as one, in whose phases ranges of units wait for each other and not for whole phases: a
 * unit begins when the units around it are done with all phases before, as far as the <em>reach</em>: the widest
 * surroundings in which phases see bytes that one of them writes, or all units where they see them through different
 * layouts. Stateless; any thread.
 */
public final class Chain {
    /** Jobs that are made one: enough that the way of one is short beside them, and a short queue. */
    public static final int MOST = 16;

    /** Phases end before the next one begins. */
    public static final long NONE = -1;

    private Chain() {}

    /** Nothing where one of them has to end before the next one begins, as {@link dev.evener.Job#then} says. */
    static Optional<JobSpec> of(List<JobSpec> jobs) {
        JobSpec first = jobs.get(0);
        if (!jobs.stream().allMatch(each -> goOn(first, each))) {
            return Optional.empty();
        }
        Set<JobSpec> different = new HashSet<>(jobs); // steps of an iteration are the same again and again
        long reach = different.stream()
                .flatMapToLong(one -> different.stream().mapToLong(other -> between(one, other)))
                .max()
                .orElse(0);
        List<Phase> phases =
                jobs.stream().flatMap(each -> each.phases().stream()).toList();
        return Optional.of(first.chained(phases, reach));
    }

    /** Jobs that are to run in this order, with those that follow each other joined where they may be. */
    public static List<Job> joined(List<? extends Job> jobs) {
        List<Job> joined = new ArrayList<>();
        List<JobSpec> run = new ArrayList<>();
        for (Job job : jobs) {
            JobSpec next = JobSpec.of(job);
            if (!run.isEmpty() && (run.size() == MOST || !goOn(run.get(0), run.get(0)) || !goOn(run.get(0), next))) {
                end(run, joined);
            }
            run.add(next);
        }
        end(run, joined);
        return joined;
    }

    private static void end(List<JobSpec> run, List<Job> joined) {
        if (run.size() == 1) {
            joined.add(run.get(0));
        } else if (!run.isEmpty()) {
            joined.add(of(run).orElseThrow());
        }
        run.clear();
    }

    /** Whether a job may go on behind another where the units around it are done with that. */
    public static boolean goOn(JobSpec first, JobSpec other) {
        return other.options().equals(first.options())
                && other.space().equals(first.space())
                && other.units() == first.units()
                && other.granule() == first.granule()
                && other.alone() == null
                && other.options().deadline() == null
                && !(other.options().protectsUpdates()
                        && other.phases().stream().anyMatch(JobBuffers::updatesOnDevices))
                && other.phases().stream().allMatch(Chain::leavesNothing);
    }

    /** How many units around its own a unit of a later job needs done of an earlier one. */
    public static long between(JobSpec earlier, JobSpec later) {
        long reach = 0;
        for (Phase one : earlier.phases()) {
            for (Phase other : later.phases()) {
                reach = Math.max(reach, between(one, other, later.units()));
            }
        }
        return reach;
    }

    /** Whether there is nothing for the host to do at its end, and nothing of it is bound for the host. */
    private static boolean leavesNothing(Phase phase) {
        return JobBuffers.stayOnDevices(phase)
                && phase.buffers().stream().allMatch(b -> b.range().isAll());
    }

    /** How many units around its own a unit of the later phase needs done of the earlier one. */
    private static long between(Phase earlier, Phase later, long all) {
        long reach = 0;
        for (Argument.Buffer a : earlier.buffers()) {
            for (Argument.Buffer b : later.buffers()) {
                if ((a.written() || b.written()) && a.range().meets(b.range())) {
                    Layout its = a.layout();
                    Layout next = b.layout();
                    if (!a.range().equals(b.range()) || !its.liesAs(next)) {
                        return all;
                    }
                    reach = Math.max(reach, Math.max(its.around(), next.around()));
                }
            }
        }
        return reach;
    }
}
