package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.testing.Faults;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What must hold on real lanes into which faults are injected: the result of a job that updates in place is right, the
 * report names what failed, and the lane comes back if it can. One small subclass for each kind of lane; the first lane is
 * the one that fails. The limit on time is for a run that hangs.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InTurn(3)
abstract class RecoveryConformance {
    private static final int UNITS = 60_000;
    private static final KernelSource SOURCE = KernelSource.of("recovery", """
            __kernel void saxpy(__global const int *x, __global int *y, int a, uint units) {
                size_t i = get_global_id(0);
                if (i < units) y[i] = a * x[i] + y[i];
            }
            __kernel void count(__global const int *y, __global uint *bins, uint units) {
                size_t i = get_global_id(0);
                if (i < units) atomic_inc(bins + (y[i] & 7));
            }
            """);

    /** PoCL compiles a kernel anew, at its first launch, for each size of groups; that is no chunk's time. */
    private static final Variant GROUPS = Variant.itemsPerUnit(1).withGroupSize(16);

    /** For chunks that hang; the other lane's, of a millisecond, end long before, however busy the machine is. */
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    /** Opens the lanes under test, at least two. */
    abstract EvenerBuilder lanes();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    private Evener open(String... faults) {
        EvenerBuilder builder = lanes().history(History.inMemory());
        for (String fault : faults) {
            Faults.inject(builder, fault);
        }
        return builder.open();
    }

    /** The buffers of a job of two phases, one of which updates in place. */
    private static final class Data implements AutoCloseable {
        final HostBuffer x;
        final HostBuffer y;
        final HostBuffer bins;

        Data(Evener evener) {
            x = evener.allocate(ElementType.INT, UNITS);
            y = evener.allocate(ElementType.INT, UNITS);
            bins = evener.allocate(ElementType.UINT, 8);
        }

        JobBuilder job() {
            IntBuffer toX = x.ints();
            IntBuffer toY = y.ints();
            for (int i = 0; i < UNITS; i++) {
                toX.put(i, i);
                toY.put(i, 3 * i + 1);
            }
            return Job.named("saxpy")
                    .source(SOURCE)
                    .units(UNITS)
                    .policy(Policies.fixed()) // a chunk for each lane in each phase: the fault is met
                    .kernel("saxpy")
                    .reads(x, Access.slice())
                    .updates(y, Access.slice())
                    .scalar(5)
                    .chunkUnits()
                    .variant(DeviceKind.CPU, GROUPS)
                    .jvm(chunk -> {
                        IntBuffer xs = chunk.buffer(0).asIntBuffer();
                        IntBuffer ys = chunk.buffer(1).asIntBuffer();
                        for (int i = 0; i < chunk.units(); i++) {
                            ys.put(i, 5 * xs.get(i) + ys.get(i));
                        }
                    })
                    .kernel("count")
                    .reads(y, Access.slice())
                    .reduces(bins, Reduction.SUM)
                    .chunkUnits()
                    .variant(DeviceKind.CPU, GROUPS)
                    .jvm(chunk -> {
                        IntBuffer ys = chunk.buffer(0).asIntBuffer();
                        IntBuffer counts = chunk.buffer(1).asIntBuffer();
                        for (int i = 0; i < chunk.units(); i++) {
                            counts.put(ys.get(i) & 7, counts.get(ys.get(i) & 7) + 1);
                        }
                    });
        }

        void check() {
            int[] expected = new int[UNITS];
            int[] expectedBins = new int[8];
            for (int i = 0; i < UNITS; i++) {
                expected[i] = 8 * i + 1;
                expectedBins[expected[i] & 7]++;
            }
            assertArrayEquals(expected, Ints.first(y, UNITS));
            assertArrayEquals(expectedBins, Ints.first(bins, 8));
        }

        @Override
        public void close() {
            x.close();
            y.close();
            bins.close();
        }
    }

    private static Report run(Evener evener, Job job) throws Exception {
        return evener.submit(job).get(300, TimeUnit.SECONDS);
    }

    /** Units the first lane had. */
    private static long firstLanes(Report report) {
        return report.devices().get(0).units();
    }

    /** Runs jobs until the first lane has part in one; the test's time limit ends what never comes. */
    private static void awaitFirstLane(Evener evener) throws Exception {
        try (Data data = new Data(evener)) {
            while (firstLanes(run(evener, data.job().build())) == 0) {
                data.check();
                Thread.sleep(20);
            }
            data.check();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"error", "die", "build", "alloc"})
    void aFaultInAnyChunkLeavesTheResultRight(String fault) throws Exception {
        for (int chunk : new int[] {0, 1, 3}) {
            try (Evener evener = open("lane=0,chunk=" + chunk + ",fault=" + fault);
                    Data data = new Data(evener)) {
                String id = evener.devices().get(0).id();
                boolean named = false;
                // What is stolen from a lane, or taken before it, it need not begin: the fault is met where shares are
                // fixed.
                for (Policy policy : List.of(
                        Policies.fixed(),
                        Policies.fixed(),
                        Policies.stealing(16),
                        Policies.guided(16),
                        Policies.fixed())) {
                    Report report = run(evener, data.job().policy(policy).build());
                    data.check();
                    assertEquals(
                            UNITS,
                            report.devices().stream()
                                    .mapToLong(Report.DeviceUse::units)
                                    .sum());
                    named |= report.failures().stream()
                            .anyMatch(f -> f.startsWith("device " + id + " (")
                                    && (f.contains("injected: ") || f.contains("does not build")));
                }
                assertTrue(named, "no report names the fault");
            }
        }
    }

