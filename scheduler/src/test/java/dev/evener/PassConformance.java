package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@link AccessConformance} and what every set of lanes must do with several kernels in one phase, temporaries and fixed
 * launches, whatever the split. The tests compare with plain loops over all units, at edge sizes and at every cut of a small
 * job.
 */
abstract class PassConformance extends AccessConformance {
    private static final int TILE = 8;

    private static final KernelSource KERNELS = KernelSource.of("passes", """
            #define TILE 8
            __kernel void total(__global const int *in, __global int *totals, __global int *count, uint units) {
                size_t t = get_global_id(0);
                if (t * TILE >= units) return;
                int sum = 0;
                for (uint i = t * TILE; i < min((uint) (t + 1) * TILE, units); i++) sum += in[i];
                totals[t] = sum;
                if (t == 0) count[0] = units;
            }
            __kernel void twice(__global int *totals, __global const int *count) { // one group, whatever the units
                int tiles = (count[0] + TILE - 1) / TILE;
                for (int t = get_local_id(0); t < tiles; t += get_local_size(0)) totals[t] = 2 * totals[t] + get_num_groups(0);
            }
            __kernel void spread(__global const int *in, __global const int *totals, int factor, __global int *out,
                                 ulong first, __global uint *parity) {
                size_t i = get_global_id(0);
                int v = totals[i / TILE] * factor + in[i];
                out[i] = v + (int) first + (int) i;
                if (v & 1) atomic_inc(parity);
            }
            __kernel void shift(__global const int *in, __global int *out, int by) {
                out[get_global_id(0)] = in[get_global_id(0)] + by;
            }
            __kernel void triple(__global int *out) { out[get_global_id(0)] *= 3; }
            __kernel void multiples(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                counts[i] = in[i] % 3 == 0;
                slots[i] = in[i];
            }
            __kernel void around(ulong start, __global const int *in, ulong first, ulong units, __global int *out) {
                size_t i = get_global_id(0);
                int sum = 0;
                for (int d = -1; d <= 1; d++)
                    if ((long) (first + i) + d >= 0 && first + i + d < units) sum += in[start + i + d];
                out[i] += sum;
            }
            __kernel void rows(__global uchar *out, uint width) {
                out[get_global_id(1) * width + get_global_id(0)] = (uchar) get_global_id(0);
            }
            __kernel void fixed(__global uchar *out, uint width, uint rows, __global uint *launches) {
                for (uint i = get_global_id(0); i < width * rows; i += get_global_size(0)) out[i] += get_global_size(0);
                if (get_global_id(1) == 0) atomic_inc(launches);
            }
            """);

    /** The sum of each tile, doubled, and one more, goes to its elements. */
    private void checkTiles(int n, Policy policy) {
        try (HostBuffer in = evener.allocate(ElementType.INT, n);
                HostBuffer out = evener.allocate(ElementType.INT, n);
                HostBuffer parity = evener.allocate(ElementType.UINT, 1)) {
            int[] values = new int[n];
            int[] expected = new int[n];
            int odd = 0;
            for (int i = 0; i < n; i++) {
                values[i] = i * 31 % 1009;
            }
            Ints.putAll(in, values);
            for (int i = 0; i < n; i++) {
                int value = total(values, i - i % TILE) * 7 + values[i];
                expected[i] = value + i;
                odd += value & 1;
            }
            Temporary totals = Temporary.perUnit(ElementType.INT, 1);
            Temporary count = Temporary.of(ElementType.INT, 1);
            Job job = Job.named("tiles")
                    .source(KERNELS)
                    .units(n)
                    .granule(Math.min(TILE, Math.max(1, n)))
                    .policy(policy)
                    .kernel("total")
                    .reads(in, Access.slice(1))
                    .temporary(totals)
                    .temporary(count)
                    .chunkUnits()
                    .variant(DeviceKind.CPU, Variant.unitsPerItem(TILE).withGroupSize(1))
                    .jvm(chunk -> {
                        IntBuffer ins = ints(chunk.buffer(0));
                        int[] own = new int[chunk.units()];
                        ints(chunk.buffer(6)).get(0, own); // the same memory, as an argument of the third kernel
                        for (int i = 0; i < own.length; i++) {
                            int value = total(own, i - i % TILE) * 7 + ins.get(i);
                            ints(chunk.buffer(9)).put(i, value + (int) chunk.firstUnit() + i);
                            IntBuffer odds = ints(chunk.buffer(11));
                            odds.put(0, odds.get(0) + (value & 1));
                        }
                    })
                    .then("twice")
                    .temporary(totals)
                    .temporary(count)
                    .variant(DeviceKind.CPU, Variant.groups(1).withGroupSize(4))
                    .variant(DeviceKind.GPU, Variant.groups(1).withGroupSize(4))
                    .then("spread")
                    .reads(in, Access.slice(1))
                    .temporary(totals)
                    .scalar(7)
                    .writes(out, Access.slice(1))
                    .chunkStart()
                    .reduces(parity, Reduction.SUM)
                    .build();
            Report report = evener.submit(job).join();
            assertArrayEquals(expected, Ints.first(out, n), report::summary);
            assertEquals(odd, parity.ints().get(0), report::summary);
            if (copies() && n > 0) {
                long partials = report.devices().stream()
                                .filter(d -> d.kind() != DeviceKind.JVM)
                                .mapToLong(Report.DeviceUse::chunks)
                                .sum()
                        * Integer.BYTES;
                assertEquals(4L * n + partials, bytes(report, Report.DeviceUse::bytesIn), report::summary);
                assertEquals(4L * n + partials, bytes(report, Report.DeviceUse::bytesOut), report::summary);
            }
        }
    }

