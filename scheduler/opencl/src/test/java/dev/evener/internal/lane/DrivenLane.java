package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.run.ChunkTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** A lane that a test drives by hand, as the runtime would; nothing is left behind. */
abstract class DrivenLane {
    final ClDevice device = device();
    ClLane lane;
    private final Map<Kind, Long> before = NativeLedger.live();
    private final List<HostData> buffers = new ArrayList<>();

    /** Whose lane it is. */
    ClDevice device() {
        return ClDevice.all().get(0);
    }

    static ClContext contextOf(List<ClDevice> devices) {
        return new ClContext(devices);
    }

    final void open(BackEnd.Options options) {
        open(new ContextMemory(contextOf(List.of(device))), options);
    }

    final void open(ContextMemory context, BackEnd.Options options) {
        if (lane != null) {
            lane.close();
        }
        lane = new ClLane(context, device, options);
    }

    @AfterEach
    void nothingLeaks() {
        for (HostData each : buffers) {
            each.letGo();
            each.close();
        }
        lane.close();
        assertEquals(before, NativeLedger.live());
    }

    /** How many more are alive than before the test. */
    final long live(Kind kind) {
        return NativeLedger.live().getOrDefault(kind, 0L) - before.getOrDefault(kind, 0L);
    }

    final HostData held(HostData buffer) {
        assertTrue(buffer.hold());
        buffers.add(buffer);
        return buffer;
    }

    /** So many ints of one value. */
    final HostData ints(int length, int value) {
        HostData made = held(MadeUpBuffers.of(ElementType.INT, length));
        for (int i = 0; i < length; i++) {
            made.ints().put(i, value);
        }
        return made;
    }

    static void check(HostData ints, int value) {
        for (int i = 0; i < ints.elements(); i++) {
            assertEquals(value, ints.ints().get(i), "element " + i);
        }
    }

    final boolean enqueue(Job job, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        return lane.enqueue(JobSpec.of(job), JobSpec.of(job).phases().get(0), firstUnit, units, fenced, times);
    }

    /** Ends the chunk that was enqueued first. */
    final ChunkTimes end(boolean counts, ChunkTimes times) {
        lane.await();
        if (counts) {
            lane.commit();
        }
        lane.settle(times);
        return times;
    }

    /** Runs all units as one chunk. */
    final ChunkTimes run(Job job) {
        ChunkTimes times = new ChunkTimes();
        assertTrue(enqueue(job, 0, job.units(), false, times));
        return end(true, times);
    }
}
