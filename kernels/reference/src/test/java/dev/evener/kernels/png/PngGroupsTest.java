package dev.evener.kernels.png;

import dev.evener.kernels.GpuForms;
import dev.evener.kernels.png.PngCase.Kind;
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
}
