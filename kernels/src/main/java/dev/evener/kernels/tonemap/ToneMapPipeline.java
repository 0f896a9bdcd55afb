package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.PipelineBuilder;
import dev.evener.kernels.pipeline.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of frames, tone-mapped with what their own statistics say (automatic exposure, for example), in two stages that may
 * run on different devices: {@code statistics} and {@code map}. The pixels are those of {@link ToneMapper}'s one job, bit for
 * bit, wherever the stages run. Both stages read the frame, so devices with memory of their own are sent it twice.
 *
 * <pre>{@code
 * Placement twoDevices = Placement.stages(DeviceSelector.parse("0.0"), DeviceSelector.parse("0.1"));
 * ToneMapSettings settings = ToneMapSettings.of(Operator.ACES);
 * try (Pipeline<ToneMapPipeline.Frame> pipeline = ToneMapPipeline.over(evener, 4, settings, twoDevices)
 *         .host("sink", 1, (frame, reports) -> use(frame.pixels().ints()))
 *         .open()) {
 *     for (...) {
 *         ToneMapPipeline.Frame frame = pipeline.acquire();
 *         frame.resize(layout);
 *         frame.floats().floats().put(...);
 *         pipeline.submit(frame);
 *     }
 * }
 * }</pre>
 */
public final class ToneMapPipeline {
    private ToneMapPipeline() {}

    /** The buffers of one frame under way: 16 bytes a pixel, and what {@link ToneMapper} has for local operators. Not thread-safe. */
    public static final class Frame implements AutoCloseable {
        private final ToneMapper mapper;
        private final OwnBuffer<HostBuffer> floats;
        private final OwnBuffer<HostBuffer> pixels;
        private FrameLayout layout = new FrameLayout(1, 1);

        /** One that has a pixel only, until it is {@linkplain #resize resized}. */
        public Frame(Evener evener) {
            this.mapper = new ToneMapper(evener::allocate);
            this.floats = new OwnBuffer<>(evener::allocate);
            this.pixels = new OwnBuffer<>(evener::allocate);
        }

        /**
         * Sets the frame's size. What it held is undefined then.
         *
         * @throws dev.evener.EvenerException if there is no memory for it; the size is as before
         */
        public void resize(FrameLayout size) {
            floats.atLeast(ElementType.FLOAT, size.floats());
            pixels.atLeast(ElementType.UINT, size.words());
            layout = size;
        }

        /** Its size. */
        public FrameLayout layout() {
            return layout;
        }

        /** The frame in planar rows, padding pixels 0: to be filled. May be larger than the frame. */
        public HostBuffer floats() {
            return floats.atLeast(ElementType.FLOAT, layout.floats());
        }

        /** The result, a word a pixel. May be larger than the frame. */
        public HostBuffer pixels() {
            return pixels.atLeast(ElementType.UINT, layout.words());
        }

        /** The statistics, once the frame was mapped. */
        public @Nullable FrameStatistics statistics() {
            return mapper.statistics();
        }

        /** Idempotent. */
        @Override
        public void close() {
            try (mapper;
                    floats;
                    pixels) {
                // each of them, whatever happens
            }
        }
    }

    /**
     * The stages of a pipeline with so many frames of its own under way; add one that uses the pixels.
     *
     * @param settings such that statistics are needed, unless the placement is whole
     * @param placement of two stages, or whole
     * @throws IllegalArgumentException if it is not, if there is no frame, or if there are two stages and the settings need no
     *     statistics
     * @throws dev.evener.EvenerException if the Evener has none of the devices, or if there is no memory
     */
    public static PipelineBuilder<Frame> over(
            Evener evener, int frames, ToneMapSettings settings, Placement placement) {
        return stages(Pipeline.over(evener, frames, () -> new Frame(evener)), settings, placement);
    }

    /** The same, over frames that stay the caller's. */
    public static PipelineBuilder<Frame> over(
            Evener evener, List<Frame> frames, ToneMapSettings settings, Placement placement) {
        return stages(Pipeline.over(evener, frames), settings, placement);
    }

    private static PipelineBuilder<Frame> stages(
            PipelineBuilder<Frame> pipeline, ToneMapSettings settings, Placement placement) {
        if (placement.staged() && !settings.needsStatistics()) {
            throw new IllegalArgumentException(
                    "with these settings no statistics are needed, so there is one stage: place it whole");
        }
        return placement.add(
                pipeline,
                "tonemap",
                frame -> frame.mapper.job(frame.layout, frame.floats(), frame.pixels(), settings),
                List.of("statistics", "map"),
                List.of(
                        frame -> frame.mapper.statisticsJob(
                                frame.layout, PixelCoding.FLOATS, null, frame.floats(), settings),
                        frame -> frame.mapper.mapJob(frame.layout, frame.floats(), frame.pixels(), settings)));
    }
}
