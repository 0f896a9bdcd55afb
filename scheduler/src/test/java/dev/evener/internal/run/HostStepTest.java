package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Job;
import dev.evener.JobBuilder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Host steps between phases that fail. */
class HostStepTest extends TwoFakeLanes {
    @Test
    void aHostStepThatThrowsEndsItsJob() throws Exception {
        for (Error thrown : List.of(new AssertionError("no"), new StackOverflowError("deep"))) {
            Job job = Job.named("step")
                    .units(4)
                    .kernel("k")
                    .jvm(c -> {})
                    .hostStep(() -> {
                        throw thrown;
                    })
                    .kernel("never")
                    .jvm(c -> {})
                    .build();
            Throwable failure = failureOf(submit(job));
            assertEquals("job 'step': the host step after kernel k failed: " + thrown, failure.getMessage());
            assertSame(thrown, failure.getCause());
        }
        assertTrue(first.executed.stream().noneMatch(e -> e.kernel().equals("never")));
        submit(job("good", 100)).join();
    }

    @Test
    void aHostStepOfAJobWithoutUnitsRunsAndMayFail() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        JobBuilder job = Job.named("empty").units(0).kernel("k").jvm(c -> {}).hostStep(ran::incrementAndGet);
        submit(job.build()).join();
        assertEquals(1, ran.get());
        Job bad = Job.named("empty")
                .units(0)
                .kernel("k")
                .jvm(c -> {})
                .hostStep(() -> {
                    throw new IllegalStateException("no data");
                })
                .kernel("l")
                .jvm(c -> {})
                .hostStep(ran::incrementAndGet)
                .build();
        assertTrue(failureOf(submit(bad)).getMessage().endsWith("java.lang.IllegalStateException: no data"));
        assertEquals(1, ran.get());
    }

    /** In some dimensions it was refused, in others not. */
    @Test
    void aRangeThatIsEmptyInAnyDimensionRunsItsHostStepsAndNothingElse() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        long[][] ranges = {{0}, {0, 5}, {5, 0}, {0, 0}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}};
        int jobs = 0;
        for (long[] range : ranges) {
            for (int along = 0; along < range.length; along++) {
                JobBuilder job = Job.named("empty").kernel("k").jvm(c -> {}).hostStep(ran::incrementAndGet);
                job = range.length == 1
                        ? job.units(range[0])
                        : range.length == 2 ? job.range(range[0], range[1]) : job.range(range[0], range[1], range[2]);
                Job built = job.along(along).build();
                assertEquals(0, built.units());
                assertEquals(0, submit(built).join().units());
                assertEquals(++jobs, ran.get());
            }
        }
        assertEquals(List.of(), first.executed);
        assertEquals(List.of(), second.executed);
    }
}
