package dev.evener.internal.device;

import java.util.Locale;

/**
 * What a device was measured to do when its driver was new, to choose among the runtimes of one piece of hardware.
 *
 * @param launchNanos from enqueuing the smallest kernel until the host knows that it has ended
 * @param linkBytesPerSecond of copies to and from page-locked host memory
 * @param operationsPerSecond of single-precision arithmetic
 */
public record DeviceSpeed(double launchNanos, double linkBytesPerSecond, double operationsPerSecond) {

    /** How many times as fast as another one, in the geometric mean of launches, link and arithmetic. */
    public double over(DeviceSpeed other) {
        return Math.cbrt(other.launchNanos
                / launchNanos
                * (linkBytesPerSecond / other.linkBytesPerSecond)
                * (operationsPerSecond / other.operationsPerSecond));
    }

    /** The same with its figures and the other one's. */
    String beside(DeviceSpeed other) {
        return String.format(
                Locale.ROOT,
                "measured %.2f times as fast: launch %.1f against %.1f us, link %.1f against %.1f GB/s, %.1f against %.1f Gflop/s",
                over(other),
                launchNanos * 1e-3,
                other.launchNanos * 1e-3,
                linkBytesPerSecond * 1e-9,
                other.linkBytesPerSecond * 1e-9,
                operationsPerSecond * 1e-9,
                other.operationsPerSecond * 1e-9);
    }
}
