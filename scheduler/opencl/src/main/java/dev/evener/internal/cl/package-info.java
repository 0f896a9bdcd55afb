/**
 * OpenCL itself: checked calls, devices and their parts, contexts, queues, commands, and programs with their cache. The only
 * package that imports {@code org.jocl}; it knows nothing of how lanes use it. Start with {@link
 * dev.evener.internal.cl.ClContext}, which hands out the rest.
 */
@NullMarked
package dev.evener.internal.cl;

import org.jspecify.annotations.NullMarked;
