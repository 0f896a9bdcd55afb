package dev.evener.frames;

import dev.evener.frames.exr.Block;
import dev.evener.frames.exr.Channel;
import dev.evener.frames.exr.Codec;
import dev.evener.frames.exr.Layer;
import dev.evener.frames.exr.Part;
import dev.evener.frames.exr.Part.Window;
import dev.evener.frames.exr.Placement;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.Primaries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.DataFormatException;

/**
 * Decodes a layer of an OpenEXR file: scanlines and tiles in full size, of all types and compressions but HTJ2K, not deep pixels.
 *
 * <p>The frame is the display window; where it has no data it is black. Values arrive as they are; one channel counts for all three
 * colours; luminance and chroma become colours in half precision as OpenEXR's library makes them. A chromaticities attribute says
 * what luminance is, and what colours are.
 *
 * <p>Chunks are taken from where the table says that they are, from the front of the file to its end. Where that
 * cannot be, as its writer did not come to write it, they are taken as they follow one another, in whatever order of
 * rows, tiles and parts. Memory beyond the frame is that of a chunk, some times over, which may have 64 MiB, or 64
 * bytes for each byte of the file up to 512 MiB; for chroma also eight bytes for each pixel.
 *
 * <p><b>Why an own reader.</b> The kept libraries, OpenEXR and tinyexr, are native code: a file that is damaged in the right places
 * ends the process, where here it is an exception.
 *
 * @param several whether chunks say of which part they are
 * @param headerBytes where the tables begin that say where chunks are
 * @param alpha whether the layer's is decoded
 */
