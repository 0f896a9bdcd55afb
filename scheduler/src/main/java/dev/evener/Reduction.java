package dev.evener;

/** How partial results are combined. Whatever the type, the result does not depend on how a job is split. */
public enum Reduction {
    /**
     * Addition. Integers wrap around, so their order does not matter; floating-point numbers are added in an order that
     * only the number of units decides. Of no units: 0.
     */
    SUM,
    /**
     * The least. Of floating-point numbers as {@link Math#min(double, double)} has it: -0 is less than +0, and if one is
     * not a number, neither is the result. Of no units: the type's greatest value, +infinity for floating point.
     */
    MIN,
    /** The greatest, likewise. Of no units: the type's least value, -infinity for floating point. */
    MAX
}
