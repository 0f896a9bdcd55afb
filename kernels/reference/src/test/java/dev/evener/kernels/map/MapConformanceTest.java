package dev.evener.kernels.map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.reference.MapReference;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class MapConformanceTest extends GroupedConformance {
    private static final int TILE = 16384;
    private static final int[] SIZES = {0, 1, 7, TILE - 1, TILE + 1, 5 * TILE + 7};

    @Override
    protected List<PrimitiveCase> cases(boolean asGpu) {
        return cases(SIZES, asGpu);
    }

    static List<PrimitiveCase> cases(int[] sizes, boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (int size : sizes) {
            cases.add(new AddFloats(size, asGpu));
            cases.add(new AddInts(size, asGpu));
            cases.add(new InvertWords(size, asGpu));
            cases.add(new InvertBytes(4 * size + size % 3, asGpu));
        }
        return cases;
    }

    record AddFloats(int size, boolean asGpu) implements TunedCase {
        @Override
        public String name() {
            return toString();
        }

        private static final float[] SPECIAL = {
            Float.NaN,
            Float.intBitsToFloat(0xffc01234),
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            0f,
            -0f,
            Float.MAX_VALUE,
            -Float.MAX_VALUE,
            1,
            0x1p-24f,
            1 + 0x1p-23f
        };

        private float[] data(int seed) {
            Random random = new Random(seed);
            float[] values = new float[size];
            for (int i = 0; i < size; i++) {
                values[i] = random.nextInt(4) == 0
                        ? SPECIAL[random.nextInt(SPECIAL.length)]
                        : (random.nextFloat() - 0.5f) * (1 << random.nextInt(30));
            }
            return values;
        }

        @Override
        public Object run(Evener evener, Policy policy, Tuning tuning) {
            try (HostBuffer a = Buffers.of(evener, data(1));
                    HostBuffer b = Buffers.of(evener, data(2));
                    HostBuffer c = evener.allocate(ElementType.FLOAT, size + 3)) {
                evener.submit(GpuForms.job(asGpu, VectorAdd.job(size, a, b, c, tuning)), policy)
                        .join();
                return Buffers.ints(c, size); // bits
            }
        }

        @Override
        public void check(Object output) {
            float[] expected = MapReference.add(data(1), data(2));
            int[] bits = new int[size];
            for (int i = 0; i < size; i++) {
                bits[i] = Float.floatToIntBits(expected[i]); // one NaN
            }
            assertArrayEquals(bits, (int[]) output);
        }
    }

    record AddInts(int size, boolean asGpu) implements TunedCase {
        @Override
        public String name() {
            return toString();
        }

        private int[] data(int seed) {
            return new Random(seed).ints(size).toArray();
        }

        @Override
        public Object run(Evener evener, Policy policy, Tuning tuning) {
            try (HostBuffer a = Buffers.of(evener, data(1));
                    HostBuffer b = Buffers.of(evener, data(2));
                    HostBuffer c = evener.allocate(ElementType.UINT, size)) {
                evener.submit(GpuForms.job(asGpu, VectorAdd.job(size, a, b, c, tuning)), policy)
                        .join();
                return Buffers.ints(c, size);
            }
        }

        @Override
        public void check(Object output) {
            assertArrayEquals(MapReference.add(data(1), data(2)), (int[]) output);
        }
    }

    record InvertWords(int size, boolean asGpu) implements TunedCase {
        @Override
        public String name() {
            return toString();
        }

        private int[] data() {
            return new Random(3).ints(size).toArray();
        }

        @Override
        public Object run(Evener evener, Policy policy, Tuning tuning) {
            try (HostBuffer in = Buffers.of(evener, data());
                    HostBuffer out = evener.allocate(ElementType.UINT, size)) {
                evener.submit(GpuForms.job(asGpu, ColourInversion.job(size, in, out, tuning)), policy)
                        .join();
                return Buffers.ints(out, size);
            }
        }

        @Override
        public void check(Object output) {
            assertArrayEquals(MapReference.invertWords(data()), (int[]) output);
        }
    }

    record InvertBytes(int size, boolean asGpu) implements TunedCase {
        @Override
        public String name() {
            return toString();
        }

        private byte[] data() {
            byte[] bytes = new byte[size];
            new Random(4).nextBytes(bytes);
            return bytes;
        }

        @Override
        public Object run(Evener evener, Policy policy, Tuning tuning) {
            try (HostBuffer in = Buffers.of(evener, data());
                    HostBuffer out = evener.allocate(ElementType.UBYTE, size)) {
                evener.submit(GpuForms.job(asGpu, ColourInversion.job(size, in, out, tuning)), policy)
                        .join();
                return Buffers.bytes(out, size);
            }
        }

        @Override
        public void check(Object output) {
            assertArrayEquals(MapReference.invertBytes(data()), (byte[]) output);
        }
    }
}
