package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo.Partitioning;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.policy.Policies;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Run by {@link SubDevicesTest}, in a process whose first device is a CPU of two compute units that can be partitioned. */
@InTurn(3)
class SubDeviceSuite {
    private static final int N = 100_003;
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            __kernel void curve(__global const float *x, __global float *y) {
                int i = get_global_id(0);
                y[i] = x[i] * x[i] + SHIFT / (x[i] + 1.5f);
            }
            """;

    private final Map<Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    private static EvenerBuilder on(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .policy(Policies.fixed());
    }

    private static Report run(Evener evener, String source, float[] result) {
        try (HostBuffer x = evener.allocate(ElementType.FLOAT, N);
                HostBuffer y = evener.allocate(ElementType.FLOAT, N)) {
            for (int i = 0; i < N; i++) {
                x.floats().put(i, 0.37f * i);
            }
            Job job = Job.named("curve")
                    .source(source)
                    .units(N)
                    .kernel("curve")
                    .reads(x, Access.slice())
                    .writes(y, Access.slice())
                    .build();
            Report report = evener.submit(job).join();
            y.floats().get(0, result);
            return report;
        }
    }

    private static float[] run(Evener evener) {
        float[] result = new float[N];
        run(evener, SOURCE.replace("SHIFT", "1.0f"), result);
        return result;
    }

    private static List<String> ids(Evener evener) {
        return evener.devices().stream().map(DeviceInfo::id).toList();
    }

    @Test
    void theDeviceIsWhatTheTestsNeed() {
        DeviceInfo whole = Evener.discover().get(0);
        assertEquals(2, whole.computeUnits());
        assertEquals(new Partitioning(2, true, List.of()), Evener.partitioning(whole));
        assertEquals(
                Partitioning.NONE,
                Evener.partitioning(Evener.select(DeviceSelector.parse("0.0:1")).get(0)));
        assertEquals(
                Partitioning.NONE,
                Evener.partitioning(Evener.select(DeviceSelector.parse("jvm")).get(0)));
    }

    @Test
    void twoPartsDoWhatTheWholeDoesToTheBit() {
        float[] expected;
        try (Evener whole = on("0.0").open()) {
            expected = run(whole);
        }
        for (String devices :
                List.of("0.0:1+1", "0.0:1@1,0.0:1", "0.0:1", "0.0:1@1", "0.0:2", "0.0:-1", "0.0:1,jvm,0.0:1@1")) {
            try (Evener parts = on(devices).policy(Policies.single(0)).open()) {
                assertArrayEquals(expected, run(parts), devices);
            }
        }
        try (Evener parts = on("0.0:1+1").open()) {
            float[] result = new float[N];
            Report report = run(parts, SOURCE.replace("SHIFT", "1.0f"), result);
            assertArrayEquals(expected, result);
            assertEquals(
                    List.of("0.0:1", "0.0:1@1"),
                    report.devices().stream().map(Report.DeviceUse::id).toList());
            report.devices().forEach(device -> assertTrue(device.units() > N / 3, report::toString));
        }
    }

    @Test
    void aPartIsDescribedAsItWasSelected() {
        for (String devices : List.of("0.0:1+1", "0.0:-1", "all:-1", "0.0:2", "cpu:1@1", "jvm,0.0:1")) {
            List<DeviceInfo> selected = Evener.select(DeviceSelector.parse(devices));
            try (Evener evener = on(devices).open()) {
                assertEquals(selected, evener.devices());
            }
        }
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.allButUnits(1))
                .history(History.inMemory())
                .open()) {
            assertEquals(List.of("0.0:1"), ids(evener).subList(0, 1));
            assertEquals(1, evener.devices().get(0).computeUnits());
        }
    }

    @Test
    void aJobMayWantOneOfTheParts() {
        try (Evener evener = on("0.0:1+1").open()) {
            Job job = Job.named("nothing")
                    .source(SOURCE.replace("SHIFT", "1.0f"))
                    .units(1)
                    .kernel("curve")
                    .reads(evener.allocate(ElementType.FLOAT, 1), Access.slice())
                    .writes(evener.allocate(ElementType.FLOAT, 1), Access.slice())
                    .build();
            Report report =
                    evener.submit(job.on(DeviceSelector.parse("0.0:1@1"))).join();
            assertEquals(
                    List.of("0.0:1@1"),
                    report.devices().stream().map(Report.DeviceUse::id).toList());
            EvenerException e =
                    assertThrows(EvenerException.class, () -> evener.submit(job.on(DeviceSelector.parse("0.0"))));
            assertEquals("job 'nothing' wants devices '0.0', but this Evener has [0.0:1, 0.0:1@1]", e.getMessage());
        }
    }

    @Test
    void subDevicesAreCountedAndGoWithTheirContext() {
        Evener evener = on("0.0:1+1").open();
        assertEquals(
                2L + before.getOrDefault(Kind.SUB_DEVICE, 0L),
                NativeLedger.live().get(Kind.SUB_DEVICE));
        assertEquals(
                1L + before.getOrDefault(Kind.CONTEXT, 0L), NativeLedger.live().get(Kind.CONTEXT));
        evener.close();
        try (Evener last = on("0.0:1@1").open()) { // what lies before it is a sub-device only while it is made
            assertEquals(
                    1L + before.getOrDefault(Kind.SUB_DEVICE, 0L),
                    NativeLedger.live().get(Kind.SUB_DEVICE));
            assertEquals(List.of("0.0:1@1"), ids(last));
        }
    }

    @Test
    void aSourceThatDoesNotBuildLeavesNothingBehind() {
        try (Evener evener = on("0.0:1+1").open()) {
            Exception e = assertThrows(Exception.class, () -> run(evener, SOURCE, new float[N]));
            assertTrue(e.getMessage().contains("does not build"), e::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0.0:3", "0.0:2+1", "0.0:1@2", "0.0:-2", "0.0:numa", "0.0:numa0", "0.0,0.0:1", "0.0:2,0.0:1@1"})
    void whatCannotBeHadIsRefused(String devices) {
        EvenerException e =
                assertThrows(EvenerException.class, () -> on(devices).open());
        assertTrue(e.getMessage().contains("0.0"), e::toString);
        assertEquals(1, e.getMessage().lines().count());
        assertThrows(EvenerException.class, () -> Evener.select(DeviceSelector.parse(devices)));
    }

    @Test
    void aPartIsLearntUnderItsOwnName() {
        DeviceInfo whole = Evener.select(DeviceSelector.parse("0.0")).get(0);
        DeviceInfo part = Evener.select(DeviceSelector.parse("0.0:1")).get(0);
        assertNotEquals(whole.identity(), part.identity());
        History history = History.inMemory();
        try (Evener evener = on("0.0:1").history(history).open()) {
            run(evener);
            run(evener);
        }
        assertEquals(1, history.entries().size());
        assertEquals(List.of(part.identity()), history.entries().get(0).devices());
    }
}
