package dev.evener.kernels.scan;

/** What a scan combines elements with. */
public enum Operation {
    /** Sum; of integers modulo 2 to the power of their width. Its identity is 0. */
    ADD,

    /**
     * Least. Its identity is the type's greatest value, of floats infinity. Of floats as {@link Math#min(float, float)}: -0
     * is less than +0, and NaN wins.
     */
    MIN,

    /**
     * Greatest. Its identity is the type's least value, of floats minus infinity. Of floats as {@link Math#max(float, float)}:
     * +0 is greater than -0, and NaN wins.
     */
    MAX
}
