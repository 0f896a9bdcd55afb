package dev.evener.image;

import java.util.Objects;

/**
 * How a kernel reads an image that it is given a {@code sampler_t} for; a value, which any number of jobs may have.
 *
 * @param filter what is read between pixels
 * @param address what is read outside of the image
 * @param normalized whether coordinates go from 0 to 1 over the whole image, rather than counting pixels
 */
public record Sampler(Filter filter, Address address, boolean normalized) {

    /** What is read between pixels. */
    public enum Filter {
        /** The pixel in which the place is. The same bits on all devices. */
        NEAREST,
        /**
         * The mean of the pixels around it, weighted by their distance. How exactly is left to each device, so that
         * results of a job that
         * is split between different devices may differ in their last bits where it was cut. Integers have no such
         * mean.
         */
        LINEAR
    }

    /** What is read outside of the image. */
    public enum Address {
        /** Undefined: the kernel does not look there. */
        NONE,
        /** The nearest pixel at the edge. */
        CLAMP_TO_EDGE,
        /** The border's colour: 0, with an alpha of 1 if the image has none. */
        CLAMP,
        /** The image again. Normalized coordinates only. */
        REPEAT,
        /** The image mirrored. Normalized coordinates only. */
        MIRRORED_REPEAT
    }

    /** @throws IllegalArgumentException if it repeats an image without normalized coordinates, which OpenCL has not */
    public Sampler {
        Objects.requireNonNull(filter, "filter");
        Objects.requireNonNull(address, "address");
        if (!normalized && (address == Address.REPEAT || address == Address.MIRRORED_REPEAT)) {
            throw new IllegalArgumentException(
                    "a sampler with " + address + " takes normalized coordinates, from 0 to 1; say so, or clamp");
        }
    }

    /** Nearest pixels, the edge's outside, by coordinates in pixels. */
    public static Sampler nearest() {
        return new Sampler(Filter.NEAREST, Address.CLAMP_TO_EDGE, false);
    }

    /** Means of pixels, the edge's outside, by coordinates in pixels. */
    public static Sampler linear() {
        return new Sampler(Filter.LINEAR, Address.CLAMP_TO_EDGE, false);
    }

    /** The same with something else outside of the image; with coordinates from 0 to 1 where that needs them. */
    public Sampler outside(Address other) {
        boolean repeats = other == Address.REPEAT || other == Address.MIRRORED_REPEAT;
        return new Sampler(filter, other, normalized || repeats);
    }

    /** The same with coordinates from 0 to 1. */
    public Sampler withNormalized() {
        return new Sampler(filter, address, true);
    }
}
