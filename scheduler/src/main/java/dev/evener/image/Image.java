package dev.evener.image;

import dev.evener.DataBuffer;
import java.util.Objects;

/**
 * A buffer that kernels see as an image: {@code image2d_t}, {@code image2d_array_t} or {@code image3d_t}. Its pixels
 * are the
 * buffer's bytes, row behind row without gaps, and what the host reads and writes, jobs that see it as a buffer
 * included, it does
 * there. {@link dev.evener.Evener#image} makes one with a {@link dev.evener.ManagedBuffer}; {@link #of} makes one of any buffer.
 *
 * <p>A job is cut between rows, or between layers or planes of an image that has some: such a row or layer is what
 * accesses of an
 * image count. On its device a kernel has an image of the full size, so that coordinates, sizes and what samplers do at
 * the edges are those of one launch over all of it; of its pixels the rows that the access declares are there.
 *
 * <p>Values; two of the same buffer and shape are equal. Any thread.
 *
 * @param <B> the kind of buffer
 * @param pixels all of them, and nothing else
 * @param shape how they make an image
 */
public record Image<B extends DataBuffer>(B pixels, Shape shape) {

    /** Kinds of images. */
    public enum Kind {
        /** {@code image2d_t}, of which units are rows. */
        PLANE("image2d_t"),
        /** {@code image2d_array_t}, of which units are layers. */
        LAYERS("image2d_array_t"),
        /** {@code image3d_t}, of which units are the planes along its third dimension. */
        VOLUME("image3d_t");

        private final String openClName;

        Kind(String openClName) {
            this.openClName = openClName;
        }

        /** The type of a kernel's parameter that takes it. */
        public String openClName() {
            return openClName;
        }
    }

    /**
     * How bytes make an image.
     *
     * @param kind which of OpenCL's
     * @param format of its pixels
     * @param width pixels of a row, at least 1
     * @param height rows of a plane or layer, at least 1
     * @param depth layers or planes, at least 1; 1 for {@link Kind#PLANE}
     */
    public record Shape(Kind kind, ImageFormat format, int width, int height, int depth) {
        public Shape {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(format, "format");
            if (width < 1 || height < 1 || depth < 1 || (kind == Kind.PLANE && depth > 1)) {
                throw new IllegalArgumentException("an image of " + width + " x " + height + " x " + depth
                        + " pixels: it has at least 1 along each dimension, and an image2d_t has two");
            }
            if ((long) width * height > Long.MAX_VALUE / depth / format.pixelBytes()) {
                throw new IllegalArgumentException("an image of " + width + " x " + height + " x " + depth
                        + " pixels is larger than memory can be");
            }
        }

        /** Of a plain image. */
        public static Shape plane(ImageFormat format, int width, int height) {
            return new Shape(Kind.PLANE, format, width, height, 1);
        }

        /** Of an array of images. */
        public static Shape layers(ImageFormat format, int width, int height, int layers) {
            return new Shape(Kind.LAYERS, format, width, height, layers);
        }

        /** Of an image of three dimensions. */
        public static Shape volume(ImageFormat format, int width, int height, int depth) {
            return new Shape(Kind.VOLUME, format, width, height, depth);
        }

        /** How many parts there are between which jobs are cut: rows, layers or planes. */
        public int parts() {
            return kind == Kind.PLANE ? height : depth;
        }

        /** Bytes of a part. */
        public long partBytes() {
            return (long) width * format.pixelBytes() * (kind == Kind.PLANE ? 1 : height);
        }

        /** Bytes of all pixels. */
        public long bytes() {
            return parts() * partBytes();
        }

        @Override
        public String toString() {
            return kind.openClName + " of " + width + " x " + height + (kind == Kind.PLANE ? "" : " x " + depth) + " "
                    + format;
        }
    }

    /**
     * @throws IllegalArgumentException if the buffer has other than the image's bytes, or elements that rows end within
     */
    public Image {
        Objects.requireNonNull(pixels, "pixels");
        Objects.requireNonNull(shape, "shape");
        int element = pixels.type().bytes();
        if (pixels.byteSize() != shape.bytes() || shape.partBytes() % element != 0) {
            throw new IllegalArgumentException("an " + shape + " has " + shape.bytes() + " bytes, the "
                    + pixels + " has " + pixels.byteSize() + " in elements of " + element
                    + "; give a buffer of as many bytes, whose elements are no larger than a pixel, or a range of one");
        }
    }

    /** A buffer seen as a plain image. */
    public static <B extends DataBuffer> Image<B> of(B pixels, ImageFormat format, int width, int height) {
        return new Image<>(pixels, Shape.plane(format, width, height));
    }

    /** Pixels of a row. */
    public int width() {
        return shape.width();
    }

    /** Rows of a plane or layer. */
    public int height() {
        return shape.height();
    }
}
