package dev.evener.simulation;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a kernel takes on a device. A chunk of {@code u} units (weighted by the {@linkplain KernelWork#profile profile} of
 * the kernel's work) takes {@code fixedNanos + nanosPerUnit * u} in the kernel, times a factor that scatters. All times are
 * nanoseconds, at least 0.
 *
 * @param fixedNanos of each chunk, whatever its size
 * @param nanosPerUnit for each unit more
 * @param factor by which a chunk's time differs from that
 * @param wave units that the device works on at once: what a chunk lacks to a multiple is paid for as if it were there; 0 or 1
 *     where units follow one another
 * @param slowdown how many times longer a chunk takes while one other device works on the same memory, at least 1
 * @param launch what a chunk takes beside its kernel
 * @param moves what it moves to and from the device, where that does not follow from the job's buffers
 */
public record KernelModel(
        double fixedNanos, double nanosPerUnit, Times factor, long wave, double slowdown, Launch launch, Moves moves) {
    /**
     * What a chunk takes beside its kernel and transfers.
     *
     * @param saveNanosPerUnit before anything else, for each unit: the host keeps a copy of what the chunk updates in place
     * @param submitNanos from there until its commands are enqueued
     * @param submitNanosPerUnit and for each unit, as where the host copies what is sent
     * @param startNanos from there until the device begins
     * @param gapNanos from its beginning to the chunk's end, while it waits for the host or from one command to the next and
     *     neither kernels nor transfers go on
     * @param noticeNanos from the chunk's end until the lane has taken notice
     * @param settleNanos from there until it has read the chunk's times and can take another: no lane counts that as the cost
     *     of a launch
     */
    public record Launch(
            double saveNanosPerUnit,
            Times submitNanos,
            double submitNanosPerUnit,
            Times startNanos,
            Times gapNanos,
            Times noticeNanos,
            Times settleNanos) {
        /** No time at all. */
        public static final Launch AT_ONCE =
                new Launch(0, Times.NONE, 0, Times.NONE, Times.NONE, Times.NONE, Times.NONE);

        /** @throws IllegalArgumentException if a figure is out of range; the message names it */
        public Launch {
            Numbers.require("saveNanosPerUnit", saveNanosPerUnit, 0);
            Numbers.require("submitNanosPerUnit", submitNanosPerUnit, 0);
        }
    }

    /**
     * Bytes, at least 0, of jobs whose buffers are not known.
     *
     * @param inPerChunk sent to the device for each chunk
     * @param inPerUnit and for each unit of it
     * @param outPerChunk fetched from the device after each chunk
     * @param outPerUnit and for each unit of it
     */
    public record Moves(double inPerChunk, double inPerUnit, double outPerChunk, double outPerUnit) {
        /** As on a device that works in the host's memory. */
        public static final Moves NOTHING = new Moves(0, 0, 0, 0);

        /** @throws IllegalArgumentException if a figure is out of range; the message names it */
        public Moves {
            Numbers.require("bytesInPerChunk", inPerChunk, 0);
            Numbers.require("bytesInPerUnit", inPerUnit, 0);
            Numbers.require("bytesOutPerChunk", outPerChunk, 0);
            Numbers.require("bytesOutPerUnit", outPerUnit, 0);
        }
    }

    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public KernelModel {
        Numbers.require("fixedNanos", fixedNanos, 0);
        Numbers.require("nanosPerUnit", nanosPerUnit, 0);
        Numbers.require("wave", (double) wave, 0);
        Numbers.require("slowdown", slowdown, 1, 1000);
        if (fixedNanos + nanosPerUnit == 0) {
            throw new IllegalArgumentException("fixedNanos and nanosPerUnit are both 0: no device works in no time");
        }
    }

    /**
     * A kernel that takes so long for each chunk and unit, on a device that launches at once, moves nothing and is always
     * equally fast.
     */
    public static KernelModel of(double fixedNanos, double nanosPerUnit) {
        return new KernelModel(fixedNanos, nanosPerUnit, Times.of(1), 0, 1, Launch.AT_ONCE, Moves.NOTHING);
    }

    /**
     * The same, with times that scatter evenly about the middle one.
     *
     * @param part how far the least and the most are from it, 0 to 1
     */
    public KernelModel withSpread(double part) {
        Numbers.require("a spread", part, 0, 1);
        Times spread = new Times(List.of(1 - part, 1 + part));
        return new KernelModel(fixedNanos, nanosPerUnit, spread, wave, slowdown, launch, moves);
    }

    /** All that may scatter. */
    Stream<Times> times() {
        return Stream.of(
                factor,
                launch.submitNanos(),
                launch.startNanos(),
                launch.gapNanos(),
                launch.noticeNanos(),
                launch.settleNanos());
    }

    /** The same with another cost of a unit. */
    public KernelModel withNanosPerUnit(double nanos) {
        return new KernelModel(fixedNanos, nanos, factor, wave, slowdown, launch, moves);
    }

    /** The same, working on so many units at once. */
    public KernelModel withWave(long units) {
        return new KernelModel(fixedNanos, nanosPerUnit, factor, units, slowdown, launch, moves);
    }

    /** The same with other costs of a launch. */
    public KernelModel withLaunch(Launch other) {
        return new KernelModel(fixedNanos, nanosPerUnit, factor, wave, slowdown, other, moves);
    }

    /** The same with other costs of a launch, which are always the same, and no gaps and nothing to settle. */
    public KernelModel withLaunch(double submit, double start, double notice) {
        return withLaunch(
                new Launch(0, Times.of(submit), 0, Times.of(start), Times.NONE, Times.of(notice), Times.NONE));
    }

    /**
     * How many times longer a chunk takes while so many other devices work on its memory: each takes as much from it
     * as the first.
     * What is simulated and what is fitted go by this.
     */
    static double slowed(double slowdown, int others) {
        return 1 + (slowdown - 1) * others;
    }

    /** The same, slowed so many times by another device on the same memory. */
    public KernelModel withSlowdown(double times) {
        return new KernelModel(fixedNanos, nanosPerUnit, factor, wave, times, launch, moves);
    }

    /** The same, moving so many bytes for each unit. */
    public KernelModel withBytesPerUnit(double in, double out) {
        Moves others = new Moves(moves.inPerChunk(), in, moves.outPerChunk(), out);
        return new KernelModel(fixedNanos, nanosPerUnit, factor, wave, slowdown, launch, others);
    }
}
