package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.kernels.sort.RadixSortReference;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Numbers in ascending order, alone or with a value each. */
final class SortKeys implements Workload {
    private static final ElementType VALUES = ElementType.UINT;

    private static final Parameter<ElementType> TYPE = ElementTypes.parameter(
            ElementType.UINT,
            ElementType.INT,
            ElementType.FLOAT,
            ElementType.ULONG,
            ElementType.LONG,
            ElementType.DOUBLE);
    private static final Parameter<Boolean> PAIRS =
            Parameter.flag("pairs", "whether each key has a uint that goes with it");

    @Override
    public About about() {
        return new About(
                "sort",
                "numbers in ascending order, alone or with a value each",
                "key",
                "place in the result",
                "the keys in order, of their type; with pairs, then their values",
                List.of(64L << 10, 1L << 20, 4L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE, PAIRS, HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        Input keys = Input.of("keys", values.get(TYPE), "what is sorted");
        return values.get(PAIRS) ? List.of(keys, Input.of("values", VALUES, "what goes with the keys")) : List.of(keys);
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.most(values.get(TYPE));
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
    }

    private static final class Prepared extends PreparedData {
        private final ElementType type;
        private final HostBuffer keys;
        private final HostBuffer sorted;
        private final @Nullable HostBuffer values;
        private final @Nullable HostBuffer sortedValues;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            type = request.get(TYPE);
            long items = request.items();
            keys = input(0, items);
            sorted = allocate(type, items);
            RadixSort sort = new RadixSort(buffers::allocate, request.tuning());
            if (request.get(PAIRS)) {
                values = input(1, items);
                sortedValues = allocate(VALUES, items);
                job = sort.job(keys, values, sorted, sortedValues);
            } else {
                values = null;
                sortedValues = null;
                job = sort.job(keys, sorted);
            }
        }

        @Override
        public long items() {
            return keys.elements();
        }

        /** In and out once: how often a device reads them in between depends on how it sorts. */
        @Override
        public double bytesPerItem() {
            return 2.0 * (type.bytes() + (values == null ? 0 : VALUES.bytes()));
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            Differences.spoil(sorted);
            if (sortedValues != null) {
                Differences.spoil(sortedValues);
            }
        }

        @Override
        public @Nullable String mismatch() {
            int[] order = RadixSortReference.order(type, keys.bytes().slice());
            String mismatch = mismatch("sorted", keys, sorted, order);
            return mismatch != null || values == null || sortedValues == null
                    ? mismatch
                    : mismatch("values", values, sortedValues, order);
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

        @Override
        public Output output() {
            Output first = Output.of(sorted);
            return sortedValues == null
                    ? first
                    : target -> {
                        first.writeTo(target);
                        Output.of(sortedValues).writeTo(target);
                    };
        }
    }
}
