package dev.evener.kernels;

import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.policy.Policies;

/** Primitives as calls, as docs/primitives.md begins. */
final class PrimitiveCalls {
    private PrimitiveCalls() {}

    static long[] all(
            Evener evener,
            HostBuffer counts,
            HostBuffer offsets,
            HostBuffer sorted,
            HostBuffer few,
            HostBuffer found,
            HostBuffer pixels) {
        // region calls
        Scan.exclusive(evener, Operation.ADD, counts, offsets); // buffers of yours
        long[] shades = Histogram.of(evener, Bins.even(256, 0, 256), pixels);
        Compact.values(evener, Selection.where(Comparison.LESS, 10), counts, few, found);
        RadixSort.sort(evener, offsets, sorted);
        try (RadixSort sort = new RadixSort(evener::allocate)) { // or a job: policy, devices, deadline
            evener.submit(sort.job(offsets, sorted), Policies.stealing()).join();
        }
        // endregion
        return shades;
    }
}
