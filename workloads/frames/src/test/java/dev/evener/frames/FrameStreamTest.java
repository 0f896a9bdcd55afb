package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.TestMemory;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.frames.StreamReport.Stage;
import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900)
class FrameStreamTest {
    @TempDir
    Path folder;

    private Path out = Path.of("");
    private final TestMemory memory = new TestMemory();

    @BeforeEach
    void folder() {
        out = folder.resolve("deep/out");
    }

    @AfterEach
    void everythingIsClosedAndJoined() throws InterruptedException {
        assertEquals(0, memory.open(), "buffers left open");
        // A pool is terminated a moment before its last thread is gone.
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (!threadsLeft().isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        assertEquals(Set.of(), threadsLeft(), "threads left running");
    }

    private static Set<String> threadsLeft() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("evener-"))
                .collect(Collectors.toSet());
    }

    /** A picture from which the frame can be told: some bits of each channel. */
    private static void bits(Frame in, PixelImage image) {
        FloatBuffer floats = in.pixels().floats();
        ByteBuffer bytes = image.pixels().bytes();
        FrameLayout size = in.size();
        for (int row = 0; row < size.height(); row++) {
            for (int x = 0; x < size.stride(); x++) {
                for (int c = 0; c < 3; c++) {
                    int bits = Float.floatToRawIntBits(floats.get(row * size.rowFloats() + c * size.stride() + x));
                    bytes.put(4 * (row * size.stride() + x) + c, (byte) (bits >>> 16));
                }
            }
        }
    }

    private static void assertBits(Path input, Path picture) throws IOException {
        FrameFile file = FrameFile.open(input);
        TestMemory own = new TestMemory();
        try (var frame = own.allocate(ElementType.FLOAT, file.size().floats());
                var image = own.allocate(ElementType.UINT, file.size().words())) {
            file.decode(frame.bytes());
            bits(new Frame(input, file.size(), frame), new PixelImage(file.size(), image));
            PngWriterTest.assertPicture(image.bytes(), file.size(), picture);
        }
    }

    private Path frame(String name, int width, int height) throws IOException {
        int[][] pixels = HdrFiles.randomPixels(height, width, name.hashCode());
        return Frames.write(folder, name, HdrFiles.file("", "-Y " + height + " +X " + width, pixels, Code.FLAT));
    }

    private List<Path> frames(int count) throws IOException {
        List<Path> inputs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            inputs.add(frame("f" + i + ".hdr", 20 + (i * 53) % 200, 10 + (i * 31) % 90));
        }
        return inputs;
    }

    private FrameStream.Builder of(List<Path> inputs) {
        return FrameStream.of(inputs, memory::allocate).encoders(2);
    }

    private List<String> written() {
        String[] names = out.toFile().list();
        return names == null ? List.of() : Stream.of(names).sorted().toList();
    }

    @Test
    void framesOfAllSizesInOrder() throws Exception {
        List<Path> inputs = frames(30);
        for (int decoders = 1; decoders <= 4; decoders++) {
            List<Path> seen = new ArrayList<>();
            List<Long> progress = new ArrayList<>();
            StreamReport report = of(inputs)
                    .decoders(decoders)
                    .progress((done, total) -> progress.add(100 * total + done))
                    .into(out)
                    .run((in, image) -> {
                        seen.add(in.source());
                        bits(in, image);
                    });
            assertEquals(inputs, seen);
            assertEquals(List.of(), report.failures());
            assertEquals(30, report.processed());
            assertEquals(30, report.written().size());
            assertEquals(30, progress.size());
            assertEquals(3001, progress.get(0));
            assertEquals(3030, progress.get(29));
            for (Path input : inputs) {
                String name = input.getFileName().toString().replace(".hdr", ".png");
                assertBits(input, out.resolve(name));
            }
            assertTrue(memory.made() < decoders * 25 * 30);
        }
    }

    @Test
    void realFrames() throws Exception {
        List<Path> inputs = Stream.of("city", "courtyard", "forest", "studio")
                .map(Frames::sample)
                .toList();
        StreamReport report = of(inputs).into(out).run(FrameStreamTest::bits);
        assertEquals(List.of("city.png", "courtyard.png", "forest.png", "studio.png"), written());
        for (Stage stage : Stage.values()) {
            assertEquals(4, report.stage(stage).frames(), stage.name());
            assertTrue(report.stage(stage).busyNanos() > 0, stage.name());
        }
        assertTrue(report.framesPerSecond() > 0);
        assertBits(inputs.get(2), out.resolve("forest.png"));
        int buffers = report.stage(Stage.DECODE).workers()
                + 2
                + report.stage(Stage.ENCODE).workers()
                + 1;
        assertTrue(memory.made() <= buffers, memory.made() + " buffers for equal frames");
    }

    @Test
    void failuresInTheMiddle() throws Exception {
        List<Path> inputs = new ArrayList<>(frames(8));
        inputs.add(2, folder.resolve("missing.hdr"));
        inputs.add(4, Frames.write(folder, "bad.hdr", Frames.text("#?RADIANCE\n\n-Y 4 +X 4\n" + "\1".repeat(64))));
        inputs.add(6, folder);
        Files.createDirectories(out.resolve("f7.png/occupied"));
        StreamReport report = of(inputs).passes(2).budget(0).into(out).run((in, image) -> {
            if (in.source().endsWith("f5.hdr")) {
                throw new EvenerException("no such\nkernel");
            }
            if (in.source().endsWith("f6.hdr")) {
                throw new FrameException(in.source(), "too dark");
            }
            bits(in, image);
        });
        List<String> lines =
                report.failures().stream().map(StreamReport.Failure::message).toList();
        assertEquals(6, lines.size(), lines.toString());
        assertTrue(lines.get(0).contains("missing.hdr: cannot be read: there is no such file"), lines.get(0));
        assertTrue(lines.get(1).contains("bad.hdr: scanline 1 of 4"), lines.get(1));
        assertTrue(lines.get(2).contains("is a folder"), lines.get(2));
        assertEquals(folder.resolve("f5.hdr") + ": no such?kernel", lines.get(3));
        assertEquals(folder.resolve("f6.hdr") + ": too dark", lines.get(4));
        assertTrue(lines.get(5).contains("f7.png: cannot be written"), lines.get(5));
        assertEquals(5, report.written().size());
        assertEquals(List.of("f0.png", "f1.png", "f2.png", "f3.png", "f4.png", "f7.png"), written());
    }

    @Test
    void passesKeepFramesThatFit() throws Exception {
        passes(1 << 30, 10);
    }

    @Test
    void passesDecodeAgainWhatDoesNot() throws Exception {
        passes(1000, 30);
    }

    private void passes(long budget, int decoded) throws Exception {
        List<Path> inputs = new ArrayList<>(frames(10));
        inputs.add(3, folder.resolve("missing.hdr"));
        List<List<Integer>> sums = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        StreamReport report = of(inputs)
                .passes(3)
                .budget(budget)
                .progress((now, total) -> {
                    done.incrementAndGet();
                    assertTrue(now <= total);
                })
                .into(out)
                .run((in, image) -> {
                    int call = calls.getAndIncrement();
                    if (call < 20) {
                        assertEquals(List.of(), written(), "pictures before the last pass");
                    }
                    bits(in, image);
                    ByteBuffer exact = image.pixels().bytes();
                    sums.get(call / 10).add(exact.limit(4 * in.size().words()).hashCode());
                });
        assertEquals(30, report.processed());
        assertEquals(decoded, report.stage(Stage.DECODE).frames());
        assertEquals(10, report.stage(Stage.ENCODE).frames());
        assertEquals(3, report.passNanos().size());
        assertEquals(sums.get(0), sums.get(1));
        assertEquals(sums.get(0), sums.get(2));
        assertEquals(1, report.failures().size());
        assertEquals(10, written().size());
        assertTrue(done.get() >= 30);
    }

    @Test
    void aTinyBudgetSlowsButDoesNotStop() throws Exception {
        List<Path> inputs = frames(25);
        StreamReport report = of(inputs).decoders(4).budget(1).into(out).run(FrameStreamTest::bits);
        assertEquals(25, report.written().size());
    }

    @Test
    void memoryThatIsRefusedFailsOneFrame() throws Exception {
        List<Path> inputs = frames(6);
        inputs.add(frame("large.hdr", 1000, 100));
        StreamReport report = FrameStream.of(inputs, (type, elements) -> {
                    if (type == ElementType.FLOAT && elements > 200_000) {
                        throw new EvenerException("no memory");
                    }
                    return memory.allocate(type, elements);
                })
                .into(out)
                .run(FrameStreamTest::bits);
        assertEquals(1, report.failures().size());
        assertEquals(
                folder.resolve("large.hdr") + ": no memory",
                report.failures().get(0).message());
        assertEquals(6, report.written().size());
    }

    @Test
    void oneNameForTwoPictures() throws Exception {
        Files.createDirectories(folder.resolve("a"));
        Path first = frame("x.hdr", 9, 9);
        Path second = Files.copy(first, folder.resolve("a/x.hdr"));
        Path third = Files.copy(first, folder.resolve("x.pfm"));
        Path itself = Files.copy(first, folder.resolve("y.png"));
        StreamReport report =
                of(List.of(first, second, third, itself)).into(folder).run(FrameStreamTest::bits);
        assertEquals(1, report.written().size());
        assertEquals(3, report.failures().size());
        String line = report.failures().get(0).message();
        assertTrue(line.contains(first.toString()) && line.contains(second.toString()), line);
        assertTrue(report.failures().get(2).message().contains("is itself an input"));
    }

    @Test
    void anOutputThatIsNoFolder() throws Exception {
        List<Path> inputs = frames(1);
        Path file = Files.createFile(folder.resolve("file"));
        FrameException e =
                assertThrows(FrameException.class, () -> of(inputs).into(file).run(FrameStreamTest::bits));
        assertTrue(String.valueOf(e.getMessage()).contains("is a file, not a folder"), e.getMessage());
        assertThrows(
                FrameException.class,
                () -> of(inputs).into(file.resolve("below")).run(FrameStreamTest::bits));
    }

    @Test
    void noInputsAtAll() throws Exception {
        StreamReport report = of(List.of()).passes(2).into(out).run(FrameStreamTest::bits);
        assertEquals(0, report.processed());
        assertEquals(2, report.passNanos().size());
    }

    @Test
    void theBottleneckIsWhatTheRunWaitedFor() throws Exception {
        List<Path> inputs = frames(8);
        AtomicInteger calls = new AtomicInteger();
        long start = System.nanoTime();
        StreamReport slow = of(inputs).into(out).run((in, image) -> {
            if (calls.incrementAndGet() == inputs.size()) { // much longer than all that was before
                TimeUnit.NANOSECONDS.sleep(300_000_000 + 5 * (System.nanoTime() - start));
            }
            bits(in, image);
        });
        assertEquals(Stage.DEVICES, slow.bottleneck());
        long held = slow.stages().stream()
                .mapToLong(StreamReport.StageTimes::heldNanos)
                .sum();
        assertTrue(held <= slow.wallNanos() && held > slow.wallNanos() / 2, held + " of " + slow.wallNanos());

        List<Path> noise = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            noise.add(frame("n" + i + ".hdr", 1000, 1000));
        }
        StreamReport encoders =
                FrameStream.of(noise, memory::allocate).encoders(1).into(out).run((in, image) -> {});
        assertEquals(6, encoders.processed());
        assertEquals(noise.size(), encoders.written().size());
    }

    @Test
    void aProcessorThatBreaksEndsTheRun() throws Exception {
        List<Path> inputs = frames(20);
        IllegalStateException broken = new IllegalStateException("broken");
        FrameStream stream = of(inputs).into(out);
        AtomicInteger calls = new AtomicInteger();
        assertSame(
                broken,
                assertThrows(
                        IllegalStateException.class,
                        () -> stream.run((in, image) -> {
                            bits(in, image);
                            if (calls.incrementAndGet() == 5) {
                                throw broken;
                            }
                        })));
        assertEquals(5, calls.get());
        assertTrue(written().stream().allMatch(name -> name.endsWith(".png")), "no partial files");
        assertThrows(IllegalStateException.class, () -> stream.run(FrameStreamTest::bits));
    }

    @Test
    void aWorkerThatBreaksEndsTheRun() throws Exception {
        List<Path> inputs = frames(20);
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> FrameStream.of(inputs, (type, elements) -> {
                            if (type == ElementType.FLOAT && memory.made() > 4) {
                                throw new UnsupportedOperationException("allocator");
                            }
                            return memory.allocate(type, elements);
                        })
                        .into(out)
                        .run(FrameStreamTest::bits));
        assertTrue(e.getCause() instanceof UnsupportedOperationException, String.valueOf(e.getCause()));
    }

    @Test
    void aListenerThatThrowsIsDropped() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        StreamReport report = of(frames(5))
                .progress((done, total) -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("listener");
                })
                .into(out)
                .run(FrameStreamTest::bits);
        assertEquals(1, calls.get());
        assertEquals(5, report.written().size());
    }

    @Test
    void closingFromAnotherThread() throws Exception {
        List<Path> inputs = frames(40);
        for (int after = 0; after < 12; after++) {
            FrameStream stream = of(inputs).passes(2).into(out);
            CountDownLatch reached = new CountDownLatch(after);
            AtomicInteger calls = new AtomicInteger();
            AtomicBoolean closing = new AtomicBoolean();
            Thread closer = Thread.currentThread();
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread runner = new Thread(() -> {
                try {
                    stream.run((in, image) -> {
                        bits(in, image);
                        reached.countDown();
                        // The stream must not end by itself before close() has been called and waits.
                        while (calls.get() == 60 && !(closing.get() && closer.getState() == Thread.State.WAITING)) {
                            Thread.sleep(1);
                        }
                        calls.incrementAndGet();
                    });
                } catch (Exception e) {
                    thrown.set(e);
                }
            });
            runner.start();
            reached.await();
            closing.set(true);
            stream.close();
            assertEquals(0, memory.open());
            runner.join();
            assertTrue(thrown.get() instanceof CancellationException, String.valueOf(thrown.get()));
        }
    }

    @Test
    void closingFromWithinAndBefore() throws Exception {
        List<Path> inputs = frames(10);
        FrameStream stream = of(inputs).into(out);
        assertThrows(CancellationException.class, () -> stream.run((in, image) -> stream.close()));
        FrameStream never = of(inputs).into(out);
        never.close();
        assertThrows(CancellationException.class, () -> never.run(FrameStreamTest::bits));
        try (FrameStream whole = of(inputs).into(out)) {
            assertEquals(10, whole.run(FrameStreamTest::bits).written().size());
        }
    }

    @Test
    void anInterruptEndsTheRun() throws Exception {
        List<Path> inputs = frames(30);
        FrameStream stream = of(inputs).into(out);
        AtomicInteger calls = new AtomicInteger();
        assertThrows(
                InterruptedException.class,
                () -> stream.run((in, image) -> {
                    bits(in, image);
                    if (calls.incrementAndGet() == 3) {
                        Thread.currentThread().interrupt();
                    }
                }));
        assertFalse(Thread.interrupted(), "the flag is spent on the exception");
        assertTrue(calls.get() < 30);
    }
}
