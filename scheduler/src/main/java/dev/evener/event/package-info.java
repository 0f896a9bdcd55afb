/**
 * What happens to jobs while they run, for who watches, records or measures. Begin with {@link dev.evener.event.RunListener}, and give one
 * to {@link dev.evener.EvenerBuilder#listener}.
 */
@NullMarked
package dev.evener.event;

import org.jspecify.annotations.NullMarked;
