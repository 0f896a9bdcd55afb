/**
 * Workloads recorded elsewhere: when jobs arrived, and what they compute or took, read from files
 * ({@link dev.evener.workloads.arrivals.Trace}). May use workloads; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.arrivals;

import org.jspecify.annotations.NullMarked;
