/**
 * Where chunks have their memory: host memory in place, copies on devices, page-locked
 * memory, and budgets. It uses {@code internal.cl}, and knows nothing of lanes. Start with {@link
 * dev.evener.internal.memory.ArgumentMemory}: what becomes of one buffer in one chunk.
 */
@NullMarked
package dev.evener.internal.memory;

import org.jspecify.annotations.NullMarked;
