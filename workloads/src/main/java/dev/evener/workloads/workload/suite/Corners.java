package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.image.HarrisCorners;
import dev.evener.kernels.image.HarrisReference;
import dev.evener.kernels.image.ImageSize;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.ImageShape;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.util.List;

/** Harris' corners of a grey image. */
final class Corners extends Workload {
    private static final Parameter<Integer> RADIUS =
            Parameter.integer("radius", 1, 1, 2, "of the window: 1 for 3 x 3 pixels, 2 for 5 x 5");
    private static final Parameter<Double> K = Parameter.number("k", 0.05, 0, 0.25, "how much edges are disliked");
    private static final Parameter<Double> THRESHOLD =
            Parameter.number("threshold", 1e10, 0, 1e30, "corners have a larger response than this");

    Corners() {
        super("harris", "Harris' corners of a grey image, as a list");
        items("pixel", "image row", 64L << 10, 1L << 20, 4L << 20);
        parameters(ImageShape.WIDTH, RADIUS, K, THRESHOLD);
        reads("pixels", ElementType.UBYTE, "grey, row by row");
        writes("uint: x + 65536 y of each corner, row by row; then float: the response of each");
        atMost(MOST_WORDS / 2); // a row more than asked for must fit as well
    }

    @Override
    public void prepare(Setup setup) {
        ImageSize size = ImageShape.of(setup.request()).size();
        HarrisCorners.Settings settings = new HarrisCorners.Settings(
                setup.get(RADIUS),
                setup.get(K).floatValue(),
                setup.get(THRESHOLD).floatValue());
        HostBuffer grey = setup.input(0, size.pixels());
        HostBuffer places = setup.output(ElementType.UINT, size.pixels());
        HostBuffer strengths = setup.output(ElementType.FLOAT, size.pixels());
        HostBuffer count = setup.count(ElementType.UINT);
        HostBuffer strengthCount = setup.count(ElementType.UINT);
        setup.job(new HarrisCorners(setup::allocate).job(size, grey, places, strengths, count, strengthCount, settings))
                .items(size.pixels())
                // The image once, and a response for each pixel written and read; what is found is little.
                .bytesPerItem(1 + 2 * Float.BYTES)
                .result(() -> setup.counted() + " corners")
                .check(() -> {
                    List<HarrisReference.Corner> corners =
                            HarrisReference.corners(size, JavaArrays.bytes(grey), settings);
                    if (setup.counted() != corners.size()
                            || strengthCount.ints().get(0) != corners.size()) {
                        return setup.counted() + " corners were found, not " + corners.size();
                    }
                    int[] expected = new int[corners.size()];
                    float[] responses = new float[expected.length];
                    for (int i = 0; i < expected.length; i++) {
                        expected[i] =
                                corners.get(i).x() + 65536 * corners.get(i).y();
                        responses[i] = corners.get(i).response();
                    }
                    String mismatch = Differences.first("corner", places, expected);
                    return mismatch != null ? mismatch : Differences.first("response", strengths, responses);
                });
    }
}
