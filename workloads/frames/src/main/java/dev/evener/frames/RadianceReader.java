package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.RunLengths;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decodes Radiance pictures: RGBE and XYZE, flat, old and new run-length code, all eight orientations, as Radiance's {@code filefmts}
 * document and Ward, "Real Pixels", Graphics Gems II, 1991, have them.
 *
 * <p><b>Values.</b> Pixels stay coded ({@link PixelCoding#rgbe}), those of the newer run-length code in planes; only
 * their order changes. Nothing is to be added to a mantissa: Ward's code adds a half, to centre a truncated value, most other readers
 * do not, and writers that round make the plain product right. EXPOSURE lines say what the picture was multiplied with; as Radiance's
 * file format asks, values are divided by their product, and each channel by its COLORCORR factors likewise; beyond a float's range
 * they saturate. The white of XYZE has equal energy, as Radiance has it. RGBE without PRIMARIES is taken to have those of Rec. 709.
 *
 * <p><b>Why an own reader.</b> TwelveMonkeys' (imageio-hdr 3.12.0) refuses flat files and widths below 8, ignores EXPOSURE and
 * seven of the orientations, and allocates what a header asks for unchecked.
 *
 * @param size as displayed
 * @param headerBytes where pixels start
 * @param orientation how scanlines lie in the picture
 * @param planes whether it leaves its pixels in planes
 * @param coding what its pixels mean, as amounts of the primaries
 */
record RadianceReader(
        FrameLayout size,
        int headerBytes,
        Orientation orientation,
        boolean planes,
        PixelCoding coding,
        Primaries primaries,
        FrameMetadata metadata,
        List<String> warnings)
        implements FrameFile.Reader {
    /** Lines of a process to copy part by part: until a compiler has seen it, what is quick later takes many times as long. */
    static final AtomicInteger FIRST_LINES = new AtomicInteger(4096);

    /**
     * Where scanlines lie.
     *
     * @param columns whether a scanline is a column of the picture
     * @param majorReversed whether the first scanline is the bottom row or the right column
     * @param minorReversed whether a scanline's first pixel is at the right or the bottom
     */
    record Orientation(boolean columns, boolean majorReversed, boolean minorReversed) {
        /** Whether scanlines are rows from left to right. */
        boolean isReadingOrder() {
            return !columns && !minorReversed;
        }
    }

    @Override
    public boolean hasCodedLines() {
        return planes && !orientation.majorReversed;
    }

    @Override
    public void decode(Path file, FileWindow in, FrameFile.Pieces target) throws IOException {
        int lines = orientation.columns ? size.width() : size.height();
        int length = orientation.columns ? size.height() : size.width();
        Target pixels = new Target(target.all().get(0), this); // as words always lie in one
        Scanline scanline = new Scanline(file, in, lines, length, pixels);
        for (int line = 0; line < lines; line++) {
            scanline.decode(line);
        }
    }

    /** Places coded pixels where they belong. */
    private static final class Target {
        private final ByteBuffer bytes;
        private final IntBuffer words;
        private final FrameLayout size;
        private final Orientation orientation;
        private final boolean planes;

        /** Begins with zeros between rows, where an earlier frame may be. */
        Target(ByteBuffer target, RadianceReader reader) {
            this.bytes = target;
            this.words = target.asIntBuffer();
            this.size = reader.size;
            this.orientation = reader.orientation;
            this.planes = reader.planes;
            byte[] zeros = new byte[(planes ? 1 : Integer.BYTES) * (size.stride() - size.width())];
            int pitch = (planes ? 1 : Integer.BYTES) * size.stride();
            for (int row = 1; zeros.length > 0 && row <= Integer.BYTES * size.words() / pitch; row++) {
                target.put(row * pitch - zeros.length, zeros);
            }
        }

        private int row(int line, int lines) {
            return orientation.majorReversed ? lines - 1 - line : line;
        }

        /** Places a scanline's components. */
        void put(int line, byte[][] components) {
            int at = Integer.BYTES * row(line, size.height()) * size.stride();
            for (int c = 0; c < Integer.BYTES; c++) {
                bytes.put(at + c * size.stride(), components[c], 0, size.width());
            }
        }

        /** Places the first {@code count} words, which are those from {@code from} on in the line; spoils them. */
        void put(int line, int from, int[] pixels, int count) {
            int lines = orientation.columns ? size.width() : size.height();
            int length = orientation.columns ? size.height() : size.width();
            int major = row(line, lines);
            int minor = from;
            if (orientation.minorReversed) {
                minor = length - from - count;
                for (int low = 0, high = count - 1; low < high; low++, high--) {
                    int swap = pixels[low];
                    pixels[low] = pixels[high];
                    pixels[high] = swap;
                }
            }
            if (planes) {
                int at = Integer.BYTES * major * size.stride() + minor;
                for (int c = 0; c < Integer.BYTES; c++, at += size.stride()) {
                    for (int i = 0; i < count; i++) {
                        bytes.put(at + i, (byte) (pixels[i] >> (8 * c)));
                    }
                }
            } else if (!orientation.columns) {
                words.put(major * size.stride() + minor, pixels, 0, count);
            } else {
                for (int i = 0, at = minor * size.stride() + major; i < count; i++, at += size.stride()) {
                    words.put(at, pixels[i]);
                }
            }
        }
    }

    /** Decodes scanlines of any code; each one may have its own. */
    private static final class Scanline {
        private static final int NEW_CODE_LEAST = 8;
        private static final int NEW_CODE_MOST = 32767;

        private static final VarHandle EIGHT =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

        /** Of pixels handled at once; a scanline of the newer code has no more. */
        private static final int MOST = 1 << 15;

        private final Path file;
        private final FileWindow in;
        private final int lines;
        private final int length;
        private final Target target;
        private final byte[][] components;
        private int[] words;

        Scanline(Path file, FileWindow in, int lines, int length, Target target) {
            this.file = file;
            this.in = in;
            this.lines = lines;
            this.length = length;
            this.target = target;
            int most = Math.min(length, MOST);
            this.components = new byte[4][most + FileWindow.SPARE];
            this.words = new int[target.planes ? 0 : most];
        }

        void decode(int line) throws IOException {
            if (length >= NEW_CODE_LEAST && length <= NEW_CODE_MOST && in.require(RunLengths.HEAD) >= RunLengths.HEAD) {
                int at = in.position;
                if (RunLengths.isHead(in.bytes, at)) {
                    if (RunLengths.said(in.bytes, at) != length) {
                        throw damaged(
                                line, "says that it has " + RunLengths.said(in.bytes, at) + " pixels, not " + length);
                    }
                    in.position += RunLengths.HEAD;
                    // Even literals of one byte each would fit, so that what follows need not look for more.
                    in.require(8 * length);
                    in.position = expand(line, in.position);
                    return;
                }
            }
            plain(line);
        }

        /**
         * The newer code: each component by itself, runs of up to 127 bytes and literals of up to 128. Most have some ten or twenty bytes:
         * 32 are written at once, up to 31 more than there are. Returns where the line ends.
         */
        private int expand(int line, int from) throws IOException {
            byte[] bytes = in.bytes;
            int at = from;
            boolean inParts = FIRST_LINES.getPlain() > 0 && FIRST_LINES.getAndDecrement() > 0;
            for (byte[] component : components) {
                for (int done = 0, count; done < length; done += count) {
                    int code = at < in.limit ? bytes[at] & 0xff : -1;
                    // Runs and literals follow each other as if by chance: a branch would be guessed wrongly too often.
                    int run = (128 - code) >> 31; // all ones in a run
                    count = code - (128 & run);
                    int bytesOfCode = 2 + ((count - 1) & ~run);
                    if (code >= 0 && (count == 0 || count > length - done)) {
                        in.position = at;
                        throw damaged(
                                line,
                                "has a run of " + count + " where 1 to " + (length - done) + " bytes must follow");
                    }
                    if (code < 0 || in.limit - at < bytesOfCode) {
                        in.position = in.limit;
                        throw damaged(line, "ends early; the file was cut short");
                    }
                    if (inParts && run == 0) {
                        System.arraycopy(bytes, at + 1, component, done, count);
                    } else if (inParts) {
                        Arrays.fill(component, done, done + count, bytes[at + 1]);
                    }
                    long value = (bytes[at + 1] & 0xffL) * 0x0101010101010101L;
                    for (int i = 0; !inParts && i < count; i += FileWindow.SPARE) {
                        long first = (long) EIGHT.get(bytes, at + 1 + (i & ~run));
                        long second = (long) EIGHT.get(bytes, at + 9 + (i & ~run));
                        long third = (long) EIGHT.get(bytes, at + 17 + (i & ~run));
                        long fourth = (long) EIGHT.get(bytes, at + 25 + (i & ~run));
                        EIGHT.set(component, done + i, first ^ ((first ^ value) & run));
                        EIGHT.set(component, done + i + 8, second ^ ((second ^ value) & run));
                        EIGHT.set(component, done + i + 16, third ^ ((third ^ value) & run));
                        EIGHT.set(component, done + i + 24, fourth ^ ((fourth ^ value) & run));
                    }
                    at += bytesOfCode;
                }
            }
            if (target.planes) {
                target.put(line, components);
                return at;
            }
            byte[] red = components[0];
            byte[] green = components[1];
            byte[] blue = components[2];
            byte[] exponent = components[3];
            for (int i = 0; i < length; i++) {
                words[i] = (red[i] & 0xff) | (green[i] & 0xff) << 8 | (blue[i] & 0xff) << 16 | exponent[i] << 24;
            }
            target.put(line, 0, words, length);
            return at;
        }

        /** Whole pixels, in which (1, 1, 1, n) repeats the one before; repeats in a row are digits to the base 256. */
        private void plain(int line) throws IOException {
            words = words.length > 0 ? words : new int[Math.min(length, MOST)];
            int placed = 0; // of the line; the first `held` of words follow them
            int held = 0;
            int shift = 0;
            int last = 0;
            long repeats = 0; // of the last one, still to come
            while (placed + held < length) {
                if (held == words.length) {
                    target.put(line, placed, words, held);
                    placed += held;
                    held = 0;
                }
                if (repeats > 0) {
                    int now = (int) Math.min(repeats, words.length - held);
                    Arrays.fill(words, held, held + now, last);
                    held += now;
                    repeats -= now;
                    continue;
                }
                int wanted = Math.min(words.length - held, length - placed - held);
                int pixels = literals(line, held, wanted);
                if (pixels > 0) {
                    held += pixels;
                    last = words[held - 1];
                    shift = 0;
                    continue;
                }
                if (placed + held == 0) {
                    throw damaged(line, "starts with a repeat of nothing");
                }
                repeats = shift < 32 ? (in.bytes[in.position + 3] & 0xffL) << shift : Long.MAX_VALUE;
                shift += 8;
                int most = length - placed - held;
                if (repeats > most) {
                    throw damaged(line, "has a run of " + repeats + " pixels where at most " + most + " may follow");
                }
                in.position += 4;
            }
            target.put(line, placed, words, held);
        }

        /** Takes pixels up to the next repeat, as many as are at hand; returns their number, 0 before a repeat. */
        private int literals(int line, int at, int most) throws IOException {
            int available = in.require(4) / 4;
            if (available == 0) {
                in.position = in.limit;
                throw damaged(line, "ends early; the file was cut short");
            }
            int count = Math.min(most, available);
            ByteBuffer.wrap(in.bytes, in.position, 4 * count)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asIntBuffer()
                    .get(words, at, count);
            int end = at;
            while (end < at + count && (words[end] & 0xffffff) != 0x010101) {
                end++;
            }
            in.position += 4 * (end - at);
            return end - at;
        }

        private FrameException damaged(int line, String problem) {
            return new FrameException(
                    file, "scanline " + (line + 1) + " of " + lines + ", at byte " + in.offset() + ", " + problem);
        }
    }
}
