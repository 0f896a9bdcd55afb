package dev.evener.simulation;

import dev.evener.policy.CostModel;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Snapshot;
import dev.evener.simulation.TaskGraph.Slot;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * List schedules of the literature for graphs of tasks, by the names {@code heft}, {@code peft} and {@code lookahead}:
 * of the tasks that wait for none, the one of the highest rank gets the slot that costs least. Where jobs come one by
 * one, each goes whole to the device that is expected to end it first, as under HEFT.
 */
public abstract sealed class GraphSchedule implements GraphPolicy, PolicyProvider {
    private final String name;
    private final String description;

    private GraphSchedule(String name, String description) {
        this.name = name;
        this.description = description;
    }

    /** By task its rank, and what a slot costs it, while a schedule is made. */
    @SuppressWarnings("ArrayRecordComponent") // which nobody changes
    private record Rule(double[] ranks, ToDoubleBiFunction<Integer, Slot> cost) {}

    abstract Rule rule(TaskGraph graph, TaskGraph.Schedule schedule);

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public Policy create(Settings settings) {
        return this;
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        CostModel model = snapshot.model();
        int lanes = snapshot.lanes().size();
        int best = IntStream.range(0, lanes)
                .filter(snapshot.available()::has)
                .boxed()
                .min(Comparator.comparingDouble(i -> snapshot.lanes().get(i).freeNanos()
                        + model.lane(i).fixedNanos()
                        + snapshot.units() * model.lane(i).nanosPerUnit()))
                .orElseThrow();
        long[] shares = new long[lanes];
        shares[best] = snapshot.granules();
        return Plan.of(Plan.Sharing.FIXED, shares);
    }

    @Override
    public List<Slot> schedule(TaskGraph graph) {
        TaskGraph.Schedule schedule = graph.new Schedule();
        Rule rule = rule(graph, schedule);
        PriorityQueue<Integer> ready = new PriorityQueue<>(
                Comparator.comparingDouble((Integer task) -> -rule.ranks[task]).thenComparingInt(task -> task));
        int[] waits = new int[graph.size()];
        Arrays.setAll(waits, task -> graph.before(task).size());
        IntStream.range(0, waits.length).filter(task -> waits[task] == 0).forEach(ready::add);
        while (!ready.isEmpty()) {
            Integer task = ready.remove();
            Slot best = IntStream.range(0, graph.devices())
                    .filter(device -> Double.isFinite(graph.nanos(task, device)))
                    .mapToObj(device -> schedule.earliest(task, device))
                    .min(Comparator.comparingDouble((Slot slot) -> rule.cost.applyAsDouble(task, slot))
                            .thenComparingDouble(Slot::end))
                    .orElseThrow(() -> new IllegalArgumentException("task " + task + " can run on no device"));
            schedule.put(task, best);
            graph.after(task).stream().filter(edge -> --waits[edge.to()] == 0).forEach(edge -> ready.add(edge.to()));
        }
        return schedule.slots();
    }

    /**
     * Heterogeneous earliest finish time: by upward rank, where a task ends first. Topcuoglu, Hariri and Wu,
     * Performance-Effective and Low-Complexity Task Scheduling for Heterogeneous Computing, IEEE Transactions on
     * Parallel and Distributed Systems 13(3), 2002.
     */
    public static final class Heft extends GraphSchedule {
        /** As {@link java.util.ServiceLoader} wants it. */
        public Heft() {
            super("heft", "task graphs: by upward rank, each task where it ends first");
        }

        @Override
        Rule rule(TaskGraph graph, TaskGraph.Schedule schedule) {
            return new Rule(graph.upwardRanks(), (task, slot) -> slot.end());
        }
    }

    /**
     * HEFT that looks ahead: where those that wait for a task end first, if each of these then goes where it ends
     * first. Bittencourt, Sakellariou and Madeira, DAG Scheduling Using a Lookahead Variant of the Heterogeneous
     * Earliest Finish Time Algorithm, Euromicro Conference on Parallel, Distributed and Network-based Processing, 2010;
     * its first variant.
     */
    public static final class Lookahead extends GraphSchedule {
        /** As {@link java.util.ServiceLoader} wants it. */
        public Lookahead() {
            super("lookahead", "task graphs: by upward rank, each task where those that wait for it end first");
        }

        @Override
        Rule rule(TaskGraph graph, TaskGraph.Schedule schedule) {
            double[] ranks = graph.upwardRanks();
            return new Rule(ranks, (task, slot) -> {
                List<Integer> children = graph.after(task).stream()
                        .map(TaskGraph.Edge::to)
                        .sorted(Comparator.comparingDouble(child -> -ranks[child]))
                        .toList();
                double end = slot.end();
                schedule.put(task, slot);
                for (int child : children) {
                    Slot first = IntStream.range(0, graph.devices())
                            .mapToObj(device -> schedule.earliest(child, device))
                            .min(Comparator.comparingDouble(Slot::end))
                            .orElseThrow();
                    schedule.put(child, first);
                    end = Math.max(end, first.end());
                }
                children.forEach(schedule::remove);
                schedule.remove(task);
                return end;
            });
        }
    }

    /**
     * Predict earliest finish time: the table of optimistic costs says how long the way from a task on a device to the
     * end of all is at least; by its mean, where the task's end and that way come to the least. Arabnejad and Barbosa,
     * List Scheduling Algorithm for Heterogeneous Systems by an Optimistic Cost Table, IEEE Transactions on Parallel
     * and Distributed Systems 25(3), 2014.
     */
    public static final class Peft extends GraphSchedule {
        /** As {@link java.util.ServiceLoader} wants it. */
        public Peft() {
            super("peft", "task graphs: by optimistic costs to the end, each task where its end and these are least");
        }

        @Override
        Rule rule(TaskGraph graph, TaskGraph.Schedule schedule) {
            double[][] costs = optimisticCosts(graph);
            double[] ranks = new double[costs.length];
            Arrays.setAll(ranks, task -> DoubleStream.of(costs[task]).average().orElse(0));
            return new Rule(ranks, (task, slot) -> slot.end() + costs[task][slot.device()]);
        }

        /** By task and device, the longest of the shortest ways to the end, the task's own time not included. */
        static double[][] optimisticCosts(TaskGraph graph) {
            int devices = graph.devices();
            double[][] costs = new double[graph.size()][devices];
            for (int i = graph.size() - 1; i >= 0; i--) {
                double[] own = costs[graph.order().get(i)];
                for (TaskGraph.Edge each : graph.after(graph.order().get(i))) {
                    double[] next = costs[each.to()];
                    Arrays.setAll(
                            own,
                            device -> Math.max(
                                    own[device],
                                    IntStream.range(0, devices)
                                            .mapToDouble(other -> next[other]
                                                    + graph.nanos(each.to(), other)
                                                    + (other == device ? 0 : each.nanos()))
                                            .min()
                                            .orElse(0)));
                }
            }
            return costs;
        }
    }
}
