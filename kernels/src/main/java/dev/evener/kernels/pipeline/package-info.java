/**
 * Streams of items that go through several jobs each: stages that work on different items at the same time, on devices of
 * their own or each split over all, with a bounded number of items in flight.
 */
@NullMarked
package dev.evener.kernels.pipeline;

import org.jspecify.annotations.NullMarked;
