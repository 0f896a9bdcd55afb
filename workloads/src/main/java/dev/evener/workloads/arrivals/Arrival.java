package dev.evener.workloads.arrivals;

import dev.evener.workloads.workload.Request;

/**
 * A job and when it arrives.
 *
 * @param nanos after the first one, at least 0
 * @param request what it runs
 * @param line where it stands in its file, from 1
 */
public record Arrival(long nanos, Request request, int line) {}
