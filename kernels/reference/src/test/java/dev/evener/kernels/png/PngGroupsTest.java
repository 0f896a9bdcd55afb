package dev.evener.kernels.png;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.Evener;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.TestBed;
import dev.evener.kernels.png.PngCase.Kind;
import dev.evener.policy.Policies;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What GPUs run: a group has a row. Rows of one round of its work-items, and of more. */
class PngGroupsTest {

    @Test
    void inGroups() {
        List<PngCase> cases = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            cases.add(new PngCase(kind, 1, 70, 0, true));
            cases.add(new PngCase(kind, 33, 65, 2, true));
            cases.add(new PngCase(kind, 4200, 33, 0, true));
            cases.add(new PngCase(kind, 300, 40, 0, true));
            cases.add(PngCase.wide(kind, 1, 34, 0, true));
            cases.add(PngCase.wide(kind, 1100, 40, 1, true));
        }
        GpuForms.check(cases);
    }

    /** The host made the codes of all blocks on the lane's thread, 3 to 22 ms a picture, from tables of 5 MB that were fetched for it. */
    @Test
    void devicesMakeTheCodesThatJavaMakes() {
        try (Evener java = TestBed.open("jvm");
                Evener device = TestBed.open("0.0")) {
            for (Kind kind : Kind.values()) {
                for (int width : new int[] {3, 40, 2100}) {
                    byte[] expected = (byte[]) new PngCase(kind, width, 69, 0, false).run(java, Policies.single());
                    for (boolean groups : new boolean[] {false, true}) {
                        PngCase same = new PngCase(kind, width, 69, 0, groups);
                        assertArrayEquals(expected, (byte[]) same.run(device, Policies.single()), same.toString());
                    }
                }
            }
        }
    }
}
