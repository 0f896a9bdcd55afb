package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.histogram.HistogramReference;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** How many elements fall into each of equal bins. */
final class CountBins extends Workload {
    private static final Parameter<ElementType> TYPE =
            Parameter.type(ElementType.UBYTE, ElementType.USHORT, ElementType.UINT, ElementType.FLOAT);
    private static final Parameter<Integer> BINS = Parameter.integer("bins", 256, 1, Bins.MOST, "how many bins");
    private static final Parameter<Double> LOW = Parameter.number(
            "low", 0, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, "where the first bin begins");
    private static final Parameter<Double> HIGH = Parameter.number(
            "high",
            0,
            Double.NEGATIVE_INFINITY,
            Double.POSITIVE_INFINITY,
            "where the last bin ends; if not above low, behind the type's greatest value, of floats at 1");

    CountBins() {
        super("histogram", "how many elements fall into each of equal bins");
        items("element", "element", 64L << 10, 1L << 20, 64L << 20);
        parameters(TYPE, BINS, LOW, HIGH, Setup.RESIDENT);
        reads("elements", TYPE, "what is counted");
        writes("ulong: the count of each bin");
    }

    @Override
    public long mostItems(Values values) {
        return mostSliced(values.get(TYPE));
    }

    private static Bins bins(Setup setup) {
        ElementType type = setup.get(TYPE);
        int count = setup.get(BINS);
        double low = setup.get(LOW);
        double high = setup.get(HIGH);
        if (type == ElementType.FLOAT) {
            return Bins.even(count, (float) low, high > low ? (float) high : 1f);
        }
        double end = high > low ? high : 1L << (8 * type.bytes());
        if (low != Math.rint(low) || end != Math.rint(end)) {
            throw new IllegalArgumentException("bins of " + type.openClName()
                    + " elements begin and end at whole numbers, not " + low + " and " + end);
        }
        return Bins.even(count, (long) low, (long) end);
    }

    @Override
    public void prepare(Setup setup) {
        Bins bins = bins(setup);
        HostBuffer data = setup.input(0);
        HostBuffer counts = setup.output(ElementType.ULONG, bins.count());
        setup.job(new Histogram(setup::allocate, setup.tuning()).job(bins, data, counts))
                .bytesPerItem(data.type().bytes())
                .expect(() -> count(data, bins));
    }

    private static long[] count(HostBuffer data, Bins bins) {
        long[] counts = new long[bins.count()];
        for (ByteBuffer segment : data.segments()) {
            int elements = segment.limit() / data.type().bytes();
            long[] more = HistogramReference.count(data.type(), segment, elements, bins);
            Arrays.setAll(counts, bin -> counts[bin] + more[bin]);
        }
        return counts;
    }
}
