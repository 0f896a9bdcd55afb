package dev.evener.workloads.bench;

/**
 * A median with its confidence interval.
 *
 * @param value the median
 * @param low lower end of the 95 % interval
 * @param high upper end
 */
public record Estimate(double value, double low, double high) {}
