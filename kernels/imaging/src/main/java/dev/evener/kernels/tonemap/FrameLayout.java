package dev.evener.kernels.tonemap;

import org.jspecify.annotations.Nullable;

/**
 * How a frame lies in memory: planar rows. A row is {@code stride} reds, {@code stride} greens and {@code stride} blues
 * (floats, linear Rec. 709), rows from top to bottom without gaps; {@code stride} is the width rounded up to a multiple
 * of 16, and the padding pixels are 0. Output pixels are one 32-bit word each, {@code stride} per row, with the bytes
 * red, green, blue, 255 in memory order on a little-endian machine.
 *
 * @param width pixels in a row that count, at least 1
 * @param height rows, at least 1
 * @param pixelAspect a pixel's width over its height when it is displayed, 1/64 to 64
 */
public record FrameLayout(int width, int height, double pixelAspect) {

    /** Rows start on whole vectors of this many pixels. */
    public static final int ROW_MULTIPLE = 16;

    private static final int CHANNELS = 3;

    /** What one piece of memory can hold: 2 GiB less the pages that {@link dev.evener.HostBuffer} aligns with. */
    public static final long PIECE_BYTES = Integer.MAX_VALUE - 8192L;

    public FrameLayout {
        String problem = problem(width, height);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        if (!(pixelAspect >= 1 / 64.0 && pixelAspect <= 64)) {
            throw new IllegalArgumentException("a pixel aspect of " + pixelAspect + "; it must be 1/64 to 64");
        }
    }

    /** Of square pixels. */
    public FrameLayout(int width, int height) {
        this(width, height, 1);
    }

    /** The same with pixels of this aspect; square ones if it cannot be. */
    public FrameLayout withPixelAspect(double aspect) {
        return new FrameLayout(width, height, aspect >= 1 / 64.0 && aspect <= 64 ? aspect : 1);
    }

    /** A pixel's width and height as integers up to 64,000, whose quotient is the aspect within a ten-thousandth. */
    public int[] aspectRatio() {
        for (int high = 1; ; high++) {
            long wide = Math.round(pixelAspect * high);
            if (high == 1000 || Math.abs(wide - pixelAspect * high) <= 1e-4 * wide) {
                return new int[] {(int) wide, high};
            }
        }
    }

    /** Why no frame can have this size, or null if one can: for readers that meet sizes they cannot trust. */
    public static @Nullable String problem(long width, long height) {
        if (width <= 0 || height <= 0) {
            return "a size of " + width + " x " + height + " pixels; both must be at least 1";
        }
        long most = PIECE_BYTES / Integer.BYTES;
        if (width > most || height > most || (width + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE > most / height) {
            return "a size of " + width + " x " + height
                    + " pixels, which needs more than the 2 GiB that a picture may take;"
                    + " cut it into smaller frames";
        }
        return null;
    }

    /** Pixels in a row with padding. */
    public int stride() {
        return (width + ROW_MULTIPLE - 1) / ROW_MULTIPLE * ROW_MULTIPLE;
    }

    /** Floats in a row of the frame. */
    public int rowFloats() {
        return CHANNELS * stride();
    }

    /** Floats in the frame, padding included. */
    public int floats() {
        return rowFloats() * height;
    }

    /** Bytes of the frame as floats, padding included; up to three times what one piece of memory can hold. */
    public long bytes() {
        return (long) floats() * Float.BYTES;
    }

    /** Words in the output, padding included. */
    public int words() {
        return stride() * height;
    }

    /** Pixels that count. */
    public long pixels() {
        return (long) width * height;
    }

    @Override
    public String toString() {
        return width + " x " + height + (pixelAspect == 1 ? "" : " (pixel aspect " + pixelAspect + ")");
    }
}
