package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * What every set of lanes must do with slices, whole buffers, integer reductions and phases, whatever the split. The tests
 * compare with plain loops, at edge sizes and at every cut of a small job.
 */
abstract class JobConformance extends LaneConformance {

    private static final String SOURCE = """
            __kernel void saxpy(__global const int *x, __global int *y, int a) {
                size_t i = get_global_id(0);
                y[i] = a * x[i] + y[i];
            }
            __kernel void place(__global uint *out, ulong first, uint units) {
                size_t i = get_global_id(0);
                if (i < units) out[i] = (uint) (first + i) * 2654435761u;
            }
            __kernel void rows(__global const int *in, __global const int *weights, __global int *out) {
                size_t r = get_global_id(0);
                int sum = 0;
                for (int c = 0; c < 5; c++) sum += in[r * 5 + c] * weights[c];
                out[r] = sum;
            }
            __kernel void statistics(__global const int *in, __global uint *bins, __global int *least,
                                     __global ulong *most) {
                int v = in[get_global_id(0)];
                atomic_inc(bins + (v & 15));
                atomic_min(least, v);
                if (v == 41) most[0] = 1;
            }
            __kernel void shift(__global int *data, __global const int *by) {
                data[get_global_id(0)] += by[0];
            }
            """;

    private static final KernelSource KERNELS = KernelSource.of("conformance", SOURCE);

    @Test
    void mapsAtEdgeSizesUnderEveryPolicy() {
        for (int n : List.of(0, 1, 2, 15, 16, 31, 32, 33, 127, 128, 129, 1000, 4096, 100_003)) {
            for (Policy policy : policies()) {
                checkSaxpy(n, policy);
            }
        }
    }

    @Test
    void mapsAtEveryCut() {
        for (Policy policy : everyCut(24)) {
            checkSaxpy(777, policy);
        }
    }

    private void checkSaxpy(int n, Policy policy) {
        try (HostBuffer x = evener.allocate(ElementType.INT, n);
                HostBuffer y = evener.allocate(ElementType.INT, n)) {
            int[] fromX = new int[n];
            int[] fromY = new int[n];
            int[] expected = new int[n];
            for (int i = 0; i < n; i++) {
                fromX[i] = i * 7 - 3;
                fromY[i] = -i;
                expected[i] = 5 * fromX[i] - i;
            }
            Ints.putAll(x, fromX);
            Ints.putAll(y, fromY);
            Job job = Job.named("saxpy")
                    .source(KERNELS)
                    .units(n)
                    .policy(policy)
                    .kernel("saxpy")
                    .reads(x, n == 0 ? Access.slice(1) : Access.slice())
                    .updates(y, Access.slice(1))
                    .scalar(5)
                    .jvm(chunk -> {
                        IntBuffer xs = ints(chunk.buffer(0));
                        IntBuffer ys = ints(chunk.buffer(1));
                        for (int i = 0; i < chunk.units(); i++) {
                            ys.put(i, 5 * xs.get(i) + ys.get(i));
                        }
                    })
                    .build();
            Report report = evener.submit(job).join();
            int[] actual = Ints.first(y, n);
            assertArrayEquals(expected, actual, () -> report.summary());
            assertEquals(
                    n,
                    report.devices().stream().mapToLong(Report.DeviceUse::units).sum());
            if (n > 0 && copies()) {
                assertEquals(
                        8L * n,
                        report.devices().stream()
                                .mapToLong(Report.DeviceUse::bytesIn)
                                .sum());
                assertEquals(
                        4L * n,
                        report.devices().stream()
                                .mapToLong(Report.DeviceUse::bytesOut)
                                .sum());
            }
        }
    }

