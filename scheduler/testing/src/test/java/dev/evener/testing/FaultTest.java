package dev.evener.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.Lane;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What describes a fault, and what does not. */
class FaultTest {
    private static final String EXPECTED = "; expected lane=N,fault=error|die|hang[:SECONDS]|slow:FACTORx|build|alloc,"
            + " and chunk=N if it should not begin with the lane's first chunk, job=N to count chunks in that job of the"
            + " lane";

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "lane=0,fault=error; 0; -1; 0; ERROR; 1; 0",
                "lane=1,chunk=3,fault=die; 1; -1; 3; DIE; 1; 0",
                "fault=build,job=7,lane=127; 127; 7; 0; BUILD; 1; 0",
                "lane=2,job=0,chunk=2147483647,fault=alloc; 2; 0; 2147483647; ALLOC; 1; 0",
                "lane=0,fault=hang; 0; -1; 0; HANG; 1; 0",
                "lane=0,fault=hang:0.5; 0; -1; 0; HANG; 1; 500000000",
                "lane=0,fault=hang:20s; 0; -1; 0; HANG; 1; 20000000000",
                "lane=0,fault=hang:1e-12; 0; -1; 0; HANG; 1; 1",
                "lane=0,fault=slow:4x; 0; -1; 0; SLOW; 4; 0",
                "lane=0,fault=slow:1.5; 0; -1; 0; SLOW; 1.5; 0",
                "' LANE=0 , FAULT=Slow:1000X '; 0; -1; 0; SLOW; 1000; 0",
            })
    void isParsed(String text, int lane, long job, long chunk, String kind, double factor, long nanos) {
        assertEquals(
                new Fault(lane, job, chunk, Fault.Kind.valueOf(kind), factor, Duration.ofNanos(nanos)),
                Fault.parse(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; '' is not one name=value of its own",
                "lane=0; lane or fault is missing",
                "fault=error; lane or fault is missing",
                "lane=0,fault=; lane or fault is missing",
                "lane=0,fault=error,; '' is not one name=value of its own",
                "lane=0,lane=1,fault=error; 'lane=1' is not one name=value of its own",
                "lane=0,device=1,fault=error; there is no 'device'",
                "lane=2147483648,fault=error; '2147483648' is no number from 0 to 2147483647",
                "lane=-1,fault=error; '-1' is no number from 0 to 2147483647",
                "lane=one,fault=error; 'one' is no number from 0 to 2147483647",
                "lane=0,chunk=2147483648,fault=error; '2147483648' is no number from 0 to 2147483647",
                "lane=0,job=-1,fault=error; '-1' is no number from 0 to 2147483647",
                "lane=0,fault=melt; there is no fault 'melt'",
                "lane=0,fault=error:1; 'error' takes no value",
                "lane=0,fault=die:; nothing comes after 'die:'",
                "lane=0,fault=hang:; nothing comes after 'hang:'",
                "lane=0,fault=hang:0; hang:SECONDS needs more than 0 seconds",
                "lane=0,fault=hang:-1; hang:SECONDS needs more than 0 seconds",
                "lane=0,fault=hang:NaN; hang:SECONDS needs more than 0 seconds",
                "lane=0,fault=hang:long; 'long' is no number",
                "lane=0,fault=slow; '' is no number",
                "lane=0,fault=slow:0.9x; a factor is between 1 and 1000, such as slow:4x",
                "lane=0,fault=slow:1001; a factor is between 1 and 1000, such as slow:4x",
                "lane=0,fault=slow:NaN; a factor is between 1 and 1000, such as slow:4x",
            })
    void isRefusedWithTheReasonAndWhatWouldBeRight(String text, String reason) {
        String message = assertThrows(IllegalArgumentException.class, () -> Faults.check(text))
                .getMessage();
        assertEquals("fault '" + text + "': " + reason + EXPECTED, message);
    }

    /** Faults that may begin at once. */
    @Test
    void aFaultWaitsUntilItMayBegin() {
        AtomicBoolean begun = new AtomicBoolean();
        Lane lane = FaultyLanes.of(List.of("lane=0,fault=die"), begun::get, List.of(new JvmLane(1)))
                .get(0);
        lane.probe();
        begun.set(true);
        assertThrows(LaneFailure.class, lane::probe);
        lane.close();
    }

    @Test
    void aLaneThatIsNotThereIsRefusedAndTheOthersAreClosed() {
        JvmLane lane = new JvmLane(1);
        String message = assertThrows(
                        EvenerException.class,
                        () -> FaultyLanes.of(List.of("lane=0,fault=error", "lane=1,fault=die"), List.of(lane)))
                .getMessage();
        assertEquals("fault 'lane=1,fault=die': there is no lane 1, only 0 to 0", message);
        assertThrows(EvenerException.class, lane::probe, "its threads have ended");
    }

    /** The life of a job goes by what a lane says of itself. */
    @Test
    void aLaneWithFaultsIsOtherwiseAsItWas() {
        for (boolean says : new boolean[] {true, false}) {
            Lane own = (Lane) Proxy.newProxyInstance(
                    Lane.class.getClassLoader(),
                    new Class<?>[] {Lane.class},
                    (proxy, asked, with) -> asked.getReturnType() == long.class ? (Object) (says ? 1L : 0L) : says);
            Lane faulty = FaultyLanes.of(List.of("lane=0,fault=error,chunk=99"), List.of(own))
                    .get(0);
            assertEquals(says, faulty.holdsData());
            assertEquals(says, faulty.isOnHelper());
            assertEquals(says, faulty.checks());
            assertEquals(says, faulty.waits());
            assertEquals(says ? 1 : 0, faulty.waitedNanos());
        }
    }

    @Test
    void onlyLanesWithFaultsAreWrapped() {
        List<Lane> lanes = new ArrayList<>(List.of(new JvmLane(1), new JvmLane(1)));
        List<Lane> injected = FaultyLanes.of(List.of("lane=1,fault=error"), lanes);
        assertEquals(lanes.get(0), injected.get(0));
        assertTrue(injected.get(1) instanceof FaultyLane);
        assertEquals(lanes, FaultyLanes.of(List.of(), lanes));
        injected.forEach(Lane::close);
    }
}
