package dev.evener.kernels.reduce;

/** A way to add up a part of the data with one work-group, from the obvious one to a good one; see {@link ReduceSteps}. */
public enum ReduceStep {
    /** One work-item of each group reads the group's part from global memory. */
    ITEM_PER_GROUP,

    /** All work-items copy the part to local memory, and one reads it there. */
    LOCAL_COPY,

    /** All copy it, then half of them add the other half's elements, then a quarter, and so on. */
    TREE,

    /** The same, after each work-item has added up several elements: fewer groups, and fewer rounds for the same data. */
    FEWER_ITERATIONS
}