    private static int total(int[] values, int from) {
        int sum = 0;
        for (int i = from; i < Math.min(from + TILE, values.length); i++) {
            sum += values[i];
        }
        return 2 * sum + 1;
    }

    private static long bytes(Report report, java.util.function.ToLongFunction<Report.DeviceUse> of) {
        return report.devices().stream().mapToLong(of).sum();
    }

    @Test
    void kernelsOfAPhaseSeeTheSameChunkAndItsTemporaries() {
        for (int n : List.of(0, 1, 7, 8, 9, 127, 128, 129, 1000, 40_003)) {
            for (Policy policy : policies()) {
                checkTiles(n, policy);
            }
        }
        for (Policy policy : everyCut(24)) {
            checkTiles(777, policy);
        }
    }

    /** What is written first and read later neither comes from the host nor is saved; what is read first does and is. */
    @Test
    void aBufferMayBeWrittenByOneKernelAndReadByTheNext() {
        for (int n : List.of(0, 1, 100, 129, 20_001)) {
            for (Policy policy : policies()) {
                try (HostBuffer in = evener.allocate(ElementType.INT, n);
                        HostBuffer out = evener.allocate(ElementType.INT, n);
                        HostBuffer inPlace = evener.allocate(ElementType.INT, n)) {
                    int[] expectedOut = new int[n];
                    int[] expectedInPlace = new int[n];
                    Arrays.setAll(expectedOut, i -> i);
                    Ints.putAll(in, expectedOut);
                    Arrays.setAll(expectedOut, i -> -1);
                    Ints.putAll(out, expectedOut);
                    Arrays.setAll(expectedOut, i -> 5 * i);
                    Ints.putAll(inPlace, expectedOut);
                    for (int i = 0; i < n; i++) {
                        expectedOut[i] = (i + 4) * 3;
                        expectedInPlace[i] = (i + 4) * 3 + 2 + 5 * i;
                    }
                    Temporary sum = Temporary.perUnit(ElementType.INT, 1);
                    Job job = Job.named("chain")
                            .source(KernelSource.of("chain", KERNELS.text() + """
                                    __kernel void add(__global const int *a, __global const int *b, __global int *sum) {
                                        sum[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
                                    }
                                    """))
                            .units(n)
                            .policy(policy)
                            .kernel("shift")
                            .reads(in, Access.slice(1))
                            .writes(out, Access.slice(1))
                            .scalar(4)
                            .then("triple")
                            .updates(out, Access.slice(1))
                            .then("add")
                            .reads(out, Access.slice(1))
                            .reads(inPlace, Access.slice(1))
                            .temporary(sum)
                            .then("shift") // the kernel of before, with other arguments
                            .temporary(sum)
                            .writes(inPlace, Access.slice(1))
                            .scalar(2)
                            .jvm(chunk -> {
                                for (int i = 0; i < chunk.units(); i++) {
                                    int value = (ints(chunk.buffer(0)).get(i) + 4) * 3;
                                    ints(chunk.buffer(3)).put(i, value);
                                    ints(chunk.buffer(8))
                                            .put(
                                                    i,
                                                    value
                                                            + 2
                                                            + ints(chunk.buffer(5))
                                                                    .get(i));
                                }
                            })
                            .build();
                    Report report = evener.submit(job).join();
                    assertArrayEquals(expectedOut, Ints.first(out, n), report::summary);
                    assertArrayEquals(expectedInPlace, Ints.first(inPlace, n), report::summary);
                    if (copies()) {
                        assertEquals(8L * n, bytes(report, Report.DeviceUse::bytesIn), report::summary);
                        assertEquals(8L * n, bytes(report, Report.DeviceUse::bytesOut), report::summary);
                    }
                }
            }
        }
    }

