package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs of docs/embedding.md compute what plain Java computes, split between two devices, and run as they are. */
class ExamplesTest {
    private Evener evener;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .policy(Policies.fixed(0.3, 0.7))
                .history(History.inMemory())
                .open();
    }

    @AfterEach
    void close() {
        evener.close();
    }

    /** Runs a job, of which each device must have had a part. */
    private void run(Job job) {
        Report report = evener.submit(job).join();
        for (Report.DeviceUse device : report.devices()) {
            assertTrue(device.units() > 0, () -> device + " had nothing to do");
        }
    }

    private HostBuffer floats(float... values) {
        HostBuffer buffer = evener.allocate(ElementType.FLOAT, values.length);
        buffer.floats().put(values);
        return buffer;
    }

    private static float[] content(HostBuffer buffer) {
        float[] values = new float[(int) buffer.elements()];
        buffer.floats().get(values);
        return values;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void heat(boolean shared) {
        int width = 64;
        int height = 48;
        float[] plate = new float[width * height];
        Random random = new Random(1);
        for (int i = 0; i < plate.length; i++) {
            plate[i] = random.nextFloat();
        }
        try (Evener own = two(shared)) {
            float[] result = Heat.after(own, plate, width, height, 11);
            for (int step = 0; step < 11; step++) {
                float[] next = new float[plate.length];
                for (int i = 0; i < plate.length; i++) {
                    float here = plate[i];
                    float up = i >= width ? plate[i - width] : here;
                    float down = i + width < plate.length ? plate[i + width] : here;
                    float left = i % width > 0 ? plate[i - 1] : here;
                    float right = i % width + 1 < width ? plate[i + 1] : here;
                    next[i] = here + 0.2f * (((up + down) + (left + right)) - 4 * here);
                }
                plate = next;
            }
            assertArrayEquals(plate, result);
        }
    }

    private static Evener two(boolean shared) {
        return Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .policy(Policies.fixed(0.3, 0.7))
                .sharedMemory(shared)
                .history(History.inMemory())
                .open();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void heatSettles(boolean shared) {
        int width = 16;
        int height = 12;
        float[] plate = new float[width * height];
        plate[5] = 1;
        try (Evener own = two(shared);
                ManagedBuffer now = own.allocateManaged(ElementType.FLOAT, plate.length);
                ManagedBuffer next = own.allocateManaged(ElementType.FLOAT, plate.length)) {
            now.overwrite(view -> view.floats().put(plate));
            int steps = (int) Heat.settle(own, now, next, width, height, 1e-3f);
            float[] result = new float[plate.length];
            (steps % 2 == 0 ? now : next).read(view -> view.floats().get(result));
            assertArrayEquals(Heat.after(own, plate, width, height, steps), result);
            assertTrue(steps >= 10 && greatestChange(own, plate, width, height, steps) < 1e-3f, "after " + steps);
        }
    }

    private static float greatestChange(Evener own, float[] plate, int width, int height, int steps) {
        float[] last = Heat.after(own, plate, width, height, steps);
        float[] before = Heat.after(own, plate, width, height, steps - 1);
        float greatest = 0;
        for (int i = 0; i < last.length; i++) {
            greatest = Math.max(greatest, Math.abs(last[i] - before[i]));
        }
        return greatest;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void kMeans(boolean shared) {
        Random random = new Random(2);
        int n = 40 * KMeans.BLOCK;
        float[] points = new float[2 * n];
        for (int i = 0; i < points.length; i++) {
            points[i] = random.nextInt(4) + 0.25f * random.nextInt(4); // their sums are exact in any order
        }
        float[] centres = {0, 0, 1, 3, 3, 1};
        float[] expected = centres.clone();
        int[] labels;
        try (Evener own = two(shared)) {
            labels = KMeans.labels(own, points, centres, 7);
        }
        int[] nearest = new int[n];
        for (int iteration = 0; iteration < 7; iteration++) {
            float[] sums = new float[9];
            for (int i = 0; i < n; i++) {
                float least = Float.POSITIVE_INFINITY;
                for (int c = 0; c < 3; c++) {
                    float x = points[2 * i] - expected[2 * c];
                    float y = points[2 * i + 1] - expected[2 * c + 1];
                    if (x * x + y * y < least) {
                        least = x * x + y * y;
                        nearest[i] = c;
                    }
                }
                sums[3 * nearest[i]] += points[2 * i];
                sums[3 * nearest[i] + 1] += points[2 * i + 1];
                sums[3 * nearest[i] + 2]++;
            }
            for (int c = 0; c < 3; c++) {
                expected[2 * c] = sums[3 * c] / Math.max(1, sums[3 * c + 2]);
                expected[2 * c + 1] = sums[3 * c + 1] / Math.max(1, sums[3 * c + 2]);
            }
        }
        assertArrayEquals(nearest, labels);
        assertArrayEquals(expected, centres);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pageRank(boolean shared) {
        int n = 5000;
        Random random = new Random(3);
        int[] offsets = new int[n + 1];
        for (int page = 0; page < n; page++) {
            offsets[page + 1] = offsets[page] + 200 / (1 + random.nextInt(200));
        }
        int[] sources = random.ints(offsets[n], 0, n).toArray();
        float[] inverse = new float[n];
        for (int page = 0; page < n; page++) {
            inverse[page] = 1f / (1 + random.nextInt(9));
        }
        float[] ranks;
        try (Evener own = two(shared)) {
            ranks = PageRank.ranks(own, offsets, sources, inverse, 9);
        }
        float[] expected = new float[n];
        for (int page = 0; page < n; page++) {
            expected[page] = inverse[page] / n;
        }
        for (int iteration = 0; iteration < 9; iteration++) {
            float[] next = new float[n];
            for (int page = 0; page < n; page++) {
                float sum = 0;
                for (int k = offsets[page]; k < offsets[page + 1]; k++) {
                    sum += expected[sources[k]];
                }
                next[page] = (0.15f / n + 0.85f * sum) * inverse[page];
            }
            expected = next;
        }
        for (int page = 0; page < n; page++) {
            expected[page] /= inverse[page];
        }
        assertArrayEquals(expected, ranks);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "jvm"})
    void mandelbrot(String devices) {
        int width = 150;
        int height = 300;
        Mandelbrot.View view = new Mandelbrot.View(-2.2f, -1.2f, 0.01f, 300);
        try (Evener own = Evener.builder()
                        .devices(DeviceSelector.parse(devices))
                        .policy(Policies.fixed())
                        .history(History.inMemory())
                        .open();
                HostBuffer counts = own.allocate(ElementType.UINT, (long) width * height)) {
            own.submit(Mandelbrot.job(counts, width, height, view)).join();
            IntBuffer actual = counts.ints();
            int inside = 0;
            for (int row = 0; row < height; row++) {
                for (int column = 0; column < width; column++) {
                    int expected = Mandelbrot.steps(
                            view.left() + column * view.step(), view.top() + row * view.step(), view.limit());
                    assertEquals(expected, actual.get(row * width + column), "row " + row + ", column " + column);
                    inside += expected == view.limit() ? 1 : 0;
                }
            }
            assertTrue(inside > 1000 && inside < width * height / 2, inside + " pixels in the set");
        }
    }

    @Test
    void blur() {
        int width = 67;
        int height = 1001;
        float[] weights = Blur.gaussian(2);
        int radius = weights.length / 2;
        float[] picture = new float[width * height];
        Random random = new Random(5);
        for (int i = 0; i < picture.length; i++) {
            picture[i] = random.nextFloat();
        }
        HostBuffer out = evener.allocate(ElementType.FLOAT, picture.length);
        HostBuffer between = evener.allocate(ElementType.FLOAT, picture.length);
        run(Blur.job(floats(picture), between, out, floats(weights), width, height));

        float[] across = new float[picture.length];
        float[] down = new float[picture.length];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                for (int d = -radius; d <= radius; d++) {
                    int near = Math.max(0, Math.min(width - 1, x + d));
                    across[y * width + x] += weights[radius + d] * picture[y * width + near];
                }
            }
        }
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                for (int d = -radius; d <= radius; d++) {
                    int near = Math.max(0, Math.min(height - 1, y + d));
                    down[y * width + x] += weights[radius + d] * across[near * width + x];
                }
            }
        }
        assertArrayEquals(down, content(out), 0f);
    }

    @Test
    void nBody() {
        int count = 600;
        int steps = 6;
        float dt = 0.02f;
        float[] cloud = NBody.cloud(count, 3);
        HostBuffer bodies = floats(cloud);
        HostBuffer velocities = evener.allocate(ElementType.FLOAT, cloud.length);
        HostBuffer other = evener.allocate(ElementType.FLOAT, cloud.length);
        run(NBody.job(bodies, velocities, other, steps, dt));

        double[] at = new double[cloud.length];
        double[] speed = new double[cloud.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = cloud[i];
        }
        for (int step = 0; step < steps; step++) {
            double[] moved = at.clone();
            for (int i = 0; i < count; i++) {
                double[] pull = new double[3];
                for (int j = 0; j < count; j++) {
                    double r2 = 0.01;
                    for (int c = 0; c < 3; c++) {
                        r2 += Math.pow(at[4 * j + c] - at[4 * i + c], 2);
                    }
                    for (int c = 0; c < 3; c++) {
                        pull[c] += (at[4 * j + c] - at[4 * i + c]) * at[4 * j + 3] / Math.pow(r2, 1.5);
                    }
                }
                for (int c = 0; c < 3; c++) {
                    speed[4 * i + c] += pull[c] * dt;
                    moved[4 * i + c] += speed[4 * i + c] * dt;
                }
            }
            at = moved;
        }
        double fastest = 0;
        for (int i = 0; i < at.length; i++) {
            assertEquals(at[i], bodies.floats().get(i), 1e-5, "coordinate " + i);
            assertEquals(speed[i], velocities.floats().get(i), 1e-4, "speed " + i);
            fastest = Math.max(fastest, Math.abs(speed[i]));
        }
        assertTrue(fastest > 0.05, "nothing moved");

        // On one device alone: the same bits.
        HostBuffer alone = floats(cloud);
        HostBuffer fromRest = evener.allocate(ElementType.FLOAT, cloud.length);
        evener.submit(NBody.job(alone, fromRest, other, steps, dt), Policies.single(0))
                .join();
        assertArrayEquals(content(alone), content(bodies), 0f);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 4097, 300_000})
    void wordLengths(int size) {
        byte[] text = new byte[size];
        Random random = new Random(size);
        int left = 0;
        for (int i = 0; i < size; i++) { // words of all lengths, some longer than are told apart
            if (left == 0) {
                text[i] = (byte) ", .\n-1".charAt(random.nextInt(6));
                left = random.nextInt(4) == 0 ? random.nextInt(60) : random.nextInt(9);
            } else {
                text[i] = (byte) ((random.nextBoolean() ? 'a' : 'A') + random.nextInt(26));
                left--;
            }
        }
        int[] expected = new int[WordLengths.LONGEST + 1];
        for (String word : new String(text, StandardCharsets.US_ASCII).split("[^a-zA-Z]+", -1)) {
            if (!word.isEmpty()) {
                expected[Math.min(word.length(), WordLengths.LONGEST)]++;
            }
        }
        HostBuffer counts = evener.allocate(ElementType.UINT, WordLengths.LONGEST + 1);
        evener.submit(WordLengths.job(WordLengths.load(evener, text), size, counts))
                .join();
        int[] actual = new int[expected.length];
        counts.ints().get(actual);
        assertArrayEquals(expected, actual);
        assertTrue(size < 300_000 || expected[WordLengths.LONGEST] > 100, "there should be long words");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 1025, 400_000})
    void filter(int n) {
        HostBuffer in = evener.allocate(ElementType.FLOAT, (n + Filter.BLOCK - 1) / Filter.BLOCK * (long) Filter.BLOCK);
        HostBuffer out = evener.allocate(ElementType.FLOAT, n);
        HostBuffer count = evener.allocate(ElementType.UINT, 1);
        List<Float> expected = new ArrayList<>();
        Random random = new Random(n);
        for (int i = 0; i < in.elements(); i++) {
            float value = i == 0 ? 1 : random.nextFloat();
            in.floats().put(i, value);
            if (i < n && value >= 0.8f) { // what lies behind the n values does not count
                expected.add(value);
            }
        }
        evener.submit(Filter.job(in, n, 0.8f, out, count)).join();
        assertEquals(expected.size(), count.ints().get(0));
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), out.floats().get(i), "element " + i);
        }
    }

    @Test
    void columns() {
        int width = 96;
        int rows = 64;
        float[] matrix = new float[width * rows];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = i % 1000;
        }
        HostBuffer values = floats(matrix);
        HostBuffer sums = evener.allocate(ElementType.FLOAT, rows);
        run(Columns.scale(values, width, 0, 40, 2));
        run(Columns.scale(values, width, 40, 24, 3));
        run(Columns.sums(values, width, 5, 17, sums));
        for (int row = 0; row < rows; row++) {
            float sum = 0;
            for (int c = 5; c < 22; c++) {
                sum += (row < 40 ? 2 : 3) * matrix[row * width + c];
            }
            assertEquals(sum, sums.floats().get(row), "row " + row);
        }
    }

    @Test
    void rowSums() {
        int rows = 37;
        int length = RowSums.ROW * RowSums.UNIT;
        int[] values = new Random(5).ints((long) rows * length).toArray();
        HostBuffer in = evener.allocate(ElementType.INT, values.length);
        HostBuffer out = evener.allocate(ElementType.INT, values.length);
        in.ints().put(values);
        run(RowSums.job(in, out));
        for (int i = 0; i < values.length; i++) {
            values[i] += i % length == 0 ? 0 : values[i - 1];
            assertEquals(values[i], out.ints().get(i), "element " + i);
        }
    }

    @Test
    void norm() {
        int n = 1000 * Norm.BLOCK; // so that each device has a granule of blocks
        float[] vector = new float[n];
        double squares = 0;
        Random random = new Random(9);
        for (int i = 0; i < n; i++) {
            vector[i] = random.nextFloat() - 0.5f;
            squares += (double) vector[i] * vector[i];
        }
        HostBuffer v = floats(vector);
        HostBuffer sum = floats(0);
        HostBuffer factor = floats(0);
        run(Norm.job(v, sum, factor));
        assertEquals(squares, sum.floats().get(0), squares * 1e-5);
        double length = 0;
        for (int i = 0; i < n; i++) {
            assertEquals(vector[i] * factor.floats().get(0), v.floats().get(i), 0f, "element " + i);
            length += Math.pow(v.floats().get(i), 2);
        }
        assertEquals(1, length, 1e-5);
    }

    // ---- the batch ----

    @Test
    void batch() {
        List<HostBuffer> xs = List.of(ones(1000, 1), ones(1000, 10), ones(1000, 100));
        HostBuffer y = evener.allocate(ElementType.FLOAT, 1000);
        Batch.saxpyAll(evener, 2, xs, y).join();
        for (float value : content(y)) {
            assertEquals(222f, value);
        }
    }

    private HostBuffer ones(int n, float value) {
        float[] values = new float[n];
        Arrays.fill(values, value);
        return floats(values);
    }

    @Test
    void whatMayBeAskedOfAJob() {
        try (Evener withCpu = Evener.builder()
                .devices(DeviceSelector.parse("0.0,1.0"))
                .history(History.inMemory())
                .open()) {
            HostBuffer x = withCpu.allocate(ElementType.FLOAT, 100_000);
            HostBuffer y = withCpu.allocate(ElementType.FLOAT, 100_000);
            x.floats().put(99_999, 3);
            String printed = printedBy(none -> assertTrue(
                    Batch.outcome(withCpu.submit(Batch.careful(2, x, y))).startsWith("saxpy: 100000 units in ")));
            assertTrue(printed.contains("saxpy: 100 %"), printed);
            assertEquals(6f, y.floats().get(99_999));
        }
    }

    @Test
    void aFullQueueSaysSo() {
        try (Evener small = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .queueLimit(1)
                .history(History.inMemory())
                .open()) {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            CompletableFuture<Void> goOn = new CompletableFuture<>();
            HostBuffer x = ones(1000, 3);
            HostBuffer y = evener.allocate(ElementType.FLOAT, 1000);
            Job job = Batch.saxpy(2, x, y)
                    .hostStep(() -> {
                        begun.complete(null);
                        goOn.join();
                    })
                    .build();
            CompletableFuture<Report> busy = small.submit(job);
            begun.join();
            assertEquals("accepted", Batch.offer(small, job));
            assertTrue(Batch.offer(small, job).startsWith("busy: 1 waiting, the oldest for "));
            goOn.complete(null);
            busy.join();
        }
    }

    @Test
    void howAJobCanEnd() {
        HostBuffer x = ones(1000, 3);
        HostBuffer y = evener.allocate(ElementType.FLOAT, 1000);
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        // Has the devices while the next is cancelled.
        CompletableFuture<Report> busy =
                evener.submit(Batch.saxpy(2, x, y).hostStep(goOn::join).build());
        CompletableFuture<Report> cancelled = evener.submit(Batch.saxpy(2, x, y).build());
        cancelled.cancel(true);
        goOn.complete(null);
        busy.join();
        assertEquals("cancelled", Batch.outcome(cancelled));
        Job late = Batch.saxpy(2, x, y).build();
        x.close();
        assertEquals("job 'saxpy': kernel saxpy, argument 0: the buffer is closed", Batch.outcome(evener.submit(late)));
        assertInstanceOf(
                IllegalStateException.class,
                assertThrows(
                                CompletionException.class,
                                () -> Batch.outcome(CompletableFuture.failedFuture(new IllegalStateException("other"))))
                        .getCause());
    }

    // ---- the programs as they are ----

    private static String printedBy(Consumer<String[]> main) {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            main.accept(new String[0]);
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theProgramsRun() {
        assertTrue(printedBy(SparseMatrix::main).contains("y = 0.0, 1.0"));
        String set = printedBy(Mandelbrot::main);
        assertEquals(32, set.lines().count());
        assertTrue(set.lines().allMatch(line -> line.length() == 72), set);
        assertTrue(set.contains("######"), set);
        assertEquals("centre 0.02550, five pixels to the right 0.00345, below 0.00345\n", printedBy(Blur::main));
        assertTrue(printedBy(NBody::main).startsWith("kinetic energy after 20 steps: 0.0"));
        assertEquals("""
                40000 words of 2 letters
                40000 words of 3 letters
                10000 words of 4 letters
                30000 words of 5 letters
                """, printedBy(WordLengths::main));
        String filtered = printedBy(Filter::main);
        assertTrue(filtered.matches("\\d+ values are kept; the first is \\d+\\.0\n"), filtered);
        assertEquals(
                "sum of squares 5.24288E7, first element " + 3 * (float) (1 / Math.sqrt(5.24288E7f)) + "\n",
                printedBy(Norm::main));
        assertEquals("the last sum is 18444\n", printedBy(RowSums::main));
        assertEquals("the first and last sums are 200.0 and 300.0\n", printedBy(Columns::main));
        assertEquals("256000 points; the first centre is at 10.0, 10.0\n", printedBy(KMeans::main));
        assertTrue(printedBy(PageRank::main).matches("page \\d+ of \\d+ links ranks highest\n"));
        List<String> batch = printedBy(Batch::main).lines().toList();
        assertEquals("2 * (1 + 2 + 3 + 4) = 20.0", batch.get(0));
        assertTrue(batch.get(1).startsWith("saxpy: 1048576 units in "), batch.get(1));
    }
}
