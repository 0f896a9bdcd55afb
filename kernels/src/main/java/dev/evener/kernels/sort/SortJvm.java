package dev.evener.kernels.sort;

import dev.evener.JvmKernel;
import java.nio.ByteBuffer;

/**
 * The Java form of the sort's phases. Keys are numbers in a {@code long} that order, unsigned, as the keys do. Stateless, so
 * that several threads may run one at once.
 */
final class SortJvm {
    private static final int DIGIT_BITS = 8;
    private static final int RADIX = 1 << DIGIT_BITS;

    private final KeyOrder order;

    SortJvm(KeyOrder order) {
        this.order = order;
    }

    /** The range of the keys: argument 0 the keys' slice, 1 the least words, 2 the largest. */
    void range(JvmKernel.Chunk chunk) {
        ByteBuffer keys = chunk.buffer(0);
        int low = -1;
        int lowerLow = -1;
        int high = 0;
        int lowerHigh = 0;
        long magnitude = 0;
        for (int i = 0; i < chunk.units(); i++) {
            long number = order.read(keys, i);
            int upper = (int) (order.wide() ? number >>> 32 : number);
            int lower = (int) number;
            low = smaller(low, upper);
            high = larger(high, upper);
            if (order.wide()) {
                lowerLow = smaller(lowerLow, lower);
                lowerHigh = larger(lowerHigh, lower);
                long value = number ^ Long.MIN_VALUE;
                magnitude |= value ^ (value >> 63);
            }
        }
        ByteBuffer least = chunk.buffer(1);
        ByteBuffer largest = chunk.buffer(2);
        least.putInt(0, smaller(least.getInt(0), low));
        least.putInt(4, smaller(least.getInt(4), lowerLow));
        largest.putInt(0, larger(largest.getInt(0), high));
        largest.putInt(4, larger(largest.getInt(4), lowerHigh));
        largest.putInt(8, larger(largest.getInt(8), (int) (magnitude >>> 32)));
        largest.putInt(12, larger(largest.getInt(12), (int) magnitude));
    }

    /** The prefixes: argument 0 the keys' slice, 1 the splitters, 2 the histogram. */
    void prefixes(JvmKernel.Chunk chunk) {
        ByteBuffer keys = chunk.buffer(0);
        ByteBuffer splitters = chunk.buffer(1);
        ByteBuffer histogram = chunk.buffer(2);
        int[] counts = new int[Splitters.PREFIXES];
        for (int i = 0; i < chunk.units(); i++) {
            counts[Splitters.prefix(splitters, order.read(keys, i))]++;
        }
        for (int i = 0; i < counts.length; i++) {
            histogram.putInt(i * Integer.BYTES, histogram.getInt(i * Integer.BYTES) + counts[i]);
        }
    }

    /** Sorts those keys of all that can come to lie in the chunk, and keeps those that do. */
    void passes(JvmKernel.Chunk chunk, PassBuffers buffers) {
        ByteBuffer keys = chunk.buffer(buffers.keys());
        ByteBuffer splitters = chunk.buffer(buffers.splitters());
        int first = (int) chunk.firstUnit();
        int low = prefixAt(splitters, first);
        int high = prefixAt(splitters, first + chunk.units() - 1);
        int skip = first - Splitters.start(splitters, low);
        int chosen = Splitters.start(splitters, high + 1) - Splitters.start(splitters, low);
        long[] numbers = new long[chosen];
        int[] places = new int[chosen];
        int n = 0;
        for (int i = 0; i < buffers.count(); i++) {
            long number = order.read(keys, i);
            int prefix = Splitters.prefix(splitters, number);
            if (prefix >= low && prefix <= high) {
                numbers[n] = number;
                places[n++] = i;
            }
        }
        int[] sorted = sort(numbers, places);
        ByteBuffer result = chunk.buffer(buffers.result());
        for (int i = 0; i < chunk.units(); i++) {
            order.write(result, i, order.read(keys, sorted[skip + i]));
        }
        if (buffers.pairs()) {
            ByteBuffer values = chunk.buffer(buffers.values());
            ByteBuffer resultValues = chunk.buffer(buffers.resultValues());
            for (int i = 0; i < chunk.units(); i++) {
                resultValues.putInt(i * Integer.BYTES, values.getInt(sorted[skip + i] * Integer.BYTES));
            }
        }
    }

    private static int prefixAt(ByteBuffer splitters, int position) {
        int low = 0;
        int high = Splitters.PREFIXES; // start(low) <= position < start(high)
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (Splitters.start(splitters, middle) <= position) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The places in the order of their numbers, equal ones as they were; both arrays are used up. */
    private int[] sort(long[] numbers, int[] places) {
        long any = 0;
        long all = -1;
        for (long number : numbers) {
            any |= number;
            all &= number;
        }
        long[] from = numbers;
        long[] to = new long[numbers.length];
        int[] fromPlaces = places;
        int[] toPlaces = new int[places.length];
        for (int shift = 0; shift < order.bits(); shift += DIGIT_BITS) {
            if (((any ^ all) >>> shift & RADIX - 1) == 0) {
                continue;
            }
            int[] next = new int[RADIX + 1];
            for (long number : from) {
                next[(int) (number >>> shift & RADIX - 1) + 1]++;
            }
            for (int d = 1; d < RADIX; d++) {
                next[d] += next[d - 1];
            }
            for (int i = 0; i < from.length; i++) {
                int place = next[(int) (from[i] >>> shift & RADIX - 1)]++;
                to[place] = from[i];
                toPlaces[place] = fromPlaces[i];
            }
            long[] emptied = from;
            from = to;
            to = emptied;
            int[] emptiedPlaces = fromPlaces;
            fromPlaces = toPlaces;
            toPlaces = emptiedPlaces;
        }
        return fromPlaces;
    }

    private static int smaller(int a, int b) {
        return Integer.compareUnsigned(a, b) < 0 ? a : b;
    }

    private static int larger(int a, int b) {
        return Integer.compareUnsigned(a, b) > 0 ? a : b;
    }

    /**
     * Which arguments of the passes the Java form needs, and what else.
     *
     * @param keys number of the argument that is all keys
     * @param values that is all values; meaningless without pairs
     * @param splitters that is the splitters
     * @param result that is the chunk's part of the sorted keys
     * @param resultValues that is the chunk's part of their values; meaningless without pairs
     * @param count number of keys
     * @param pairs whether keys carry values
     */
    record PassBuffers(int keys, int values, int splitters, int result, int resultValues, int count, boolean pairs) {

        /** As {@link RadixSort} gives them: the survey has eight arguments, the plan seven and the scan three. */
        static PassBuffers of(int count, boolean pairs) {
            return pairs
                    ? new PassBuffers(0, 19, 1, 25, 26, count, true)
                    : new PassBuffers(0, -1, 1, 23, -1, count, false);
        }
    }
}