record ExrReader(
        List<Part> parts,
        boolean several,
        Layer shown,
        FrameLayout size,
        int headerBytes,
        long fileLength,
        List<String> warnings,
        boolean alpha)
        implements FrameFile.Reader {
    private static final long CHUNK_OF_ANY = 1 << 26;
    private static final long CHUNK_PER_BYTE = 64;
    private static final long MOST_CHUNK_BYTES = 1 << 29;

    /** Of a layer of these parts, if it can be read. */
    private static ExrReader of(
            List<Part> parts, boolean several, Layer shown, int start, long fileLength, List<String> warnings)
            throws DataFormatException {
        Part part = parts.get(shown.part());
        Window data = part.data();
        Window display = part.display();
        String shownProblem = FrameLayout.problem(display.width(), display.height());
        String problem = FrameLayout.problem(data.width(), data.height());
        if (problem != null || shownProblem != null) {
            String name = shownProblem == null ? "dataWindow gives " + problem : "displayWindow gives " + shownProblem;
            throw new DataFormatException("its " + name);
        }
        shown.check(part);
        long rowBytes = 0;
        for (Channel channel : part.channels()) {
            rowBytes += data.width() * channel.bytes() / channel.across() / channel.down();
        }
        long rows = Math.min(data.height(), part.chunkHeight());
        long chunk = rowBytes * Math.min(data.width(), part.chunkWidth()) / data.width() * rows;
        long most = Math.max(CHUNK_OF_ANY, Math.min(MOST_CHUNK_BYTES, CHUNK_PER_BYTE * fileLength));
        if (chunk > most) {
            throw new DataFormatException("its rows have " + rowBytes + " bytes, of which " + rows
                    + " are coded together; that may be at most " + most + " bytes");
        }
        int place = (several ? Integer.BYTES : 0) + (part.tiles() == null ? 2 : 5) * Integer.BYTES; // and size
        long least = part.chunksOfPicture() * place + rowBytes * data.height() / part.compression().most;
        long follow = fileLength - start - tables(parts);
        if (follow < least) {
            throw new DataFormatException("its header gives " + data.width() + " x " + data.height()
                    + " pixels, which need at least " + least + " bytes, but only " + follow
                    + " follow; it was cut short");
        }
        FrameLayout size =
                new FrameLayout((int) display.width(), (int) display.height()).withPixelAspect(part.pixelAspect());
        return new ExrReader(parts, several, shown, size, start, fileLength, warnings, false);
    }

    /** Bytes of the tables of these parts. */
    static long tables(List<Part> parts) throws DataFormatException {
        long bytes = 0;
        for (Part part : parts) {
            bytes += Long.BYTES * part.allChunks();
        }
        return bytes;
    }

    /** The same of the layer that shows the picture best, with a warning if that is a guess. */
    static ExrReader ofBest(List<Part> parts, boolean several, int start, long fileLength) throws DataFormatException {
        Layer best = Layer.best(parts);
        List<String> rivals = best.rivals(parts);
        List<String> guess = rivals.isEmpty()
                ? List.of()
                : List.of("shows layer '" + best.name() + "' by a guess; there are '" + String.join("', '", rivals)
                        + "': --layer names one");
        return of(parts, several, best, start, fileLength, guess);
    }

    @Override
    public FrameFile.Reader withAlpha() {
        boolean any = shown.alpha() >= 0;
        return new ExrReader(parts, several, shown, size, headerBytes, fileLength, warnings, any);
    }

    @Override
    public PixelCoding coding() {
        return alpha ? PixelCoding.FLOATS_WITH_ALPHA : PixelCoding.FLOATS;
    }

    /** Grey has none to convert. */
    @Override
    public Primaries primaries() {
        boolean grey = shown.channels().get(0).equals(shown.channels().get(1));
        return grey ? Primaries.REC709 : parts.get(shown.part()).primaries();
    }

    @Override
    public FrameMetadata metadata() {
        return FrameMetadata.ofExr(parts.get(shown.part()).about());
    }

    @Override
    public String layer() {
        return shown.name();
    }

    @Override
    public FrameFile.Reader layer(Path file, String name) throws FrameException {
        try {
            return of(parts, several, Layer.named(parts, name), headerBytes, fileLength, List.of());
        } catch (DataFormatException e) {
            throw new FrameException(file, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void decode(Path file, FileWindow in, FrameFile.Pieces target) throws IOException {
        try (Codec codec = Codec.of(parts.get(shown.part()).compression())) {
            new Chunks(file, in, codec, new FrameFile.PlanarTarget(target, size, alpha ? 4 : 3)).decode();
        } catch (DataFormatException e) {
            throw new FrameException(file, String.valueOf(e.getMessage()));
        }
    }

    /** The chunks of the file from the first to the last that is needed. */
    private final class Chunks {
        private final Path file;
        private final FileWindow in;
        private final Codec codec;
        private final Placement placement;
        private final Part part = parts.get(shown.part());
        private final long all = part.chunksOfPicture();
        private final BitSet seen = new BitSet();
        private byte[] spare = {};
        private long offset; // where the chunk begins

        Chunks(Path file, FileWindow in, Codec codec, FrameFile.PlanarTarget target) throws DataFormatException {
            this.file = file;
            this.in = in;
            this.codec = codec;
            this.placement = new Placement(part, shown, alpha, target::put);
            int planes = alpha ? 4 : 3;
            if (!part.data().covers(part.display()) || shown.channels().contains(-1)) {
                float[] black = new float[size.width()];
                for (int row = 0; row < planes * size.height(); row++) {
                    target.put(row % planes, row / planes, 0, size.width(), black);
                }
            }
        }

        private FrameException wrong(String problem) {
            String number = "chunk " + (seen.cardinality() + 1) + " of " + all;
            return new FrameException(file, number + ", at byte " + offset + ", " + problem);
        }

        private int[] integers(int count) throws IOException {
            byte[] bytes = new byte[count * Integer.BYTES];
            if (!in.take(bytes, bytes.length)) {
                throw wrong("is missing; the file was cut short");
            }
            int[] integers = new int[count];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(integers);
            return integers;
        }

        /**
         * Where the chunks of the picture are, in this order; none if the table cannot be right. Chunks may follow
         * it.
         */
        private long[] places() throws IOException, DataFormatException {
            long begin = headerBytes + tables(parts);
            in.skip(tables(parts.subList(0, shown.part())));
            byte[] bytes = new byte[(int) Math.min(all, part.allChunks()) * Long.BYTES];
            in.take(bytes, bytes.length);
            in.skip(begin - in.offset());
            LongBuffer table =
                    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
            long[] places = LongStream.range(0, table.limit())
                    .map(i -> table.get((int) i))
                    .filter(place -> place >= begin && place < fileLength)
                    .sorted()
                    .distinct()
                    .toArray();
            return places.length == all ? places : new long[0];
        }

        void decode() throws IOException, DataFormatException {
            long[] places = places();
            for (int done = 0; done < all; ) {
                if (places.length > 0) {
                    in.skip(Math.max(0, places[done] - in.offset()));
                }
                offset = in.offset();
                int number = several ? integers(1)[0] : 0;
                if (number < 0 || number >= parts.size()) {
                    throw wrong("is of part " + number + "; there are " + parts.size());
                }
                Part of = parts.get(number);
                int[] place = integers(of.tiles() == null ? 1 : 4);
                if (of.deep()) { // three sizes of 64 bits: of numbers of samples, of samples, and of these uncompressed
                    int[] sizes = integers(6);
                    long counts = sizes[0] & 0xffffffffL;
                    in.skip((sizes[1] | sizes[3]) == 0 ? counts + (sizes[2] & 0xffffffffL) : fileLength);
                    continue;
                }
                int bytes = integers(1)[0];
                if (bytes < 0) {
                    throw wrong("has " + bytes + " bytes");
                }
                if (number != shown.part() || (of.tiles() != null && (place[2] | place[3]) != 0)) {
                    in.skip(bytes); // another part's, or a smaller level's
                } else {
                    take(place, bytes);
                    done++;
                }
            }
            placement.finish();
        }

        private void take(int[] place, int bytes) throws IOException, DataFormatException {
            boolean tiled = part.tiles() != null;
            long y = place[0] - (long) part.data().top();
            long across = part.chunksAcross();
            long column = tiled ? place[0] : 0;
            long row = tiled ? place[1] : Math.floorDiv(y, part.chunkHeight());
            int number = (int) (row * across + column);
            boolean begins = column >= 0 && column < across && row >= 0 && row < all / across;
            if (!begins || (!tiled && y % part.chunkHeight() != 0) || seen.get(number)) {
                throw wrong("begins with "
                        + (tiled ? "column " + column + " and row " + row + " of tiles" : "row " + place[0])
                        + ", where no chunk is to begin");
            }
            Block block = part.block((int) column, (int) row);
            int most = block.bytes();
            if (bytes > most) {
                throw wrong("has " + bytes + " bytes; it may have up to " + most);
            }
            byte[] coded = new byte[bytes];
            if (!in.take(coded, bytes)) {
                throw wrong("ends early; the file was cut short");
            }
            byte[] raw = coded; // what compression would not have made smaller is not compressed
            if (bytes < most) {
                spare = spare.length < most ? new byte[most] : spare;
                raw = spare;
                try {
                    codec.decode(coded, bytes, block, raw);
                } catch (DataFormatException e) {
                    throw wrong("is damaged: " + (e.getMessage() == null ? "not Deflate" : e.getMessage()));
                }
            }
            placement.put(block, raw);
            seen.set(number);
        }
    }
}
