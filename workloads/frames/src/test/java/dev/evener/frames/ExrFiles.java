package dev.evener.frames;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;

/** Writes OpenEXR files in the plainest way, all but PIZ; what is to be wrong with one is changed before. */
final class ExrFiles {
    /** The bits of a channel's sample: of a half, a float or an unsigned integer. */
    @FunctionalInterface
    interface Samples {
        int at(int x, int y, String channel);
    }

    int version = 2;
    int compression;
    int sampling = 1;
    boolean downwards = true;
    int[] data = {0, 0, 0, 0};
    int[] display = {0, 0, 0, 0};
    List<String> channels = List.of("B", "G", "R");

    /** Of each channel: 0 for unsigned integers, 1 for half, 2 for float. */
    List<Integer> types = List.of(1, 1, 1);

    Samples samples = (x, y, channel) -> 0;
    byte[] more = new byte[0];

    /** Further attributes: strings and floats. */
    Map<String, Object> about = Map.of();

    /** With both windows from the top left on. */
    static ExrFiles of(int width, int height, int compression, int type) {
        ExrFiles file = new ExrFiles();
        file.data = new int[] {0, 0, width - 1, height - 1};
        file.display = file.data;
        file.compression = compression;
        file.types = Collections.nCopies(3, type);
        return file;
    }

    byte[] bytes() {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        for (int i = 0; i < channels.size(); i++) {
            list.writeBytes(Frames.text(channels.get(i) + "\0"));
            list.writeBytes(ints(types.get(i), 0, sampling, sampling));
        }
        list.write(0);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ints(20000630, version));
        attribute(out, "channels", "chlist", list.toByteArray());
        attribute(out, "compression", "compression", (byte) compression);
        attribute(out, "dataWindow", "box2i", ints(data));
        attribute(out, "displayWindow", "box2i", ints(display));
        attribute(out, "lineOrder", "lineOrder", (byte) (downwards ? 0 : 1));
        if (!about.containsKey("comments")) {
            attribute(out, "comments", "string", more);
        }
        about.forEach((name, value) -> {
            if (value instanceof Float number) {
                attribute(out, name, "float", ints(Float.floatToRawIntBits(number)));
            } else {
                attribute(out, name, "string", value.toString().getBytes(StandardCharsets.UTF_8));
            }
        });
        out.write(0);
        List<byte[]> chunks = new ArrayList<>();
        int rows = compression == 3 ? 16 : compression == 4 ? 32 : 1;
        for (int y = data[1]; y <= data[3]; y += rows) {
            byte[] plain = rows(y, Math.min(data[3], y + rows - 1));
            byte[] coded = coded(plain);
            byte[] kept = coded.length < plain.length ? coded : plain;
            ByteArrayOutputStream chunk = new ByteArrayOutputStream();
            chunk.writeBytes(ints(y, kept.length));
            chunk.writeBytes(kept);
            chunks.add(chunk.toByteArray());
        }
        if (!downwards) {
            Collections.reverse(chunks);
        }
        out.writeBytes(new byte[8 * chunks.size()]); // places, which the reader leaves aside
        chunks.forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static void attribute(ByteArrayOutputStream out, String name, String type, byte... value) {
        out.writeBytes((name + "\0" + type + "\0").getBytes(StandardCharsets.ISO_8859_1));
        out.writeBytes(ints(value.length));
        out.writeBytes(value);
    }

    private static byte[] ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(values);
        return bytes.array();
    }

    private byte[] rows(int first, int last) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int y = first; y <= last; y++) {
            for (int channel = 0; channel < channels.size(); channel++) {
                for (int x = data[0]; x <= data[2] && y % sampling == 0; x += sampling) {
                    byte[] sample = ints(samples.at(x, y, channels.get(channel)));
                    out.write(sample, 0, types.get(channel) == 1 ? 2 : 4);
                }
            }
        }
        return out.toByteArray();
    }

    private byte[] coded(byte[] plain) {
        if (compression == 0 || compression > 3) {
            return plain;
        }
        byte[] differences = new byte[plain.length];
        for (int i = 0; i < plain.length; i++) {
            differences[i / 2 + (i % 2) * ((plain.length + 1) / 2)] = plain[i];
        }
        for (int i = plain.length - 1; i > 0; i--) {
            differences[i] = (byte) (differences[i] - differences[i - 1] + 128);
        }
        if (compression == 1) {
            return runs(differences);
        }
        Deflater deflater = new Deflater();
        deflater.setInput(differences);
        deflater.finish();
        byte[] out = new byte[plain.length + 100];
        int length = deflater.deflate(out);
        deflater.end();
        return Arrays.copyOf(out, length);
    }

    private static byte[] runs(byte[] in) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < in.length; ) {
            int run = 1;
            while (run < 128 && i + run < in.length && in[i + run] == in[i]) {
                run++;
            }
            if (run > 2) {
                out.write(run - 1);
                out.write(in[i]);
            } else {
                run = Math.min(in.length - i, 1 + i * 37 % 127);
                out.write(-run);
                out.write(in, i, run);
            }
            i += run;
        }
        return out.toByteArray();
    }
}
