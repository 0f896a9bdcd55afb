package dev.evener.internal.data;

/** The memory of a device, for those who need what only it holds of a buffer. Any thread. */
@FunctionalInterface
public interface Source {
    /** Copies what a fetch is for to where it goes; false if the device has memory for the buffer no more. */
    boolean fetch(Fetch fetch);
}
