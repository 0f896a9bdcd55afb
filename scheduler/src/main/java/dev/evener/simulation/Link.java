package dev.evener.simulation;

/**
 * What moves a device's data: {@code latencyNanos}, and the time that the bytes take each way.
 *
 * @param latencyNanos of each chunk that moves anything
 * @param bytesPerSecondIn to the device, more than 0
 * @param bytesPerSecondOut from the device, more than 0
 * @param overlap which part of the shorter of the two, kernels and transfers, goes on while the other does, 0 to 1
 */
public record Link(double latencyNanos, double bytesPerSecondIn, double bytesPerSecondOut, double overlap) {
    /** For devices that work on host memory in place. */
    public static final Link NONE = new Link(0, 1e12, 1e12, 0);

    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public Link {
        Figures.require("latencyNanos", latencyNanos, 0);
        Figures.require("bytesPerSecondIn", bytesPerSecondIn, 1);
        Figures.require("bytesPerSecondOut", bytesPerSecondOut, 1);
        Figures.require("overlap", overlap, 0, 1);
    }

    double nanos(double in, double out) {
        return in + out == 0 ? 0 : latencyNanos + 1e9 * (in / bytesPerSecondIn + out / bytesPerSecondOut);
    }
}
