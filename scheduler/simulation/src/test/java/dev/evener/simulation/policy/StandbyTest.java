package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.simulation.policy.Beds.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes without a share that stand by: two equal ones, of which the first needs 10 ms for the job in chunks of 1 ms. */
class StandbyTest {
    private static final long UNITS = 10_000_000;
    private static final double CHUNK = 1e6;
    private static final long NEVER = 1_000_000_000;

    private static final Machine MACHINE =
            Beds.machine(Work.EVEN, Beds.device(0, Beds.kernel(1, 5_000, 0)), Beds.device(1, Beds.kernel(1, 5_000, 0)));

    /** All for the first lane, the second standing by for so long; chunks of a millisecond. */
    private record StandBy(Plan.Sharing sharing, double nanos) implements Policy {
        @Override
        public String name() {
            return "standby";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.of(sharing, snapshot.granules(), 0).standingBy(LaneSet.of(0, 1), nanos);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return (long) CHUNK;
        }
    }

    private static List<RunEvent> run(Plan.Sharing sharing, double nanos, MachineEvent... events) {
        List<RunEvent> heard = new ArrayList<>();
        Simulator simulator = new Simulator(MACHINE).listener(heard::add);
        for (MachineEvent event : events) {
            simulator.event(event);
        }
        simulator.submit(SimulatedJob.of(Beds.KERNEL, UNITS, 1, new StandBy(sharing, nanos)));
        assertEquals(UNITS, simulator.run().get(0).report().units());
        return heard;
    }

    /** When each chunk of a lane was begun. */
    private static double[] begun(List<RunEvent> events, int lane) {
        return events.stream()
                .filter(RunEvent.Chunk.class::isInstance)
                .map(RunEvent.Chunk.class::cast)
                .filter(chunk -> chunk.device() == lane)
                .mapToDouble(chunk -> (double) chunk.begun())
                .toArray();
    }

    private static double wall(List<RunEvent> events) {
        return events.stream()
                .filter(RunEvent.Ended.class::isInstance)
                .mapToDouble(event -> (double) ((RunEvent.Ended) event).wallNanos())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aLaneThatStandsByHasNoShare() {
        Plan plan = Plan.of(Plan.Sharing.STEALING, 7, 0, 0).standingBy(LaneSet.of(0, 1), 5);
        assertTrue(!plan.standsBy(0) && plan.standsBy(1) && !plan.standsBy(2));
        assertEquals(5, plan.standByNanos());
        assertEquals(List.of(7L, 0L, 0L), Arrays.stream(plan.shares()).boxed().toList());
        assertTrue(plan.balanced().standsBy(1));
    }

    @Test
    void itTakesNothingFromAJobThatIsDoneInTime() {
        List<RunEvent> events = run(Plan.Sharing.STEALING, 11e6);
        assertEquals(10, begun(events, 0).length);
        assertEquals(0, begun(events, 1).length);
        assertEquals(10 * (CHUNK + 5_000), wall(events), 2 * Beds.WAKE);
    }

    /** Ten milliseconds are expected as soon as a chunk has shown its time. */
    @Test
    void itComesInWhenTheJobIsExpectedToTakeLonger() {
        List<RunEvent> events = run(Plan.Sharing.STEALING, 4e6);
        double first = begun(events, 1)[0];
        assertTrue(first >= CHUNK, "nothing was known before: " + first);
        assertTrue(first < 3 * CHUNK, "long after that was known: " + first);
        assertTrue(wall(events) < 7.5e6, "took " + wall(events));
    }

    @Test
    void itTakesOverFromALaneThatHasBecomeSlower() {
        MachineEvent slow = Series.slowed(0, 20, 3_500_000, NEVER);
        List<RunEvent> events = run(Plan.Sharing.STEALING, 12e6, slow);
        double first = begun(events, 1)[0];
        assertTrue(first > 3.5e6, "it had no reason yet: " + first);
        assertTrue(first <= 12e6 * 1.3, "it came late: " + first);
        assertTrue(wall(events) < 30e6, "took " + wall(events) + " instead of 130 ms");
    }

    @Test
    void withoutATimeItComesInOnceAChunkHasShownTimes() {
        List<RunEvent> events = run(Plan.Sharing.STEALING, 0);
        double first = begun(events, 1)[0];
        assertTrue(first >= CHUNK && first < 2 * CHUNK, "came after " + first);
        assertTrue(wall(events) < 7e6, "took " + wall(events));
    }

    /** The first chunk takes a fifth of a second, which nobody foresaw. */
    @Test
    void norDoesItWaitForAFirstChunkThatDoesNotEnd() {
        List<RunEvent> events = run(Plan.Sharing.STEALING, 0, Series.slowed(0, 200, 0, NEVER));
        double first = begun(events, 1)[0];
        assertTrue(first > 1e6 && first < 10e6, "came after " + first);
        assertTrue(wall(events) < 220e6, "took " + wall(events) + " instead of 2 s");
    }

    @Test
    void whereNothingIsStolenNobodyStandsBy() {
        assertEquals(0, begun(run(Plan.Sharing.FIXED, 0), 1).length);
    }
}
