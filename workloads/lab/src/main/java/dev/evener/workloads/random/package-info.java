/**
 * Machines and series of jobs drawn at random, and how far a policy is from the best static split there. Begin with
 * {@link dev.evener.workloads.random.RandomCases}. It rests on the public classes of {@code dev.evener.simulation} alone.
 */
@NullMarked
package dev.evener.workloads.random;

import org.jspecify.annotations.NullMarked;
