package dev.evener.image;

import dev.evener.ElementType;
import java.util.Objects;

/**
 * How pixels of an {@link Image} lie in memory, as OpenCL has it: their channels in order, and the type of each.
 *
 * @param channels of a pixel
 * @param type of each channel
 */
public record ImageFormat(Channels channels, Type type) {
    /**
     * Four bytes, which kernels read as numbers from 0 to 1 ({@code read_imagef}). What all devices with images have.
     */
    public static final ImageFormat RGBA_UNORM8 = new ImageFormat(Channels.RGBA, Type.UNORM_INT8);

    /** Four floats. All devices with images have it. */
    public static final ImageFormat RGBA_FLOAT = new ImageFormat(Channels.RGBA, Type.FLOAT);

    /** Four unsigned bytes, read as integers ({@code read_imageui}). All devices with images have it. */
    public static final ImageFormat RGBA_UINT8 = new ImageFormat(Channels.RGBA, Type.UNSIGNED_INT8);

    /** One byte, read as a number from 0 to 1. */
    public static final ImageFormat R_UNORM8 = new ImageFormat(Channels.R, Type.UNORM_INT8);

    /** One float. */
    public static final ImageFormat R_FLOAT = new ImageFormat(Channels.R, Type.FLOAT);

    /** Checks that neither is null. */
    public ImageFormat {
        Objects.requireNonNull(channels, "channels");
        Objects.requireNonNull(type, "type");
    }

    /**
     * Channels of a pixel, in the order in which they lie. What a kernel reads of others is what OpenCL says: 0, or 1
     * for alpha.
     */
    public enum Channels {
        R(1),
        A(1),
        INTENSITY(1),
        LUMINANCE(1),
        RG(2),
        RA(2),
        RGBA(4),
        BGRA(4),
        ARGB(4);

        private final int count;

        Channels(int count) {
            this.count = count;
        }

        /** How many. */
        public int count() {
            return count;
        }
    }

    /** Type of a channel. */
    public enum Type {
        /** From -1 to 1. */
        SNORM_INT8(ElementType.BYTE),
        /** From -1 to 1. */
        SNORM_INT16(ElementType.SHORT),
        /** From 0 to 1. */
        UNORM_INT8(ElementType.UBYTE),
        /** From 0 to 1. */
        UNORM_INT16(ElementType.USHORT),
        SIGNED_INT8(ElementType.BYTE),
        SIGNED_INT16(ElementType.SHORT),
        SIGNED_INT32(ElementType.INT),
        UNSIGNED_INT8(ElementType.UBYTE),
        UNSIGNED_INT16(ElementType.USHORT),
        UNSIGNED_INT32(ElementType.UINT),
        /** Its 16 bits, as Java has no such number. */
        HALF_FLOAT(ElementType.SHORT),
        FLOAT(ElementType.FLOAT);

        private final ElementType element;

        Type(ElementType element) {
            this.element = element;
        }

        /** What holds one in a buffer. */
        public ElementType element() {
            return element;
        }
    }

    /** Size of a pixel. */
    public int pixelBytes() {
        return channels.count * type.element.bytes();
    }

    @Override
    public String toString() {
        return channels + " " + type;
    }
}
