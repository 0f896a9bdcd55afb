package dev.evener.frames;

import dev.evener.frames.StreamReport.Step;
import dev.evener.frames.exr.Layer;
import dev.evener.internal.files.PlainFiles;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.RunLengths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Radiance, OpenEXR or PFM file whose header was read and found plausible: its size is legal, fits one buffer, and is not more
 * than the file's length can hold, an OpenEXR file's display window within a bound. So a caller may allocate what {@link #size} says
 * without trusting the file.
 *
 * <p>The contents decide the format, not the name: a PFM file called {@code x.hdr} is read as PFM. Holds no open file;
 * any thread, and several at once.
 */
public final class FrameFile {
    /** How the names of frame files end, in lower case: what is taken from a folder. */
    public static final List<String> EXTENSIONS = List.of(".hdr", ".pic", ".rgbe", ".exr", ".pfm");

    /** What is wrong with a folder that has no such file. */
    public static final String NONE_IN_FOLDER =
            "there is no frame in this folder (" + String.join(", ", EXTENSIONS) + ")";

    private static final int WINDOW = 1 << 19;

    /** Any file may give so many pixels, 4096 x 4096 and some more: of a display window, next to nothing may have been rendered. */
    private static final long PIXELS_OF_ANY = 18 << 20;

    /** What a byte of a larger frame stands for, at most: 550 pixels in Deflate, 5,461 in the repeats of Radiance's older code. */
    private static final long PIXELS_PER_BYTE = 8192;

    /** Of larger files, the code is not kept in one piece. */
    private static final int LARGEST_CODED = 1 << 30;

    /** A row counts as so many pixels more: the memory for its symbols while it is coded as PNG. */
    private static final int PIXELS_OF_ROW = 128;

    /** A file's bytes, wherever it lies. Any thread. */
    @FunctionalInterface
    public interface Source {
        /**
         * A channel on the file from a byte on, which its reader closes.
         *
         * @param offset 0 to the file's length
         */
        ReadableByteChannel open(long offset) throws IOException;
    }

    /** What one file's header said, and how to decode what follows. Immutable; any thread. */
    sealed interface Reader permits RadianceReader, PfmReader, ExrReader, Black {
        FrameLayout size();

        /** How {@link #decode} leaves its pixels, in the {@link #primaries}. */
        default PixelCoding coding() {
            return PixelCoding.FLOATS;
        }

        /** What the file says that its colours are, or else Rec. 709's. */
        default Primaries primaries() {
            return Primaries.REC709;
        }

        /**
         * Decodes the whole frame, padding included. Memory beyond the target does not grow with the number of its rows.
         *
         * @param file its name for messages
         * @param in the file from its first byte on
         * @param target the reader's own view of enough memory
         * @throws FrameException if the contents are damaged or end early; the target then holds a part of the frame
         */
        void decode(Path file, FileWindow in, Pieces target) throws IOException;

        /** Whether the rest of the file is, from top to bottom, such code as {@link RunLengths} has. */
        default boolean hasCodedLines() {
            return false;
        }

        /** As {@link FrameFile#warnings()}. */
        default List<String> warnings() {
            return List.of();
        }

        /** The same with alpha, if there is any. */
        default Reader withAlpha() {
            return this;
        }

        /** What the file says of its making. */
        default FrameMetadata metadata() {
            return FrameMetadata.NONE;
        }

        /** Bytes of the header, which {@link #decode} skips. */
        int headerBytes();

        /** As {@link FrameFile#layer()}. */
        default String layer() {
            return "";
        }

        /** As {@link FrameFile#layer(String)}. */
        default Reader layer(Path file, String name) throws FrameException {
            throw new FrameException(file, "has no layer '" + name + "'; only OpenEXR files have layers");
        }
    }

    /** Nothing, in the size of something. */
    private record Black(FrameLayout size) implements Reader {
        @Override
        public int headerBytes() {
            return 0;
        }

        @Override
        public void decode(Path file, FileWindow in, Pieces target) {
            target.zero();
        }
    }

    /**
     * Memory of a frame in pieces of whole rows.
     *
     * @param all views of exactly the frame's bytes together, in native byte order
     * @param rows of each but the last
     */
    record Pieces(List<ByteBuffer> all, int rows) {
        /** Rows are of a multiple of 16 elements of 4 bytes. */
        void zero() {
            for (ByteBuffer piece : all) {
                for (int at = 0; at <= piece.limit() - Long.BYTES; at += Long.BYTES) {
                    piece.putLong(at, 0);
                }
            }
        }

        /** The one that holds a row. */
        ByteBuffer of(int row) {
            return all.get(row / rows);
        }
    }

    private final Path path;
    private final Source source;
    private final long length;
    private final Reader reader;
    private final @Nullable Primaries given; // in place of the file's

    private final @Nullable AtomicReference<String>
            partial; // why there is no more, once that is known; null if all is wanted

    private FrameFile(
            Path path,
            Source source,
            long length,
            Reader reader,
            @Nullable Primaries given,
            @Nullable AtomicReference<String> partial) {
        this.path = path;
        this.source = source;
        this.length = length;
        this.reader = reader;
        this.given = given;
        this.partial = partial;
    }

    /**
     * Reads the header, at most 64 KiB of the file.
     *
     * @throws FrameException if there is no such regular file, or it cannot be read, or is no Radiance, OpenEXR or PFM
     *     file, or its header is damaged or impossible
     */
    public static FrameFile open(Path path) throws FrameException {
        try {
            // Anything but a regular file may block for ever (a pipe) or never end (a device).
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new FrameException(
                        path, attributes.isDirectory() ? "is a folder, not a frame file" : "is not a regular file");
            }
            return open(
                    path,
                    attributes.size(),
                    offset -> PlainFiles.channel(path, StandardOpenOption.READ).position(offset));
        } catch (IOException e) {
            throw readable(path, e);
        }
    }

    /**
     * Reads the header of a file that lies elsewhere; the rest is read in each {@link #decode}.
     *
     * @param name what messages call it
     * @param length its bytes
     * @throws FrameException as {@link #open(Path)}
     */
    public static FrameFile open(Path name, long length, Source source) throws FrameException {
        try (FileWindow in = new FileWindow(source, length, 0, RadianceHeader.MAX_BYTES)) {
            Reader reader = parse(name, in, in.require(RadianceHeader.MAX_BYTES), length);
            checkPlausible(name, reader, length);
            return new FrameFile(name, source, length, reader, null, null);
        } catch (IOException e) {
            throw readable(name, e);
        }
    }

    static void checkSize(Path name, long width, long height) throws FrameException {
        String problem = FrameLayout.problem(width, height);
        if (problem != null) {
            throw new FrameException(name, "its header gives " + problem);
        }
    }

    private static void checkPlausible(Path name, Reader reader, long length) throws FrameException {
        FrameLayout size = reader.size();
        long pixels = (long) (size.stride() + PIXELS_OF_ROW) * size.height();
        if (pixels > Math.max(PIXELS_OF_ANY, PIXELS_PER_BYTE * length)) {
            boolean openExr = reader instanceof ExrReader;
            throw new FrameException(
                    name,
                    "its " + (openExr ? "displayWindow" : "header") + " gives " + size
                            + " pixels, too many for a file of " + length + " bytes: it may give " + PIXELS_OF_ANY
                            + ", or " + PIXELS_PER_BYTE + " for each byte, and each row counts as " + PIXELS_OF_ROW
                            + " more"
                            + (openExr ? "; shrink it, as with 'oiiotool FILE --fullpixels -o NEW.exr'" : ""));
        }
    }

    private static Reader parse(Path path, FileWindow in, int end, long length) throws IOException {
        byte[] head = in.bytes;
        if (end >= 2 && head[0] == '#' && head[1] == '?') {
            return RadianceHeader.parse(path, head, end, length);
        }
        if (end >= 2 && head[0] == 'P' && (head[1] == 'F' || head[1] == 'f')) {
            return PfmReader.parse(path, head, end, length);
        }
        if (end >= 4 && ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt() == ExrHeader.MAGIC) {
            return ExrHeader.parse(path, in, length);
        }
        String start = end == 0
                ? "is empty"
                : "starts with the bytes "
                        + HexFormat.ofDelimiter(" ")
                                .formatHex(head, 0, Math.min(4, end))
                                .toUpperCase(Locale.ROOT);
        throw new FrameException(
                path,
                start
                        + "; a Radiance file starts with #?RADIANCE, an OpenEXR file with 76 2F 31 01 and a PFM file with PF"
                        + " or Pf");
    }

    /**
     * Whether a file of this name is taken from a folder of frames; its contents may be something else. Hidden ones
     * are not: macOS keeps what it knows of {@code a.exr} in {@code ._a.exr}.
     */
    public static boolean isNamedSo(String fileName) {
        String name = fileName.toLowerCase(Locale.ROOT);
        return !name.startsWith(".") && EXTENSIONS.stream().anyMatch(name::endsWith);
    }

    /** The file, or what messages call it. */
    public Path path() {
        return path;
    }

    /**
     * The layer that is decoded: of an OpenEXR file what the names of its channels begin with, in one of several parts after the part's
     * name; most often, and for other formats, empty.
     */
    public String layer() {
        return reader.layer();
    }

    /** What is doubtful about what was read: a line each, without the file's name. */
    public List<String> warnings() {
        String cut = partial == null ? "" : partial.get();
        return cut.isEmpty()
                ? reader.warnings()
                : Stream.concat(reader.warnings().stream(), Stream.of(cut)).toList();
    }

    /**
     * The same file with another layer to be decoded; at first it is the one that shows the picture best, as {@link
     * Layer} says. Where that is a guess, {@link #warnings} tell.
     *
     * @param name of a layer as {@link #layer()} says it, of a part, of a layer without its part, or of a channel, which becomes grey
     * @throws FrameException if there is none, or it cannot be read
     */
    public FrameFile layer(String name) throws FrameException {
        Reader other = reader.layer(path, name);
        checkPlausible(path, other, length);
        return new FrameFile(path, source, length, other, given, partial);
    }

    /** What its colours are: as the file says, Rec. 709's where it says nothing or what cannot be, or those of {@link #in}. */
    public Primaries primaries() {
        return Objects.requireNonNullElseGet(given, reader::primaries);
    }

    /** What it says of its making. */
    FrameMetadata metadata() {
        return reader.metadata();
    }

    /** The same file, understood to have these primaries, whatever it says. */
    public FrameFile in(Primaries primaries) {
        return new FrameFile(path, source, length, reader, primaries, partial);
    }

    /**
     * The same file, shown as far as it goes where it ends early or is damaged, as of a render that was ended: black is what comes behind that
     * in the file. Of luminance and chroma nothing is shown then. When it has been decoded, {@link #warnings} say so.
     */
    public FrameFile partial() {
        return new FrameFile(path, source, length, reader, given, new AtomicReference<>(""));
    }

    /** The same file with alpha, if its layer has any, as {@link PixelCoding#hasAlpha} says then. */
    public FrameFile withAlpha() {
        return new FrameFile(path, source, length, reader.withAlpha(), given, partial);
    }

    /** A black frame of the same size. */
    FrameFile black() {
        return new FrameFile(path, source, length, new Black(size()), given, null);
    }

    /** The same file; what its channels do not take is decoding, until another step is entered. */
    FrameFile timed(StepClock<Step> clock) {
        Source timed = offset -> {
            clock.enter(Step.READING);
            ReadableByteChannel opened = source.open(offset);
            clock.enter(Step.DECODING);
            return clock.timed(opened, Step.READING, Step.DECODING);
        };
        return new FrameFile(path, timed, length, reader, given, partial);
    }

    /** Its size as displayed, rotations of the file applied. */
    public FrameLayout size() {
        return reader.size();
    }

    /** How {@link #decode} leaves its pixels: as the file has them; and how they become linear Rec. 709. */
    public PixelCoding coding() {
        Primaries primaries = primaries();
        return primaries.isRec709() ? reader.coding() : reader.coding().in(primaries.toRec709());
    }

    /**
     * Decodes the frame, coded as {@link #coding} says, rows from top to bottom with their padding, from the target's position on. The
     * target's position, limit and byte order are neither used up nor changed: elements are always in native order.
     *
     * <p>Values are linear. Those of a PFM or OpenEXR file arrive as they are, NaN, infinities and negative values included; a
     * Radiance file holds none.
     *
     * @param target at least the bytes of {@link PixelCoding#elements}, preferably direct
     * @throws FrameException if the file is damaged, ends early or can no longer be read; the target's contents are then
     *     undefined
     * @throws IllegalArgumentException if the target is too small
     */
    public void decode(ByteBuffer target) throws FrameException {
        decode(List.of(target));
    }

    /**
     * The same to several pieces of memory, which are needed above 2 GiB.
     *
     * @param target whole rows in each, as many in all but the last
     */
    public void decode(List<ByteBuffer> target) throws FrameException {
        Pieces pieces = pieces(target);
        AtomicReference<String> cut = partial;
        if (cut != null) {
            pieces.zero();
        }
        try (FileWindow in = new FileWindow(source, length, reader.headerBytes(), WINDOW)) {
            reader.decode(path, in, pieces);
        } catch (FrameException e) {
            if (cut == null) {
                throw e;
            }
            String why = String.valueOf(e.getMessage());
            String named = FrameException.printable(path.toString()) + ": ";
            cut.set("is shown as far as it goes: " + (why.startsWith(named) ? why.substring(named.length()) : why));
        } catch (IOException e) {
            throw readable(path, e);
        }
    }

    private Pieces pieces(List<ByteBuffer> memory) {
        int row = coding().rowElements(size()) * coding().type().bytes();
        long left = coding().bytes(size());
        int rows = memory.size() > 1 ? memory.get(0).remaining() / row : size().height();
        List<ByteBuffer> all = new ArrayList<>();
        for (ByteBuffer each : memory) {
            long here = Math.min(left, (long) rows * row);
            if (each.remaining() >= here) {
                all.add(each.slice(each.position(), (int) here).order(ByteOrder.nativeOrder()));
                left -= here;
            }
        }
        if (left > 0) {
            throw new IllegalArgumentException("a frame of " + size() + " pixels needs " + coding().bytes(size())
                    + " bytes in whole rows of " + row);
        }
        return new Pieces(all, rows);
    }

    /** The rows of a decoded frame. */
    IntFunction<ByteBuffer> rows(List<ByteBuffer> frame) {
        int bytes = coding().rowElements(size()) * coding().type().bytes();
        Pieces pieces = pieces(frame);
        return row -> pieces.of(row).slice(row % pieces.rows * bytes, bytes).order(ByteOrder.nativeOrder());
    }

    /** Bytes that {@link #readCoded} takes; 0 if the file has nothing for it. */
    int codedBytes() {
        long bytes = length - reader.headerBytes();
        return reader.hasCodedLines() && bytes <= LARGEST_CODED ? (int) bytes : 0;
    }

    /**
     * Reads the frame's run-length code as it is, for devices to expand to what {@link #decode} leaves, straight to where they get it from.
     *
     * @param target takes {@link #codedBytes}; 0 behind the end of a file that has become shorter
     */
    void readCoded(ByteBuffer target) throws FrameException {
        try (ReadableByteChannel in = source.open(reader.headerBytes())) {
            while (target.hasRemaining() && in.read(target) >= 0) {}
        } catch (IOException e) {
            throw readable(path, e);
        }
        while (target.hasRemaining()) {
            target.put((byte) 0);
        }
    }

    /** Places decoded pixels into the planar rows of {@link FrameLayout}. One thread. */
    static final class PlanarTarget {
        private final FloatBuffer[] floats;
        private final int rows; // in each
        private final int stride;
        private final int planes;

        /** Of three planes. */
        PlanarTarget(Pieces target, FrameLayout size) {
            this(target, size, 3);
        }

        /**
         * Takes the frame's memory and zeroes its padding, which may hold an earlier frame.
         *
         * @param planes of a row
         */
        PlanarTarget(Pieces target, FrameLayout size, int planes) {
            this.floats = target.all.stream().map(ByteBuffer::asFloatBuffer).toArray(FloatBuffer[]::new);
            this.rows = target.rows;
            this.stride = size.stride();
            this.planes = planes;
            float[] zeros = new float[stride - size.width()];
            for (int channel = 0; zeros.length > 0 && channel < planes * size.height(); channel++) {
                put(channel % planes, channel / planes, size.width(), zeros.length, zeros);
            }
        }

        /** Puts {@code count} pixels of a colour, 0 to 2, or of alpha, 3, side by side, the first at {@code column}. */
        void put(int colour, int row, int column, int count, float[] values) {
            floats[row / rows].put((row % rows * planes + colour) * stride + column, values, 0, count);
        }
    }

    private static FrameException readable(Path path, IOException e) {
        if (e instanceof FrameException known) {
            return known;
        }
        return new FrameException(path, "cannot be read: " + FrameException.reason(e), e);
    }
}
