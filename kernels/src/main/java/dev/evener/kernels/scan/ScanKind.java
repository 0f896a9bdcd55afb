package dev.evener.kernels.scan;

/** Whether an element counts for its own place. */
public enum ScanKind {
    /** Element {@code i} of the result combines elements 0 to {@code i} of the input. */
    INCLUSIVE,

    /** Element {@code i} of the result combines elements 0 to {@code i - 1} of the input; the first is the identity. */
    EXCLUSIVE
}
