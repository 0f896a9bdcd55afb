package dev.evener.kernels.image;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.PipelineBuilder;
import dev.evener.kernels.pipeline.Placement;
import java.util.List;

/**
 * {@link Canny}'s edges of a stream of images of one size, in two stages that may run on different devices: {@code classes}
 * (smoothing, gradient, thinning, thresholds) and {@code hysteresis}. The edges are those of the one job, bit for bit, wherever
 * the stages run. Between them, a byte a pixel goes from one device to the other; that is why thinning belongs to the first.
 *
 * <pre>{@code
 * Placement twoDevices = Placement.stages(DeviceSelector.parse("0.0"), DeviceSelector.parse("0.1"));
 * try (Pipeline<CannyPipeline.Image> pipeline = CannyPipeline.over(evener, 4, size, 50, 100, twoDevices)
 *         .host("sink", 1, (image, reports) -> use(image.edges().bytes()))
 *         .open()) {
 *     for (...) {
 *         CannyPipeline.Image image = pipeline.acquire();
 *         image.grey().bytes().put(...);
 *         pipeline.submit(image);
 *     }
 * }
 * }</pre>
 */
public final class CannyPipeline {
    private CannyPipeline() {}

    /** The buffers of one image under way: 7 bytes a pixel, and a little more. Not thread-safe. */
    public static final class Image implements AutoCloseable {
        private final ImageSize size;
        private final HostBuffer grey;
        private final HostBuffer edges;
        private final Canny canny;

        /** @throws dev.evener.EvenerException if there is no memory for it */
        public Image(Evener evener, ImageSize size) {
            this.size = size;
            this.grey = evener.allocate(ElementType.UBYTE, size.pixels());
            try {
                this.edges = evener.allocate(ElementType.UBYTE, size.pixels());
            } catch (RuntimeException | Error e) {
                grey.close();
                throw e;
            }
            this.canny = new Canny(evener::allocate);
        }

        /** Its size. */
        public ImageSize size() {
            return size;
        }

        /** The image, a {@code UBYTE} a pixel: to be filled. */
        public HostBuffer grey() {
            return grey;
        }

        /** The result, a {@code UBYTE} a pixel: 255 for an edge, 0 elsewhere. */
        public HostBuffer edges() {
            return edges;
        }

        /** Idempotent. */
        @Override
        public void close() {
            try (grey;
                    edges;
                    canny) {
                // each of them, whatever happens
            }
        }
    }

    /**
     * The stages of a pipeline with so many images of its own under way; add one that uses the edges.
     *
     * @param low as for {@link Canny#job}
     * @param high as for {@link Canny#job}
     * @param placement of two stages, or whole
     * @throws IllegalArgumentException if it is not, if there is no image, or if a threshold is out of range
     * @throws dev.evener.EvenerException if the Evener has none of the devices, or if there is no memory
     */
    public static PipelineBuilder<Image> over(
            Evener evener, int images, ImageSize size, int low, int high, Placement placement) {
        return stages(Pipeline.over(evener, images, () -> new Image(evener, size)), low, high, placement);
    }

    /** The same, over images that stay the caller's and may be of different sizes. */
    public static PipelineBuilder<Image> over(
            Evener evener, List<Image> images, int low, int high, Placement placement) {
        return stages(Pipeline.over(evener, images), low, high, placement);
    }

    private static PipelineBuilder<Image> stages(
            PipelineBuilder<Image> pipeline, int low, int high, Placement placement) {
        Canny.requireThresholds(low, high);
        return placement.add(
                pipeline,
                "canny",
                image -> image.canny.job(image.size, image.grey, image.edges, low, high),
                List.of("classes", "hysteresis"),
                List.of(
                        image -> image.canny.classesJob(image.size, image.grey, low, high),
                        image -> image.canny.hysteresisJob(image.size, image.edges)));
    }
}
