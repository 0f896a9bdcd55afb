package dev.evener.frames;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Writes Radiance pictures of every kind, and decodes them in the plainest way, pixel by pixel in doubles. */
final class HdrFiles {
    private HdrFiles() {}

    enum Code {
        FLAT,
        OLD,
        NEW
    }

    /** Stored pixels, one int R G B E each, by scanline. */
    static int[][] randomPixels(int lines, int length, long seed) {
        Random random = new Random(seed);
        int[][] pixels = new int[lines][length];
        for (int[] line : pixels) {
            int i = 0;
            while (i < length) {
                int pixel = randomPixel(random);
                // Runs of every length, and now and then noise, so that both forms of every code occur.
                int count = random.nextInt(3) == 0 ? 1 + random.nextInt(700) : 1;
                for (; count > 0 && i < length; count--, i++) {
                    line[i] = pixel;
                }
            }
        }
        return pixels;
    }

    private static int randomPixel(Random random) {
        if (random.nextInt(20) == 0) {
            return random.nextInt() & 0xffffff00;
        }
        // A mantissa of at least 128 keeps a flat pixel from looking like a marker, as in every normalised picture.
        int exponent = random.nextInt(10) == 0 ? 1 + random.nextInt(255) : 120 + random.nextInt(20);
        return (128 + random.nextInt(128)) << 24 | random.nextInt(256) << 16 | random.nextInt(256) << 8 | exponent;
    }

    static byte[] file(String information, String resolution, int[][] pixels, Code code) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("#?RADIANCE\n" + information + "\n" + resolution + "\n").getBytes(StandardCharsets.ISO_8859_1));
        for (int[] line : pixels) {
            switch (code) {
                case FLAT -> flat(out, line);
                case OLD -> old(out, line);
                case NEW -> components(out, line);
            }
        }
        return out.toByteArray();
    }

    private static void pixel(ByteArrayOutputStream out, int pixel) {
        out.write(pixel >>> 24);
        out.write(pixel >>> 16);
        out.write(pixel >>> 8);
        out.write(pixel);
    }

    private static void flat(ByteArrayOutputStream out, int[] line) {
        for (int pixel : line) {
            pixel(out, pixel);
        }
    }

    private static void old(ByteArrayOutputStream out, int[] line) {
        for (int i = 0; i < line.length; ) {
            pixel(out, line[i]);
            int run = 0;
            while (i + 1 + run < line.length && line[i + 1 + run] == line[i]) {
                run++;
            }
            for (int rest = run; rest > 0; rest >>>= 8) {
                pixel(out, 0x01010100 | (rest & 0xff));
            }
            i += 1 + run;
        }
    }

    private static void components(ByteArrayOutputStream out, int[] line) {
        pixel(out, 0x02020000 | line.length);
        for (int shift = 24; shift >= 0; shift -= 8) {
            int i = 0;
            while (i < line.length) {
                int run = 1;
                while (run < 127 && i + run < line.length && at(line, i + run, shift) == at(line, i, shift)) {
                    run++;
                }
                if (run > 2) {
                    out.write(128 + run);
                    out.write(at(line, i, shift));
                    i += run;
                } else {
                    int count = Math.min(line.length - i, 1 + (i * 37) % 128);
                    out.write(count);
                    for (int k = 0; k < count; k++) {
                        out.write(at(line, i + k, shift));
                    }
                    i += count;
                }
            }
        }
    }

    private static int at(int[] line, int i, int shift) {
        return line[i] >>> shift & 0xff;
    }

    /**
     * The frame as {@code [row][column][channel]}.
     *
     * @param resolution like {@code -Y 3 +X 5}
     */
    static float[][][] decode(int[][] pixels, String resolution, double exposure) {
        String[] words = resolution.split(" ", -1);
        boolean xFirst = words[0].endsWith("X");
        int width = Integer.parseInt(words[xFirst ? 1 : 3]);
        int height = Integer.parseInt(words[xFirst ? 3 : 1]);
        boolean xGrows = words[xFirst ? 0 : 2].startsWith("+");
        boolean yGrows = words[xFirst ? 2 : 0].startsWith("+");
        float[][][] frame = new float[height][width][3];
        for (int line = 0; line < pixels.length; line++) {
            for (int i = 0; i < pixels[line].length; i++) {
                int x = xFirst ? line : i;
                int y = xFirst ? i : line;
                int rightwards = xGrows ? x : width - 1 - x;
                int upwards = yGrows ? y : height - 1 - y;
                int pixel = pixels[line][i];
                for (int c = 0; c < 3; c++) {
                    int mantissa = pixel >>> (24 - 8 * c) & 0xff;
                    int exponent = pixel & 0xff;
                    double factor = exponent == 0 ? 0 : Math.pow(2, exponent - 136) / exposure;
                    double value = factor < Float.MIN_NORMAL ? 0 : mantissa * factor;
                    frame[height - 1 - upwards][rightwards][c] = (float) value;
                }
            }
        }
        return frame;
    }
}
