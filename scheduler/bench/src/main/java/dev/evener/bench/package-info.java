/** Experiments on whole jobs, each a program of its own. */
@NullMarked
package dev.evener.bench;

import org.jspecify.annotations.NullMarked;
