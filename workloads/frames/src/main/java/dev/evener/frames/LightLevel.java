package dev.evener.frames;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PictureRows;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

/**
 * How bright a picture of SMPTE ST 2084 is on a display that shows it as it is coded: of the light of each pixel's largest component
 * the greatest and the mean, as CTA-861.3 has MaxCLL and MaxFALL. A phase of the job that makes the picture; integers only, so they do not
 * depend on devices or split. Not thread-safe.
 */
final class LightLevel implements AutoCloseable {
    private static final int ITEMS = 32; // work-items of a row
    private static final int CODES = 1 << 16;

    private static final KernelSource SOURCE =
            KernelSource.resource(LightLevel.class, "light.cl").withTrialLaunch();

    private final OwnBuffer<HostBuffer> light; // of each code
    private final OwnBuffer<HostBuffer> levels;
    private FrameLayout size = new FrameLayout(1, 1);

    LightLevel(Allocator memory) {
        light = new OwnBuffer<>(memory::allocate);
        levels = new OwnBuffer<>(memory::allocate);
    }

    /** Goes on with the job that makes the picture, of two words a pixel. */
    JobBuilder addTo(JobBuilder job, FrameLayout layout, DataBuffer pixels) {
        if (light.bytes() == 0) {
            IntBuffer table = light.atLeast(ElementType.UINT, CODES).ints();
            for (int code = 0; code < CODES; code++) {
                table.put(code, (int) Math.round(1e4 * luminance(code)));
            }
        }
        size = layout;
        int stride = layout.stride();
        Variant items = Variant.itemsPerUnit(ITEMS).withGroupSize(ITEMS).withOptions("-D ITEMS=" + ITEMS);
        return Forms.add(job.source(SOURCE).kernel("light_level"), items, items)
                .jvm(chunk -> java(chunk, layout))
                .reads(pixels, slice(2L * stride))
                .reads(light.atLeast(ElementType.UINT, CODES), whole())
                .writes(levels.atLeast(ElementType.ULONG, 2L * ITEMS * layout.height()), slice(2 * ITEMS))
                .scalar(layout.width(), stride)
                .chunkUnits();
    }

    /** The Java form of {@code light.cl}, which adds up all pixels of a row in the place of the first item's. */
    private static void java(JvmKernel.Chunk chunk, FrameLayout layout) {
        ByteBuffer pixels = chunk.buffer(0);
        IntBuffer light = chunk.buffer(1).asIntBuffer();
        LongBuffer levels = chunk.buffer(2).asLongBuffer();
        for (int row = 0; row < chunk.units(); row++) {
            long[] both = new long[2 * ITEMS];
            for (int x = 0; x < layout.width(); x++) {
                int at = 2 * Integer.BYTES * (row * layout.stride() + x);
                int first = pixels.getInt(at);
                int second = pixels.getInt(at + Integer.BYTES);
                int code = 0;
                for (int c = 0; c < 3; c++) {
                    code = Math.max(code, PictureRows.sample(first, second, c));
                }
                both[0] = Math.max(both[0], light.get(code));
                both[1] += light.get(code);
            }
            levels.put(row * both.length, both);
        }
    }

    /** The light of a 16-bit code in cd/m²: SMPTE ST 2084. */
    private static double luminance(int code) {
        double root = StrictMath.pow(code / 65535.0, 4096 / (2523.0 * 128));
        double light = Math.max(0, root - 107 / 128.0) / (2413 / 128.0 - 2392 / 128.0 * root);
        return 10_000 * StrictMath.pow(light, 16384 / 2610.0);
    }

    /** Of the picture whose job has run, the data of PNG's chunk {@code cLLI}: both in 0.0001 cd/m². */
    byte[] chunk() {
        LongBuffer each = levels.atLeast(ElementType.ULONG, 1).longs();
        long most = 0;
        long sum = 0;
        for (int i = 0; i < 2 * ITEMS * size.height(); i += 2) {
            most = Math.max(most, each.get(i));
            sum += each.get(i + 1);
        }
        long mean = (sum + size.pixels() / 2) / size.pixels();
        return ByteBuffer.allocate(8).putInt((int) most).putInt((int) mean).array();
    }

    /** Releases its buffers. Idempotent. */
    @Override
    public void close() {
        try (light) {
            levels.close();
        }
    }
}
