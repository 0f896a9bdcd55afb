package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.image.Image;
import dev.evener.image.ImageFormat;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The shapes of docs/kernels.md, split between two devices, and compared with plain loops. */
class PublishedTest {
    /** Runs the jobs on the devices of an Evener. */
    static void runAll(Evener evener, int n) {
        PublishedTest test = new PublishedTest();
        test.evener = evener;
        test.maps(n);
        test.grids(37, 11 + n % 50);
        test.sums(n);
        test.rowsAndColumns(23, 9 + n % 30);
    }

    private Evener evener;
    private final Random random = new Random(8);

    private HostBuffer floats(int n) {
        HostBuffer made = evener.allocate(ElementType.FLOAT, n);
        for (int i = 0; i < n; i++) {
            made.floats().put(i, random.nextInt(1000) / 8f + 1);
        }
        return made;
    }

    private static float[] content(HostBuffer buffer) {
        float[] all = new float[(int) buffer.elements()];
        buffer.floats().get(all);
        return all;
    }

    private void run(Job job) {
        evener.submit(job).join();
    }

    @Test
    void areSplitAndRight() {
        for (boolean shared : List.of(true, false)) {
            EvenerBuilder builder = Evener.builder()
                    .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                    .sharedMemory(shared)
                    .history(History.inMemory());
            for (Supplier<Policy> policy :
                    List.<Supplier<Policy>>of(() -> Policies.fixed(0.37, 0.63), Policies::stealing, Policies::guided)) {
                try (Evener open = builder.policy(policy.get()).open()) {
                    for (int n : List.of(1, 1000, 1001, 4999)) {
                        runAll(open, n);
                        evener = open;
                        pictures(n % 90 + 1, 5 + n % 70);
                    }
                }
            }
        }
    }

    private void maps(int n) {
        HostBuffer x = floats(n);
        HostBuffer y = floats(n);
        float[] before = content(y);
        run(Published.saxpy(0.5f, x, y, n));
        for (int i = 0; i < n; i++) {
            assertEquals(before[i] + 0.5f * x.floats().get(i), y.floats().get(i));
        }
        run(Published.square(x, y));
        run(Published.scale(y, 0.25f, n));
        HostBuffer index = evener.allocate(ElementType.INT, n);
        for (int i = 0; i < n; i++) {
            assertEquals(
                    x.floats().get(i) * x.floats().get(i) * 0.25f, y.floats().get(i));
            index.ints().put(i, n - 1 - i);
        }
        HostBuffer z = floats(n);
        run(Published.gather(x, index, z, n));
        run(Published.permute(z, index, y, n));
        for (int i = 0; i < n; i++) {
            assertEquals(x.floats().get(n - 1 - i), z.floats().get(i));
            assertEquals(x.floats().get(i), y.floats().get(i));
        }
    }

