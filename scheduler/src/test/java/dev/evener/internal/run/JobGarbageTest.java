package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Policies;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a settled job of one chunk leaves to the collector, its report and what the model learns among it. */
class JobGarbageTest {
    /** Bytes: 9,700 to 11,500 by what the compiler happens to leave out. It may only fall; the aim is 2 KB. */
    private static final long MOST = 12_500;

    private static final int JOBS = 500;
    private static final int ROUNDS = 8;

    /** Done at once, and it notes nothing. */
    private static final class IdleLane extends FakeLane {
        IdleLane() {
            super("0.0");
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            times.start = System.nanoTime();
            times.end = times.start + 1000;
            times.kernelNanos = 1000;
            return true;
        }
    }

    @Test
    void aSettledJobLeavesLittle() {
        History history = History.inMemory();
        Job job = Job.named("one").units(1).kernel("k").jvm(c -> {}).build();
        Dispatcher dispatcher = new Dispatcher(
                List.of(new IdleLane()), history, ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofSeconds(1));
        try {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) { // in the first, and now and then, something is made for good
                long before = allocated();
                for (int i = 0; i < JOBS; i++) {
                    dispatcher.submit(job, Policies.adaptive(), history, null).join();
                }
                least = Math.min(least, (allocated() - before) / JOBS);
            }
            long bytes = least;
            assertTrue(bytes > 100, () -> "a future alone takes more than " + bytes + " bytes: threads are missing");
            assertTrue(bytes <= MOST, () -> bytes + " bytes a job");
        } finally {
            dispatcher.close();
        }
    }

    /** Bytes, by all threads that there are. */
    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }
}
