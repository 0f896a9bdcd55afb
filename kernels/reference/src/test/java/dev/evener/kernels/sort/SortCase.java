package dev.evener.kernels.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.reference.RadixSortReference;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Keys to sort. Values, if there are any, are the places that the keys come from, so that they tell whether equal keys
 * kept their order.
 *
 * @param form what CPUs run: 1 their own, 2 in groups, 3 in groups whose warps exchange values
 */
record SortCase(ElementType type, SortData data, int n, boolean pairs, int form) implements TunedCase {
    SortCase(ElementType type, SortData data, int n, boolean pairs, boolean groupsOnCpus) {
        this(type, data, n, pairs, groupsOnCpus ? 2 : 1);
    }

    @Override
    public String name() {
        return type + " " + data + ", " + n + (pairs ? " pairs" : " keys") + " in form " + form;
    }

    /** The bytes of the sorted keys, then of their values; what lies behind them must be untouched. */
    @Override
    public byte[] run(Evener evener, Policy policy, Tuning tuning) {
        int spare = 3;
        try (RadixSort sort = new RadixSort(evener::allocate, tuning);
                HostBuffer keys = evener.allocate(type, n);
                HostBuffer values = evener.allocate(ElementType.INT, n);
                HostBuffer sortedKeys = evener.allocate(type, n + spare);
                HostBuffer sortedValues = evener.allocate(ElementType.INT, n + spare)) {
            keys.bytes().put(data.keys(type, n));
            for (int i = 0; i < n; i++) {
                values.ints().put(i, i);
            }
            Job job = GpuForms.job(
                    form,
                    "",
                    pairs
                            ? sort.job(RadixSort.keys(keys)
                                    .into(sortedKeys)
                                    .values(values)
                                    .into(sortedValues))
                            : sort.job(keys, sortedKeys));
            evener.submit(job, policy).join();
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
