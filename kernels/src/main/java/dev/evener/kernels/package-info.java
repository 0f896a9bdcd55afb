/** What the primitives share. Each primitive has a package of its own below this one. */
@NullMarked
package dev.evener.kernels;

import org.jspecify.annotations.NullMarked;
