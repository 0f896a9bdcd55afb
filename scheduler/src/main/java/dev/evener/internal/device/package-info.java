/**
 * What a back-end offers, and which of the devices that a machine has are used: what a selector means, which runtime
 * of a device is fastest, parts of devices.
 */
@NullMarked
package dev.evener.internal.device;

import org.jspecify.annotations.NullMarked;
