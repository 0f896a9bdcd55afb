package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;

/**
 * {@link JobConformance} and what every set of lanes must do with halos, two-dimensional ranges, floating-point
 * reductions and appended results, whatever the split. The tests compare with plain loops over all units, at edge sizes and at every cut of a small job.
 */
abstract class AccessConformance extends JobConformance {

    private static final KernelSource KERNELS = KernelSource.of("accesses", """
            __kernel void stencil(ulong start, __global const int *in, __global int *out, ulong first, ulong rows) {
                size_t r = get_global_id(0);
                for (int c = 0; c < 5; c++) {
                    int sum = 0;
                    for (int d = -2; d <= 1; d++) {
                        long row = (long) (first + r) + d;
                        if (row >= 0 && row < (long) rows)
                            sum += (d + 3) * in[(long) start + ((long) r + d) * 5 + c];
                    }
                    out[r * 5 + c] = sum;
                }
            }
            __kernel void difference(__global const uchar *in, __global int *out, ulong start, ulong first) {
                size_t i = get_global_id(0);
                __global const uchar *at = in + start + i * 3;
                int before = 0;
                for (int b = first + i == 0 ? 0 : -3; b < 0; b++) before += at[b];
                out[i] = at[0] + 10 * at[1] + 100 * at[2] - before;
            }
            __kernel void cells(__global ulong *out, ulong first) {
                size_t x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
                out[y * w + x] = (first + y) * 1000003 + x * 7 + get_work_dim();
            }
            __kernel void guarded(__global uchar *out, uint width, ulong first, __global uint *count) {
                size_t x = get_global_id(0), y = get_global_id(1);
                if (x < width) {
                    out[y * width + x] = (uchar) ((first + y) * 31 + x * x);
                    atomic_inc(count);
                }
            }
            __kernel void multiples(__global const int *in, __global int *slots, __global uint *counts, int of) {
                size_t u = get_global_id(0);
                uint n = 0;
                for (int k = 0; k < 16; k++)
                    if (in[u * 16 + k] % of == 0) slots[u * 16 + n++] = in[u * 16 + k];
                counts[u] = n;
            }
            __kernel void repeat(ulong first, __global uchar *slots, __global uint *counts) {
                size_t u = get_global_id(0);
                uint n = (first + u) % 4;
                for (uint k = 0; k < n; k++) slots[u * 3 + k] = (uchar) ((first + u) * 5 + k);
                counts[u] = n;
            }
            __kernel void lookup(__global const int *table, __global const uint *length, __global int *out,
                                 ulong first) {
                size_t i = get_global_id(0);
                out[i] = length[0] == 0 ? -1 : table[(first + i) % length[0]];
            }
            __kernel void tiles(__global int *out, ulong first) {
                out[get_global_id(0)] = (int) (first % 12);
            }
            #pragma OPENCL FP_CONTRACT OFF
            __kernel void sums(__global const float *in, __global float *out, __global float *least,
                               __global float *most, uint units) {
                size_t u = get_global_id(0);
                if (u >= units) return;
                float sum = 0, odd = 0, min = INFINITY, max = -INFINITY;
                for (int k = 0; k < 7; k++) {
                    float v = in[u * 7 + k];
                    sum += v;
                    if (k & 1) odd += v;
                    min = v < min ? v : min;
                    max = v > max ? v : max;
                }
                out[u * 2] = sum;
                out[u * 2 + 1] = odd;
                least[u] = min;
                most[u] = max;
            }
            """);

    private static final String COPIES = """
            __kernel void copies(__global const T *in, __global T *sum, __global T *least, __global T *most) {
                size_t u = get_global_id(0);
                sum[u] = least[u] = most[u] = in[u];
            }
            """;
    private static final KernelSource FLOAT_COPIES = KernelSource.of("copies", "#define T float\n" + COPIES);
    private static final KernelSource DOUBLE_COPIES = KernelSource.of("copies", "#define T double\n" + COPIES);

    /** Whether all of these lanes know doubles. */
    boolean hasDoubles() {
        return true;
    }

    // ---- halos ----

