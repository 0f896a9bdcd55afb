package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.GroupedConformance;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.policy.Policy;
import java.io.ByteArrayOutputStream;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Codes of all lengths, rows that are one pixel wide, as narrow and as wide as files have them or wider than a window of code, pixels that
 * look like heads of rows, and bytes that are no code.
 */
class RunLengthsTest extends GroupedConformance {
    @Override
    protected List<PrimitiveCase> cases(boolean groups) {
        return Stream.of(Writer.values())
                .flatMap(writer -> Stream.<PrimitiveCase>of(
                        new Coded(writer, 1, 1, groups),
                        new Coded(writer, 8, 40, groups),
                        new Coded(writer, 9, 1, groups),
                        new Coded(writer, 127, 30, groups),
                        new Coded(writer, 2_049, 19, groups),
                        new Coded(writer, 7_681, 5, groups),
                        new Coded(writer, 32_767, writer == Writer.SINGLE ? 1 : 2, groups)))
                .toList();
    }

    @Test
    void whatIsNoCodeTouchesNothingElse() {
        int rows = 40;
        FrameLayout layout = new FrameLayout(300, rows);
        byte[] noise = new byte[1000];
        Random random = new Random(3);
        try (Evener evener = Evener.open();
                HostBuffer coded = evener.allocate(ElementType.UBYTE, noise.length);
                HostBuffer lost = evener.allocate(ElementType.UINT, rows);
                HostBuffer frame = evener.allocate(ElementType.UINT, (long) layout.stride() * (rows + 2))) {
            for (boolean groups : new boolean[] {false, true}) {
                random.nextBytes(noise);
                coded.bytes().put(noise);
                for (int at = 0; at < noise.length - 3; at += 1 + random.nextInt(20)) {
                    coded.bytes().put(at, new byte[] {2, 2, 1, 44}); // the heads of rows of 300 bytes
                }
                for (int i = 0; i < frame.elements(); i++) {
                    frame.ints().put(i, 0x5a5a5a5a);
                }
                RunLengths runs = new RunLengths(coded, noise.length, lost);
                Job job = runs.addTo(Job.named("noise").units(rows), layout, frame)
                        .build();
                evener.submit(GpuForms.job(groups, job)).join();
                assertFalse(runs.isWhole(layout));
                IntBuffer behind = frame.ints().slice(layout.stride() * rows, 2 * layout.stride());
                while (behind.hasRemaining()) {
                    assertArrayEquals(new int[] {0x5a5a5a5a}, new int[] {behind.get()});
                }
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new RunLengths(coded, noise.length + 1, lost)
                            .addTo(Job.named("long").units(rows), layout, frame));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new RunLengths(coded, noise.length, lost)
                            .addTo(Job.named("wide").units(1), new FrameLayout(32_768, 1), frame));
        }
    }

    /** How an encoder may divide the bytes of a component, which all readers must understand. */
    enum Writer {
        LONGEST,
        LITERALS,
        SINGLE,
        RANDOM
    }

    /** Rows with runs and noise; in the second component bytes as a row begins with, and the last one of one value. */
    record Coded(Writer writer, int width, int height, boolean groups) implements PrimitiveCase {
        @Override
        public String name() {
            return toString();
        }

        private byte[] component(int number) {
            Random random = new Random(number);
            byte[] bytes = new byte[width];
            for (int at = 0; at < width; ) {
                int count = Math.min(width - at, 1 + random.nextInt(random.nextInt(4) == 0 ? 400 : 9));
                if (random.nextBoolean()) {
                    Arrays.fill(bytes, at, at + count, (byte) random.nextInt());
                } else {
                    for (int i = 0; i < count; i++) {
                        bytes[at + i] = (byte) random.nextInt();
                    }
                }
                at += count;
            }
            if (number % 4 == 1 && width >= 8) {
                System.arraycopy(head(), 0, bytes, random.nextInt(width - 3), 4);
            } else if (number % 4 == 3) {
                Arrays.fill(bytes, bytes[0]);
            }
            return bytes;
        }

        private byte[] head() {
            return new byte[] {2, 2, (byte) (width >> 8), (byte) width};
        }

        private void write(byte[] bytes, ByteArrayOutputStream out, Random random) {
            for (int at = 0, count; at < width; at += count) {
                int run = 1;
                while (run < 127 && at + run < width && bytes[at + run] == bytes[at]) {
                    run++;
                }
                boolean runs = writer == Writer.SINGLE
                        || (writer == Writer.LONGEST && run > 2)
                        || (writer == Writer.RANDOM && random.nextBoolean());
                if (runs) {
                    count = writer == Writer.SINGLE ? 1 : writer == Writer.LONGEST ? run : 1 + random.nextInt(run);
                    out.write(128 + count);
                    out.write(bytes[at]);
                } else {
                    int most = Math.min(128, width - at);
                    count = writer == Writer.LONGEST ? 1 : writer == Writer.LITERALS ? most : 1 + random.nextInt(most);
                    out.write(count);
                    out.write(bytes, at, count);
                }
            }
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            Random random = new Random(height);
            for (int i = 0; i < 4 * height; i++) {
                if (i % 4 == 0) {
                    out.writeBytes(head());
                }
                write(component(i), out, random);
            }
            out.writeBytes(new byte[17]); // which is no row
            FrameLayout layout = new FrameLayout(width, height);
            byte[] code = out.toByteArray();
            try (HostBuffer coded = evener.allocate(ElementType.UBYTE, code.length);
                    HostBuffer lost = evener.allocate(ElementType.UINT, height);
                    HostBuffer frame = evener.allocate(ElementType.UINT, (long) layout.stride() * height)) {
                coded.bytes().put(code);
                RunLengths runs = new RunLengths(coded, code.length, lost);
                Job job = runs.addTo(Job.named("runs").units(height), layout, frame)
                        .build();
                evener.submit(GpuForms.job(groups, job), policy).join();
                assertTrue(runs.isWhole(layout), name());
                byte[] bytes = new byte[4 * layout.stride() * height];
                frame.bytes().get(bytes);
                return bytes;
            }
        }

        @Override
        public void check(Object output) {
            int stride = new FrameLayout(width, height).stride();
            for (int i = 0; i < 4 * height; i++) {
                byte[] expected = Arrays.copyOf(component(i), stride);
                assertArrayEquals(expected, Arrays.copyOfRange((byte[]) output, i * stride, (i + 1) * stride), name());
            }
        }
    }
}
