/**
 * What happens between jobs: their order and that of the host's scopes by their data ({@link dev.evener.internal.order.Accesses}), how many
 * may wait, and the threads that do what is due then. It knows buffers, but neither jobs nor lanes.
 */
@NullMarked
package dev.evener.internal.order;

import org.jspecify.annotations.NullMarked;
