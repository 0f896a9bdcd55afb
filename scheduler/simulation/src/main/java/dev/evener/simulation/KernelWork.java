package dev.evener.simulation;

import dev.evener.policy.WorkProfile;
import java.util.List;

/**
 * What a kernel is on any device.
 *
 * @param profile how dear units are along the index space, relative to one another, each figure for an equal part of it; one
 *     figure, or none, if all are alike. They are scaled to a mean of 1.
 * @param hostNanos of merging and of the host step after it, and
 * @param hostNanosPerUnit for each unit of the job, as each may leave a part to merge
 */
public record KernelWork(List<Double> profile, double hostNanos, double hostNanosPerUnit) {
    /** Units alike, and no host step. */
    public static final KernelWork EVEN = new KernelWork(List.of(), 0);

    /** The most figures in a profile. */
    static final int FINEST = 4096;

    /** @throws IllegalArgumentException if a figure is out of range, or if there are more than 4,096 of them */
    public KernelWork {
        profile = List.copyOf(profile);
        if (profile.size() > FINEST) {
            throw new IllegalArgumentException("a profile of " + profile.size() + " figures: at most " + FINEST);
        }
        double sum = 0;
        for (double each : profile) {
            Numbers.require("profile", each, 0, 1e9);
            sum += each;
        }
        if (!profile.isEmpty() && sum == 0) {
            throw new IllegalArgumentException("a profile of zeros: some unit must cost something");
        }
        Numbers.require("hostNanos", hostNanos, 0);
        Numbers.require("hostNanosPerUnit", hostNanosPerUnit, 0);
    }

    /** The host's part takes as long, however many units there are. */
    public KernelWork(List<Double> profile, double hostNanos) {
        this(profile, hostNanos, 0);
    }

    /** The profile's integral. */
    WorkProfile integral() {
        return WorkProfile.of(profile.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
