package dev.evener.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one kind of job: a {@link SizeModel} for each octave of sizes, since caches make one model of all sizes wrong,
 * and what does not hang on the size. Guarded by itself: whoever reads or writes it, or anything in it, synchronizes on it.
 */
final class KernelHistory {
    final List<JobKey.Phase> phases;
    final TreeMap<Integer, SizeModel> sizes = new TreeMap<>(); // by octave
    final TreeMap<String, Lane> lanes = new TreeMap<>(); // by device
    ProfileEstimate profile = new ProfileEstimate();

    /** What is known on lanes of runtimes, those asked for last in front; guarded by the history, which keeps it. */
    final List<JobHistory> views = new ArrayList<>(1);

    /** Where its file had it when it was read or written last; guarded by the file. */
    HistoryFile.@Nullable Line line;

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

        double noise = NOISE;
        /** What a chunk costs while its device is not at work. */
        double launch = WAKE_NANOS;
        /** From the beginning of a job until the lane takes its first chunk. */
        double delay = WAKE_NANOS;
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
            double[] state = Arrays.copyOf(new double[] {noise, launch, delay}, 3 + phaseParts.length);
            System.arraycopy(phaseParts, 0, state, 3, phaseParts.length);
            return state;
        }

        /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
        void restore(double[] state) {
            learnNoise(state[0], 1);
            launch = nanos(state[1]);
            delay = nanos(state[2]);
            for (int p = 0; p < phaseParts.length; p++) {
                phaseParts[p] = Math.max(1e-9, Math.min(1, state[3 + p]));
            }
        }

        private static double nanos(double value) {
            return Math.max(100, Math.min(1e12, value));
        }

        /** @param seen square of an error as far as the noise is to blame for it */
        void learnNoise(double seen) {
            learnNoise(seen, NEWEST / 3);
        }

        private void learnNoise(double seen, double gain) {
            noise = Math.max(LEAST_NOISE, Math.min(0.15, noise + gain * (seen - noise)));
        }

        /** @param first of the lane's first job, which may have taken longer than others will, but no less */
        void learnHost(double seenDelay, double seenLaunch, boolean first) {
            delay = first ? Math.min(delay, nanos(seenDelay)) : follow(delay, seenDelay);
            launch = first ? Math.min(launch, nanos(seenLaunch)) : follow(launch, seenLaunch);
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

    /** How many jobs it learnt from. */
    long jobs() {
        return sizes.values().stream().mapToLong(size -> size.jobs).sum();
    }

    /** Takes over what another process learnt later. */
    void replaceBy(KernelHistory newer) {
        sizes.clear();
        sizes.putAll(newer.sizes);
        lanes.clear();
        lanes.putAll(newer.lanes);
        profile = newer.profile;
        updatedMillis = newer.updatedMillis;
    }
}
