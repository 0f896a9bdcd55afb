package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The policies of the literature cut as their papers say. */
class BaselinesTest {
    /** What lanes that take turns get of so many granules. */
    private static List<Long> chunks(Policy policy, long granules, int lanes) {
        double[] equal = new double[lanes];
        Arrays.fill(equal, 1000);
        Numbers progress = Numbers.pool(granules, equal);
        List<Long> chunks = new ArrayList<>();
        for (int turn = 0; progress.pool > 0; turn++) {
            long chunk = Math.min(progress.pool, policy.chunk(progress, turn % lanes));
            assertTrue(chunk > 0, () -> "no chunk after " + chunks);
            chunks.add(chunk);
            progress.pool -= chunk;
        }
        return chunks;
    }

    private static List<Long> times(int times, long... chunks) {
        List<Long> all = new ArrayList<>();
        for (long chunk : chunks) {
            all.addAll(Collections.nCopies(times, chunk));
        }
        return all;
    }

    /** Tables of N = 1,000 and P = 4, as in Tzen and Ni, 1993, and Hummel, Schonberg and Flynn, 1992, with chunks rounded up. */
    @Test
    void sequencesAreThePublishedOnes() {
        assertEquals(
                times(1, 250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1),
                chunks(Policies.named("gss"), 1000, 4));
        assertEquals(
                times(1, 125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28),
                chunks(Policies.named("tss"), 1000, 4));
        assertEquals(times(4, 125, 63, 31, 16, 8, 4, 2, 1), chunks(Policies.named("fac2"), 1000, 4));
    }

    /** As printed in Sun Microsystems' C User's Guide, {@code schedtype(gss(10))}, for a loop of 1,000 iterations on four processors. */
    @Test
    void guidedIsWhatCompilersMadeOfIt() {
        assertEquals(
                times(1, 250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 10, 10, 10),
                chunks(Policies.named("gss:10"), 1000, 4));
    }

    @Test
    void leastChunksEndTheSequences() {
        assertEquals(times(1, 250, 188, 141, 106, 79, 59, 50, 50, 50, 27), chunks(Policies.named("gss:50"), 1000, 4));
        List<Long> factoring = new ArrayList<>(times(4, 125, 63, 40));
        factoring.addAll(times(2, 40));
        factoring.add(8L);
        assertEquals(factoring, chunks(Policies.named("fac2:least=40"), 1000, 4));
        assertEquals(times(1, 100, 90, 80, 70, 60, 50, 40, 10), chunks(Policies.named("tss:100,last=25"), 500, 4));
        assertEquals(times(5, 20), chunks(Policies.named("tss:first=20,last=20"), 100, 2));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 7, 63, 1000, 12_345, 1L << 31, 1L << 40})
    void trapezoidsFallByOneStep(long granules) {
        for (int lanes : new int[] {1, 2, 3, 64}) {
            List<Long> chunks = chunks(Policies.named("tss"), granules, lanes);
            long step = chunks.size() < 3 ? 0 : chunks.get(0) - chunks.get(1);
            for (int i = 1; i < chunks.size() - 1; i++) {
                long fall = chunks.get(i - 1) - chunks.get(i);
                assertTrue(fall == step || chunks.get(i) == 1, () -> granules + " on " + lanes + ": " + chunks);
            }
        }
    }

    @Test
    void hguidedGoesByPower() {
        Numbers progress = Numbers.pool(1000, 400, 400, 100); // powers of 1, 1 and 4
        assertEquals(1000 / (6 * 2 * 3), Policies.named("hguided").chunk(progress, 0));
        assertEquals(4000 / (6 * 2 * 3), Policies.named("hguided").chunk(progress, 2));
        assertEquals(4000 / (6 * 3), Policies.named("hguided:1").chunk(progress, 2));
        assertEquals(4000 / (6 * 3), Policies.named("hguided:k=2,2,1").chunk(progress, 2));
        assertEquals(200, Policies.named("hguided:least=1,1,200").chunk(progress, 2));
        assertEquals(1000 / (6 * 2 * 3), Policies.named("hguided:least=1,1,200").chunk(progress, 1));
        progress.active[2] = false;
        assertEquals(1000 / (2 * 2 * 2), Policies.named("hguided").chunk(progress, 0), "of those that work");
    }

    @Test
    void adaptiveWeightsFollowWhatGranulesTookAndGoOnFromJobToJob() {
        Policy policy = Policies.named("awf-b").forKind();
        Numbers progress = Numbers.pool(1000, 1, 1);
        assertEquals(250, policy.chunk(progress, 0));
        progress.pool -= 250;
        assertEquals(250, policy.chunk(progress, 1));
        progress.pool -= 250;
        progress.doneGranules[0] = 250;
        progress.doneNanos[0] = 250 * 30;
        progress.doneGranules[1] = 250;
        progress.doneNanos[1] = 250 * 10;
        assertEquals(63, policy.chunk(progress, 0), "a quarter of the next batch of 250, rounded up");
        progress.pool -= 63;
        assertEquals(188, policy.chunk(progress, 1));
        Numbers other = Numbers.pool(800, 1, 1);
        other.job = 2;
        assertEquals(100, policy.chunk(other, 0), "another job of the kind");
        assertEquals(300, policy.chunk(other, 1));
        Policy fresh = Policies.named("awf-b").forKind();
        assertEquals(200, fresh.chunk(other, 0), "another kind");
    }
}
