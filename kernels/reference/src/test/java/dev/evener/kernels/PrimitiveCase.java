package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.policy.Policy;

/** One input of a primitive, to be run on any devices under any policy. */
public interface PrimitiveCase {

    /** What distinguishes it from the other cases, such as {@code exclusive int32, 4097 elements}. */
    String name();

    /**
     * Runs the primitive once, through its public API, on new buffers of this Evener.
     *
     * @return all of its output, as an array or a list; a primitive has to give the same for every policy and device
     */
    Object run(Evener evener, Policy policy);

    /**
     * Compares an output with an independent scalar reference.
     *
     * @throws AssertionError if it is wrong
     */
    void check(Object output);
}
