package dev.evener.simulation.placement;

import dev.evener.simulation.placement.Fleet.Task;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Graphs of tasks, each of which comes after those that it needs. */
final class Graphs {
    private Graphs() {}

    /** A graph under construction: who wrote a tile last. */
    private static final class Tiles {
        final List<Task> tasks = new ArrayList<>();
        private final Map<Integer, Integer> last = new HashMap<>();

        /** A task that reads some tiles and updates the first. */
        void task(int kind, int... tiles) {
            List<Integer> behind = new ArrayList<>();
            for (int tile : tiles) {
                Integer before = last.get(tile);
                if (before != null && !behind.contains(before)) {
                    behind.add(before);
                }
            }
            last.put(tiles[0], tasks.size());
            tasks.add(new Task(kind, 0, behind));
        }
    }

    /** Cholesky factorization of so many tiles a side: kinds are POTRF, TRSM, SYRK and GEMM. */
    static List<Task> cholesky(int tiles) {
        Tiles graph = new Tiles();
        for (int k = 0; k < tiles; k++) {
            graph.task(0, at(k, k));
            for (int i = k + 1; i < tiles; i++) {
                graph.task(1, at(i, k), at(k, k));
            }
            for (int i = k + 1; i < tiles; i++) {
                graph.task(2, at(i, i), at(i, k));
                for (int j = k + 1; j < i; j++) {
                    graph.task(3, at(i, j), at(i, k), at(j, k));
                }
            }
        }
        return graph.tasks;
    }

    /** LU factorization without pivoting: kinds are GETRF, two of TRSM and GEMM. */
    static List<Task> lu(int tiles) {
        Tiles graph = new Tiles();
        for (int k = 0; k < tiles; k++) {
            graph.task(0, at(k, k));
            for (int i = k + 1; i < tiles; i++) {
                graph.task(1, at(i, k), at(k, k));
                graph.task(2, at(k, i), at(k, k));
            }
            for (int i = k + 1; i < tiles; i++) {
                for (int j = k + 1; j < tiles; j++) {
                    graph.task(3, at(i, j), at(i, k), at(k, j));
                }
            }
        }
        return graph.tasks;
    }

    /** So many rounds of so many tasks of all kinds, between one of the first kind each. */
    static List<Task> forkJoin(int rounds, int width, int kinds, Random random) {
        List<Task> tasks = new ArrayList<>();
        List<Integer> before = List.of();
        for (int round = 0; round < rounds; round++) {
            int fork = tasks.size();
            tasks.add(new Task(0, 0, before));
            for (int i = 0; i < width; i++) {
                tasks.add(new Task(random.nextInt(kinds), 0, List.of(fork)));
            }
            before = IntStream.range(fork + 1, tasks.size()).boxed().toList();
        }
        return tasks;
    }

    /** Each needs up to three of those that came not long before. */
    static List<Task> random(int count, int kinds, Random random) {
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Integer> behind = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0 && i > 0; n--) {
                int other = Math.max(0, i - 1 - random.nextInt(40));
                if (!behind.contains(other)) {
                    behind.add(other);
                }
            }
            tasks.add(new Task(random.nextInt(kinds), 0, behind));
        }
        return tasks;
    }

    private static int at(int row, int column) {
        return row * 1000 + column;
    }
}
