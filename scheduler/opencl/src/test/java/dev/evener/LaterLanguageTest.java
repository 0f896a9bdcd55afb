package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException.BuildFailedException;
import dev.evener.policy.Policies;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Texts that need a later OpenCL C than 1.2, and say so by what they call alone: PoCL has more of 3.0 than Rusticl. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LaterLanguageTest {
    private static final int N = 1024;

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,1.0"))
            .policy(Policies.fixed(0.5, 0.5))
            .history(History.inMemory())
            .open();
    private final HostBuffer x = evener.allocate(ElementType.INT, N);
    private final HostBuffer y = evener.allocate(ElementType.INT, N);

    LaterLanguageTest() {
        for (int i = 0; i < N; i++) {
            x.ints().put(i, 3 * i);
        }
    }

    @AfterAll
    void close() {
        x.close();
        y.close();
        evener.close();
    }

    private JobBuilder job(String text) {
        return job(KernelSource.of("later.cl", text));
    }

    private JobBuilder job(KernelSource source) {
        return Job.named("later")
                .source(source)
                .units(N)
                .kernel("later")
                .groupSize(64)
                .reads(x, slice())
                .writes(y, slice());
    }

    @Test
    void devicesThatHaveItShareIt() {
        Report report =
                evener.submit(job("""
                                kernel void later(global const int *x, global int *y, local int *tile) {
                                    int l = get_local_linear_id();
                                    tile[l] = x[get_global_id(0)];
                                    work_group_barrier(CLK_LOCAL_MEM_FENCE);
                                    y[get_global_id(0)] = tile[63 - l];
                                }
                                """).local(ElementType.INT, 64).build()).join();
        assertEquals(List.of(), report.failures());
        assertEquals(
                2, report.devices().stream().filter(each -> each.units() > 0).count(), report::toString);
        for (int i = 0; i < N; i++) {
            assertEquals(3 * (i ^ 63), y.ints().get(i));
        }
    }

    @Test
    void aDeviceThatLacksItIsLeftOutWithTheReason() {
        Report report = evener.submit(job("""
                        kernel void later(global const int *x, volatile global atomic_int *y) {
                            atomic_store(&y[get_global_id(0)], x[get_global_id(0)] + 1);
                        }
                        """).build()).join();
        String why = "kernel source later.cl needs a later OpenCL C, for atomic_int, atomic_store, on ";
        assertEquals(1, report.failures().size(), report::toString);
        assertTrue(report.failures().get(0).contains(why), report::toString);
        assertTrue(report.explain().contains(why), report.explain());
        for (int i = 0; i < N; i++) {
            assertEquals(3 * i + 1, y.ints().get(i));
        }
    }

    /** Where the job itself asks for a version, its text is built as no other. */
    @Test
    void aDeviceThatLacksWhatIsAskedForIsLeftOutWithTheReason() {
        String text = """
                kernel void later(global const int *x, volatile global atomic_int *y) {
                    atomic_store(&y[get_global_id(0)], x[get_global_id(0)] + 2);
                }
                """;
        KernelSource source = KernelSource.of("asked.cl", text).withOptions("-cl-std=CL3.0");
        Report report = evener.submit(job(source).build()).join();
        assertEquals(1, report.failures().size(), report::toString);
        assertTrue(report.explain().contains("kernel source asked.cl does not build"), report.explain());
        for (int i = 0; i < N; i++) {
            assertEquals(3 * i + 2, y.ints().get(i));
        }
    }

    @Test
    void whereNobodyHasItTheFailureSaysWhat() {
        String said = failure("""
                kernel void later(global const int *x, global int *y) {
                    y[get_global_id(0)] = sub_group_reduce_add(x[get_global_id(0)]);
                }
                """);
        assertTrue(said.contains("needs a later OpenCL C, for sub_group_reduce_add, on "), said);
        assertTrue(said.contains("which has not all of that in OpenCL C 3.0"), said);
    }

    /** Each device has its own, which is what only a job may have that asks for it. */
    @Test
    void variablesThatOutliveALaunchAreNotLetInByTheWay() {
        String said = failure("""
                global int calls;
                kernel void later(global const int *x, global int *y) {
                    work_group_barrier(CLK_LOCAL_MEM_FENCE);
                    y[get_global_id(0)] = calls++;
                }
                """);
        assertTrue(said.contains("calls") && said.contains("withOptions(\"-cl-std=CL3.0\")"), said);
    }

    private String failure(String text) {
        Throwable cause = assertThrows(
                        CompletionException.class, evener.submit(job(text).build())::join)
                .getCause();
        return assertInstanceOf(BuildFailedException.class, cause)
                .getMessage()
                .lines()
                .findFirst()
                .orElse("");
    }
}
