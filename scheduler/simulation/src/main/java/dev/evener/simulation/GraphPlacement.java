package dev.evener.simulation;

import dev.evener.event.RunEvent.BufferUse;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** Jobs as tasks of a graph, and what a {@link GraphPolicy} says of them. Stateless. */
final class GraphPlacement {
    private GraphPlacement() {}

    /**
     * The jobs of a simulation, of which those of such policies go to their devices, behind those that come before them
     * there.
     */
    static List<SimulatedJob> place(Machine machine, List<SimulatedJob> jobs) {
        Map<Policy, Policy> own = new HashMap<>(); // of a kind, as those that are found by name are made then
        jobs.forEach(job -> own.computeIfAbsent(job.policy(), Policy::forKind));
        List<Integer> places = IntStream.range(0, jobs.size())
                .filter(i -> own.get(jobs.get(i).policy()) instanceof GraphPolicy)
                .boxed()
                .toList();
        if (places.isEmpty()) {
            return jobs;
        }
        TaskGraph graph = graph(machine, jobs);
        GraphPolicy policy = (GraphPolicy)
                Objects.requireNonNull(own.get(jobs.get(places.get(0)).policy()));
        List<TaskGraph.Slot> slots = policy.schedule(graph);
        Integer[] last = new Integer[machine.devices().size()];
        List<SimulatedJob> placed = new ArrayList<>(jobs);
        int[] rank = new int[jobs.size()];
        for (int i = 0; i < rank.length; i++) {
            rank[graph.order().get(i)] = i;
        }
        places.stream()
                .sorted(Comparator.comparingDouble((Integer i) -> slots.get(i).start())
                        .thenComparingInt(i -> rank[i]))
                .forEach(i -> {
                    int device = slots.get(i).device();
                    SimulatedJob job = jobs.get(i);
                    List<Integer> behind = new ArrayList<>(job.behind());
                    if (last[device] != null && !behind.contains(last[device])) {
                        behind.add(last[device]);
                    }
                    last[device] = i;
                    String id = machine.devices().get(device).device().id();
                    placed.set(i, job.by(new Placed(job.policy(), id)).behind(behind, job.priority()));
                });
        return placed;
    }

    private static TaskGraph graph(Machine machine, List<SimulatedJob> jobs) {
        double[][] nanos = new double[jobs.size()][machine.devices().size()];
        double[] release = new double[jobs.size()];
        List<TaskGraph.Edge> edges = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            SimulatedJob job = jobs.get(i);
            for (int device = 0; device < nanos[i].length; device++) {
                nanos[i][device] = Bounds.expected(machine, machine.devices().get(device), job);
            }
            release[i] = job.follows() ? 0 : job.arrival();
            int place = i;
            job.behind()
                    .forEach(before ->
                            edges.add(new TaskGraph.Edge(before, place, moved(machine, jobs.get(before), job))));
            if (job.follows() && i > 0) {
                edges.add(new TaskGraph.Edge(i - 1, i, moved(machine, jobs.get(i - 1), job)));
            }
        }
        return new TaskGraph(nanos, release, edges);
    }

    /** What moving what one job leaves and the other uses takes from one device to another, on average. */
    private static double moved(Machine machine, SimulatedJob from, SimulatedJob to) {
        double bytes = from.buffers().stream()
                .filter(left -> left.how() != BufferUse.How.READS
                        && to.buffers().stream().anyMatch(used -> used.buffer() == left.buffer()))
                .mapToDouble(left -> (double) left.bytes())
                .sum();
        return machine.devices().stream()
                .filter(DeviceModel::hasOwnMemory)
                .mapToDouble(device -> bytes == 0 ? 0 : device.link().nanos(bytes, bytes))
                .average()
                .orElse(0);
    }

    /** All of a job for one device, or, when that has failed, as where jobs come one by one. */
    private record Placed(Policy by, String device) implements Policy {
        @Override
        public String name() {
            return by.name();
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            LaneSet its = LaneSet.where(
                    snapshot.lanes().size(),
                    i -> snapshot.lanes().get(i).id().equals(device)
                            && snapshot.available().has(i));
            Plan plan = by.plan(snapshot);
            return its.isEmpty() ? plan : plan.onto(its.first()).only(its);
        }
    }
}
