package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.Gradient;
import dev.evener.kernels.image.HarrisCorners;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.reference.CannyReference;
import dev.evener.kernels.reference.GradientReference;
import dev.evener.kernels.reference.HarrisReference;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.ImageShape;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Workload;
import java.util.List;

/** Workloads on grey images. */
final class Images {
    private Images() {}

    /** The magnitude of a grey image's gradient. */
    static final class SobelGradient extends Workload {
        SobelGradient() {
            super("gradient", "magnitude of a grey image's gradient by Sobel's operator");
            items("pixel", "image row", 64L << 10, 1L << 20, 16L << 20);
            parameters(ImageShape.WIDTH);
            reads("pixels", ElementType.UBYTE, "grey, row by row");
            writes("ushort: the magnitude of each pixel, row by row");
            atMost(MOST_WORDS);
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            ImageSize size = ImageShape.of(setup.request()).size();
            HostBuffer grey = setup.input(0, size.pixels());
            HostBuffer magnitudes = setup.output(ElementType.USHORT, size.pixels());
            setup.job(Gradient.job(size, grey, magnitudes, null))
                    .items(size.pixels())
                    .bytesPerItem(1.0 + Short.BYTES)
                    .expect(() -> GradientReference.magnitudes(size, JavaArrays.bytes(grey)));
        }
    }

    /** Canny's edges of a grey image. */
    static final class CannyEdges extends Workload {
        private static final Parameter<Integer> LOW =
                Parameter.integer("low", 50, 1, Canny.MOST, "least magnitude of a weak edge");
        private static final Parameter<Integer> HIGH =
                Parameter.integer("high", 100, 1, Canny.MOST, "least magnitude of a strong edge");

        CannyEdges() {
            super("canny", "Canny's edges of a grey image, with hysteresis");
            items("pixel", "image row", 64L << 10, 1L << 20, 4L << 20);
            parameters(ImageShape.WIDTH, LOW, HIGH);
            reads("pixels", ElementType.UBYTE, "grey, row by row");
            writes("ubyte: 255 for an edge and 0 elsewhere, row by row");
            atMost(MOST_WORDS / 2); // a row more than asked for must fit as well
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            ImageSize size = ImageShape.of(setup.request()).size();
            int low = setup.get(LOW);
            int high = setup.get(HIGH);
            HostBuffer grey = setup.input(0, size.pixels());
            HostBuffer edges = setup.output(ElementType.UBYTE, size.pixels());
            setup.job(new Canny(setup::allocate).job(size, grey, edges, low, high))
                    .items(size.pixels())
                    .bytesPerItem(2) // in and out once: the rest depends on what is found
                    .expect(() -> CannyReference.edges(size, JavaArrays.bytes(grey), low, high));
        }
    }

    /** Harris' corners of a grey image. */
    static final class Corners extends Workload {
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
        public void prepare(PreparedWorkload setup) {
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
            setup.job(new HarrisCorners(setup::allocate)
                            .job(size, grey, places, strengths, count, strengthCount, settings))
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
}