    /** Whatever becomes of the form for one device, in whichever of its two chunks, the job has its result. */
    @ParameterizedTest
    @ValueSource(strings = {"error", "die", "build", "alloc"})
    void aFaultInTheFormForOneDeviceLeavesTheResultRight(String fault) throws Exception {
        for (int chunk : new int[] {0, 1, 2}) {
            for (boolean inPlace : new boolean[] {false, true}) {
                try (Evener evener = open("lane=0,chunk=" + chunk + ",fault=" + fault);
                        RunningSums sums = new RunningSums(evener, 10_000, inPlace)) {
                    String id = evener.devices().get(0).id();
                    boolean named = false;
                    for (int i = 0; i < 3; i++) {
                        sums.fill();
                        Report report = run(
                                evener, sums.job().policy(Policies.single(0)).build());
                        sums.check(report);
                        assertEquals(
                                10_000,
                                report.devices().stream()
                                        .mapToLong(Report.DeviceUse::units)
                                        .sum());
                        named |= report.failures().stream()
                                .anyMatch(f -> f.startsWith("device " + id + " (")
                                        && (f.contains("injected: ") || f.contains("does not build")));
                    }
                    assertTrue(named, "no report names the fault");
                }
            }
        }
    }

    @Test
    void aLaneThatIsSlowIsNoFailure() throws Exception {
        try (Evener evener = open("lane=0,chunk=1,fault=slow:20x");
                Data data = new Data(evener)) {
            Report report = run(evener, data.job().build());
            data.check();
            assertEquals(List.of(), report.failures());
        }
    }

    @Test
    void faultsOnEveryLaneAtOnceLeaveTheResultRightWhileOneLaneLives() throws Exception {
        try (Evener evener = open("lane=0,chunk=1,fault=error", "lane=1,chunk=0,fault=alloc", "lane=1,fault=slow:2x");
                Data data = new Data(evener)) {
            for (int i = 0; i < 3; i++) {
                run(evener, data.job().policy(Policies.stealing(16)).build());
                data.check();
            }
        }
    }

    @Test
    void aLaneThatFailedOnceIsProbedAndComesBack() throws Exception {
        try (Evener evener = open("lane=0,chunk=1,fault=error");
                Data data = new Data(evener)) {
            Report report = run(evener, data.job().build());
            data.check();
            assertEquals(1, report.failures().size(), report.failures()::toString);
            awaitFirstLane(evener);
            report = run(evener, data.job().build());
            data.check();
            assertEquals(List.of(), report.failures());
        }
    }

    @Test
    void aLaneThatDiedStaysOut() throws Exception {
        try (Evener evener = open("lane=0,chunk=1,fault=die");
                Data data = new Data(evener)) {
            String id = evener.devices().get(0).id();
            run(evener, data.job().build());
            data.check();
            long end = System.nanoTime() + 1_500_000_000L; // its first probe comes after a second
            Report report;
            do {
                report = run(evener, data.job().build());
                data.check();
                assertEquals(0, firstLanes(report));
                assertEquals(1, report.failures().size());
                String failure = report.failures().get(0);
                assertTrue(
                        failure.startsWith("device " + id + " (")
                                && failure.endsWith(
                                        " was left out: it is quarantined, because injected: the device is gone"),
                        failure);
                Thread.sleep(50);
            } while (System.nanoTime() < end);
        }
    }

    /**
     * A chunk that is overdue is run elsewhere. Its device comes back much later, computes it after all, and must not write
     * it: by then the application has put other data into the buffers.
     */
    @Test
    void aLateWriterWritesNothing() throws Exception {
        // The job before it has the drivers compile what they compile at a kernel's first launch.
        try (Evener evener = open("lane=0,job=1,chunk=0,fault=hang:4");
                Data data = new Data(evener)) {
            run(evener, data.job().build());
            data.check();
            Job job = data.job().chunkDeadline(LIMIT).build();
            Report report = run(evener, job);
            data.check();
            assertEquals(1, report.failures().size(), report.failures()::toString);
            assertTrue(report.failures().get(0).endsWith(" was not done after 2000 ms"), report.failures()::toString);
            for (int i = 0; i < UNITS; i++) {
                data.y.ints().put(i, -i);
            }
            data.bins.ints().put(3, 12345);
            awaitFirstLane(evener);
            for (int i = 0; i < UNITS; i++) {
                assertEquals(-i, data.y.ints().get(i), "unit " + i + " was written late");
            }
            assertEquals(12345, data.bins.ints().get(3));
            // Nor does the device take what it computed late for what the buffers hold.
            report = run(evener, data.job().build());
            data.check();
            assertEquals(List.of(), report.failures());
        }
    }

    /** Buffers that are closed while a device that hangs may still use them live until it comes back. */
    @Test
    void aLateWriterMayOutliveItsBuffers() throws Exception {
        try (Evener evener = open("lane=0,job=1,chunk=0,fault=hang:4")) {
            try (Data data = new Data(evener)) {
                run(evener, data.job().build());
                run(evener, data.job().chunkDeadline(LIMIT).build());
                data.check();
            }
            awaitFirstLane(evener);
        }
    }
}
