/** Workloads recorded elsewhere: when jobs arrived and how large they were, read from files and run again. */
@NullMarked
package dev.evener.workloads.arrivals;

import org.jspecify.annotations.NullMarked;
