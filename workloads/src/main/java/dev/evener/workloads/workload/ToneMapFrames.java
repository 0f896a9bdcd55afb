package dev.evener.workloads.workload;

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
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Tone mapping with automatic exposure of HDR frames, made up or from files. */
final class ToneMapFrames extends FrameWork {
    private static final int CHANNELS = 3;
    private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD_EXTENDED);

    ToneMapFrames() {
        super("tonemap-pipeline", "tone mapping with automatic exposure of a stream of frames", true);
    }

    @Override
    Prepared<?> prepare(Evener evener, Frames request) {
        return new HdrFrames(evener, request);
    }

    private static final class HdrFrames implements Prepared<ToneMapPipeline.Frame> {
        private final Evener evener;
        private final List<ToneMapPipeline.Frame> slots = new ArrayList<>();

        HdrFrames(Evener evener, Frames request) {
            this.evener = evener;
            boolean done = false;
            try {
                for (int i = 0; i < request.slots(); i++) {
                    ToneMapPipeline.Frame slot = new ToneMapPipeline.Frame(evener);
                    slots.add(slot);
                    if (request.files().isEmpty()) {
                        slot.resize(new FrameLayout(request.width(), request.height()));
                        fill(slot, request.seed() + i);
                    } else {
                        FrameFile file = FrameFile.open(
                                request.files().get(i % request.files().size()));
                        slot.resize(file.size());
                        file.decode(slot.floats().bytes());
                    }
                }
                done = true;
            } catch (FrameException e) {
                throw new EvenerException(String.valueOf(e.getMessage()), e);
            } finally {
                if (!done) {
                    close();
                }
            }
        }

        private static void fill(ToneMapPipeline.Frame slot, long seed) {
            FrameLayout layout = slot.layout();
            float[] line = new float[layout.stride()];
            FloatBuffer floats = slot.floats().floats();
            for (int y = 0; y < CHANNELS * layout.height(); y++) {
                for (int x = 0; x < layout.width(); x++) {
                    line[x] = ToneMapping.component(Draws.bits(seed, (long) y * layout.width() + x));
                }
                floats.put(y * line.length, line);
            }
        }

        @Override
        public Pipeline<ToneMapPipeline.Frame> open(Placement placement) {
            return ToneMapPipeline.over(evener, slots, SETTINGS, placement);
        }

        @Override
        public List<ToneMapPipeline.Frame> slots() {
            return slots;
        }

        @Override
        public void clear(ToneMapPipeline.Frame slot) {
            slot.pixels().ints().put(new int[slot.layout().words()]);
        }

        @Override
        public long digest(ToneMapPipeline.Frame slot) {
            CRC32 crc = new CRC32();
            crc.update(slot.pixels().bytes().limit(slot.layout().words() * Integer.BYTES));
            return crc.getValue();
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

        @Override
        public void close() {
            slots.forEach(ToneMapPipeline.Frame::close);
            slots.clear();
        }
    }
}
