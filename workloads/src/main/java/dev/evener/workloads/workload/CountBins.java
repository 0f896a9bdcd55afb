package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.histogram.HistogramReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** How many elements fall into each of equal bins. */
final class CountBins implements Workload {
    private static final Parameter<ElementType> TYPE =
            ElementTypes.parameter(ElementType.UBYTE, ElementType.USHORT, ElementType.UINT, ElementType.FLOAT);
    private static final Parameter<Integer> BINS = Parameter.integer("bins", 256, 1, Bins.MOST, "how many bins");
    private static final Parameter<Double> LOW = Parameter.number(
            "low", 0, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, "where the first bin begins");
    private static final Parameter<Double> HIGH = Parameter.number(
            "high",
            0,
            Double.NEGATIVE_INFINITY,
            Double.POSITIVE_INFINITY,
            "where the last bin ends; if not above low, behind the type's greatest value, of floats at 1");

    @Override
    public About about() {
        return new About(
                "histogram",
                "how many elements fall into each of equal bins",
                "element",
                "element",
                "ulong: the count of each bin",
                List.of(64L << 10, 1L << 20, 64L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE, BINS, LOW, HIGH, HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", values.get(TYPE), "what is counted"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.mostSliced(values.get(TYPE));
    }

    private static Bins bins(Request request) {
        ElementType type = request.get(TYPE);
        int count = request.get(BINS);
        double low = request.get(LOW);
        double high = request.get(HIGH);
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

    private static long[] count(ElementType type, HostBuffer data, Bins bins) {
        long[] counts = new long[bins.count()];
        for (ByteBuffer segment : data.segments()) {
            long[] more = HistogramReference.count(type, segment, segment.limit() / type.bytes(), bins);
            Arrays.setAll(counts, bin -> counts[bin] + more[bin]);
        }
        return counts;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        Bins bins = bins(request);
        return HostBuffers.ownedBy(evener, buffers -> {
            ElementType type = request.get(TYPE);
            HostBuffer data = buffers.input(request, 0, request.items());
            HostBuffer counts = buffers.allocate(ElementType.ULONG, bins.count());
            Histogram histogram = new Histogram(buffers::allocate, request.tuning());
            return new PreparedPrimitive(
                    buffers,
                    request,
                    histogram.job(bins, data, counts),
                    PreparedPrimitive.Cost.of(data.elements(), type.bytes()),
                    counts,
                    () -> count(type, data, bins));
        });
    }
}
