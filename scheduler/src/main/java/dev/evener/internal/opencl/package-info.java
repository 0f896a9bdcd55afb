/** The only package that speaks OpenCL: discovery, context groups, programs and OpenCL lanes. */
@NullMarked
package dev.evener.internal.opencl;

import org.jspecify.annotations.NullMarked;
