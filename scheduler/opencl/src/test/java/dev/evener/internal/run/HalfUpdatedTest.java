package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.Contexts;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.device.Devices;
import dev.evener.internal.device.LaneOptions;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Devices that fail when they have updated half of a chunk in place, which is the worst moment: run again on what is there,
 * the chunk would be updated twice. The limit on time is for a run that hangs.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HalfUpdatedTest {
    private static final int UNITS = 50_000;
    private static final KernelSource SOURCE = KernelSource.of("half", """
            __kernel void saxpy(__global const int *x, __global int *y, int a, __global int *z, uint units) {
                size_t i = get_global_id(0);
                if (i < units) {
                    y[i] = a * x[i] + y[i];
                    z[i] = 3 * z[i] + 1;
                }
            }
            """);

    /** Kinds of lanes. */
    enum Lanes {
        SHARING,
        COPYING,
        COPYING_IN_PIECES,
        ACROSS_PLATFORMS,
        WITH_JVM;

        List<Lane> open() {
            List<Lane> lanes = new ArrayList<>(
                    switch (this) {
                        case SHARING -> open("0.0,0.1", LaneOptions.usual());
                        case COPYING -> open("0.0,0.1", LaneOptions.copying());
                        case COPYING_IN_PIECES ->
                            open(
                                    "0.0,0.1",
                                    new BackEnd.Options(
                                            false,
                                            Long.MAX_VALUE,
                                            4096,
                                            Long.MAX_VALUE,
                                            Contexts.MEASURED,
                                            false,
                                            false));
                        case ACROSS_PLATFORMS -> open("0.0,1.0", LaneOptions.usual());
                        case WITH_JVM -> open("0.1", LaneOptions.usual());
                    });
            if (this == WITH_JVM) {
                lanes.add(new JvmLane(2));
            }
            return lanes;
        }

        private static List<Lane> open(String devices, BackEnd.Options options) {
            return Devices.open(Evener.select(DeviceSelector.parse(devices)), options)
                    .lanes();
        }
    }

    /** Fails when half of a chunk is done. */
    private static final class Halfway implements Lane {
        private final Lane lane;
        private final IntPredicate fails;
        private int chunks;

        /** @param fails whether it does, by the number of the lane's chunk, from 0 */
        Halfway(Lane lane, IntPredicate fails) {
            this.lane = lane;
            this.fails = fails;
        }

        @Override
        public DeviceInfo device() {
            return lane.device();
        }

        @Override
        public long maxChunkUnits(JobSpec.Phase phase) {
            return lane.maxChunkUnits(phase);
        }

        @Override
        public void prepare(JobSpec job, JobSpec.Phase phase) {
            lane.prepare(job, phase);
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            if (fails.test(chunks++)) {
                lane.enqueue(job, phase, firstUnit, (units + 1) / 2, fenced, times);
                lane.await();
                lane.settle(new ChunkTimes());
                throw new IllegalStateException("the power went");
            }
            return lane.enqueue(job, phase, firstUnit, units, fenced, times);
        }

        @Override
        public void await() {
            lane.await();
        }

        @Override
        public void commit() {
            lane.commit();
        }

        @Override
        public void settle(ChunkTimes times) {
            lane.settle(times);
        }

        @Override
        public ByteBuffer partial(int argument) {
            return lane.partial(argument);
        }

        @Override
        public void probe() {
            lane.probe();
        }

        @Override
        public void close() {
            lane.close();
        }
    }

    private final HostBuffer x = MadeUpBuffers.of(ElementType.INT, UNITS);
    private final HostBuffer y = MadeUpBuffers.of(ElementType.INT, UNITS).named("sums");
    private final HostBuffer z = MadeUpBuffers.of(ElementType.INT, UNITS);

    private void fill() {
        IntBuffer xs = x.ints();
        IntBuffer ys = y.ints();
        IntBuffer zs = z.ints();
        for (int i = 0; i < UNITS; i++) {
            xs.put(i, i);
            ys.put(i, -7 * i);
            zs.put(i, i % 11);
        }
    }

    private JobBuilder saxpy() {
        return Job.named("saxpy")
                .source(SOURCE)
                .units(UNITS)
                .kernel("saxpy")
                .reads(x, Access.slice())
                .updates(y, Access.slice())
                .scalar(5)
                .updates(z, Access.slice())
                .chunkUnits()
                .variant(
                        DeviceKind.CPU,
                        Variant.itemsPerUnit(1).withGroupSize(16)) // PoCL compiles anew for each size of groups
                .jvm(chunk -> {
                    IntBuffer xs = chunk.buffer(0).asIntBuffer();
                    IntBuffer ys = chunk.buffer(1).asIntBuffer();
                    IntBuffer zs = chunk.buffer(3).asIntBuffer();
                    for (int i = 0; i < chunk.units(); i++) {
                        ys.put(i, 5 * xs.get(i) + ys.get(i));
                        zs.put(i, 3 * zs.get(i) + 1);
                    }
                });
    }

    private void check() {
        IntBuffer ys = y.ints();
        IntBuffer zs = z.ints();
        for (int i = 0; i < UNITS; i++) {
            int unit = i;
            assertEquals(-2 * i, ys.get(i), () -> "y of unit " + unit);
            assertEquals(3 * (i % 11) + 1, zs.get(i), () -> "z of unit " + unit);
        }
    }

    /** Runs a job some times on lanes of which the first fails. */
    private void runs(Lanes kind, IntPredicate fails, Job job) throws Exception {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        List<Lane> lanes = kind.open();
        lanes.set(0, new Halfway(lanes.get(0), fails));
        History history = History.inMemory();
        boolean failed = false;
        try (Dispatcher dispatcher =
                new Dispatcher(lanes, history, ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofMillis(1))) {
            // One chunk for each lane, so that the first lane has its second in the second job; then many.
            for (Policy policy :
                    List.of(Policies.fixed(), Policies.fixed(), Policies.stealing(16), Policies.guided(16))) {
                fill();
                Report report = dispatcher.submit(job, policy, history, null).get(300, TimeUnit.SECONDS);
                check();
                failed |= report.failures().stream().anyMatch(f -> f.contains("the power went"));
            }
        } finally {
            x.close();
            y.close();
            z.close();
        }
        assertTrue(failed, "no chunk has failed");
        assertEquals(before, NativeLedger.live());
    }

    @ParameterizedTest
    @EnumSource
    void aChunkThatFailedHalfwayIsRunOnWhatItBeganWith(Lanes kind) throws Exception {
        runs(kind, chunk -> chunk % 3 == 1, saxpy().build());
    }

    @ParameterizedTest
    @EnumSource
    void aDeviceThatDiesHalfwayIsReplaced(Lanes kind) throws Exception {
        runs(kind, chunk -> chunk >= 1, saxpy().build());
    }

    /** What a fenced chunk writes is its own until it is done. */
    @ParameterizedTest
    @EnumSource
    void aFencedChunkNeedsNoProtection(Lanes kind) throws Exception {
        runs(
                kind,
                chunk -> chunk % 3 == 1,
                saxpy().unprotected().chunkDeadline(Duration.ofSeconds(50)).build());
    }

    @ParameterizedTest
    @EnumSource
    void anUnprotectedJobFailsAndSaysThatItsBuffersAreHalfUpdated(Lanes kind) throws Exception {
        List<Lane> lanes = kind.open();
        String id = lanes.get(0).device().id();
        lanes.set(0, new Halfway(lanes.get(0), chunk -> chunk == 0));
        History history = History.inMemory();
        try (Dispatcher dispatcher =
                new Dispatcher(lanes, history, ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofMillis(1))) {
            fill();
            CompletableFuture<Report> future =
                    dispatcher.submit(saxpy().unprotected().build(), Policies.fixed(), history, null);
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> future.get(300, TimeUnit.SECONDS));
            String message = thrown.getCause().getMessage();
            assertEquals(DevicesFailedException.class, thrown.getCause().getClass());
            assertTrue(message.startsWith("job 'saxpy' failed on device " + id + " ("), message);
            assertTrue(
                    message.contains("while kernel saxpy updated the buffer 'sums' of " + UNITS
                            + " int and the buffer of " + UNITS + " int in place, which may be half updated now: refill"
                            + " it before you submit again, or leave out unprotected(): "),
                    message);
            assertTrue(message.endsWith("java.lang.IllegalStateException: the power went"), message);
            // The lanes are good for more, after a probe.
            fill();
            dispatcher.submit(saxpy().build(), Policies.fixed(), history, null).get(300, TimeUnit.SECONDS);
            check();
        } finally {
            x.close();
            y.close();
            z.close();
        }
    }
}
