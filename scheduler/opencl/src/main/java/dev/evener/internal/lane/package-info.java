/**
 * The lane of one OpenCL device: a chunk is bound to the device, enqueued, flushed and waited for, or, in the checking mode, run
 * several times. It uses {@code internal.cl} and {@code internal.memory}, and is opened through {@link
 * dev.evener.internal.lane.Devices}. Start with {@link dev.evener.internal.lane.ChunkBinding}: all steps of a chunk.
 */
@NullMarked
package dev.evener.internal.lane;

import org.jspecify.annotations.NullMarked;
