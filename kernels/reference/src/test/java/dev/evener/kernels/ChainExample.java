package dev.evener.kernels;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.ManagedBuffer;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.sort.RadixSort;

/** Three primitives that hand their data on, as docs/primitives.md shows it. */
@SuppressWarnings("FutureReturnValueIgnored") // whoever reads what a job was to write hears of its failure
final class ChainExample {
    private ChainExample() {}

    // region chain
    /** The running sums of a signal that are below a limit, in ascending order. */
    static int[] lowSums(Evener evener, ManagedBuffer signal, int limit) {
        long n = signal.elements();
        try (ManagedBuffer sums = evener.allocateManaged(ElementType.UINT, n);
                ManagedBuffer low = evener.allocateManaged(ElementType.UINT, n);
                ManagedBuffer count = evener.allocateManaged(ElementType.UINT, 1);
                ManagedBuffer sorted = evener.allocateManaged(ElementType.UINT, n);
                Scan scan = new Scan(evener::allocate);
                RadixSort sort = new RadixSort(evener::allocate)) {
            evener.submit(scan.job(ScanKind.INCLUSIVE, Operation.ADD, signal, sums));
            evener.submit(Compact.valuesJob(Selection.where(Comparison.LESS, limit), sums, low, count));
            int found = count.read(view -> view.ints().get(0)); // waits for both, and fetches four bytes
            if (found == 0) {
                return new int[0];
            }
            evener.submit(sort.job(low.range(0, found), sorted.range(0, found)));
            int[] result = new int[found];
            sorted.read(0, found, view -> view.ints().get(result));
            return result;
        }
    }
    // endregion
}
