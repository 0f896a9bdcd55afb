package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.tonemap.PictureRows.Layout;
import dev.evener.policy.Policy;
import java.util.Random;

/**
 * Rows of a picture of noise, longer than it is wide.
 *
 * @param alpha whether a buffer has it
 * @param groups whether CPUs run what GPUs do
 */
record RowsCase(Layout layout, boolean alpha, int width, int height, boolean groups) implements PrimitiveCase {
    @Override
    public String name() {
        return toString();
    }

    private int stride() {
        return isWide() ? 2 * (width + 3) : width + 3;
    }

    private boolean isWide() {
        return layout == Layout.YUV420_10 || layout == Layout.RGBA16;
    }

    private int alphaStride() {
        return layout == Layout.RGBA16 ? stride() / 2 : stride();
    }

    private int[] alphas() {
        int codes = layout == Layout.RGBA16 ? 1 << 16 : 1 << 8;
        return new Random(width + 1L)
                .ints((long) alphaStride() * height, 0, codes)
                .toArray();
    }

    private int[] pixels() {
        int[] pixels = new Random(width).ints((long) stride() * height).toArray();
        pixels[0] = 0x0000ff; // whose chroma is at the ends
        pixels[pixels.length - stride()] = 0xffffff;
        return pixels;
    }

    /** Bytes of a row that are something. */
    private int count(int row) {
        return switch (layout) {
            case RGB -> 3 * width;
            case RGBA -> 4 * width;
            case RGBA16 -> 8 * width;
            case YUV420 -> width + (row % 2 == 0 ? (width + 1) / 2 * 2 : 0);
            case YUV420_10 -> 2 * (width + (row % 2 == 0 ? (width + 1) / 2 * 2 : 0));
        };
    }

    @Override
    public Object run(Evener evener, Policy policy) {
        int[] pixels = pixels();
        int pitch = layout.pitch(width);
        try (HostBuffer in = evener.allocate(ElementType.UINT, pixels.length);
                HostBuffer codes = evener.allocate(ElementType.UINT, (long) alphaStride() * height);
                HostBuffer out = evener.allocate(ElementType.UBYTE, (long) pitch * height)) {
            in.ints().put(pixels);
            codes.ints().put(alphas());
            JobBuilder rows = Job.named("rows").units(height);
            Job job = PictureRows.addTo(rows, layout, width, height, stride(), in, alpha ? codes : null, out)
                    .build();
            evener.submit(GpuForms.job(groups, job), policy).join();
            byte[] bytes = new byte[pitch * height];
            for (int row = 0; row < height; row++) {
                out.bytes().get(row * pitch, bytes, row * pitch, count(row));
            }
            return bytes;
        }
    }

    @Override
    public void check(Object output) {
        byte[] bytes = (byte[]) output;
        int[] pixels = pixels();
        int[] alphas = alphas();
        int pitch = layout.pitch(width);
        for (int row = 0; row < height; row++) {
            for (int i = 0; layout == Layout.YUV420_10 && i < pitch; i += 2) {
                int code = (bytes[row * pitch + i] & 0xff) | (bytes[row * pitch + i + 1] & 0xff) << 8;
                double wrong = Math.abs(code - (i < count(row) ? tenBits(pixels, row, i / 2) : 0));
                if (wrong > 0.53) {
                    throw new AssertionError(name() + ", row " + row + ", code " + i / 2 + " is off by " + wrong);
                }
            }
            for (int i = 0; layout != Layout.YUV420_10 && i < pitch; i++) {
                double wrong = Math.abs(
                        (bytes[row * pitch + i] & 0xff) - (i < count(row) ? expected(pixels, alphas, row, i) : 0));
                if (wrong > (layout == Layout.YUV420 ? 0.51 : 0)) {
                    throw new AssertionError(name() + ", row " + row + ", byte " + i + " is off by " + wrong);
                }
            }
        }
    }

    private double component(int[] pixels, int x, int y, int component) {
        int word = pixels[Math.min(y, height - 1) * stride() + Math.min(x, width - 1)];
        return word >> (8 * component) & 0xff;
    }

    private double expected(int[] pixels, int[] alphas, int row, int at) {
        if (layout == Layout.RGBA16) {
            int component = at / 2 % 4;
            int opaque = alpha ? alphas[row * alphaStride() + at / 8] : 0xffff;
            int code = component == 3 ? opaque : (int) Math.rint(65535 * wide(pixels, at / 8, row)[component]);
            return at % 2 == 0 ? code >> 8 : code & 0xff;
        }
        if (layout != Layout.YUV420) {
            int components = layout == Layout.RGB ? 3 : 4;
            if (at % components == 3) {
                return alpha ? alphas[row * alphaStride() + at / 4] : 255;
            }
            return component(pixels, at / components, row, at % components);
        }
        if (at < width) {
            return luma(pixels, at, row);
        }
        int half = (width + 1) / 2;
        int blueOrRed = at < width + half ? 2 : 0;
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            int x = 2 * ((at - width) % half) + i % 2;
            int y = row + i / 2;
            sum += component(pixels, x, y, blueOrRed) - luma(pixels, x, y);
        }
        return Math.min(255, 128 + sum / 4 / (2 - 2 * (blueOrRed == 2 ? 0.0722 : 0.2126)));
    }

    private double tenBits(int[] pixels, int row, int at) {
        if (at < width) {
            return 64 + 876 * wide(pixels, at, row)[3];
        }
        int half = (width + 1) / 2;
        boolean blue = at < width + half;
        double sum = 0;
        for (int i = 0; i < 6; i++) { // one column before, two times its own, one behind; in both rows
            int x = Math.max(0, 2 * ((at - width) % half) + i % 3 - 1);
            double[] c = wide(pixels, x, row + i / 3);
            sum += (i % 3 == 1 ? 2 : 1) * (blue ? (c[2] - c[3]) / 1.8814 : (c[0] - c[3]) / 1.4746);
        }
        return 512 + 896 * sum / 8;
    }

    /** Red, green, blue and luma of 16-bit samples, from 0 to 1. */
    private double[] wide(int[] pixels, int x, int y) {
        int at = Math.min(y, height - 1) * stride() + 2 * Math.min(x, width - 1);
        int[] bytes = new int[6];
        for (int i = 0; i < 6; i++) {
            bytes[i] = pixels[at + i / 3] >> (8 * (i % 3)) & 0xff;
        }
        double[] c = new double[4];
        for (int i = 0; i < 3; i++) {
            c[i] = (256 * bytes[2 * i] + bytes[2 * i + 1]) / 65535.0;
        }
        c[3] = 0.2627 * c[0] + 0.678 * c[1] + 0.0593 * c[2];
        return c;
    }

    private double luma(int[] pixels, int x, int y) {
        return 0.2126 * component(pixels, x, y, 0)
                + 0.7152 * component(pixels, x, y, 1)
                + 0.0722 * component(pixels, x, y, 2);
    }
}
