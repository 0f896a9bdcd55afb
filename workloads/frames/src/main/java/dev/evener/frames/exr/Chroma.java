package dev.evener.frames.exr;

import dev.evener.frames.exr.Part.Window;
import dev.evener.frames.exr.Placement.Rows;
import java.util.Arrays;
import java.util.List;

/**
 * Makes red, green and blue of luminance Y and the chromas RY = (R - Y) / Y and BY = (B - Y) / Y, in half precision and in the steps
 * of OpenEXR's library, so that the bits agree. A chroma stands for 2 x 2 pixels; the others are interpolated by a filter of 27 taps,
 * across and then down, and colours that are far more saturated than those around them are made less so. Source: Kainz,
 * "Technical Introduction to OpenEXR", and RgbaYca of OpenEXR's library.
 *
 * <p>Keeps the samples of the frame and of what the filter needs around it: eight bytes a pixel. One thread.
 */
final class Chroma {
    /** Of samples 13, 11, ... 1 before, and as many after. */
    private static final float[] TAPS = {
        0.002128f, -0.007540f, 0.019597f, -0.043159f, 0.087929f, -0.186077f, 0.627123f,
        0.627123f, -0.186077f, 0.087929f, -0.043159f, 0.019597f, -0.007540f, 0.002128f
    };

    private static final int MARGIN = 16; // the filter's 13 and a neighbour, rounded up to a chroma of four
    private static final int BEFORE = 6; // chromas of which the filter takes more before than that at hand

    private final Window display;
    private final Rows rows;
    private final List<Float> luma;
    private final int left;
    private final int top;
    private final int width;
    private final int height;
    private final float[] lights;
    private final float[][] chromas; // of every other row; of every other column until the filter has gone across

    Chroma(Part part, Rows rows) {
        Window data = part.data();
        this.display = part.display();
        this.rows = rows;
        this.luma = part.luma();
        this.left = from(data.left(), display.left());
        this.top = from(data.top(), display.top());
        this.width = count(left, data.right(), display.right());
        this.height = count(top, data.bottom(), display.bottom());
        this.lights = new float[width * height];
        this.chromas = new float[2][width * (height / 2)];
    }

    private static int from(int data, int display) {
        return (int) Math.max(data, (display & ~1) - (long) MARGIN);
    }

    private static int count(int from, int data, int display) {
        return (int) Math.max(0, Math.min(data, (display | 1) + (long) MARGIN) - from + 1);
    }

    /** Takes a row of luminance, 0, or a chroma, 1 or 2. */
    void take(int which, Block block, int channel, int y, int start, byte[] raw) {
        Channel of = block.channels().get(channel);
        int shift = (block.left() - left) / of.across();
        int columns = width / of.across();
        if (y < top || y - (long) top >= height) {
            return;
        }
        int to = (y - top) / of.down() * width;
        for (int i = Math.max(0, -shift); i < Math.min(block.columns(channel), columns - shift); i++) {
            float value = Half.rounded(Placement.value(of.type(), raw, start + i * of.bytes()));
            (which == 0 ? lights : chromas[which - 1])[to + of.across() * (shift + i)] = value;
        }
    }

    /** All is there: makes the colours. */
    void finish() {
        int first = (int) Math.max(0, (long) display.top() - top);
        int last = (int) Math.min(height - 1L, (long) display.bottom() - top);
        int column = (int) Math.max(0, (long) display.left() - left);
        int count = (int) Math.min(width - (long) column, (long) display.right() - left - column + 1);
        widen(chromas[0]);
        widen(chromas[1]);
        float[][][] colours = new float[4][3][width]; // those of the rows above, at and below, and the result
        for (int y = first; y <= last && count > 0; y++) {
            for (int near = y == first ? y - 1 : y + 1; near <= y + 1; near++) {
                colours(near, colours[Math.floorMod(near, 3)]);
            }
            soften(colours[Math.floorMod(y - 1, 3)], colours[y % 3], colours[(y + 1) % 3], colours[3]);
            for (int colour = 0; colour < 3; colour++) {
                float[] values = Arrays.copyOfRange(colours[3][colour], column, column + count);
                int row = (int) (y + (long) top - display.top());
                rows.put(colour, row, (int) (column + (long) left - display.left()), count, values);
            }
        }
    }

