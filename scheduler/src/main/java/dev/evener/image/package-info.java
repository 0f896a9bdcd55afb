/**
 * Buffers that kernels see as images, and what they are read through. Begin with {@link dev.evener.image.Image}, which {@link
 * dev.evener.Evener#image} makes.
 */
@NullMarked
package dev.evener.image;

import org.jspecify.annotations.NullMarked;
