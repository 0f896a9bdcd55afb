package dev.evener.history;

import dev.evener.policy.Snapshot.Cost;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Times over sizes: a {@link Level} for each octave of job sizes that was seen, since caches and launches make one line over
 * all sizes wrong, and lines between them for those that were not. Not thread-safe.
 */
final class Curve {
    /** A slope below this part of the mean time per unit is noise, not a device. */
    private static final double LEAST_SLOPE = 0.25;

    /** Octaves over which a first observation can be foreseen. */
    private static final int NEAR = 2;

    private final boolean fits;
    private final List<Octave> octaves = new ArrayList<>(2); // ascending

    private record Octave(int number, Level level) {}

    /** @param fits as in {@link Level#Level(boolean)} */
    Curve(boolean fits) {
        this.fits = fits;
    }

    /** The octave of a size of at least 1: from {@code 2^n} to below {@code 2^(n + 1)} units. */
    static int octave(long units) {
        return 63 - Long.numberOfLeadingZeros(Math.max(1, units));
    }

    /** What is known of an octave, or null. */
    @Nullable
    Level at(int octave) {
        int i = find(octave);
        return i >= 0 ? octaves.get(i).level() : null;
    }

    /**
     * The level of an octave, made if need be.
     *
     * @param units that are going to be observed
     */
    Level levelAt(int octave, double units) {
        int i = find(octave);
        if (i >= 0) {
            return octaves.get(i).level();
        }
        Level made = new Level(fits);
        if (distance(octave) <= NEAR) {
            made.seed(units, line(octave).predict(units));
        }
        octaves.add(-i - 1, new Octave(octave, made));
        return made;
    }

    /** The level of an octave that was seen. */
    Level known(int octave) {
        return octaves.get(find(octave)).level();
    }

    /** Restores an octave. */
    void put(int octave, Level.State state) {
        int i = find(octave);
        if (i < 0) {
            octaves.add(-i - 1, new Octave(octave, new Level(fits, state)));
        } else {
            octaves.set(i, new Octave(octave, new Level(fits, state)));
        }
    }

    /** The octaves that were seen, ascending. */
    int[] numbers() {
        return octaves.stream().mapToInt(Octave::number).toArray();
    }

    /** Octaves from this one to the nearest seen; a large number if none was. */
    int distance(int octave) {
        int least = Integer.MAX_VALUE;
        for (Octave o : octaves) {
            least = Math.min(least, Math.abs(o.number() - octave));
        }
        return least;
    }

    /** The level that is nearest, of two the larger. */
    @Nullable
    Level nearest(int octave) {
        Octave best = null;
        for (Octave o : octaves) {
            if (best == null || Math.abs(o.number() - octave) <= Math.abs(best.number() - octave)) {
                best = o;
            }
        }
        return best == null ? null : best.level();
    }

    /**
     * Time as a line over units, good about this octave: through the origin where the octave was seen, since sizes within
     * one differ too little to tell a slope; else through the two octaves nearest.
     */
    Cost line(int octave) {
        if (octaves.isEmpty()) {
            return Cost.UNKNOWN;
        }
        int i = find(octave);
        if (i >= 0 || octaves.size() == 1) {
            Level level = octaves.get(Math.max(0, i)).level();
            return new Cost(0, level.nanos() / level.units(), level.samples());
        }
        int above = Math.min(octaves.size() - 1, Math.max(1, -i - 1));
        return line(octave, octaves.get(above - 1), octaves.get(above));
    }

    private static Cost line(int octave, Octave a, Octave b) {
        double ua = a.level().units();
        double ub = b.level().units();
        double ta = a.level().nanos();
        double tb = b.level().nanos();
        long samples = Math.min(a.level().samples(), b.level().samples());
        double slope = (tb - ta) / (ub - ua);
        double fixed = ta - slope * ua;
        if (ub > ua && fixed >= 0 && slope > 0) {
            double least = LEAST_SLOPE * tb / ub;
            return slope >= least ? new Cost(fixed, slope, samples) : new Cost(tb - least * ub, least, samples);
        }
        // Dearer per unit the larger: no launch cost explains that, so what a unit costs is carried over.
        double part = Math.min(1, Math.max(0, (octave - a.number()) / (double) (b.number() - a.number())));
        double perUnit = Math.exp((1 - part) * Math.log(ta / ua) + part * Math.log(tb / ub));
        return new Cost(0, perUnit, samples);
    }

    private int find(int octave) {
        int low = 0;
        int high = octaves.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int number = octaves.get(middle).number();
            if (number == octave) {
                return middle;
            }
            if (number < octave) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -(low + 1);
    }
}
