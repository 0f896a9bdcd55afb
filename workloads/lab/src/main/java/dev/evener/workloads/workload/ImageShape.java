package dev.evener.workloads.workload;

import dev.evener.kernels.image.ImageSize;

/**
 * An image of about a number of pixels: a power of two wide, at least 16, and about as high, with at least that many pixels.
 *
 * @param width pixels in a row
 * @param height rows
 */
public record ImageShape(int width, int height) {
    /** The parameter of workloads on images. */
    public static final Parameter<Integer> WIDTH = Parameter.integer(
            "width", 0, 0, 1 << 20, "pixels in a row; 0 for a power of two that makes the image about as high as wide");

    /** The shape of 1 to 2^31 pixels. */
    public static ImageShape of(long pixels) {
        int width = 16;
        while ((long) width * width < pixels) {
            width *= 2;
        }
        return ofWidth(width, pixels);
    }

    private static ImageShape ofWidth(int width, long pixels) {
        return new ImageShape(width, (int) ((pixels + width - 1) / width));
    }

    /**
     * The shape asked for.
     *
     * @throws InputException if a file's pixels are no whole number of rows
     */
    public static ImageShape of(Request request) {
        long pixels = request.items();
        int width = request.values().get(WIDTH);
        ImageShape shape = width == 0 ? of(pixels) : ofWidth(width, pixels);
        if (request.fromFiles() && shape.pixels() != pixels) {
            throw request.bad(
                    0,
                    "its " + pixels + " pixels are not a whole number of rows of " + shape.width()
                            + "; say how wide it is with --set " + WIDTH.name() + "=PIXELS");
        }
        return shape;
    }

    /** As primitives take it. */
    public ImageSize size() {
        return new ImageSize(width, height);
    }

    /** Pixels there are. */
    public long pixels() {
        return (long) width * height;
    }
}
