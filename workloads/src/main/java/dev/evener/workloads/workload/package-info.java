/** Computations to run, compare and replay: each makes its own data, its job, and checks the result. */
@NullMarked
package dev.evener.workloads.workload;

import org.jspecify.annotations.NullMarked;
