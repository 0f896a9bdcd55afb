package dev.evener.kernels.image;

import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Images that an interpreter of kernels gets through in seconds. */
public final class SmallImages {
    private static final List<Images.Image> IMAGES = List.of(
            new Images.Image(new ImageSize(1, 1), Images.Kind.NOISE),
            new Images.Image(new ImageSize(1, 20), Images.Kind.NOISE),
            new Images.Image(new ImageSize(7, 5), Images.Kind.NOISE),
            new Images.Image(new ImageSize(65, 21), Images.Kind.SHAPES),
            new Images.Image(new ImageSize(96, 34), Images.Kind.MEANDER));

    private SmallImages() {}

    /** Both forms of every primitive on images; edges of tiles and blocks lie within the last ones. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean asGpu : new boolean[] {false, true}) {
            for (Images.Image image : IMAGES) {
                cases.add(new GradientConformanceTest.Case(image, true, asGpu));
                cases.add(new CannyConformanceTest.Case(image, 40, 300, asGpu));
                cases.add(new HarrisConformanceTest.Case(image, new HarrisCorners.Settings(2, 0.05f, 0), asGpu));
            }
            cases.add(new GradientConformanceTest.Case(IMAGES.get(3), false, asGpu));
            cases.add(new HarrisConformanceTest.Case(IMAGES.get(3), new HarrisCorners.Settings(1, 0.05f, 1e8f), asGpu));
            for (int size : new int[] {1, 17, 4099}) {
                cases.add(new GradientConformanceTest.Grey(size, asGpu));
            }
        }
        return cases;
    }
}
