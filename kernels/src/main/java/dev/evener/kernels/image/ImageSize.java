package dev.evener.kernels.image;

/**
 * Size of an image whose rows lie one behind the other without gaps.
 *
 * @param width pixels in a row, at least 1
 * @param height rows, at least 0
 */
public record ImageSize(int width, int height) {
    /** Fewer than 2^31 bytes and the pages that buffers are aligned with, so that one buffer can hold a byte a pixel. */
    private static final long MOST_PIXELS = Integer.MAX_VALUE - 8192L;

    public ImageSize {
        if (width < 1 || height < 0) {
            throw new IllegalArgumentException(
                    "an image of " + width + " x " + height + " pixels; width must be at least 1, height at least 0");
        }
        if ((long) width * height > MOST_PIXELS) {
            throw new IllegalArgumentException("an image of " + width + " x " + height + " pixels; at most "
                    + MOST_PIXELS + " pixels are possible, cut it into smaller ones");
        }
    }

    /** {@code width * height}. */
    public int pixels() {
        return width * height;
    }

    /**
     * Rows that a CPU's work-item should take.
     *
     * @param bytesPerPixel of everything it touches
     */
    int rowsPerItem(int bytesPerPixel) {
        long enough = 64 * 1024 / ((long) bytesPerPixel * width);
        return (int) Math.max(1, Math.min(enough, height / 32));
    }

    @Override
    public String toString() {
        return width + " x " + height;
    }
}
