/**
 * Where data lie: which places hold the current value of each part of a buffer, and what must be moved before somebody can read
 * it. It uses nothing else of Evener's, and knows neither devices nor jobs. Start with {@link dev.evener.internal.data.Directory}.
 */
@NullMarked
package dev.evener.internal.data;

import org.jspecify.annotations.NullMarked;
