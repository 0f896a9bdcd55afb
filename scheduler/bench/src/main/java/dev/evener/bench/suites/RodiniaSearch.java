package dev.evener.bench.suites;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Rodinia.FOLDER;
import static dev.evener.bench.suites.Rodinia.any;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Variant;
import java.util.ArrayList;
import java.util.List;

/** Rodinia's OpenCL programs that look something up: a tree of keys, and particles. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class RodiniaSearch {
    private static final String PARTICLES = FOLDER + "particlefilter/";

    private RodiniaSearch() {}

    static List<Program> programs() {
        return List.of(
                new Program("Rodinia", "b+tree", RodiniaSearch::tree),
                new Program("Rodinia", "particlefilter-naive", RodiniaSearch::naiveParticles),
                new Program("Rodinia", "particlefilter-single", run -> particles(run, ElementType.FLOAT)),
                new Program("Rodinia", "particlefilter-double", run -> particles(run, ElementType.DOUBLE)));
    }

    private static void tree(Run run) {
        int order = 16;
        int queries = run.pick(10, 101, 1000);
        int ints = 2 * (order + 1) + 3; // of a node: location, children or records, keys, whether it is a leaf, count
        int fan = 8;
        int nodes = 1 + fan + fan * fan;
        HostBuffer node = run.ints("nodes", nodes * ints, i -> 0);
        // Nodes lie level by level; leaves have 12 even numbers each as keys.
        for (int i = 0, level = 0, first = 0, count = 1; i < nodes; i++) {
            if (i == first + count) {
                first += count;
                count *= fan;
                level++;
            }
            int used = level < 2 ? fan : 12;
            int apart = level == 0 ? fan * 24 : level == 1 ? 24 : 2;
            for (int k = 0; k <= order; k++) {
                int child = level < 2 ? first + count + (i - first) * fan + k : (i - first) * 12 + k;
                node.ints().put(i * ints + 1 + k, k < used ? child : 0);
                int key = ((i - first) * used + k) * apart;
                node.ints().put(i * ints + 2 + order + k, k < used ? key : Integer.MAX_VALUE);
            }
        }
        HostBuffer records = run.ints("records", fan * fan * 12, i -> 10 * i + 1);
        HostBuffer keys = run.ints("keys", queries, i -> any(i, fan * fan * 24));
        run.source(run.file(FOLDER + "b+tree/kernel/kernel_gpu_opencl.cl").withMacro("DEFAULT_ORDER", order));
        run.kernel("findK")
                .units(queries)
                .jobView()
                .variant(Variant.itemsPerUnit(order).withGroupSize(order))
                .scalar(2L)
                .reads(node, whole())
                .scalar((long) nodes)
                .reads(records, whole())
                .updates(run.buffer("current", ElementType.LONG, queries), slice(1))
                .updates(run.buffer("offset", ElementType.LONG, queries), slice(1))
                .reads(keys, slice(1))
                .updates(run.ints("answers", queries, i -> -1), slice(1))
                .run();
        run.source(run.file(FOLDER + "b+tree/kernel/kernel_gpu_opencl_2.cl").withMacro("DEFAULT_ORDER_2", order));
        run.kernel("findRangeK")
                .units(queries)
                .jobView()
                .variant(Variant.itemsPerUnit(order).withGroupSize(order))
                .scalar(2L)
                .reads(node, whole())
                .scalar((long) nodes)
                .updates(run.buffer("current2", ElementType.LONG, queries), slice(1))
                .updates(run.buffer("offset2", ElementType.LONG, queries), slice(1))
                .updates(run.buffer("last", ElementType.LONG, queries), slice(1))
                .updates(run.buffer("lastOffset", ElementType.LONG, queries), slice(1))
                .reads(keys, slice(1))
                .reads(run.ints("ends", queries, i -> any(i, fan * fan * 24) + 100), slice(1))
                .updates(run.ints("starts", queries, i -> 0), slice(1))
                .updates(run.ints("lengths", queries, i -> 0), slice(1))
                .run();
    }

    private static void naiveParticles(Run run) {
        int particles = run.pick(100, 1003, 3000);
        run.file(PARTICLES + "particle_naive.cl");
        run.kernel("particle_kernel")
                .units(particles)
                .groupSize(128)
                .reads(run.doubles("X", particles, i -> any(i, 100)), whole())
                .reads(run.doubles("Y", particles, i -> any(i + 1, 100)), whole())
                .reads(run.doubles("CDF", particles, i -> (i + 1.0) / particles), whole())
                .reads(run.doubles("u", particles, i -> any(i, 1000) * 0.001), slice(1))
                .writes(run.doubles("xj", particles, i -> 0), slice(1))
                .writes(run.doubles("yj", particles, i -> 0), slice(1))
                .scalar(particles)
                .run();
    }

    /** The whole filter; its text tells a kernel of images which no kernel uses. */
    private static void particles(Run run, ElementType real) {
        int particles = run.pick(100, 1003, 3000);
        int edge = 32;
        int frames = 3;
        int items = 128;
        int groups = (particles + items - 1) / items;
        String name = real == ElementType.FLOAT ? "particle_single.cl" : "particle_double.cl";
        run.source(run.file(PARTICLES + name).withOptions("-cl-fast-relaxed-math"));
        List<Integer> disk = new ArrayList<>(); // places of it by their distance from its centre
        for (int y = -4; y <= 4; y++) {
            for (int x = -4; x <= 4; x++) {
                if (x * x + y * y < 25) {
                    disk.add(y);
                    disk.add(x);
                }
            }
        }
        int ones = disk.size() / 2;
        HostBuffer pixels = run.buffer("I", ElementType.UBYTE, (long) edge * edge * frames);
        for (int i = 0; i < pixels.elements(); i++) {
            Run.bytes(pixels).put(i, (byte) (220 + any(i, 16)));
        }
        HostBuffer x = run.buffer("x", real, particles);
        HostBuffer y = run.buffer("y", real, particles);
        HostBuffer xj = run.buffer("xj", real, particles);
        HostBuffer yj = run.buffer("yj", real, particles);
        for (int i = 0; i < particles; i++) {
            for (HostBuffer each : List.of(xj, yj)) {
                if (real == ElementType.FLOAT) {
                    each.floats().put(i, edge / 2);
                } else {
                    each.doubles().put(i, edge / 2);
                }
            }
        }
        HostBuffer cdf = run.buffer("CDF", real, particles);
        HostBuffer u = run.buffer("u", real, particles);
        HostBuffer weights = run.buffer("weights", real, particles);
        HostBuffer likelihood = run.buffer("likelihood", real, particles);
        HostBuffer sums = run.buffer("sums", real, groups);
        HostBuffer places = run.ints("ind", ones * particles, i -> 0);
        HostBuffer shape = run.ints("objxy", 2 * ones, disk::get);
        HostBuffer seed = run.ints("seed", particles, i -> any(i, 1 << 30));
        for (int k = 1; k < frames; k++) {
            run.kernel("likelihood_kernel")
                    .units(groups)
                    .jobView()
                    .variant(Variant.itemsPerUnit(items).withGroupSize(items))
                    .writes(x, slice(items))
                    .writes(y, slice(items))
                    .reads(xj, slice(items))
                    .reads(yj, slice(items))
                    .reads(cdf, whole())
                    .writes(places, slice((long) items * ones))
                    .reads(shape, whole())
                    .writes(likelihood, slice(items))
                    .reads(pixels, whole())
                    .reads(u, whole())
                    .writes(weights, slice(items))
                    .scalar(particles, ones, edge * edge * frames, k, edge, frames)
                    .updates(seed, slice(items))
                    .writes(sums, slice(1))
                    .local(real, items)
                    .run();
            // One work-item adds what all groups have left.
            run.kernel("sum_kernel")
                    .units(particles)
                    .undivided()
                    .groupSize(items)
                    .updates(sums, whole())
                    .scalar(particles)
                    .run();
            // All groups wait for what the first work-item writes, though nothing but their order has them do so.
            run.kernel("normalize_weights_kernel")
                    .units(particles)
                    .undivided()
                    .groupSize(items)
                    .updates(weights, whole())
                    .scalar(particles)
                    .reads(sums, whole())
                    .updates(cdf, whole())
                    .updates(u, whole())
                    .updates(seed, whole())
                    .run();
            run.kernel("find_index_kernel")
                    .units(particles)
                    .groupSize(items)
                    .reads(x, whole())
                    .reads(y, whole())
                    .reads(cdf, whole())
                    .reads(u, slice(1))
                    .writes(xj, slice(1))
                    .writes(yj, slice(1))
                    .reads(weights, slice(1))
                    .scalar(particles)
                    .run();
        }
    }
}
