/**
 * Workloads recorded elsewhere: when jobs arrived and how large they were, read from files
 * ({@link dev.evener.workloads.arrivals.Arrivals}). May use workloads; knows nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.arrivals;

import org.jspecify.annotations.NullMarked;
