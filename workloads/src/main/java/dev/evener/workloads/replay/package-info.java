/** Runs that are recorded, and recorded runs that are run again. */
@org.jspecify.annotations.NullMarked
package dev.evener.workloads.replay;
