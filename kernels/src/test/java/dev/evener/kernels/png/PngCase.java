package dev.evener.kernels.png;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.policy.Policy;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.Objects;
import java.util.Random;
import javax.imageio.ImageIO;

/**
 * A picture coded on devices, whose file the JDK reads.
 *
 * @param kind what is in it
 * @param width its pixels in a row
 * @param height its rows
 * @param padding words between rows
 * @param groups whether CPUs run what GPUs do
 * @param options more for the compiler, on CPUs
 */
record PngCase(Kind kind, int width, int height, int padding, boolean groups, String options) implements PrimitiveCase {
    PngCase(Kind kind, int width, int height, int padding, boolean groups) {
        this(kind, width, height, padding, groups, "");
    }

    enum Kind {
        BLACK,
        NOISE,
        GRADIENT,
        BLOCKS
    }

    @Override
    public String name() {
        return kind + ", " + width + " x " + height + " pixels" + (padding > 0 ? " in longer rows" : "");
    }

    private int pixel(Random random, int x, int y) {
        return switch (kind) {
            case BLACK -> 0;
            case NOISE -> random.nextInt();
            case GRADIENT -> (x * 255 / width) | (y * 255 / height) << 8 | ((x + y) & 255) << 16;
            case BLOCKS ->
                (x / 40 + y / 20) % 3 == 0 ? random.nextInt(4) * 0x010101 : 0x405060 + random.nextInt(8) * 0x10203;
        };
    }

    private int[] pixels() {
        Random random = new Random(width);
        int[] pixels = new int[(width + padding) * height];
        for (int i = 0; i < pixels.length; i++) {
            int x = i % (width + padding);
            pixels[i] =
                    x < width ? pixel(random, x, i / (width + padding)) | (random.nextInt() << 24) : random.nextInt();
        }
        return pixels;
    }

    @Override
    public Object run(Evener evener, Policy policy) {
        int[] pixels = pixels();
        try (HostBuffer buffer = evener.allocate(ElementType.UINT, pixels.length);
                HostBuffer coded = evener.allocate(ElementType.UBYTE, PngEncoder.mostBytes(width, height));
                PngEncoder encoder = new PngEncoder(evener::allocate)) {
            buffer.ints().put(pixels);
            Job whole = encoder.job(width, height, width + padding, buffer, coded);
            Job job = GpuForms.job(groups ? 2 : 1, options, whole);
            evener.submit(job, policy).join();
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            encoder.write(Channels.newChannel(file));
            assertEquals(file.size(), encoder.fileBytes());
            return file.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void check(Object output) {
        int[] pixels = pixels();
        int[] expected = new int[width * height];
        for (int i = 0; i < expected.length; i++) {
            int word = pixels[i / width * (width + padding) + i % width];
            expected[i] = 0xff000000 | (word & 0xff) << 16 | (word & 0xff00) | (word >>> 16 & 0xff);
        }
        try {
            BufferedImage image =
                    Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream((byte[]) output)), "not a PNG");
            assertEquals(width + " x " + height, image.getWidth() + " x " + image.getHeight());
            assertArrayEquals(expected, image.getRGB(0, 0, width, height, null, 0, width));
        } catch (IOException e) {
            throw new AssertionError(name() + " cannot be read: " + e.getMessage(), e);
        }
    }
}
