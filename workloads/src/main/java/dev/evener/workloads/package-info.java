/** The {@code evener} program. */
@NullMarked
package dev.evener.workloads;

import org.jspecify.annotations.NullMarked;
