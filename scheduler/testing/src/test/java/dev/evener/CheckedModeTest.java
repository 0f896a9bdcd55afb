package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What the checking mode does beside finding mistakes. */
class CheckedModeTest {
    private static final int N = 3000;
    private static final String SOURCE = """
            __kernel void copy(__global const int *in, __global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
            __kernel void some(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                if (in[i] % 3 == 0) out[i] = in[i];
            }
            __kernel void next(__global const int *in, __global int *out) {
                out[get_global_id(0)] = in[get_global_id(0) + 1];
            }
            __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
            void alone(__global const int *in, __global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
            __kernel void first_of(__global const int *in, __global int *out) { out[get_global_id(0)] = in[0]; }
            __kernel void minus(__global const int *in, __global int *out) { out[get_global_id(0)] = -in[get_global_id(0)]; }
            """;

    private static Evener open(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .segmentBytes(1 << 12) // so that data lie in several segments, wherever they may
                .checked()
                .open();
    }

    private static HostBuffer numbers(Evener evener, int elements) {
        HostBuffer made = evener.allocate(ElementType.INT, elements);
        for (int i = 0; i < elements; i++) {
            made.segments().get((int) (i * 4L / made.segmentBytes())).putInt((int) (i * 4L % made.segmentBytes()), i);
        }
        return made;
    }

    private static Job map(String kernel, HostBuffer in, HostBuffer out, Access.Slice written) {
        return map(kernel, in, out, written, Policies.adaptive());
    }

    private static Job map(String kernel, HostBuffer in, HostBuffer out, Access.Slice written, Policy policy) {
        return Job.named("map")
                .source(SOURCE)
                .units(N)
                .policy(policy)
                .chunkView() // of buffers in several segments
                .kernel(kernel)
                .reads(in, slice())
                .writes(out, written)
                .build();
    }

    private static String fails(Evener evener, Job job) {
        return assertThrows(CompletionException.class, () -> evener.submit(job).join())
                .getCause()
                .getMessage();
    }

