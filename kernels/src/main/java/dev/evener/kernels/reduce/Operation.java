package dev.evener.kernels.reduce;

import dev.evener.ElementType;

/** What a {@link Reduce} finds out about its input, and what takes the result. */
public enum Operation {
    /**
     * The sum, in the input's type: of integers modulo 2 to the power of their width; of floats rounded in a fixed order.
     * Of nothing: 0.
     */
    SUM,

    /** The exact sum of 32-bit integers, as a {@code LONG} ({@code INT}) or {@code ULONG} ({@code UINT}). Of nothing: 0. */
    WIDE_SUM,

    /**
     * The least element. Of floats as {@link Math#min(float, float)} has it: -0 is less than +0, and if any is NaN, so is
     * the result. Of nothing: the type's greatest value, of floats infinity.
     */
    MIN,

    /**
     * The greatest element. Of floats as {@link Math#max(float, float)} has it: +0 is greater than -0, and if any is NaN, so
     * is the result. Of nothing: the type's least value, of floats minus infinity.
     */
    MAX,

    /**
     * Where the least element is: the lowest of its indices, as a {@code LONG}. Of floats in the order of {@link #MIN}: where
     * the first NaN is, if there is one. Of nothing: -1.
     */
    ARG_MIN,

    /** Where the greatest element is: the lowest of its indices, as a {@code LONG}; likewise. */
    ARG_MAX;

    /**
     * What takes the result.
     *
     * @param input {@code INT}, {@code UINT}, {@code LONG} or {@code FLOAT}
     * @throws IllegalArgumentException if it is another, or if the operation is {@link #WIDE_SUM} and the input not 32-bit
     *     integers
     */
    public ElementType result(ElementType input) {
        switch (input) {
            case INT, UINT, LONG, FLOAT -> {}
            default ->
                throw new IllegalArgumentException(
                        "a reduction needs int, uint, long or float elements, not " + input.openClName());
        }
        return switch (this) {
            case SUM, MIN, MAX -> input;
            case ARG_MIN, ARG_MAX -> ElementType.LONG;
            case WIDE_SUM ->
                switch (input) {
                    case INT -> ElementType.LONG;
                    case UINT -> ElementType.ULONG;
                    default ->
                        throw new IllegalArgumentException(
                                "a wide sum needs int or uint elements, not " + input.openClName() + "; use SUM");
                };
        };
    }

    /** Whether it finds an index. */
    boolean finds() {
        return this == ARG_MIN || this == ARG_MAX;
    }

    /** Whether it adds. */
    boolean adds() {
        return this == SUM || this == WIDE_SUM;
    }

    /** Whether it looks for the least. */
    boolean least() {
        return this == MIN || this == ARG_MIN;
    }
}
