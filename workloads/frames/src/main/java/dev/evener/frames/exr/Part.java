package dev.evener.frames.exr;

import dev.evener.frames.exr.Codec.Compression;
import dev.evener.kernels.tonemap.Primaries;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/**
 * A part of a file, as its header describes it; a name that it lacks is empty, a number of chunks -1, tiles are null for scanlines, and
 * channels are none if it is deep; {@code about} has what it says of its making. Pixels lie in {@code data}; {@code display} is to be seen; {@code luma} weighs red, green and blue,
 * which have these primaries.
 */
public record Part(
        String name,
        boolean deep,
        @Nullable Tiles tiles,
        List<Channel> channels,
        int code,
        Window data,
        Window display,
        List<Float> luma,
        Primaries primaries,
        float pixelAspect,
        int chunks,
        Map<String, String> about) {
    /** Pixels from the left top to the right bottom one, both in it. */
    public record Window(int left, int top, int right, int bottom) {
        /** Columns; below 1 if a file has it the wrong way round, as {@link #height}. */
        public long width() {
            return (long) right - left + 1;
        }

        /** Rows. */
        public long height() {
            return (long) bottom - top + 1;
        }

        /** Whether it has all of another's pixels. */
        public boolean covers(Window other) {
            return left <= other.left && right >= other.right && top <= other.top && bottom >= other.bottom;
        }

        boolean isWhole(int across, int down) {
            return left % across == 0 && width() % across == 0 && top % down == 0 && height() % down == 0;
        }
    }

    /**
     * How a part is cut into tiles, and whether there are smaller ones: 0 for none, 1 for levels of equal proportions, 2 for each
     * combination of widths and heights, their sizes rounded up or down.
     */
    public record Tiles(int width, int height, int levels, boolean up) {
        private long count(long size, int tile, int level) {
            long rounded = up ? ((size - 1) >> level) + 1 : size >> level;
            return (Math.max(1, rounded) + tile - 1) / tile;
        }

        private int levels(long size) {
            return levels == 0 ? 1 : Long.SIZE - Long.numberOfLeadingZeros(up ? 2 * size - 1 : size);
        }

        private long all(Window data) {
            long most = Math.max(data.width(), data.height());
            long all = 0;
            for (int x = 0; x < levels(levels == 1 ? most : data.width()); x++) {
                for (int y = 0; y < levels(levels == 1 ? most : data.height()); y++) {
                    all += levels == 2 || x == y ? count(data.width(), width, x) * count(data.height(), height, y) : 0;
                }
            }
            return all;
        }
    }

    /** How it is compressed. */
    public Compression compression() throws DataFormatException {
        Compression[] known = Compression.values();
        if (code < known.length) {
            return known[code];
        }
        throw new DataFormatException("is compressed by " + (code < known.length + 2 ? "HTJ2K" : "code " + code)
                + ", which is not read; write it anew, as with 'oiiotool FILE --compression zip -o NEW.exr'");
    }

    /** Columns of a chunk but the last ones. */
    public int chunkWidth() {
        return tiles == null ? Integer.MAX_VALUE : tiles.width;
    }

    /** Rows of a chunk but the last ones. */
    public int chunkHeight() throws DataFormatException {
        return tiles == null ? compression().rows : tiles.height;
    }

    /** Chunks side by side. */
    public long chunksAcross() {
        return (data.width() + chunkWidth() - 1) / chunkWidth();
    }

    /** Chunks of the picture in full size. */
    public long chunksOfPicture() throws DataFormatException {
        return (data.height() + chunkHeight() - 1) / chunkHeight() * chunksAcross();
    }

    /** All its chunks: what the header says, or else what follows from its windows. */
    public long allChunks() throws DataFormatException {
        return chunks >= 0 ? chunks : tiles == null ? chunksOfPicture() : tiles.all(data);
    }

    /** The pixels of the chunk at a place, counted in chunks from the left top. */
    public Block block(int column, int row) throws DataFormatException {
        int left = tiles == null ? 0 : column * tiles.width;
        int top = row * chunkHeight();
        int width = (int) Math.min(chunkWidth(), data.width() - left);
        int height = (int) Math.min(chunkHeight(), data.height() - top);
        return Block.of(channels, data.left() + left, data.top() + top, width, height);
    }

    /** The weights of luminance that primaries and white give (red, green, blue, white, each x and y), or else Rec. 709's. */
    public static List<Float> luma(float... c) {
        // Hall, "Illumination and Color in Computer Generated Imagery", 1989; sums in the order of OpenEXR's library.
        float x = c[6] / c[7];
        float xz = x + (1 - c[6] - c[7]) / c[7];
        float d = c[0] * (c[5] - c[3]) + c[4] * (c[3] - c[1]) + c[2] * (c[1] - c[5]);
        float r = (x * (c[5] - c[3]) - c[2] * (c[5] - 1 + c[5] * xz) + c[4] * (c[3] - 1 + c[3] * xz)) / d * c[1];
        float g = (x * (c[1] - c[5]) + c[0] * (c[5] - 1 + c[5] * xz) - c[4] * (c[1] - 1 + c[1] * xz)) / d * c[3];
        float b = (x * (c[3] - c[1]) - c[0] * (c[3] - 1 + c[3] * xz) + c[2] * (c[1] - 1 + c[1] * xz)) / d * c[5];
        float sum = r + g + b;
        return Float.isFinite(r / sum + g / sum + b / sum) && g != 0
                ? List.of(r / sum, g / sum, b / sum)
                : luma(0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f);
    }
}
