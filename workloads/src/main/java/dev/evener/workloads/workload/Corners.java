package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.image.HarrisCorners;
import dev.evener.kernels.image.HarrisReference;
import dev.evener.kernels.image.ImageSize;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Harris' corners of a grey image. */
final class Corners implements Workload {
    private static final Parameter<Integer> WIDTH = ImageShape.widthParameter();
    private static final Parameter<Integer> RADIUS =
            Parameter.integer("radius", 1, 1, 2, "of the window: 1 for 3 x 3 pixels, 2 for 5 x 5");
    private static final Parameter<Double> K = Parameter.number("k", 0.05, 0, 0.25, "how much edges are disliked");
    private static final Parameter<Double> THRESHOLD =
            Parameter.number("threshold", 1e10, 0, 1e30, "corners have a larger response than this");

    @Override
    public About about() {
        return new About(
                "harris",
                "Harris' corners of a grey image, as a list",
                "pixel",
                "image row",
                "uint: x + 65536 y of each corner, row by row; then float: the response of each",
                List.of(64L << 10, 1L << 20, 4L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(WIDTH, RADIUS, K, THRESHOLD);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("pixels", ElementType.UBYTE, "grey, row by row"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS / 2; // a row more than asked for must fit as well
    }

    @Override
    public void check(Request request) {
        ImageShape.of(request, WIDTH);
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
    }

    private static final class Prepared extends PreparedData {
        private final ImageSize size;
        private final HarrisCorners.Settings settings;
        private final HostBuffer grey;
        private final HostBuffer places;
        private final HostBuffer strengths;
        private final HostBuffer count;
        private final HostBuffer strengthCount;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            ImageShape shape = ImageShape.of(request, WIDTH);
            size = new ImageSize(shape.width(), shape.height());
            settings = new HarrisCorners.Settings(
                    request.get(RADIUS),
                    request.get(K).floatValue(),
                    request.get(THRESHOLD).floatValue());
            grey = input(0, shape.pixels());
            places = allocate(ElementType.UINT, shape.pixels());
            strengths = allocate(ElementType.FLOAT, shape.pixels());
            count = allocate(ElementType.UINT, 1);
            strengthCount = allocate(ElementType.UINT, 1);
            job = new HarrisCorners(buffers::allocate)
                    .job(size, grey, places, strengths, count, strengthCount, settings);
        }

        @Override
        public long items() {
            return size.pixels();
        }

        /** The image once, and a response for each pixel written and read; what is found is little. */
        @Override
        public double bytesPerItem() {
            return 1 + 2 * Float.BYTES;
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            for (HostBuffer buffer : List.of(places, strengths, count, strengthCount)) {
                Differences.spoil(buffer);
            }
        }

        private long found() {
            return Integer.toUnsignedLong(count.ints().get(0));
        }

        @Override
        public @Nullable String mismatch() {
            List<HarrisReference.Corner> corners = HarrisReference.corners(size, JavaArrays.bytes(grey), settings);
            if (found() != corners.size() || strengthCount.ints().get(0) != corners.size()) {
                return found() + " corners were found, not " + corners.size();
            }
            int[] expected =
                    corners.stream().mapToInt(c -> c.x() + 65536 * c.y()).toArray();
            float[] responses = new float[expected.length];
            for (int i = 0; i < responses.length; i++) {
                responses[i] = corners.get(i).response();
            }
            String mismatch = Differences.first("corner", places, expected);
            return mismatch != null ? mismatch : Differences.first("response", strengths, responses);
        }

        @Override
        public String result() {
            return found() + " corners";
        }

        @Override
        public Output output() {
            return target -> {
                Output.of(places, this::found).writeTo(target);
                Output.of(strengths, this::found).writeTo(target);
            };
        }
    }
}
