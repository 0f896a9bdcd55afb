package dev.evener.internal.run;

import dev.evener.EvenerException;

/**
 * Contiguous runs of units, one for each lane in lane order, cut at granule boundaries. Immutable.
 */
final class Partition {
    private final long[] bounds;
    private final long granule;

    /**
     * @param units size of the index space
     * @param granule units per granule
     * @param lanes how many lanes there are
     * @param shares granules per lane
     * @param policy the policy that chose them, for the message
     * @throws EvenerException if the shares do not cover the index space exactly
     */
    Partition(long units, long granule, int lanes, long[] shares, String policy) {
        this.granule = granule;
        if (shares.length != lanes) {
            throw new EvenerException(
                    "policy " + policy + " gave shares to " + shares.length + " lanes, but there are " + lanes);
        }
        long granules = granules(units, granule);
        bounds = new long[shares.length + 1];
        long sum = 0;
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] < 0 || shares[i] > granules - sum) {
                throw new EvenerException("policy " + policy + " gave lane " + i + " " + shares[i] + " of " + granules
                        + " granules after " + sum + " were given away");
            }
            sum += shares[i];
            bounds[i + 1] = sum == granules ? units : sum * granule; // the last granule may be short
        }
        if (sum != granules) {
            throw new EvenerException("policy " + policy + " shared out " + sum + " of " + granules + " granules");
        }
    }

    static long granules(long units, long granule) {
        return units / granule + (units % granule == 0 ? 0 : 1);
    }

    /** Where each lane's range begins, in granules, and the end of the last; for counts that fit 31 bits. */
    int[] granuleBounds() {
        int[] inGranules = new int[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            inGranules[i] = Math.toIntExact(granules(bounds[i], granule));
        }
        return inGranules;
    }

    /** Units in a granule. */
    long granule() {
        return granule;
    }

    long first(int lane) {
        return bounds[lane];
    }

    long end(int lane) {
        return bounds[lane + 1];
    }

    long units(int lane) {
        return bounds[lane + 1] - bounds[lane];
    }
}
