package dev.evener.workloads.workload;

/**
 * An image of about a number of pixels: a power of two wide, at least 16, and about as high, with at least that many pixels.
 *
 * @param width pixels in a row
 * @param height rows
 */
record ImageShape(int width, int height) {

    /** @param pixels 1 to 2^31 */
    static ImageShape of(long pixels) {
        int width = 16;
        while ((long) width * width < pixels) {
            width *= 2;
        }
        return new ImageShape(width, (int) ((pixels + width - 1) / width));
    }

    long pixels() {
        return (long) width * height;
    }
}
