package dev.evener.examples;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.iteration.Iteration;
import java.util.Random;

/** Ranks of pages by what links to them: the links are sent once, and between two devices only ranks move. */
public final class PageRank {
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void rank(global const uint *offsets, ulong start, global const uint *sources,
                             global const float *inverse, float base, global const float *now, global float *next) {
                size_t page = get_global_id(0);
                float sum = 0;
                for (uint k = offsets[start + page]; k < offsets[start + page + 1]; k++) sum += now[sources[k]];
                next[page] = (base + 0.85f * sum) * inverse[page];
            }
            """;

    private PageRank() {}

    /** An iteration. A page's entry in {@code now} and {@code next} is its rank, divided by the number of links from it. */
    static Job iteration(
            ManagedBuffer offsets,
            ManagedBuffer sources,
            ManagedBuffer inverse,
            ManagedBuffer now,
            ManagedBuffer next) {
        return Job.named("page rank")
                .source(SOURCE)
                .units(now.elements())
                .kernel("rank")
                .reads(offsets, slice(1).halo(0, 1))
                .viewStart(offsets)
                .reads(sources, whole())
                .reads(inverse, slice(1))
                .scalar(0.15f / now.elements())
                .reads(now, whole())
                .writes(next, slice(1))
                .build();
    }

    /**
     * The rank of each page after so many iterations.
     *
     * @param offsets where each page's links begin, and where the last one's end
     * @param sources the pages from which there is a link, those to one page after the other
     * @param inverse one by the number of links from each page
     */
    static float[] ranks(Evener evener, int[] offsets, int[] sources, float[] inverse, int iterations) {
        int n = inverse.length;
        try (ManagedBuffer where = evener.allocateManaged(ElementType.UINT, offsets.length);
                ManagedBuffer from = evener.allocateManaged(ElementType.UINT, sources.length);
                ManagedBuffer by = evener.allocateManaged(ElementType.FLOAT, n);
                ManagedBuffer now = evener.allocateManaged(ElementType.FLOAT, n);
                ManagedBuffer next = evener.allocateManaged(ElementType.FLOAT, n)) {
            put(where, offsets);
            put(from, sources);
            by.overwrite(view -> view.floats().put(inverse));
            now.overwrite(view -> {
                for (int page = 0; page < n; page++) {
                    view.floats().put(page, inverse[page] / n);
                }
            });
            Iteration.Result done = Iteration.of(iteration(where, from, by, now, next))
                    .rotating(now, next)
                    .run(evener, iterations)
                    .join();
            float[] ranks = new float[n];
            done.at(now).read(view -> view.floats().get(ranks));
            for (int page = 0; page < n; page++) {
                ranks[page] /= inverse[page];
            }
            return ranks;
        }
    }

    private static void put(ManagedBuffer buffer, int[] values) {
        buffer.overwrite(view -> view.ints().put(values));
    }

    public static void main(String[] args) {
        int n = 100_000;
        Random random = new Random(1);
        int[] offsets = new int[n + 1];
        for (int page = 0; page < n; page++) { // few pages have many links to them
            offsets[page + 1] = offsets[page] + 1 + 1000 / (1 + random.nextInt(1000));
        }
        int[] sources = random.ints(offsets[n], 0, n).toArray();
        float[] inverse = new float[n];
        for (int source : sources) {
            inverse[source]++;
        }
        for (int page = 0; page < n; page++) {
            inverse[page] = 1 / Math.max(1, inverse[page]);
        }
        try (Evener evener = Evener.open()) {
            float[] ranks = ranks(evener, offsets, sources, inverse, 40);
            int best = 0;
            for (int page = 0; page < n; page++) {
                best = ranks[page] > ranks[best] ? page : best;
            }
            System.out.printf("page %d of %d links ranks highest%n", best, offsets[best + 1] - offsets[best]);
        }
    }
}
