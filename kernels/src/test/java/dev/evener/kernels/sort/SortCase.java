package dev.evener.kernels.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Keys to sort. Values, if there are any, are the places that the keys come from, so that they tell whether equal keys
 * kept their order.
 *
 * @param groupsOnCpus whether to run the form for other devices on CPUs
 * @param options more for the compiler
 */
record SortCase(ElementType type, SortData data, int n, boolean pairs, boolean groupsOnCpus, String options)
        implements TunedCase {
    /** What NVIDIA's GPUs run, by way of local memory. */
    static final String WARPS = "-D EMULATED_WARPS";

    SortCase(ElementType type, SortData data, int n, boolean pairs, boolean groupsOnCpus) {
        this(type, data, n, pairs, groupsOnCpus, "");
    }

    static SortCase warps(ElementType type, SortData data, int n, boolean pairs) {
        return new SortCase(type, data, n, pairs, true, WARPS);
    }

    @Override
    public String name() {
        return type + " " + data + ", " + n + (pairs ? " pairs" : " keys") + (groupsOnCpus ? " in groups" : "")
                + options;
    }

    /** The bytes of the sorted keys, then of their values; what lies behind them must be untouched. */
    @Override
    public byte[] run(Evener evener, Policy policy, Tuning tuning) {
        int spare = 3;
        try (RadixSort sort = new RadixSort(evener::allocate, tuning, groupsOnCpus, options);
                HostBuffer keys = evener.allocate(type, n);
                HostBuffer values = evener.allocate(ElementType.INT, n);
                HostBuffer sortedKeys = evener.allocate(type, n + spare);
                HostBuffer sortedValues = evener.allocate(ElementType.INT, n + spare)) {
            keys.bytes().put(data.keys(type, n));
            for (int i = 0; i < n; i++) {
                values.ints().put(i, i);
            }
            evener.submit(pairs ? sort.job(keys, values, sortedKeys, sortedValues) : sort.job(keys, sortedKeys), policy)
                    .join();
            byte[] output = new byte[(int) (sortedKeys.byteSize() + (pairs ? sortedValues.byteSize() : 0))];
            sortedKeys.bytes().get(output, 0, (int) sortedKeys.byteSize());
            if (pairs) {
                sortedValues.bytes().get(output, (int) sortedKeys.byteSize(), (int) sortedValues.byteSize());
            }
            return output;
        }
    }

    @Override
    public void check(Object output) {
        ByteBuffer keys = data.keys(type, n);
        int size = type.bytes();
        int room = n + 3;
        ByteBuffer expected = ByteBuffer.allocate(room * size + (pairs ? room * Integer.BYTES : 0))
                .order(ByteOrder.nativeOrder());
        int[] order = RadixSortReference.order(type, keys);
        for (int i = 0; i < n; i++) {
            expected.put(i * size, keys, order[i] * size, size);
            if (pairs) {
                expected.putInt(room * size + i * Integer.BYTES, order[i]);
            }
        }
        assertArrayEquals(expected.array(), (byte[]) output);
    }
}
