package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.iteration.Iteration;
import java.util.Random;

/** Conway's Game of Life, from the loop in Java to an iteration on all devices: the program of docs/tutorial.md. */
public final class Life {
    private Life() {}

    // region loop
    /** The next generation: a cell lives with three living neighbours, or with two if it lived. */
    static void next(int[] now, int[] next, int width, int height) {
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int living = 0; // in the square of nine cells
                for (int v = Math.max(y - 1, 0); v <= Math.min(y + 1, height - 1); v++) {
                    for (int u = Math.max(x - 1, 0); u <= Math.min(x + 1, width - 1); u++) {
                        living += now[v * width + u];
                    }
                }
                int here = now[y * width + x];
                next[y * width + x] = living == 3 || (living == 4 && here == 1) ? 1 : 0;
            }
        }
    }
    // endregion

    // region kernel
    static final String KERNEL = """
            __kernel void life(__global const int *now, __global int *next, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1);
                int living = 0;
                for (int v = max(y - 1, 0); v <= min(y + 1, height - 1); v++)
                    for (int u = max(x - 1, 0); u <= min(x + 1, width - 1); u++)
                        living += now[v * width + u];
                int here = now[y * width + x];
                next[y * width + x] = living == 3 || (living == 4 && here == 1) ? 1 : 0;
            }
            """;
    // endregion

    // region job
    static Job generation(DataBuffer now, DataBuffer next, int width, int height) {
        return Job.named("life")
                .source(KERNEL)
                .range(width, height) // a row of cells is a unit: devices get rows
                .kernel("life")
                .reads(now, slice(width).halo(1, 1)) // the unit's row, the one before and the one behind
                .writes(next, slice(width)) // all of the unit's row, and no other
                .scalar(width)
                .scalar(height)
                .build();
    }
    // endregion

    // region once
    static int[] next(Evener evener, int[] cells, int width, int height) {
        try (HostBuffer now = evener.allocate(ElementType.INT, cells.length);
                HostBuffer next = evener.allocate(ElementType.INT, cells.length)) {
            now.ints().put(cells);
            Report report = evener.submit(generation(now, next, width, height)).join();
            System.out.println(report.summary());
            int[] result = new int[cells.length];
            next.ints().get(result);
            return result;
        }
    }
    // endregion

    // region many
    static int[] after(Evener evener, int[] cells, int width, int height, int generations) {
        try (ManagedBuffer now = evener.allocateManaged(ElementType.INT, cells.length);
                ManagedBuffer next = evener.allocateManaged(ElementType.INT, cells.length)) {
            now.overwrite(view -> view.ints().put(cells));
            Iteration.Result done = Iteration.of(generation(now, next, width, height))
                    .rotating(now, next) // after each generation
                    .run(evener, generations)
                    .join();
            int[] result = new int[cells.length];
            done.at(now).read(view -> view.ints().get(result));
            return result;
        }
    }
    // endregion

    // region main
    static int[] random(int count) {
        return new Random(1).ints(count, 0, 2).toArray();
    }

    public static void main(String[] args) {
        int width = 2048;
        int height = 2048;
        int[] cells = random(width * height);
        try (Evener evener = Evener.open()) {
            next(evener, cells, width, height);
            for (int round = 0; round < 3; round++) {
                long start = System.nanoTime();
                int[] result = after(evener, cells, width, height, 100);
                long millis = (System.nanoTime() - start) / 1_000_000;
                System.out.println("100 generations in " + millis + " ms, cell 0 is " + result[0]);
            }
        }
    }
    // endregion
}
