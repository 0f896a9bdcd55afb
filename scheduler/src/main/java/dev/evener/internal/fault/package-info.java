/** Faults for experiments and tests: lanes that misbehave as they are told. */
@NullMarked
package dev.evener.internal.fault;

import org.jspecify.annotations.NullMarked;
