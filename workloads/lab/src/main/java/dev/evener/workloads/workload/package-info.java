/**
 * Computations to run, measure and replay: what a {@link dev.evener.workloads.workload.Workload} is, what is asked of one, its
 * synthetic or given data, and how results are checked. The workloads themselves are in {@code suite}.
 */
@NullMarked
package dev.evener.workloads.workload;

import org.jspecify.annotations.NullMarked;
