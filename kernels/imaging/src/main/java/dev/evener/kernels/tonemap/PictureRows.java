package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a picture as uncompressed files and video encoders take them: the last phase of the job that makes the picture, whose
 * units are its rows. Integers only, so the bytes do not depend on devices or split. Stateless; any thread.
 */
public final class PictureRows {
    private static final KernelSource SOURCE =
            KernelSource.resource(PictureRows.class, "rows.cl").withTrialLaunch();
    private static final int GROUP = 128;

    /** What luma, Cb and Cr have of red, green and blue in {@code rows.cl}, where their codes begin, and by how much they are shifted. */
    private static final long[][] FULL = {
        {13933, 46871, 4732, 0, 16}, {-7509, -25259, 32768, 128, 18}, {32768, -29763, -3005, 128, 18}
    };

    private static final long[][] NARROW = {
        {14728, 38012, 3325, 64, 22}, {-1024905, -2645167, 3670072, 512, 32}, {3670072, -3374893, -295179, 512, 32}
    };

    private PictureRows() {}

    /** What a row has; {@code rows.cl} knows it by its number. */
    public enum Layout {
        /** Red, green and blue of each pixel, a byte each. */
        RGB(0),
        /** Red, green, blue and alpha of each pixel, or 255. */
        RGBA(1),
        /**
         * Rec. 709 in full range, chroma of two by two pixels: a byte of luma for each pixel, then, in even rows, half as many of Cb and of
         * Cr, rounded up, each of the mean of the four pixels around its place. Beyond the last column or row that one counts again.
         * <pre>{@code
         * Y = 0.2126 R + 0.7152 G + 0.0722 B,  Cb = 128 + (B - Y) / 1.8556,  Cr = 128 + (R - Y) / 1.5748
         * }</pre>
         * Within one code of that, at most 255.
         */
        YUV420(2),
        /**
         * The same of 10 bits in two bytes, the lower one first, from {@linkplain Operator#words two words} a pixel: BT.2020 (of
         * non-constant luminance), narrow range, and chroma at the left of two by two pixels, which is where decoders take it to be
         * (a quarter of the pixel before, a half and a quarter).
         * <pre>{@code
         * Y = 0.2627 R + 0.678 G + 0.0593 B,  Cb = (B - Y) / 1.8814,  Cr = (R - Y) / 1.4746,  codes 64 + 876 Y and 512 + 896 C
         * }</pre>
         */
        YUV420_10(3),
        /** {@link #RGBA} of two bytes each, the upper one first, from two words a pixel. */
        RGBA16(4);

        private final int number;

        private boolean isYuv() {
            return this == YUV420 || this == YUV420_10;
        }

        Layout(int number) {
            this.number = number;
        }

        /** Bytes from one row to the next: of chroma a multiple of 64, else as many as the row has. */
        public int pitch(int width) {
            return switch (this) {
                case RGB -> 3 * width;
                case RGBA -> 4 * width;
                case RGBA16 -> 8 * width;
                case YUV420 -> (width + 2 * ((width + 1) / 2) + 63) / 64 * 64;
                case YUV420_10 -> (2 * (width + 2 * ((width + 1) / 2)) + 63) / 64 * 64;
            };
        }
    }

    /**
     * Adds the phase to a job whose units are the picture's rows.
     *
     * @param width pixels of a row that count, at least 1
     * @param height rows, at least 1
     * @param stride words from one row to the next, at least those of the width
     * @param pixels one {@code UINT} a pixel, the bytes red, green, blue and one that is ignored; stays as it is
     * @param alpha of {@link Layout#RGBA} or {@link Layout#RGBA16} a code for each pixel, up to 255 or 65,535, {@code UINT}, as far from row
     *     to row as the pixels are; null for opaque ones, and for other layouts
     * @param out takes the rows, at least {@link Layout#pitch} of {@code UBYTE} for each
     * @throws IllegalArgumentException if a buffer has another type or is too small
     */
    public static JobBuilder addTo(
            JobBuilder job,
            Layout layout,
            int width,
            int height,
            int stride,
            DataBuffer pixels,
            @Nullable DataBuffer alpha,
            DataBuffer out) {
        int pitch = layout.pitch(width);
        BufferChecks.require("pixels", pixels, ElementType.UINT, (long) stride * height);
        BufferChecks.require("output", out, ElementType.UBYTE, (long) pitch * height);
        String option = "-D LAYOUT=" + layout.number + (alpha == null ? "" : " -D ALPHA");
        int pair = layout.isYuv() ? Math.min(2, height) : 1;
        JobBuilder kernel = job.source(SOURCE).granule(pair).kernel("picture_rows");
        Forms.perUnit(kernel, option, 2L * width + 1, GROUP, GROUP, "")
                .jvm(java(layout, width, stride, alpha != null))
                .reads(pixels, slice(stride));
        if (alpha != null) {
            job.reads(alpha, slice(layout == Layout.RGBA16 ? stride / 2 : stride));
        }
        return job.writes(out, slice(pitch))
                .scalar(width)
                .scalar(stride)
                .scalar(pitch)
                .chunkUnits();
    }

