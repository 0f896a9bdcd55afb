package dev.evener.kernels.scan;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.reference.ResultComparison;
import dev.evener.kernels.reference.ScanReference;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScanTest {

    @ParameterizedTest
    @ValueSource(strings = {"0.1", "jvm"})
    void everyTypeOperationAndKind(String device) {
        try (Evener evener = open(device)) {
            boolean even = false;
            for (ElementType type : List.of(ElementType.INT, ElementType.UINT, ElementType.LONG, ElementType.FLOAT)) {
                even = !even;
                for (Operation operation : Operation.values()) {
                    // Half of the combinations, so as not to build all programs; the rest differ in no other line.
                    even = !even;
                    ScanKind kind = even ? ScanKind.INCLUSIVE : ScanKind.EXCLUSIVE;
                    boolean groups = device.equals("0.1") && operation == Operation.MAX;
                    ScanCase one = new ScanCase(type, operation, kind, Data.SPECIAL, 2 * Scan.TILE + 100, groups);
                    one.check(one.run(evener, Policies.single()));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Data.class)
    void referenceIsTheJdks(Data data) {
        long[] longs = (long[]) data.make(ElementType.LONG, 70_001, 1);
        int[] ints = (int[]) data.make(ElementType.INT, 70_001, 1);
        float[] floats = (float[]) data.make(ElementType.FLOAT, 70_001, 1);

        long[] sums = longs.clone();
        Arrays.parallelPrefix(sums, Long::sum);
        assertArrayEquals(sums, ScanReference.scan(ScanKind.INCLUSIVE, Operation.ADD, longs));
        long[] least = longs.clone();
        Arrays.parallelPrefix(least, Math::min);
        assertArrayEquals(least, ScanReference.scan(ScanKind.INCLUSIVE, Operation.MIN, longs));
        long[] greatest = longs.clone();
        Arrays.parallelPrefix(greatest, Math::max);
        assertArrayEquals(greatest, ScanReference.scan(ScanKind.INCLUSIVE, Operation.MAX, longs));

        int[] expected = ints.clone();
        Arrays.parallelPrefix(expected, Integer::sum);
        assertArrayEquals(expected, ScanReference.scan(ScanKind.INCLUSIVE, Operation.ADD, ints));
        assertArrayEquals(expected, ScanReference.scanUnsigned(ScanKind.INCLUSIVE, Operation.ADD, ints));
        int[] unsigned = ints.clone();
        Arrays.parallelPrefix(unsigned, (a, b) -> Integer.compareUnsigned(a, b) > 0 ? a : b);
        assertArrayEquals(unsigned, ScanReference.scanUnsigned(ScanKind.INCLUSIVE, Operation.MAX, ints));
        int[] shifted = ScanReference.scan(ScanKind.EXCLUSIVE, Operation.ADD, ints);
        assertEquals(0, shifted[0]);
        assertArrayEquals(Arrays.copyOf(expected, expected.length - 1), Arrays.copyOfRange(shifted, 1, shifted.length));
        assertEquals(Integer.MAX_VALUE, ScanReference.scan(ScanKind.EXCLUSIVE, Operation.MIN, ints)[0]);
        assertEquals(-1, ScanReference.scanUnsigned(ScanKind.EXCLUSIVE, Operation.MIN, ints)[0]);

        assertFloats(data, floats);
    }

    private static void assertFloats(Data data, float[] floats) {
        float[] actual = ScanReference.scan(ScanKind.INCLUSIVE, Operation.ADD, floats);
        float[] before = ScanReference.scan(ScanKind.EXCLUSIVE, Operation.ADD, floats);
        assertEquals(0, Float.floatToRawIntBits(before[0]));
        double sum = 0;
        double size = 0;
        for (int i = 0; i < floats.length; i++) {
            assertClose(sum, before[i], size, data + " before " + i);
            sum += floats[i];
            size += Math.abs(floats[i]);
            assertClose(sum, actual[i], size, data + " at " + i);
        }
        float[] least = ScanReference.scan(ScanKind.INCLUSIVE, Operation.MIN, floats);
        float expected = Float.POSITIVE_INFINITY;
        for (int i = 0; i < floats.length; i++) {
            expected = Math.min(expected, floats[i]);
            assertEquals(expected, least[i]);
        }
    }

    /** At most 4 + 15 + 15 + 15 + 1 roundings and one for each row, each relative to the sum of magnitudes. */
    private static void assertClose(double expected, float actual, double size, String where) {
        assertTrue(
                ResultComparison.agree(actual, expected, 60 * 0x1p-24 * size),
                () -> where + ": " + actual + " for " + expected);
    }

    @Test
    void plainCallsScanAtOnceAndLeaveTheRestOfTheOutputAlone() {
        try (Evener evener = open("0.0,0.1")) {
            HostBuffer input = evener.allocate(ElementType.INT, 10_000);
            HostBuffer output = evener.allocate(ElementType.INT, 10_003);
            for (int i = 0; i < 10_000; i++) {
                input.ints().put(i, i);
            }
            output.ints().put(10_000, -5).put(10_002, -6);
            assertEquals(2, Scan.inclusive(evener, Operation.ADD, input, output).units());
            assertEquals(9_999 * 10_000 / 2, output.ints().get(9_999));
            Scan.exclusive(evener, Operation.MAX, input, output);
            assertEquals(9_998, output.ints().get(9_999));
            assertEquals(Integer.MIN_VALUE, output.ints().get(0));
            assertEquals(-5, output.ints().get(10_000));
            assertEquals(-6, output.ints().get(10_002));
        }
    }

    @Test
    void plainMemoryIsScannedInPlace() {
        ByteBuffer in = memory(20_000);
        ByteBuffer out = memory(20_000);
        for (int i = 0; i < 5_000; i++) {
            in.putInt(4 * i, i);
        }
        try (Evener evener = open("0.1");
                HostBuffer input = evener.wrap(ElementType.INT, in);
                HostBuffer again = evener.wrap(ElementType.INT, in);
                HostBuffer output = evener.wrap(ElementType.INT, out)) {
            Scan.inclusive(evener, Operation.ADD, input, output);
            assertEquals(4_999 * 5_000 / 2, out.getInt(4 * 4_999));
            Scan.exclusive(evener, Operation.ADD, input, output);
            assertEquals(4_998 * 4_999 / 2, out.getInt(4 * 4_999));
            SegmentedScan.inclusive(evener, input, output, 10);
            assertEquals(4_990 + 4_991, out.getInt(4 * 4_991));
            SegmentedScan.exclusive(evener, input, output, 10);
            assertEquals(4_990, out.getInt(4 * 4_991));
            assertThrows(IllegalArgumentException.class, () -> Scan.inclusive(evener, Operation.ADD, input, again));
            assertThrows(IllegalArgumentException.class, () -> SegmentedScan.inclusive(evener, input, again, 10));
        }
    }

    private static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes + 8192)
                .alignedSlice(4096)
                .slice(0, bytes)
                .order(ByteOrder.nativeOrder());
    }

    @Test
    void oneScanServesInputsOfDifferentSizesAndTypes() {
        try (Evener evener = open("0.1");
                Scan scan = new Scan(evener::allocate)) {
            for (ElementType type : List.of(ElementType.LONG, ElementType.INT, ElementType.FLOAT)) {
                for (int count : new int[] {9_000, 100, 50_000}) {
                    HostBuffer input = evener.allocate(type, 50_000);
                    HostBuffer output = evener.allocate(type, count);
                    Data.fill(input, Data.CONSTANT.make(type, 50_000, 1));
                    evener.submit(scan.job(ScanKind.INCLUSIVE, Operation.MAX, input, output, count))
                            .join();
                    assertArrayEquals(
                            new Object[] {Data.bits(Data.CONSTANT.make(type, count, 1))},
                            new Object[] {Data.content(output)});
                }
            }
        }
    }

    /** Parts that begin at rows, of data that ends within one, are what one scan gives. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "jvm"})
    void partsWithCarriesAreTheWhole(String devices) {
        int count = 5 * Scan.ROW + 2 * Scan.TILE + 17;
        int part = 2 * Scan.ROW;
        try (Evener evener = open(devices);
                Scan scan = new Scan(evener::allocate)) {
            for (Object[] each : new Object[][] {
                {ElementType.INT, Operation.ADD},
                {ElementType.UINT, Operation.MIN},
                {ElementType.LONG, Operation.ADD},
                {ElementType.FLOAT, Operation.ADD},
                {ElementType.FLOAT, Operation.MAX}
            }) {
                ElementType type = (ElementType) each[0];
                Operation operation = (Operation) each[1];
                ScanKind kind = type == ElementType.INT ? ScanKind.EXCLUSIVE : ScanKind.INCLUSIVE;
                Data data = type == ElementType.FLOAT ? Data.SPECIAL : Data.UNIFORM;
                HostBuffer all = evener.allocate(type, count);
                HostBuffer results = evener.allocate(type, count);
                HostBuffer rows = evener.allocate(type, count / Scan.ROW + 1);
                Data.fill(all, data.make(type, count, count));
                evener.submit(scan.rowTotals(operation, all, count, rows)).join();
                Scan.carries(operation, type, rows.bytes());
                int width = type.bytes();
                for (int first = 0; first < count; first += part) {
                    int elements = Math.min(part, count - first);
                    HostBuffer input = evener.allocate(type, elements);
                    HostBuffer output = evener.allocate(type, elements);
                    HostBuffer carry = evener.allocate(type, 1);
                    input.bytes().put(all.bytes((long) first * width, elements * width));
                    carry.bytes().put(rows.bytes((long) (first / Scan.ROW) * width, width));
                    evener.submit(scan.job(kind, operation, input, output, elements, carry))
                            .join();
                    results.bytes((long) first * width, elements * width).put(output.bytes());
                }
                new ScanCase(type, operation, kind, data, count, false).check(Data.content(results));
            }
        }
    }

    @Test
    void carriesAndRowsOfTheWrongTypeAreRefused() {
        HostBuffer ints = TestBuffers.allocate(ElementType.INT, 2 * Scan.ROW);
        HostBuffer output = TestBuffers.allocate(ElementType.INT, 2 * Scan.ROW);
        HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, 2);
        HostBuffer one = TestBuffers.allocate(ElementType.INT, 1);
        try (Scan scan = new Scan(TestBuffers::allocate)) {
            refused(
                    "carry must be an element of int",
                    () -> scan.job(ScanKind.INCLUSIVE, Operation.ADD, ints, output, 9, floats));
            refused("must hold int", () -> scan.rowTotals(Operation.ADD, ints, 2 * Scan.ROW, floats));
            refused("has 1 elements, 2 are needed", () -> scan.rowTotals(Operation.ADD, ints, 2 * Scan.ROW, one));
            scan.rowTotals(Operation.ADD, ints, 2 * Scan.ROW - 1, one);
        }
    }

    @Test
    void wrongBuffersAreRefusedWithTheReason() {
        HostBuffer ints = TestBuffers.allocate(ElementType.INT, 10);
        HostBuffer few = TestBuffers.allocate(ElementType.INT, 9);
        HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, 10);
        HostBuffer bytes = TestBuffers.allocate(ElementType.BYTE, 10);
        assertRefused("has 9 elements, 10 are needed", ints, few, 10);
        assertRefused("must hold int", ints, floats, 10);
        assertRefused("not char", bytes, bytes, 10);
        assertRefused("one buffer", ints, ints, 10);
        assertRefused("give 0 to 10", ints, few, 11);
        assertRefused("give 0 to 10", ints, few, -1);
    }

    private static void assertRefused(String part, HostBuffer input, HostBuffer output, long elements) {
        try (Scan scan = new Scan(TestBuffers::allocate)) {
            refused(part, () -> scan.job(ScanKind.INCLUSIVE, Operation.ADD, input, output, elements));
        }
    }

    @Test
    void closeReleasesWhatItAllocated() {
        List<HostBuffer> made = new ArrayList<>();
        try (Scan scan = new Scan((type, elements) -> {
            HostBuffer buffer = TestBuffers.allocate(type, elements);
            made.add(buffer);
            return buffer;
        })) {
            HostBuffer small = TestBuffers.allocate(ElementType.INT, 10);
            HostBuffer large = TestBuffers.allocate(ElementType.INT, 100_000);
            HostBuffer output = TestBuffers.allocate(ElementType.INT, 100_000);
            scan.job(ScanKind.INCLUSIVE, Operation.ADD, small, output);
            scan.job(ScanKind.INCLUSIVE, Operation.ADD, large, output);
            scan.job(ScanKind.INCLUSIVE, Operation.ADD, small, output);
        }
        assertEquals(2, made.size());
        assertTrue(made.stream().allMatch(HostBuffer::isClosed));
    }
}
