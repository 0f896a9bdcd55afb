package dev.evener.kernels.histogram;

/** How an {@link RgbHistogram} counts. The counts are the same. */
public enum RgbStyle {
    /** What is best for each class of devices: {@link #PRIVATE} on CPUs, {@link #ATOMICS} on others. */
    BEST,

    /** Work-items share tables: in global memory on CPUs, in local memory on other devices. */
    ATOMICS,

    /** Every work-item has tables of its own and counts each pixel without atomics; only sums are added with them. */
    PRIVATE
}
