package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.histogram.RgbHistogram;
import dev.evener.kernels.histogram.RgbHistogramReference;
import dev.evener.kernels.histogram.RgbStyle;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;

/** Histograms of red, green and blue. */
final class CountColours extends Workload {
    private static final long COLOURS = 3;

    private static final Parameter<Integer> BINS =
            Parameter.integer("bins", RgbHistogram.MOST_BINS, 1, RgbHistogram.MOST_BINS, "how many bins a colour has");
    private static final Parameter<RgbStyle> STYLE = Parameter.choice("style", "how pixels are counted", RgbStyle.BEST);

    CountColours() {
        super("rgb-histogram", "histograms of red, green and blue of RGBA pixels");
        items("pixel", "pixel", 64L << 10, 1L << 20, 16L << 20);
        parameters(BINS, STYLE);
        reads("pixels", ElementType.UINT, "red, green, blue and alpha, from the lowest byte on");
        writes("ulong: the count of each bin, of red, then green, then blue");
    }

    @Override
    public void prepare(Setup setup) {
        int bins = setup.get(BINS);
        HostBuffer pixels = setup.input(0);
        HostBuffer counts = setup.output(ElementType.ULONG, COLOURS * bins);
        setup.job(RgbHistogram.job(setup.get(STYLE), bins, pixels, counts))
                .bytesPerItem(Integer.BYTES)
                .expect(() -> RgbHistogramReference.count(pixels.ints(), bins));
    }
}
