package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.internal.HostMemory;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream that has seen its first frames has all the memory that it needs. */
@Timeout(600)
@InTurn(2)
class SettledStreamTest {
    private static final int FRAMES = LongTests.orAll(900, 1800);
    private static final int MIXED = 640;

    /** Frames that are looked at, after the others: by then, Java's compiler is done with what each frame takes. */
    private static final int SETTLED = 300;

    /** Of Radiance files; the last kind after these is PFM. */
    private static final List<Code> KINDS = List.of(Code.FLAT, Code.OLD, Code.NEW);

    /** When no more frames wait, devices share the last ones, and their parts pass through the host. */
    private static final int END = 20;

    /** Bytes on the heap. What is left is of files' names, headers and channels, and of a job with four phases: its run and its report. */
    private static final long MOST_A_FRAME = 64 << 10;

    @TempDir
    Path folder;

    private final Map<List<Integer>, Path> made = new HashMap<>();

    /** What there was at a moment. */
    private record Moment(Map<String, Long> threads, HostMemory.Use host) {
        private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        static Moment now() {
            Map<String, Long> bytes = new TreeMap<>();
            ThreadInfo[] all = THREADS.getThreadInfo(THREADS.getAllThreadIds());
            for (ThreadInfo thread : all) {
                if (thread != null) { // else it has ended just now
                    long id = thread.getThreadId();
                    bytes.put(thread.getThreadName() + " " + id, Math.max(0, THREADS.getThreadAllocatedBytes(id)));
                }
            }
            return new Moment(bytes, HostMemory.Use.soFar());
        }

        /** Bytes that threads have allocated on the heap since then. */
        Map<String, Long> since(Moment before) {
            Map<String, Long> bytes = new TreeMap<>();
            threads.forEach((name, now) -> bytes.put(name, now - before.threads.getOrDefault(name, 0L)));
            bytes.values().removeIf(grown -> grown == 0);
            return bytes;
        }
    }

    /** What a stream takes for {@link #SETTLED} pictures until the {@link #END} begins. */
    private record Settled(StreamReport report, Map<String, Long> heap, HostMemory.Use host) {
        /** Now and then devices share a frame for once, and a buffer is for the first time on the host; or one has to grow. */
        void assertNothingIsTakenForAFrame() {
            assertTrue(host.allocations() <= SETTLED / 10, "host memory made or zeroed: " + host);
            assertTrue(host.locks() <= 1, "page-locked: " + host);
        }
    }

    /** Runs a stream whose first pictures are held until all memory for frames and pictures has one, so that no more is needed later. */
    private static Settled run(Evener evener, List<Path> inputs, long budget, Path out) throws Exception {
        int slots = 1 + 2 + 2 * 2; // readers, writers, two for each device
        CountDownLatch used = new CountDownLatch(slots);
        AtomicInteger mapped = new AtomicInteger();
        AtomicReference<Moment> first = new AtomicReference<>();
        AtomicReference<Moment> last = new AtomicReference<>();
        try (FrameStream stream = FrameStream.of(inputs, evener, ToneMapSettings.of(Operator.HABLE))
                .decoders(1)
                .writers(2)
                .budget(budget)
                .watch(source -> {
                    used.countDown();
                    return picture -> {
                        await(used);
                        int count = mapped.incrementAndGet();
                        if (count == inputs.size() - END - SETTLED) {
                            first.set(Moment.now());
                        } else if (count == inputs.size() - END) {
                            last.set(Moment.now());
                        }
                    };
                })
                .into(out)) {
            StreamReport report = stream.run();
            assertEquals(List.of(), report.failures());
            assertEquals(inputs.size(), report.written().size());
            return new Settled(
                    report, last.get().since(first.get()), last.get().host.since(first.get().host));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allocatesNextToNothing(boolean discrete) throws Exception {
        List<Path> inputs = new ArrayList<>();
        for (int i = 0; i < FRAMES; i++) {
            inputs.add(frame(i, 320, discrete ? 192 : 193, KINDS.indexOf(Code.NEW))); // of 192 rows they share jobs
        }
        try (Evener evener = ExpandedFramesTest.open(discrete)) {
            Settled settled = run(evener, inputs, 256 << 20, folder.resolve("out"));
            settled.assertNothingIsTakenForAFrame();
            long bytes = settled.heap.values().stream().mapToLong(n -> n).sum() / SETTLED;
            assertTrue(bytes <= MOST_A_FRAME, bytes + " bytes a frame on the heap: " + settled.heap);
        }
    }

    /** Frames of several sizes and all codings: what was taken for the largest serves the others, and stays within the budget. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mixedFramesTakeNoMore(boolean discrete) throws Exception {
        List<Path> inputs = new ArrayList<>();
        // Of 193 rows the last block has one, which needs most. All sizes come early: devices try out the kernels of
        // new ones.
        int[][] sizes = {{320, 193}, {200, 120}, {64, 193}, {131, 37}};
        for (int i = 0; i < MIXED; i++) {
            int[] size = sizes[i < 32 ? 0 : i / 4 * 7 % 11 % sizes.length];
            inputs.add(frame(i, size[0], size[1], i < 32 ? i / 2 % 4 : i % 4));
        }
        try (Evener evener = ExpandedFramesTest.open(discrete)) {
            long budget = 64 << 20;
            Settled settled = run(evener, inputs, budget, folder.resolve("out"));
            settled.assertNothingIsTakenForAFrame();
            StreamReport.Memory memory = settled.report.memory();
            assertTrue(memory.most() <= budget, memory.toString());
        }
    }

    /** Files of so many contents, each under many names: to make one takes longer than to map it. */
    private static final int CONTENTS = 16;

    private Path frame(int number, int width, int height, int kind) throws Exception {
        Path like = made.get(List.of(number % CONTENTS, width, height, kind));
        if (like != null) {
            String name = like.getFileName().toString();
            return Files.createLink(folder.resolve("m" + number + name.substring(name.indexOf('.'))), like);
        }
        like = newFrame(number, width, height, kind);
        made.put(List.of(number % CONTENTS, width, height, kind), like);
        return like;
    }

    private Path newFrame(int number, int width, int height, int kind) throws Exception {
        if (kind == KINDS.size()) {
            byte[] head = Frames.text("PF\n" + width + " " + height + "\n-1.0\n");
            ByteBuffer file = ByteBuffer.allocate(head.length + 12 * width * height)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(head);
            for (int i = 0; i < 3 * width * height; i++) {
                file.putFloat((float) (i % 97) / 50);
            }
            return Frames.write(folder, "m" + number + ".pfm", file.array());
        }
        int[][] pixels = HdrFiles.randomPixels(height, width, number);
        return Frames.write(
                folder,
                "m" + number + ".hdr",
                HdrFiles.file("", "-Y " + height + " +X " + width, pixels, KINDS.get(kind)));
    }
}
