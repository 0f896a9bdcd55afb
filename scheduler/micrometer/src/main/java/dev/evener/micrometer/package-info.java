/** Jobs and devices as Micrometer meters: give an {@link dev.evener.micrometer.EvenerMetrics} to the builder of an Evener. */
@NullMarked
package dev.evener.micrometer;

import org.jspecify.annotations.NullMarked;
