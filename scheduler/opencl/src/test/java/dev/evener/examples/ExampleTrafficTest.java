package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the iterations of the guide move on devices taken for discrete ones: all of their input once, and then what changes. */
class ExampleTrafficTest {
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong fetched = new AtomicLong();

    private Evener open(Policy policy, String... devices) {
        return Evener.builder()
                .devices(DeviceSelector.ids(List.of(devices)))
                .policy(policy)
                .sharedMemory(false)
                .history(History.inMemory())
                .listener(event -> {
                    if (event instanceof RunEvent.Chunk chunk) {
                        sent.addAndGet(chunk.bytesIn());
                        fetched.addAndGet(chunk.bytesOut());
                    }
                })
                .open();
    }

    /** Jobs fetch partial sums alone, so that the labels are fetched by the scope that reads them in the end. */
    @Test
    void ofKMeansPointsAreSentOnceAndLabelsFetchedInTheEnd() {
        int blocks = 12;
        int k = 4;
        int iterations = 20;
        float[] points = new float[2 * blocks * KMeans.BLOCK];
        Random random = new Random(5);
        for (int i = 0; i < points.length; i++) {
            points[i] = random.nextFloat();
        }
        float[] centres = Arrays.copyOf(points, 2 * k);
        try (Evener own = open(Policies.single(), "0.0")) {
            KMeans.labels(own, points, centres, iterations);
        }
        assertEquals(4L * points.length + iterations * 4L * 2 * k, sent.get(), "points once, centres each time");
        assertEquals(iterations * 4L * blocks * 3 * k, fetched.get(), "the sums of each block");
    }

    private int[] offsets;
    private int[] sources;
    private float[] inverse;

    /** Few pages have many links to them. */
    private void link(int n) {
        Random random = new Random(6);
        offsets = new int[n + 1];
        for (int page = 0; page < n; page++) {
            offsets[page + 1] = offsets[page] + 500 / (1 + random.nextInt(500));
        }
        sources = random.ints(offsets[n], 0, n).toArray();
        inverse = new float[n];
        Arrays.fill(inverse, 0.125f);
    }

    @Test
    void ofPageRankLinksAreSentOnceAndNothingIsFetchedButTheRanks() {
        int n = 2_000;
        link(n);
        try (Evener own = open(Policies.single(), "0.0")) {
            PageRank.ranks(own, offsets, sources, inverse, 40);
        }
        assertEquals(4L * (n + 1 + sources.length + n + n), sent.get());
        assertEquals(0, fetched.get());
    }

    @Test
    void ofPageRankOnTwoDevicesOnlyRanksMoveAfterTheFirstIteration() {
        int n = 2_000;
        link(n);
        try (Evener own = open(Policies.fixed(0.5, 0.5), "0.0", "0.1")) {
            PageRank.ranks(own, offsets, sources, inverse, 40);
        }
        long once = 4L * (n + 2 + 2 * sources.length + n + 2 * n); // of offsets the one between the halves twice
        assertEquals(once + 39 * 4L * n, sent.get(), "of the ranks each device lacks the other's");
    }
}
