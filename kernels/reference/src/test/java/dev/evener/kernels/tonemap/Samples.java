package dev.evener.kernels.tonemap;

import dev.evener.HostBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The frames that come with Evener: run-length coded Radiance files. */
final class Samples {
    static final List<Samples> ALL = List.of(read("city"), read("courtyard"), read("forest"), read("studio"));

    private final String name;
    private final FrameLayout layout;
    private final float[] rgb;

    private Samples(String name, FrameLayout layout, float[] rgb) {
        this.name = name;
        this.layout = layout;
        this.rgb = rgb;
    }

    String name() {
        return name;
    }

    FrameLayout layout() {
        return layout;
    }

    float[] rgb() {
        return rgb;
    }

    private static Samples read(String name) {
        byte[] file;
        try {
            file = Files.readAllBytes(Path.of("../../workloads/samples/" + name + ".hdr"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int at = 0;
        while (file[at] != '\n' || file[at + 1] != '\n') {
            at++;
        }
        int start = at + 2;
        at = start;
        while (file[at] != '\n') {
            at++;
        }
        String[] size = new String(file, start, at - start, StandardCharsets.US_ASCII).split(" ", -1);
        FrameLayout layout = new FrameLayout(Integer.parseInt(size[3]), Integer.parseInt(size[1]));
        at++;
        int width = layout.width();
        float[] rgb = new float[3 * width * layout.height()];
        byte[][] planes = new byte[4][width];
        for (int y = 0; y < layout.height(); y++) {
            at += 4;
            for (byte[] plane : planes) {
                for (int x = 0; x < width; ) {
                    int count = file[at++] & 0xff;
                    boolean run = count > 128;
                    for (int end = x + (run ? count - 128 : count); x < end; x++) {
                        plane[x] = run ? file[at] : file[at++];
                    }
                    at += run ? 1 : 0;
                }
            }
            for (int x = 0; x < width; x++) {
                float factor = planes[3][x] == 0 ? 0 : (float) Math.scalb(1.0, (planes[3][x] & 0xff) - 136);
                for (int c = 0; c < 3; c++) {
                    rgb[3 * (y * width + x) + c] = (planes[c][x] & 0xff) * factor;
                }
            }
        }
        return new Samples(name, layout, rgb);
    }

    HostBuffer frame() {
        return Frames.interleaved(layout, rgb);
    }

    @Override
    public String toString() {
        return name;
    }
}
