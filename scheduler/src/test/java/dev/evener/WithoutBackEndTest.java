package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.device.BackEnd;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** This module by itself schedules without OpenCL, and says what to add. */
class WithoutBackEndTest {
    private static final String ADD = "add dev.evener:evener-opencl to the class path or module path";

    @Test
    void neitherOneNorJoclIsHere() {
        assertEquals(List.of(), ServiceLoader.load(BackEnd.class).stream().toList());
        assertThrows(ClassNotFoundException.class, () -> Class.forName("org.jocl.CL"));
        assertEquals(
                List.of("jvm"), Evener.discover().stream().map(DeviceInfo::id).toList());
    }

    @Test
    void jvmThreadsStandInForItWithANote() {
        try (Evener evener = Evener.builder().history(History.inMemory()).open()) {
            assertEquals(
                    List.of("jvm"),
                    evener.devices().stream().map(DeviceInfo::id).toList());
            assertEquals(1, evener.notes().size());
            assertTrue(evener.notes().get(0).contains(ADD), evener.notes()::toString);
            assertTrue(evener.health().toString().contains(ADD), evener.health()::toString);
            HostBuffer x = evener.allocate(ElementType.INT, 100);
            evener.submit(Job.named("ones")
                            .source("kernel void k(global int *x) { x[get_global_id(0)] = 1; }")
                            .units(100)
                            .kernel("k")
                            .writes(x, Access.slice())
                            .jvm(chunk -> chunk.buffer(0).putInt(0, 1))
                            .build())
                    .join();
            assertEquals(1, x.ints().get(0));
        }
    }

    @Test
    void whatInsistsOnOpenClIsToldTheSame() {
        for (EvenerBuilder builder : List.of(
                Evener.builder().requireOpenCl(),
                Evener.builder().devices(DeviceSelector.parse("gpu")),
                Evener.builder().devices(DeviceSelector.parse("0.0")))) {
            EvenerException e = assertThrows(EvenerException.class, builder::open);
            assertTrue(e.getMessage().contains(ADD), e::getMessage);
        }
    }

    @Test
    void theCheckingModeIsInAModuleThatBringsIt() {
        EvenerException e =
                assertThrows(EvenerException.class, () -> Evener.builder().checked());
        assertTrue(e.getMessage().contains("add dev.evener:evener-testing"), e::getMessage);
    }
}
