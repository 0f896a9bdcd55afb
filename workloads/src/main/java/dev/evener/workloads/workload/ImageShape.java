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
        return new ImageShape(width, rows(pixels, width));
    }

    private static int rows(long pixels, int width) {
        return (int) ((pixels + width - 1) / width);
    }

    /** The parameter of workloads on images. */
    static Parameter<Integer> widthParameter() {
        return Parameter.integer(
                "width",
                0,
                0,
                1 << 20,
                "pixels in a row; 0 for a power of two that makes the image about as high as wide");
    }

    /**
     * The shape asked for.
     *
     * @throws InputException if a file's pixels are no whole number of rows
     */
    static ImageShape of(Request request, Parameter<Integer> widthParameter) {
        long pixels = request.items();
        int width = request.get(widthParameter);
        ImageShape shape = width == 0 ? of(pixels) : new ImageShape(width, rows(pixels, width));
        if (request.fromFiles() && shape.pixels() != pixels) {
            throw new InputException(
                    request.files().get(0).path(),
                    "its " + pixels + " pixels are not a whole number of rows of " + shape.width()
                            + "; say how wide it is with --set " + widthParameter.name() + "=PIXELS");
        }
        return shape;
    }

    long pixels() {
        return (long) width * height;
    }
}
