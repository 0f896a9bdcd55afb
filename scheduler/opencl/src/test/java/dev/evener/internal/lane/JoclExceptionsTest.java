package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.device.Devices;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jocl.CL;
import org.jocl.CLException;
import org.jocl.cl_platform_id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * JOCL's exceptions are one switch for the whole process, and the application's to turn. Results, messages and what is left
 * behind must not depend on it.
 */
class JoclExceptionsTest {
    private static final String SOURCE = """
            __kernel void twice(__global const int *in, __global int *out) {
                out[get_global_id(0)] = 2 * in[get_global_id(0)];
            }
            """;

    @AfterEach
    void switchOff() {
        CL.setExceptionsEnabled(false);
    }

    @Test
    void theSwitchIsThere() {
        cl_platform_id platform = ClDevice.all().get(0).platform();
        CL.setExceptionsEnabled(true);
        assertThrows(CLException.class, () -> CL.clGetPlatformInfo(platform, -1, 0, null, new long[1]));
        CL.setExceptionsEnabled(false);
        assertEquals(CL.CL_INVALID_VALUE, CL.clGetPlatformInfo(platform, -1, 0, null, new long[1]));
    }

    @Test
    void nothingDependsOnIt() {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        List<String> off = story();
        assertEquals(before, NativeLedger.live());
        CL.setExceptionsEnabled(true);
        List<String> on = story();
        assertEquals(before, NativeLedger.live());
        assertEquals(off, on);
        assertEquals(9, on.size(), on.toString());
        for (int way = 1; way < on.size(); way += 4) {
            assertEquals("result 42", on.get(way));
            assertTrue(on.get(way + 1).contains("CL_INVALID_KERNEL_NAME"), on.get(way + 1));
            assertTrue(on.get(way + 2).contains("does not build"), on.get(way + 2));
            assertTrue(on.get(way + 3).contains("argument 1 is a buffer, but"), on.get(way + 3));
        }
    }

    /** Success and every kind of failure that can be brought about, on all ways of binding memory. */
    private static List<String> story() {
        List<String> seen = new ArrayList<>();
        seen.add(Devices.all().stream().map(DeviceInfo::toString).toList().toString());
        for (boolean shared : new boolean[] {true, false}) {
            try (Evener evener = Evener.builder()
                    .devices(DeviceSelector.parse("0.0,0.1"))
                    .policy(Policies.fixed())
                    .history(History.inMemory())
                    .sharedMemory(shared)
                    .open()) {
                seen.add(twice(evener, SOURCE, "twice"));
                seen.add(twice(evener, SOURCE, "thrice"));
                seen.add(twice(evener, SOURCE + "typo", "twice"));
                seen.add(twice(evener, SOURCE.replace("in, __global", "in, __local"), "twice"));
            }
        }
        return seen;
    }

    private static String twice(Evener evener, String source, String kernel) {
        try (HostBuffer in = evener.allocate(ElementType.INT, 1000);
                HostBuffer out = evener.allocate(ElementType.INT, 1000)) {
            in.ints().put(999, 21);
            evener.submit(Job.named("twice")
                            .source(source)
                            .units(1000)
                            // One lane, so that which of two equal failures comes first is no part of the story.
                            .policy(
                                    kernel.equals("twice") && source.equals(SOURCE)
                                            ? Policies.fixed()
                                            : Policies.single(0))
                            .kernel(kernel)
                            .reads(in, Access.slice())
                            .writes(out, Access.slice())
                            .build())
                    .join();
            return "result " + out.ints().get(999);
        } catch (CompletionException e) {
            assertTrue(e.getCause() instanceof EvenerException, e.toString());
            // PoCL's log names its temporary files.
            return e.getCause().getMessage().replaceAll("/\\S+", "FILE");
        }
    }
}
