package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * {@link PassConformance} and what every set of lanes must do with kernels that see their job: texts as they are published, whatever
 * the split. Results are compared with those of the kernel's Java form, run once over all units.
 */
abstract class ViewConformance extends PassConformance {
    private static final KernelSource KERNELS = KernelSource.of("published", """
            __kernel void guard(__global const int *x, __global int *y, const int n) {
                int i = get_global_id(0);
                if (i < n) y[i] = 3 * y[i] + x[i] + i;
            }
            __kernel void stride(__global const int *x, __global int *y, int n) {
                for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i] += x[i] + 1;
            }
            __kernel void blocks(__global const int *x, __global int *y, int n) {
                int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
                if (i < n) y[i] = x[i] - 7 * (int) get_global_id(0);
            }
            __kernel void tree(__global const int *x, __global int *sums, __local int *t, uint n) {
                uint l = get_local_id(0), i = get_global_id(0);
                t[l] = i < n ? x[i] : 0;
                for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (l < s) t[l] += t[l + s];
                }
                if (l == 0) sums[get_group_id(0)] = t[0] + 1000 * get_num_groups(0);
            }
            __attribute__((reqd_work_group_size(8, 4, 1)))
            __kernel void transpose(__global const int *in, __global int *out, int width, int height) {
                __local int tile[4][9];
                int x = get_group_id(0) * 8 + get_local_id(0), y = get_group_id(1) * 4 + get_local_id(1);
                if (x < width && y < height) tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
                barrier(CLK_LOCAL_MEM_FENCE);
                if (x < width && y < height)
                    out[x * height + y] = tile[get_local_id(1)][get_local_id(0)] + get_global_size(1) * 100000;
            }
            __kernel void columns(__global const int *a, __global int *sums, __global int *marks, int width, int height) {
                int c = get_global_id(0), sum = 0;
                if (c >= width) return;
                for (int r = 0; r < height; r++) {
                    sum += a[r * width + c];
                    marks[r * width + c] = sum;
                }
                sums[c] = sum;
            }
            __kernel void strides(__global const int *x, __global int *sums, __global int *marks, int n) {
                int width = get_global_size(0), sum = 0;
                for (int i = get_global_id(0); i < n; i += width) {
                    sum += x[i];
                    marks[i] = sum;
                }
                sums[get_global_id(0)] = sum;
            }
            __kernel void planes(__global const int *rgb, __global int *out, int n) {
                int i = get_global_id(0);
                if (i < n) for (int c = 0; c < 3; c++) out[c * n + i] = 255 - rgb[c * n + i] + c;
            }
            __kernel void pairs(__global int *x, __global int *marks, int distance) {
                int i = get_global_id(0), block = i / distance, within = i % distance;
                int low = block * 2 * distance + within, high = low + distance, a = x[low], b = x[high];
                x[low] = a + b;
                x[high] = a - b;
                for (int c = 0; c < 3; c++)
                    for (int k = 0; k < 2; k++) marks[((block * 3 + c) * distance + within) * 2 + k] = i + 1000 * c + k;
            }
            __kernel void interior(__global const int *in, __global int *out, int width, int height) {
                int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
                if (x < width - 1 && y < height - 1)
                    out[y * width + x] = in[(y - 1) * width + x] + 2 * in[y * width + x - 1] + 3 * in[y * width + x + 1]
                            + 5 * in[(y + 1) * width + x];
            }
            __kernel void eliminate(__global int *a, int n, int k) {
                int j = get_global_id(0), i = get_global_id(1);
                if (i != k && j < n) a[i * n + j] -= (i % 3 + 1) * a[k * n + j];
            }
            __kernel void histogram(__global const int *x, __global int *bins, __global int *least, __global char *seen,
                                    uint n) {
                uint i = get_global_id(0);
                if (i >= n) return;
                atomic_add(&bins[x[i] & 15], 1);
                if (x[i] < least[x[i] & 3]) atomic_min(&least[x[i] & 3], x[i]);
                if (x[i] % 7 == 0) seen[x[i] & 63] = 1;
            }
            __kernel void shifted(__global const int *x, __global int *y, int width) {
                int c = get_global_id(0), r = get_global_id(1);
                y[r * width + c] = x[(r - 1) * width + c + 1] + 10 * get_global_offset(1) + get_global_size(0) + get_group_id(0)
                        - get_group_id(0);
            }
            __kernel void in_place(__global int *from, __global int *to, int n) {
                int i = get_global_id(0);
                if (i < n) to[i] = 2 * from[i] + 1;
            }
            __kernel void scatter(__global const int *x, __global int *y, int n) {
                int i = get_global_id(0);
                if (i < n) y[(i * 7) % n] = x[i] + get_num_groups(0) - get_num_groups(0);
            }
            __kernel void cube(__global int *out) {
                size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
                size_t w = get_global_size(0), h = get_global_size(1);
                out[(z * h + y) * w + x] = x + 10 * y + 100 * z + 1000 * (w + h * 31 + get_global_size(2) * 961)
                        + get_work_dim() + get_global_offset(0) + get_global_offset(1) + get_global_offset(2);
            }
            typedef struct { int add; char pad; short times[3]; long last; } Options;
            __kernel void options(__global int *out, Options o, float4 v, __global const int *all) {
                int i = get_global_id(0);
                out[i] = all[i] * o.times[2] + o.add + (int) o.last + (int) v.w;
            }
            """);

