package dev.evener.workloads.frame;

import org.jspecify.annotations.Nullable;

/**
 * A frame's size, and with it the layout that devices see.
 *
 * <p>A row of a frame is {@code R[stride] G[stride] B[stride]}, native-order floats; rows follow each other from the top
 * of the picture to its bottom with nothing between them. The stride rounds the width up to 16 pixels, one vector of the
 * CPU kernels; padding is 0. A row of the processed picture is {@code stride} 32-bit words with the bytes R, G, B, 255 in
 * memory order.
 *
 * @param width pixels in a row, at least 1
 * @param height rows, at least 1
 */
public record FrameSize(int width, int height) {
    /** What one buffer can hold: 2 GiB less the pages that {@link dev.evener.HostBuffer} aligns with. */
    static final long MAX_BYTES = Integer.MAX_VALUE - 8192L;

    private static final int LANES = 16;
    private static final int CHANNELS = 3;

    public FrameSize {
        String problem = problem(width, height);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
    }

    /** Why no frame can have this size, or null if one can. */
    static @Nullable String problem(long width, long height) {
        if (width <= 0 || height <= 0) {
            return "a size of " + width + " x " + height + " pixels; both must be at least 1";
        }
        long most = MAX_BYTES / (CHANNELS * Float.BYTES);
        if (width > most || height > most || (width + LANES - 1) / LANES * LANES > most / height) {
            return "a size of " + width + " x " + height + " pixels needs more than the 2 GiB that one frame may take;"
                    + " cut it into smaller frames";
        }
        return null;
    }

    /** Pixels from a row's start to the next channel's: the width rounded up to a multiple of 16. */
    public int stride() {
        return (width + LANES - 1) / LANES * LANES;
    }

    /** Floats in one row of the frame, all three channels. */
    public int rowFloats() {
        return CHANNELS * stride();
    }

    /** Floats in the frame. */
    public int floats() {
        return rowFloats() * height;
    }

    /** Bytes of the frame, below 2 GiB. */
    public int bytes() {
        return floats() * Float.BYTES;
    }

    /** 32-bit words of the processed picture. */
    public int words() {
        return stride() * height;
    }

    @Override
    public String toString() {
        return width + " x " + height;
    }
}
