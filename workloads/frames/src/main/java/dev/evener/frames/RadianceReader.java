package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes Radiance pictures: RGBE and XYZE, flat, old and new run-length code, all eight orientations.
 *
 * <p><b>Values.</b> A pixel is three mantissas m and an exponent e, bytes; a channel is m &times; 2^(e&minus;136), and 0
 * where e is 0. Nothing is added to the mantissa: Ward's code adds a half, to centre a truncated value, most other
 * readers do not, and writers that round make the plain product right. EXPOSURE lines say what the picture was multiplied
 * with since it was radiance; as Radiance's file format asks, values are divided by their product, and each channel by its
 * COLORCORR factors likewise. What that takes beyond a float's range saturates. XYZE is converted with the D65 matrix of
 * IEC 61966-2-1. RGBE is taken to have Rec. 709 primaries, which is what nearly all such files have; PRIMARIES lines are
 * not applied.
 *
 * <p><b>Why an own reader.</b> The ImageIO plug-in of TwelveMonkeys (imageio-hdr 3.12.0) refuses flat files and widths
 * below 8, ignores EXPOSURE and seven of the orientations, and allocates what a header asks for unchecked.
 *
 * <p>Format: Radiance's {@code filefmts} document and Ward, "Real Pixels", Graphics Gems II, 1991.
 */
final class RadianceReader implements FrameReader {
    private final FrameLayout size;
    private final int headerBytes;
    private final Orientation orientation;
    private final double exposure;
    private final float @Nullable [] matrix;

    /**
     * Takes what the header said.
     *
     * @param size as displayed
     * @param headerBytes where pixels start
     * @param orientation how scanlines lie in the picture
     * @param exposure what values are divided by, positive
     * @param matrix three by three, applied to decoded values, or null for none
     */
    RadianceReader(
            FrameLayout size, int headerBytes, Orientation orientation, double exposure, float @Nullable [] matrix) {
        this.size = size;
        this.headerBytes = headerBytes;
        this.orientation = orientation;
        this.exposure = exposure;
        this.matrix = matrix;
    }

    @Override
    public FrameLayout size() {
        return size;
    }

    @Override
    public int headerBytes() {
        return headerBytes;
    }

    /**
     * Where scanlines lie.
     *
     * @param columns whether a scanline is a column of the picture
     * @param majorReversed whether the first scanline is the bottom row or the right column
     * @param minorReversed whether a scanline's first pixel is at the right or the bottom
     */
    record Orientation(boolean columns, boolean majorReversed, boolean minorReversed) {}

    @Override
    public FrameFile.Format format() {
        return FrameFile.Format.RADIANCE;
    }

    @Override
    public void decode(Path file, FileWindow in, PlanarTarget target) throws IOException {
        int lines = orientation.columns ? size.width() : size.height();
        int length = orientation.columns ? size.height() : size.width();
        Pixels pixels = new Pixels(this, target, length);
        Scanline scanline = new Scanline(file, in, lines, length, pixels);
        for (int line = 0; line < lines; line++) {
            scanline.decode(line);
        }
    }

    /** Turns runs of coded pixels into floats where they belong. */
    static final class Pixels {
        /** A scanline of the newer code is shorter; longer ones come in pieces. */
        static final int MOST = 1 << 15;

        /** Red, green, blue and exponent bytes of a run, filled by the scanline decoder. */
        final byte[][] coded;

        private final Orientation orientation;
        private final float @Nullable [] matrix;
        private final PlanarTarget target;
        private final int lines;
        private final int length;
        private final float[] scale = new float[256];
        private final float[][] channels;

        Pixels(RadianceReader reader, PlanarTarget target, int length) {
            this.orientation = reader.orientation;
            this.matrix = reader.matrix;
            this.target = target;
            this.lines = orientation.columns ? reader.size.width() : reader.size.height();
            this.length = length;
            int most = Math.min(length, MOST);
            this.coded = new byte[4][most];
            this.channels = new float[3][most];
            // A finite factor keeps a mantissa of 0 black however small the exposure.
            for (int e = 1; e < scale.length; e++) {
                scale[e] = (float) Math.min(Math.scalb(1.0, e - 136) / reader.exposure, Float.MAX_VALUE / 255);
            }
        }

        /** Places the first {@code count} coded pixels, which are those from {@code from} on in the line. */
        void emit(int line, int from, int count) {
            expand(coded[0], coded[1], coded[2], coded[3], count);
            if (matrix != null) {
                transform(matrix, count);
            }
            int major = orientation.majorReversed ? lines - 1 - line : line;
            int minor = from;
            if (orientation.minorReversed) {
                for (float[] channel : channels) {
                    reverse(channel, count);
                }
                minor = length - from - count;
            }
            if (orientation.columns) {
                target.putColumn(minor, major, count, channels[0], channels[1], channels[2]);
            } else {
                target.putRow(major, minor, count, channels[0], channels[1], channels[2]);
            }
        }

        private void expand(byte[] r, byte[] g, byte[] b, byte[] e, int count) {
            float[] red = channels[0];
            float[] green = channels[1];
            float[] blue = channels[2];
            for (int i = 0; i < count; i++) {
                float factor = scale[e[i] & 0xff];
                red[i] = (r[i] & 0xff) * factor;
                green[i] = (g[i] & 0xff) * factor;
                blue[i] = (b[i] & 0xff) * factor;
            }
        }

