/** Programs of published suites, run as they are: begin with {@link dev.evener.bench.suites.Suites}. */
@NullMarked
package dev.evener.bench.suites;

import org.jspecify.annotations.NullMarked;
