package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** More bytes than a {@link ByteBuffer} holds and more units than an {@code int} counts, on OpenCL and Java lanes at once. */
@InTurn(2)
class LargeJobsTest {
    private static final KernelSource SOURCE = KernelSource.of("large", """
            uchar mark(ulong unit) { return (uchar) (unit ^ unit >> 8 ^ unit >> 16 ^ unit >> 24 ^ unit >> 32); }
            __kernel void marks(__global uchar *data, ulong first, uint units) {
                uint i = (uint) get_global_id(0) * 65536u;
                uint to = min(i + 65536u, units);
                while (i < to) { // 256 units have all but their lowest byte in common
                    ulong unit = first + i;
                    uchar high = mark(unit >> 8 << 8);
                    uint end = min(to, i + 256u - (uint) (unit & 255));
                    for (uchar low = (uchar) unit; i < end; i++, low++) data[i] = (uchar) (3 * data[i] + (low ^ high));
                }
            }
            __kernel void census(ulong first, uint units, __global uint *low, __global uint *high) {
                ulong from = (ulong) get_global_id(0) * 65536;
                ulong to = min(from + 65536, (ulong) units);
                uint start = (uint) (first + from), sum = 0;
                for (uint i = 0; i < (uint) (to - from); i++) sum += (start + i) & 7;
                atomic_add(low, sum);
                for (ulong b = (first + from) >> 28; from < to && b <= (first + to - 1) >> 28; b++)
                    atomic_add(high + b, (uint) (min(first + to, (b + 1) << 28) - max(first + from, b << 28)));
            }
            """);

    /** Of the bytes of a buffer, every so many is looked at: a mistake over whole pieces or vectors hits several of them. */
    private static final int STEP = LongTests.orAll(61, 1);

    private Evener evener;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1,jvm"))
                .policy(Policies.fixed(0.43, 0.43, 0.14)) // Java is slowest, byte by byte
                .history(History.inMemory())
                .open();
    }

    @AfterEach
    void close() {
        evener.close();
    }

    private static int mark(long unit) {
        return (int) (unit ^ unit >> 8 ^ unit >> 16 ^ unit >> 24 ^ unit >> 32);
    }

    private static byte before(long unit) {
        return (byte) (unit >> 13);
    }

    @Test
    void aBufferMayExceedTwoGigabytes() {
        long bytes = (1L << 31) + 12_345;
        try (HostBuffer data = evener.allocate(ElementType.UBYTE, bytes)) {
            assertEquals(bytes, data.byteSize());
            assertTrue(data.segmentCount() > 1);
            fill(data);
            Job job = Job.named("marks")
                    .units(bytes)
                    .source(SOURCE)
                    .kernel("marks")
                    .updates(data, Access.slice())
                    .chunkStart()
                    .chunkUnits()
                    .variant(DeviceKind.CPU, Variant.unitsPerItem(65_536))
                    .variant(DeviceKind.GPU, Variant.unitsPerItem(65_536))
                    .jvm(c -> {
                        ByteBuffer view = c.buffer(0);
                        for (int i = 0; i < c.units(); i++) {
                            view.put(i, (byte) (3 * view.get(i) + mark(c.firstUnit() + i)));
                        }
                    })
                    .build();
            Report report = evener.submit(job).join();
            assertEquals(List.of(), report.failures());
            assertEquals(
                    bytes,
                    report.devices().stream().mapToLong(Report.DeviceUse::units).sum());
            report.devices().forEach(d -> assertTrue(d.units() > 1 << 28, report.summary()));
            check(data);
        }
    }

    private static void fill(HostBuffer data) {
        List<ByteBuffer> segments = data.segments();
        for (int s = 0; s < segments.size(); s++) {
            ByteBuffer segment = segments.get(s);
            long from = s * data.segmentBytes();
            int words = segment.limit() & -Long.BYTES;
            for (int i = 0; i < words; i += Long.BYTES) { // eight neighbours are alike
                segment.putLong(i, (before(from + i) & 0xFF) * 0x0101010101010101L);
            }
            for (int i = words; i < segment.limit(); i++) {
                segment.put(i, before(from + i));
            }
        }
    }

    private static void check(HostBuffer data) {
        List<ByteBuffer> segments = data.segments();
        for (int s = 0; s < segments.size(); s++) {
            ByteBuffer segment = segments.get(s);
            long from = s * data.segmentBytes();
            int end = segment.limit() - 4096;
            for (int i = 0; i < segment.limit(); i += i < end ? STEP : 1) {
                long unit = from + i;
                if (segment.get(i) != (byte) (3 * before(unit) + mark(unit))) {
                    throw new AssertionError("byte " + unit + " is " + segment.get(i));
                }
            }
        }
    }

    @Test
    void aJobMayExceedFourGigaunits() {
        long units = (1L << 32) + 4_099;
        try (HostBuffer low = evener.allocate(ElementType.UINT, 1);
                HostBuffer high = evener.allocate(ElementType.UINT, 17)) {
            Job job = Job.named("census")
                    .units(units)
                    .source(SOURCE)
                    .kernel("census")
                    .chunkStart()
                    .chunkUnits()
                    .reduces(low, Reduction.SUM)
                    .reduces(high, Reduction.SUM)
                    .variant(DeviceKind.CPU, Variant.unitsPerItem(65_536))
                    .variant(DeviceKind.GPU, Variant.unitsPerItem(65_536))
                    .jvm(c -> {
                        int start = (int) c.firstUnit();
                        int sum = 0;
                        for (int i = 0; i < c.units(); i++) {
                            sum += (start + i) & 7;
                        }
                        c.buffer(2).putInt(0, sum);
                        long end = c.firstUnit() + c.units();
                        for (long at = c.firstUnit(); at < end; at = ((at >> 28) + 1) << 28) {
                            c.buffer(3).putInt((int) (at >> 28) * 4, (int)
                                    (Math.min(end, ((at >> 28) + 1) << 28) - at));
                        }
                    })
                    .build();
            Report report = evener.submit(job, Policies.fixed(0.49, 0.49, 0.02)).join();
            assertEquals(List.of(), report.failures());
            assertEquals(
                    units,
                    report.devices().stream().mapToLong(Report.DeviceUse::units).sum());
            // Every eight units sum up to 28; sums wrap.
            assertEquals((int) (28 * (units / 8) + 0 + 1 + 2), low.ints().get(0));
            for (int b = 0; b < 17; b++) {
                assertEquals(b < 16 ? 1 << 28 : 4_099, high.ints().get(b), "units of part " + b);
            }
        }
    }
}
