package dev.evener.simulation;

import java.util.List;

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
 * @param submitNanos from taking a chunk until its commands are enqueued
 * @param startNanos from there until the device begins
 * @param noticeNanos from the chunk's end until the lane has taken notice
 * @param slowdown how many times longer a chunk takes while one other device works on the same memory, at least 1
 * @param bytesInPerChunk bytes sent to the device for each chunk
 * @param bytesInPerUnit and for each unit of it
 * @param bytesOutPerChunk bytes fetched from the device after each chunk
 * @param bytesOutPerUnit and for each unit of it
 */
public record KernelModel(
        double fixedNanos,
        double nanosPerUnit,
        Times factor,
        long wave,
        Times submitNanos,
        Times startNanos,
        Times noticeNanos,
        double slowdown,
        double bytesInPerChunk,
        double bytesInPerUnit,
        double bytesOutPerChunk,
        double bytesOutPerUnit) {
    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public KernelModel {
        Figures.require("fixedNanos", fixedNanos, 0);
        Figures.require("nanosPerUnit", nanosPerUnit, 0);
        Figures.require("wave", (double) wave, 0);
        Figures.require("slowdown", slowdown, 1, 1000);
        Figures.require("bytesInPerChunk", bytesInPerChunk, 0);
        Figures.require("bytesInPerUnit", bytesInPerUnit, 0);
        Figures.require("bytesOutPerChunk", bytesOutPerChunk, 0);
        Figures.require("bytesOutPerUnit", bytesOutPerUnit, 0);
        if (fixedNanos + nanosPerUnit == 0) {
            throw new IllegalArgumentException("fixedNanos and nanosPerUnit are both 0: no device works in no time");
        }
    }

    /**
     * A kernel that takes so long for each chunk and unit, on a device that launches at once, moves nothing and is always
     * equally fast.
     */
    public static KernelModel of(double fixedNanos, double nanosPerUnit) {
        return new KernelModel(
                fixedNanos, nanosPerUnit, Times.of(1), 0, Times.NONE, Times.NONE, Times.NONE, 1, 0, 0, 0, 0);
    }

    /**
     * The same, with times that scatter evenly about the middle one.
     *
     * @param part how far the least and the most are from it, 0 to 1
     */
    public KernelModel withSpread(double part) {
        Figures.require("a spread", part, 0, 1);
        return new KernelModel(
                fixedNanos,
                nanosPerUnit,
                new Times(List.of(1 - part, 1 + part)),
                wave,
                submitNanos,
                startNanos,
                noticeNanos,
                slowdown,
                bytesInPerChunk,
                bytesInPerUnit,
                bytesOutPerChunk,
                bytesOutPerUnit);
    }

    /** The same, working on so many units at once. */
    public KernelModel withWave(long units) {
        return new KernelModel(
                fixedNanos,
                nanosPerUnit,
                factor,
                units,
                submitNanos,
                startNanos,
                noticeNanos,
                slowdown,
                bytesInPerChunk,
                bytesInPerUnit,
                bytesOutPerChunk,
                bytesOutPerUnit);
    }

    /** The same with other costs of a launch. */
    public KernelModel withLaunch(double submit, double start, double notice) {
        return new KernelModel(
                fixedNanos,
                nanosPerUnit,
                factor,
                wave,
                Times.of(submit),
                Times.of(start),
                Times.of(notice),
                slowdown,
                bytesInPerChunk,
                bytesInPerUnit,
                bytesOutPerChunk,
                bytesOutPerUnit);
    }

    /** The same, slowed so many times by another device on the same memory. */
    public KernelModel withSlowdown(double times) {
        return new KernelModel(
                fixedNanos,
                nanosPerUnit,
                factor,
                wave,
                submitNanos,
                startNanos,
                noticeNanos,
                times,
                bytesInPerChunk,
                bytesInPerUnit,
                bytesOutPerChunk,
                bytesOutPerUnit);
    }

    /** The same, moving so many bytes for each unit. */
    public KernelModel withBytesPerUnit(double in, double out) {
        return new KernelModel(
                fixedNanos,
                nanosPerUnit,
                factor,
                wave,
                submitNanos,
                startNanos,
                noticeNanos,
                slowdown,
                bytesInPerChunk,
                in,
                bytesOutPerChunk,
                out);
    }
}
