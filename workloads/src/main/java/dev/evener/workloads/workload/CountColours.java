package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.histogram.RgbHistogram;
import dev.evener.kernels.histogram.RgbHistogramReference;
import dev.evener.kernels.histogram.RgbStyle;
import java.util.List;

/** Histograms of red, green and blue. */
final class CountColours implements Workload {
    private static final int COLOURS = 3;

    private static final Parameter<Integer> BINS =
            Parameter.integer("bins", RgbHistogram.MOST_BINS, 1, RgbHistogram.MOST_BINS, "how many bins a colour has");
    private static final Parameter<RgbStyle> STYLE = Parameter.choice("style", "how pixels are counted", RgbStyle.BEST);

    @Override
    public About about() {
        return new About(
                "rgb-histogram",
                "histograms of red, green and blue of RGBA pixels",
                "pixel",
                "pixel",
                "ulong: the count of each bin, of red, then green, then blue",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(BINS, STYLE);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("pixels", ElementType.UINT, "red, green, blue and alpha, from the lowest byte on"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        int bins = request.get(BINS);
        return HostBuffers.ownedBy(evener, buffers -> {
            HostBuffer pixels = buffers.input(request, 0, request.items());
            HostBuffer counts = buffers.allocate(ElementType.ULONG, (long) COLOURS * bins);
            return new PreparedPrimitive(
                    buffers,
                    request,
                    RgbHistogram.job(request.get(STYLE), bins, pixels, counts),
                    PreparedPrimitive.Cost.of(pixels.elements(), Integer.BYTES),
                    counts,
                    () -> RgbHistogramReference.count(pixels.ints(), bins));
        });
    }
}
