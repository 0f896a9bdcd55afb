package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a job is run in its form for one device, what is learnt from that, and what becomes of it if it fails. */
class SingleDeviceFormTest extends TwoFakeLanes {
    private final HostBuffer in = MadeUpBuffers.of(ElementType.INT, 1000);
    private final HostBuffer out = MadeUpBuffers.of(ElementType.INT, 1000);

    @AfterEach
    void closeBuffers() {
        in.close();
        out.close();
    }

    private static JobBuilder builder(String... kernels) {
        JobBuilder job = Job.named("j").source("text").units(1000);
        for (String kernel : kernels) {
            job.kernel(kernel).jvm(c -> {});
        }
        return job;
    }

    private static JobBuilder withForm() {
        return builder("a", "b").alone(builder("one").units(10).build());
    }

    private Report run(JobBuilder job, Policy policy) throws Exception {
        return dispatcher.submit(job.build(), policy, history, null).get(60, TimeUnit.SECONDS);
    }

    private static List<String> ran(FakeLane lane) {
        List<String> ran = new ArrayList<>();
        lane.executed.forEach(e -> ran.add(e.kernel() + " " + e.firstUnit() + "+" + e.units()));
        lane.executed.clear();
        return ran;
    }

    @Test
    void itIsRunWhereOneLaneHasEverything() throws Exception {
        Report report = run(withForm(), Policies.single(1));
        assertEquals(List.of(), ran(first));
        assertEquals(List.of("one 0+10"), ran(second));
        assertEquals(List.of(), report.failures());
        assertEquals(1000, report.units());
        assertEquals(1000, report.devices().get(1).units());
        assertEquals(1, report.devices().get(1).share());
        assertEquals(1, report.devices().get(1).chunks());
        run(withForm(), Policies.fixed());
        assertEquals(List.of("a 0+500", "b 0+500"), ran(first));
        assertEquals(List.of("a 500+500", "b 500+500"), ran(second));
    }

    @Test
    void itIsLeftAsideWhereItCannotBeRunInOnePiece() throws Exception {
        List<String> declared = List.of("a 0+1000", "b 0+1000");
        run(withForm().chunkDeadline(Duration.ofMinutes(1)), Policies.single(0));
        assertEquals(declared, ran(first));
        run(
                builder("a", "b")
                        .alone(Job.named("no source")
                                .units(10)
                                .kernel("one")
                                .jvm(c -> {})
                                .build()),
                Policies.single(0));
        assertEquals(declared, ran(first));
        run(builder("a", "b").alone(builder("one").units(1L << 31).build()), Policies.single(0));
        assertEquals(declared, ran(first));
        HostBuffer closed = MadeUpBuffers.of(ElementType.INT, 1000);
        Job over = builder("one").reads(closed, Access.whole()).build();
        closed.close();
        run(builder("a", "b").alone(over), Policies.single(0));
        assertEquals(declared, ran(first));
        first.maxChunkUnits = 9;
        run(withForm(), Policies.single(0));
        assertEquals("a 0+9", ran(first).get(0));
        first.maxChunkUnits = 10;
        run(withForm(), Policies.single(0));
        assertEquals(List.of("one 0+10"), ran(first));
    }

    @Test
    void whatItTakesIsWhatTheJobTakesOnOneDevice() throws Exception {
        for (int i = 0; i < 3; i++) {
            run(withForm(), Policies.single(0));
        }
        assertEquals(1, history.entries().size());
        History.Entry entry = history.entries().get(0);
        assertEquals(List.of("a", "b"), entry.kernels());
        assertEquals(512, entry.units());
        assertEquals(2, entry.jobs(), "all but the first");
        assertTrue(entry.shapes().get(0).contains(" alone:one@"), entry::toString);
        // A job that has no such form is another one.
        run(builder("a", "b"), Policies.single(0));
        run(builder("a", "b"), Policies.single(0));
        assertEquals(2, history.entries().size());
    }

