package dev.evener.kernels.png;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.ManagedBuffer;
import dev.evener.Temporary;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Codes pictures as PNG (RGB, 8 or 16 bits, marked with their {@link Colour}): one job a picture, whose units are its rows, or the last phases of the job that
 * makes the picture; and writes the file when it has run.
 *
 * <pre>{@code
 * try (PngEncoder encoder = new PngEncoder(evener::allocate);
 *         ManagedBuffer coded = evener.allocateManaged(ElementType.UBYTE, Colour.SRGB.mostBytes(width, height))) {
 *     evener.submit(encoder.job(Colour.SRGB, width, height, stride, pixels, coded)).join();
 *     encoder.write(channel);
 * }
 * }</pre>
 *
 * <p>Each row gets the filter (Sub, Up, Average or Paeth) whose bytes, taken as signed numbers, have the least sum of magnitudes, as the
 * PNG specification advises; every other segment of {@value #SEGMENT} pixels is enough to tell. DEFLATE's symbols are literals and repetitions of the byte before, which need no window, so that all rows
 * are coded at once; every {@value #STRIP} rows are a block with a Huffman code of their own. In one phase kernels choose filters and count
 * symbols, make the codes, from which they know what each block takes, and pack the bits, so that those of a chunk lie without gaps. Of a {@link ManagedBuffer} only these are fetched, by {@link #write}. The file's bytes do not depend on the split or the
 * devices.
 *
 * <p>An encoder has buffers of its own that a running job uses: one serves one picture after another. Making a job invalidates the one
 * made before. Not thread-safe, but may be handed from thread to thread between jobs.
 */
public final class PngEncoder implements AutoCloseable {
    /** Rows of a block, which are never split. */
    static final int STRIP = 32;
    /** Words whose repetitions are found by themselves. */
    static final int SEGMENT = 16;

    static final int SEGMENT_BYTES = 3 * SEGMENT;
    /** Bytes of a repetition, at least. */
    static final int LEAST = 8;

    /** What the first kernel says of a row: how often each symbol occurs, then the two sums of Adler-32, the filter above the first one's 16 bits. */
    static final int TABLE = 320;

    static final int SUM = TABLE - 2;
    static final int WEIGHTED = TABLE - 1;
    static final int ADLER = 65521;

    private static final KernelSource SOURCE = KernelSource.of( // whose first part lies in another module
            "png.group.cl",
            KernelSource.resource(Forms.class, "sums.cl").text()
                    + KernelSource.resource(PngEncoder.class, "symbols.cl", "png.cpu.cl", "png.group.cl", "codes.cl")
                            .text());
    private static final int GROUP = 128;
    /** Largest data of one IDAT chunk. Above 8,000,000 bytes, libpng by default refuses one longer than the rows would be stored. */
    private static final int LARGEST_CHUNK = 1 << 22;

    /** What a picture's samples are and mean, and how its file says so. */
    public enum Colour {
        /** 8 bits, sRGB: a word a pixel. */
        SRGB(1, 0),
        /** The same with 16 bits: two words a pixel. */
        SRGB16(2, 0),
        /** 16 bits, the primaries of BT.2020, the curve of SMPTE ST 2084: two words a pixel. */
        PQ(2, 16),
        /** The same in hybrid log-gamma. */
        HLG(2, 18);

        final int words;
        private final int curve;

        Colour(int words, int curve) {
            this.words = words;
            this.curve = curve;
        }

        /** The chunk that says it: sRGB, or primaries, curve, RGB and full range as ITU-T H.273 numbers them. */
        public byte[] chunk() {
            return curve == 0
                    ? new byte[] {'s', 'R', 'G', 'B', 0}
                    : new byte[] {'c', 'I', 'C', 'P', 9, (byte) curve, 0, 1};
        }

        /** What is needed to code a picture; its file takes less. */
        public long mostBytes(int width, int height) {
            return mostBytesOfRow((long) words * width, height) * height;
        }
    }

    /** Words for each row: the first row of its chunk, the two sums of Adler-32, and of a block's first row the bytes of that. */
    private static final int ABOUT = 4;

    private final OwnBuffer<HostBuffer> about;
    private @Nullable DataBuffer coded;
    private Colour colour = Colour.SRGB;
    private int width; // in words
    private int height;
    private int pictures = 1;
    private ByteBuffer head = ByteBuffer.allocate(0); // of the last file
    private @Nullable List<byte[]> headOf; // with these chunks

    /** An encoder with buffers of its own from this allocator, released by {@link #close}. */
    public PngEncoder(Allocator allocator) {
        about = new OwnBuffer<>(allocator::allocate);
    }

    /** The job that codes one picture, as {@link #addTo} says. */
    public Job job(
            Colour pictureColour, int pictureWidth, int pictureHeight, int stride, DataBuffer pixels, DataBuffer out) {
        JobBuilder job = Job.named("png").units(pictureHeight);
        return addTo(job, pictureColour, pictureWidth, pictureHeight, stride, 1, pixels, out)
                .build();
    }

    /**
     * Adds the phases that code a picture, or several, to a job whose units are its rows, and which has made its pixels by then. Several are rows
     * of one job, one below the other in the buffers.
     *
     * @param pictureColour what the samples are
     * @param pictureWidth pixels of a row that count, at least 1
     * @param pictureHeight rows, at least 1
     * @param stride pixels from one row to the next, at least the width
     * @param count how many; more than one if the height is a {@linkplain #takesSeveral multiple} of {@value #STRIP}
     * @param pixels one {@code UINT} a pixel, the bytes red, green, blue and one that is ignored; with 16 bits two, of which each has three
     *     bytes of the six, the upper one of each sample first; stays as it is
     * @param out takes the coded rows, at least {@link Colour#mostBytes} of {@code UBYTE}; the caller's, and not to be changed before {@link
     *     #write}
     * @throws IllegalArgumentException if a buffer has another type or is too small, or the picture has no PNG
     */
    public JobBuilder addTo(
            JobBuilder job,
            Colour pictureColour,
            int pictureWidth,
            int pictureHeight,
            int stride,
            int count,
            DataBuffer pixels,
            DataBuffer out) {
        if (count < 1 || (count > 1 && !takesSeveral(pictureHeight))) {
            throw new IllegalArgumentException(count + " pictures of " + pictureHeight + " rows in one job");
        }
        if (pictureWidth < 1 || pictureHeight < 1 || stride < pictureWidth) {
            throw new IllegalArgumentException(
                    "there is no picture of " + pictureWidth + " x " + pictureHeight + " pixels in rows of " + stride);
        }
        int words = pictureColour.words;
        BufferChecks.require("pixels", pixels, ElementType.UINT, (long) count * words * stride * pictureHeight);
        BufferChecks.require(
                "output", out, ElementType.UBYTE, count * pictureColour.mostBytes(pictureWidth, pictureHeight));
        coded = out;
        colour = pictureColour;
        width = words * pictureWidth;
        height = pictureHeight;
        pictures = count;
        headOf = null;
        HostBuffer told = about.atLeast(ElementType.UINT, (long) ABOUT * count * height);
        int pitch = words * stride;
        Temporary tables = Temporary.perUnit(ElementType.UINT, TABLE);
        Temporary codes = Temporary.of(ElementType.UINT, (long) count * blocks(height) * HuffmanCode.WORDS);
        Temporary bits = Temporary.perUnit(ElementType.UINT, 2);

        forms(job.source(SOURCE).granule(Math.min(STRIP, height)).kernel("png_filter"))
                .reads(pixels, slice(pitch).halo(1, 0))
                .temporary(tables);
        picture(job, pixels, pitch);
        Variant group = Variant.itemsPerUnit(GROUP / STRIP)
                .withGroupSize(GROUP) // on CPUs too
                .withRounds(HuffmanCode.ROUNDS + (STRIP + 3L) * HuffmanCode.END)
                .withOptions(options());
        Forms.add(job.then("png_codes"), group, group)
                .temporary(tables)
                .temporary(codes)
                .chunkStart()
                .chunkUnits();
        forms(job.then("png_measure"))
                .reads(pixels, slice(pitch).halo(1, 0))
                .temporary(tables)
                .temporary(codes)
                .temporary(bits);
        picture(job, pixels, pitch);
        forms(job.then("png_pack"))
                .reads(pixels, slice(pitch).halo(1, 0))
                .temporary(tables)
                .temporary(codes)
                .temporary(bits)
                .writes(out, slice(mostBytesOfRow(width, height)).sparse())
                .writes(told, slice(ABOUT));
        return picture(job, pixels, pitch).jvm(new PngJvm(width, pitch, words, height)::code);
    }

    /** Whether several pictures of so many rows may be one job: blocks begin with a picture then. */
    public static boolean takesSeveral(int height) {
        return height % STRIP == 0;
    }

    /** The job made last has been given this output in place of its own ({@link Job#with}). */
    public void into(DataBuffer out) {
        coded = out;
    }

    private JobBuilder picture(JobBuilder job, DataBuffer pixels, int pitch) {
        return job.viewStart(pixels)
                .scalar(width)
                .scalar(pitch)
                .chunkStart()
                .chunkUnits()
                .scalar(height);
    }

    private JobBuilder forms(JobBuilder job) {
        int segments = (width + SEGMENT - 1) / SEGMENT;
        long rounds = segments * (SEGMENT_BYTES + 16L) + 4 * TABLE;
        return Forms.perUnit(job, options(), rounds, GROUP, GROUP, "");
    }

    private String options() {
        return colour.words == 1 ? "" : "-D WORDS=" + colour.words;
    }

    /**
     * What a block may take. Of its 281 symbols Huffman's code takes at most 8.3 bits each, by its redundancy (Gallager, Variations on a
     * Theme by Huffman, 1978), and one that is cut little more; nine are counted. Besides it has its head, its end, and an empty stored
     * block that fills the last byte.
     */
    static long mostBytesOfBlock(long width, int rows) {
        return (3 * width + 1) * rows / 8 * 9 + 9 + 2 * HuffmanCode.WORDS;
    }

    /** What has to be there for each row, so that the last block, which has the fewest, has room for itself. */
    private static long mostBytesOfRow(long width, int height) {
        int rows = height % STRIP == 0 ? STRIP : height % STRIP;
        return (mostBytesOfBlock(width, rows) / rows + 64) / 64 * 64;
    }

    private static int blocks(int height) {
        return (height + STRIP - 1) / STRIP;
    }

    private IntBuffer told() {
        return about.atLeast(ElementType.UINT, (long) ABOUT * pictures * height).ints();
    }

    private long codedBytes(int picture) {
        IntBuffer told = told();
        long bytes = 0;
        for (int row = picture * height; row < (picture + 1) * height; row += STRIP) {
            bytes += told.get(ABOUT * row + 3);
        }
        return bytes;
    }

    private long adler(int picture) {
        IntBuffer told = told();
        long rowBytes = 3L * width + 1;
        long adler = 1;
        for (int row = picture * height; row < (picture + 1) * height; row++) {
            long high = (told.get(ABOUT * row + 2) + rowBytes) % ADLER;
            adler = PngFile.append(adler, high << 16 | (told.get(ABOUT * row + 1) + 1) % ADLER, rowBytes);
        }
        return adler;
    }

    /** Fetches the bytes of all pictures whose job has run at once, so that no {@link #write} has to. */
    public void fetch() {
        read(0, pictures * height, new ArrayDeque<>(), pieces -> {});
    }

    /**
     * Writes the file whose job has run. Of a managed buffer it fetches the file's bytes first, in scopes; so not where these are refused.
     *
     * @throws IOException if the channel does
     */
    public void write(WritableByteChannel out) throws IOException {
        write(out, 0, List.of(colour.chunk()));
    }

    /**
     * The same with these chunks before the rows, each its type and its data, in place of the one that says its colour.
     *
     * @param picture which of those of the job, from 0 on
     */
    public void write(WritableByteChannel out, int picture, List<byte[]> chunks) throws IOException {
        if (!chunks.equals(headOf)) { // mostly they are the same ones
            head = PngFile.head(8 * colour.words, false, width / colour.words, height, chunks);
            headOf = List.copyOf(chunks);
        }
        read(picture * height, (picture + 1) * height, new ArrayDeque<>(), pieces -> {
            PngFile.writeAll(out, head.duplicate());
            List<ByteBuffer> parts = new ArrayList<>();
            for (long left = codedBytes(picture); left > 0; ) {
                int size = (int) Math.min(left, LARGEST_CHUNK);
                left -= size;
                for (int missing = size; missing > 0; ) {
                    ByteBuffer piece = pieces.element();
                    int here = Math.min(missing, piece.remaining());
                    parts.add(piece.slice(piece.position(), here));
                    missing -= here;
                    if (piece.position(piece.position() + here).remaining() == 0) {
                        pieces.remove();
                    }
                }
                PngFile.data(out, size, parts);
                parts.clear();
            }
            PngFile.end(out, adler(picture));
        });
    }

    /** Takes the coded bytes of some rows. */
    @FunctionalInterface
    private interface Taker<X extends Exception> {
        void take(ArrayDeque<ByteBuffer> pieces) throws X;
    }

    /** Has the coded bytes of pictures' rows taken, those of each chunk in pieces of their own, behind these. */
    private <X extends Exception> void read(int row, int end, ArrayDeque<ByteBuffer> pieces, Taker<X> taker) throws X {
        if (row >= end) {
            taker.take(pieces);
            return;
        }
        IntBuffer told = told();
        int first = told.get(ABOUT * row);
        long before = 0; // of other pictures in this chunk
        for (int other = first; other < row; other += STRIP) {
            before += told.get(ABOUT * other + 3);
        }
        long bytes = 0;
        int behind = row;
        for (; behind < end && told.get(ABOUT * behind) == first; behind += STRIP) {
            bytes += told.get(ABOUT * behind + 3);
        }
        int next = behind;
        long from = mostBytesOfRow(width, height) * first + before;
        if (before + bytes > mostBytesOfRow(width, height) * (Math.min(next, end) - first)) {
            throw new DevicesFailedException(
                    "rows of " + width + " pixels take " + bytes + " bytes: a device computes wrongly", null);
        }
        if (Objects.requireNonNull(coded, "no picture was coded") instanceof ManagedBuffer managed) {
            managed.read(from, bytes, scope -> {
                pieces.add(scope.bytes());
                read(next, end, pieces, taker);
                return true;
            });
        } else {
            HostBuffer host = (HostBuffer) coded;
            for (long at = from, here; at < from + bytes; at += here) {
                here = Math.min(from + bytes - at, LARGEST_CHUNK);
                pieces.add(host.bytes(at, (int) here));
            }
            read(next, end, pieces, taker);
        }
    }

    /** Releases the encoder's own buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        coded = null;
        about.close();
    }
}