    @Test
    void chunksKnowTheirPlaceAndGuardRoundedLaunches() {
        for (int n : List.of(1, 63, 64, 65, 5000)) {
            try (HostBuffer out = evener.allocate(ElementType.UINT, n)) {
                Job job = Job.named("place")
                        .source(KERNELS)
                        .units(n)
                        .policy(Policies.fixed())
                        .kernel("place")
                        .writes(out, Access.slice())
                        .chunkStart()
                        .chunkUnits()
                        .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(16))
                        .variant(DeviceKind.GPU, Variant.itemsPerUnit(1).withGroupSize(64))
                        .jvm(chunk -> {
                            IntBuffer values = ints(chunk.buffer(0));
                            for (int i = 0; i < chunk.units(); i++) {
                                values.put(i, (int) (chunk.firstUnit() + i) * (int) 2654435761L);
                            }
                        })
                        .build();
                evener.submit(job).join();
                for (int i = 0; i < n; i++) {
                    assertEquals(i * (int) 2654435761L, Ints.at(out, i), "element " + i + " of " + n);
                }
            }
        }
    }

    @Test
    void unitsOfSeveralElementsReadWholeBuffers() {
        // Rows of 5 ints: their cuts fall on legal boundaries only every few dozen rows.
        int rows = 1001;
        try (HostBuffer in = evener.allocate(ElementType.INT, rows * 5 + 3, 5);
                HostBuffer weights = evener.allocate(ElementType.INT, 5);
                HostBuffer out = evener.allocate(ElementType.INT, rows)) {
            int[] expected = new int[rows];
            for (int c = 0; c < 5; c++) {
                weights.ints().put(c, c * c + 1);
            }
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < 5; c++) {
                    Ints.put(in, r * 5 + c, r ^ (c * 1234567));
                    expected[r] += (r ^ (c * 1234567)) * (c * c + 1);
                }
            }
            Job job = Job.named("rows")
                    .source(KERNELS)
                    .units(rows)
                    .policy(Policies.fixed())
                    .kernel("rows")
                    .reads(in, Access.slice(5))
                    .reads(weights, Access.whole())
                    .writes(out, Access.slice())
                    .jvm(chunk -> {
                        IntBuffer ins = ints(chunk.buffer(0));
                        IntBuffer w = ints(chunk.buffer(1));
                        IntBuffer outs = ints(chunk.buffer(2));
                        for (int r = 0; r < chunk.units(); r++) {
                            int sum = 0;
                            for (int c = 0; c < 5; c++) {
                                sum += ins.get(r * 5 + c) * w.get(c);
                            }
                            outs.put(r, sum);
                        }
                    })
                    .build();
            evener.submit(job).join();
            int[] actual = Ints.first(out, rows);
            assertArrayEquals(expected, actual);
        }
    }

    @Test
    void reductionsMergeAndPhasesSeeThem() {
        for (int n : List.of(0, 1, 500, 70_001)) {
            for (Policy policy : policies()) {
                checkPhases(n, policy);
            }
        }
    }

    private void checkPhases(int n, Policy policy) {
        try (HostBuffer data = evener.allocate(ElementType.INT, n);
                HostBuffer bins = evener.allocate(ElementType.UINT, 16);
                HostBuffer least = evener.allocate(ElementType.INT, 1);
                HostBuffer most = evener.allocate(ElementType.ULONG, 1);
                HostBuffer by = evener.allocate(ElementType.INT, 1)) {
            int[] expectedBins = new int[16];
            int expectedLeast = Integer.MAX_VALUE;
            boolean has41 = false;
            int[] expected = new int[n];
            for (int i = 0; i < n; i++) {
                int v = (i * 31) % 1009 - 100;
                expected[i] = v;
                expectedBins[v & 15]++;
                expectedLeast = Math.min(expectedLeast, v);
                has41 |= v == 41;
            }
            Ints.putAll(data, expected);
            bins.ints().put(3, 999); // former content is replaced, not added to
            AtomicLong combined = new AtomicLong();
            Job job = Job.named("phases")
                    .source(KERNELS)
                    .units(n)
                    .policy(policy)
                    .kernel("statistics")
                    .reads(data, Access.slice(1))
                    .reduces(bins, Reduction.SUM)
                    .reduces(least, Reduction.MIN)
                    .reduces(most, Reduction.MAX)
                    .jvm(chunk -> {
                        IntBuffer values = ints(chunk.buffer(0));
                        for (int i = 0; i < chunk.units(); i++) {
                            int v = values.get(i);
                            ByteBuffer b = chunk.buffer(1);
                            b.putInt((v & 15) * 4, b.getInt((v & 15) * 4) + 1);
                            chunk.buffer(2)
                                    .putInt(0, Math.min(v, chunk.buffer(2).getInt(0)));
                            if (v == 41) {
                                chunk.buffer(3).putLong(0, 1);
                            }
                        }
                    })
                    .hostStep(() -> {
                        combined.incrementAndGet();
                        by.ints().put(0, least.ints().get(0));
                    })
                    .kernel("shift")
                    .updates(data, Access.slice(1))
                    .reads(by, Access.whole())
                    .jvm(chunk -> {
                        IntBuffer values = ints(chunk.buffer(0));
                        int shift = chunk.buffer(1).getInt(0);
                        for (int i = 0; i < chunk.units(); i++) {
                            values.put(i, values.get(i) + shift);
                        }
                    })
                    .build();
            evener.submit(job).join();
            int[] actualBins = new int[16];
            bins.ints().get(actualBins);
            assertArrayEquals(expectedBins, actualBins);
            assertEquals(expectedLeast, least.ints().get(0));
            assertEquals(has41 ? 1 : 0, most.bytes().getLong(0));
            assertEquals(1, combined.get());
            for (int i = 0; i < n; i++) {
                expected[i] += expectedLeast;
            }
            assertArrayEquals(expected, Ints.first(data, n));
        }
    }

    @Test
    void timesAreOnThisProcessesClock() {
        int n = inPieces() ? 1 << 16 : 1 << 20; // pieces may be as small as a few units
        try (HostBuffer out = evener.allocate(ElementType.UINT, n)) {
            Job job = Job.named("place")
                    .source(KERNELS)
                    .units(n)
                    .policy(Policies.fixed())
                    .kernel("place")
                    .writes(out, Access.slice())
                    .chunkStart()
                    .chunkUnits()
                    .jvm(chunk -> ints(chunk.buffer(0)).put(0, 1))
                    .build();
            for (int i = 0; i < 5; i++) {
                Report report = evener.submit(job).join();
                assertTrue(report.deviceNanos() > 0, report.toString());
                for (Report.DeviceUse device : report.devices()) {
                    assertTrue(device.busyNanos() > 0, report.toString());
                    assertTrue(device.busyNanos() <= report.wallNanos() + 1_000_000, report.toString());
                }
            }
            // When devices began and ended is known as well as the host saw it, which it does poorly where the
            // operating
            // system takes the core away meanwhile. Clocks that are wrongly laid on each other never fit.
            Report report = evener.submit(job).join();
            for (int i = 0; i < 1000 && report.deviceNanos() > report.wallNanos() + 1_000_000; i++) {
                report = evener.submit(job).join();
            }
            assertTrue(report.deviceNanos() <= report.wallNanos() + 1_000_000, report.toString());
        }
    }
}
