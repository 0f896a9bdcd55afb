package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.kernels.sort.RadixSortReference;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Numbers in ascending order, alone or with a value each. */
final class SortKeys extends Workload {
    private static final Parameter<ElementType> TYPE = Parameter.type(
            ElementType.UINT,
            ElementType.INT,
            ElementType.FLOAT,
            ElementType.ULONG,
            ElementType.LONG,
            ElementType.DOUBLE);
    private static final Parameter<Boolean> PAIRS =
            Parameter.flag("pairs", "whether each key has a uint that goes with it");

    SortKeys() {
        super("sort", "numbers in ascending order, alone or with a value each");
        items("key", "place in the result", 64L << 10, 1L << 20, 4L << 20);
        parameters(TYPE, PAIRS, Setup.RESIDENT);
        reads("keys", TYPE, "what is sorted");
        reads("values", ElementType.UINT, "what goes with the keys");
        writes("the keys in order, of their type; with pairs, then their values");
    }

    @Override
    public List<Input> inputs(Values values) {
        return super.inputs(values).subList(0, values.get(PAIRS) ? 2 : 1);
    }

    /** Bytes are in and out once: how often a device reads them in between depends on how it sorts. */
    @Override
    public void prepare(Setup setup) {
        RadixSort sort = new RadixSort(setup::allocate, setup.tuning());
        HostBuffer keys = setup.input(0);
        HostBuffer sorted = setup.output(keys.type(), setup.items());
        if (!setup.get(PAIRS)) {
            setup.job(sort.job(keys, sorted))
                    .bytesPerItem(2.0 * keys.type().bytes())
                    .check(() -> mismatch("sorted", keys, sorted, order(keys)));
            return;
        }
        HostBuffer values = setup.input(1);
        HostBuffer sortedValues = setup.output(values.type(), setup.items());
        setup.job(sort.job(keys, values, sorted, sortedValues))
                .bytesPerItem(2.0 * (keys.type().bytes() + values.type().bytes()))
                .check(() -> {
                    int[] order = order(keys);
                    String mismatch = mismatch("sorted", keys, sorted, order);
                    return mismatch != null ? mismatch : mismatch("values", values, sortedValues, order);
                });
    }

    private static int[] order(HostBuffer keys) {
        return RadixSortReference.order(keys.type(), keys.bytes().slice());
    }

    private static @Nullable String mismatch(String name, HostBuffer before, HostBuffer after, int[] order) {
        ByteBuffer from = before.bytes();
        ByteBuffer expected = ByteBuffer.allocateDirect(from.limit()).order(from.order());
        int bytes = before.type().bytes();
        for (int i = 0; i < order.length; i++) {
            expected.put(i * bytes, from, order[i] * bytes, bytes);
        }
        return Differences.first(name, after, expected);
    }
}