    @Test
    void everyDeviceIsCheckedWhateverThePolicyAndNothingIsLearnt() {
        History history = History.inMemory();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1,1.0"))
                .history(history)
                .checked()
                .open()) {
            HostBuffer in = numbers(evener, N);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            Job copy = map("copy", in, out, slice());
            Job single = map("copy", in, out, slice(), Policies.single(1));
            for (JobFuture submitted : List.of(
                    evener.submit(copy, Policies.single(1), history),
                    evener.submit(single),
                    evener.trySubmit(single).orElseThrow())) {
                Report report = submitted.join();
                for (Report.DeviceUse use : report.devices()) {
                    assertTrue(use.units() >= N / 4, report::toString);
                }
            }
            assertEquals(-1, in.bytes().mismatch(out.bytes()));
            assertNotSame(history, evener.history());
        }
    }

    /** A wrong kernel is no failure of its device. */
    @Test
    void theNextJobRunsOnAllDevices() {
        try (Evener evener = open("0.0,0.1")) {
            HostBuffer in = numbers(evener, N);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            assertTrue(in.segmentCount() > 1);
            String said = fails(evener, map("next", in, out, slice()));
            assertTrue(said.contains("kernel next, argument 0: the kernel reads outside of the chunk's part"), said);
            Report report = evener.submit(map("copy", in, out, slice())).join();
            assertEquals(List.of(), report.failures());
            assertTrue(report.devices().stream().allMatch(use -> use.units() > 0), report::toString);
            assertEquals(in.segments(), out.segments());
        }
    }

    /** The runtime's own job for it would write nothing, and each chunk that is checked has memory of its own. */
    @Test
    void whatIsPrefetchedIsNoMistake() {
        List<RunEvent> ended = new CopyOnWriteArrayList<>();
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(false)
                .checked()
                .listener(event -> {
                    if (event instanceof RunEvent.Ended) {
                        ended.add(event);
                    }
                })
                .open()) {
            ManagedBuffer in = evener.allocateManaged(ElementType.INT, N);
            try (ManagedBuffer.Scope scope = in.update()) {
                scope.ints().put(7, 7);
            }
            evener.prefetch(in, DeviceSelector.all()).join();
            assertEquals(List.of(), ended);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            Job copy = Job.named("copy")
                    .source(SOURCE)
                    .units(N)
                    .kernel("copy")
                    .reads(in, slice())
                    .writes(out, slice())
                    .build();
            assertEquals(List.of(), evener.submit(copy).join().failures());
            assertEquals(7, out.ints().get(7));
        }
    }

    /** What a kernel leaves out of a sparse slice is nobody's business; what it reads is all the same. */
    @Test
    void sparseSlicesMayHaveGaps() {
        try (Evener evener = open("0.0,0.1")) {
            HostBuffer in = numbers(evener, N);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            String said = fails(evener, map("some", in, out, slice()));
            assertTrue(said.contains("kernel some, argument 1: the kernel does not write unit "), said);
            evener.submit(map("some", in, out, slice().sparse())).join();
            assertEquals(
                    999,
                    out.segments().get((int) (999 * 4L / out.segmentBytes())).getInt((int)
                            (999 * 4 % out.segmentBytes())));
            assertTrue(fails(evener, map("next", in, out, slice().sparse())).contains("argument 0"));
        }
    }

    /** Groups of another size are tried where the kernel leaves it open. */
    @Test
    void aKernelMaySayHowLargeItsGroupsAre() {
        try (Evener evener = open("0.0,1.0")) {
            int few = 300; // of which a CPU device has groups of one
            HostBuffer in = numbers(evener, few);
            HostBuffer out = evener.allocate(ElementType.INT, few);
            evener.submit(Job.named("alone")
                            .source(SOURCE)
                            .units(few)
                            .kernel("alone")
                            .reads(in, slice())
                            .writes(out, slice())
                            .build())
                    .join();
            assertEquals(in.segments(), out.segments());
        }
    }

    /** The form for one device is another job, to be checked by itself. */
    @Test
    void theDeclaredFormIsRunEvenOnOneDevice() {
        try (Evener evener = open("0.0")) {
            HostBuffer in = numbers(evener, N);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            Job job = Job.named("map")
                    .source(SOURCE)
                    .units(N)
                    .alone(map("minus", in, out, slice()))
                    .kernel("copy")
                    .reads(in, slice())
                    .writes(out, slice())
                    .build();
            evener.submit(job, Policies.single()).join();
            assertEquals(in.segments(), out.segments());
        }
    }

    /** Here it is the host that changes an input meanwhile; to the check that is the same as work-items that race. */
    @Test
    void equalRunsWithDifferentResultsAreARace() throws InterruptedException {
        try (Evener evener = open("0.0")) {
            HostBuffer in = evener.allocate(ElementType.INT, 1);
            HostBuffer out = evener.allocate(ElementType.INT, N);
            CountDownLatch counting = new CountDownLatch(1);
            Thread counter = new Thread(() -> {
                for (int i = 1; !Thread.currentThread().isInterrupted(); i++) {
                    in.ints().put(0, i);
                    counting.countDown();
                }
            });
            counter.start();
            counting.await();
            Job job = Job.named("race")
                    .source(SOURCE)
                    .units(N)
                    .chunkView()
                    .kernel("first_of")
                    .reads(in, whole())
                    .writes(out, slice())
                    .build();
            String said = "";
            try {
                // A busy machine may not let the thread run between two runs of a chunk.
                for (int i = 0; i < 1000 && said.isEmpty(); i++) {
                    said = evener.submit(job)
                            .handle((report, e) -> e == null ? "" : String.valueOf(e.getMessage()))
                            .join();
                }
            } finally {
                counter.interrupt();
                counter.join();
            }
            assertTrue(said.startsWith("job 'race' failed on device 0.0 ("), said);
            assertTrue(
                    said.contains("kernel first_of, argument 1: equal runs have different results, first at unit "),
                    said);
        }
    }

    @Test
    void theJvmLaneIsRefused() {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        String said = assertThrows(EvenerException.class, () -> open("0.0,jvm")).getMessage();
        assertTrue(said.contains("the JVM lane runs none; choose OpenCL devices"), said);
        assertEquals(before, NativeLedger.live());
    }
}
