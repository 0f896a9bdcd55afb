/** Reading what people and other programs wrote: JSON by path, lines of bounded length, and what was probably meant. */
@NullMarked
package dev.evener.workloads.document;

import org.jspecify.annotations.NullMarked;
