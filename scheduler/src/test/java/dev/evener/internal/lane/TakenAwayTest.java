package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.Inventory;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane to which everything is sent, driven by hand: what it trusts after chunks that count and chunks that do not. */
class TakenAwayTest {
    private static final int N = 1024;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private final ManagedBuffer data = MadeUpBuffers.of(ElementType.INT, N).keepOnDevices();
    private final Job job = Job.named("bump")
            .units(N)
            .source("__kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }")
            .kernel("bump")
            .updates(data, Access.slice())
            .build();
    private Lane lane;

    @BeforeEach
    void open() {
        lane = OpenCl.open(
                        List.of(Inventory.devices().get(0).info().id()),
                        null,
                        false,
                        OpenCl.Options.usual().copying())
                .get(0);
        lane.attach();
        assertTrue(data.hold());
    }

    @AfterEach
    void nothingLeaks() {
        data.letGo();
        data.close();
        lane.close();
        assertEquals(before, NativeLedger.live());
    }

    /** Runs all units; the bytes sent. */
    private long run(boolean fenced, boolean counts) {
        ChunkTimes times = new ChunkTimes();
        assertTrue(lane.enqueue(JobSpec.of(job), JobSpec.of(job).phases().get(0), 0, N, fenced, times));
        lane.await();
        if (counts) {
            lane.commit();
        }
        lane.settle(times);
        return times.bytesIn;
    }

    private void otherLaneWrites(int value) {
        IntBuffer ints = data.ints();
        for (int i = 0; i < N; i++) {
            ints.put(i, value);
        }
    }

    private void check(int value) {
        for (int i = 0; i < N; i++) {
            assertEquals(value, data.ints().get(i), "element " + i);
        }
    }

    @Test
    void whatCountsIsKept() {
        for (boolean fenced : new boolean[] {false, true}) {
            data.hostChanged();
            otherLaneWrites(0);
            assertEquals(4 * N, run(fenced, true));
            check(1);
            data.version().phaseWrote();
            assertEquals(0, run(fenced, true));
            check(2);
        }
    }

    @Test
    void whatWasTakenAwayIsNot() {
        assertEquals(4 * N, run(true, false));
        check(0); // nothing reached the host
        otherLaneWrites(100); // who has run the chunk instead
        data.version().phaseWrote();
        assertEquals(4 * N, run(true, true));
        check(101);
    }

    @Test
    void whatWasTakenAwayAndRunAgainHereBeginsAnew() {
        assertEquals(4 * N, run(true, true));
        data.version().phaseWrote();
        assertEquals(0, run(true, false));
        check(1);
        assertEquals(4 * N, run(false, true)); // in the same phase: the device has gone one step too far
        check(2);
    }
}
