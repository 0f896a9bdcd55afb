package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.ClDevice;
import dev.evener.policy.Policies;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On a device that works while its lane does something else, the next chunk is enqueued before the last one has ended. */
class NextChunkTest {
    private static final int UNITS = 1 << 16;
    private static final int CHUNKS = 32;
    private static final String SOURCE = """
            __kernel void grind(__global const uint *in, __global uint *data, __global uint *out, __global uint *sum) {
                size_t i = get_global_id(0);
                uint v = in[i] + data[i];
                for (int r = 0; r < 6000; r++) v = v * 1664525u + 1013904223u;
                out[i] = v;
                data[i] = v ^ in[i];
                atomic_add(sum, v & 255u);
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    /** One that does not work in the thread that enqueues. */
    private static String device() {
        return ClDevice.all().stream()
                .map(ClDevice::info)
                .filter(device ->
                        !device.name().startsWith("basic") && !device.name().contains("minimal"))
                .findFirst()
                .orElseThrow()
                .id();
    }

    private static int ground(int value) {
        int v = value;
        for (int r = 0; r < 6000; r++) {
            v = v * 1664525 + 1013904223;
        }
        return v;
    }

    /** The chunks of a job in the order in which the device ran them. */
    private static List<RunEvent.Chunk> run(EvenerBuilder lanes, boolean keep) {
        List<RunEvent.Chunk> chunks = Collections.synchronizedList(new ArrayList<>());
        try (Evener evener = lanes.devices(DeviceSelector.ids(List.of(device())))
                        .listener(new RunListener() {
                            @Override
                            public void heard(RunEvent event) {
                                if (event instanceof RunEvent.Chunk chunk) {
                                    chunks.add(chunk);
                                }
                            }
                        })
                        .open();
                ManagedBuffer in = evener.allocateManaged(ElementType.INT, UNITS);
                ManagedBuffer managed = evener.allocateManaged(ElementType.INT, UNITS);
                HostBuffer host = evener.allocate(ElementType.INT, UNITS);
                HostBuffer out = evener.allocate(ElementType.INT, UNITS);
                HostBuffer sum = evener.allocate(ElementType.INT, 1)) {
            try (ManagedBuffer.Scope ins = in.overwrite();
                    ManagedBuffer.Scope datas = managed.overwrite()) {
                for (int i = 0; i < UNITS; i++) {
                    ins.ints().put(i, 3 * i);
                    datas.ints().put(i, -i);
                    host.ints().put(i, -i);
                }
            }
            Job job = Job.named("grind")
                    .source(SOURCE)
                    .units(UNITS)
                    .kernel("grind")
                    .reads(in, Access.slice())
                    .updates(keep ? managed : host, Access.slice())
                    .writes(out, Access.slice())
                    .reduces(sum, Reduction.SUM)
                    .policy(Policies.guided(CHUNKS))
                    .build();
            Report report = evener.submit(job).join();
            assertEquals(List.of(), report.failures());
            int expectedSum = 0;
            try (ManagedBuffer.Scope scope = managed.read()) {
                IntBuffer data = keep ? scope.ints() : host.ints();
                for (int i = 0; i < UNITS; i++) {
                    int v = ground(2 * i);
                    expectedSum += v & 255;
                    assertEquals(v, out.ints().get(i), "element " + i);
                    assertEquals(v ^ 3 * i, data.get(i), "updated element " + i);
                }
            }
            assertEquals(expectedSum, sum.ints().get(0));
        }
        assertEquals(CHUNKS, chunks.size());
        chunks.sort(Comparator.comparingLong(RunEvent.Chunk::start));
        return chunks;
    }

    private static void assertSomeFollow(List<RunEvent.Chunk> chunks) {
        int followed = 0;
        for (int i = 1; i < chunks.size(); i++) {
            followed += chunks.get(i).submitted() < chunks.get(i - 1).end() ? 1 : 0;
        }
        assertTrue(followed > 0, chunks::toString);
    }

    @Test
    void inPlace() {
        assertSomeFollow(run(Evener.builder(), false));
    }

    @Test
    void throughTransfers() {
        assertSomeFollow(run(Evener.builder().sharedMemory(false), false));
    }

    @Test
    void withDataThatStayOnTheDevice() {
        assertSomeFollow(run(Evener.builder().sharedMemory(false), true));
    }
}
