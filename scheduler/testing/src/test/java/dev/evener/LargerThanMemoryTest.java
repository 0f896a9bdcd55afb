package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.testing.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Fifty iterations on two devices, taken for discrete ones, that may keep a third of a buffer: of one that is larger than what a device
 * keeps each chunk is sent what it needs, and of three that are not, of which two do not find room at once, one gives way in each job.
 */
@Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargerThanMemoryTest {
    private static final int ITERATIONS = 50;
    private static final int N = 3 * (1 << 12);
    private static final int PART = N / 4; // elements of one of three that find room one at a time
    private static final long MEMORY = 4 * N / 3;

    private static final List<String> KINDS = List.of("error", "alloc", "die");

    private static final String SOURCE = """
            __kernel void blur(__global const int *in, ulong start, __global int *out, ulong first, ulong n) {
                size_t i = get_global_id(0), at = first + i;
                out[i] = (at > 0 ? in[start + i - 1] : 7) + 5 * in[start + i] + (at + 1 < n ? in[start + i + 1] : 9);
            }
            __kernel void accumulate(__global const int *state, __global const int *before, __global int *after) {
                size_t i = get_global_id(0);
                after[i] = 3 * before[i] + state[i];
            }
            """;

    private static Job blur(ManagedBuffer in, ManagedBuffer out) {
        return Job.named("blur")
                .source(SOURCE)
                .units(N)
                .kernel("blur")
                .reads(in, Access.slice().halo(1, 1))
                .viewStart(in)
                .writes(out, Access.slice())
                .chunkStart()
                .scalar((long) N)
                .build();
    }

    private static Job accumulate(ManagedBuffer state, ManagedBuffer before, ManagedBuffer after) {
        return Job.named("accumulate")
                .source(SOURCE)
                .units(PART)
                .kernel("accumulate")
                .reads(state, Access.slice(1))
                .reads(before, Access.slice(1))
                .writes(after, Access.slice(1))
                .build();
    }

    private static int[][] expected() {
        int[] state = IntStream.range(0, N).toArray();
        int[][] parts = new int[3][PART];
        for (int k = 0; k < ITERATIONS; k++) {
            int[] in = state;
            state = IntStream.range(0, N)
                    .map(i -> (i > 0 ? in[i - 1] : 7) + 5 * in[i] + (i + 1 < N ? in[i + 1] : 9))
                    .toArray();
            for (int i = 0; i < PART; i++) {
                parts[(k + 1) % 3][i] = 3 * parts[k % 3][i] + state[i];
            }
        }
        return new int[][] {state, parts[0], parts[1], parts[2]};
    }

    /** All of it, with a fault or none; returns how many failures were reported. */
    private static int run(String fault, int[][] expected) {
        EvenerBuilder builder = ManagedBufferTest.discrete("0.0,0.1").mirrorBytes(MEMORY);
        if (!fault.isEmpty()) {
            Faults.inject(builder, fault);
        }
        try (Evener evener = builder.open()) {
            ManagedBuffer now = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer next = evener.allocateManaged(ElementType.INT, N);
            List<ManagedBuffer> parts = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                parts.add(evener.allocateManaged(ElementType.INT, PART));
            }
            ManagedBufferTest.fill(now, IntStream.range(0, N).toArray());
            List<JobFuture> jobs = new ArrayList<>();
            for (int k = 0; k < ITERATIONS; k++) {
                jobs.add(evener.submit(blur(now, next), Policies.guided()));
                jobs.add(evener.submit(
                        accumulate(next, parts.get(k % 3), parts.get((k + 1) % 3)), Policies.fixed(0.5, 0.5)));
                ManagedBuffer last = now;
                now = next;
                next = last;
            }
            int failures =
                    jobs.stream().mapToInt(job -> job.join().failures().size()).sum();
            assertArrayEquals(expected[0], ManagedBufferTest.content(now), fault);
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(expected[1 + i], ManagedBufferTest.content(parts.get(i)), "part " + i + ", " + fault);
            }
            return failures;
        }
    }

    @Test
    void whatIsThreeTimesADevicesMemoryIsRightWithAndWithoutAFaultAtEachHandOver() {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        int[][] expected = expected();
        assertEquals(0, run("", expected));
        int met = 0;
        int runs = 0;
        for (int chunk = 0; chunk < 6 * ITERATIONS; chunk += LongTests.orAll(37, 1)) {
            for (String kind : LongTests.ASKED_FOR ? KINDS : List.of(KINDS.get(runs % KINDS.size()))) {
                met += run("lane=" + chunk % 2 + ",chunk=" + chunk + ",fault=" + kind, expected) > 0 ? 1 : 0;
                runs++;
            }
        }
        assertTrue(met > runs / 8, met + " of " + runs + " faults were met");
        assertEquals(before, NativeLedger.live());
    }
}