    private void grids(int width, int height) {
        HostBuffer now = floats(width * height);
        HostBuffer next = floats(width * height);
        float[] expected = content(next);
        float[] a = content(now);
        for (int y = 1; y < height - 1; y++) {
            for (int x = 1; x < width - 1; x++) {
                int i = y * width + x;
                expected[i] = a[i] + 0.25f * (a[i - width] + a[i + width] + a[i - 1] + a[i + 1] - 4 * a[i]);
            }
        }
        run(Published.heat(now, next, width, height));
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], next.floats().get(i));
        }
    }

    private void sums(int n) {
        HostBuffer x = evener.allocate(ElementType.INT, n);
        HostBuffer bytes = evener.allocate(ElementType.UBYTE, 3L * n);
        HostBuffer values = evener.allocate(ElementType.UBYTE, n);
        HostBuffer inverted = evener.allocate(ElementType.UBYTE, 3L * n);
        HostBuffer sums = evener.allocate(ElementType.INT, (n + 127) / 128);
        HostBuffer bins = evener.allocate(ElementType.INT, 256);
        int[] expected = new int[(n + 127) / 128];
        int[] counts = new int[256];
        for (int i = 0; i < n; i++) {
            x.ints().put(i, random.nextInt());
            bytes.bytes().put(i, (byte) random.nextInt()).put(n + i, (byte) i).put(2 * n + i, (byte) 7);
            expected[i / 128] += x.ints().get(i);
            values.bytes().put(i, (byte) (i * i));
            counts[values.bytes().get(i) & 255]++;
        }
        run(Published.blockSums(x, sums, n));
        run(Published.histogram(values, bins, n));
        run(Published.histogram(values, bins, n)); // on top of what is there
        run(Published.invert(bytes, inverted, n));
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], sums.ints().get(i));
        }
        int pairs = (n + 15) / 16 * 8; // so that all distances make whole blocks
        HostBuffer paired = evener.allocate(ElementType.INT, 2L * pairs);
        for (int distance : new int[] {1, 8, pairs / 8, pairs}) {
            int[] was = new int[2 * pairs];
            paired.ints().put(0, random.nextInt());
            paired.ints().get(0, was);
            run(Published.butterfly(paired, distance, pairs));
            for (int i = 0; i < was.length; i++) {
                boolean low = i / distance % 2 == 0;
                int other = was[low ? i + distance : i - distance];
                assertEquals(
                        low ? was[i] + other : other - was[i], paired.ints().get(i));
            }
        }
        for (int i = 0; i < 256; i++) {
            assertEquals(2 * counts[i], bins.ints().get(i));
        }
        for (int i = 0; i < 3 * n; i++) {
            assertEquals((byte) ~bytes.bytes().get(i), inverted.bytes().get(i));
        }
    }

    private void pictures(int width, int height) {
        Image<ManagedBuffer> in = evener.image(ImageFormat.R_FLOAT, width, height);
        Image<ManagedBuffer> out = evener.image(ImageFormat.R_FLOAT, width, height);
        float[] a = new float[width * height];
        for (int i = 0; i < a.length; i++) {
            a[i] = random.nextInt(1000);
        }
        in.pixels().overwrite(view -> view.floats().put(a));
        run(Published.sharpen(in, out));
        float[] found = new float[a.length];
        out.pixels().read(view -> view.floats().get(found));
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int i = y * width + x;
                float around = a[x > 0 ? i - 1 : i]
                        + a[x < width - 1 ? i + 1 : i]
                        + a[y > 0 ? i - width : i]
                        + a[y < height - 1 ? i + width : i];
                assertEquals(5 * a[i] - around, found[i]);
            }
        }
    }

    private void rowsAndColumns(int width, int height) {
        HostBuffer a = floats(width * height);
        HostBuffer means = floats(width);
        run(Published.columnMeans(a, means, width, height));
        for (int c = 0; c < width; c++) {
            float sum = 0;
            for (int r = 0; r < height; r++) {
                sum += a.floats().get(r * width + c);
            }
            assertEquals(sum / height, means.floats().get(c));
        }
        int n = Math.min(width, height);
        HostBuffer square = floats(n * n);
        for (int i = 0; i < n; i++) {
            square.floats().put(i * n + i, 10_000); // so that factors are small, and roundings stay so
        }
        float[] expected = content(square);
        for (int k = 0; k < n - 1; k++) {
            for (int row = k + 1; row < n; row++) {
                float factor = expected[row * n + k] / expected[k * n + k];
                for (int col = k + 1; col < n; col++) {
                    expected[row * n + col] -= factor * expected[k * n + col];
                }
            }
            run(Published.eliminate(square, n, k));
        }
        for (int i = 0; i < n * n; i++) {
            assertTrue(Float.isFinite(expected[i]), "else any value would do");
            assertEquals(expected[i], square.floats().get(i), Math.abs(expected[i]) * 1e-4f);
        }
    }

    /** The page shows kernels as they are run, whole or in its table of shapes by their parts. */
    @Test
    void theKernelsOfThePageAreThoseThatRun() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "kernels.md"));
        String program = Files.readString(Path.of("src/test/java/dev/evener/examples/Published.java"));
        String kernels = Published.SOURCE.text() + Published.IMAGES.text();
        Matcher kernel = Pattern.compile("```c\n(.*?)```\n", Pattern.DOTALL).matcher(page);
        List<String> shown = new ArrayList<>();
        while (kernel.find()) {
            assertTrue(kernels.contains(kernel.group(1)), kernel.group(1));
            shown.add(kernel.group(1));
        }
        assertEquals(4, shown.size());
        String shapes = page.substring(page.indexOf("## Shapes"), page.indexOf("## A stencil"));
        Matcher row = Pattern.compile("^\\|[^|`]*\\| `(.*?)` \\| (.*) \\|$", Pattern.MULTILINE)
                .matcher(shapes);
        int rows = 0;
        for (; row.find(); rows++) {
            assertTrue(kernels.contains(row.group(1)), row.group(1));
            for (String part : row.group(2).split(", (?=[`.])", -1)) {
                assertTrue(program.contains(part.replace("`", "")), part);
            }
        }
        assertEquals(10, rows);
    }
}
