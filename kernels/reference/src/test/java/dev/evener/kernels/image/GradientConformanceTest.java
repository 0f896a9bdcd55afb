package dev.evener.kernels.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.reference.GradientReference;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GradientConformanceTest extends GroupedConformance {

    @Test
    void theReferenceKnowsASlope() {
        ImageSize size = new ImageSize(4, 3);
        byte[] ramp = {0, 10, 20, 30, 0, 10, 20, 30, 0, 10, 20, 30};
        short[] magnitudes = GradientReference.magnitudes(size, ramp);
        assertEquals(40, magnitudes[4]); // the pixel beyond the edge is 0 too
        assertEquals(80, magnitudes[5]);
        assertEquals(0, GradientReference.sectors(size, ramp)[5]);
        byte[] down = {0, 0, 0, 50, 50, 50};
        assertEquals(2, GradientReference.sectors(new ImageSize(3, 2), down)[1]);
        byte[] lowerRight = {0, 0, 0, 0, 0, 90, 0, 90, 90};
        assertEquals(1, GradientReference.sectors(new ImageSize(3, 3), lowerRight)[4]);
        byte[] upperRight = {0, 90, 90, 0, 0, 90, 0, 0, 0};
        assertEquals(3, GradientReference.sectors(new ImageSize(3, 3), upperRight)[4]);
    }

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (Images.Image image : Images.all()) {
            boolean sectors = image.kind().even;
            cases.add(new Case(image, sectors, asGpu));
        }
        for (int size : new int[] {0, 1, 17, 2 * 16384 + 5}) {
            cases.add(new Grey(size, asGpu));
        }
        return cases;
    }

    record Case(Images.Image image, boolean withSectors, boolean asGpu) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            int pixels = image.size().pixels();
            try (HostBuffer grey = Buffers.of(evener, image.pixels());
                    HostBuffer magnitudes = evener.allocate(ElementType.USHORT, pixels + 3);
                    HostBuffer sectors = evener.allocate(ElementType.UBYTE, pixels)) {
                evener.submit(
                                GpuForms.job(
                                        asGpu,
                                        Gradient.job(image.size(), grey, magnitudes, withSectors ? sectors : null)),
                                policy)
                        .join();
                return List.of(Buffers.shorts(magnitudes, pixels), Buffers.bytes(sectors, withSectors ? pixels : 0))
                        .toArray();
            }
        }

        @Override
        public void check(Object output) {
            Object[] both = (Object[]) output;
            assertArrayEquals(GradientReference.magnitudes(image.size(), image.pixels()), (short[]) both[0]);
            if (withSectors) {
                assertArrayEquals(GradientReference.sectors(image.size(), image.pixels()), (byte[]) both[1]);
            }
        }
    }

    record Grey(int size, boolean asGpu) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private int[] words() {
            int[] words = new Random(5).ints(size).toArray();
            if (size > 1) {
                words[0] = -1;
                words[1] = 0;
            }
            return words;
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            try (HostBuffer words = Buffers.of(evener, words());
                    HostBuffer grey = evener.allocate(ElementType.UBYTE, size)) {
                evener.submit(GpuForms.job(asGpu, GreyConversion.job(size, words, grey)), policy)
                        .join();
                return Buffers.bytes(grey, size);
            }
        }

        @Override
        public void check(Object output) {
            assertArrayEquals(grey(words()), (byte[]) output);
        }
    }

    /** Grey of RGBA words. */
    private static byte[] grey(int[] words) {
        byte[] grey = new byte[words.length];
        for (int i = 0; i < grey.length; i++) {
            int red = words[i] & 0xff;
            int green = words[i] >>> 8 & 0xff;
            int blue = words[i] >>> 16 & 0xff;
            grey[i] = (byte) ((77 * red + 150 * green + 29 * blue + 128) / 256);
        }
        return grey;
    }
}