    /** The Java form of {@code rows.cl}. */
    private static JvmKernel java(Layout layout, int width, int stride, boolean withAlpha) {
        boolean wide = layout == Layout.YUV420_10 || layout == Layout.RGBA16;
        return chunk -> {
            IntBuffer pixels = chunk.buffer(0).asIntBuffer();
            ByteBuffer out = chunk.buffer(withAlpha ? 2 : 1);
            int[] row = new int[wide ? 2 * width : width];
            int[] alpha = new int[width];
            Arrays.fill(alpha, 0xffff);
            int[] below = new int[row.length];
            byte[] bytes = new byte[layout.pitch(width)];
            for (int r = 0; r < chunk.units(); r++) {
                pixels.get(r * stride, row);
                if (withAlpha) {
                    chunk.buffer(1).asIntBuffer().get(r * (wide ? stride / 2 : stride), alpha);
                }
                switch (layout) {
                    case RGB -> {
                        for (int x = 0; x < width; x++) {
                            bytes[3 * x] = (byte) row[x];
                            bytes[3 * x + 1] = (byte) (row[x] >> 8);
                            bytes[3 * x + 2] = (byte) (row[x] >> 16);
                        }
                    }
                    case RGBA, RGBA16 -> {
                        for (int x = 0; x < 4 * width; x++) {
                            int code = x % 4 == 3 ? alpha[x / 4] : sample(row, wide, x / 4, x % 4);
                            int at = wide ? 2 * x : x;
                            bytes[at] = (byte) (wide ? code >> 8 : code);
                            bytes[at + (wide ? 1 : 0)] = (byte) code;
                        }
                    }
                    case YUV420, YUV420_10 -> {
                        pixels.get(Math.min(r + 1, chunk.units() - 1) * stride, below);
                        yuv(row, below, width, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), r % 2 == 0);
                    }
                }
                out.put(r * bytes.length, bytes);
            }
        };
    }

    private static void yuv(int[] row, int[] below, int width, ByteBuffer out, boolean chroma) {
        boolean wide = row.length > width;
        long[][] codes = wide ? NARROW : FULL;
        for (int x = 0; x < width; x++) {
            put(out, wide, x, codes[0], sample(row, wide, x, 0), sample(row, wide, x, 1), sample(row, wide, x, 2));
        }
        int half = (width + 1) / 2;
        for (int x = 0; chroma && x < half; x++) {
            int right = Math.min(2 * x + 1, width - 1);
            int[] places = wide ? new int[] {Math.max(0, 2 * x - 1), 2 * x, 2 * x, right} : new int[] {2 * x, right};
            long[] sums = new long[3];
            for (int place : places) {
                for (int c = 0; c < 3; c++) {
                    sums[c] += sample(row, wide, place, c) + sample(below, wide, place, c);
                }
            }
            put(out, wide, width + x, codes[1], sums);
            put(out, wide, width + half + x, codes[2], sums);
        }
    }

    private static void put(ByteBuffer out, boolean wide, int at, long[] code, long... rgb) {
        int shift = (int) code[4];
        long sum = code[0] * rgb[0] + code[1] * rgb[1] + code[2] * rgb[2] + (code[3] << shift);
        long value = (sum + (1L << (shift - 1))) >> shift;
        if (wide) {
            out.putShort(2 * at, (short) value);
        } else {
            out.put(at, (byte) Math.min(255, value));
        }
    }

    private static int sample(int[] row, boolean wide, int x, int component) {
        return wide ? sample(row[2 * x], row[2 * x + 1], component) : row[x] >> (8 * component) & 0xff;
    }

    /** A component, 0 to 2, of a pixel of {@linkplain Operator#words two words}: two of their six bytes, the upper one first. */
    public static int sample(int first, int second, int component) {
        long both = (first & 0xffffffL) | (second & 0xffffffL) << 24;
        int its = (int) (both >> (16 * component));
        return (its & 0xff) << 8 | (its >> 8 & 0xff);
    }
}
