package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.awt.image.Raster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures with alpha: colours are those of the frame without it, and metered as such; alpha is the frame's. */
class AlphaTest {
    private static final int WIDTH = 21;
    private static final int HEIGHT = 12;

    @TempDir
    private Path folder = Path.of("");

    /** 0 in a quarter, 1 in another, and anything between. */
    private static float alpha(int x, int y) {
        return x < WIDTH / 2 ? (y < HEIGHT / 2 ? 0 : 1) : (x * 7 + y * 3) % 50 / 50f;
    }

    private static float colour(int x, int y, String channel) {
        return 0.01f * (1 + (x * 31 + y * 17 + 5 * channel.charAt(0)) % 400);
    }

    /** Colours that alpha multiplies, or those beneath it; light without alpha is nothing that a picture could have. */
    private Path frame(String name, boolean associated, int left) throws IOException {
        ExrFiles file = ExrFiles.of(WIDTH, HEIGHT, 2, 2);
        file.channels = associated ? List.of("A", "B", "G", "R") : List.of("B", "G", "R");
        file.types = Collections.nCopies(file.channels.size(), 2);
        file.data = new int[] {left, 0, WIDTH - 1, HEIGHT - 1};
        file.samples = (x, y, channel) -> {
            float a = alpha(x, y);
            float product = (a == 0 ? 1 : a) * colour(x, y, channel);
            float value = channel.equals("A") ? a : associated ? product : a == 0 ? 0 : product / a;
            return Float.floatToRawIntBits(value);
        };
        return Frames.write(folder, name, file.bytes());
    }

    private Raster picture(Evener evener, Path frame, PictureFormat format, boolean alpha, PictureSize size)
            throws IOException, InterruptedException {
        Path out = folder.resolve(frame.getFileName() + format.text() + size.percent());
        FrameStreamBuilder builder = FrameStream.of(
                        List.of(frame), evener, ToneMapSettings.of(Operator.REINHARD_EXTENDED))
                .format(format)
                .size(size)
                .choice(new FrameChoice(null, null, false, alpha));
        try (FrameStream stream = builder.into(out)) {
            assertEquals(List.of(), stream.run().failures());
        }
        Path file = out.resolve(frame.getFileName().toString().replace(".exr", ".png"));
        assertTrue(format.mayBeOwn(file));
        return ImageIO.read(file.toFile()).getRaster();
    }

    @Test
    void coloursAreThoseWithout() throws Exception {
        PictureSize whole = PictureSize.parse("100%");
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            for (int left : new int[] {0, 5}) {
                Path with = frame("with.exr", true, left);
                Path without = frame("without.exr", false, left);
                for (PictureFormat format : List.of(PictureFormat.PNG, PictureFormat.PNG16)) {
                    Raster expected = picture(evener, without, format, false, whole);
                    Raster actual = picture(evener, with, format.withAlpha(), true, whole);
                    assertEquals(4, actual.getNumBands());
                    int largest = format == PictureFormat.PNG ? 255 : 65535;
                    for (int i = 0; i < WIDTH * HEIGHT; i++) {
                        int x = i % WIDTH;
                        int y = i / WIDTH;
                        for (int band = 0; band < 3; band++) {
                            assertEquals(expected.getSample(x, y, band), actual.getSample(x, y, band), x + ", " + y);
                        }
                        float alpha = x < left ? 0 : alpha(x, y);
                        assertEquals(Math.round(largest * alpha), actual.getSample(x, y, 3), x + ", " + y);
                    }
                    Raster half = picture(evener, with, format.withAlpha(), true, PictureSize.parse("50%"));
                    assertEquals(HEIGHT / 2, half.getHeight());
                    assertEquals(0, half.getSample(1, 1, 3));
                    assertEquals(left == 0 ? largest : 0, half.getSample(1, 4, 3));
                }
                Raster opaque = picture(evener, without, PictureFormat.PNG_ALPHA, true, whole);
                assertEquals(255, opaque.getSample(3, 3, 3));
            }
            Path frame = frame("one.exr", true, 0);
            assertThrows(IllegalArgumentException.class, () -> picture(evener, frame, PictureFormat.JPEG, true, whole));
        }
    }
}