    @Test
    void ifItDoesNotBuildTheLaneGoesOnWithout() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        first.prepare = () -> {
            if (asked.incrementAndGet() == 1) {
                throw new LaneFailure(LaneFailure.Kind.BUILD, "no compiler");
            }
        };
        Report report = run(withForm(), Policies.single(0));
        assertEquals(List.of("a 0+1000", "b 0+1000"), ran(first));
        assertEquals(List.of(), ran(second));
        assertEquals(
                List.of(
                        "device 0.0 (fake device 0.0) could not run the job's form for one device and goes on without: no"
                                + " compiler"),
                report.failures());
        report = run(withForm(), Policies.single(0));
        assertEquals(List.of("a 0+1000", "b 0+1000"), ran(first));
        assertEquals(List.of(), report.failures());
    }

    @Test
    void ifThereIsNoMemoryItIsNotTriedAtThatSizeAgain() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (phase.kernel().equals("one")) {
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "full");
            }
        };
        Report report = run(withForm(), Policies.single(0));
        assertEquals(List.of("one 0+10", "a 0+1000", "b 0+1000"), ran(first));
        assertEquals(1, report.failures().size());
        assertEquals(2, report.devices().get(0).chunks());
        assertEquals(1000, report.devices().get(0).units());
        report = run(withForm(), Policies.single(0));
        assertEquals(List.of("a 0+1000", "b 0+1000"), ran(first));
        assertEquals(List.of(), report.failures());
        first.work = (job, phase, from, units, times) -> {};
        run(builder("a", "b").alone(builder("one").units(9).build()), Policies.single(0));
        assertEquals(List.of("one 0+9"), ran(first));
    }

    @Test
    void ifTheDeviceFailsTheOthersBeginAnew() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("gone");
        };
        Report report = run(withForm(), Policies.single(0));
        assertEquals(List.of("one 0+10"), ran(first));
        List<String> second = ran(this.second);
        // By the plan that is made without the lane: this policy gives everything to the lane it names all the same.
        assertTrue(
                second.equals(List.of("a 0+1000", "b 0+1000")) || second.equals(List.of("one 0+10")), second::toString);
        assertEquals(1000, report.devices().get(1).units());
        assertEquals(
                List.of("device 0.0 (fake device 0.0) failed: java.lang.IllegalStateException: gone"),
                report.failures());
        assertTrue(history.entries().isEmpty());
    }

    private JobBuilder twoPhases(boolean inPlace) {
        JobBuilder alone = builder("one");
        if (inPlace) {
            alone.updates(in, Access.slice());
        } else {
            alone.reads(in, Access.slice()).writes(out, Access.slice());
        }
        JobBuilder job = builder("a").reads(in, Access.slice());
        return job.alone(alone.kernel("two").jvm(c -> {}).build());
    }

    /** What is updated in place cannot be begun anew. */
    @Test
    void afterItsFirstPhaseItGoesOnIfItsInputsAreGone() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (phase.kernel().equals("two")) {
                throw new IllegalStateException("gone");
            }
        };
        Report report = run(twoPhases(true), Policies.single(0));
        assertEquals(List.of("one 0+1000", "two 0+1000"), ran(first));
        assertEquals(List.of("two 0+1000"), ran(second));
        assertEquals(500, report.devices().get(0).units());
        assertEquals(500, report.devices().get(1).units());
        assertEquals(1, report.failures().size());
        Thread.sleep(100); // until its probe
        report = run(twoPhases(false), Policies.single(0));
        assertFalse(ran(second).isEmpty());
        assertEquals(1000, report.devices().get(1).units());
    }

    /** Another lane may not have the memory for all of it at once. */
    @Test
    void itFailsIfNoOtherLaneCanGoOnWithIt() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (phase.kernel().equals("two")) {
                throw new IllegalStateException("gone");
            }
        };
        second.maxChunkUnits = 999;
        Throwable failure = failureOf(dispatcher.submit(twoPhases(true).build(), Policies.single(0), history, null));
        assertEquals(
                "job 'j' failed on device 0.0 (fake device 0.0): java.lang.IllegalStateException: gone",
                failure.getMessage());
        assertEquals(List.of(), ran(second));
    }
}