    @Test
    void halosReachOverCuts() {
        for (int rows : List.of(0, 1, 2, 3, 31, 32, 33, 1000, 40_001)) {
            for (Policy policy : policies()) {
                checkStencil(rows, 2, 1, policy);
            }
        }
        for (Policy policy : everyCut(24)) {
            checkStencil(770, 2, 1, policy);
        }
    }

    /** In the next phase a chunk's surroundings are what other lanes wrote. */
    @Test
    void halosSeeWhatThePhaseBeforeWrote() {
        int rows = 3000;
        int columns = 5;
        int steps = 5;
        for (Policy policy : policies()) {
            try (HostBuffer a = evener.allocate(ElementType.INT, (long) rows * columns);
                    HostBuffer b = evener.allocate(ElementType.INT, (long) rows * columns)) {
                int[] expected = new int[rows * columns];
                for (int i = 0; i < expected.length; i++) {
                    expected[i] = i * 31 % 1009;
                }
                a.ints().put(0, expected);
                JobBuilder job = Job.named("steps").source(KERNELS).units(rows).policy(policy);
                for (int step = 0; step < steps; step++) {
                    HostBuffer in = step % 2 == 0 ? a : b;
                    stencil(job, in, step % 2 == 0 ? b : a, rows, 2, 1);
                    expected = stencil(expected, rows);
                }
                for (int run = 0; run < 2; run++) { // again, from what the application writes in between
                    Report report = evener.submit(job.build()).join();
                    int[] actual = new int[rows * columns];
                    b.ints().get(actual);
                    assertArrayEquals(expected, actual, report::summary);
                    for (int i = 0; i < expected.length; i++) {
                        a.ints().put(i, i * 31 % 1009);
                    }
                }
            }
        }
    }

    @Test
    void halosEndWhereTheBufferDoes() {
        for (Policy policy : policies()) {
            checkStencil(100, 100, 100, policy);
            checkStencil(101, Long.MAX_VALUE, Long.MAX_VALUE, policy);
        }
    }

    private static int[] stencil(int[] in, int rows) {
        int[] out = new int[in.length];
        for (int i = 0; i < out.length; i++) {
            for (int d = -2; d <= 1; d++) {
                int row = i / 5 + d;
                out[i] += row >= 0 && row < rows ? (d + 3) * in[i + d * 5] : 0;
            }
        }
        return out;
    }

    private static void stencil(JobBuilder job, HostBuffer in, HostBuffer out, int rows, long before, long after) {
        int columns = 5;
        job.kernel("stencil")
                .viewStart(in)
                .reads(in, Access.slice(columns).halo(before, after))
                .writes(out, Access.slice(columns))
                .chunkStart()
                .scalar((long) rows)
                .jvm(chunk -> {
                    IntBuffer view = ints(chunk.buffer(1));
                    IntBuffer outs = ints(chunk.buffer(2));
                    int start = chunk.viewStart(1);
                    for (int i = 0; i < chunk.units() * columns; i++) {
                        int sum = 0;
                        for (int d = -2; d <= 1; d++) {
                            long row = chunk.firstUnit() + i / columns + d;
                            sum += row >= 0 && row < rows ? (d + 3) * view.get(start + i + d * columns) : 0;
                        }
                        outs.put(i, sum);
                    }
                });
    }

    private Report checkStencil(int rows, long before, long after, Policy policy) {
        int columns = 5;
        // The buffer goes on behind the job; what stands there must never count.
        try (HostBuffer in = evener.allocate(ElementType.INT, (rows + 3L) * columns);
                HostBuffer out = evener.allocate(ElementType.INT, (long) rows * columns)) {
            IntBuffer values = in.ints();
            for (int i = 0; i < (rows + 3) * columns; i++) {
                values.put(i, i * 31 % 1009);
            }
            int[] content = new int[rows * columns];
            values.get(0, content);
            int[] expected = stencil(content, rows);
            JobBuilder job = Job.named("stencil").source(KERNELS).units(rows).policy(policy);
            stencil(job, in, out, rows, before, after);
            Report report = evener.submit(job.build()).join();
            int[] actual = new int[rows * columns];
            out.ints().get(actual);
            assertArrayEquals(expected, actual, report::summary);
            return report;
        }
    }

