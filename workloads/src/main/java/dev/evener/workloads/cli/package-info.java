/** The commands of the {@code evener} program, their options and what they print. */
@NullMarked
package dev.evener.workloads.cli;

import org.jspecify.annotations.NullMarked;