    /** All units as one chunk, with buffers as they are. */
    private static Chunk all(int units, DataBuffer... arguments) {
        return new Chunk(units, Arrays.asList(arguments));
    }

    private record Chunk(int units, List<DataBuffer> arguments) implements JvmKernel.Chunk {
        @Override
        public long firstUnit() {
            return 0;
        }

        @Override
        public ByteBuffer buffer(int index) {
            return bytes(arguments.get(index));
        }
    }

    private static ByteBuffer bytes(DataBuffer buffer) {
        return ((HostBuffer) buffer).bytes().order(ByteOrder.nativeOrder());
    }

    private HostBuffer ints(int count, int seed) {
        HostBuffer made = evener.allocate(ElementType.INT, Math.max(1, count));
        for (int i = 0; i < made.elements(); i++) {
            bytes(made).putInt(4 * i, (i * 31 + seed * 17) % 1009 - (i % 5) * seed);
        }
        return made;
    }

    /** Runs a job under every policy, and at every cut where it has few units; what it writes must be what the Java form writes. */
    private void check(int units, UnaryOperator<JobBuilder> described, JvmKernel form, DataBuffer... arguments) {
        List<byte[]> before = contents(arguments);
        form.run(all(units, arguments));
        List<byte[]> expected = contents(arguments);
        List<Policy> all = new ArrayList<>(policies());
        all.addAll(everyCut(12));
        UnaryOperator<JobBuilder> job =
                begun -> described.apply(begun.source(KERNELS)).jvm(form);
        for (Policy policy : all) {
            put(before, arguments);
            evener.submit(job.apply(Job.named("published").policy(policy)).build())
                    .join();
            assertContents(expected, policy + ", " + units + " units", arguments);
        }
        put(before, arguments);
        JobBuilder fenced = Job.named("published").policy(Policies.stealing()).chunkDeadline(Duration.ofMinutes(2));
        evener.submit(job.apply(fenced).build()).join();
        assertContents(expected, "fenced, " + units + " units", arguments);
        put(before, arguments);
        checkManaged(job.apply(Job.named("published").policy(Policies.guided())).build(), before, expected, arguments);
    }

