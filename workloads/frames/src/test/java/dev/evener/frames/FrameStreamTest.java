package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.ManagedBuffer;
import dev.evener.TestMemory;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.PipelineReport.StageUse;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900)
class FrameStreamTest {
    @TempDir
    Path folder;

    private Path out = Path.of("");
    private final TestMemory memory = new TestMemory();

    private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.REINHARD_EXTENDED);

    private final Evener evener =
            Evener.builder().devices(DeviceSelector.parse("jvm")).open();

    @BeforeEach
    void folder() {
        out = folder.resolve("deep/out");
    }

    @AfterEach
    void everythingIsClosedAndJoined() throws InterruptedException {
        evener.close();
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

    /** The picture of a frame, mapped by itself. */
    private void assertMapped(Path input, Path picture) throws IOException {
        FrameFile file = FrameFile.open(input);
        FrameLayout size = file.size();
        TestMemory own = new TestMemory();
        try (ToneMapper mapper = new ToneMapper(own::allocate);
                HostBuffer frame = own.allocate(ElementType.FLOAT, size.floats());
                HostBuffer pixels = own.allocate(ElementType.UINT, size.words())) {
            frame.floats().put(Frames.decode(file));
            evener.submit(mapper.job(size, frame, pixels, SETTINGS)).join();
            Frames.assertPicture(pixels.bytes(), size, picture);
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

    private FrameStreamBuilder of(List<Path> inputs) {
        return FrameStream.of(inputs, evener, SETTINGS).memory(memory::allocate).writers(2);
    }

    private List<String> written() {
        String[] names = out.toFile().list();
        return names == null ? List.of() : Stream.of(names).sorted().toList();
    }

    /** In a folder the pictures come as they are ready: all others are written before the first one is even read. */
    @Test
    void aLateFrameHoldsUpNoOther() throws Exception {
        List<Path> inputs = frames(20);
        CountDownLatch others = new CountDownLatch(inputs.size() - 1);
        FrameStore late = new FrameStore() {
            @Override
            public FrameFile open(Path frame) throws FrameException {
                try {
                    if (frame.equals(inputs.get(0)) && !others.await(60, TimeUnit.SECONDS)) {
                        throw new FrameException(frame, others.getCount() + " others wait for it");
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return FrameStore.FILES.open(frame);
            }

            @Override
            public void write(Path picture, Content content) throws IOException {
                FrameStore.FILES.write(picture, content);
                others.countDown();
            }

            @Override
            public void makeFolder(Path folder) throws IOException {
                FrameStore.FILES.makeFolder(folder);
            }
        };
        StreamReport report = of(inputs).decoders(2).store(late).into(out).run();
        assertEquals(List.of(), report.failures());
        assertEquals(inputs.size(), report.written().size());
    }

    @Test
    void framesOfAllSizes() throws Exception {
        List<Path> inputs = frames(30);
        for (int decoders = 1; decoders <= 4; decoders++) {
            List<Path> seen = new ArrayList<>();
            List<Long> progress = new ArrayList<>();
            StreamReport report = of(inputs)
                    .decoders(decoders)
                    .progress((done, total, soFar) -> {
                        progress.add(100 * total + done);
                        assertTrue(soFar.get().items() <= done);
                    })
                    .watch(source -> {
                        seen.add(source);
                        return picture -> assertEquals(source, picture.source());
                    })
                    .into(out)
                    .run();
            assertEquals(
                    inputs,
                    seen.stream().sorted(Comparator.comparing(inputs::indexOf)).toList()); // they overtake each other
            assertEquals(List.of(), report.failures());
            assertEquals(
                    inputs,
                    report.frames().stream()
                            .map(StreamReport.MappedFrame::source)
                            .toList());
            assertEquals(30, report.written().size());
            assertEquals(30, progress.size());
            assertEquals(3001, progress.get(0));
            assertEquals(3030, progress.get(29));
            for (Path input : inputs) {
                String name = input.getFileName().toString().replace(".hdr", ".png");
                assertMapped(input, out.resolve(name));
            }
            assertTrue(memory.made() < decoders * 25 * 30);
        }
    }

    /** Written behind each other in the order of the inputs, whichever is ready first; and a run that cannot write ends. */
    @Test
    void aChannelForAllPictures() throws Exception {
        List<Path> inputs = frames(12);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        of(inputs).format(PictureFormat.PPM).into(out).run();
        for (Path input : inputs) {
            String name = input.getFileName().toString().replace(".hdr", ".ppm");
            expected.write(Files.readAllBytes(out.resolve(name)));
        }
        for (int decoders = 1; decoders <= 4; decoders += 3) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            StreamReport report = of(inputs)
                    .decoders(decoders)
                    .passes(2)
                    .format(PictureFormat.PPM)
                    .into(Channels.newChannel(all))
                    .run();
            assertEquals(List.of(), report.failures());
            assertEquals(List.of(), report.written());
            assertArrayEquals(expected.toByteArray(), all.toByteArray());
        }
        FileChannel whole =
                FileChannel.open(folder.resolve("whole"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try (FrameStream stream = of(inputs).into(whole)) {
            stream.run();
        }
        assertTrue(whole.isOpen());
        whole.close();
        Pipe unread = Pipe.open();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread runs;
        try (FrameStream stream = of(inputs).passes(2).format(PictureFormat.RAW).into(unread.sink())) {
            runs = new Thread(() -> {
                try {
                    stream.run();
                } catch (IOException | InterruptedException | RuntimeException e) {
                    thrown.set(e);
                }
            });
            runs.start();
            assertEquals(1, unread.source().read(ByteBuffer.allocate(1))); // and no more: the writer waits for ever
        }
        runs.join();
        assertTrue(thrown.get() instanceof CancellationException, String.valueOf(thrown.get()));
        unread.source().close();
        FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE);
        FrameStream stream = of(inputs).format(PictureFormat.RAW).into(full);
        assertEquals(
                "No space left on device",
                assertThrows(IOException.class, stream::run).getMessage());
        assertTrue(full.isOpen(), "its descriptor may be that of another file");
        full.close();
        assertThrows(
                IllegalArgumentException.class,
                () -> of(inputs).format(PictureFormat.Y4M).into(out));
        String refused = assertThrows(
                        IllegalArgumentException.class, () -> of(inputs).format(PictureFormat.Y4M10))
                .getMessage();
        assertEquals("y4m10 cannot hold what reinhard-extended makes", refused);
    }

    @Test
    void realFrames() throws Exception {
        List<Path> inputs = Stream.of("city", "courtyard", "forest", "studio")
                .map(Frames::sample)
                .toList();
        StreamReport report = of(inputs).into(out).run();
        assertEquals(List.of("city.png", "courtyard.png", "forest.png", "studio.png"), written());
        List<StageUse> stages = report.pipeline().stages();
        assertEquals(
                List.of("read", "devices", "write"),
                stages.stream().map(StageUse::name).toList());
        for (StageUse stage : stages) {
            assertEquals(4, stage.jobs(), stage.name());
            assertTrue(stage.wallNanos() > 0, stage.name());
        }
        assertTrue(report.framesPerSecond() > 0);
        assertMapped(inputs.get(2), out.resolve("forest.png"));
        int slots = stages.get(0).threads()
                + 5; // with a frame, its pixels and their code, three of the mapper and four of the encoder each
        assertTrue(memory.made() <= 10 * slots, memory.made() + " buffers for equal frames");
    }

    @Test
    void failuresInTheMiddle() throws Exception {
        List<Path> inputs = new ArrayList<>(frames(8));
        inputs.add(2, folder.resolve("missing.hdr"));
        inputs.add(4, Frames.write(folder, "bad.hdr", Frames.text("#?RADIANCE\n\n-Y 4 +X 4\n" + "\1".repeat(64))));
        inputs.add(6, folder);
        Files.createDirectories(out.resolve("f7.png/occupied"));
        FrameStreamBuilder stream = of(inputs).passes(2).budget(0).watch(source -> {
            if (source.endsWith("f5.hdr")) {
                throw new EvenerException("no such\nkernel");
            }
            return picture -> {
                if (source.endsWith("f6.hdr")) {
                    throw new EvenerException("too dark");
                }
            };
        });
        StreamReport report = stream.into(out).run();
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

    @ParameterizedTest
    @ValueSource(longs = {1000, 1 << 30})
    void allPassesMakeTheSame(long budget) throws Exception {
        List<Path> inputs = new ArrayList<>(frames(10));
        inputs.add(3, folder.resolve("missing.hdr"));
        List<List<Integer>> sums = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        FrameStreamBuilder stream = of(inputs)
                .passes(3)
                .budget(budget)
                .progress((now, total, soFar) -> {
                    done.incrementAndGet();
                    assertTrue(now <= total);
                })
                .watch(source -> {
                    int call = calls.getAndIncrement();
                    if (call < 20) {
                        assertEquals(List.of(), written(), "pictures before the last pass");
                    }
                    return picture -> {
                        int sum;
                        try (ManagedBuffer.Scope scope =
                                picture.pixels().read(0, picture.layout().words())) {
                            sum = scope.bytes().hashCode();
                        }
                        synchronized (sums) {
                            sums.get(call / 10).add(31 * source.hashCode() + sum);
                        }
                    };
                });
        StreamReport report = stream.into(out).run();
        assertEquals(30, report.frames().size());
        assertEquals(
                List.of(30L, 30L, 30L),
                report.pipeline().stages().stream().map(StageUse::jobs).toList());
        sums.forEach(pass -> pass.sort(null));
        assertEquals(sums.get(0), sums.get(1));
        assertEquals(sums.get(0), sums.get(2));
        assertEquals(1, report.failures().size());
        assertEquals(10, written().size());
        assertTrue(done.get() >= 30);
    }

    @Test
    void aTinyBudgetSlowsButDoesNotStop() throws Exception {
        List<Path> inputs = frames(25);
        StreamReport report = of(inputs).decoders(4).budget(1).into(out).run();
        assertEquals(25, report.written().size());
    }

    @Test
    void memoryThatIsRefusedFailsOneFrame() throws Exception {
        List<Path> inputs = frames(6);
        inputs.add(frame("large.hdr", 1000, 100));
        StreamReport report = of(inputs)
                .format(PictureFormat.RAW)
                .memory((type, elements) -> {
                    if (type == ElementType.UBYTE && elements > 300_000) {
                        throw new EvenerException("no memory");
                    }
                    return memory.allocate(type, elements);
                })
                .into(out)
                .run();
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
                of(List.of(first, second, third, itself)).into(folder).run();
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
                assertThrows(FrameException.class, () -> of(inputs).into(file).run());
        assertTrue(String.valueOf(e.getMessage()).contains("is a file, not a folder"), e.getMessage());
        assertThrows(
                FrameException.class,
                () -> of(inputs).into(file.resolve("below")).run());
    }

    @Test
    void noInputsAtAll() throws Exception {
        StreamReport report = of(List.of()).passes(2).into(out).run();
        assertEquals(List.of(), report.frames());
    }

    @Test
    void theBottleneckIsWhatTheRunWaitedFor() throws Exception {
        List<Path> inputs = frames(8);
        AtomicInteger calls = new AtomicInteger();
        long start = System.nanoTime();
        FrameStreamBuilder slow = of(inputs).watch(source -> {
            if (calls.incrementAndGet() == inputs.size()) { // much longer than all that was before
                sleep(300_000_000 + 5 * (System.nanoTime() - start));
            }
            return picture -> {};
        });
        PipelineReport report = slow.into(out).run().pipeline();
        assertEquals("devices", report.bottleneck().name());
        long held = report.stages().stream().mapToLong(StageUse::heldNanos).sum();
        assertTrue(held <= report.wallNanos() && held > report.wallNanos() / 2, held + " of " + report.wallNanos());

        FrameStreamBuilder encoding = of(inputs).watch(source -> picture -> sleep(30_000_000));
        StreamReport encoders = encoding.into(out).run();
        assertEquals(inputs.size(), encoders.written().size());
        assertTrue(encoders.pipeline().stages().get(2).heldNanos() > 0);
    }

    private static void sleep(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aWatcherThatBreaksEndsTheRun() throws Exception {
        List<Path> inputs = frames(20);
        IllegalStateException broken = new IllegalStateException("broken");
        AtomicInteger calls = new AtomicInteger();
        FrameStream stream = of(inputs)
                .watch(source -> picture -> {
                    if (calls.incrementAndGet() >= 5) {
                        throw broken;
                    }
                })
                .into(out);
        IllegalStateException thrown = assertThrows(IllegalStateException.class, stream::run);
        assertSame(broken, thrown.getCause());
        assertTrue(calls.get() < 20, calls::toString);
        assertTrue(written().stream().allMatch(name -> name.endsWith(".png")), "no partial files");
        assertThrows(IllegalStateException.class, stream::run);
    }

    @Test
    void memoryThatBreaksEndsTheRun() throws Exception {
        FrameStreamBuilder stream = of(frames(20)).memory((type, elements) -> {
            if (type == ElementType.UBYTE && elements > 1000) {
                throw new UnsupportedOperationException("allocator");
            }
            return memory.allocate(type, elements);
        });
        stream.format(PictureFormat.PPM);
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> stream.into(out).run());
        assertTrue(e.getCause() instanceof UnsupportedOperationException, String.valueOf(e.getCause()));
    }

    @Test
    void aListenerThatThrowsIsDropped() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        StreamReport report = of(frames(5))
                .progress((done, total, soFar) -> {
                    calls.incrementAndGet();
                    throw new IllegalStateException("listener");
                })
                .into(out)
                .run();
        assertEquals(1, calls.get());
        assertEquals(5, report.written().size());
    }

    @Test
    void closingFromAnotherThread() throws Exception {
        List<Path> inputs = frames(40);
        for (int after = 0; after < 12; after++) {
            CountDownLatch reached = new CountDownLatch(after);
            AtomicInteger calls = new AtomicInteger();
            CountDownLatch closing = new CountDownLatch(1);
            FrameStream stream = of(inputs)
                    .passes(2)
                    .watch(source -> {
                        reached.countDown();
                        if (calls.incrementAndGet() == 60) { // it must not end by itself before close() is called
                            await(closing);
                        }
                        return picture -> {};
                    })
                    .into(out);
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread runner = new Thread(() -> {
                try {
                    stream.run();
                } catch (Exception e) {
                    thrown.set(e);
                }
            });
            runner.start();
            reached.await();
            Thread closer = new Thread(stream::close);
            closer.start();
            while (closer.isAlive() && closer.getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
            closing.countDown();
            closer.join();
            runner.join();
            assertEquals(0, memory.open());
            assertTrue(thrown.get() instanceof CancellationException, String.valueOf(thrown.get()));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void closingBeforeAndAfter() throws Exception {
        List<Path> inputs = frames(10);
        FrameStream never = of(inputs).into(out);
        never.close();
        assertThrows(CancellationException.class, never::run);
        try (FrameStream whole = of(inputs).into(out)) {
            assertEquals(10, whole.run().written().size());
        }
    }

    @Test
    void anInterruptEndsTheRun() throws Exception {
        List<Path> inputs = frames(30);
        Thread runner = Thread.currentThread();
        AtomicInteger calls = new AtomicInteger();
        FrameStream stream = of(inputs)
                .passes(100)
                .watch(source -> {
                    if (calls.incrementAndGet() == 3) {
                        runner.interrupt();
                    }
                    return picture -> {};
                })
                .into(out);
        assertThrows(InterruptedException.class, stream::run);
        assertFalse(Thread.interrupted(), "the flag is spent on the exception");
        assertTrue(calls.get() < 3000);
    }

    /** Frames and pictures that are files nowhere: what is under a name, and what one that cannot be written says. */
    @Test
    void framesOfAnotherStore() throws Exception {
        List<Path> files = List.of(frame("a.hdr", 40, 30), frame("b.hdr", 50, 20), frame("c.hdr", 30, 30));
        Map<Path, byte[]> pictures = new ConcurrentHashMap<>();
        FrameStore store = new FrameStore() {
            @Override
            public FrameFile open(Path name) throws FrameException {
                Path file = folder.resolve(name.getFileName());
                return FrameFile.open(
                        name,
                        file.toFile().length(),
                        offset ->
                                FileChannel.open(file, StandardOpenOption.READ).position(offset));
            }

            @Override
            public void write(Path picture, Content content) throws IOException {
                if (picture.endsWith("c.png")) {
                    throw new IOException("the cluster is full");
                }
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                content.writeTo(Channels.newChannel(bytes));
                pictures.put(picture, bytes.toByteArray());
            }

            @Override
            public void makeFolder(Path made) {
                assertEquals(Path.of("far/out"), made);
            }
        };
        List<Path> inputs = files.stream()
                .map(f -> Path.of("far/in").resolve(f.getFileName()))
                .toList();
        StreamReport report = of(inputs).store(store).into(Path.of("far/out")).run();
        assertEquals(Set.of(Path.of("far/out/a.png"), Path.of("far/out/b.png")), pictures.keySet());
        assertEquals(1, report.failures().size());
        assertEquals(
                "far/out/c.png: cannot be written: the cluster is full",
                report.failures().get(0).message());
        of(files.subList(0, 2)).into(out).run();
        for (Path picture : pictures.keySet()) {
            assertArrayEquals(Files.readAllBytes(out.resolve(picture.getFileName())), pictures.get(picture));
        }
    }
}
