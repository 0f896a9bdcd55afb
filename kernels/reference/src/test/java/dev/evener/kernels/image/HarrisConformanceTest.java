package dev.evener.kernels.image;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.HarrisReference;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HarrisConformanceTest extends GroupedConformance {

    @Test
    void theReferenceFindsTheCornersOfASquare() {
        ImageSize size = new ImageSize(20, 20);
        byte[] square = new byte[400];
        for (int y = 5; y < 15; y++) {
            for (int x = 5; x < 15; x++) {
                square[y * 20 + x] = 100;
            }
        }
        List<HarrisReference.Corner> corners =
                HarrisReference.corners(size, square, new HarrisCorners.Settings(1, 0.05f, 1e9f));
        assertEquals(4, corners.size(), corners.toString());
        assertEquals(5, corners.get(0).x(), 1);
        assertEquals(5, corners.get(0).y(), 1);
        assertEquals(14, corners.get(3).x(), 1);
        assertEquals(14, corners.get(3).y(), 1);
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (Images.Image image : Images.all()) {
            int radius = (image.kind().even ? 1 : 2);
            float threshold = image.kind() == Images.Kind.NOISE ? 0 : 1e8f;
            cases.add(new Case(image, new HarrisCorners.Settings(radius, 0.05f, threshold), asGpu));
        }
        return cases;
    }

    record Case(Images.Image image, HarrisCorners.Settings settings, boolean asGpu) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            int room = image.size().pixels();
            try (HarrisCorners harris = new HarrisCorners(evener::allocate);
                    HostBuffer grey = Buffers.of(evener, image.pixels());
                    HostBuffer corners = evener.allocate(ElementType.UINT, room);
                    HostBuffer strengths = evener.allocate(ElementType.FLOAT, room);
                    HostBuffer count = evener.allocate(ElementType.UINT, 1);
                    HostBuffer other = evener.allocate(ElementType.UINT, 1)) {
                evener.submit(
                                GpuForms.job(
                                        asGpu,
                                        harris.job(image.size(), grey, corners, strengths, count, other, settings)),
                                policy)
                        .join();
                assertEquals(count.ints().get(0), other.ints().get(0));
                List<HarrisReference.Corner> found = new ArrayList<>();
                for (int i = 0; i < count.ints().get(0); i++) {
                    int place = corners.ints().get(i);
                    found.add(new HarrisReference.Corner(
                            place & 0xffff, place >>> 16, strengths.floats().get(i)));
                }
                return found;
            }
        }

        @Override
        public void check(Object output) {
            assertEquals(HarrisReference.corners(image.size(), image.pixels(), settings), output);
        }
    }
}
