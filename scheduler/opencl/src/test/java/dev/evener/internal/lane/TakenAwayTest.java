package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.Job;
import dev.evener.internal.HostData;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.run.ChunkTimes;
import java.nio.IntBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lane to which everything is sent, driven by hand: what it trusts after chunks that count and chunks that do not. */
class TakenAwayTest extends DrivenLane {
    private static final int N = 1024;

    private final HostData data = ints(N, 0);
    private final Job job = Job.named("bump")
            .units(N)
            .source("__kernel void bump(__global int *data) { data[get_global_id(0)] += 1; }")
            .kernel("bump")
            .updates(data, Access.slice())
            .kernel("bump") // never run; for its sake the device keeps the data
            .updates(data, Access.slice())
            .build();

    @BeforeEach
    void open() {
        open(LaneOptions.copying());
    }

    /** Runs all units; the bytes sent. */
    private long run(boolean fenced, boolean counts) {
        ChunkTimes times = new ChunkTimes();
        assertTrue(enqueue(job, 0, N, fenced, times));
        return end(counts, times).bytesIn;
    }

    private void otherLaneWrites(int value) {
        IntBuffer ints = data.ints();
        for (int i = 0; i < N; i++) {
            ints.put(i, value);
        }
    }

    @Test
    void whatCountsIsKept() {
        for (boolean fenced : new boolean[] {false, true}) {
            data.directory().hostWrote(0, data.byteSize());
            otherLaneWrites(0);
            assertEquals(4 * N, run(fenced, true));
            check(data, 1);
            assertEquals(0, run(fenced, true));
            check(data, 2);
        }
    }

    @Test
    void whatWasTakenAwayIsNot() {
        assertEquals(4 * N, run(true, false));
        check(data, 0); // nothing reached the host
        otherLaneWrites(100); // who has run the chunk instead
        data.directory().hostWrote(0, data.byteSize());
        assertEquals(4 * N, run(true, true));
        check(data, 101);
    }

    @Test
    void whatWasTakenAwayAndRunAgainHereBeginsAnew() {
        assertEquals(4 * N, run(true, true));
        assertEquals(0, run(true, false));
        check(data, 1);
        assertEquals(4 * N, run(false, true)); // in the same phase: the device has gone one step too far
        check(data, 2);
    }
}
