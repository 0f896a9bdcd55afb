package dev.evener.kernels.compact;

/**
 * How an element stands to a constant. With a NaN on either side only {@link #NOT_EQUAL} holds, and -0 is equal to +0, as in
 * Java and in OpenCL C.
 */
public enum Comparison {
    LESS,
    LESS_OR_EQUAL,
    EQUAL,
    NOT_EQUAL,
    GREATER_OR_EQUAL,
    GREATER;

    /** Whether it holds, given the sign of a comparison of two numbers of which neither is NaN. */
    boolean holds(int sign) {
        return switch (this) {
            case LESS -> sign < 0;
            case LESS_OR_EQUAL -> sign <= 0;
            case EQUAL -> sign == 0;
            case NOT_EQUAL -> sign != 0;
            case GREATER_OR_EQUAL -> sign >= 0;
            case GREATER -> sign > 0;
        };
    }
}
