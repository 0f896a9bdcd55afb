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

    /**
     * Kruskal and Weiss's size, in figures: (sqrt(2) 1000 h / (cv 4 sqrt(ln 4)))^(2/3); and as many equal chunks as
     * factoring makes, which are 32 of these 1,000.
     */
    @Test
    void fixedSizesAreThoseOfTheirPapers() {
        assertEquals(17, Policies.named("fsc:overhead=0.236").chunk(Numbers.pool(1000, 1, 1, 1, 1), 0));
        assertEquals(17, Policies.named("fsc:overhead=0.472,cv=2").chunk(Numbers.pool(1000, 1, 1, 1, 1), 0));
        Numbers measured = Numbers.pool(1000, 500, 500, 500, 500);
        Arrays.fill(measured.fixed, 118);
        assertEquals(17, Policies.named("fsc").chunk(measured, 0), "118 of 500 ns");
        assertEquals(Long.MAX_VALUE, Policies.named("fsc:1").chunk(Numbers.pool(1000, 1), 0), "all for one lane");
        List<Long> modified = new ArrayList<>(times(32, 31));
        modified.add(8L);
        assertEquals(modified, chunks(Policies.named("mfsc"), 1000, 4));
        assertEquals(times(4, 1), chunks(Policies.named("mfsc"), 4, 4));
    }

    /** Lucco's formula: of T = 250 and v = 1.3 x 0.5 the first takes 250 + v^2 / 2 - v sqrt(500 + v^2 / 4) = 235.67. */
    @Test
    void taperIsGuidedLessWhatVarianceMayCost() {
        assertEquals(chunks(Policies.named("gss"), 1000, 4), chunks(Policies.named("tap:0"), 1000, 4));
        assertEquals(
                times(1, 236, 179, 136, 103, 79, 60, 46, 35, 27, 21, 16, 13, 10, 8, 6, 5, 4),
                chunks(Policies.named("tap:0.5"), 1000, 4).subList(0, 17));
        assertEquals(222, Policies.named("tap:cv=1").chunk(Numbers.pool(1000, 1, 1, 1, 1), 0));
        assertEquals(250, Policies.named("tap:cv=1,alpha=0").chunk(Numbers.pool(1000, 1, 1, 1, 1), 0));
        assertEquals(40, Policies.named("tap:least=40").chunk(Numbers.pool(10, 1, 1, 1, 1), 0));
    }

    /** Lane 0 is a third as fast: weights of 1/2 and 3/2 of a quarter of what is left, at each request. */
    @Test
    void weightsByChunkAreSetAtEachRequestAndTheLaterChunkCountsForMore() {
        Policy policy = Policies.named("awf-c").forKind();
        Numbers progress = Numbers.pool(1000, 1, 1);
        assertEquals(250, policy.chunk(progress, 0));
        progress.pool = 750;
        assertEquals(188, policy.chunk(progress, 1), "a quarter of 750, rounded up: no batch");
        progress.pool = 562;
        done(progress, 0, 250, 30);
        done(progress, 1, 188, 10);
        assertEquals(211, policy.chunk(progress, 1), "3/2 x 562 / 4");
        progress.pool = 351;
        done(progress, 1, 211, 40); // (1 x 10 + 2 x 40) / 3 = 30: as slow as the other by now
        assertEquals(88, policy.chunk(progress, 1));
    }

    /** D and E go by what chunks took with launches, B and C by what devices computed. */
    @Test
    void weightsByWallTimeCountLaunches() {
        for (String name : List.of("b", "c", "d", "e")) {
            Policy policy = Policies.named("awf-" + name).forKind();
            Numbers progress = Numbers.pool(1000, 1, 1);
            policy.chunk(progress, 0);
            progress.pool = 500;
            done(progress, 0, 250, 10);
            done(progress, 1, 250, 10);
            progress.doneWallNanos[0] = 250 * 30;
            progress.doneWallNanos[1] = 250 * 10;
            boolean wall = name.compareTo("d") >= 0;
            assertEquals(wall ? 63 : 125, policy.chunk(progress, 0), name);
            assertEquals(wall ? 188 : 125, policy.chunk(progress, 1), name);
        }
    }

    private static void done(Numbers progress, int lane, long granules, double nanosEach) {
        progress.doneGranules[lane] += granules;
        progress.doneNanos[lane] += granules * nanosEach;
    }
}
