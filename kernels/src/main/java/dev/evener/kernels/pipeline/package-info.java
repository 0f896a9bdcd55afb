/**
 * Streams of items that go through stages: jobs on devices, and work of the host's own threads before, between and after them.
 * Several items are under way at once, each in a slot of its own that holds all its buffers; the number of slots bounds memory.
 *
 * <p>A stage starts an item when the item before it was started there and one of the stage's places is free: a host stage has a
 * place for each thread, a device stage one more than it works on, so that devices find the next job when they end one.
 * {@link dev.evener.kernels.pipeline.Pipeline} starts what is due and calls user code; {@code Schedule} decides what is due,
 * under one lock, and measures which stage the stream waits for. {@code tonemap} is such a stream: {@code decode} (host),
 * {@code devices}, {@code encode} (host).
 */
@NullMarked
package dev.evener.kernels.pipeline;

import org.jspecify.annotations.NullMarked;
