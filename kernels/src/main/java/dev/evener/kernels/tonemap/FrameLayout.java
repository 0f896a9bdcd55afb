package dev.evener.kernels.tonemap;

/**
 * How a frame lies in memory: planar rows. A row is {@code stride} reds, {@code stride} greens and {@code stride} blues
 * (floats, linear Rec. 709), rows from top to bottom without gaps; {@code stride} is the width rounded up to a multiple
 * of 16, and the padding pixels are 0. Output pixels are one 32-bit word each, {@code stride} per row, with the bytes
 * red, green, blue, 255 in memory order on a little-endian machine.
 *
 * @param width pixels in a row that count, at least 1
 * @param height rows, at least 1
 */
public record FrameLayout(int width, int height) {

    /** Rows start on whole vectors of this many pixels. */
    public static final int ROW_MULTIPLE = 16;

    public FrameLayout {
        if (width < 1 || height < 1) {
            throw new IllegalArgumentException(
                    "a frame needs at least one pixel, not " + width + " x " + height + " (width x height)");
        }
        // One buffer holds less than 2 GiB, and so do the kernels' 32-bit indices.
        if (12L * ((width + 15L) / 16 * 16) * height > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a frame of " + width + " x " + height
                    + " pixels needs more than the 2 GiB of one buffer; cut it into several frames");
        }
    }

    /** Pixels in a row with padding. */
    public int stride() {
        return (width + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE;
    }

    /** Floats in a row of the frame. */
    public int rowFloats() {
        return 3 * stride();
    }

    /** Floats in the frame. */
    public long frameFloats() {
        return (long) rowFloats() * height;
    }

    /** Words in the output, padding included. */
    public long outputWords() {
        return (long) stride() * height;
    }

    /** Pixels that count. */
    public long pixels() {
        return (long) width * height;
    }
}
