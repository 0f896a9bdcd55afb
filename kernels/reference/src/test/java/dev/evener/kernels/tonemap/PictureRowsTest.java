package dev.evener.kernels.tonemap;

import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.tonemap.PictureRows.Layout;
import java.util.List;
import java.util.stream.Stream;

/** Even and odd sizes, of a pixel too, and more rows than a granule. */
class PictureRowsTest extends GroupedConformance {
    @Override
    protected List<PrimitiveCase> cases(boolean groups) {
        return Stream.of(Layout.values())
                .flatMap(layout -> Stream.<PrimitiveCase>of(
                        new RowsCase(layout, false, 1, 1, groups),
                        new RowsCase(layout, layout.name().startsWith("RGBA"), 64, 40, groups),
                        new RowsCase(layout, layout == Layout.RGBA16, 149, 261, groups)))
                .toList();
    }
}
