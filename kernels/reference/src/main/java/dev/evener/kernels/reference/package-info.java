/**
 * What the primitives of {@code dev.evener.kernels} compute, one element at a time and as it is defined: the yardstick of tests and of
 * {@code --verify}. It takes settings and layouts from the primitives' packages and nothing else; a class is named after what it is
 * a reference of. Stateless; any thread.
 */
@NullMarked
package dev.evener.kernels.reference;

import org.jspecify.annotations.NullMarked;