    @Test
    void everyAccessMayStandInAnyKernelOfAPhase() {
        for (int n : List.of(0, 1, 33, 1000, 10_001)) {
            for (Policy policy : policies()) {
                try (HostBuffer in = evener.allocate(ElementType.INT, n);
                        HostBuffer kept = evener.allocate(ElementType.INT, n);
                        HostBuffer count = evener.allocate(ElementType.UINT, 1);
                        HostBuffer out = evener.allocate(ElementType.INT, n)) {
                    int[] values = new int[n];
                    Arrays.setAll(values, i -> i * 7 % 1000);
                    Ints.putAll(in, values);
                    JobBuilder job = Job.named("all").source(KERNELS).units(n).policy(policy);
                    job.kernel("multiples")
                            .reads(in, Access.slice(1))
                            .appends(kept, count, 1)
                            .then("shift")
                            .reads(in, Access.slice(1))
                            .writes(out, Access.slice(1))
                            .scalar(1);
                    for (int twice = 0; twice < 2; twice++) {
                        job.then("around")
                                .viewStart(in)
                                .reads(in, Access.slice(1).halo(1, 1))
                                .chunkStart()
                                .scalar((long) n)
                                .updates(out, Access.slice(1));
                    }
                    job.jvm(chunk -> {
                        IntBuffer view = ints(chunk.buffer(12)); // the second kernel's, which is the first one's
                        for (int i = 0; i < chunk.units(); i++) {
                            int value = ints(chunk.buffer(0)).get(i);
                            ints(chunk.buffer(1)).put(i, value);
                            ints(chunk.buffer(2)).put(i, value % 3 == 0 ? 1 : 0);
                            int sum = value + 1;
                            for (int d = -1; d <= 1; d++) {
                                long unit = chunk.firstUnit() + i + d;
                                sum += unit < 0 || unit >= n ? 0 : 2 * view.get(chunk.viewStart(12) + i + d);
                            }
                            ints(chunk.buffer(4)).put(i, sum);
                        }
                    });
                    Report report = evener.submit(job.build()).join();
                    int[] expected = new int[n];
                    int found = 0;
                    for (int i = 0; i < n; i++) {
                        int value = i * 7 % 1000;
                        if (value % 3 == 0) {
                            assertEquals(value, kept.ints().get(found++), report::summary);
                        }
                        int before = i == 0 ? 0 : (i - 1) * 7 % 1000;
                        int after = i == n - 1 ? 0 : (i + 1) * 7 % 1000;
                        expected[i] = value + 1 + 2 * (before + value + after);
                    }
                    assertEquals(found, count.ints().get(0), report::summary);
                    assertArrayEquals(expected, Ints.first(out, n), report::summary);
                }
            }
        }
    }

    /** Fixed launches have one dimension, in a range of two as well. */
    @Test
    void fixedLaunchesGoWithRows() {
        int columns = 13;
        for (int rows : List.of(1, 16, 500)) {
            try (HostBuffer out = evener.allocate(ElementType.UBYTE, (long) rows * columns);
                    HostBuffer launches = evener.allocate(ElementType.UINT, 1)) {
                Job job = Job.named("rows")
                        .source(KERNELS)
                        .range(columns, rows)
                        .policy(Policies.fixed())
                        .kernel("rows")
                        .writes(out, Access.slice(columns))
                        .scalar(columns)
                        .jvm(chunk -> {
                            for (int i = 0; i < chunk.units() * columns; i++) {
                                chunk.buffer(0).put(i, (byte) (i % columns + 12));
                            }
                            ints(chunk.buffer(5)).put(0, ints(chunk.buffer(5)).get(0) + 12);
                        })
                        .then("fixed")
                        .updates(out, Access.slice(columns))
                        .scalar(columns)
                        .chunkUnits()
                        .reduces(launches, Reduction.SUM)
                        .variant(DeviceKind.CPU, Variant.groups(3).withGroupSize(4))
                        .variant(DeviceKind.GPU, Variant.groups(3).withGroupSize(4))
                        .build();
                Report report = evener.submit(job).join();
                for (int i = 0; i < rows * columns; i++) {
                    assertEquals(i % columns + 12, out.bytes().get(i), report::summary);
                }
                if (evener.devices().stream().noneMatch(d -> d.kind() == DeviceKind.JVM)) { // its threads count each
                    int groups = launches.ints().get(0);
                    long once = 12L
                            * report.devices().stream()
                                    .mapToLong(Report.DeviceUse::chunks)
                                    .sum();
                    if (inPieces()) {
                        assertTrue(groups >= once && groups % 12 == 0, report::summary);
                    } else {
                        assertEquals(once, groups, report::summary);
                    }
                }
            }
        }
    }
}
