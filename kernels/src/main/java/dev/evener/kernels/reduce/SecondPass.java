package dev.evener.kernels.reduce;

/** Where {@link ReduceSteps} adds up the groups' sums. */
public enum SecondPass {
    /** On the device, by one group of a second kernel, right after the first. */
    DEVICE,

    /** On the host, once all devices are done. */
    HOST
}
