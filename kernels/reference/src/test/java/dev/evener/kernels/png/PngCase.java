package dev.evener.kernels.png;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.png.PngEncoder.Colour;
import dev.evener.policy.Policy;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import javax.imageio.ImageIO;

/**
 * A picture coded on devices, whose file the JDK reads.
 *
 * @param colour what its samples are
 * @param kind what is in it
 * @param width its pixels in a row
 * @param height its rows
 * @param padding pixels between rows
 * @param groups whether CPUs run what GPUs do
 * @param options more for the compiler, on CPUs
 */
record PngCase(Colour colour, Kind kind, int width, int height, int padding, boolean groups, String options)
        implements PrimitiveCase {
    PngCase(Kind kind, int width, int height, int padding, boolean groups) {
        this(Colour.SRGB, kind, width, height, padding, groups, "");
    }

    /** With 16 bits. */
    static PngCase wide(Kind kind, int width, int height, int padding, boolean groups) {
        return new PngCase(Colour.HLG, kind, width, height, padding, groups, "");
    }

    enum Kind {
        BLACK,
        NOISE,
        GRADIENT,
        BLOCKS,
        /** Each value half as often as the one before: Huffman's code would be longer than DEFLATE's may be. */
        RARE
    }

    @Override
    public String name() {
        return colour + " " + kind + ", " + width + " x " + height + " pixels" + (padding > 0 ? " in longer rows" : "");
    }

    private int pixel(Random random, int x, int y) {
        return switch (kind) {
            case BLACK -> 0;
            case NOISE -> random.nextInt();
            case RARE -> Integer.numberOfTrailingZeros(random.nextInt()) << (8 * random.nextInt(3));
            case GRADIENT -> (x * 255 / width) | (y * 255 / height) << 8 | ((x + y) & 255) << 16;
            case BLOCKS ->
                (x / 40 + y / 20) % 3 == 0 ? random.nextInt(4) * 0x010101 : 0x405060 + random.nextInt(8) * 0x10203;
        };
    }

    private int pitch() {
        return colour.words * (width + padding);
    }

    private int[] pixels() {
        Random random = new Random(width);
        int[] pixels = new int[pitch() * height];
        for (int i = 0; i < pixels.length; i++) {
            int x = i % pitch();
            pixels[i] = x < colour.words * width
                    ? pixel(random, x, i / pitch()) | (random.nextInt() << 24)
                    : random.nextInt();
        }
        return pixels;
    }

    @Override
    public Object run(Evener evener, Policy policy) {
        int[] pixels = pixels();
        try (HostBuffer buffer = evener.allocate(ElementType.UINT, pixels.length);
                DataBuffer coded = coded(evener);
                PngEncoder encoder = new PngEncoder(evener::allocate)) {
            buffer.ints().put(pixels);
            Job whole = encoder.job(colour, width, height, width + padding, buffer, coded);
            Job job = GpuForms.job(groups ? 2 : 1, options, whole);
            evener.submit(job, policy).join();
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            encoder.write(Channels.newChannel(file));
            return file.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of one kind or the other. */
    private DataBuffer coded(Evener evener) {
        long bytes = colour.mostBytes(width, height);
        return groups || padding > 0
                ? evener.allocateManaged(ElementType.UBYTE, bytes)
                : evener.allocate(ElementType.UBYTE, bytes);
    }

    @Override
    public void check(Object output) {
        int[] pixels = pixels();
        int[] expected = new int[3 * width * height];
        for (int i = 0; i < expected.length; i++) {
            for (int at = colour.words * (i % (3 * width)), end = at + colour.words; at < end; at++) {
                int word = pixels[i / (3 * width) * pitch() + at / 3];
                expected[i] = (expected[i] << 8) | ((word >>> (8 * (at % 3))) & 0xff);
            }
        }
        try {
            BufferedImage image =
                    Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream((byte[]) output)), "not a PNG");
            assertEquals(width + " x " + height, image.getWidth() + " x " + image.getHeight());
            assertEquals(8 * colour.words, image.getSampleModel().getSampleSize(0));
            assertArrayEquals(expected, image.getRaster().getPixels(0, 0, width, height, new int[3 * width * height]));
            String head = new String((byte[]) output, StandardCharsets.ISO_8859_1);
            assertEquals(
                    colour == Colour.HLG ? "cICP\11\22\0\1" : "sRGB\0",
                    head.substring(37, colour == Colour.HLG ? 45 : 42));
        } catch (IOException e) {
            throw new AssertionError(name() + " cannot be read: " + e.getMessage(), e);
        }
    }
}
