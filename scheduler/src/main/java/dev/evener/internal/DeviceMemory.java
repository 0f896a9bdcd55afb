package dev.evener.internal;

/** What a context group or a lane holds on a device for one host buffer. */
@FunctionalInterface
public interface DeviceMemory {

    /** Frees it. Called once, when nothing uses it any more. */
    void release();
}
