package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.policy.Policies;
import java.lang.reflect.Field;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every option of a program has a default at the top of the file that uses it, so that the program builds without any. */
class KernelSourcesTest {
    private static final List<String> PRIMITIVES = List.of(
            "compact.Compact",
            "histogram.Histogram",
            "histogram.RgbHistogram",
            "image.Canny",
            "image.Gradient",
            "image.GreyConversion",
            "image.HarrisCorners",
            "map.ElementWise",
            "matrix.MatrixMultiply",
            "png.PngEncoder",
            "reduce.Reduce",
            "reduce.ReduceSteps",
            "scan.Scan",
            "scan.SegmentedScan",
            "sort.RadixSort",
            "tonemap.FrameResizer",
            "tonemap.LocalMapping",
            "tonemap.Look",
            "tonemap.PictureRows",
            "tonemap.RunLengths",
            "tonemap.ToneMapper",
            "tonemap.Unassociation");

    @Test
    void buildWithoutOptions() throws ReflectiveOperationException {
        int sources = 0;
        try (Evener evener = TestBed.open("0.0")) {
            for (String primitive : PRIMITIVES) {
                for (Field field :
                        Class.forName("dev.evener.kernels." + primitive).getDeclaredFields()) {
                    if (field.getType() == KernelSource.class) {
                        field.setAccessible(true);
                        KernelSource source = (KernelSource) field.get(null);
                        String text = source.text() + "\n__kernel void nothing(void) {}\n";
                        Job job = Job.named(source.name())
                                .source(KernelSource.of(source.name(), text))
                                .units(1)
                                .kernel("nothing")
                                .build();
                        evener.submit(job, Policies.single()).join();
                        sources++;
                    }
                }
            }
        }
        assertEquals(26, sources);
    }
}
