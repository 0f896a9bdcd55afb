package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import java.nio.FloatBuffer;

/** Keeps the values of at least some size, in their order. */
public final class Filter {
    // region kernel
    /** Values for each unit. */
    static final int BLOCK = 1024;

    private static final String SOURCE = """
            kernel void keep(global const float *in, global float *slots, global uint *counts, ulong first, ulong n,
                             float least) {
                size_t unit = get_global_id(0);
                uint kept = 0;
                for (ulong k = 0; k < BLOCK && (first + unit) * BLOCK + k < n; k++) {
                    float value = in[unit * BLOCK + k];
                    if (value >= least) slots[unit * BLOCK + kept++] = value;
                }
                counts[unit] = kept; // every unit says how many, be it 0
            }
            """.replace("BLOCK", "" + BLOCK);
    // endregion

    // region job
    /** The first {@code n} values of {@code in}, which is as long as its blocks; {@code count} becomes the number kept. */
    static Job job(HostBuffer in, long n, float least, HostBuffer out, HostBuffer count) {
        return Job.named("filter")
                .source(SOURCE)
                .units(in.elements() / BLOCK)
                .kernel("keep")
                .reads(in, slice(BLOCK))
                .appends(out, count, BLOCK) // stands for slots and counts
                .chunkStart()
                .scalar(n)
                .scalar(least)
                .build();
    }
    // endregion

    private Filter() {}

    public static void main(String[] args) {
        int n = 1_000_000;
        try (Evener evener = Evener.open()) {
            HostBuffer in = evener.allocate(ElementType.FLOAT, (n + BLOCK - 1) / BLOCK * (long) BLOCK);
            HostBuffer out = evener.allocate(ElementType.FLOAT, n);
            HostBuffer count = evener.allocate(ElementType.UINT, 1);
            FloatBuffer values = in.floats();
            for (int i = 0; i < n; i++) {
                values.put(i, (int) (i * 7919L % 1_000_003));
            }
            evener.submit(job(in, n, 999_000, out, count)).join();
            System.out.println(count.ints().get(0) + " values are kept; the first is "
                    + out.floats().get(0));
        }
    }
}
