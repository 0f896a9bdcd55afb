package dev.evener;

import static dev.evener.Access.columns;
import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.Access.Reduction;
import dev.evener.policy.Policies;
import dev.evener.testing.Faults;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Devices fail while kernels see their job: what they were to write is written by others, and what stands beside it is left alone. */
class FaultyViewsTest {
    private static final int WIDTH = 64;
    private static final int HEIGHT = 90;

    private static final String SOURCE = """
            __kernel void interior(__global const int *in, __global int *out, int width, int height) {
                int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
                if (x < width - 1 && y < height - 1)
                    out[y * width + x] += in[(y - 1) * width + x] - 2 * in[(y + 1) * width + x];
            }
            __kernel void running(__global int *a, __global int *counts, int width, int height) {
                int c = get_global_id(0);
                if (c >= width) return;
                for (int r = 1; r < height; r++) a[r * width + c] += a[(r - 1) * width + c];
                atomic_inc(&counts[c % 5]);
            }
            """;

    @ParameterizedTest
    @CsvSource({
        "true, error, 0, 0", "true, error, 1, 1", "true, die, 0, 1", "true, die, 1, 2", "true, alloc, 1, 0",
        "false, error, 0, 0", "false, error, 1, 1", "false, die, 0, 1", "false, die, 1, 2", "false, alloc, 1, 0",
    })
    void othersDoWhatAFailedDeviceDidNot(boolean shared, String fault, int lane, int chunk) {
        for (int job = 0; job < 2; job++) {
            String text = "lane=" + lane + ",job=" + job + ",chunk=" + chunk + ",fault=" + fault;
            EvenerBuilder builder = Evener.builder()
                    .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                    .sharedMemory(shared)
                    .history(History.inMemory())
                    .policy(Policies.guided());
            try (Evener evener = Faults.inject(builder, text).open()) {
                check(evener, text);
            }
        }
    }

    private static void check(Evener evener, String fault) {
        HostBuffer in = evener.allocate(ElementType.INT, WIDTH * HEIGHT);
        HostBuffer a = evener.allocate(ElementType.INT, WIDTH * HEIGHT);
        HostBuffer counts = evener.allocate(ElementType.INT, 5);
        int[] expected = new int[WIDTH * HEIGHT];
        for (int i = 0; i < expected.length; i++) {
            in.ints().put(i, i * 13 % 101);
            a.ints().put(i, i);
            expected[i] = i;
        }
        evener.submit(Job.named("interior")
                        .source(SOURCE)
                        .range(WIDTH - 2, HEIGHT - 2)
                        .kernel("interior")
                        .reads(in, slice(WIDTH).from(WIDTH).halo(1, 1))
                        .updates(a, slice(WIDTH).from(WIDTH))
                        .scalar(WIDTH)
                        .scalar(HEIGHT)
                        .build())
                .join();
        evener.submit(Job.named("running")
                        .source(SOURCE)
                        .units(WIDTH)
                        .kernel("running")
                        .groupSize(4)
                        .updates(a, columns(WIDTH))
                        .accumulates(counts, Reduction.SUM)
                        .scalar(WIDTH)
                        .scalar(HEIGHT)
                        .build())
                .join();
        for (int y = 1; y < HEIGHT - 1; y++) {
            for (int x = 1; x < WIDTH - 1; x++) {
                int at = y * WIDTH + x;
                expected[at] += in.ints().get(at - WIDTH) - 2 * in.ints().get(at + WIDTH);
            }
        }
        for (int i = WIDTH; i < expected.length; i++) {
            expected[i] += expected[i - WIDTH];
        }
        int[] found = new int[WIDTH * HEIGHT];
        a.ints().get(found);
        assertArrayEquals(expected, found, fault);
        int[] counted = new int[5];
        counts.ints().get(counted);
        assertArrayEquals(new int[] {13, 13, 13, 13, 12}, counted, fault);
    }
}
