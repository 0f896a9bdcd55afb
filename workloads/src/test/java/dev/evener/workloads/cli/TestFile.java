package dev.evener.workloads.cli;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Bytes of a file, one behind the other. */
final class TestFile {
    private final ByteArrayOutputStream all = new ByteArrayOutputStream();

    TestFile text(String text) {
        all.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    TestFile bytes(int... bytes) {
        for (int each : bytes) {
            all.write(each);
        }
        return this;
    }

    /** Little-endian. */
    TestFile integers(int... integers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * integers.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(integers);
        all.writeBytes(bytes.array());
        return this;
    }

    TestFile floats(float... floats) {
        for (float each : floats) {
            integers(Float.floatToRawIntBits(each));
        }
        return this;
    }

    byte[] content() {
        return all.toByteArray();
    }

    private TestFile attribute(String name, String type, int bytes) {
        return text(name + "\0" + type + "\0").integers(bytes);
    }

    /** OpenEXR's scanlines of floats without compression. */
    static byte[] exr(FrameLayout size, float[] rgb, float pixelAspect, float... chromaticities) {
        int width = size.width();
        TestFile file = new TestFile().integers(20000630, 2).attribute("channels", "chlist", 3 * 18 + 1);
        for (String channel : new String[] {"B", "G", "R"}) {
            file.text(channel + "\0").integers(2, 0, 1, 1);
        }
        file.bytes(0).attribute("compression", "compression", 1).bytes(0);
        file.attribute("dataWindow", "box2i", 16).integers(0, 0, width - 1, size.height() - 1);
        file.attribute("displayWindow", "box2i", 16).integers(0, 0, width - 1, size.height() - 1);
        file.attribute("pixelAspectRatio", "float", 4).floats(pixelAspect);
        if (chromaticities.length > 0) {
            file.attribute("chromaticities", "chromaticities", 32).floats(chromaticities);
        }
        file.bytes(0).integers(new int[2 * size.height()]);
        for (int y = 0; y < size.height(); y++) {
            file.integers(y, 12 * width);
            for (int c = 2; c >= 0; c--) {
                for (int x = 0; x < width; x++) {
                    file.floats(rgb[3 * (y * width + x) + c]);
                }
            }
        }
        return file.content();
    }
}
