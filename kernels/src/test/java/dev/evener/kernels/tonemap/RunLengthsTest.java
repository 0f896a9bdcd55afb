package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import dev.evener.policy.Policy;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Codes of all lengths, rows that are one pixel wide or wider than a window of code, and bytes that are no code. */
class RunLengthsTest extends PrimitiveConformance {
    private static List<PrimitiveCase> of(boolean groups) {
        return Stream.of(Writer.values())
                .flatMap(writer -> Stream.<PrimitiveCase>of(
                        new Coded(writer, 1, 1, groups),
                        new Coded(writer, 127, 30, groups),
                        new Coded(writer, 2_049, 19, groups),
                        new Coded(writer, 7_681, 5, groups)))
                .toList();
    }

    @Override
    protected List<PrimitiveCase> cases() {
        return of(false);
    }

    @Test
    void inGroups() {
        GpuForms.check(of(true));
    }

    @Test
    void whatIsNoCodeIsCountedAndTouchesNothingElse() {
        int rows = 40;
        FrameLayout layout = new FrameLayout(300, rows);
        byte[] noise = new byte[1000];
        Random random = new Random(3);
        try (Evener evener = Evener.open();
                HostBuffer coded = evener.allocate(ElementType.UBYTE, noise.length);
                HostBuffer places = evener.allocate(ElementType.UINT, 2L * rows);
                HostBuffer damaged = evener.allocate(ElementType.UINT, 1);
                HostBuffer frame = evener.allocate(ElementType.UINT, (long) layout.stride() * (rows + 2))) {
            for (boolean groups : new boolean[] {false, true}) {
                random.nextBytes(noise);
                coded.bytes().put(noise);
                for (int i = 0; i < 2 * rows; i++) {
                    places.ints().put(i, i % 3 == 0 ? -i : random.nextInt(1100));
                }
                for (int i = 0; i < frame.elements(); i++) {
                    frame.ints().put(i, 0x5a5a5a5a);
                }
                RunLengths runs = new RunLengths(coded, noise.length, places);
                Job job = runs.addTo(Job.named("noise").units(rows), layout, frame, damaged)
                        .build();
                CompletionException failure = assertThrows(
                        CompletionException.class,
                        () -> evener.submit(GpuForms.job(groups, job)).join());
                assertTrue(failure.getMessage().contains("40 of 40 scanlines are damaged"), failure::getMessage);
                IntBuffer behind = frame.ints().slice(layout.stride() * rows, 2 * layout.stride());
                while (behind.hasRemaining()) {
                    assertEquals(0x5a5a5a5a, behind.get());
                }
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new RunLengths(coded, noise.length + 1, places)
                            .addTo(Job.named("long").units(rows), layout, frame, damaged));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new RunLengths(coded, noise.length, places)
                            .addTo(Job.named("wide").units(1), new FrameLayout(32_768, 1), frame, damaged));
        }
    }

    /** Each way a row can be wrong whose neighbours' heads are where they should be. */
    @Test
    void damagedRowsAreCounted() {
        int width = 300;
        int rows = 7;
        FrameLayout layout = new FrameLayout(width, rows);
        Coded frame = new Coded(Writer.SINGLE, width, rows, false); // two bytes a pixel, (129, value)
        byte[] good = frame.code(0);
        int row = good.length / rows;
        try (Evener evener = Evener.open();
                HostBuffer coded = evener.allocate(ElementType.UBYTE, good.length);
                HostBuffer places = evener.allocate(ElementType.UINT, 2L * rows);
                HostBuffer damaged = evener.allocate(ElementType.UINT, 1);
                HostBuffer pixels = evener.allocate(ElementType.UINT, (long) layout.stride() * rows)) {
            for (boolean groups : new boolean[] {false, true}) {
                byte[] bad = good.clone();
                bad[row + RunLengths.HEAD] = 0; // no code
                bad[2 * row + RunLengths.HEAD + 2 * (width - 1)] = (byte) 130; // beyond the component
                bad[3 * row + RunLengths.HEAD + 4] = (byte) 130; // the row is full before its end
                bad[5 * row + RunLengths.HEAD + 8 * width - 2] = 2; // beyond the row
                coded.bytes().put(bad);
                assertTrue(RunLengths.find(coded.bytes(), bad.length, width, places.ints()));
                Job job = new RunLengths(coded, bad.length, places)
                        .addTo(Job.named("damaged").units(rows), layout, pixels, damaged)
                        .build();
                CompletionException failure = assertThrows(
                        CompletionException.class,
                        () -> evener.submit(GpuForms.job(groups, job)).join());
                assertTrue(failure.getMessage().contains("4 of 7 scanlines are damaged"), failure::getMessage);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Writer.class)
    void rowsAreFound(Writer writer) {
        for (int width : new int[] {1, 8, 127, 514, 7_681}) {
            int rows = 9;
            byte[] code = new Coded(writer, width, rows, false).code(0);
            for (int behind : new int[] {0, 1, 9}) {
                int[] expected = new int[2 * rows];
                int at = 0;
                for (int row = 0; row < rows; row++) {
                    expected[2 * row] = at;
                    at = RunLengths.end(code, code.length, at, width);
                    expected[2 * row + 1] = at;
                }
                byte[] padded = Arrays.copyOf(code, code.length + behind);
                assertArrayEquals(expected, found(padded, width, rows), writer + " " + width);
            }
            assertNull(found(Arrays.copyOf(code, code.length - 1), width, rows));
            assertNull(found(code, width, rows + 1));
            assertNull(found(code, width + 1, rows));
            assertEquals(2 * rows - 2, found(code, width, rows - 1).length); // what is behind is left alone
        }
    }

    /** Pixels may be what heads are, before the first row's end, too. */
    @Test
    void pixelsThatLookLikeHeadsAreNone() {
        int width = 514;
        byte[] row = new byte[RunLengths.HEAD + 4 * (2 + 4 * 127 + 4 + 6)];
        int at = 0;
        for (byte each : new byte[] {2, 2, 2, 2}) {
            row[at++] = each;
        }
        for (int component = 0; component < 4; component++) {
            for (int left = width, count; left > 0; left -= count) {
                count = Math.min(left, 127);
                row[at++] = (byte) count;
                Arrays.fill(row, at, at + count, (byte) 2);
                at += count;
            }
        }
        byte[] code = new byte[3 * at];
        for (int i = 0; i < 3; i++) {
            System.arraycopy(row, 0, code, i * at, at);
        }
        assertArrayEquals(new int[] {0, at, at, 2 * at, 2 * at, 3 * at}, found(code, width, 3));
    }

    /** Null if there are none. */
    private static int[] found(byte[] code, int width, int rows) {
        int[] found = new int[2 * rows];
        return RunLengths.find(ByteBuffer.wrap(code), code.length, width, IntBuffer.wrap(found)) ? found : null;
    }

    /** How an encoder may divide the bytes of a component, which all readers must understand. */
    enum Writer {
        LONGEST,
        LITERALS,
        SINGLE,
        RANDOM
    }

    /** Rows with runs and noise. */
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
            return bytes;
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

        /** All rows' code, behind so many other bytes. */
        byte[] code(int before) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(new byte[before]);
            Random random = new Random(height);
            for (int i = 0; i < 4 * height; i++) {
                if (i % 4 == 0) {
                    out.writeBytes(new byte[] {2, 2, (byte) (width >> 8), (byte) width});
                }
                write(component(i), out, random);
            }
            return out.toByteArray();
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            int before = 17; // of a header
            byte[] code = code(before);
            FrameLayout layout = new FrameLayout(width, height);
            try (HostBuffer coded = evener.allocate(ElementType.UBYTE, code.length);
                    HostBuffer places = evener.allocate(ElementType.UINT, 2L * height);
                    HostBuffer damaged = evener.allocate(ElementType.UINT, 1);
                    HostBuffer frame = evener.allocate(ElementType.UINT, (long) layout.stride() * height)) {
                coded.bytes().put(code);
                for (int row = 0, at = before; row < height; row++) {
                    places.ints().put(2 * row, at);
                    at = RunLengths.end(code, code.length, at, width);
                    places.ints().put(2 * row + 1, at);
                }
                Job job = new RunLengths(coded, code.length, places)
                        .addTo(Job.named("runs").units(height), layout, frame, damaged)
                        .build();
                evener.submit(GpuForms.job(groups, job), policy).join();
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
