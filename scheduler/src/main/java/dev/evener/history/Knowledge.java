package dev.evener.history;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one kind of job: how long each device takes in each company, and how long whole jobs took on each set
 * of devices. Everything is kept by size of the job, in octaves. Guarded by itself: whoever reads or writes it, or anything
 * in it, synchronizes on it.
 */
final class Knowledge {
    final List<Like.Phase> phases;
    final TreeMap<CostKey, Curve[]> costs = new TreeMap<>(); // a curve for each phase
    final TreeMap<CostKey, Level> delays = new TreeMap<>(); // from a job's start until the device is at work
    final TreeMap<Devices, Curve> outcomes = new TreeMap<>();
    final TreeMap<String, double[]> launches = new TreeMap<>(); // by device, for each phase; 0 where unknown
    final TreeMap<String, Start[]> starts = new TreeMap<>(); // by device, for each phase
    final TreeMap<Integer, Usage> usages = new TreeMap<>(); // by octave

    /** Counted up with every change. */
    long changes;
    /** Counted up when a device or a set of them has become slower or faster; read without the lock. */
    final AtomicLong shifts = new AtomicLong();
    /** Counted up when there is a key that was not there before. */
    long keys;

    /** Observations, and jobs since the last of them, of a set in steady use. */
    private static final int STEADY = 4;

    /** Whose cost, beside whom; the device is one of the company. */
    record CostKey(String device, Devices company) implements Comparable<CostKey> {
        @Override
        public int compareTo(CostKey other) {
            int byDevice = device.compareTo(other.device);
            return byDevice != 0 ? byDevice : company.compareTo(other.company);
        }
    }

    /** How jobs of one octave have been run. */
    static final class Usage {
        /** A set has to be used that often more than others to be the usual one without doubt. */
        private static final int HABIT = 8;

        /** Jobs so far. */
        long jobs;
        /** The set of devices used most of late. */
        @Nullable
        Devices usual;

        int habit;
        /** By how much, as a logarithm, the sets in use have become slower since the beginning. */
        double drift;

        /** One more job. */
        void count(Devices used) {
            jobs++;
            if (used.equals(usual)) {
                habit = Math.min(HABIT, habit + 1);
            } else if (--habit < 0) {
                usual = used;
                habit = 1;
            }
        }
    }

    /**
     * What a chunk takes on a device whatever its size. Chunks that are large on account of it say little of it any more, so a
     * job leaves it out of account now and then, to test it; the more often it stands the test, the later the next.
     */
    static final class Start {
        private static final int FIRST_TEST = 16;
        private static final int LAST_TEST = 256;

        /** As last seen; 0 if there is none. */
        double nanos;

        private int jobs; // since it was seen or tested
        private int until = FIRST_TEST;

        /** Whether a job is to leave it out of account. */
        boolean due() {
            return nanos > 0 && jobs >= until;
        }

        void learn(double seen, boolean tested) {
            if (due() && tested) {
                until = Math.min(2 * until, LAST_TEST);
                jobs = 0;
            } else {
                jobs++;
            }
            if (nanos <= 0 || seen <= 0) {
                until = FIRST_TEST;
                jobs = 0;
            }
            nanos = seen;
        }
    }

    Knowledge(List<Like.Phase> phases) {
        this.phases = List.copyOf(phases);
    }

    /** The curves of a device in a company, one for each phase, made if need be. */
    Curve[] costsOf(CostKey key) {
        Curve[] curves = costs.get(key);
        if (curves == null) {
            curves = new Curve[phases.size()];
            for (int p = 0; p < curves.length; p++) {
                curves[p] = new Curve(false);
            }
            costs.put(key, curves);
            keys++;
        }
        return curves;
    }

    /** The curve of a set's outcomes, made if need be. */
    Curve outcomesOf(Devices set) {
        Curve curve = outcomes.get(set);
        if (curve == null) {
            curve = new Curve(true);
            outcomes.put(set, curve);
            keys++;
        }
        return curve;
    }

    /** Learns what one device did in one phase of a job. */
    void learnCost(String device, Devices company, int phase, int octave, long units, long jobUnits, double busyNanos) {
        long now = usage(octave).jobs;
        double shift = costsOf(new CostKey(device, company))[phase]
                .levelAt(octave, (double) units)
                .observe((double) units, Math.max(1, busyNanos), now, (double) units / jobUnits);
        if (shift == 0) {
            return;
        }
        // The device has become slower or faster: what it did in other companies, and what others do without it, is
        // old.
        for (Map.Entry<CostKey, Curve[]> entry : costs.entrySet()) {
            CostKey key = entry.getKey();
            Level level = entry.getValue()[phase].at(octave);
            if (level != null && key.device().equals(device) && !key.company().equals(company)) {
                level.doubt(0);
            }
        }
    }

    /** Learns how long after the start of a job a device began with its first chunk. */
    void learnDelay(String device, Devices company, long nanos) {
        delays.computeIfAbsent(new CostKey(device, company), k -> new Level(false))
                .observe(1, (double) nanos, 0);
    }

    /** How long after the start of a job a device begins, in this company, else in any; 0 if unknown. */
    double delay(String device, Devices company) {
        Level level = delays.get(new CostKey(device, company));
        return level == null ? 0 : level.nanos();
    }

    /**
     * Learns how long a whole job took.
     *
     * @param busyNanos after which its lanes were done, one phase after another
     * @param togetherNanos after which they would have been if they had finished each phase together
     */
    void learnOutcome(Devices set, int octave, long units, long wallNanos, long busyNanos, double togetherNanos) {
        long now = usage(octave).jobs;
        Level level = outcomesOf(set).levelAt(octave, (double) units);
        // Only of a set in steady use: what is looked at again after a while says nothing of what happened meanwhile.
        double before = level.samples() >= STEADY && now - level.seenAt() <= STEADY ? level.nanos((double) units) : 0;
        double shift = level.observe((double) units, (double) Math.max(1, wallNanos), now);
        if (before > 0) {
            usage(octave).drift += Math.log(level.nanos((double) units) / before);
        }
        level.seenAtDrift(usage(octave).drift);
        level.observeOverhead((double) (wallNanos - busyNanos));
        level.observeBalance(1 - (busyNanos - togetherNanos) / Math.max(1.0, (double) wallNanos));
        if (shift != 0) {
            shifts.incrementAndGet();
        }
    }

    /** A device's start in a phase, made if need be. */
    Start startOf(String device, int phase) {
        return starts.computeIfAbsent(device, d -> {
            Start[] made = new Start[phases.size()];
            Arrays.setAll(made, p -> new Start());
            return made;
        })[phase];
    }

    /** How jobs of an octave are run. */
    Usage usage(int octave) {
        return usages.computeIfAbsent(octave, o -> new Usage());
    }
}
