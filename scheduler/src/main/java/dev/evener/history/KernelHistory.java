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
    /** Variance of the logarithm of a chunk's time before any was seen: 14 %. */
    private static final double NOISE = 0.02;

    /** What a launch costs before one was seen: a slow one, so that chunks are rather too large. */
    private static final double LAUNCH_NANOS = 30_000;

    /** A lane is at work so long after it was called, before that was seen: what waking a thread and a driver takes. */
    private static final double WAKE_NANOS = 50_000;

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
        private static final double NOISE_GAIN = 0.03;
        private static final double LEAST_NOISE = 2e-4;
        private static final double MOST_NOISE = 0.15;
        /** Say of the newest job in what is averaged over jobs. */
        private static final double NEWEST = 0.2;

        private static final double LEAST_NANOS = 100;
        private static final double MOST_NANOS = 1e12;

        double noise = NOISE;
        /** Which part of the time of a unit each phase takes. */
        final double[] phaseParts;
        /** From the beginning of a job until the lane takes its first chunk: alone, and beside others. */
        final double[] delays = {WAKE_NANOS, WAKE_NANOS};

        /** What a chunk costs while its device is not at work. */
        double launch = LAUNCH_NANOS;

        long chunks;

        Lane(int phases) {
            phaseParts = new double[phases];
            Arrays.fill(phaseParts, 1.0 / phases);
        }

        /** Numbers that came from a file and that no observation leads to become the nearest that one does. */
        void restored() {
            noise = Math.max(LEAST_NOISE, Math.min(MOST_NOISE, noise));
            for (int p = 0; p < phaseParts.length; p++) {
                phaseParts[p] = Math.max(1e-9, Math.min(1, phaseParts[p]));
            }
            for (int i = 0; i < delays.length; i++) {
                delays[i] = Math.max(LEAST_NANOS, Math.min(MOST_NANOS, delays[i]));
            }
            launch = Math.max(LEAST_NANOS, Math.min(MOST_NANOS, launch));
        }

        /** @param error as far as it counts; {@code part} which part of the expected variance the noise is */
        void learnNoise(double error, double part) {
            noise += NOISE_GAIN * (error * error * part - noise);
            noise = Math.max(LEAST_NOISE, Math.min(MOST_NOISE, noise));
        }

        void learnDelay(boolean alone, double nanos) {
            int at = alone ? 0 : 1;
            delays[at] = follow(delays[at], nanos);
        }

        void learnLaunch(double nanos) {
            launch = follow(launch, nanos);
        }

        /** Disturbances only ever lengthen: what is shorter is believed, what is longer is followed slowly. */
        private static double follow(double known, double nanos) {
            double error = Math.log(Math.max(LEAST_NANOS, nanos) / known);
            return known * Math.exp(error < 0 ? error / 2 : NEWEST * Math.min(1, error));
        }

        void learnPhaseParts(double[] nanosPerUnit) {
            double sum = 0;
            for (double each : nanosPerUnit) {
                if (!(each > 0)) {
                    return; // it did not run all phases
                }
                sum += each;
            }
            double gain = chunks == 0 ? 1 : NEWEST;
            for (int p = 0; p < phaseParts.length; p++) {
                phaseParts[p] += gain * (nanosPerUnit[p] / sum - phaseParts[p]);
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
            Map.Entry<Integer, SizeModel> nearest = above == null
                            || (below != null && octave - below.getKey() < above.getKey() - octave)
                    ? below
                    : above;
            known = nearest == null
                    ? new SizeModel()
                    : nearest.getValue().from(Math.abs(octave - nearest.getKey()));
            sizes.put(octave, known);
        }
        return known;
    }

    /** What is known of a device. */
    Lane lane(String device) {
        return lanes.computeIfAbsent(device, d -> new Lane(phases.size()));
    }

    /** Takes over what another process learnt later. */
    void replaceBy(KernelHistory newer) {
        sizes.clear();
        sizes.putAll(newer.sizes);
        lanes.clear();
        lanes.putAll(newer.lanes);
        profile.copy(newer.profile);
        updatedMillis = newer.updatedMillis;
        changes++;
    }
}
