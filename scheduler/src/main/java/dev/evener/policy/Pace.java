package dev.evener.policy;

/**
 * How fast lanes are, as far as a {@link Progress} tells, and what follows for the size of a chunk. A lane of which nothing
 * is known is taken to be as fast, relative to the known ones, as its weight says. Stateless; allocates nothing.
 */
final class Pace {
    /** A chunk takes at least so many times what launching it costs. */
    static final double FLOOR_LAUNCHES = 20;

    /** Assumed where nothing is known: what a launch costs on a slow path, so that chunks are rather too large. */
    private static final double UNKNOWN_LAUNCH_NANOS = 100_000;

    /** A lane of unknown speed is tried on so small a part of what it is to do. */
    private static final long PROBE = 32;

    /** No device needs longer for a granule, nor for a launch; a number beyond is an estimate gone wrong. */
    private static final double MOST_NANOS = 1e18;

    private Pace() {}

    /** Cost of a chunk beside its granules, above 0. */
    static double launchNanos(Progress progress, int lane) {
        double nanos = progress.launchNanos(lane);
        return nanos > 0 && nanos < MOST_NANOS ? nanos : UNKNOWN_LAUNCH_NANOS;
    }

    /** Whether the lane's speed is known from this or earlier runs. */
    static boolean known(Progress progress, int lane) {
        double nanos = progress.nanosPerGranule(lane);
        return nanos > 0 && nanos < MOST_NANOS;
    }

    /** Granules a nanosecond for each unit of weight, over the lanes whose speed is known; 0 if none is. */
    static double powerOfWeight(Progress progress) {
        double power = 0;
        double weight = 0;
        for (int lane = 0; lane < progress.lanes(); lane++) {
            if (known(progress, lane)) {
                power += 1 / progress.nanosPerGranule(lane);
                weight += progress.weight(lane);
            }
        }
        return weight > 0 ? power / weight : 0;
    }

    /**
     * Granules a nanosecond; in arbitrary but common units if no lane's speed is known.
     *
     * @param powerOfWeight from {@link #powerOfWeight}
     */
    static double power(Progress progress, int lane, double powerOfWeight) {
        return known(progress, lane)
                ? 1 / progress.nanosPerGranule(lane)
                : progress.weight(lane) * (powerOfWeight > 0 ? powerOfWeight : 1);
    }

    /** The lane's part of the power of all lanes at work, itself counted in: above 0, at most 1. */
    static double partOfPower(Progress progress, int lane) {
        double perWeight = powerOfWeight(progress);
        double all = 0;
        for (int other = 0; other < progress.lanes(); other++) {
            if (other == lane || progress.active(other)) {
                all += power(progress, other, perWeight);
            }
        }
        return power(progress, lane, perWeight) / all;
    }

    /** The least chunk that is worth a launch on a lane whose speed is known, in granules; at least 1. */
    static long floor(Progress progress, int lane) {
        double granules = FLOOR_LAUNCHES * launchNanos(progress, lane) / progress.nanosPerGranule(lane);
        return Math.max(1, (long) Math.ceil(granules)); // the cast saturates
    }

    /** The first chunk of a lane of unknown speed, of what would be its part. */
    static long probe(double granules) {
        return Math.max(1, (long) (granules / PROBE));
    }

    /** Granules of each chunk where a job is cut into a number of equal ones, as experiments want it; at least 1. */
    static long equalChunk(long granules, int chunks) {
        return Math.max(1, granules / chunks + (granules % chunks == 0 ? 0 : 1));
    }

    /**
     * A chunk of at least the floor that leaves no rest too small to be a chunk.
     *
     * @param wanted granules
     * @param left granules there are
     */
    static long chunk(double wanted, long floor, long left) {
        long taken = Math.max(floor, (long) wanted);
        return taken >= left || left - taken < (floor + 1) / 2 ? left : taken;
    }
}
