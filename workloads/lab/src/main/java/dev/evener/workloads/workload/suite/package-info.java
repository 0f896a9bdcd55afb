/**
 * The workloads there are: a class each, which {@link dev.evener.workloads.workload.suite.Workloads} lists. To add one, take
 * {@code AddVectors} as the pattern. They may use primitives, frames and the package above, and nothing of the command line.
 */
@NullMarked
package dev.evener.workloads.workload.suite;

import org.jspecify.annotations.NullMarked;
