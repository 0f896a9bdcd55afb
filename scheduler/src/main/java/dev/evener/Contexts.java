package dev.evener;

/**
 * Which devices of a platform share an OpenCL context. Devices that work on the host's memory gain by sharing one. Discrete devices may
 * lose: NVIDIA's driver has the calls of two threads for two devices of one context wait for each other.
 */
public enum Contexts {
    /**
     * Devices that work on the host's memory share one. Each discrete device has one of its own, unless a trial, made once for each
     * driver, finds that sharing costs nothing.
     */
    MEASURED,
    /** All devices of a platform share one. */
    SHARED,
    /** Each device has one of its own. */
    OWN
}
