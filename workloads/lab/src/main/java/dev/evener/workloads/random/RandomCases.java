package dev.evener.workloads.random;

import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How a policy fares on many {@linkplain RandomCase random machines}: times over the best static split, by phase. Stateless; any
 * thread. The same arguments give the same figures, however many cores work on them.
 */
public final class RandomCases {
    /** Jobs of a machine that count as its first ones. */
    public static final int FIRST = 30;
    /** Jobs in which it learns; those after them are settled. */
    public static final int LEARNING = 100;

    private static final int WORST = 5; // machines that are named

    private RandomCases() {}

    /**
     * What one machine's jobs took over the best static split, on average: 1 is as good, 2 takes twice as long.
     *
     * @param seed of the machine
     * @param text what was drawn
     * @param first the first {@value #FIRST} jobs
     * @param learning the first {@value #LEARNING}
     * @param settled the jobs after these
     */
    public record Row(long seed, String text, double first, double learning, double settled) {}

    /** A phase of a series of jobs: its name, and what a row has of it. */
    public enum Phase {
        /** The first {@value RandomCases#FIRST} jobs. */
        FIRST("first " + RandomCases.FIRST),
        /** The first {@value RandomCases#LEARNING}. */
        LEARNING("first " + RandomCases.LEARNING),
        /** The jobs after these. */
        SETTLED("settled");

        private final String title;

        Phase(String title) {
            this.title = title;
        }

        /** What a row has of it. */
        public double of(Row row) {
            return this == FIRST ? row.first() : this == LEARNING ? row.learning() : row.settled();
        }

        /** Its name in tables. */
        public String title() {
            return title;
        }

        /**
         * The figure that this part of the machines is below, or at.
         *
         * @param rows at least one
         * @param part 0 to 1: 0.5 for the median, 1 for the worst machine
         */
        public double quantile(List<Row> rows, double part) {
            double[] sorted = rows.stream().mapToDouble(this::of).sorted().toArray();
            return sorted[(int) Math.max(0, Math.ceil(part * sorted.length) - 1)];
        }

        /** The {@value RandomCases#WORST} machines that are furthest off, the worst one first. */
        public List<Row> worst(List<Row> rows) {
            return rows.stream()
                    .sorted(Comparator.comparingDouble(this::of).reversed())
                    .limit(WORST)
                    .toList();
        }
    }

    /**
     * Runs the machines of consecutive seeds, as many at a time as there are cores.
     *
     * @param policy that begins each machine with no history; null for the oracle's shares, see {@link RandomCase#over}
     * @param machines how many, at least 1
     * @param from the first seed
     * @param jobs on each machine, above {@value #LEARNING}
     * @param promised whether devices are about as fast as clock and units say
     * @param ranges from which machines are drawn
     * @param done is told of each machine that is done, in any order, by any of the threads at work
     * @return one for each machine, in the order of the seeds
     * @throws IllegalArgumentException if there are too few machines or jobs
     * @throws IllegalStateException if a job failed
     */
    public static List<Row> run(
            @Nullable Policy policy,
            int machines,
            long from,
            int jobs,
            boolean promised,
            Ranges ranges,
            Consumer<Row> done) {
        if (machines < 1 || jobs <= LEARNING) {
            throw new IllegalArgumentException(machines + " machines with " + jobs
                    + " jobs each: there must be at least 1 with " + (LEARNING + 1));
        }
        return IntStream.range(0, machines)
                .parallel()
                .mapToObj(i -> {
                    RandomCase drawn = new RandomCase(from + i, jobs, promised, ranges);
                    double[] over = drawn.over(policy);
                    Row row = new Row(
                            from + i,
                            drawn.text(),
                            mean(over, 0, FIRST),
                            mean(over, 0, LEARNING),
                            mean(over, LEARNING, jobs));
                    done.accept(row);
                    return row;
                })
                .toList();
    }

    private static double mean(double[] values, int from, int to) {
        return Arrays.stream(values, from, to).average().orElseThrow();
    }

    /**
     * What became of one job.
     *
     * @param number of the job, from 1
     * @param kernel its kernel
     * @param units its size
     * @param oracleNanos what the best static split takes on average
     * @param over what it took over that
     * @param chosen ids of the devices that the plan gave a share
     * @param helped ids of those that stood by and took work over
     * @param reason why, in words; empty where nothing was decided
     */
    public record Step(
            int number,
            String kernel,
            long units,
            double oracleNanos,
            double over,
            List<String> chosen,
            List<String> helped,
            String reason) {
        public Step {
            chosen = List.copyOf(chosen);
            helped = List.copyOf(helped);
        }
    }

    /**
     * The jobs of a machine one by one: what was decided, and what that cost.
     *
     * @param policy as of {@link #run}
     */
    public static List<Step> explain(RandomCase drawn, @Nullable Policy policy) {
        List<RunEvent.Submitted> submitted = new ArrayList<>();
        List<RunEvent.Planned> planned = new ArrayList<>();
        List<boolean[]> worked = new ArrayList<>();
        List<String> ids = drawn.lanes().stream().map(RandomCase.Lane::device).toList();
        RunListener listener = event -> { // one job has ended long before the next begins
            if (event instanceof RunEvent.Submitted job) {
                submitted.add(job);
                worked.add(new boolean[ids.size()]);
            } else if (event instanceof RunEvent.Planned plan) {
                planned.add(plan);
            } else if (event instanceof RunEvent.Chunk chunk) {
                worked.get(worked.size() - 1)[chunk.device()] = true;
            }
        };
        double[] oracle = drawn.oracle();
        double[] over = drawn.over(policy, listener);
        List<Step> steps = new ArrayList<>();
        for (int job = 0; job < over.length; job++) {
            List<String> chosen = new ArrayList<>();
            List<String> helped = new ArrayList<>();
            RunEvent.Planned plan = planned.get(job);
            for (int lane = 0; lane < ids.size(); lane++) {
                if (plan.shares().get(lane) > 0) {
                    chosen.add(ids.get(lane));
                } else if (worked.get(job)[lane]) {
                    helped.add(ids.get(lane));
                }
            }
            RunEvent.Submitted its = submitted.get(job);
            String reason = plan.reason() == null ? "" : plan.reason();
            steps.add(new Step(job + 1, its.name(), its.units(), oracle[job], over[job], chosen, helped, reason));
        }
        return steps;
    }
}
