/**
 * Jobs and devices where operators look: as Micrometer meters ({@link dev.evener.metrics.EvenerMetrics}) and in the JDK's Flight
 * Recorder ({@link dev.evener.metrics.FlightListener}). Both are listeners of an Evener; the second needs no Micrometer.
 */
@NullMarked
package dev.evener.metrics;

import org.jspecify.annotations.NullMarked;
