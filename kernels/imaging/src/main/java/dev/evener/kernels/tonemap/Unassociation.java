package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.OwnBuffers;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * The phase that takes the alpha out of a frame's colours, {@code alpha.cl}: they are divided by it, and black where it
 * is 0. It has the colours, 12 bytes a pixel, and a code of alpha for each. One frame after another, as its
 * {@link ToneMapper}.
 */
final class Unassociation {
    private static final KernelSource SOURCE = KernelSource.resource(Unassociation.class, "pixel.cl", "alpha.cl");

    /** Below it, 16 bits have none. */
    private static final float LEAST = 0x1p-17f;

    private static final int GROUP = 256;

    private final OwnBuffer<DataBuffer> colours;
    private final OwnBuffer<DataBuffer> codes;

    Unassociation(OwnBuffers own, Allocator allocator) {
        this.colours = own.add(allocator::between);
        this.codes = own.add(allocator::between);
    }

    /**
     * Adds it to a job.
     *
     * @param coding of the frame, with alpha
     * @param words of a picture's pixel: 1 for codes up to 255, 2 for such up to 65,535
     * @return what takes the colours, {@link PixelCoding#FLOATS}
     */
    DataBuffer addTo(JobBuilder job, FrameLayout layout, PixelCoding coding, DataBuffer frame, int words) {
        int stride = layout.stride();
        DataBuffer out = colours.atLeast(ElementType.FLOAT, layout.floats());
        float largest = words == 1 ? 255 : 65535;
        JobBuilder kernel = job.source(SOURCE).kernel("unassociate");
        Forms.perUnit(kernel, coding.options(), stride / 16 + 1L, stride, GROUP, "-D LANES=1")
                .jvm(java(coding, stride, largest))
                .reads(frame, slice(coding.rowElements(layout)))
                .writes(out, slice(layout.rowFloats()))
                .writes(codes(layout), slice(stride))
                .scalar(stride)
                .scalar(largest)
                .chunkUnits();
        coding.arguments(job);
        return out;
    }

    /** The codes of a frame, {@link FrameLayout#stride} a row. */
    DataBuffer codes(FrameLayout layout) {
        return codes.atLeast(ElementType.UINT, layout.words());
    }

    /** Argument 0 the frame, 1 the colours, 2 the codes. */
    private static JvmKernel java(PixelCoding coding, int stride, float largest) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            FloatBuffer colours = chunk.buffer(1).asFloatBuffer();
            IntBuffer codes = chunk.buffer(2).asIntBuffer();
            float[] row = new float[3 * stride];
            float[] alpha = new float[stride];
            int[] code = new int[stride];
            for (int unit = 0; unit < chunk.units(); unit++) {
                PixelMath.sanitised(frame, unit, row);
                frame.alpha(unit, alpha);
                for (int i = 0; i < row.length; i++) {
                    float a = alpha[i % stride];
                    row[i] = a < LEAST ? 0 : row[i] / a;
                }
                for (int x = 0; x < stride; x++) {
                    code[x] = (int) (alpha[x] * largest + 0.5f);
                }
                colours.put(unit * row.length, row);
                codes.put(unit * stride, code);
            }
        };
    }
}
