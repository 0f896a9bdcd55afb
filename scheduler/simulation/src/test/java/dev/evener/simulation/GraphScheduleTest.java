package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** List schedules for graphs of tasks give the schedules of their papers, and none that cannot be. */
class GraphScheduleTest {
    /** Ten tasks on three processors: figure 2 of Topcuoglu, Hariri and Wu, 2002. */
    private static final TaskGraph TOPCUOGLU = graph(
            new double[][] {
                {14, 16, 9}, {13, 19, 18}, {11, 13, 19}, {13, 8, 17}, {12, 13, 10},
                {13, 16, 9}, {7, 15, 11}, {5, 11, 14}, {18, 12, 20}, {21, 7, 16}
            },
            "1 2 18, 1 3 12, 1 4 9, 1 5 11, 1 6 14, 2 8 19, 2 9 16, 3 7 23, 4 8 27, 4 9 23, 5 9 13, 6 8 15, 7 10 17, 8 10 11, 9 10 13");

    /** Ten tasks on three processors: figure 1 of Arabnejad and Barbosa, 2014. */
    private static final TaskGraph ARABNEJAD = graph(
            new double[][] {
                {22, 21, 36}, {22, 18, 18}, {32, 27, 43}, {7, 10, 4}, {29, 27, 35},
                {26, 17, 24}, {14, 25, 30}, {29, 23, 36}, {15, 21, 8}, {13, 16, 33}
            },
            "1 2 17, 1 3 31, 1 4 29, 1 5 13, 1 6 7, 2 8 3, 2 9 30, 3 7 16, 4 8 11, 4 9 7, 5 9 57, 6 8 5, 7 10 9, 8 10 42, 9 10 7");

    /** @param edges tasks from 1, and what is between them */
    private static TaskGraph graph(double[][] nanos, String edges) {
        List<TaskGraph.Edge> all = new ArrayList<>();
        for (String each : edges.split(", ", -1)) {
            String[] parts = each.split(" ", -1);
            all.add(new TaskGraph.Edge(
                    Integer.parseInt(parts[0]) - 1, Integer.parseInt(parts[1]) - 1, Double.parseDouble(parts[2])));
        }
        return new TaskGraph(nanos, new double[nanos.length], all);
    }

    private static double makespan(String policy, TaskGraph graph) {
        return ((GraphPolicy) Policies.named(policy).forKind())
                .schedule(graph).stream().mapToDouble(TaskGraph.Slot::end).max().orElseThrow();
    }

    /** Figure 3 of the former, figure 2 of the latter. */
    @Test
    void makespansAreThoseOfThePapers() {
        assertEquals(80, makespan("heft", TOPCUOGLU));
        assertEquals(122, makespan("peft", ARABNEJAD));
        assertEquals(127, makespan("lookahead", ARABNEJAD));
        assertEquals(133, makespan("heft", ARABNEJAD));
    }

    /** Table 2 of Topcuoglu, Hariri and Wu, and table 2 of Arabnejad and Barbosa. */
    @Test
    void ranksAreThoseOfThePapers() {
        double[] ranks = {108, 77, 80, 80, 69, 63.333, 42.667, 35.667, 44.333, 14.667};
        assertArrayEquals(ranks, TOPCUOGLU.upwardRanks(), 0.001);
        double[][] costs = {
            {64, 68, 86}, {42, 39, 42}, {27, 41, 43}, {42, 39, 50}, {28, 37, 28},
            {42, 39, 44}, {13, 16, 22}, {13, 16, 33}, {13, 16, 20}, {0, 0, 0}
        };
        assertArrayEquals(costs, GraphSchedule.Peft.optimisticCosts(ARABNEJAD));
    }

    /**
     * Of any graph: no two tasks at once on a device, none before what it waits for has come, none where it cannot run.
     */
    @ParameterizedTest
    @ValueSource(strings = {"heft", "peft", "lookahead"})
    void schedulesCanBe(String policy) {
        Random random = new Random(63);
        for (int round = 0; round < 60; round++) {
            int tasks = 1 + random.nextInt(40);
            int devices = 1 + random.nextInt(5);
            double[][] nanos = new double[tasks][devices];
            double[] release = new double[tasks];
            List<TaskGraph.Edge> edges = new ArrayList<>();
            for (int to = 0; to < tasks; to++) {
                for (int device = 0; device < devices; device++) {
                    boolean able = device == to % devices || random.nextInt(4) > 0;
                    nanos[to][device] = able ? random.nextInt(20) : Double.POSITIVE_INFINITY;
                }
                release[to] = random.nextInt(10);
                for (int from = 0; from < to; from++) {
                    if (random.nextInt(5) == 0) {
                        edges.add(new TaskGraph.Edge(from, to, random.nextInt(15)));
                    }
                }
            }
            TaskGraph graph = new TaskGraph(nanos, release, edges);
            List<TaskGraph.Slot> slots = ((GraphPolicy) Policies.named(policy).forKind()).schedule(graph);
            for (int task = 0; task < tasks; task++) {
                TaskGraph.Slot slot = slots.get(task);
                assertTrue(slot.start() >= release[task]);
                assertEquals(nanos[task][slot.device()], slot.end() - slot.start());
                for (int other = 0; other < task; other++) {
                    TaskGraph.Slot its = slots.get(other);
                    boolean apart = its.end() <= slot.start() || slot.end() <= its.start();
                    assertTrue(apart || its.device() != slot.device(), () -> slot + " and " + its);
                }
            }
            for (TaskGraph.Edge each : edges) {
                TaskGraph.Slot from = slots.get(each.from());
                TaskGraph.Slot to = slots.get(each.to());
                assertTrue(to.start() >= from.end() + (from.device() == to.device() ? 0 : each.nanos()));
            }
        }
    }

    @Test
    void tasksInACircleAreRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> graph(new double[][] {{1}, {1}, {1}}, "1 2 0, 2 3 0, 3 2 0"));
    }
}
