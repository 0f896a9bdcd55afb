package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Variant;
import java.util.ArrayList;
import java.util.List;

/** Rodinia's OpenCL programs, as gpu-rodinia has them; others follow in classes of their own. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Rodinia {
    static final String FOLDER = "gpu-rodinia/opencl/";
    private static final int STEPS = 3; // of eliminations

    private Rodinia() {}

    static List<Program> programs() {
        List<Program> all = new ArrayList<>(List.of(
                new Program("Rodinia", "pathfinder", Rodinia::pathfinder),
                new Program("Rodinia", "nw", Rodinia::nw),
                new Program("Rodinia", "nn", Rodinia::nn),
                new Program("Rodinia", "lud", Rodinia::lud),
                new Program("Rodinia", "kmeans", Rodinia::kmeans),
                new Program("Rodinia", "gaussian", Rodinia::gaussian),
                new Program("Rodinia", "hotspot3D", Rodinia::hotspot3d),
                new Program("Rodinia", "hotspot", Rodinia::hotspot),
                new Program("Rodinia", "bfs", Rodinia::bfs)));
        for (List<Program> more : List.of(
                RodiniaMore.programs(), RodiniaSearch.programs(), RodiniaSort.programs(), RodiniaRest.programs())) {
            all.addAll(more);
        }
        return all;
    }

    /** A number that looks random, from 0 to below a limit. */
    static int any(int seed, int limit) {
        int mixed = (seed + 0x9e37) * 0x45d9f3b;
        mixed = (mixed ^ mixed >>> 15) * 0x2c1b3c6d;
        return Math.floorMod(mixed ^ mixed >>> 13, limit);
    }

    /**
     * A unit is a group, which computes what lies between the borders of what it reads. The odd size, whose last unit has a
     * part of each row only, is refused so far.
     */
    private static void pathfinder(Run run) {
        int items = 256;
        int height = 4;
        int inner = items - 2 * height;
        int rows = 3 * height + 1;
        int columns = run.pick(496, 1501, 6000);
        run.file(FOLDER + "pathfinder/kernels.cl");
        HostBuffer wall = run.ints("wall", (rows - 1) * columns, i -> any(i, 10));
        HostBuffer from = run.ints("even", columns, i -> any(i, 9));
        HostBuffer to = run.ints("odd", columns, i -> 0);
        HostBuffer marks = run.ints("marks", 16384, i -> 0);
        for (int t = 0; t < rows - 1; t += height) {
            run.kernel("dynproc_kernel")
                    .units((columns + inner - 1) / inner)
                    .jobView()
                    .variant(Variant.itemsPerUnit(items).withGroupSize(items))
                    .scalar(height)
                    .reads(wall, slice(inner).planes(rows - 1).halo(1, 1))
                    .reads(from, slice(inner).halo(1, 1))
                    .writes(to, slice(inner))
                    .scalar(columns, rows, t, height, 1)
                    .local(ElementType.INT, items)
                    .local(ElementType.INT, items)
                    .accumulates(marks, Reduction.ANY)
                    .run();
            HostBuffer last = to;
            to = from;
            from = last;
        }
    }

    /** Blocks along a diagonal: of each row of blocks one, from the last row to the first. */
    private static void nw(Run run) {
        int block = 16;
        int size = run.pick(32, 80, 160);
        int width = size + 1;
        run.source(run.file(FOLDER + "nw/nw.cl").withMacro("BLOCK_SIZE", block));
        HostBuffer reference = run.ints("reference", width * width, i -> any(i, 15) - 4);
        HostBuffer items =
                run.ints("items", width * width, i -> i < width ? -10 * i : i % width == 0 ? -10 * i / width : 0);
        HostBuffer out = run.ints("out", width * width, i -> 0);
        int blocks = size / block;
        for (int diagonal = 1; diagonal < 2 * blocks; diagonal++) {
            int count = diagonal <= blocks ? diagonal : 2 * blocks - diagonal;
            run.kernel(diagonal <= blocks ? "nw_kernel1" : "nw_kernel2")
                    .units((long) count * block)
                    .undivided()
                    .groupSize(block)
                    .reads(reference, whole())
                    .updates(items, whole())
                    .reads(out, whole())
                    .local(ElementType.INT, (block + 1) * (block + 1))
                    .local(ElementType.INT, block * block)
                    .scalar(width, 10, count, blocks, size, 0, 0)
                    .run();
        }
    }

    private static void nn(Run run) {
        int records = run.pick(100, 1003, 20_000);
        run.file(FOLDER + "nn/nearestNeighbor_kernel.cl");
        run.kernel("NearestNeighbor")
                .units(records)
                .groupSize(64)
                .reads(run.floats("locations", 2 * records, i -> any(i, 1800) * 0.1 - 90), slice(2))
                .writes(run.floats("distances", records, i -> 0), slice(1))
                .scalar(records, 30f, 90f)
                .run();
    }

    private static void lud(Run run) {
        int block = 16;
        int size = run.pick(48, 80, 208);
        run.source(run.file(FOLDER + "lud/lud_kernel.cl").withMacro("BLOCK_SIZE", block));
        HostBuffer m = run.floats("m", size * size, i -> any(i, 100) * 0.01 + (i % (size + 1) == 0 ? size : 0));
        for (int at = 0; at < size; at += block) {
            // One group.
            run.kernel("lud_diagonal")
                    .units(block)
                    .undivided()
                    .groupSize(block)
                    .updates(m, whole())
                    .local(ElementType.FLOAT, block * block)
                    .scalar(size, at)
                    .run();
            int others = size - at - block;
            if (others == 0) {
                return;
            }
            // Each group has a block of rows and one of columns.
            run.kernel("lud_perimeter")
                    .units(2L * others)
                    .undivided()
                    .groupSize(2 * block)
                    .updates(m, whole())
                    .local(ElementType.FLOAT, block * block)
                    .local(ElementType.FLOAT, block * block)
                    .local(ElementType.FLOAT, block * block)
                    .scalar(size, at)
                    .run();
            run.kernel("lud_internal")
                    .range(others, others)
                    .groupSize(block, block)
                    .updates(
                            m,
                            slice(size)
                                    .from((long) (at + block) * size)
                                    .alsoReads((long) at * size, (long) block * size))
                    .local(ElementType.FLOAT, block * block)
                    .local(ElementType.FLOAT, block * block)
                    .scalar(size, at)
                    .run();
        }
    }

    private static void kmeans(Run run) {
        int points = run.pick(100, 1003, 6000);
        int features = 7;
        int clusters = 5;
        run.file(FOLDER + "kmeans/kmeans.cl");
        HostBuffer feature = run.floats("feature", points * features, i -> any(i, 1000) * 0.01);
        HostBuffer swapped = run.floats("swapped", points * features, i -> 0);
        HostBuffer centers = run.floats("clusters", clusters * features, i -> any(i + 77, 1000) * 0.01);
        HostBuffer membership = run.ints("membership", points, i -> -1);
        run.kernel("kmeans_swap")
                .units(points)
                .groupSize(256)
                .reads(feature, slice(features))
                .writes(swapped, columns(points))
                .scalar(points, features)
                .run();
        for (int step = 0; step < STEPS; step++) {
            run.kernel("kmeans_kernel_c")
                    .units(points)
                    .groupSize(256)
                    .reads(swapped, columns(points))
                    .reads(centers, whole())
                    .writes(membership, slice(1))
                    .scalar(points, clusters, features, 0, 0)
                    .run();
            centersOf(feature, membership, centers, features);
        }
    }

    private static void centersOf(HostBuffer feature, HostBuffer membership, HostBuffer centers, int features) {
        float[] sums = new float[(int) centers.elements()];
        int[] counts = new int[sums.length];
        for (int i = 0; i < feature.elements(); i++) {
            int at = membership.ints().get(i / features) * features + i % features;
            sums[at] += feature.floats().get(i);
            counts[at]++;
        }
        for (int i = 0; i < sums.length; i++) {
            if (counts[i] > 0) {
                centers.floats().put(i, sums[i] / counts[i]);
            }
        }
    }

    private static void gaussian(Run run) {
        int size = run.pick(17, 301, 500);
        run.file(FOLDER + "gaussian/gaussianElim_kernels.cl");
        HostBuffer m = run.floats("m", size * size, i -> 0);
        HostBuffer a = run.floats("a", size * size, i -> any(i, 100) * 0.01 + (i % (size + 1) == 0 ? size : 0));
        HostBuffer b = run.floats("b", size, i -> 1 + i % 3);
        for (int t = 0; t < STEPS; t++) {
            int rows = size - 1 - t;
            run.kernel("Fan1")
                    .units(rows)
                    .groupSize(256)
                    .updates(m, slice(size).from(size * (t + 1)))
                    .reads(a, slice(size).from(size * (t + 1)).alsoReads(size * t, size))
                    .reads(b, whole())
                    .scalar(size, t)
                    .run();
            run.kernel("Fan2")
                    .range(rows, size - t)
                    .along(0)
                    .reads(m, slice(size).from(size * (t + 1)))
                    .updates(a, slice(size).from(size * (t + 1)).alsoReads(size * t, size))
                    .updates(b, slice(1).from(t + 1).alsoReads(t, 1))
                    .scalar(size, t)
                    .run();
        }
    }

    private static void hotspot3d(Run run) {
        int nx = run.pick(64, 64, 128); // whole groups, as there is no guard
        int ny = run.pick(8, 52, 64);
        int nz = run.pick(3, 5, 8);
        run.file(FOLDER + "hotspot3D/hotspotKernel.cl");
        HostBuffer power = run.floats("power", nx * ny * nz, i -> any(i, 100) * 1e-5);
        HostBuffer from = run.floats("even", nx * ny * nz, i -> 320 + any(i, 100) * 0.1);
        HostBuffer to = run.floats("odd", nx * ny * nz, i -> 0);
        for (int step = 0; step < STEPS; step++) {
            run.kernel("hotspotOpt1")
                    .range(nx, ny)
                    .groupSize(64, 4)
                    .reads(power, slice(nx).planes(nz))
                    .reads(from, slice(nx).planes(nz).halo(1, 1))
                    .writes(to, slice(nx).planes(nz))
                    .scalar(0.34f, nx, ny, nz, 0.03f, 0.03f, 0.03f, 0.03f, 1e-4f, 1e-4f, 0.87f)
                    .run();
            HostBuffer last = to;
            to = from;
            from = last;
        }
    }

    /**
     * Groups of 16 by 16 items compute 12 by 12 elements: a row of items is a unit, which stands for 3/4 of a row. The odd
     * size, whose last unit ends behind the buffer, is not right so far.
     */
    private static void hotspot(Run run) {
        int block = 16;
        int steps = 2;
        int inner = block - 2 * steps;
        int columns = run.pick(40, 100, 240);
        int rows = run.pick(40, 97, 240);
        run.source(run.file(FOLDER + "hotspot/hotspot_kernel.cl").withMacro("BLOCK_SIZE", block));
        HostBuffer power = run.floats("power", rows * columns, i -> any(i, 100) * 1e-5);
        HostBuffer from = run.floats("even", rows * columns, i -> 320 + any(i, 100) * 0.1);
        HostBuffer to = run.floats("odd", rows * columns, i -> 0);
        int perUnit = columns * inner / block;
        for (int step = 0; step < STEPS; step++) {
            run.kernel("hotspot")
                    .range((long) (columns + inner - 1) / inner * block, (rows * block + inner - 1) / inner)
                    .jobView()
                    .groupSize(block, block)
                    .scalar(steps)
                    .reads(power, slice(perUnit).halo(3, 3))
                    .reads(from, slice(perUnit).halo(3, 3))
                    .writes(to, slice(perUnit))
                    .scalar(columns, rows, steps, steps, 0.5f, 10f, 10f, 100f, 0.01f)
                    .run();
            HostBuffer last = to;
            to = from;
            from = last;
        }
    }

    /**
     * Costs are -1 or one number, which all write in a step: the greatest counts, whoever writes it. The large size, with more
     * than 2,048 flags of a byte, fails so far.
     */
    private static void bfs(Run run) {
        int nodes = run.pick(100, 1003, 6000);
        int degree = 3;
        run.file(FOLDER + "bfs/Kernels.cl");
        HostBuffer graph = run.ints("nodes", 2 * nodes, i -> i % 2 == 0 ? i / 2 * degree : degree);
        HostBuffer edges = run.ints("edges", nodes * degree, i -> any(i, nodes));
        HostBuffer mask = run.buffer("mask", ElementType.BYTE, nodes);
        HostBuffer updating = run.buffer("updating", ElementType.BYTE, nodes);
        HostBuffer visited = run.buffer("visited", ElementType.BYTE, nodes);
        HostBuffer cost = run.ints("cost", nodes, i -> i == 0 ? 0 : -1);
        HostBuffer over = run.buffer("over", ElementType.BYTE, 1);
        Run.bytes(mask).put(0, (byte) 1);
        Run.bytes(visited).put(0, (byte) 1);
        do {
            Run.bytes(over).put(0, (byte) 0);
            run.kernel("BFS_1")
                    .units(nodes)
                    .groupSize(256)
                    .reads(graph, slice(2))
                    .reads(edges, whole())
                    .updates(mask, slice(1))
                    .accumulates(updating, Reduction.ANY)
                    .reads(visited, whole())
                    .accumulates(cost, Reduction.MAX)
                    .scalar(nodes)
                    .run();
            run.kernel("BFS_2")
                    .units(nodes)
                    .groupSize(256)
                    .updates(mask, slice(1))
                    .updates(updating, slice(1))
                    .updates(visited, slice(1))
                    .accumulates(over, Reduction.ANY)
                    .scalar(nodes)
                    .run();
        } while (Run.bytes(over).get(0) != 0);
    }
}