    @Test
    void halosSendWhatIsSeenAndNoMore() {
        int rows = 10_000;
        Report report = checkStencil(rows, 2, 1, Policies.fixed());
        if (copies()) {
            int inner = evener.devices().size() - 1; // cuts, over each of which three rows are sent twice
            long sent = report.devices().stream()
                    .mapToLong(Report.DeviceUse::bytesIn)
                    .sum();
            // The buffer has the row behind the job's last one that may be seen there.
            long more = sent - (rows + 1 + 3L * inner) * 5 * Integer.BYTES;
            if (inPieces()) { // each sees its own halo, and is many times as large
                assertTrue(more > 0 && more % (3 * 5 * Integer.BYTES) == 0 && more < sent / 8, report.toString());
            } else {
                assertEquals(0, more, report.toString());
            }
        }
    }

    /** Parts of three bytes begin where no sub-buffer may. */
    @Test
    void halosBeginAnywhere() {
        int n = 12_345;
        for (Policy policy : everyCut(8)) {
            try (HostBuffer in = evener.allocate(ElementType.UBYTE, 3L * n);
                    HostBuffer out = evener.allocate(ElementType.INT, n)) {
                byte[] bytes = new byte[3 * n];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) (i * 7 ^ i >> 5);
                }
                in.bytes().put(bytes);
                int[] expected = new int[n];
                for (int i = 0; i < n; i++) {
                    expected[i] = difference(ByteBuffer.wrap(bytes), 3 * i, i > 0);
                }
                Job job = Job.named("difference")
                        .source(KERNELS)
                        .units(n)
                        .policy(policy)
                        .kernel("difference")
                        .reads(in, Access.slice().halo(1, 0))
                        .writes(out, Access.slice())
                        .viewStart(in)
                        .chunkStart()
                        .jvm(chunk -> {
                            for (int i = 0; i < chunk.units(); i++) {
                                int at = chunk.viewStart(0) + 3 * i;
                                ints(chunk.buffer(1))
                                        .put(i, difference(chunk.buffer(0), at, chunk.firstUnit() + i > 0));
                            }
                        })
                        .build();
                evener.submit(job).join();
                int[] actual = new int[n];
                out.ints().get(actual);
                assertArrayEquals(expected, actual);
            }
        }
    }

    private static int difference(ByteBuffer bytes, int at, boolean hasBefore) {
        int value = (bytes.get(at) & 255) + 10 * (bytes.get(at + 1) & 255) + 100 * (bytes.get(at + 2) & 255);
        for (int b = hasBefore ? -3 : 0; b < 0; b++) {
            value -= bytes.get(at + b) & 255;
        }
        return value;
    }

    // ---- two dimensions ----

    @Test
    void rowsAreCutAndColumnsAreNot() {
        for (int rows : List.of(0, 1, 2, 17, 500)) {
            for (int columns : List.of(1, 3, 64, 101)) {
                for (Policy policy : policies()) {
                    checkCells(columns, rows, policy);
                }
            }
        }
        for (Policy policy : everyCut(24)) {
            checkCells(13, 24 * 16, policy); // 16 rows of 13 ulongs are a granule where cuts are multiples of 128 bytes
        }
    }

    private void checkCells(int columns, int rows, Policy policy) {
        try (HostBuffer out = evener.allocate(ElementType.ULONG, (long) rows * columns)) {
            Job job = Job.named("cells")
                    .source(KERNELS)
                    .range(columns, rows)
                    .policy(policy)
                    .kernel("cells")
                    .writes(out, Access.slice(columns))
                    .chunkStart()
                    .jvm(chunk -> {
                        for (int i = 0; i < chunk.units() * columns; i++) {
                            long row = chunk.firstUnit() + i / columns;
                            chunk.buffer(0).putLong(8 * i, row * 1000003 + i % columns * 7L + 2);
                        }
                    })
                    .build();
            Report report = evener.submit(job).join();
            for (int i = 0; i < rows * columns; i++) {
                int at = i;
                assertEquals(
                        (long) (i / columns) * 1000003 + (long) (i % columns) * 7 + 2,
                        out.bytes().getLong(8 * i),
                        () -> "cell " + at + " of " + rows + " rows of " + columns + ": " + report.summary());
            }
        }
    }

    /** A group size rounds the columns up; reductions go with rows as with units. */
    @Test
    void groupsLieWithinARow() {
        int columns = 37;
        Variant groups = Variant.plain().withGroupSize(16);
        for (int rows : List.of(1, 5, 640)) {
            for (Policy policy : policies()) {
                try (HostBuffer out = evener.allocate(ElementType.UBYTE, (long) rows * columns);
                        HostBuffer count = evener.allocate(ElementType.UINT, 1)) {
                    Job job = Job.named("guarded")
                            .source(KERNELS)
                            .range(columns, rows)
                            .policy(policy)
                            .kernel("guarded")
                            .writes(out, Access.slice(columns))
                            .scalar(columns)
                            .chunkStart()
                            .reduces(count, Reduction.SUM)
                            .variant(DeviceKind.CPU, groups)
                            .variant(DeviceKind.GPU, groups)
                            .jvm(chunk -> {
                                for (int i = 0; i < chunk.units() * columns; i++) {
                                    long row = chunk.firstUnit() + i / columns;
                                    int column = i % columns;
                                    chunk.buffer(0).put(i, (byte) (row * 31 + (long) column * column));
                                }
                                chunk.buffer(3).putInt(0, chunk.units() * columns);
                            })
                            .build();
                    evener.submit(job).join();
                    byte[] expected = new byte[rows * columns];
                    for (int i = 0; i < expected.length; i++) {
                        expected[i] = (byte) (i / columns * 31 + i % columns * (i % columns));
                    }
                    byte[] actual = new byte[rows * columns];
                    out.bytes().get(actual);
                    assertArrayEquals(expected, actual);
                    assertEquals(rows * columns, count.ints().get(0));
                }
            }
        }
    }

    // ---- floating-point reductions ----

    @Test
    void floatsAreCombinedInOneOrder() {
        for (int units : List.of(0, 1, 2, 3, 63, 64, 65, 1000, 4096, 20_011)) {
            for (Policy policy : policies()) {
                checkSums(units, policy);
            }
        }
        for (Policy policy : everyCut(24)) {
            checkSums(777, policy);
        }
    }

    private void checkSums(int units, Policy policy) {
        int perUnit = 7;
        try (HostBuffer in = evener.allocate(ElementType.FLOAT, (long) units * perUnit);
                HostBuffer out = evener.allocate(ElementType.FLOAT, 2);
                HostBuffer least = evener.allocate(ElementType.FLOAT, 1);
                HostBuffer most = evener.allocate(ElementType.FLOAT, 1)) {
            FloatBuffer values = in.floats();
            float[][] sums = new float[units][];
            float[][] least1 = new float[units][];
            float[][] most1 = new float[units][];
            for (int u = 0; u < units; u++) {
                for (int k = 0; k < perUnit; k++) { // of many magnitudes, so that every other order gives other bits
                    int i = u * perUnit + k;
                    values.put(i, (i * 7919 % 1013 - 500) * (float) Math.pow(10, i % 11 - 5));
                }
                sums[u] = new float[2];
                least1[u] = new float[1];
                most1[u] = new float[1];
                unit(values, u * perUnit, sums[u], least1[u], most1[u]);
            }
            out.floats().put(1, 77); // former content is replaced
            Job job = Job.named("sums")
                    .source(KERNELS)
                    .units(units)
                    .policy(policy)
                    .kernel("sums")
                    .reads(in, Access.slice(perUnit))
                    .reduces(out, Reduction.SUM)
                    .reduces(least, Reduction.MIN)
                    .reduces(most, Reduction.MAX)
                    .chunkUnits()
                    .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(16))
                    .jvm(chunk -> {
                        FloatBuffer ins = chunk.buffer(0).asFloatBuffer();
                        float[] sum = new float[2];
                        float[] one = new float[1];
                        float[] other = new float[1];
                        for (int u = 0; u < chunk.units(); u++) {
                            unit(ins, u * perUnit, sum, one, other);
                            chunk.buffer(1).asFloatBuffer().put(2 * u, sum);
                            chunk.buffer(2).asFloatBuffer().put(u, one);
                            chunk.buffer(3).asFloatBuffer().put(u, other);
                        }
                    })
                    .build();
            for (int run = 0; run < 2; run++) { // the second one meets what the first one left
                Report report = evener.submit(job).join();
                for (int e = 0; e < 2; e++) {
                    assertBits(
                            fold(column(sums, e), Float::sum, 0f), out.floats().get(e), report);
                }
                assertBits(
                        fold(column(least1, 0), Math::min, Float.POSITIVE_INFINITY),
                        least.floats().get(0),
                        report);
                assertBits(
                        fold(column(most1, 0), Math::max, Float.NEGATIVE_INFINITY),
                        most.floats().get(0),
                        report);
            }
        }
    }

    private static void unit(FloatBuffer in, int at, float[] sums, float[] least, float[] most) {
        sums[0] = 0;
        sums[1] = 0;
        least[0] = Float.POSITIVE_INFINITY;
        most[0] = Float.NEGATIVE_INFINITY;
        for (int k = 0; k < 7; k++) {
            float v = in.get(at + k);
            sums[0] += v;
            sums[1] += k % 2 == 1 ? v : 0;
            least[0] = Math.min(least[0], v);
            most[0] = Math.max(most[0], v);
        }
    }

    /** The tree by its definition: neighbours first, then neighbours of the results. */
    private static <T> T fold(List<T> parts, BinaryOperator<T> operation, T identity) {
        List<T> level = parts;
        while (level.size() > 1) {
            List<T> next = new ArrayList<>();
            for (int i = 0; i < level.size(); i += 2) {
                next.add(i + 1 < level.size() ? operation.apply(level.get(i), level.get(i + 1)) : level.get(i));
            }
            level = next;
        }
        return level.isEmpty() ? identity : level.get(0);
    }

    private static List<Float> column(float[][] parts, int element) {
        List<Float> column = new ArrayList<>();
        for (float[] part : parts) {
            column.add(part[element]);
        }
        return column;
    }

    private static void assertBits(float expected, float actual, Report report) {
        assertEquals(Float.floatToIntBits(expected), Float.floatToIntBits(actual), report::summary);
    }

    @Test
    void reductionsOfFloatsKnowSignedZerosAndWhatIsNoNumber() {
        for (double[] values : new double[][] {
            {0.0, -0.0}, {-0.0, -0.0}, {1, Double.NaN, 3}, {Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY}, {-0.0}
        }) {
            checkCopies(ElementType.FLOAT, values);
            if (hasDoubles()) {
                checkCopies(ElementType.DOUBLE, values);
            }
        }
    }

    @Test
    void doublesAreCombinedInOneOrder() {
        double[] values = new double[1003];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i * 7919 % 1013 - 500) * Math.pow(10, i % 23 - 11);
        }
        checkCopies(hasDoubles() ? ElementType.DOUBLE : ElementType.FLOAT, values);
    }

    private void checkCopies(ElementType type, double[] values) {
        int n = values.length;
        try (HostBuffer in = evener.allocate(type, n);
                HostBuffer sum = evener.allocate(type, 1);
                HostBuffer least = evener.allocate(type, 1);
                HostBuffer most = evener.allocate(type, 1)) {
            for (int i = 0; i < n; i++) {
                if (type == ElementType.FLOAT) {
                    values[i] = (float) values[i];
                    in.floats().put(i, (float) values[i]);
                } else {
                    in.bytes().asDoubleBuffer().put(i, values[i]);
                }
            }
            Job job = Job.named("copies")
                    .source(type == ElementType.FLOAT ? FLOAT_COPIES : DOUBLE_COPIES)
                    .units(n)
                    .policy(Policies.fixed())
                    .kernel("copies")
                    .reads(in, Access.slice())
                    .reduces(sum, Reduction.SUM)
                    .reduces(least, Reduction.MIN)
                    .reduces(most, Reduction.MAX)
                    .jvm(chunk -> {
                        for (int b = 1; b < 4; b++) {
                            chunk.buffer(b).put(0, chunk.buffer(0), 0, type.bytes() * chunk.units());
                        }
                    })
                    .build();
            evener.submit(job).join();
            BinaryOperator<Double> plus =
                    type == ElementType.FLOAT ? (a, b) -> (double) (a.floatValue() + b.floatValue()) : Double::sum;
            assertEquals(fold(values, plus), only(sum));
            assertEquals(fold(values, Math::min), only(least));
            assertEquals(fold(values, Math::max), only(most));
        }
    }

    private static double fold(double[] values, BinaryOperator<Double> operation) {
        return fold(Arrays.stream(values).boxed().toList(), operation, 0.0);
    }

    private static double only(HostBuffer buffer) {
        return buffer.type() == ElementType.FLOAT
                ? buffer.floats().get(0)
                : buffer.bytes().getDouble(0);
    }

    // ---- appended results ----

    @Test
    void whatUnitsAppendStandsInTheirOrder() {
        for (int units : List.of(0, 1, 2, 8, 9, 1000, 20_011)) {
            for (Policy policy : policies()) {
                checkMultiples(units, 3, policy);
            }
        }
        for (Policy policy : everyCut(24)) {
            checkMultiples(770, 3, policy);
        }
        for (int of : List.of(1, 10_007)) { // everything is kept, and nearly nothing
            checkMultiples(5000, of, Policies.fixed());
        }
    }

    private void checkMultiples(int units, int of, Policy policy) {
        int perUnit = 16;
        try (HostBuffer in = evener.allocate(ElementType.INT, (long) units * perUnit);
                HostBuffer out = evener.allocate(ElementType.INT, (long) units * perUnit + 1);
                HostBuffer count = evener.allocate(ElementType.UINT, 1);
                HostBuffer seen = evener.allocate(ElementType.INT, units)) {
            List<Integer> expected = new ArrayList<>();
            IntBuffer values = in.ints();
            for (int i = 0; i < units * perUnit; i++) {
                int v = i * 31 % 65_537;
                values.put(i, v);
                if (v % of == 0) {
                    expected.add(v);
                }
            }
            JobBuilder job = Job.named("multiples")
                    .source(KERNELS)
                    .units(units)
                    .policy(policy)
                    .kernel("multiples")
                    .reads(in, Access.slice(perUnit))
                    .appends(out, count, perUnit)
                    .scalar(of)
                    .jvm(chunk -> {
                        IntBuffer ins = ints(chunk.buffer(0));
                        IntBuffer slots = ints(chunk.buffer(1));
                        for (int u = 0; u < chunk.units(); u++) {
                            int n = 0;
                            for (int k = 0; k < perUnit; k++) {
                                int v = ins.get(u * perUnit + k);
                                if (v % of == 0) {
                                    slots.put(u * perUnit + n++, v);
                                }
                            }
                            ints(chunk.buffer(2)).put(u, n);
                        }
                    });
            lookup(job, out, count, seen); // the next phase sees the results in their final form
            Report report = evener.submit(job.build()).join();
            assertEquals(expected.size(), count.ints().get(0), report::summary);
            int[] actual = new int[expected.size()];
            out.ints().get(actual);
            assertArrayEquals(expected.stream().mapToInt(v -> v).toArray(), actual, report::summary);
            for (int i = 0; i < units; i++) {
                int value = actual.length == 0 ? -1 : actual[i % actual.length];
                assertEquals(value, seen.ints().get(i), report::summary);
            }
        }
    }

    /** A device that keeps what it was sent must not take it for what the host made of it since. */
    @Test
    void resultsReplaceWhatDevicesHold() {
        int units = 4096;
        try (HostBuffer in = evener.allocate(ElementType.INT, 16L * units);
                HostBuffer out = evener.allocate(ElementType.INT, 16L * units);
                HostBuffer count = evener.allocate(ElementType.UINT, 1);
                HostBuffer before = evener.allocate(ElementType.INT, units);
                HostBuffer after = evener.allocate(ElementType.INT, units)) {
            for (int i = 0; i < 16 * units; i++) {
                in.ints().put(i, 3 * i);
                out.ints().put(i, -5);
            }
            count.ints().put(0, units);
            JobBuilder job = Job.named("replaced").source(KERNELS).units(units).policy(Policies.fixed());
            lookup(job, out, count, before);
            job.kernel("multiples")
                    .reads(in, Access.slice())
                    .appends(out, count, 16)
                    .scalar(3)
                    .jvm(chunk -> {
                        for (int u = 0; u < chunk.units(); u++) {
                            chunk.buffer(1).put(64 * u, chunk.buffer(0), 64 * u, 64);
                            ints(chunk.buffer(2)).put(u, 16);
                        }
                    });
            lookup(job, out, count, after);
            evener.submit(job.build()).join();
            for (int i = 0; i < units; i++) {
                assertEquals(-5, before.ints().get(i));
                assertEquals(3 * i, after.ints().get(i));
            }
        }
    }

    private static void lookup(JobBuilder job, HostBuffer table, HostBuffer length, HostBuffer seen) {
        job.kernel("lookup")
                .reads(table, Access.whole())
                .reads(length, Access.whole())
                .writes(seen, Access.slice(1))
                .chunkStart()
                .jvm(chunk -> {
                    int n = ints(chunk.buffer(1)).get(0);
                    for (int i = 0; i < chunk.units(); i++) {
                        int at = n == 0 ? 0 : (int) ((chunk.firstUnit() + i) % n);
                        ints(chunk.buffer(2))
                                .put(i, n == 0 ? -1 : ints(chunk.buffer(0)).get(at));
                    }
                });
    }

    @Test
    void slotsMayBeOfAnySize() {
        for (int units : List.of(3, 1001, 30_000)) {
            for (Policy policy : policies()) {
                try (HostBuffer out = evener.allocate(ElementType.UBYTE, 3L * units);
                        HostBuffer count = evener.allocate(ElementType.ULONG, 1)) {
                    Job job = Job.named("repeat")
                            .source(KERNELS)
                            .units(units)
                            .policy(policy)
                            .kernel("repeat")
                            .chunkStart()
                            .appends(out, count, 3)
                            .jvm(chunk -> {
                                for (int u = 0; u < chunk.units(); u++) {
                                    long unit = chunk.firstUnit() + u;
                                    for (int k = 0; k < unit % 4; k++) {
                                        chunk.buffer(1).put(3 * u + k, (byte) (unit * 5 + k));
                                    }
                                    ints(chunk.buffer(2)).put(u, (int) (unit % 4));
                                }
                            })
                            .build();
                    evener.submit(job).join();
                    int at = 0;
                    for (int u = 0; u < units; u++) {
                        for (int k = 0; k < u % 4; k++) {
                            assertEquals((byte) (u * 5 + k), out.bytes().get(at++));
                        }
                    }
                    assertEquals(at, count.bytes().getLong(0));
                }
            }
        }
    }

    // ---- granules ----

    @Test
    void chunksBeginAtTheJobsOwnGranules() {
        for (int units : List.of(12, 13, 1000, 50_000)) {
            for (Policy policy : policies()) {
                try (HostBuffer out = evener.allocate(ElementType.INT, units)) {
                    Job job = Job.named("tiles")
                            .source(KERNELS)
                            .units(units)
                            .granule(12)
                            .policy(policy)
                            .kernel("tiles")
                            .writes(out, Access.slice())
                            .chunkStart()
                            .jvm(chunk -> {
                                for (int i = 0; i < chunk.units(); i++) {
                                    ints(chunk.buffer(0)).put(i, (int) (chunk.firstUnit() % 12));
                                }
                            })
                            .build();
                    Report report = evener.submit(job).join();
                    int[] actual = new int[units];
                    out.ints().get(actual);
                    assertArrayEquals(new int[units], actual, report::summary);
                }
            }
        }
    }
}
