package dev.evener.workloads.bench;

import java.util.List;

/**
 * A static split and how long the job took under it.
 *
 * @param split the fraction asked for, for each device
 * @param shares the fraction it came to, in whole granules
 * @param medianNanos wall time, a median over the rounds
 * @param rounds how often it was measured
 */
public record Timed(List<Double> split, List<Double> shares, double medianNanos, int rounds) {
    public Timed {
        split = List.copyOf(split);
        shares = List.copyOf(shares);
    }
}
