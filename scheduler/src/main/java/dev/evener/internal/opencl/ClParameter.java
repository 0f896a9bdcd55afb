package dev.evener.internal.opencl;

import org.jspecify.annotations.Nullable;

/**
 * A parameter of a kernel, as the driver describes it.
 *
 * @param addressSpace {@code CL_KERNEL_ARG_ADDRESS_*}; 0 where the driver does not say
 * @param type its type's name, such as {@code float4*}; null where the driver does not say
 * @param constant whether it points to what is {@code const}; null where the driver does not say
 */
record ClParameter(
        int addressSpace, @Nullable String type, @Nullable Boolean constant) {}
