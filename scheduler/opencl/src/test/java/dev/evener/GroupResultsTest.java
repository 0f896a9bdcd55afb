package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.policy.Policies;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A result for each group of a range of several dimensions: a unit is a row, or a column, of groups, wherever the job is cut, and also
 * where the range is no whole number of groups.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupResultsTest {
    private static final int SIDE = 8;

    private static final String SOURCE = """
            kernel void sums(global const int *in, global int *sums, local int *tile, int width, int height) {
                int x = get_global_id(0), y = get_global_id(1), l = get_local_id(1) * get_local_size(0) + get_local_id(0);
                tile[l] = x < width && y < height ? in[y * width + x] : 0;
                for (int s = get_local_size(0) * get_local_size(1) / 2; s > 0; s /= 2) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (l < s) tile[l] += tile[l + s];
                }
                if (l == 0) sums[SUM] = tile[0] + get_global_size(0) + get_num_groups(1);
            }
            """;

    private final Evener evener = Evener.builder()
            .devices(DeviceSelector.parse("0.0,0.1"))
            .history(History.inMemory())
            .open();

    @AfterAll
    void close() {
        evener.close();
    }

    @ParameterizedTest
    @CsvSource({
        "64, 96, 0.5",
        "61, 93, 0.5",
        "61, 93, 0",
        "61, 93, 1",
        "61, 93, 0.3",
        "8, 200, 0.77",
        "200, 8, 0.5",
        "5, 3, 0.5"
    })
    void rowsOfGroups(int width, int height, double share) {
        int columns = (width + SIDE - 1) / SIDE;
        int rows = (height + SIDE - 1) / SIDE;
        try (HostBuffer in = evener.allocate(ElementType.INT, (long) width * height);
                HostBuffer sums = evener.allocate(ElementType.INT, (long) columns * rows)) {
            for (int i = 0; i < width * height; i++) {
                in.ints().put(i, i * 7919 % 1021);
            }
            int[] expected = new int[columns * rows];
            Arrays.fill(expected, columns * SIDE + rows);
            for (int i = 0; i < width * height; i++) {
                expected[i / width / SIDE * columns + i % width / SIDE] +=
                        in.ints().get(i);
            }
            Job job = Job.named("sums")
                    .source(SOURCE.replace("SUM]", "get_group_id(1) * get_num_groups(0) + get_group_id(0)]"))
                    .range(width, rows)
                    .jobView()
                    .policy(Policies.fixed(share, 1 - share))
                    .kernel("sums")
                    .groupSize(SIDE, SIDE)
                    .variant(Variant.itemsPerUnit(SIDE))
                    .reads(in, slice((long) SIDE * width))
                    .writes(sums, slice(columns))
                    .local(ElementType.INT, SIDE * SIDE)
                    .scalar(width)
                    .scalar(height)
                    .build();
            Report report = evener.submit(job).join();
            int[] found = new int[expected.length];
            sums.ints().get(0, found);
            assertArrayEquals(expected, found);
            long used =
                    report.devices().stream().filter(each -> each.units() > 0).count();
            assertEquals(share == 0 || share == 1 || rows == 1 ? 1 : 2, used);
        }
    }
}
