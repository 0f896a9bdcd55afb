package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Policies;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which kernels run in guarded memory first, and when they do so no more. */
class FirstRunTest {
    private static final int N = 4096;

    private static final String SOURCE = """
            kernel void halved(global const int *x, global int *y) { y[get_global_id(0)] = x[get_global_id(0)] / 2; }
            """;

    private static Evener open(History history) {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed())
                .history(history)
                .open();
    }

    private static JobBuilder halved(KernelSource source, HostBuffer x, HostBuffer y) {
        return Job.named("halved")
                .source(source)
                .units(x.elements())
                .jobView()
                .kernel("halved")
                .reads(x, slice())
                .writes(y, slice());
    }

    private static JobSpec.FirstRun of(Job job) {
        return JobSpec.of(job).findings().firstRun();
    }

    private static boolean isSeen(Job job) {
        return of(job).isOver() || of(job).hasPassed();
    }

    @Test
    void whatPassedIsSeenOnce(@TempDir Path folder) {
        KernelSource source = KernelSource.of("halved", SOURCE);
        History file = History.at(folder.resolve("history.json"));
        try (Evener evener = open(file);
                HostBuffer x = evener.allocate(ElementType.INT, N);
                HostBuffer y = evener.allocate(ElementType.INT, N)) {
            x.ints().put(N - 1, 84);
            Job job = halved(source, x, y).build();
            assertFalse(isSeen(job));
            evener.submit(job).join();
            assertEquals(42, y.ints().get(N - 1));
            assertTrue(of(job).isOver());
            Job alike = halved(source, x, y).build();
            JobFuture future = evener.submit(alike);
            assertTrue(of(alike).isOver(), "known when it is submitted");
            future.join();
            Job other = halved(source, x, y).granule(64).build();
            future = evener.submit(other);
            future.join();
            assertTrue(of(other).isOver());
        }
        try (Evener evener = open(History.at(folder.resolve("history.json")));
                HostBuffer x = evener.allocate(ElementType.INT, 2 * N);
                HostBuffer y = evener.allocate(ElementType.INT, 2 * N)) {
            Job job = halved(source, x, y).build();
            JobFuture future = evener.submit(job);
            assertTrue(of(job).isOver(), "whatever its size, in another process too");
            future.join();
        }
    }

    /** Kernels whose groups wait for each other must not be run in part, and those that promise to stay in their buffers need not. */
    @Test
    void someAreNeverSeen() {
        try (Evener evener = open(History.inMemory());
                HostBuffer x = evener.allocate(ElementType.INT, N);
                HostBuffer y = evener.allocate(ElementType.INT, N)) {
            KernelSource source = KernelSource.of("halved", SOURCE);
            for (JobBuilder each : List.of(halved(source, x, y).undivided(), halved(source.withTrialLaunch(), x, y))) {
                Job job = each.build();
                JobFuture future = evener.submit(job);
                assertTrue(of(job).isOver());
                future.join();
            }
        }
    }

    /** Of its buffers what few units have is copied, however large they are, and what is far from that is looked at. */
    @Test
    void jobsOfAnySizeAreSeen() {
        int n = 5 << 20;
        KernelSource stride = KernelSource.of("stride", """
                kernel void stride(global int *x, int n) {
                    for (int i = get_global_id(0); i < n; i += get_global_size(0)) x[i] += 1;
                }
                """);
        try (Evener evener = open(History.inMemory());
                HostBuffer x = evener.allocate(ElementType.INT, n);
                HostBuffer y = evener.allocate(ElementType.INT, n)) {
            Job job = halved(KernelSource.of("halved", SOURCE), x, y).build();
            evener.submit(job).join();
            assertTrue(of(job).isOver());
            Job wrong = Job.named("stride")
                    .source(stride)
                    .units(n / 4)
                    .kernel("stride")
                    .updates(x.range(0, n / 4), slice())
                    .scalar(n / 2)
                    .build();
            assertSaysOutside(evener.submit(wrong), "argument 0");
            wrong = Job.named("stride")
                    .source(stride)
                    .units(n / 4)
                    .jobView()
                    .kernel("stride")
                    .updates(x, slice(4))
                    .scalar(n)
                    .build();
            assertSaysOutside(evener.submit(wrong), "argument 0");
        }
    }

    /** So many units of a large chunk are seen that PoCL has to compile no form of the kernel for small launches. */
    @Test
    void ofLargeChunksMoreIsSeen() {
        int n = 1 << 20;
        KernelSource source = KernelSource.of("late", """
                kernel void late(global int *y) {
                    int i = get_global_id(0);
                    y[i == 60000 ? 70000 : i] = i;
                }
                """);
        try (Evener evener = open(History.inMemory());
                HostBuffer y = evener.allocate(ElementType.INT, n)) {
            Job late = Job.named("late")
                    .source(source)
                    .units(n)
                    .policy(Policies.fixed(0.5, 0.5))
                    .jobView()
                    .kernel("late")
                    .updates(y, slice())
                    .build();
            assertSaysOutside(evener.submit(late), "argument 0");
        }
    }

    private static void assertSaysOutside(JobFuture future, String argument) {
        String said =
                assertThrows(CompletionException.class, future::join).getCause().getMessage();
        assertTrue(said.contains("writes outside of what it was given") && said.contains(argument), said);
        assertTrue(said.contains("found in a first run"), said);
    }

    /** What lies far apart would take as much memory again; a run on less data sees the same kernel. */
    @Test
    void unitsWithFarPartsAreLeftOutAndNotRemembered() {
        int n = 4 << 20;
        try (Evener evener = open(History.inMemory());
                HostBuffer x = evener.allocate(ElementType.INT, n);
                HostBuffer y = evener.allocate(ElementType.INT, n)) {
            KernelSource source = KernelSource.of("planes", """
                    kernel void planes(global const int *x, global int *y, int n) {
                        for (int i = get_global_id(0), k = 0; k < 2; k++) y[k * n + i] = x[k * n + i];
                    }
                    """);
            for (int i = 0; i < 2; i++) {
                Job job = Job.named("planes")
                        .source(source)
                        .units(n / 2)
                        .kernel("planes")
                        .reads(x, slice().planes(2))
                        .writes(y, slice().planes(2))
                        .scalar(n / 2)
                        .build();
                evener.submit(job).join();
                assertFalse(isSeen(job));
            }
        }
    }

    /** Images pass through; what is beside them is guarded. */
    @Test
    void imagesAreFilledAndTakenFromGuardedMemory() {
        int width = 16;
        int n = width * width;
        try (Evener evener = open(History.inMemory());
                HostBuffer x = evener.allocate(ElementType.FLOAT, n);
                HostBuffer y = evener.allocate(ElementType.FLOAT, n);
                HostBuffer sums = evener.allocate(ElementType.FLOAT, n)) {
            for (int i = 0; i < n; i++) {
                x.floats().put(i, i);
            }
            for (String row : List.of("p.y", "(p.y ^ 15)")) {
                Job job = Job.named("turned")
                        .source("""
                                kernel void turned(read_only image2d_t in, write_only image2d_t out, global float *sums) {
                                    int2 p = (int2)(get_global_id(0), get_global_id(1));
                                    float4 v = read_imagef(in, p);
                                    write_imagef(out, p, v + 1);
                                    sums[ROW * 16 + p.x] = v.x;
                                }
                                """.replace("ROW", row))
                        .range(width, width)
                        .kernel("turned")
                        .reads(Image.of(x, ImageFormat.R_FLOAT, width, width), slice())
                        .writes(Image.of(y, ImageFormat.R_FLOAT, width, width), slice())
                        .writes(sums, slice(width))
                        .build();
                if (row.equals("p.y")) {
                    evener.submit(job).join();
                    assertTrue(of(job).isOver());
                } else {
                    assertSaysOutside(evener.submit(job), "argument 2");
                }
            }
            for (int i = 0; i < n; i++) {
                assertEquals(i + 1, y.floats().get(i));
                assertEquals(i, sums.floats().get(i));
            }
        }
    }
}
