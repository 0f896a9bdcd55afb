package dev.evener.kernels.pipeline;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The program of docs/pipeline.md. */
final class PipelineExample {
    static final int PIXELS = 64 * 64;

    private static final int BLOCK = 64;

    private static final String SOURCE = """
            kernel void extremes(global const uchar *in, global uint *least, global uint *most) {
                size_t unit = get_global_id(0);
                uint low = 255, high = 0;
                for (int k = 0; k < BLOCK; k++) {
                    low = min(low, (uint)in[unit * BLOCK + k]);
                    high = max(high, (uint)in[unit * BLOCK + k]);
                }
                atomic_min(least, low);
                atomic_max(most, high);
            }
            kernel void stretch(global const uchar *in, global uchar *out, global const uint *least,
                                global const uint *most) {
                size_t unit = get_global_id(0);
                uint range = max(most[0] - least[0], 1u);
                for (int k = 0; k < BLOCK; k++)
                    out[unit * BLOCK + k] = (uchar)(255 * (in[unit * BLOCK + k] - least[0]) / range);
            }
            """.replace("BLOCK", "" + BLOCK);

    private PipelineExample() {}

    /** The buffers of one picture. */
    static final class Slot implements AutoCloseable {
        final HostBuffer in;
        final HostBuffer out;
        final HostBuffer least;
        final HostBuffer most;

        Slot(Evener evener) {
            in = evener.allocate(ElementType.UBYTE, PIXELS);
            out = evener.allocate(ElementType.UBYTE, PIXELS);
            least = evener.allocate(ElementType.UINT, 1);
            most = evener.allocate(ElementType.UINT, 1);
        }

        Job extremesJob() {
            return Job.named("extremes")
                    .source(SOURCE)
                    .units(PIXELS / BLOCK)
                    .kernel("extremes")
                    .reads(in, slice(BLOCK))
                    .reduces(least, Reduction.MIN)
                    .reduces(most, Reduction.MAX)
                    .build();
        }

        Job stretchJob() {
            return Job.named("stretch")
                    .source(SOURCE)
                    .units(PIXELS / BLOCK)
                    .kernel("stretch")
                    .reads(in, slice(BLOCK))
                    .writes(out, slice(BLOCK))
                    .reads(least, whole())
                    .reads(most, whole())
                    .build();
        }

        byte[] result() {
            byte[] pixels = new byte[PIXELS];
            out.bytes().get(pixels);
            return pixels;
        }

        @Override
        public void close() {
            List.of(in, out, least, most).forEach(HostBuffer::close);
        }
    }

    // region stream
    /** Stretches the pictures' contrast by their own extremes: found on one device, applied on another. */
    static PipelineReport stretch(Evener evener, List<byte[]> pictures, Consumer<byte[]> sink)
            throws InterruptedException {
        try (Pipeline<Slot> pipeline = Pipeline.over(evener, 4, () -> new Slot(evener))
                .stage("extremes", DeviceSelector.parse("0.0"), Slot::extremesJob)
                .stage("stretch", DeviceSelector.parse("0.1"), Slot::stretchJob)
                .host("sink", 1, (slot, reports) -> sink.accept(slot.result())) // a thread, so in order
                .open()) {
            List<CompletableFuture<ItemReport>> all = new ArrayList<>();
            for (byte[] picture : pictures) {
                Slot slot = pipeline.acquire(); // waits while four are under way
                slot.in.bytes().put(picture);
                all.add(pipeline.submit(slot)); // the slot is free when the sink has returned
            }
            all.forEach(CompletableFuture::join); // waits for all of them, and throws what was wrong
            return pipeline.report();
        }
    }
    // endregion
}
