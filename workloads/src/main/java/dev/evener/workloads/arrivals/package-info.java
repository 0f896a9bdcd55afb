/**
 * Workloads recorded elsewhere: when jobs arrived and how large they were, read from files
 * ({@link dev.evener.workloads.arrivals.Arrivals}) and run again ({@link dev.evener.workloads.arrivals.ArrivalRun}). May use workloads
 * and records; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.arrivals;

import org.jspecify.annotations.NullMarked;
