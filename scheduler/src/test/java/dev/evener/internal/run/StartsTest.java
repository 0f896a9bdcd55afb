package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceKind;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.Report;
import dev.evener.model.HistorySnapshot;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What chunks take whatever their size gets from lanes to the policy, within a job and from job to job. */
class StartsTest {
    private static final double PER_UNIT = 1000;
    private static final long LONG = 400_000;
    private static final long UNITS = 1 << 13;

    /** Half of the rest each time, and what the policy was told a chunk costs at first and at last. */
    private static final class Halves implements Policy {
        final double[] first = new double[2];
        final double[] last = new double[2];

        @Override
        public String name() {
            return "halves";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            long half = snapshot.granules() / 2;
            return Plan.of(Plan.Sharing.FIXED, half, snapshot.granules() - half);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            first[lane] = first[lane] == 0 ? progress.fixedNanos(lane) : first[lane];
            last[lane] = progress.fixedNanos(lane);
            return Math.max(1, progress.remaining(lane) / 2);
        }
    }

    /** A device that begins with each chunk after a while, whatever its size. */
    private static ModelledDevice device(int index, long start) {
        return new ModelledDevice(
                MadeUpDevices.device("0." + index, "p", "d" + index, DeviceKind.CPU, 1, 1, 1, "d" + index),
                start,
                (phase, units) -> PER_UNIT * units);
    }

    private final VirtualDevice plain = device(0, 0);
    private final VirtualDevice waves = device(1, LONG);
    private final History history = History.inMemory();
    private final VirtualRuntime runtime = new VirtualRuntime(List.of(plain, waves), history, List.of());
    private final Job job =
            Job.named("waves").units(UNITS).kernel("k").jvm(c -> {}).build();

    private Halves run() throws Exception {
        Halves policy = new Halves();
        List<CompletableFuture<Report>> done = new ArrayList<>();
        runtime.time().in(100_000, () -> done.add(runtime.submit(job, policy, null)));
        runtime.run();
        assertEquals(List.of(), done.get(0).get(60, TimeUnit.SECONDS).failures());
        return policy;
    }

    @Test
    void aStartIsToldWithinTheJobAndToTheNext() throws Exception {
        Halves one = run();
        assertTrue(one.first[1] < LONG / 2, "nothing is known yet: " + one.first[1]);
        assertTrue(one.last[1] > one.first[1], "seen within the job: " + one.last[1]);
        for (int i = 0; i < 30; i++) {
            one = run();
        }
        assertTrue(one.first[1] > LONG / 2, "known to the next: " + one.first[1]);
        assertTrue(one.last[1] > LONG / 2, "and not forgotten within: " + one.last[1]);
        assertTrue(one.first[0] < LONG / 10, "the other takes its time for each unit: " + one.first[0]);
    }

    /** Small chunks, which take long for what they are, must not make their units look dear. */
    @Test
    void aStartIsNotTakenForUnits() throws Exception {
        for (int i = 0; i < 30; i++) {
            run();
        }
        HistorySnapshot known = StoredHistory.of(history)
                .of(job, List.of(plain.device(), waves.device()))
                .model(UNITS);
        for (int lane = 0; lane < 2; lane++) {
            double perUnit = known.prior(lane, 0, 3).nanosPerUnit();
            assertTrue(perUnit > PER_UNIT / 3 && perUnit < PER_UNIT * 3, "lane " + lane + ": " + perUnit);
        }
    }
}
