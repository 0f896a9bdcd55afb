package dev.evener.simulation;

import java.util.List;
import java.util.stream.Stream;

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
 * @param hops what data cross before it on their way from the host, the host's port first, each whole before they go
 *     on: in a tree, the links above this one
 */
public record Link(
        double latencyNanos,
        double bytesPerSecondIn,
        double bytesPerSecondOut,
        double overlap,
        Times factor,
        String bus,
        List<Hop> hops) {
    /**
     * A link that all devices behind it share: a branch of a tree.
     *
     * @param bus its name, not empty
     */
    public record Hop(String bus, double bytesPerSecondIn, double bytesPerSecondOut) {
        /** @throws IllegalArgumentException if a figure is out of range; the message names it */
        public Hop {
            if (bus.isEmpty()) {
                throw new IllegalArgumentException("bus is empty: a hop needs a name, by which others are on it too");
            }
            Numbers.require("bytesPerSecondIn", bytesPerSecondIn, 1);
            Numbers.require("bytesPerSecondOut", bytesPerSecondOut, 1);
        }
    }

    /** For devices that work on host memory in place. */
    public static final Link NONE = new Link(0, 1e12, 1e12, 0);

    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public Link {
        Numbers.require("latencyNanos", latencyNanos, 0);
        Numbers.require("bytesPerSecondIn", bytesPerSecondIn, 1);
        Numbers.require("bytesPerSecondOut", bytesPerSecondOut, 1);
        Numbers.require("overlap", overlap, 0, 1);
        hops = List.copyOf(hops);
    }

    /** One that is always equally fast. */
    public Link(double latencyNanos, double bytesPerSecondIn, double bytesPerSecondOut, double overlap) {
        this(latencyNanos, bytesPerSecondIn, bytesPerSecondOut, overlap, Times.of(1), "", List.of());
    }

    /** The same over a bus. */
    public Link onBus(String name) {
        return new Link(latencyNanos, bytesPerSecondIn, bytesPerSecondOut, overlap, factor, name, hops);
    }

    /** The same behind others, the host's first. */
    public Link behind(Hop... others) {
        return new Link(latencyNanos, bytesPerSecondIn, bytesPerSecondOut, overlap, factor, bus, List.of(others));
    }

    /** Names of what its data cross, the host's first; empty where nobody else is on it. */
    List<String> buses() {
        return Stream.concat(hops.stream().map(Hop::bus), Stream.of(bus)).toList();
    }

    /** What so many bytes take on one of these. */
    double nanosOn(int which, double bytes, boolean inward) {
        if (which == hops.size()) {
            return 1e9 * bytes / (inward ? bytesPerSecondIn : bytesPerSecondOut);
        }
        Hop hop = hops.get(which);
        return 1e9 * bytes / (inward ? hop.bytesPerSecondIn() : hop.bytesPerSecondOut());
    }

    private double nanos(double bytes, boolean inward) {
        double nanos = 0;
        for (int i = 0; i <= hops.size(); i++) {
            nanos += nanosOn(i, bytes, inward);
        }
        return nanos;
    }

    double nanosIn(double bytes) {
        return nanos(bytes, true);
    }

    double nanosOut(double bytes) {
        return nanos(bytes, false);
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
