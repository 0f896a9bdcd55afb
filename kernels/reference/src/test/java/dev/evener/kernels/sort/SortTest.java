package dev.evener.kernels.sort;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.reference.RadixSortReference;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SortTest {
    private static final List<Policy> POLICIES =
            List.of(Policies.single(0), Policies.fixed(0.37, 0.63), Policies.stealing(5));

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"FLOAT", "ULONG", "LONG"}) // the others are in the conformance suite
    void typesOfKeysInEveryOrder(ElementType type) {
        try (Evener evener = open("0.0,jvm")) {
            for (SortData data : SortData.values()) {
                for (Policy policy : POLICIES) {
                    SortCase one = new SortCase(type, data, 3000, true, false);
                    one.check(one.run(evener, policy));
                }
            }
        }
    }

    @Test
    void theFormForOtherDevices() {
        GpuForms.check(Stream.of(SortData.UNIFORM, SortData.SKEWED, SortData.HIGH_BITS)
                .map(data -> new SortCase(ElementType.FLOAT, data, 9001, true, true))
                .toList());
    }

    @Test
    void theFormForWarps() {
        try (Evener evener = open(LongTests.ASKED_FOR ? "0.0,0.1" : "0.0,jvm")) { // one device builds it once
            for (SortData data : List.of(SortData.UNIFORM, SortData.SKEWED, SortData.HIGH_BITS)) {
                for (Policy policy : POLICIES) {
                    SortCase one = new SortCase(ElementType.FLOAT, data, 19_001, true, 3);
                    one.check(one.run(evener, policy));
                }
            }
            SortCase wide = new SortCase(ElementType.DOUBLE, SortData.SPECIAL, 9001, false, 3);
            wide.check(wide.run(evener, Policies.single(0), Tuning.defaults().with(Parameter.SORT_KEYS, 8)));
        }
    }

    @Test
    void manyKeys() {
        int n = 3_000_001;
        try (Evener evener = open("0.0,0.1");
                RadixSort sort = new RadixSort(evener::allocate);
                HostBuffer keys = evener.allocate(ElementType.UINT, n);
                HostBuffer sorted = evener.allocate(ElementType.UINT, n)) {
            int[] expected = new Random(5).ints(n, 0, Integer.MAX_VALUE).toArray();
            keys.ints().put(expected);
            Arrays.sort(expected);
            for (Policy policy : POLICIES) {
                sorted.ints().put(new int[n]);
                evener.submit(sort.job(keys, sorted), policy).join();
                int[] output = new int[n];
                sorted.ints().get(output);
                assertArrayEquals(expected, output, policy.name());
            }
        }
    }

    @Test
    void theReferenceIsTheOrderOfTheJdk() {
        for (SortData data : SortData.values()) {
            ByteBuffer keys = data.keys(ElementType.FLOAT, 1000);
            float[] expected = new float[1000];
            keys.asFloatBuffer().get(expected);
            float[] ordered = new float[1000];
            int[] order = RadixSortReference.order(ElementType.FLOAT, keys);
            for (int i = 0; i < 1000; i++) {
                ordered[i] = expected[order[i]];
            }
            Arrays.sort(expected);
            assertArrayEquals(expected, ordered);
        }
    }

    @Test
    void plainMemory() {
        int n = 10_000;
        try (Evener evener = open("0.0,jvm")) {
            ByteBuffer keys = aligned(n * Float.BYTES);
            ByteBuffer sorted = aligned(n * Float.BYTES);
            float[] expected = new float[n];
            Random random = new Random(3);
            for (int i = 0; i < n; i++) {
                expected[i] = (float) random.nextGaussian();
            }
            keys.asFloatBuffer().put(expected);
            try (HostBuffer from = evener.wrap(ElementType.FLOAT, keys);
                    HostBuffer to = evener.wrap(ElementType.FLOAT, sorted)) {
                RadixSort.sort(evener, from, to);
            }
            Arrays.sort(expected);
            float[] output = new float[n];
            sorted.asFloatBuffer().get(output);
            assertArrayEquals(expected, output);
        }
    }

    private static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(bytes + 2 * 4096)
                .alignedSlice(4096)
                .slice(0, bytes)
                .order(ByteOrder.nativeOrder());
    }

    private static Job pairs(
            RadixSort sort, HostBuffer keys, HostBuffer sortedKeys, HostBuffer values, HostBuffer sortedValues) {
        return sort.job(RadixSort.keys(keys).into(sortedKeys).values(values).into(sortedValues));
    }

    /** Of buffers of one type nobody can tell which is meant, and an input in a result's place is overwritten. */
    @Test
    void noCallTakesSeveralInputsAndResultsByTheirPlacesAlone() {
        for (Method each : RadixSort.class.getMethods()) {
            long buffers = Arrays.stream(each.getParameterTypes())
                    .filter(DataBuffer.class::isAssignableFrom)
                    .count();
            assertTrue(buffers <= 2, each::toString);
        }
    }

    /** Whatever order the two halves are named in, keys and values are read and the others written. */
    @Test
    void eachBufferIsWhatItIsNamed() {
        HostBuffer[] four = new HostBuffer[4];
        for (int i = 0; i < 4; i++) {
            four[i] = TestBuffers.allocate(ElementType.UINT, 10);
        }
        RadixSort.Sorting named =
                RadixSort.keys(four[0]).into(four[1]).values(four[2]).into(four[3]);
        assertEquals(new RadixSort.Sorting(four[0], four[1], four[2], four[3]), named);
    }

    @Test
    void wrongBuffersAreRefused() {
        HostBuffer keys = TestBuffers.allocate(ElementType.INT, 10);
        HostBuffer values = TestBuffers.allocate(ElementType.UINT, 10);
        HostBuffer sorted = TestBuffers.allocate(ElementType.INT, 10);
        HostBuffer sortedValues = TestBuffers.allocate(ElementType.UINT, 10);
        try (RadixSort sort = new RadixSort(TestBuffers::allocate)) {
            refused("one buffer is given", () -> sort.job(keys, keys));
            refused("one buffer is given", () -> pairs(sort, keys, sorted, values, values));
            refused("must hold int, not uint", () -> sort.job(keys, sortedValues));
            refused("has 9 elements, 10 are needed", () -> sort.job(keys, TestBuffers.allocate(ElementType.INT, 9)));
            refused(
                    "keys must be uint, int, float, ulong, long or double, not short",
                    () -> sort.job(
                            TestBuffers.allocate(ElementType.SHORT, 10), TestBuffers.allocate(ElementType.SHORT, 10)));
            refused(
                    "values must be uint, int or float, not double",
                    () -> pairs(sort, keys, sorted, TestBuffers.allocate(ElementType.DOUBLE, 10), sortedValues));
            refused(
                    "the values buffer has 9 elements",
                    () -> pairs(sort, keys, sorted, TestBuffers.allocate(ElementType.UINT, 9), sortedValues));
            refused(
                    "the sorted values buffer must hold uint, not float",
                    () -> pairs(sort, keys, sorted, values, TestBuffers.allocate(ElementType.FLOAT, 10)));
            assertEquals(10, pairs(sort, keys, sorted, values, sortedValues).units());
        }
    }

    @Test
    void theOrderOfKeysIsThatOfTheSortedResult() {
        float[] floats = {
            Float.NEGATIVE_INFINITY,
            -1,
            -0f,
            0f,
            Float.MIN_VALUE,
            1,
            Float.POSITIVE_INFINITY,
            Float.NaN,
            Float.intBitsToFloat(0x7fc00001),
            Float.intBitsToFloat(0xffc00001),
            Float.intBitsToFloat(0xffc00000)
        };
        long before = -1;
        for (float each : floats) {
            long number = RadixSort.order(ElementType.FLOAT, Float.floatToRawIntBits(each));
            assertTrue(
                    Long.compareUnsigned(before + 1, number + 1) < 0,
                    Integer.toHexString(Float.floatToRawIntBits(each)));
            before = number;
        }
        assertTrue(RadixSort.order(ElementType.INT, -1) < RadixSort.order(ElementType.INT, 0));
        assertTrue(RadixSort.order(ElementType.UINT, 0) < RadixSort.order(ElementType.UINT, -1));
        assertTrue(Long.compareUnsigned(
                        RadixSort.order(ElementType.LONG, Long.MIN_VALUE), RadixSort.order(ElementType.LONG, 5))
                < 0);
        refused("keys must be", () -> RadixSort.order(ElementType.BYTE, 0));
    }
}
