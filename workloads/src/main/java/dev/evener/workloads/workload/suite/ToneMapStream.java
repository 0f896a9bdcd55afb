package dev.evener.workloads.workload.suite;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.frames.FrameException;
import dev.evener.frames.FrameFile;
import dev.evener.kernels.pipeline.Pipeline;
import dev.evener.kernels.pipeline.Placement;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapPipeline;
import dev.evener.kernels.tonemap.ToneMapReference;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.workloads.workload.StreamWorkload;
import dev.evener.workloads.workload.SyntheticData;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tone mapping with automatic exposure of HDR frames, synthetic or from files. */
final class ToneMapStream extends StreamWorkload<ToneMapPipeline.Frame> {
    private static final int CHANNELS = 3;
    private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD_EXTENDED);

    ToneMapStream() {
        super("tonemap-pipeline", "tone mapping with automatic exposure of a stream of frames", FILES);
    }

    @Override
    protected void slot(Evener evener, List<ToneMapPipeline.Frame> slots, Frame frame) {
        ToneMapPipeline.Frame slot = new ToneMapPipeline.Frame(evener);
        slots.add(slot);
        if (frame.file() == null) {
            slot.resize(new FrameLayout(frame.width(), frame.height()));
            fill(slot, frame.seed());
            return;
        }
        try {
            FrameFile file = FrameFile.open(frame.file());
            slot.resize(file.size());
            file.decode(slot.floats().bytes());
        } catch (FrameException e) {
            throw new EvenerException(String.valueOf(e.getMessage()), e);
        }
    }

    private static void fill(ToneMapPipeline.Frame slot, long seed) {
        FrameLayout layout = slot.layout();
        float[] line = new float[layout.stride()];
        FloatBuffer floats = slot.floats().floats();
        for (int y = 0; y < CHANNELS * layout.height(); y++) {
            for (int x = 0; x < layout.width(); x++) {
                line[x] = ToneMapping.component(SyntheticData.bits(seed, (long) y * layout.width() + x));
            }
            floats.put(y * line.length, line);
        }
    }

    @Override
    public Pipeline<ToneMapPipeline.Frame> open(Evener evener, List<ToneMapPipeline.Frame> slots, Placement placement) {
        return ToneMapPipeline.over(evener, slots, SETTINGS, placement);
    }

    @Override
    protected ByteBuffer result(ToneMapPipeline.Frame slot) {
        return slot.pixels().bytes().limit(slot.layout().words() * Integer.BYTES);
    }

    @Override
    public @Nullable String mismatch(ToneMapPipeline.Frame slot) {
        byte[] expected = ToneMapReference.map(slot.floats().floats(), slot.layout(), SETTINGS);
        ToneMapReference.Difference difference =
                ToneMapReference.compare(expected, slot.pixels().ints(), slot.layout());
        return difference.largest() <= 1
                ? null
                : "differs from the reference by up to " + difference.largest() + " codes";
    }
}
