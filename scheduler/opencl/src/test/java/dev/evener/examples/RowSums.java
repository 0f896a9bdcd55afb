package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Temporary;
import dev.evener.Variant;
import java.nio.IntBuffer;

/** The running sums of each row, in three kernels. */
public final class RowSums {
    // region kernel
    /** Values for each unit, and units for each row. */
    static final int UNIT = 64;

    static final int ROW = 64;

    private static final String SOURCE = """
            kernel void sums(global const int *in, global int *sums) { // of each unit
                size_t u = get_global_id(0);
                int sum = 0;
                for (int k = 0; k < UNIT; k++) sum += in[u * UNIT + k];
                sums[u] = sum;
            }
            kernel void rows(global int *sums) { // a work-item for each row: what comes before each of its units
                global int *row = sums + get_global_id(0) * ROW;
                int before = 0;
                for (int u = 0; u < ROW; u++) {
                    int sum = row[u];
                    row[u] = before;
                    before += sum;
                }
            }
            kernel void spread(global const int *in, global const int *sums, global int *out) {
                size_t u = get_global_id(0);
                int sum = sums[u];
                for (int k = 0; k < UNIT; k++) out[u * UNIT + k] = sum += in[u * UNIT + k];
            }
            """.replace("UNIT", "" + UNIT).replace("ROW", "" + ROW);
    // endregion

    // region job
    /** Both hold whole rows. */
    static Job job(HostBuffer in, HostBuffer out) {
        Temporary sums = Temporary.perUnit(ElementType.INT, 1);
        Variant row = Variant.unitsPerItem(ROW).withGroupSize(1);
        return Job.named("row sums")
                .source(SOURCE)
                .units(in.elements() / UNIT)
                .granule(ROW) // no chunk begins within a row
                .kernel("sums")
                .reads(in, slice(UNIT))
                .temporary(sums)
                .then("rows")
                .temporary(sums)
                .variant(DeviceKind.CPU, row)
                .variant(DeviceKind.GPU, row)
                .variant(DeviceKind.ACCELERATOR, row)
                .then("spread")
                .reads(in, slice(UNIT))
                .temporary(sums)
                .writes(out, slice(UNIT))
                .build();
    }
    // endregion

    private RowSums() {}

    public static void main(String[] args) {
        int n = 100 * ROW * UNIT;
        try (Evener evener = Evener.open()) {
            HostBuffer in = evener.allocate(ElementType.INT, n);
            HostBuffer out = evener.allocate(ElementType.INT, n);
            IntBuffer values = in.ints();
            for (int i = 0; i < n; i++) {
                values.put(i, i % 10);
            }
            evener.submit(job(in, out)).join();
            System.out.println("the last sum is " + out.ints().get(n - 1));
        }
    }
}
