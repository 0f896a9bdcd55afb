/**
 * Faults for the tests of an application, and for experiments: lanes that misbehave as they are told. Begin with {@link
 * dev.evener.testing.Faults}.
 */
@NullMarked
package dev.evener.testing;

import org.jspecify.annotations.NullMarked;
