package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Job;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What chunks take whatever their size gets from lanes to the policy, within a job and from job to job. */
class StartsTest extends TwoFakeLanes {
    private static final double LONG = 1e11; // against which what the test's machine is busy with vanishes

    /** Half of the rest each time, and what the policy was told a chunk costs at first and at last. */
    private static final class Halves implements Policy {
        final Map<Integer, Double> first = new ConcurrentHashMap<>();
        final Map<Integer, Double> last = new ConcurrentHashMap<>();

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
            first.putIfAbsent(lane, progress.launchNanos(lane));
            last.put(lane, progress.launchNanos(lane));
            return Math.max(1, progress.remaining(lane) / 2);
        }
    }

    @Test
    void aStartIsToldWithinTheJobAndToTheNext() throws Exception {
        second.work = (job, phase, first, units, times) -> times.transferNanos = (long) LONG;
        first.work = (job, phase, from, units, times) -> times.transferNanos = (long) (LONG * units);
        Job job = job("waves", 1 << 12);
        Halves one = run(job);
        assertTrue(one.first.get(1) < LONG / 2, "nothing is known yet: " + one.first);
        assertTrue(one.last.get(1) > LONG / 2, "seen within the job: " + one.last);
        assertTrue(one.last.get(0) < LONG / 2, "the other takes its time for each unit: " + one.last);
        Halves two = run(job);
        assertTrue(two.first.get(1) > LONG / 2, "known to the next: " + two.first);
        var learnt = history.of(job, List.of(first.device(), second.device()));
        assertTrue(learnt.startNanos(0, 1) > LONG / 2);
        assertEquals(0, learnt.startNanos(0, 0));
    }

    private Halves run(Job job) throws Exception {
        Halves policy = new Halves();
        dispatcher.submit(job, policy, history, null).get(60, TimeUnit.SECONDS);
        return policy;
    }
}