        private void transform(float[] m, int count) {
            for (int i = 0; i < count; i++) {
                float x = channels[0][i];
                float y = channels[1][i];
                float z = channels[2][i];
                channels[0][i] = finite(m[0] * x + m[1] * y + m[2] * z);
                channels[1][i] = finite(m[3] * x + m[4] * y + m[5] * z);
                channels[2][i] = finite(m[6] * x + m[7] * y + m[8] * z);
            }
        }

        private static float finite(float value) {
            return Math.max(-Float.MAX_VALUE, Math.min(Float.MAX_VALUE, value));
        }

        private static void reverse(float[] values, int count) {
            for (int low = 0, high = count - 1; low < high; low++, high--) {
                float swap = values[low];
                values[low] = values[high];
                values[high] = swap;
            }
        }
    }

    /** Decodes scanlines of any code; each one may have its own. */
    private static final class Scanline {
        private static final int NEW_CODE_LEAST = 8;
        private static final int NEW_CODE_MOST = 32767;

        private final Path file;
        private final FileWindow in;
        private final int lines;
        private final int length;
        private final Pixels pixels;

        Scanline(Path file, FileWindow in, int lines, int length, Pixels pixels) {
            this.file = file;
            this.in = in;
            this.lines = lines;
            this.length = length;
            this.pixels = pixels;
        }

        void decode(int line) throws IOException {
            if (length >= NEW_CODE_LEAST && length <= NEW_CODE_MOST && in.require(4) >= 4) {
                int at = in.position;
                byte[] bytes = in.bytes;
                if (bytes[at] == 2 && bytes[at + 1] == 2 && bytes[at + 2] >= 0) {
                    int said = bytes[at + 2] << 8 | (bytes[at + 3] & 0xff);
                    if (said != length) {
                        throw damaged(line, "says that it has " + said + " pixels, not " + length);
                    }
                    in.position += 4;
                    components(line);
                    return;
                }
            }
            plain(line);
        }

        /** The newer code: each component by itself, runs of up to 127 bytes and literals of up to 128. */
        private void components(int line) throws IOException {
            // Even literals of one byte each would fit, so that the loops below need not look for more.
            in.require(8 * length);
            for (byte[] component : pixels.coded) {
                int done = 0;
                while (done < length) {
                    int code = in.position < in.limit ? in.bytes[in.position] & 0xff : -1;
                    int count = code > 128 ? code - 128 : code;
                    if (code >= 0 && (count == 0 || count > length - done)) {
                        throw damaged(
                                line,
                                "has a run of " + count + " where 1 to " + (length - done) + " bytes must follow");
                    }
                    if (code < 0 || in.limit - in.position <= (code > 128 ? 1 : count)) {
                        in.position = in.limit;
                        throw damaged(line, "ends early; the file was cut short");
                    }
                    if (code > 128) {
                        Arrays.fill(component, done, done + count, in.bytes[in.position + 1]);
                        in.position += 2;
                    } else {
                        System.arraycopy(in.bytes, in.position + 1, component, done, count);
                        in.position += 1 + count;
                    }
                    done += count;
                }
            }
            pixels.emit(line, 0, length);
        }

        /** Whole pixels, in which (1, 1, 1, n) repeats the one before; repeats in a row are digits to the base 256. */
        private void plain(int line) throws IOException {
            byte[][] coded = pixels.coded;
            int most = coded[0].length;
            int emitted = 0;
            int held = 0;
            int shift = 0;
            byte[] last = new byte[4];
            while (emitted + held < length) {
                if (in.require(4) < 4) {
                    in.position = in.limit;
                    throw damaged(line, "ends early; the file was cut short");
                }
                int at = in.position;
                byte[] bytes = in.bytes;
                long count = 1;
                if (bytes[at] == 1 && bytes[at + 1] == 1 && bytes[at + 2] == 1) {
                    count = shift < 32 ? (bytes[at + 3] & 0xffL) << shift : Long.MAX_VALUE;
                    shift += 8;
                    if (emitted + held == 0) {
                        throw damaged(line, "starts with a repeat of nothing");
                    }
                    if (count > length - emitted - held) {
                        throw damaged(
                                line,
                                "has a run of " + count + " pixels where at most " + (length - emitted - held)
                                        + " may follow");
                    }
                } else {
                    System.arraycopy(bytes, at, last, 0, 4);
                    shift = 0;
                }
                in.position += 4;
                while (count > 0) {
                    int now = (int) Math.min(count, most - held);
                    for (int c = 0; c < 4; c++) {
                        Arrays.fill(coded[c], held, held + now, last[c]);
                    }
                    held += now;
                    count -= now;
                    if (held == most || emitted + held == length) {
                        pixels.emit(line, emitted, held);
                        emitted += held;
                        held = 0;
                    }
                }
            }
        }

        private FrameException damaged(int line, String problem) {
            return new FrameException(
                    file, "scanline " + (line + 1) + " of " + lines + ", at byte " + in.offset() + ", " + problem);
        }
    }
}
