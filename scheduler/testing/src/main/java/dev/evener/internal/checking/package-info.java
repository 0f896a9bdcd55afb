/**
 * The checking mode: chunks that run several times and compare, in memory that shows what kernels do beside what they declare. Begin
 * with {@link dev.evener.internal.checking.CheckedChunk}.
 */
@NullMarked
package dev.evener.internal.checking;

import org.jspecify.annotations.NullMarked;
