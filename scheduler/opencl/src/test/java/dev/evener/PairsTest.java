package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.policy.Policies;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kernels whose units touch pairs at a distance, as docs/kernels.md declares them: a granule of whole blocks keeps both of a pair in one
 * chunk, wherever a job is cut. Whatever the distance and the share, a first run accuses none of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PairsTest {
    private static final int N = 1 << 10;

    private static final String SOURCE = """
            kernel void bitonic(global int *x, int distance, int size) {
                int i = get_global_id(0), j = i ^ distance;
                if (j > i && (x[i] > x[j]) == ((i & size) == 0)) { int t = x[i]; x[i] = x[j]; x[j] = t; }
            }
            kernel void butterfly(global int *x, int distance) {
                int i = get_global_id(0), low = i / distance * 2 * distance + i % distance;
                int a = x[low], b = x[low + distance];
                x[low] = a + b;
                x[low + distance] = a - b;
            }
            kernel void both(global int *to, global const int *from) { int i = get_global_id(0); to[i] = 3 * from[i]; }
            """;

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,0.1"))
            .history(History.inMemory())
            .open();
    private final HostBuffer x = evener.allocate(ElementType.INT, N);

    @AfterAll
    void close() {
        x.close();
        evener.close();
    }

    private int[] filled() {
        int[] values = new int[N];
        for (int i = 0; i < N; i++) {
            values[i] = i * 7919 % 1021;
            x.ints().put(i, values[i]);
        }
        return values;
    }

    private int[] found() {
        int[] values = new int[N];
        x.ints().get(0, values);
        return values;
    }

    /** A network of all distances, which sorts only if every step was right. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.13, 0.5, 0.81, 1})
    void stepsOfASortingNetwork(double share) {
        int[] expected = Arrays.stream(filled()).sorted().toArray();
        for (int size = 2; size <= N; size *= 2) {
            for (int distance = size / 2; distance > 0; distance /= 2) {
                evener.submit(Job.named("bitonic")
                                .source(SOURCE)
                                .units(N)
                                .granule(2L * distance)
                                .policy(Policies.fixed(share, 1 - share))
                                .kernel("bitonic")
                                .updates(x, slice())
                                .scalar(distance)
                                .scalar(size)
                                .build())
                        .join();
            }
        }
        assertArrayEquals(expected, found());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.13, 0.5, 0.81, 1})
    void butterflies(double share) {
        int[] values = filled();
        for (int distance = 1; distance < N; distance *= 2) {
            for (int i = 0; i < N / 2; i++) {
                int low = i / distance * 2 * distance + i % distance;
                int a = values[low];
                int b = values[low + distance];
                values[low] = a + b;
                values[low + distance] = a - b;
            }
            Report report = evener.submit(Job.named("butterfly")
                            .source(SOURCE)
                            .units(N / 2)
                            .granule(distance)
                            .policy(Policies.fixed(share, 1 - share))
                            .kernel("butterfly")
                            .updates(x, slice(2))
                            .scalar(distance)
                            .build())
                    .join();
            if (share == 0.5 && distance < N / 2) {
                long used =
                        report.devices().stream().filter(use -> use.units() > 0).count();
                assertEquals(2, used, "where there are two blocks each device has one");
            }
        }
        assertArrayEquals(values, found());
    }

    /** Both parameters have equal parts, so that no device sees what another writes. */
    @Test
    void oneBufferForTwoParameters() {
        int[] values = filled();
        evener.submit(Job.named("both")
                        .source(SOURCE)
                        .units(N)
                        .jobView()
                        .policy(Policies.fixed(0.5, 0.5))
                        .kernel("both")
                        .writes(x, slice())
                        .reads(x, slice())
                        .build())
                .join();
        for (int i = 0; i < N; i++) {
            values[i] *= 3;
        }
        assertArrayEquals(values, found());
    }
}
