package dev.evener.internal.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.HostBuffer;
import dev.evener.LongTests;
import dev.evener.MadeUpBuffers;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Example;

/**
 * Every element that a job declares is in its buffer, or {@code build()} refuses the job. Guards against what a job of one granule, an
 * {@linkplain dev.evener.JobBuilder#undivided undivided} one too, once had behind its buffer's end, and against sums that overflow.
 */
class DeclarationsPropertyTest {
    private static final String SOURCE = "kernel void k(global int *x) {}";
    private static final int MOST = 200;
    private static final HostBuffer[] BUFFERS = new HostBuffer[MOST + 1];

    @Example
    void whatUnitsHaveIsInTheBuffer() {
        check(57, LongTests.orAll(5_000, 3_000_000), false);
    }

    @Example
    void soItIsWhateverTheNumbers() {
        check(58, LongTests.orAll(5_000, 3_000_000), true);
    }

    private static void check(long seed, int tries, boolean anySize) {
        int built = 0;
        for (int i = 0; i < tries; i++) {
            Random random = new Random(seed + i);
            RandomDeclaration each = anySize ? RandomDeclaration.ofAnySize(random) : RandomDeclaration.small(random);
            built += check(each, "seed " + (seed + i) + ": " + each) ? 1 : 0;
        }
        assertTrue(built > tries / 20 && built < tries / 20 * 19, built + " of " + tries + " were built");
    }

    private static boolean check(RandomDeclaration each, String what) {
        int size = (int) each.elements();
        if (BUFFERS[size] == null) {
            BUFFERS[size] = MadeUpBuffers.of(ElementType.INT, size);
        }
        JobSpec job;
        try {
            job = JobSpec.of(each.build(BUFFERS[size], SOURCE));
        } catch (JobRejectedException e) {
            assertNotNull(each.outside(), () -> what + ": " + e.getMessage());
            return false;
        }
        assertEquals(null, each.outside(), what);
        Argument.Buffer b = (Argument.Buffer) job.phases().get(0).arguments().get(0);
        long bytes = ElementType.INT.bytes();
        for (long first : new long[] {0, each.units() / 2, each.units() - 1}) {
            for (long end : new long[] {first + 1, each.units()}) {
                if (first < 0 || end > each.units() || first >= end) {
                    continue;
                }
                boolean[] seen = new boolean[size];
                for (int p = 0; p < b.pieces(); p++) {
                    long from = b.seenFrom(p, first, end - first);
                    long to = b.seenTo(p, first, end - first);
                    assertTrue(
                            from >= each.from() * bytes && from <= to && to <= (each.from() + each.count()) * bytes,
                            () -> what + ": sees " + from + " to " + to);
                    Arrays.fill(seen, (int) (from / bytes), (int) (to / bytes), true);
                }
                for (int element = 0; element < size; element++) {
                    boolean own = ownedBy(each, first, end, element);
                    boolean exact = each.access() instanceof Access.Slice
                            || (each.access() instanceof Access.Parts p && p.blockUnits() > 0 && p.alsoCount() == 0);
                    assertTrue(exact ? own == seen[element] : !own || seen[element], what + ": element " + element);
                }
            }
        }
        return true;
    }

    private static boolean ownedBy(RandomDeclaration each, long first, long end, int element) {
        for (long unit = first; unit < Math.min(end, first + MOST + 1); unit++) {
            if (each.has(unit, element)) {
                return true;
            }
        }
        return false;
    }

    /** What the tests of issue 57 did: in place the kernel wrote to memory that is not the buffer's, with memory of its own it broke the heap. */
    @Example
    void oneGranuleIsNoExcuse() {
        HostBuffer x = MadeUpBuffers.of(ElementType.INT, 4096);
        for (long units : new long[] {4097, 8192, 1L << 24, 1L << 40, Long.MAX_VALUE}) {
            for (int form = 0; form < 4; form++) {
                boolean undivided = form % 2 == 0;
                RandomDeclaration each = new RandomDeclaration(
                        units, units, undivided, true, 4096, 0, 4096, form > 1, true, true, Access.slice(1));
                JobRejectedException e =
                        assertThrows(JobRejectedException.class, () -> each.build(x, SOURCE), each.toString());
                assertEquals(
                        "job 'random', kernel k: argument 0 has 4096 elements, but " + units + " units of 1 need more",
                        e.getMessage());
            }
        }
    }
}
