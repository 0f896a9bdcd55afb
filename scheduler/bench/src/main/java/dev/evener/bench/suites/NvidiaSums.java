package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Inputs.group;
import static dev.evener.bench.suites.Inputs.noise;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.util.List;

/** NVIDIA's samples: sums, counts, sorting, systems of equations, hidden states. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class NvidiaSums {
    private static final String SUITE = Nvidia.SUITE;
    private static final String FOLDER = Nvidia.FOLDER;

    private NvidiaSums() {}

    static List<Program> programs() {
        return List.of(
                new Program(SUITE, "oclReduction", NvidiaSums::reduction),
                new Program(SUITE, "oclHistogram64", NvidiaSums::histogram64),
                new Program(SUITE, "oclHistogram256", NvidiaSums::histogram256),
                new Program(SUITE, "oclScan", NvidiaSums::scan),
                new Program(SUITE, "oclSortingNetworks", NvidiaSums::sortingNetworks),
                new Program(SUITE, "oclTridiagonal", NvidiaSums::tridiagonal),
                new Program(SUITE, "oclHiddenMarkovModel", NvidiaSums::viterbi));
    }

    private static void reduction(Run run) {
        int size = 128;
        int n = run.pick(4096, 10_001, 100_000);
        HostBuffer in = run.ints("g_idata", n, i -> Inputs.bits(i, 1000));
        run.source(run.file(FOLDER + "oclReduction/oclReduction_kernel.cl")
                .withMacro("T", "int")
                .withMacro("blockSize", size)
                .withMacro("nIsPow2", Integer.bitCount(n) == 1 ? 1 : 0));
        for (int kind = 0; kind < 4; kind++) { // those that follow want warps of 32 in step
            int each = kind < 3 ? size : 2 * size;
            HostBuffer from = in;
            for (int left = n; left > 1; ) {
                int groups = (left + each - 1) / each;
                HostBuffer to = run.ints("g_odata" + kind + "_" + groups, groups, i -> 0);
                run.kernel("reduce" + kind)
                        .units(groups)
                        .jobView()
                        .variant(group(size))
                        .reads(from, slice(each))
                        .writes(to, slice(1))
                        .scalar(left)
                        .local(ElementType.INT, size)
                        .run();
                from = to;
                left = groups;
            }
        }
    }

    private static void histogram64(Run run) {
        int groups = run.pick(5, 17, 64);
        int n = groups * 64 * 3 + run.pick(0, 7, 33); // of which work-items count at most 255 / 16 each
        run.source(run.file(FOLDER + "oclHistogram/Histogram64.cl")
                .withOptions("-D LOCAL_MEMORY_BANKS=16 -D HISTOGRAM64_WORKGROUP_SIZE=64 -D MERGE_WORKGROUP_SIZE=256"));
        HostBuffer partial = run.ints("d_PartialHistograms", groups * 64, i -> 0);
        HostBuffer data = run.ints("d_Data", 4 * n, i -> Inputs.bits(i, Integer.MAX_VALUE));
        HostBuffer histogram = run.ints("d_Histogram", 64, i -> 0);
        run.kernel("histogram64")
                .units(groups)
                .jobView()
                .variant(group(64))
                .writes(partial, slice(64))
                .reads(data, whole())
                .scalar(n)
                .run();
        merge(run, 64, groups, histogram, partial);
    }

    private static void histogram256(Run run) {
        int groups = run.pick(4, 31, 240);
        int n = run.pick(2048, 20_001, 200_000);
        run.source(run.file(FOLDER + "oclHistogram/Histogram256.cl")
                .withOptions("-D LOG2_WARP_SIZE=5 -D WARP_COUNT=6 -D MERGE_WORKGROUP_SIZE=256"));
        HostBuffer partial = run.ints("d_PartialHistograms", groups * 256, i -> 0);
        HostBuffer data = run.ints("d_Data", n, i -> Inputs.bits(i, Integer.MAX_VALUE));
        HostBuffer histogram = run.ints("d_Histogram", 256, i -> 0);
        run.kernel("histogram256")
                .units(groups)
                .jobView()
                .variant(group(192))
                .writes(partial, slice(256))
                .reads(data, whole())
                .scalar(n)
                .run();
        merge(run, 256, groups, histogram, partial);
    }

    private static void merge(Run run, int bins, int groups, HostBuffer histogram, HostBuffer partial) {
        run.kernel("mergeHistogram" + bins)
                .units(bins)
                .variant(group(256))
                .writes(histogram, slice(1))
                .reads(partial, columns(bins))
                .scalar(groups)
                .run();
    }

    private static void scan(Run run) {
        int group = 256;
        int tile = 4 * group;
        int arrays = run.pick(1, 3, 5);
        int length = run.pick(8, 16, 32) * tile;
        run.source(run.file(FOLDER + "oclScan/Scan.cl").withOptions("-D WORKGROUP_SIZE=256"));
        int n = arrays * length;
        HostBuffer src = run.ints("d_Src", n, i -> Inputs.bits(i, 100));
        HostBuffer dst = run.ints("d_Dst", n, i -> 0);
        HostBuffer tops = run.ints("d_Buffer", n / tile, i -> 0);
        HostBuffer small = run.ints("short", n, i -> 0);
        local1(run, small, src, run.pick(64, 1024, 256));
        local1(run, dst, src, tile);
        run.kernel("scanExclusiveLocal2")
                .units(n / tile)
                .jobView()
                .groupSize(group)
                .writes(tops, slice(1))
                .reads(dst, slice(tile))
                .reads(src, slice(tile))
                .local(ElementType.INT, 2 * group)
                .scalar(n / tile, length / tile)
                .run();
        run.kernel("uniformUpdate")
                .units(n / tile)
                .jobView()
                .variant(group(group))
                .updates(dst, slice(tile))
                .reads(tops, slice(1))
                .run();
    }

    private static void local1(Run run, HostBuffer dst, HostBuffer src, int size) {
        run.kernel("scanExclusiveLocal1")
                .units(src.elements() / 1024)
                .jobView()
                .variant(group(256))
                .writes(dst, slice(1024))
                .reads(src, slice(1024))
                .local(ElementType.INT, 512)
                .scalar(size)
                .run();
    }

    private static void sortingNetworks(Run run) {
        int limit = 512;
        int length = run.pick(1024, 2048, 8192);
        int n = length * run.pick(2, 3, 4);
        run.source(run.file(FOLDER + "oclSortingNetworks/BitonicSort.cl").withOptions("-D LOCAL_SIZE_LIMIT=512"));
        HostBuffer srcKey = uints(run, "d_SrcKey", n, 65_536);
        HostBuffer srcVal = uints(run, "d_SrcVal", n, n);
        HostBuffer key = uints(run, "d_DstKey", n, 1);
        HostBuffer val = uints(run, "d_DstVal", n, 1);
        run.kernel("bitonicSortLocal") // as for arrays of 256
                .units(n / limit)
                .jobView()
                .variant(group(limit / 2))
                .writes(key, slice(limit))
                .writes(val, slice(limit))
                .reads(srcKey, slice(limit))
                .reads(srcVal, slice(limit))
                .scalar(256, 1)
                .run();
        run.kernel("bitonicSortLocal1")
                .units(n / limit)
                .jobView()
                .variant(group(limit / 2))
                .writes(key, slice(limit))
                .writes(val, slice(limit))
                .reads(srcKey, slice(limit))
                .reads(srcVal, slice(limit))
                .run();
        HostBuffer[] from = {key, val};
        HostBuffer[] to = {srcKey, srcVal}; // the host merges in place, for which Evener wants two buffers
        for (int size = 2 * limit; size <= length; size *= 2) {
            for (int stride = size / 2; stride > 0; stride = stride >= limit ? stride / 2 : 0) {
                Declared kernel = stride >= limit
                        ? run.kernel("bitonicMergeGlobal").units(n / 2)
                        : run.kernel("bitonicMergeLocal")
                                .units(n / limit)
                                .jobView()
                                .variant(group(limit / 2));
                Access pairs = stride >= limit ? slice(1).planes(2).blocksOf(stride) : slice(limit);
                kernel.writes(to[0], pairs)
                        .writes(to[1], pairs)
                        .reads(from[0], pairs)
                        .reads(from[1], pairs)
                        .scalar(length, stride >= limit ? size : stride, stride >= limit ? stride : size, 1)
                        .run();
                HostBuffer[] swap = from;
                from = to;
                to = swap;
            }
        }
    }

    private static HostBuffer uints(Run run, String name, int count, int bound) {
        return run.ints(name, count, i -> Inputs.bits(i, bound));
    }

    private static void tridiagonal(Run run) {
        int size = run.pick(32, 64, 128);
        int systems = run.pick(16, 48, 256); // tiles of the transposition must be full
        int n = size * systems;
        HostBuffer a = run.floats("a_d", n, i -> i % size == 0 ? 0 : noise(i));
        HostBuffer b = run.floats("b_d", n, i -> 4 + noise(-i));
        HostBuffer c = run.floats("c_d", n, i -> i % size == size - 1 ? 0 : noise(3 * i));
        HostBuffer d = run.floats("d_d", n, i -> noise(5 * i));
        int steps = Integer.numberOfTrailingZeros(size / 2);
        for (String text : List.of("pcr", "cyclic")) {
            run.source(
                    run.file(FOLDER + "oclTridiagonal/" + text + "_kernels.cl").withOptions("-cl-fast-relaxed-math"));
            for (String kind : List.of("small_systems", "branch_free")) {
                HostBuffer x = run.floats(text + kind, n, i -> 0);
                run.kernel(text + "_" + kind + "_kernel")
                        .units(systems)
                        .jobView()
                        .variant(group(text.equals("pcr") ? size : size / 2))
                        .reads(a, slice(size))
                        .reads(b, slice(size))
                        .reads(c, slice(size))
                        .reads(d, slice(size))
                        .writes(x, slice(size))
                        .local(ElementType.FLOAT, 5 * (size + 1))
                        .scalar(size, systems, steps)
                        .run();
            }
        }
        String options = "-cl-fast-relaxed-math -D BLOCK_DIM=16 -D system_size=" + size;
        run.source(run.file(FOLDER + "oclTridiagonal/sweep_kernels.cl").withOptions(options));
        sweep(run, systems, size, false, a, b, c, d);
        HostBuffer[] turned = new HostBuffer[4];
        HostBuffer[] straight = {a, b, c, d};
        for (int i = 0; i < 4; i++) {
            turned[i] = run.floats("t" + i, n, j -> 0);
            run.kernel("transpose")
                    .range(size, systems)
                    .jobView()
                    .groupSize(16, 16)
                    .writes(turned[i], columns(systems))
                    .reads(straight[i], slice(size))
                    .scalar(size, systems)
                    .local(ElementType.FLOAT, 16 * 17)
                    .run();
        }
        run.source(run.file(FOLDER + "oclTridiagonal/sweep_kernels.cl").withOptions(options + " -D REORDER"));
        sweep(run, systems, size, true, turned);
    }

    private static void sweep(Run run, int systems, int size, boolean turned, HostBuffer... matrix) {
        HostBuffer x = run.floats("x_d" + turned, size * systems, i -> 0);
        HostBuffer y = run.floats("y_d" + turned, size * systems, i -> 0);
        HostBuffer w = run.floats("w_d" + turned, size * systems, i -> 0);
        for (boolean local : List.of(true, false)) {
            Declared kernel = run.kernel("sweep_small_systems_" + (local ? "local" : "global") + "_kernel")
                    .units(systems)
                    .jobView()
                    .groupSize(32);
            for (HostBuffer each : matrix) {
                kernel.reads(each, turned ? columns(systems) : slice(size));
            }
            kernel.writes(local ? x : y, turned ? columns(systems) : slice(size))
                    .scalar(systems);
            if (!local) {
                kernel.updates(w, columns(systems));
            }
            kernel.run();
        }
    }

    /** The maxima of groups want warps of 32 in step: on a CPU they are others than on a GPU, but the same for each split. */
    private static void viterbi(Run run) {
        int states = run.pick(64, 100, 256);
        int steps = 4;
        run.file(FOLDER + "oclHiddenMarkovModel/Viterbi.cl");
        HostBuffer old = run.floats("maxProbOld", states, i -> -noise(i));
        HostBuffer next = run.floats("maxProbNew", states, i -> 0);
        HostBuffer path = run.ints("path", (steps - 1) * states, i -> 0);
        HostBuffer change = run.floats("mtState", states * states, i -> -noise(-i));
        HostBuffer emit = run.floats("mtEmit", states * 8, i -> -noise(7 * i));
        for (int step = 1; step < steps; step++) {
            int seen = 3 * step % 8;
            run.kernel("ViterbiOneStep")
                    .units(states)
                    .jobView()
                    .variant(group(64))
                    .writes(step % 2 == 1 ? next : old, slice(1))
                    .writes(path, slice(1).from((step - 1) * states))
                    .reads(step % 2 == 1 ? old : next, whole())
                    .reads(change, slice(states))
                    .reads(emit, slice(1).from(seen * states))
                    .local(ElementType.FLOAT, 64)
                    .local(ElementType.INT, 64)
                    .scalar(states, seen, step)
                    .run();
        }
        HostBuffer most = run.floats("vProb", 1, i -> 0);
        HostBuffer way = run.ints("vPath", steps, i -> 0);
        run.kernel("ViterbiPath") // one work-item goes back over all
                .units(1)
                .undivided()
                .writes(most, whole())
                .writes(way, whole())
                .reads(next, whole())
                .reads(path, whole())
                .scalar(states, steps)
                .run();
    }
}
