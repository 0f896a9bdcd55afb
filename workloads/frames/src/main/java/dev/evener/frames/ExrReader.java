package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decodes OpenEXR files of one part with scanlines of half or float: uncompressed, RLE, ZIPS, ZIP and PIZ.
 *
 * <p>The frame is the display window. Pixels of the data window that lie outside of it are left out, those that it has beyond the
 * data are black. Values arrive as they are, R, G and B, or Y for all three; other channels are skipped. Primaries are taken to be
 * Rec. 709's: a chromaticities attribute is not applied.
 *
 * <p>Chunks are taken as they follow one another, in whatever order of rows; the table of their places is not needed.
 *
 * <p><b>Why an own reader.</b> The kept libraries are OpenEXR and tinyexr, native code: a file that is damaged in the right places
 * ends the process, where here it is an exception.
 *
 * <p>Format: "OpenEXR File Layout" of openexr.com; ZIP and RLE as OpenEXR's library writes them.
 *
 * @param size the display window's
 * @param headerBytes where chunks start
 * @param compression of the chunks
 * @param channels in the order in which a row holds them, one after another
 * @param colours places of red, green and blue among the channels
 * @param data where the file's pixels lie
 * @param display where the frame's pixels lie
 */
record ExrReader(
        FrameLayout size,
        int headerBytes,
        Compression compression,
        List<Channel> channels,
        List<Integer> colours,
        Window data,
        Window display)
        implements FrameFile.Reader {

    /** How chunks are compressed, in the order of the format's codes. */
    enum Compression {
        NONE(1, 1),
        RLE(1, 64),
        ZIPS(1, 1100),
        ZIP(16, 1100),
        PIZ(32, 520);

        /** Rows of a chunk. */
        final int rows;

        /** A byte stands for at most so many: for runs of 128 in two bytes, Deflate's limit, 256 values in nine bits. */
        final int most;

        Compression(int rows, int most) {
            this.rows = rows;
            this.most = most;
        }
    }

    /** A channel by its name; types are 0 for unsigned integers, 1 for half and 2 for float. */
    record Channel(String name, int type) {
        int bytes() {
            return type == 1 ? Short.BYTES : Integer.BYTES;
        }

        @Override
        public String toString() {
            return name + " (" + (type == 0 ? "uint" : type == 1 ? "half" : "float") + ")";
        }
    }

    /** Pixels from the left top to the right bottom one. */
    record Window(int left, int top, int right, int bottom) {
        long width() {
            return (long) right - left + 1;
        }

        long height() {
            return (long) bottom - top + 1;
        }
    }

    @Override
    public FrameFile.Format format() {
        return FrameFile.Format.OPENEXR;
    }

    @Override
    public PixelCoding coding() {
        return PixelCoding.FLOATS;
    }

    @Override
    public void decode(Path file, FileWindow in, ByteBuffer target, boolean allCores) throws IOException {
        int height = (int) data.height();
        int rows = Math.min(compression.rows, height);
        int rowBytes = 0;
        for (Channel channel : channels) {
            rowBytes += (int) data.width() * channel.bytes();
        }
        byte[] coded = new byte[rowBytes * rows];
        byte[] raw = new byte[coded.length];
        byte[] spare = new byte[coded.length];
        PizDecoder piz = compression == Compression.PIZ ? new PizDecoder(channels, (int) data.width(), rows) : null;
        Placement placement = new Placement(new PlanarTarget(target, size));
        int chunks = (height + compression.rows - 1) / compression.rows;
        BitSet seen = new BitSet(chunks);
        Inflater inflater = new Inflater();
        try {
            for (int chunk = 0; chunk < chunks; chunk++) {
                String what = "chunk " + (chunk + 1) + " of " + chunks + ", at byte " + in.offset() + ", ";
                byte[] start = new byte[2 * Integer.BYTES];
                if (!in.take(start, start.length)) {
                    throw new FrameException(file, what + "is missing; the file was cut short");
                }
                long y = (long) integer(start, 0) - data.top;
                int bytes = integer(start, Integer.BYTES);
                if (y < 0 || y >= height || y % compression.rows != 0 || seen.get((int) y / compression.rows)) {
                    throw new FrameException(
                            file, what + "begins with row " + integer(start, 0) + ", where no chunk is to begin");
                }
                seen.set((int) y / compression.rows);
                int count = Math.min(rows, height - (int) y);
                int most = count * rowBytes;
                if (bytes < 0 || bytes > most) {
                    throw new FrameException(file, what + "has " + bytes + " bytes; it may have up to " + most);
                }
                if (!in.take(coded, bytes)) {
                    throw new FrameException(file, what + "ends early; the file was cut short");
                }
                byte[] plain = coded; // what compression would not have made smaller is not compressed
                if (bytes < most) {
                    plain = raw;
                    try {
                        switch (compression) {
                            case NONE -> throw new DataFormatException("it ends after " + bytes + " bytes of " + most);
                            case RLE -> restore(spare, runs(coded, bytes, spare, most), raw);
                            case ZIPS, ZIP -> restore(spare, inflate(inflater, coded, bytes, spare, most), raw);
                            case PIZ -> Objects.requireNonNull(piz).decode(coded, bytes, count, raw);
                        }
                    } catch (DataFormatException e) {
                        throw new FrameException(
                                file,
                                what + "is damaged: " + (e.getMessage() == null ? "not Deflate" : e.getMessage()));
                    }
                }
                for (int row = 0; row < count; row++) {
                    placement.put((int) y + row, plain, row * rowBytes);
                }
            }
        } finally {
            inflater.end();
        }
    }

    private static int integer(byte[] bytes, int at) {
        return (bytes[at] & 0xff) | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff) << 16 | bytes[at + 3] << 24;
    }

    /** A count below 0 is that of bytes as they are; another is one less than how often the next byte comes. */
    private static int runs(byte[] coded, int bytes, byte[] out, int most) throws DataFormatException {
        int done = 0;
        for (int at = 0; at < bytes; ) {
            int count = coded[at] < 0 ? -coded[at] : coded[at] + 1;
            int taken = coded[at] < 0 ? count : 1;
            if (count > most - done || taken > bytes - at - 1) {
                throw new DataFormatException("a run of " + count + " bytes does not fit");
            }
            if (coded[at] < 0) {
                System.arraycopy(coded, at + 1, out, done, count);
            } else {
                Arrays.fill(out, done, done + count, coded[at + 1]);
            }
            at += 1 + taken;
            done += count;
        }
        return requireAll(done, most);
    }

    private static int inflate(Inflater inflater, byte[] coded, int bytes, byte[] out, int most)
            throws DataFormatException {
        inflater.reset();
        inflater.setInput(coded, 0, bytes);
        int done = 0;
        for (int now = 1; now > 0 && done < most; done += now) {
            now = inflater.inflate(out, done, most - done);
        }
        return requireAll(done, most);
    }

    private static int requireAll(int done, int most) throws DataFormatException {
        if (done != most) {
            throw new DataFormatException("it ends after " + done + " bytes of " + most);
        }
        return done;
    }

    /** Adds up differences, 128 for none, and takes bytes by turns from the first and from the second half. */
    private static void restore(byte[] coded, int length, byte[] out) {
        for (int i = 1; i < length; i++) {
            coded[i] += (byte) (coded[i - 1] - 128);
        }
        int half = (length + 1) / 2;
        for (int i = 0; i < length; i++) {
            out[i] = coded[i % 2 == 0 ? i / 2 : half + i / 2];
        }
    }

    /** The float of the bits of a half. */
    static float half(int bits) {
        int finite = (bits & 0x7fff) << 13;
        int magnitude = (bits & 0x7c00) == 0x7c00
                ? finite | 0x7f800000
                // The exponent is 112 less than a float's; what has no leading one gets it by the multiplication.
                : Float.floatToRawIntBits(Float.intBitsToFloat(finite) * 0x1p112f);
        return Float.intBitsToFloat(magnitude | (bits & 0x8000) << 16);
    }

    /** Where rows of the data come to stand in the frame. */
    private final class Placement {
        private final PlanarTarget target;
        private final int skipped = (int) Math.max(0, Math.min(data.width(), (long) display.left - data.left));
        private final int column = (int) Math.max(0, Math.min(size.width(), (long) data.left - display.left));
        private final int count = (int) Math.min(data.width() - skipped, (long) size.width() - column);
        private final float[][] planes = new float[3][size.width()];

        /** What the data does not cover is black. */
        Placement(PlanarTarget target) {
            this.target = target;
            if (count < size.width() || data.top > display.top || data.bottom < display.bottom) {
                for (int row = 0; row < size.height(); row++) {
                    target.putRow(row, 0, size.width(), planes[0], planes[1], planes[2]);
                }
            }
        }

        void put(int y, byte[] raw, int start) {
            long row = (long) y + data.top - display.top;
            if (row < 0 || row >= size.height() || count <= 0) {
                return;
            }
            for (int colour = 0; colour < 3; colour++) {
                int channel = colours.get(colour);
                int at = start;
                for (int before = 0; before < channel; before++) {
                    at += (int) data.width() * channels.get(before).bytes();
                }
                convert(raw, at, channels.get(channel).type() == 1, planes[colour]);
            }
            target.putRow((int) row, column, count, planes[0], planes[1], planes[2]);
        }

        private void convert(byte[] raw, int start, boolean halves, float[] out) {
            if (halves) {
                for (int i = 0, at = start + Short.BYTES * skipped; i < count; i++, at += Short.BYTES) {
                    out[i] = half((raw[at] & 0xff) | (raw[at + 1] & 0xff) << 8);
                }
            } else {
                for (int i = 0, at = start + Float.BYTES * skipped; i < count; i++, at += Float.BYTES) {
                    out[i] = Float.intBitsToFloat(integer(raw, at));
                }
            }
        }
    }
}
