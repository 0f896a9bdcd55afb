package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Panoramas of 24,576 x 12,288 pixels, whose floats take 3.6 GB: their files are opened and their jobs are made, or
 * refused with what takes too much. No memory of that size is touched.
 */
class LargeFramesTest {
    private static final FrameLayout PANORAMA = new FrameLayout(24_576, 12_288);

    /** A file of which nothing but the header is ever read. */
    private static FrameFile file(String name, byte[] header) throws FrameException {
        return FrameFile.open(Path.of(name), 4L << 30, offset -> Channels.newChannel(new ByteArrayInputStream(header)));
    }

    private static List<FrameFile> panoramas() throws FrameException {
        ExrFiles exr = ExrFiles.of(1, 1, 0, 1);
        exr.display = new int[] {0, 0, PANORAMA.width() - 1, PANORAMA.height() - 1};
        return List.of(
                file("a.hdr", Frames.text("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 12288 +X 24576\n")),
                file("a.pfm", Frames.text("PF\n24576 12288\n-1\n")),
                file("a.exr", exr.bytes()));
    }

    @Test
    void haveJobs() throws IOException {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            for (FrameFile file : panoramas()) {
                assertEquals(PANORAMA, file.size());
                for (Operator operator : List.of(Operator.REINHARD_EXTENDED, Operator.REINHARD_LOCAL)) {
                    ToneMapSettings settings = ToneMapSettings.of(operator);
                    FrameStreamBuilder options = FrameStream.of(List.of(), evener, settings);
                    try (BufferPool buffers = new BufferPool(options)) {
                        FrameLayout picture = options.sizeOf(file, settings);
                        assertEquals(
                                PANORAMA.height(),
                                buffers.unread(file, picture, settings).units());
                    }
                }
            }
        }
    }

    @Test
    void areRefusedWhereSomethingTakesTooMuch() throws IOException {
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            ToneMapSettings plain = ToneMapSettings.of(Operator.REINHARD);
            for (FrameFile file : panoramas()) {
                ToneMapSettings guided = ToneMapSettings.of(Operator.GUIDED);
                refused("the operator guided", FrameStream.of(List.of(), evener, guided), file, guided);
                FrameStreamBuilder wide =
                        FrameStream.of(List.of(), evener, plain).format(PictureFormat.PNG16);
                refused("png16", wide, file, plain);
                FrameStreamBuilder small =
                        FrameStream.of(List.of(), evener, plain).size(PictureSize.parse("50%"));
                if (file.coding().type() == PixelCoding.FLOATS.type()) {
                    refused("--resize", small, file, plain);
                } else {
                    assertEquals(12_288, small.sizeOf(file, plain).width());
                }
            }
        }
    }

    private static void refused(String what, FrameStreamBuilder options, FrameFile file, ToneMapSettings settings) {
        FrameException e = assertThrows(FrameException.class, () -> options.sizeOf(file, settings));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains("24576 x 12288 pixels, for which " + what + " needs"), message);
    }
}
