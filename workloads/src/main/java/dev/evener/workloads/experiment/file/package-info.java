/** Experiments that are described in files, and the results they leave in files. */
@NullMarked
package dev.evener.workloads.experiment.file;

import org.jspecify.annotations.NullMarked;
