package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.EvenerException.BuildFailedException;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A chunk that updates in place, unprotected, and fails: run again if no kernel of it began, whatever it failed with and wherever it
 * works, and never otherwise. A failed allocation lost the buffer on devices with memory of their own.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UntouchedChunkTest {
    private static final int UNITS = 100;

    /** Which may have memory of its own. */
    private static final class Failing extends FakeLane {
        private final boolean own;

        Failing(String id, boolean own) {
            super(id);
            this.own = own;
        }

        @Override
        public boolean holdsData() {
            return own;
        }
    }

    private final AtomicInteger chunks = new AtomicInteger();
    private Failing first;
    private Failing second;
    private Dispatcher dispatcher;

    private JobFuture submit(boolean own, Kind kind, boolean untouched) {
        first = new Failing("0.0", own);
        second = new Failing("0.1", own);
        dispatcher = new Dispatcher(
                List.of(first, second),
                History.inMemory(),
                ScratchPool.NONE,
                Duration.ofSeconds(30),
                Duration.ofDays(1));
        first.work = (job, phase, from, units, times) -> {
            if (chunks.getAndIncrement() == 0) {
                times.untouched = untouched;
                throw new LaneFailure(kind, "it failed");
            }
        };
        DataBuffer data = own
                ? MadeUpBuffers.managed(ElementType.INT, UNITS, dispatcher.turns())
                : MadeUpBuffers.of(ElementType.INT, UNITS);
        JobBuilder job = Job.named("j")
                .units(UNITS)
                .kernel("k")
                .updates(data, Access.slice())
                .jvm(c -> {});
        if (!own) {
            job.unprotected();
        }
        return dispatcher.submit(job.build(), Policies.fixed(), History.inMemory(), null);
    }

    @AfterEach
    void close() {
        dispatcher.close();
    }

    private String quarantined() {
        return dispatcher.health(List.of(), false).quarantined().get("0.0");
    }

    private static Throwable failureOf(JobFuture future) throws Exception {
        return TwoFakeLanes.failureOf(future);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void wantOfMemoryBeforeAnythingBeganMakesChunksSmaller(boolean ownMemory) throws Exception {
        Report report = submit(ownMemory, Kind.MEMORY, true).get(60, TimeUnit.SECONDS);
        List<Long> own = first.executed.stream().map(FakeLane.Executed::units).toList();
        assertEquals(50, own.get(0));
        assertTrue(own.stream().skip(1).allMatch(units -> units == 25), own::toString);
        assertEquals( // whoever was there first ran what was given back
                100,
                own.stream().skip(1).mapToLong(units -> units).sum()
                        + second.executed.stream()
                                .mapToLong(FakeLane.Executed::units)
                                .sum());
        assertEquals(1, report.failures().size());
        assertNull(quarantined());
    }

    @ParameterizedTest
    @CsvSource({"true, BUILD", "false, BUILD", "true, DEVICE", "false, DEVICE"})
    void theOthersRunWhatDidNotBegin(boolean own, Kind kind) throws Exception {
        Report report = submit(own, kind, true).get(60, TimeUnit.SECONDS);
        assertEquals(
                UNITS,
                second.executed.stream().mapToLong(FakeLane.Executed::units).sum());
        assertEquals(1, report.failures().size());
        assertEquals(
                kind == Kind.BUILD ? null : "it failed",
                quarantined(),
                "a group that is too large is no fault of the device");
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aWrongJobIsToldAsThat(boolean own) throws Exception {
        for (boolean untouched : new boolean[] {true, false}) {
            chunks.set(0);
            assertInstanceOf(JobRejectedException.class, failureOf(submit(own, Kind.DECLARATION, untouched)));
            assertNull(quarantined());
            dispatcher.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, MEMORY", "false, MEMORY", "true, BUILD", "false, BUILD", "true, DEVICE", "false, DEVICE"})
    void whatBeganIsNeverRunAgain(boolean own, Kind kind) throws Exception {
        Throwable failure = failureOf(submit(own, kind, false));
        assertEquals(
                kind == Kind.BUILD ? BuildFailedException.class : DevicesFailedException.class, failure.getClass());
        String cure = own ? "; of one with mirror() the host has a copy" : ", or leave out unprotected()";
        assertTrue(
                failure.getMessage()
                        .contains("which may be half updated now: refill it before you submit again" + cure),
                failure::getMessage);
        assertEquals(kind == Kind.DEVICE ? "it failed" : null, quarantined());
        assertEquals(1, first.executed.size());
    }
}
