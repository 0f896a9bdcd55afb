package dev.evener;

/** Integer operations that merge the partial results of several lanes; exact, so the result does not depend on the split. */
public enum Reduction {
    SUM,
    MIN,
    MAX
}
