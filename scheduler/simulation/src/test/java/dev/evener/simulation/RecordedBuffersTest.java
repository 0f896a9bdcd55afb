package dev.evener.simulation;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.ManagedBuffer;
import dev.evener.Variant;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What jobs moved on two real devices taken for discrete ones, they move in the simulation of their record, by cause. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InTurn(2)
class RecordedBuffersTest {
    private static final int N = 1 << 14;
    private static final Policy HALF = Policies.fixed(0.5, 0.5);
    private static final Policy QUARTER = Policies.fixed(0.25, 0.75);
    private static final String SOURCE = """
            __kernel void scale(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = 3 * in[i] + 1;
            }
            __kernel void increase(__global int *of) {
                of[get_global_id(0)]++;
            }
            __kernel void blur(__global const int *in, ulong start, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[start + i];
            }
            __kernel void add(__global const int *in, __global const int *all, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = in[i] + all[0];
            }
            __kernel void total(__global const int *in, __global int *sum) {
                atomic_add(sum, in[get_global_id(0)]);
            }
            __kernel void totals(__global const int *in, __global float *sum) {
                size_t i = get_global_id(0);
                sum[i] = in[i];
            }
            __kernel void some(__global const int *in, __global int *found, __global uint *count) {
                size_t i = get_global_id(0);
                found[i] = in[i];
                count[i] = in[i] & 1;
            }
            """;

