package dev.evener.simulation;

/**
 * What a kernel takes on a device. A chunk of {@code u} units (weighted by the {@linkplain KernelWork#profile profile} of
 * the kernel's work) takes {@code fixedNanos + nanosPerUnit * u} in the kernel, in the middle: times scatter log-normally
 * about that, with the standard deviation {@code spread} of their logarithm. All times are nanoseconds, at least 0.
 *
 * @param fixedNanos of each chunk, whatever its size
 * @param nanosPerUnit for each unit more
 * @param spread of a chunk's time, 0 for none; 0.05 lets two chunks of three be within 5 %
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
        double spread,
        long wave,
        double submitNanos,
        double startNanos,
        double noticeNanos,
        double slowdown,
        double bytesInPerChunk,
        double bytesInPerUnit,
        double bytesOutPerChunk,
        double bytesOutPerUnit) {

    /** @throws IllegalArgumentException if a figure is out of range; the message names it */
    public KernelModel {
        Figures.require("fixedNanos", fixedNanos, 0);
        Figures.require("nanosPerUnit", nanosPerUnit, 0);
        Figures.require("spread", spread, 0, 3);
        Figures.require("wave", wave, 0);
        Figures.require("submitNanos", submitNanos, 0);
        Figures.require("startNanos", startNanos, 0);
        Figures.require("noticeNanos", noticeNanos, 0);
        Figures.require("slowdown", slowdown, 1, 1000);
        Figures.require("bytesInPerChunk", bytesInPerChunk, 0);
        Figures.require("bytesInPerUnit", bytesInPerUnit, 0);
        Figures.require("bytesOutPerChunk", bytesOutPerChunk, 0);
        Figures.require("bytesOutPerUnit", bytesOutPerUnit, 0);
        if (fixedNanos + nanosPerUnit == 0) {
            throw new IllegalArgumentException("fixedNanos and nanosPerUnit are both 0: no device works in no time");
        }
    }

    /** A kernel that takes so long for each chunk and unit, on a device that launches at once, moves nothing and is always equally fast. */
    public static KernelModel of(double fixedNanos, double nanosPerUnit) {
        return new KernelModel(fixedNanos, nanosPerUnit, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0);
    }

    /** The same with another spread. */
    public KernelModel withSpread(double other) {
        return new KernelModel(
                fixedNanos,
                nanosPerUnit,
                other,
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
                spread,
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
                spread,
                wave,
                submit,
                start,
                notice,
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
                spread,
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
                spread,
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