    /** Makes the colours of a row, which may be the one before the first or the one after the last. */
    private void colours(int y, float[][] out) {
        chroma(chromas[0], y, out[0]);
        chroma(chromas[1], y, out[2]);
        int row = y < 0 ? 0 : y < height ? y : height - 2;
        for (int x = 0; x < width; x++) {
            float light = lights[row * width + x];
            boolean grey = out[0][x] == 0 && out[2][x] == 0;
            float r = grey ? light : (out[0][x] + 1) * light;
            float b = grey ? light : (out[2][x] + 1) * light;
            float g = grey ? light : (light - r * luma.get(0) - b * luma.get(2)) / luma.get(1);
            out[0][x] = Half.rounded(r);
            out[1][x] = Half.rounded(g);
            out[2][x] = Half.rounded(b);
        }
    }

    /** Fills in every other row; beyond the first and the last it takes these. */
    private void chroma(float[] chroma, int y, float[] out) {
        Arrays.fill(out, 0);
        int number = Math.floorDiv(y, 2);
        for (int tap = 0; tap < (y % 2 == 0 ? 1 : TAPS.length); tap++) {
            int row = y % 2 == 0 ? number : number - BEFORE + tap;
            int from = Math.max(0, Math.min(height / 2 - 1, row)) * width;
            add(chroma, from, y % 2 == 0 ? 1 : TAPS[tap], width, out);
        }
        for (int i = 0; i < width; i++) {
            out[i] = Half.rounded(out[i]);
        }
    }

    private static void add(float[] in, int from, float weight, int count, float[] out) {
        for (int i = 0; i < count; i++) {
            out[i] += in[from + i] * weight;
        }
    }

    /** Fills in every other column likewise. */
    private void widen(float[] chroma) {
        int half = width / 2;
        float[] padded = new float[half + TAPS.length];
        float[] between = new float[half];
        for (int row = 0; row < chroma.length; row += width) {
            for (int i = 0; i < padded.length; i++) {
                padded[i] = chroma[row + 2 * Math.max(0, Math.min(half - 1, i - BEFORE))];
            }
            Arrays.fill(between, 0);
            for (int tap = 0; tap < TAPS.length; tap++) {
                add(padded, tap, TAPS[tap], half, between);
            }
            for (int i = 0; i < half; i++) {
                chroma[row + 2 * i + 1] = Half.rounded(between[i]);
            }
        }
    }

    /** Takes saturation from what has far more of it than its diagonal neighbours. */
    private void soften(float[][] above, float[][] here, float[][] below, float[][] out) {
        for (int x = 0; x < width; x++) {
            int before = Math.max(0, x - 1);
            int after = Math.min(width - 1, x + 1);
            float sum = saturation(above, before) + saturation(above, after);
            float mean = 0.25f * (sum + saturation(below, before) + saturation(below, after));
            mean = mean < 1 ? mean : 1; // also if it is no number
            float most = Math.min(1, 1 - (1 - mean) * 0.25f);
            float saturation = saturation(here, x);
            boolean less = saturation > mean && saturation > most;
            float factor = most / saturation;
            float largest = largest(here, x);
            float light = 0;
            float lightOut = 0;
            for (int c = 0; c < 3; c++) {
                float value = here[c][x];
                out[c][x] = less ? Half.rounded(larger(largest - (largest - value) * factor, 0)) : value;
                light += value * luma.get(c);
                lightOut += out[c][x] * luma.get(c);
            }
            if (less && lightOut > 0) {
                for (int c = 0; c < 3; c++) {
                    out[c][x] = Half.rounded(out[c][x] * (light / lightOut));
                }
            }
        }
    }

    private static float larger(float a, float b) {
        return a < b ? b : a; // of NaNs the first, unlike Math.max
    }

    private static float largest(float[][] of, int x) {
        return larger(of[0][x], larger(of[1][x], of[2][x]));
    }

    private static float saturation(float[][] of, int x) {
        float largest = largest(of, x);
        float less = of[2][x] < of[1][x] ? of[2][x] : of[1][x];
        float smallest = less < of[0][x] ? less : of[0][x];
        return largest > 0 ? 1 - smallest / largest : 0;
    }
}