    private final List<RunEvent> events = new CopyOnWriteArrayList<>();
    private Evener evener;
    private ManagedBuffer a;
    private ManagedBuffer b;
    private HostBuffer in;
    private HostBuffer out;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(false)
                .history(History.inMemory())
                .listener(events::add)
                .open();
        a = filled();
        b = evener.allocateManaged(ElementType.INT, N);
        in = evener.allocate(ElementType.INT, N);
        out = evener.allocate(ElementType.INT, N);
    }

    @AfterEach
    void close() {
        evener.close();
    }

    private ManagedBuffer filled() {
        ManagedBuffer made = evener.allocateManaged(ElementType.INT, N);
        try (ManagedBuffer.Scope scope = made.overwrite()) {
            for (int i = 0; i < N; i++) {
                scope.ints().put(i, i);
            }
        }
        return made;
    }

    private void run(String name, long units, Policy policy, Consumer<JobBuilder> phases) {
        JobBuilder job = Job.named(name).source(SOURCE).units(units);
        phases.accept(job);
        assertEquals(List.of(), evener.submit(job.build(), policy).join().failures());
    }

    private void scale(DataBuffer from, DataBuffer to, Policy policy) {
        run(
                "scale",
                to.elements(),
                policy,
                job -> job.kernel("scale").reads(from, slice()).writes(to, slice()));
    }

    private void blur(DataBuffer from, DataBuffer to, Policy policy) {
        run(
                "blur",
                N,
                policy,
                job -> job.kernel("blur")
                        .reads(from, slice().halo(1, 2))
                        .viewStart(from)
                        .writes(to, slice()));
    }

    /** By job: device, cause, sent, fetched. */
    private static Map<Long, String> moved(List<RunEvent> events) {
        Map<Long, TreeSet<String>> all = new TreeMap<>();
        for (RunEvent event : events) {
            if (event instanceof RunEvent.Submitted s) {
                all.put(s.job(), new TreeSet<>());
            } else if (event instanceof RunEvent.Moved m) {
                all.get(m.job()).add(m.device() + " " + m.cause() + " " + m.sent() + " " + m.fetched());
            }
        }
        Map<Long, String> texts = new TreeMap<>();
        all.forEach((job, text) -> texts.put(job, text.toString()));
        return texts;
    }

    private void assertSimulatedAlike() {
        List<DeviceInfo> devices = evener.devices();
        evener.close();
        List<RunEvent> recorded = List.copyOf(events);
        List<RunEvent> simulated = new ArrayList<>();
        for (Simulator.Outcome each : new Simulator(Models.fit(devices, recorded))
                .listener(simulated::add)
                .replay(recorded, devices)
                .run()) {
            assertEquals(null, each.failure());
        }
        Map<Long, String> moved = moved(recorded);
        assertFalse(moved.values().stream().allMatch("[]"::equals));
        assertEquals(moved, moved(simulated));
    }

    @Test
    void halosAndShares() {
        blur(a, b, HALF);
        blur(b, a, HALF);
        blur(a, b, HALF);
        scale(b, a, QUARTER);
        blur(a, b, HALF);
        scale(b, a, Policies.single(1));
        scale(a, b, Policies.single(0));
        assertSimulatedAlike();
    }

    @Test
    void hostBuffersAndUpdates() {
        scale(in, out, HALF);
        blur(in, out, HALF);
        run(
                "twice",
                N,
                HALF,
                job -> job.kernel("scale")
                        .reads(in, slice())
                        .writes(out, slice())
                        .kernel("increase")
                        .updates(out, slice()));
        run("both", N, HALF, job -> job.kernel("scale").reads(in, slice()).writes(a, slice()));
        run("increase", N, HALF, job -> job.kernel("increase").updates(a, slice()));
        run("increase", N, HALF, job -> job.kernel("increase").updates(out, slice()));
        run(
                "in one go",
                N,
                HALF,
                job -> job.kernel("scale")
                        .reads(a, slice())
                        .writes(b, slice())
                        .then("increase")
                        .updates(b, slice()));
        assertSimulatedAlike();
    }

    @Test
    void scopesAndWholeBuffers() {
        scale(a, b, HALF);
        try (ManagedBuffer.Scope scope = a.update(8, 3)) {
            scope.ints().put(0, 5);
        }
        scale(a, b, HALF);
        run(
                "add",
                N,
                HALF,
                job -> job.kernel("add").reads(a, slice()).reads(b, whole()).writes(out, slice()));
        run(
                "add",
                N,
                HALF,
                job -> job.kernel("add").reads(a, slice()).reads(in, whole()).writes(out, slice()));
        b.discard();
        scale(b, a, HALF);
        a.mirror();
        scale(b, a, HALF);
        try (ManagedBuffer.Scope scope = a.read()) {
            assertEquals(1, scope.ints().get(0));
        }
        scale(a, b, QUARTER);
        assertSimulatedAlike();
    }

    @Test
    void resultsAndHostSteps() {
        ManagedBuffer sum = evener.allocateManaged(ElementType.INT, 1);
        ManagedBuffer floats = evener.allocateManaged(ElementType.FLOAT, 1);
        ManagedBuffer found = evener.allocateManaged(ElementType.INT, N);
        ManagedBuffer count = evener.allocateManaged(ElementType.UINT, 1);
        for (int i = 0; i < 2; i++) {
            run(
                    "total",
                    N,
                    HALF,
                    job -> job.kernel("total")
                            .reads(a, slice())
                            .reduces(sum, Reduction.SUM)
                            .hostStep(host -> host.update(b, 0, N).putInt(0, 7), b));
            run("totals", N, HALF, job -> job.kernel("totals").reads(b, slice()).reduces(floats, Reduction.SUM));
            run("some", N, HALF, job -> job.kernel("some").reads(b, slice()).appends(found, count, 1));
            scale(found, b, HALF);
            run(
                    "by views",
                    N,
                    HALF,
                    job -> job.chunkView()
                            .kernel("scale")
                            .variant(DeviceKind.CPU, Variant.plain())
                            .reads(in, slice())
                            .writes(out, slice())
                            .hostStep(() -> {})
                            .kernel("add")
                            .reads(out, slice())
                            .reads(sum, whole())
                            .writes(b, slice()));
        }
        assertSimulatedAlike();
    }

    @Test
    void ranges() {
        scale(a.range(0, N / 2), b.range(0, N / 2), HALF);
        scale(a.range(N / 2, N / 2), b.range(0, N / 2), HALF);
        // By one alone: of two it would depend on who comes first to whom what both see is counted.
        run(
                "add",
                N / 2,
                Policies.single(0),
                job -> job.kernel("add")
                        .reads(b.range(0, N / 2), slice())
                        .reads(b.range(3, 5), whole())
                        .writes(a.range(N / 2, N / 2), slice()));
        scale(b.range(5, N / 2), a.range(N / 2, N / 2), HALF);
        scale(a, b, HALF);
        assertSimulatedAlike();
    }
}
