package dev.evener.simulation;

/**
 * What moves a device's data: {@code latencyNanos}, and the time that the bytes take each way. Of what goes on in a chunk,
 * transfers in, kernels and transfers out, all but the longest can be hidden behind the longest.
 *
 * @param latencyNanos of each chunk that moves anything
 * @param bytesPerSecondIn to the device, more than 0
 * @param bytesPerSecondOut from the device, more than 0
 * @param overlap which part of all but the longest goes on while the longest does, 0 to 1
 * @param factor by which a chunk's transfers differ from that
 * @param bus name of what one device moves data over at a time: others whose links name it wait for their turn, first
 *     come, first
 *     served; empty if nobody else is on it
 */
public record Link(
        double latencyNanos,
        double bytesPerSecondIn,
        double bytesPerSecondOut,
        double overlap,
        Times factor,
        String bus) {
    /** For devices that work on host memory in place. */
    public static final Link NONE = new Link(0, 1e12, 1e12, 0);

    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public Link {
        Numbers.require("latencyNanos", latencyNanos, 0);
        Numbers.require("bytesPerSecondIn", bytesPerSecondIn, 1);
        Numbers.require("bytesPerSecondOut", bytesPerSecondOut, 1);
        Numbers.require("overlap", overlap, 0, 1);
    }

    /** One that is always equally fast. */
    public Link(double latencyNanos, double bytesPerSecondIn, double bytesPerSecondOut, double overlap) {
        this(latencyNanos, bytesPerSecondIn, bytesPerSecondOut, overlap, Times.of(1), "");
    }

    /** The same over a bus. */
    public Link onBus(String name) {
        return new Link(latencyNanos, bytesPerSecondIn, bytesPerSecondOut, overlap, factor, name);
    }

    double nanosIn(double bytes) {
        return 1e9 * bytes / bytesPerSecondIn;
    }

    double nanosOut(double bytes) {
        return 1e9 * bytes / bytesPerSecondOut;
    }

    /** What this many bytes take, none of them hidden behind others, and the factor aside. */
    double nanos(double in, double out) {
        return in + out == 0 ? 0 : latencyNanos + nanosIn(in) + nanosOut(out);
    }

    /**
     * What can be hidden of a chunk: all but the longest of its three parts.
     *
     * @param kernel time in kernels
     * @param transfer time in transfers both ways
     */
    double hideable(double kernel, double transfer, double in, double out) {
        double inward = inward(transfer, in, out);
        return kernel + transfer - Math.max(kernel, Math.max(inward, transfer - inward));
    }

    /** What of the time in transfers is spent on the way in. */
    double inward(double transfer, double in, double out) {
        double ways = nanosIn(in) + nanosOut(out);
        return ways == 0 ? transfer / 2 : transfer * nanosIn(in) / ways;
    }
}
