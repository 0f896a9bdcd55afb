package dev.evener.bench.suites;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.util.List;

/**
 * Chai's OpenCL programs for devices with memory of their own, which do all of the work. CEDD is not among them, since it wants
 * a launch with an offset. Two are built without optimisation, as PoCL 3.1 makes something else of them that hangs or writes
 * anywhere.
 */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class Chai {
    private static final String SUITE = "Chai";
    private static final String FOLDER = "chai/OpenCL-D/";

    private Chai() {}

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "HSTO", Chai::hsto),
                new Program(SUITE, "HSTI", Chai::hsti),
                new Program(SUITE, "BS", Chai::bs),
                new Program(SUITE, "SC", Chai::sc),
                new Program(SUITE, "PAD", Chai::pad),
                new Program(SUITE, "TRNS", Chai::trns),
                new Program(SUITE, "RSCD", Chai::rscd),
                new Program(SUITE, "SSSP", Chai::sssp));
    }

    private static void hsto(Run run) {
        int groups = 16;
        int bins = 256;
        int n = run.pick(2000, 7777, 30_000);
        run.file(FOLDER + "HSTO/kernel.cl");
        HostBuffer data = run.ints("data", n, i -> Inputs.bits(i, 4096));
        HostBuffer histogram = run.ints("histo", bins, i -> 0);
        run.kernel("Histogram_kernel")
                .units(groups)
                .jobView()
                .variant(group(256))
                .scalar(n, bins, 0)
                .reads(data, whole())
                .updates(histogram, slice(bins / groups))
                .local(ElementType.INT, bins)
                .run();
    }

    private static void hsti(Run run) {
        int groups = run.pick(4, 11, 16);
        int bins = 256;
        int tasks = run.pick(7, 40, 200);
        run.file(FOLDER + "HSTI/kernel.cl");
        HostBuffer data = run.ints("data", 256 * tasks, i -> Inputs.bits(i, 4096));
        HostBuffer histogram = run.ints("histo", bins, i -> 0);
        run.kernel("Histogram_kernel")
                .units(groups)
                .jobView()
                .variant(group(256))
                .scalar(256 * tasks, bins, tasks, 0f)
                .reads(data, whole())
                .accumulates(histogram, Reduction.SUM)
                .local(ElementType.INT, bins)
                .run();
    }

    /** A group makes a tile of 16 by 16 points; where there are as many groups as tiles, rows of tiles can be cut. */
    private static void bs(Run run) {
        int width = 16 * run.pick(2, 3, 6);
        int height = run.pick(48, 77, 112);
        int in = 3; // one less than there are control points in a row
        int tiles = width / 16 * ((height + 15) / 16);
        run.file(FOLDER + "BS/kernel.cl");
        HostBuffer points = run.doubles("in", 3 * (in + 1) * (in + 1), Inputs::noise);
        HostBuffer surface = run.doubles("outp", 3 * 256 * tiles, i -> 0); // the last tiles may be short
        run.kernel("Bezier_surface")
                .range(16L * tiles, 16)
                .along(0)
                .jobView()
                .granule(width)
                .groupSize(16, 16)
                .scalar(tiles, 0f, in, in, height, width)
                .local(ElementType.DOUBLE, 3L * (in + 1) * (in + 1))
                .reads(points, whole())
                .updates(surface, slice(3 * 16))
                .run();
    }

    /** Groups wait for those before. The host has one buffer as input and output, of which Evener wants two. */
    private static void sc(Run run) {
        int tasks =
                run.pick(2, 5, 8); // a device that runs one group after the other can do no more than there are groups
        int n = 32 * 256 * tasks - run.pick(0, 77, 5);
        run.plain(FOLDER + "SC/kernel.cl");
        HostBuffer in = run.ints("input", 32 * 256 * tasks, i -> Inputs.bits(i, 3));
        HostBuffer out = run.ints("output", 32 * 256 * tasks, i -> 0);
        HostBuffer flags = run.ints("flags", tasks + 2, i -> i == 0 ? 1 : 0);
        run.kernel("StreamCompaction_kernel")
                .units(8 * 256)
                .undivided()
                .groupSize(256)
                .scalar(n, 0)
                .local(ElementType.INT, 256)
                .local(ElementType.INT, 1)
                .scalar(tasks, 0f)
                .updates(out, whole())
                .reads(in, whole())
                .updates(flags, whole())
                .run();
    }

    /** The same. */
    private static void pad(Run run) {
        int width = run.pick(100, 333, 200);
        int height = run.pick(100, 77, 300);
        int more = run.pick(1, 5, 12);
        int tasks = (height * (width + more) + 32 * 256 - 1) / (32 * 256);
        run.file(FOLDER + "PAD/kernel.cl");
        HostBuffer in = run.doubles("matrix", height * (width + more), Inputs::noise);
        HostBuffer out = run.doubles("matrix_out", height * (width + more), i -> 0);
        HostBuffer flags = run.ints("flags", tasks + 2, i -> i == 0 ? 1 : 0);
        run.kernel("Padding_kernel")
                .units(8 * 256)
                .undivided()
                .groupSize(256)
                .scalar(width, height, more, tasks, 0f)
                .updates(out, whole())
                .reads(in, whole())
                .updates(flags, whole())
                .run();
    }

    /** Groups go along cycles of the transposition in place, and take turns through a counter. */
    private static void trns(Run run) {
        int rows = run.pick(8, 13, 40);
        int columns = run.pick(6, 17, 30);
        int each = run.pick(64, 99, 200);
        run.file(FOLDER + "TRNS/kernel.cl");
        HostBuffer data = run.doubles("input", rows * columns * each, Inputs::noise);
        HostBuffer done = run.ints("finished", rows * columns, i -> 0);
        HostBuffer head = run.ints("head", 1, i -> 0);
        run.kernel("PTTWAC_soa_asta")
                .units(16 * 64)
                .undivided()
                .groupSize(64)
                .scalar(rows, columns, each)
                .local(ElementType.INT, 1)
                .local(ElementType.INT, 1)
                .updates(data, whole())
                .updates(done, whole())
                .updates(head, whole())
                .run();
    }

    /** What fits is appended to lists that all groups have in common. */
    private static void rscd(Run run) {
        int vectors = run.pick(300, 777, 3000);
        int rounds = run.pick(20, 45, 100);
        run.plain(FOLDER + "RSCD/kernel.cl");
        HostBuffer model = run.floats("model_param_local", 4 * rounds, i -> 0);
        HostBuffer flow = run.ints("flowvectors", 4 * vectors, i -> Inputs.bits(i, 60));
        HostBuffer random = run.ints("random_numbers", 2 * rounds, i -> Inputs.bits(-i, vectors));
        HostBuffer candidates = run.ints("model_candidate", rounds, i -> 0);
        HostBuffer outliers = run.ints("outliers_candidate", rounds, i -> 0);
        HostBuffer found = run.ints("g_out_id", 1, i -> 0);
        run.kernel("RANSAC_kernel_block")
                .units(8 * 256)
                .undivided()
                .groupSize(256)
                .scalar(vectors, rounds, 30, 0.75f, rounds, 0f)
                .updates(model, whole())
                .reads(flow, whole())
                .reads(random, whole())
                .updates(candidates, whole())
                .updates(outliers, whole())
                .updates(found, whole())
                .local(ElementType.INT, 1)
                .run();
    }

    /** Work-items take nodes from a queue, and put others into one. */
    private static void sssp(Run run) {
        int n = run.pick(200, 999, 3000);
        run.file(FOLDER + "SSSP/kernel.cl");
        HostBuffer nodes = run.ints("graph_nodes_av", 2 * n, i -> i % 2 == 0 ? 3 * (i / 2) : 3);
        HostBuffer edges = run.ints("graph_edges_av", 6 * n, i -> i % 2 == 0 ? (i / 6 + 1 + Inputs.bits(i, 9)) % n : 1);
        HostBuffer cost = run.ints("cost", n, i -> i == 0 ? 0 : -Integer.MAX_VALUE);
        HostBuffer color = run.ints("color", n, i -> 16677217);
        HostBuffer[] queues = {run.ints("q1", n, i -> 0), run.ints("q2", n, i -> 0)};
        HostBuffer[] one = new HostBuffer[8];
        String[] names = {"n_t", "head", "tail", "threads_end", "threads_run", "overflow", "gray_shade", "iter"};
        for (int i = 0; i < names.length; i++) {
            one[i] = run.ints(names[i], 1, j -> 0);
        }
        for (int level = 0, length = 1; length > 0 && level < 6; level++) {
            Run.bytes(one[0]).putInt(0, length);
            Run.bytes(one[1]).putInt(0, 0);
            Run.bytes(one[2]).putInt(0, 0);
            Run.bytes(one[6]).putInt(0, 16677219 + level % 2);
            Declared kernel = run.kernel("SSSP_gpu")
                    .units(8 * 256)
                    .undivided()
                    .groupSize(256)
                    .reads(nodes, whole())
                    .reads(edges, whole())
                    .updates(cost, whole())
                    .updates(color, whole())
                    .reads(queues[level % 2], whole())
                    .updates(queues[1 - level % 2], whole());
            for (HostBuffer each : one) {
                kernel.updates(each, whole());
            }
            kernel.local(ElementType.INT, 1)
                    .local(ElementType.INT, 1600)
                    .local(ElementType.INT, 1)
                    .local(ElementType.INT, 1)
                    .scalar(0, 0)
                    .run();
            length = Run.bytes(one[2]).getInt(0);
        }
    }
}
