package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.KernelSource;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LanguageVersionTest {
    @Test
    void theLatestIsTheLanguagesOrFromThreeOnTheDevices() {
        assertNull(LanguageVersion.latest("OpenCL 1.2 CUDA", "OpenCL C 1.2 "));
        assertNull(LanguageVersion.latest("OpenCL 2.1 ", "OpenCL C 1.2 "));
        assertNull(LanguageVersion.latest((String) null, null));
        assertEquals(" -cl-std=CL2.0", LanguageVersion.latest("OpenCL 2.1 AMD-APP", "OpenCL C 2.0 "));
        assertEquals(" -cl-std=CL3.0", LanguageVersion.latest("OpenCL 3.0 PoCL", "OpenCL C 1.2 PoCL"));
    }

    /** What stands in comments and strings, or is a longer name, says nothing. */
    @Test
    void namesOfLaterVersions() {
        KernelSource text = KernelSource.of("t", """
                // work_group_reduce_add
                int my_sub_group_id(int i) { return i; }
                kernel void k(global int *x) { x[0] = work_group_scan_inclusive_min(get_sub_group_size()); }
                """);
        assertEquals(Set.of("work_group_scan_inclusive_min", "get_sub_group_size"), LanguageVersion.laterNames(text));
        assertEquals(Set.of(), LanguageVersion.laterNames(KernelSource.of("t", "kernel void k(global int *x) {}")));
    }
}