    /** The same in buffers that stay on devices, cut in another way than the job before that wrote them. */
    private void checkManaged(Job job, List<byte[]> before, List<byte[]> expected, DataBuffer... arguments) {
        Map<DataBuffer, ManagedBuffer> managed = new LinkedHashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] != null) {
                ManagedBuffer made = evener.allocateManaged(arguments[i].type(), arguments[i].elements());
                managed.put(arguments[i], made);
                try (ManagedBuffer.Scope scope = made.overwrite()) {
                    scope.bytes().put(before.get(i));
                }
            }
        }
        evener.submit(job.with(managed)).join();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] != null) {
                byte[] found = new byte[expected.get(i).length];
                try (ManagedBuffer.Scope scope = managed.get(arguments[i]).read()) {
                    scope.bytes().get(found);
                }
                assertArrayEquals(expected.get(i), found, "managed, argument " + i);
            }
        }
        managed.values().forEach(ManagedBuffer::close);
    }

    private static void put(List<byte[]> contents, DataBuffer... arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] != null) {
                bytes(arguments[i]).put(contents.get(i));
            }
        }
    }

    private static void assertContents(List<byte[]> expected, String where, DataBuffer... arguments) {
        List<byte[]> found = contents(arguments);
        for (int i = 0; i < found.size(); i++) {
            assertArrayEquals(expected.get(i), found.get(i), where + ", argument " + i);
        }
    }

    private static List<byte[]> contents(DataBuffer... arguments) {
        List<byte[]> all = new ArrayList<>();
        for (DataBuffer each : arguments) {
            byte[] content = new byte[each == null ? 0 : (int) each.byteSize()];
            if (each != null) {
                bytes(each).get(content);
            }
            all.add(content);
        }
        return all;
    }

    @Test
    void aGuardComparesWithTheJobsLength() {
        for (int n : List.of(0, 1, 2, 31, 33, 1000, 1001, 40_003)) {
            HostBuffer x = ints(n, 1);
            HostBuffer y = ints(n, 2);
            check(
                    n,
                    job -> job.units(n)
                            .jobView()
                            .kernel("guard")
                            .reads(x, Access.slice(1))
                            .updates(y, Access.slice(1))
                            .scalar(n),
                    chunk -> {
                        IntBuffer out = chunk.buffer(1).asIntBuffer();
                        for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                            out.put(
                                    i,
                                    3 * out.get(i)
                                            + chunk.buffer(0).asIntBuffer().get(i)
                                            + i);
                        }
                    },
                    x,
                    y);
        }
    }

    @Test
    void aLoopWithTheGlobalSizeAsStepDoesEachElementOnce() {
        for (int n : List.of(1, 7, 1000, 1001, 40_003)) {
            HostBuffer x = ints(n, 3);
            HostBuffer y = ints(n, 4);
            for (int groupSize : List.of(0, 32)) {
                check(
                        n,
                        job -> {
                            JobBuilder begun = job.units(n).jobView().kernel("stride");
                            return (groupSize > 0 ? begun.groupSize(groupSize) : begun)
                                    .reads(x, Access.slice(1))
                                    .updates(y, Access.slice(1))
                                    .scalar(n);
                        },
                        chunk -> {
                            IntBuffer out = chunk.buffer(1).asIntBuffer();
                            for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                                out.put(
                                        i,
                                        out.get(i)
                                                + chunk.buffer(0).asIntBuffer().get(i)
                                                + 1);
                            }
                        },
                        x,
                        y);
            }
        }
    }

    /** In the chunk's view, too, whether a chunk is launched in groups and a rest or not. */
    @Test
    void aLoopOverAChunkDoesEachElementOnce() {
        for (int n : List.of(7, 1000, 1001, 40_003)) {
            HostBuffer x = ints(n, 31);
            HostBuffer y = ints(n, 32);
            check(
                    n,
                    job -> job.units(n)
                            .kernel("stride")
                            .reads(x, Access.slice(1))
                            .updates(y, Access.slice(1))
                            .chunkUnits(),
                    chunk -> {
                        IntBuffer out = chunk.buffer(1).asIntBuffer();
                        for (int i = 0; i < chunk.units(); i++) {
                            out.put(
                                    i,
                                    out.get(i) + chunk.buffer(0).asIntBuffer().get(i) + 1);
                        }
                    },
                    x,
                    y);
        }
    }

    @Test
    void anIndexMayBeMadeOfGroupsOfAnySize() {
        for (int n : List.of(1, 9, 1000, 4096, 40_003)) {
            HostBuffer x = ints(n, 25);
            HostBuffer y = ints(n, 26);
            check(
                    n,
                    job -> job.units(n)
                            .jobView()
                            .kernel("blocks")
                            .reads(x, Access.slice(1))
                            .writes(y, Access.slice(1))
                            .scalar(n),
                    chunk -> {
                        for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                            int value = chunk.buffer(0).asIntBuffer().get(i);
                            chunk.buffer(1).asIntBuffer().put(i, value - 7 * i);
                        }
                    },
                    x,
                    y);
        }
    }

    @Test
    void groupsHaveLocalMemoryAndTheJobsNumbers() {
        for (int n : List.of(1, 64, 65, 1000, 10_000)) {
            int groups = (n + 63) / 64;
            HostBuffer x = ints(n, 5);
            HostBuffer sums = ints(groups, 6);
            check(
                    groups,
                    job -> job.units(groups)
                            .jobView()
                            .kernel("tree")
                            .variant(Variant.itemsPerUnit(64).withGroupSize(64))
                            .reads(x, Access.slice(64))
                            .writes(sums, Access.slice(1))
                            .local(ElementType.INT, items -> items)
                            .scalar(n),
                    chunk -> {
                        for (int g = (int) chunk.firstUnit(); g < chunk.firstUnit() + chunk.units(); g++) {
                            int sum = 1000 * groups;
                            for (int i = g * 64; i < Math.min(n, (g + 1) * 64); i++) {
                                sum += chunk.buffer(0).asIntBuffer().get(i);
                            }
                            chunk.buffer(1).asIntBuffer().put(g, sum);
                        }
                    },
                    x,
                    sums);
        }
    }

    @Test
    void groupsHaveTwoDimensionsAndUnitsLieAlongAny() {
        for (int width : List.of(1, 8, 37, 80)) {
            int height = 45;
            HostBuffer in = ints(width * height, 7);
            HostBuffer out = ints(width * height, 8);
            JvmKernel rows = chunk -> transpose(chunk, width, height, 0, width, (int) chunk.firstUnit(), chunk.units());
            check(
                    height,
                    job -> job.range(width, height)
                            .kernel("transpose")
                            .groupSize(8, 4)
                            .reads(in, Access.slice(width))
                            .writes(out, Access.columns(height))
                            .scalar(width)
                            .scalar(height),
                    rows,
                    in,
                    out);
            JvmKernel columns =
                    chunk -> transpose(chunk, width, height, (int) chunk.firstUnit(), chunk.units(), 0, height);
            check(
                    width,
                    job -> job.range(width, height)
                            .along(0)
                            .kernel("transpose")
                            .groupSize(8, 4)
                            .reads(in, Access.columns(width))
                            .writes(out, Access.slice(height))
                            .scalar(width)
                            .scalar(height),
                    columns,
                    in,
                    out);
        }
    }

    private static void transpose(
            JvmKernel.Chunk chunk, int width, int height, int left, int columns, int top, int rows) {
        for (int y = top; y < top + rows; y++) {
            for (int x = left; x < left + columns; x++) {
                int value = chunk.buffer(0).asIntBuffer().get(y * width + x);
                chunk.buffer(1).asIntBuffer().put(x * height + y, value + (height + 3) / 4 * 4 * 100000);
            }
        }
    }

    @Test
    void columnsAreParts() {
        int height = 9;
        for (int width : List.of(1, 5, 64, 333)) {
            HostBuffer a = ints(width * height, 9);
            HostBuffer sums = ints(width, 10);
            HostBuffer marks = ints(width * height, 11);
            check(
                    width,
                    job -> job.units(width)
                            .kernel("columns")
                            .groupSize(16)
                            .reads(a, Access.columns(width))
                            .writes(sums, Access.slice())
                            .writes(marks, Access.columns(width))
                            .scalar(width)
                            .scalar(height),
                    chunk -> {
                        for (int c = (int) chunk.firstUnit(); c < chunk.firstUnit() + chunk.units(); c++) {
                            int sum = 0;
                            for (int r = 0; r < height; r++) {
                                sum += chunk.buffer(0).asIntBuffer().get(r * width + c);
                                chunk.buffer(2).asIntBuffer().put(r * width + c, sum);
                            }
                            chunk.buffer(1).asIntBuffer().put(c, sum);
                        }
                    },
                    a,
                    sums,
                    marks);
        }
    }

    /** A loop over data of any length, with the global size as its step: in its last round only some units have an element. */
    @Test
    void theLastRowOfColumnsMayLackSome() {
        for (int n : List.of(12 * 5 + 1, 12 * 5 - 1, 12)) {
            int width = 12;
            HostBuffer x = ints(n, 16);
            HostBuffer sums = ints(width, 17);
            HostBuffer marks = ints(n, 18);
            check(
                    width,
                    job -> job.units(width)
                            .kernel("strides")
                            .reads(x, Access.columns(width))
                            .writes(sums, Access.slice())
                            .writes(marks, Access.columns(width))
                            .scalar(n),
                    chunk -> {
                        for (int c = (int) chunk.firstUnit(); c < chunk.firstUnit() + chunk.units(); c++) {
                            int sum = 0;
                            for (int i = c; i < n; i += width) {
                                sum += chunk.buffer(0).asIntBuffer().get(i);
                                chunk.buffer(2).asIntBuffer().put(i, sum);
                            }
                            chunk.buffer(1).asIntBuffer().put(c, sum);
                        }
                    },
                    x,
                    sums,
                    marks);
        }
    }

    @Test
    void planesAreParts() {
        for (int n : List.of(1, 100, 1001)) {
            HostBuffer rgb = ints(3 * n, 12);
            HostBuffer out = ints(3 * n, 13);
            check(
                    n,
                    job -> job.units(n)
                            .kernel("planes")
                            .reads(rgb, Access.slice().planes(3))
                            .writes(out, Access.slice(1).planes(3))
                            .scalar(n),
                    chunk -> {
                        for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                            for (int c = 0; c < 3; c++) {
                                int value = chunk.buffer(0).asIntBuffer().get(c * n + i);
                                chunk.buffer(1).asIntBuffer().put(c * n + i, 255 - value + c);
                            }
                        }
                    },
                    rgb,
                    out);
        }
    }

    /** Units of several blocks, of one, and those with which cuts fall into two. */
    @Test
    void planesMayLieInBlocks() {
        for (int[] each : List.of(new int[] {12, 1}, new int[] {12, 4}, new int[] {12, 12}, new int[] {1001, 143})) {
            int n = each[0];
            int distance = each[1];
            HostBuffer x = ints(2 * n, 14);
            HostBuffer marks = ints(6 * n, 15);
            check(
                    n,
                    job -> job.units(n)
                            .kernel("pairs")
                            .updates(x, Access.slice().planes(2).blocksOf(distance))
                            .writes(marks, Access.slice(2).planes(3).blocksOf(distance))
                            .scalar(distance),
                    chunk -> pairs(chunk, distance),
                    x,
                    marks);
        }
    }

    private static void pairs(JvmKernel.Chunk chunk, int distance) {
        IntBuffer x = chunk.buffer(0).asIntBuffer();
        IntBuffer marks = chunk.buffer(1).asIntBuffer();
        for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
            int block = i / distance;
            int low = block * 2 * distance + i % distance;
            int a = x.get(low);
            int b = x.get(low + distance);
            x.put(low, a + b).put(low + distance, a - b);
            for (int c = 0; c < 6; c++) {
                marks.put(((block * 3 + c / 2) * distance + i % distance) * 2 + c % 2, i + 1000 * (c / 2) + c % 2);
            }
        }
    }

    @Test
    void aGridHasABorder() {
        int width = 19;
        for (int height : List.of(3, 4, 50)) {
            HostBuffer in = ints(width * height, 14);
            HostBuffer out = ints(width * height, 15);
            check(
                    height - 2,
                    job -> job.range(width - 2, height - 2)
                            .kernel("interior")
                            .reads(in, Access.slice(width).from(width).halo(1, 1))
                            .updates(out, Access.slice(width).from(width))
                            .scalar(width)
                            .scalar(height),
                    chunk -> {
                        IntBuffer from = chunk.buffer(0).asIntBuffer();
                        for (int y = 1 + (int) chunk.firstUnit(); y < 1 + chunk.firstUnit() + chunk.units(); y++) {
                            for (int x = 1; x < width - 1; x++) {
                                int at = y * width + x;
                                int sum = from.get(at - width) + 2 * from.get(at - 1) + 3 * from.get(at + 1);
                                chunk.buffer(1).asIntBuffer().put(at, sum + 5 * from.get(at + width));
                            }
                        }
                    },
                    in,
                    out);
        }
    }

    @Test
    void aPivotIsReadByAll() {
        for (int n : List.of(1, 2, 25)) {
            for (int k : List.of(0, n / 2, n - 1)) {
                HostBuffer a = ints(n * n, 16);
                check(
                        n,
                        job -> job.range(n, n)
                                .kernel("eliminate")
                                .updates(a, Access.slice(n).alsoReads((long) k * n, n))
                                .scalar(n)
                                .scalar(k),
                        chunk -> eliminate(chunk, n, k),
                        a);
            }
        }
    }

    /** How often a race is tried under each policy: one in thirty was wrong that met the end of a chunk. */
    int rounds() {
        return 4;
    }

    /** Which one device has written and others need, while it writes the rows around it. */
    @Test
    void aPivotMayBeOnADevice() {
        int n = 60;
        List<Policy> policies = List.of(Policies.fixed(), Policies.guided(), Policies.stealing());
        for (int round = 0; round < rounds() * policies.size(); round++) {
            Policy policy = policies.get(round % policies.size());
            HostBuffer start = ints(n * n, 30);
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, (long) n * n);
            int[] expected = new int[n * n];
            start.ints().get(expected);
            try (ManagedBuffer.Scope scope = a.overwrite()) {
                scope.ints().put(expected);
            }
            List<JobFuture> jobs = new ArrayList<>();
            for (int step = 0; step < 40; step++) {
                int k = step * 7 % n;
                for (int i = 0; i < n * n; i++) {
                    expected[i] -= i / n == k ? 0 : (i / n % 3 + 1) * expected[k * n + i % n];
                }
                jobs.add(evener.submit(Job.named("eliminate")
                        .source(KERNELS)
                        .policy(policy)
                        .range(n, n)
                        .kernel("eliminate")
                        .jvm(chunk -> eliminate(chunk, n, k))
                        .updates(a, Access.slice(n).alsoReads((long) k * n, n))
                        .scalar(n, k)
                        .build()));
            }
            jobs.forEach(JobFuture::join);
            int[] found = new int[n * n];
            try (ManagedBuffer.Scope scope = a.read()) {
                scope.ints().get(found);
            }
            assertArrayEquals(expected, found, policy.toString());
            a.close();
        }
    }

    private static void eliminate(JvmKernel.Chunk chunk, int n, int k) {
        IntBuffer all = chunk.buffer(0).asIntBuffer();
        for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
            for (int j = 0; j < n && i != k; j++) {
                all.put(i * n + j, all.get(i * n + j) - (i % 3 + 1) * all.get(k * n + j));
            }
        }
    }

    @Test
    void whatUnitsHaveInCommonIsAccumulated() {
        for (int n : List.of(0, 1, 1000, 5003)) {
            HostBuffer x = ints(n, 17);
            HostBuffer bins = ints(16, 18);
            HostBuffer least = ints(4, 19);
            HostBuffer seen = evener.allocate(ElementType.BYTE, 64);
            bytes(seen).put(5, (byte) 1);
            check(
                    n,
                    job -> job.units(n)
                            .jobView()
                            .kernel("histogram")
                            .reads(x, Access.slice(1))
                            .accumulates(bins, Reduction.SUM)
                            .accumulates(least, Reduction.MIN)
                            .accumulates(seen, Reduction.ANY)
                            .scalar(n),
                    chunk -> {
                        IntBuffer sums = chunk.buffer(1).asIntBuffer();
                        IntBuffer mins = chunk.buffer(2).asIntBuffer();
                        for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                            int value = chunk.buffer(0).asIntBuffer().get(i);
                            sums.put(value & 15, sums.get(value & 15) + 1);
                            mins.put(value & 3, Math.min(mins.get(value & 3), value));
                            if (value % 7 == 0) {
                                chunk.buffer(3).put(value & 63, (byte) 1);
                            }
                        }
                    },
                    x,
                    bins,
                    least,
                    seen);
        }
    }

    @Test
    void whatCannotBeSplitRunsWhole() {
        for (int n : List.of(1, 6, 1000, 1001)) { // of which 7 is no divisor, but of the last, where some get two
            if (n % 7 == 0) {
                continue;
            }
            HostBuffer x = ints(n, 20);
            HostBuffer y = ints(n, 21);
            check(
                    n,
                    job -> job.units(n)
                            .undivided()
                            .kernel("scatter")
                            .groupSize(8)
                            .reads(x, Access.whole())
                            .writes(y, Access.whole())
                            .scalar(n),
                    chunk -> {
                        for (int i = 0; i < n && chunk.units() == n; i++) {
                            int value = chunk.buffer(0).asIntBuffer().get(i);
                            chunk.buffer(1).asIntBuffer().put((i * 7) % n, value);
                        }
                    },
                    x,
                    y);
        }
    }

    @Test
    void idsMayBeginElsewhere() {
        int width = 21;
        for (int height : List.of(3, 30)) {
            HostBuffer x = ints(width * height, 27);
            HostBuffer y = ints(width * height, 28);
            check(
                    height - 2,
                    job -> job.range(width - 2, height - 2)
                            .offset(1, 1)
                            .kernel("shifted")
                            .reads(x, Access.slice(width).from(width).halo(1, 1))
                            .updates(y, Access.slice(width).from(width))
                            .scalar(width),
                    chunk -> {
                        for (int r = 1 + (int) chunk.firstUnit(); r < 1 + chunk.firstUnit() + chunk.units(); r++) {
                            for (int c = 1; c < width - 1; c++) {
                                int value = chunk.buffer(0).asIntBuffer().get((r - 1) * width + c + 1);
                                chunk.buffer(1).asIntBuffer().put(r * width + c, value + 10 + width - 2);
                            }
                        }
                    },
                    x,
                    y);
        }
    }

    @Test
    void aKernelMayWorkInPlaceThroughTwoParameters() {
        HostBuffer x = ints(1001, 29);
        check(
                1001,
                job -> job.units(1001)
                        .jobView()
                        .kernel("in_place")
                        .reads(x, Access.slice(1))
                        .writes(x, Access.slice(1))
                        .scalar(1001),
                chunk -> {
                    IntBuffer all = chunk.buffer(0).asIntBuffer();
                    for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                        all.put(i, 2 * all.get(i) + 1);
                    }
                },
                x);
    }

    @Test
    void rangesHaveThreeDimensionsAndAreCutAlongAny() {
        int w = 6;
        int h = 10;
        int d = 14;
        for (int along = 0; along < 3; along++) {
            int cut = along;
            HostBuffer out = ints(w * h * d, 22);
            check(
                    List.of(w, h, d).get(along),
                    job -> job.range(w, h, d)
                            .along(cut)
                            .jobView()
                            .kernel("cube")
                            .writes(
                                    out,
                                    cut == 0
                                            ? Access.columns(w)
                                            : cut == 1 ? Access.slice(w).planes(d) : Access.slice((long) w * h)),
                    chunk -> {
                        for (int i = 0; i < w * h * d; i++) {
                            int[] at = {i % w, i / w % h, i / (w * h)};
                            if (at[cut] >= chunk.firstUnit() && at[cut] < chunk.firstUnit() + chunk.units()) {
                                int sizes = w + h * 31 + d * 961;
                                int value = at[0] + 10 * at[1] + 100 * at[2] + 1000 * sizes + 3;
                                chunk.buffer(0).asIntBuffer().put(i, value);
                            }
                        }
                    },
                    out);
        }
    }

    @Test
    void structsAndVectorsAreGivenByValue() {
        HostBuffer out = ints(77, 23);
        HostBuffer all = ints(77, 24);
        ByteBuffer options = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
        options.putInt(0, 9).putShort(10, (short) 4).putLong(16, 30);
        ByteBuffer vector =
                ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putFloat(12, 500);
        check(
                77,
                job -> job.units(77)
                        .jobView()
                        .kernel("options")
                        .writes(out, Access.slice(1))
                        .value(options)
                        .value(vector.rewind())
                        .reads(all, Access.whole()),
                chunk -> {
                    for (int i = (int) chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                        int value = chunk.buffer(3).asIntBuffer().get(i) * 4 + 9 + 30 + 500;
                        chunk.buffer(0).asIntBuffer().put(i, value);
                    }
                },
                out,
                null,
                null,
                all);
    }
}
