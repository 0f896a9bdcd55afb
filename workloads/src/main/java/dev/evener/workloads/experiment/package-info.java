/** Measuring policies against each other; docs/compare.md describes the method. Knows nothing of the command line. */
@NullMarked
package dev.evener.workloads.experiment;

import org.jspecify.annotations.NullMarked;
