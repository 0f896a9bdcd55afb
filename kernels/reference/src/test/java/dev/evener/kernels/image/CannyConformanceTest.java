package dev.evener.kernels.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.CannyReference;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CannyConformanceTest extends GroupedConformance {
    private static final int LOW = 40;
    private static final int HIGH = 300;

    /** The image that hysteresis is tested with has to need it: strong at one end, edges in every tile far from it. */
    @Test
    void theMeanderHangsOnOneEnd() {
        Images.Image image = new Images.Image(new ImageSize(384, 70), Images.Kind.MEANDER);
        byte[] strong = CannyReference.edges(image.size(), image.pixels(), HIGH, HIGH);
        byte[] all = CannyReference.edges(image.size(), image.pixels(), LOW, HIGH);
        byte[] none = CannyReference.edges(image.size(), image.pixels(), LOW, Canny.MOST);
        assertTrue(count(strong, 0, 384) > 0 && count(strong, 30, 384) == 0, "strong pixels at the left alone");
        assertTrue(count(all, 370, 384) > 50, "the line reaches the right");
        assertTrue(count(none, 0, 384) == 0, "and hangs on that end");
    }

    private static int count(byte[] edges, int from, int to) {
        int count = 0;
        for (int i = 0; i < edges.length; i++) {
            count += edges[i] != 0 && i % 384 >= from && i % 384 < to ? 1 : 0;
        }
        return count;
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (Images.Image image : Images.all()) {
            cases.add(new Case(image, LOW, HIGH, asGpu));
        }
        cases.add(new Case(new Images.Image(new ImageSize(128, 60), Images.Kind.NOISE), 150, 700, asGpu));
        cases.add(new Case(new Images.Image(new ImageSize(256, 300), Images.Kind.MEANDER), LOW, HIGH, asGpu));
        return cases;
    }

    record Case(Images.Image image, int low, int high, boolean asGpu) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            int pixels = image.size().pixels();
            try (Canny canny = new Canny(evener::allocate);
                    HostBuffer grey = Buffers.of(evener, image.pixels());
                    HostBuffer edges = evener.allocate(ElementType.UBYTE, pixels)) {
                evener.submit(GpuForms.job(asGpu, canny.job(image.size(), grey, edges, low, high)), policy)
                        .join();
                return Buffers.bytes(edges, pixels);
            }
        }

        @Override
        public void check(Object output) {
            assertArrayEquals(CannyReference.edges(image.size(), image.pixels(), low, high), (byte[]) output);
        }
    }
}
