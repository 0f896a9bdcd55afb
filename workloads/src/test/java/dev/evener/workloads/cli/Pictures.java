package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.frames.FrameFile;
import dev.evener.kernels.reference.ToneMapReference;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** PNG files as another program sees them. */
final class Pictures {
    private Pictures() {}

    private static BufferedImage read(Path file) throws IOException {
        BufferedImage image = ImageIO.read(file.toFile());
        assertTrue(image != null, () -> file + " is no picture");
        return image;
    }

    private static int[] pixels(BufferedImage image) {
        return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    }

    /** Every value of the picture is within one code of the double-precision reference. */
    static void assertMapped(Path frame, Path picture, ToneMapSettings settings) throws IOException {
        assertMapped(frame, picture, settings, settings.operator().words());
    }

    /** The same with so many words a pixel: 1, or 2 for 16 bits. */
    static void assertMapped(Path frame, Path picture, ToneMapSettings settings, int words) throws IOException {
        FrameFile file = FrameFile.open(frame);
        FrameLayout size = file.size();
        ByteBuffer coded = ByteBuffer.allocateDirect((int) size.bytes()).order(ByteOrder.nativeOrder());
        file.decode(coded);
        FloatBuffer planar = FloatBuffer.allocate(size.floats());
        file.coding().expand(size, coded, planar);
        byte[] expected = ToneMapReference.map(planar, size, settings, words);
        BufferedImage image = read(picture);
        assertEquals(size.width(), image.getWidth());
        assertEquals(size.height(), image.getHeight());
        int[] actual = image.getRaster().getPixels(0, 0, size.width(), size.height(), (int[]) null);
        assertEquals(3 * size.pixels(), actual.length);
        boolean wide = words == 2;
        assertEquals(wide ? 16 : 8, image.getSampleModel().getSampleSize(0));
        int worst = 0;
        for (int i = 0; i < actual.length; i++) {
            int code = wide ? ((expected[2 * i] & 0xff) << 8) | (expected[2 * i + 1] & 0xff) : expected[i] & 0xff;
            worst = Math.max(worst, Math.abs(code - actual[i]));
        }
        assertEquals(0, worst, 1, () -> picture + " is not what the reference says");
    }

    /** The same pictures under the same names in both folders: pixels first, then the very bytes of the files. */
    static void assertSame(Path expected, Path actual, int count) throws IOException {
        assertEquals(count, Cli.names(expected).size());
        assertEquals(Cli.names(expected), Cli.names(actual));
        for (String name : Cli.names(expected)) {
            Path file = actual.resolve(name);
            assertArrayEquals(pixels(read(expected.resolve(name))), pixels(read(file)), () -> "pixels of " + file);
            assertEquals(-1, Files.mismatch(expected.resolve(name), file), () -> "bytes of " + file);
        }
    }
}
