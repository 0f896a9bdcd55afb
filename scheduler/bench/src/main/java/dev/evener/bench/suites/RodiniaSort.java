package dev.evener.bench.suites;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static dev.evener.bench.suites.Rodinia.any;

import dev.evener.Access.Reduction;
import dev.evener.HostBuffer;
import dev.evener.Variant;
import java.nio.IntBuffer;
import java.util.List;

/** Rodinia's hybridsort. */
@SuppressWarnings("NarrowCalculation") // sizes are small
final class RodiniaSort {
    private static final String FOLDER = Rodinia.FOLDER + "hybridsort/";
    private static final int DIVISIONS = 1024;
    private static final int COLUMNS = 6144; // work-items of the histogram

    private RodiniaSort() {}

    static List<Program> programs() {
        return List.of(new Program("Rodinia", "hybridsort", RodiniaSort::sort));
    }

    /** Into buckets, whose numbers are rounded up to four, and then each bucket by merging, with four in a vector. */
    private static void sort(Run run) {
        int size = run.pick(3000, 10_003, 40_000);
        int room = Inputs.roundUp(size + 4 * DIVISIONS, COLUMNS); // whole rows for the histogram
        HostBuffer input = run.floats("input", room, i -> i < size ? 0.001 + any(i, 100_000) * 9e-6 : 0);
        HostBuffer bucketed = run.floats("bucketed", room, i -> 0);
        HostBuffer offsets = run.ints("offsets", DIVISIONS, i -> 0);
        histogram(run, input, size);
        IntBuffer counts = buckets(run, input, bucketed, offsets, size);
        HostBuffer starts = run.ints("starts", DIVISIONS + 1, i -> 0); // counted in vectors
        HostBuffer missing = run.ints("missing", DIVISIONS, i -> Math.floorMod(-counts.get(i), 4));
        HostBuffer ends = run.ints("ends", DIVISIONS + 1, i -> 0);
        int largest = 0;
        for (int i = 0; i < DIVISIONS; i++) {
            int vectors = (counts.get(i) + 3) / 4;
            starts.ints().put(i + 1, starts.ints().get(i) + vectors);
            ends.ints().put(i + 1, ends.ints().get(i) + counts.get(i));
            largest = Math.max(largest, vectors);
        }
        merge(run, bucketed, starts, missing, ends, largest);
    }

    /** Groups go through all of the input, each with the size of the launch as its step. */
    private static void histogram(Run run, HostBuffer input, int size) {
        run.file(FOLDER + "histogram1024.cl");
        run.kernel("histogram1024Kernel")
                .units(COLUMNS)
                .jobView()
                .groupSize(96)
                .accumulates(run.ints("histogram", DIVISIONS, i -> 0), Reduction.SUM)
                .reads(input, columns(COLUMNS))
                .scalar(0f, 1f, size)
                .run();
    }

    /** Returns how many elements there are in each bucket. */
    private static IntBuffer buckets(Run run, HostBuffer input, HostBuffer output, HostBuffer offsets, int size) {
        int items = 32;
        int groups = (size - 1) / (items * 128) + 1;
        int whole = Inputs.roundUp(size, groups * items); // rows of all work-items
        HostBuffer indices = run.ints("indices", whole, i -> 0);
        HostBuffer prefixes = run.ints("prefixes", groups * DIVISIONS, i -> 0);
        run.file(FOLDER + "bucketsort_kernels.cl");
        run.kernel("bucketcount")
                .units(groups)
                .jobView()
                .variant(Variant.itemsPerUnit(items).withGroupSize(items))
                .reads(input.range(0, whole), columns((long) groups * items).perUnit(items))
                .updates(indices, columns((long) groups * items).perUnit(items))
                .writes(prefixes, slice(DIVISIONS))
                .scalar(size)
                .reads(run.floats("pivots", DIVISIONS, i -> (i + 1.0) / DIVISIONS), whole())
                .run();
        run.kernel("bucketprefixoffset")
                .units(DIVISIONS)
                .jobView()
                .groupSize(128)
                .updates(prefixes, columns(DIVISIONS))
                .writes(offsets, slice(1))
                .scalar(groups)
                .run();
        IntBuffer counts = IntBuffer.allocate(DIVISIONS);
        int all = 0;
        for (int i = 0; i < DIVISIONS; i++) {
            counts.put(i, offsets.ints().get(i));
            offsets.ints().put(i, all);
            all += (counts.get(i) + 3) / 4 * 4;
        }
        // Writes where the elements belong.
        run.kernel("bucketsort")
                .units((long) groups * items)
                .undivided()
                .groupSize(items)
                .reads(input, whole())
                .reads(indices, whole())
                .updates(output, whole())
                .scalar(size)
                .reads(prefixes, whole())
                .reads(offsets, whole())
                .run();
        return counts;
    }

    private static void merge(
            Run run, HostBuffer list, HostBuffer starts, HostBuffer missing, HostBuffer ends, int largest) {
        HostBuffer from = list;
        HostBuffer to = run.floats("merged", (int) list.elements(), i -> 0);
        int size = 4 * starts.ints().get(DIVISIONS);
        run.file(FOLDER + "mergesort.cl");
        run.kernel("mergeSortFirst")
                .units(size / 4)
                .jobView()
                .groupSize(256)
                .reads(from, slice(4))
                .writes(to, slice(4))
                .scalar(size)
                .run();
        int perDivision = 0;
        for (int vectors = 2; perDivision != 1; vectors *= 2) {
            HostBuffer last = to;
            to = from;
            from = last;
            perDivision = Math.max(1, (largest + vectors - 1) / vectors);
            // Which elements an item merges stands in a table.
            run.kernel("mergeSortPass")
                    .units((long) perDivision * DIVISIONS)
                    .undivided()
                    .groupSize(perDivision < 2 ? 128 : 208)
                    .reads(from, whole())
                    .updates(to, whole())
                    .scalar(vectors, perDivision)
                    .reads(starts, whole())
                    .run();
        }
        // The same goes for where it moves them.
        run.kernel("mergepack")
                .range(4L * largest, DIVISIONS)
                .undivided()
                .groupSize(256, 1)
                .reads(to, whole())
                .updates(from, whole())
                .reads(starts, whole())
                .reads(missing, whole())
                .reads(ends, whole())
                .run();
    }
}
