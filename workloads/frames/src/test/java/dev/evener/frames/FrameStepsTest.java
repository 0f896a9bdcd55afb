package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.TestMemory;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Step;
import dev.evener.kernels.pipeline.StepClock;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every step of a frame, by a clock that only what belongs to that step moves on. */
@Timeout(300)
class FrameStepsTest {
    private static final ToneMapSettings SETTINGS = ToneMapSettings.of(Operator.HABLE);

    @TempDir
    Path folder;

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();
    private final TestMemory memory = new TestMemory();
    private final Evener evener =
            Evener.builder().devices(DeviceSelector.parse("jvm")).open();

    @AfterEach
    void close() {
        evener.close();
        assertEquals(0, memory.open());
    }

    private void pass(long nanos) {
        now.addAndGet(nanos);
    }

    /** Opening a file takes 7, reading from it 11; a header takes 5 more, a picture 13 before its first byte and 17 after its last. */
    private final FrameStore slow = new FrameStore() {
        @Override
        public FrameFile open(Path frame) throws FrameException {
            pass(5);
            try {
                byte[] bytes = Files.readAllBytes(frame);
                return FrameFile.open(frame, bytes.length, offset -> {
                    pass(7);
                    return new SlowReader(bytes, (int) offset);
                });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void write(Path picture, Content content) throws IOException {
            pass(13);
            try (WritableByteChannel file = new SlowWriter()) {
                content.writeTo(file);
            }
            pass(17);
        }

        @Override
        public void makeFolder(Path made) {}
    };

    private final class SlowReader implements ReadableByteChannel {
        private final ReadableByteChannel bytes;

        SlowReader(byte[] all, int from) {
            bytes = Channels.newChannel(new ByteArrayInputStream(all, from, all.length - from));
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            pass(11);
            reads.incrementAndGet();
            return bytes.read(target);
        }

        @Override
        public boolean isOpen() {
            return bytes.isOpen();
        }

        @Override
        public void close() throws IOException {
            bytes.close();
        }
    }

    /** Takes 3 a write. */
    private final class SlowWriter implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) {
            pass(3);
            writes.incrementAndGet();
            int count = source.remaining();
            source.position(source.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    /** Memory of the host's takes 19. */
    private HostBuffer allocate(ElementType type, long elements) {
        pass(19);
        return memory.allocate(type, elements);
    }

    private Path frame(String name) throws IOException {
        int[][] pixels = HdrFiles.randomPixels(20, 30, name.hashCode());
        return Frames.write(folder, name, HdrFiles.file("", "-Y 20 +X 30", pixels, Code.NEW));
    }

    private FrameStreamBuilder of(Path... inputs) {
        FrameStreamBuilder stream = FrameStream.of(Arrays.asList(inputs), evener, SETTINGS);
        stream.clock = now::get;
        return stream.memory(this::allocate);
    }

    @Test
    void filesMemoryAndPicturesTakeWhatTheyTake() throws Exception {
        Path input = frame("a.hdr");
        PictureFormat format = PictureFormat.PPM;
        StreamReport report = of(input)
                .store(slow)
                .format(format)
                .budget(1 << 20)
                .into(folder.resolve("out"))
                .run();
        assertEquals(List.of(), report.failures());
        MappedFrame frame = report.frames().get(0);
        long ofBody = 7 + 11L * (reads.get() - 1); // one was the header's
        long written = 13 + 3L * writes.get() + 17;
        assertEquals(
                Map.of(Step.OPENING, 5L + 7 + 11, Step.READING, ofBody, Step.WRITING, written),
                frame.times().steps());
        long read = 5 + 7 + 11 + ofBody;
        assertEquals(frame.times().readFrom() + read, frame.times().readTo());
        assertEquals(frame.times().readTo(), frame.times().submitted());
        assertEquals(frame.times().writeFrom() + written, frame.times().writeTo());
        FrameLayout size = frame.layout();
        long bytes = 4L * size.words() + 4 * format.pixelWords(size) + format.mostBytes(size);
        assertEquals(bytes, report.memory().most());
        assertEquals(bytes, frame.times().bytes());
        assertEquals(1 << 20, report.memory().budget());
    }

    /** Whoever waits for the frame before to leave the devices waits for room, and for nothing else. */
    @Test
    void aFrameBeyondTheBudgetWaitsForRoom() throws Exception {
        Path first = frame("a.hdr");
        StreamReport report = of(first, frame("b.hdr"))
                .memory(memory::allocate)
                .decoders(2)
                .budget(0)
                .watch(source -> picture -> {
                    if (source.equals(first)) {
                        while (Thread.getAllStackTraces().values().stream()
                                .noneMatch(stack -> Arrays.stream(stack)
                                        .anyMatch(call -> call.getClassName().endsWith("BufferPool")
                                                && call.getMethodName().equals("take")))) {
                            Thread.onSpinWait();
                        }
                        pass(29);
                    }
                })
                .into(folder.resolve("out"))
                .run();
        assertEquals(List.of(), report.failures());
        assertEquals(29, report.frames().get(1).times().steps().get(Step.WAITING_FOR_ROOM));
        assertNull(report.frames().get(0).times().steps().get(Step.WAITING_FOR_ROOM));
    }

    /** By a clock that goes on whenever it is looked at. */
    @Test
    void whatComesBeforeTheFirstByteOfAPngIsFetchingAndThenEncoding() throws Exception {
        FrameFile file = FrameFile.open(frame("a.hdr"));
        for (PictureFormat format : List.of(PictureFormat.PNG, PictureFormat.PPM)) {
            StepClock<Step> clock = new StepClock<>(Step.class, new AtomicLong()::incrementAndGet);
            try (FrameJob work = new FrameJob(memory::allocate, Tuning.defaults(), format);
                    LoadedFrame frame = new LoadedFrame(file, format, evener)) {
                evener.submit(frame.decode().job(work, SETTINGS)).join();
                writes.set(0);
                work.write(new SlowWriter(), clock);
            }
            clock.enter(null);
            long each = writes.get();
            assertTrue(each > 1, format + " in " + each + " writes");
            Map<Step, Long> steps = clock.take();
            boolean png = format == PictureFormat.PNG;
            assertEquals(png ? 1L : null, steps.remove(Step.FETCHING));
            assertEquals(png ? each : each + 1, steps.remove(Step.ENCODING));
            assertEquals(Map.of(Step.WRITING, each + 1), steps);
        }
    }
}
