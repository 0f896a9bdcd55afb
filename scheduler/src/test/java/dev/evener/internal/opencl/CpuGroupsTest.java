package dev.evener.internal.opencl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuGroupsTest {
    @ParameterizedTest
    @CsvSource({
        "1,1,1",
        "7,1,1",
        "8,1,2",
        "64,1,16",
        "256,1,64",
        "1048576,1,64",
        "1048608,1,32",
        "1048577,1,1",
        "64,16,1",
        "1024,16,16",
        "4096,16,64",
        "1000000,2,64",
        "9223372036854775807,1,1"
    })
    void groupsAreLargeAndEnough(long items, int computeUnits, long size) {
        assertEquals(size, CpuGroups.size(items, computeUnits));
    }

    /** PoCL compiles a kernel for each of them. */
    @Test
    void thereAreFewSizesAndAllDivide() {
        TreeSet<Long> sizes = new TreeSet<>();
        for (long items = 1; items < 100_000; items++) {
            long size = CpuGroups.size(items, 2);
            assertEquals(0, items % size);
            sizes.add(size);
        }
        assertTrue(sizes.size() <= 7, sizes::toString);
    }
}
