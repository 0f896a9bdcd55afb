package dev.evener.history;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is known of one kind of job: a {@link SizeModel} for each octave of sizes, since caches make one model of all sizes wrong,
 * and what does not hang on the size. Guarded by itself: whoever reads or writes it, or anything in it, synchronizes on it.
 */
final class KernelHistory {
    final List<JobKey.Phase> phases;
    final TreeMap<Integer, SizeModel> sizes = new TreeMap<>(); // by octave
    final TreeMap<String, Lane> lanes = new TreeMap<>(); // by device
    final ProfileEstimate profile = new ProfileEstimate();

    /** Counted up with every change. */
    long changes;
    /** When it last learnt, in milliseconds since 1970: of two processes' evidence the newer is kept. */
    long updatedMillis;

    KernelHistory(List<JobKey.Phase> phases) {
        this.phases = List.copyOf(phases);
    }

    /** What is known of one device whatever the size of jobs. */
    static final class Lane {
        /** Variance of the logarithm of a chunk's time before any was seen: 14 %. */
        static final double NOISE = 0.02;
        /** No model is better than to 2 %. */
        private static final double LEAST_NOISE = 4e-4;
        /** Before they were seen: what a launch costs, and after what time a lane that is called is at work. */
        static final double WAKE_NANOS = 50_000;
        /** Say of the newest job in what is averaged over jobs. */
        private static final double NEWEST = 0.1;
        /** However often there was none, the next surprise may be a change. */
        private static final double LEAST_CHANGE = 0.05;

        double noise = NOISE;
        /** How likely a surprise is the beginning of a change; nobody knows before there were some. */
        double change = 0.5;
        /** The latest observation, if it was a surprise, and what the belief moved by; 0 if it was none. */
        double surprise;

        double moved;
        /** What a chunk costs while its device is not at work. */
        double launch = WAKE_NANOS;
        /** From the beginning of a job until the lane takes its first chunk: alone, and beside others. */
        final double[] delays = {WAKE_NANOS, WAKE_NANOS};
        /** Which part of the time of a unit each phase takes. */
        final double[] phaseParts;

        long chunks;

        Lane(int phases) {
            phaseParts = new double[phases];
            Arrays.fill(phaseParts, 1.0 / phases);
        }

        Lane copy() {
            Lane copy = new Lane(phaseParts.length);
            copy.restore(state());
            copy.chunks = chunks;
            return copy;
        }

        /** What it consists of, for the file. */
        double[] state() {
            double[] state =
                    Arrays.copyOf(new double[] {noise, change, launch, delays[0], delays[1]}, 5 + phaseParts.length);
            System.arraycopy(phaseParts, 0, state, 5, phaseParts.length);
            return state;
        }

        /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
        void restore(double[] state) {
            learnNoise(state[0], 1);
            change = Math.max(LEAST_CHANGE, Math.min(1 - LEAST_CHANGE, state[1]));
            launch = nanos(state[2]);
            delays[0] = nanos(state[3]);
            delays[1] = nanos(state[4]);
            for (int p = 0; p < phaseParts.length; p++) {
                phaseParts[p] = Math.max(1e-9, Math.min(1, state[5 + p]));
            }
        }

        private static double nanos(double value) {
            return Math.max(100, Math.min(1e12, value));
        }

        /**
         * The observation after a surprise tells whether that was a disturbance, or the beginning of a change.
         *
         * @param error of this one
         */
        void learnChange(double error) {
            if (surprise != 0) {
                boolean stays = Math.abs(error + moved) > Math.abs(surprise) / 2;
                change += NEWEST * ((stays ? 1 - LEAST_CHANGE : LEAST_CHANGE) - change);
                surprise = 0;
            }
        }

        /** @param seen square of an error as far as the noise is to blame for it */
        void learnNoise(double seen) {
            learnNoise(seen, NEWEST / 3);
        }

        private void learnNoise(double seen, double gain) {
            noise = Math.max(LEAST_NOISE, Math.min(0.15, noise + gain * (seen - noise)));
        }

        void learnDelay(boolean alone, double seen) {
            int at = alone ? 0 : 1;
            delays[at] = follow(delays[at], seen);
        }

        /** Of a lane's first job: it may have taken longer than others will, but no less. */
        void atMost(double delay, double seenLaunch) {
            delays[0] = Math.min(delays[0], nanos(delay));
            delays[1] = Math.min(delays[1], nanos(delay));
            launch = Math.min(launch, nanos(seenLaunch));
        }

        void learnLaunch(double seen) {
            launch = follow(launch, seen);
        }

        /** Disturbances only ever lengthen: what is shorter is believed, what is longer is followed slowly. */
        private static double follow(double known, double seen) {
            double error = Math.log(nanos(seen) / known);
            return known * Math.exp(error < 0 ? error / 2 : 2 * NEWEST * Math.min(1, error));
        }

        /** @param nanosPerUnit of each phase; 0 for one that it did nothing in, so that nothing is learnt */
        void learnPhaseParts(double[] nanosPerUnit) {
            double sum = Arrays.stream(nanosPerUnit).sum();
            if (Arrays.stream(nanosPerUnit).allMatch(each -> each > 0)) {
                for (int p = 0; p < phaseParts.length; p++) {
                    phaseParts[p] += (chunks == 0 ? 1 : NEWEST) * (nanosPerUnit[p] / sum - phaseParts[p]);
                }
            }
        }
    }

    /** The octave of a size: from {@code 2^n} to below {@code 2^(n + 1)} units. */
    static int octave(long units) {
        return 63 - Long.numberOfLeadingZeros(Math.max(1, units));
    }

    /** The model of a size, made from the nearest one if need be. */
    SizeModel size(int octave) {
        SizeModel known = sizes.get(octave);
        if (known == null) {
            Map.Entry<Integer, SizeModel> below = sizes.floorEntry(octave);
            Map.Entry<Integer, SizeModel> above = sizes.ceilingEntry(octave);
            boolean down = above == null || (below != null && octave - below.getKey() < above.getKey() - octave);
            Map.Entry<Integer, SizeModel> nearest = down ? below : above;
            known = nearest == null ? new SizeModel() : nearest.getValue().from(Math.abs(octave - nearest.getKey()));
            sizes.put(octave, known);
        }
        return known;
    }

    /** What is known of a device. */
    Lane lane(String device) {
        return lanes.computeIfAbsent(device, d -> new Lane(phases.size()));
    }

    /** Whether it learnt later; within one millisecond more is later. */
    boolean isNewerThan(KernelHistory other) {
        return updatedMillis > other.updatedMillis || (updatedMillis == other.updatedMillis && jobs() > other.jobs());
    }

    private long jobs() {
        return sizes.values().stream().mapToLong(size -> size.jobs).sum();
    }

    /** Takes over what another process learnt later. */
    void replaceBy(KernelHistory newer) {
        sizes.clear();
        sizes.putAll(newer.sizes);
        lanes.clear();
        lanes.putAll(newer.lanes);
        profile.restore(newer.profile.state());
        updatedMillis = newer.updatedMillis;
        changes++;
    }
}
