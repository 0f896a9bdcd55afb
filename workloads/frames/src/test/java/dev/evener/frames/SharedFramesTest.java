package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.frames.FrameStreamBuilder.Missing;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.frames.StreamReport.Failure;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Small frames that wait share jobs: pictures, messages and figures are those of frames with a job each. */
@Timeout(600)
@InTurn(2)
class SharedFramesTest {
    private static final int TOGETHER = 4;

    /** Enough for so many to share a job, and leave something for three readers and eight that devices have or find next. */
    private static final int FRAMES = 11 * TOGETHER + 6;

    @TempDir
    Path folder;

    /** Files of one size, but for these: */
    private enum Kind {
        LIKE_OTHERS(40, 32),
        TALLER(40, 64),
        ODD(40, 33),
        CUT(40, 32),
        DAMAGED(40, 32),
        FLAT(40, 32),
        NONE(40, 32);

        private final int width;
        private final int height;

        Kind(int width, int height) {
            this.width = width;
            this.height = height;
        }

        private byte[] file(int number) {
            int[][] pixels = HdrFiles.randomPixels(height, width, number);
            Code code = this == FLAT ? Code.FLAT : Code.NEW;
            byte[] file = HdrFiles.file("", "-Y " + height + " +X " + width, pixels, code);
            switch (this) {
                case CUT -> file = Arrays.copyOf(file, file.length - 1);
                case DAMAGED -> {
                    int row = file.length - 1;
                    while (file[row] != 2 || file[row - 1] != 2 || file[row + 1] != 0 || file[row + 2] != width) {
                        row--;
                    }
                    file[row + 3] = 0; // a code of no bytes
                }
                case NONE -> file = Frames.text("no frame");
                default -> {}
            }
            return file;
        }
    }

    private List<Path> inputs(boolean mixed) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < FRAMES; i++) {
            Kind kind = mixed && i > 10 && i % 5 == 3 ? Kind.values()[i / 5 % Kind.values().length] : Kind.LIKE_OTHERS;
            files.add(Frames.write(folder, "f" + i + ".hdr", kind.file(i)));
        }
        return files;
    }

    /** What a stream said and wrote. */
    private record Outcome(List<String> failures, TreeMap<String, Integer> pictures, StreamReport report) {}

    /**
     * With three readers, which have memory first. The third one has its frame when that of another waits, as the job of the first is held up,
     * and adds others until there are {@link #TOGETHER}.
     */
    private Outcome run(List<Path> inputs, Missing missing, boolean shared, FrameStore store) throws Exception {
        CountDownLatch third = new CountDownLatch(1);
        CountDownLatch fourth = new CountDownLatch(4);
        CountDownLatch all = new CountDownLatch(4 + TOGETHER - 1);
        FrameStore counting = new FrameStore() {
            @Override
            public FrameFile open(Path frame) throws FrameException {
                fourth.countDown();
                all.countDown();
                return FrameFile.open(frame, frame.toFile().length(), offset -> {
                    int number = offset > 0 && shared ? inputs.indexOf(frame) : FRAMES;
                    if (number < 2) {
                        await(third);
                    } else if (number == 2) {
                        third.countDown();
                        await(fourth);
                    }
                    return FileChannel.open(frame).position(offset);
                });
            }

            @Override
            public void write(Path picture, Content content) throws IOException {
                store.write(picture, content);
            }

            @Override
            public void makeFolder(Path made) throws IOException {
                store.makeFolder(made);
            }
        };
        Path out = folder.resolve("out" + shared);
        try (Evener evener = ExpandedFramesTest.open(true)) {
            FrameStreamBuilder stream = FrameStream.of(inputs, evener, ToneMapSettings.of(Operator.REINHARD_EXTENDED))
                    .store(counting)
                    .missing(missing)
                    .decoders(3);
            if (shared) {
                stream.watch(source -> {
                    await(all);
                    return picture -> {};
                });
            } else {
                stream.jobEach();
            }
            try (FrameStream run = stream.into(out)) {
                StreamReport report = run.run();
                TreeMap<String, Integer> pictures = new TreeMap<>();
                for (Path picture : report.written()) {
                    pictures.put(picture.getFileName().toString(), Arrays.hashCode(Files.readAllBytes(picture)));
                }
                assertEquals(shared, report.jobs().size() < report.frames().size(), "frames share jobs");
                return new Outcome(
                        report.failures().stream()
                                .map(Failure::message)
                                .map(message -> message.replace(out.toString(), ""))
                                .toList(),
                        pictures,
                        report);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(1, TimeUnit.MINUTES), "others are read meanwhile");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Missing.class)
    void theSamePicturesAndMessages(Missing missing) throws Exception {
        List<Path> inputs = inputs(true);
        Outcome alone = run(inputs, missing, false, FrameStore.FILES);
        Outcome shared = run(inputs, missing, true, FrameStore.FILES);
        assertEquals(String.join("\n", alone.failures), String.join("\n", shared.failures));
        assertEquals(alone.pictures, shared.pictures);
        assertEquals(
                alone.report.frames().stream()
                        .map(f -> f.source() + " " + f.layout() + " " + f.expanded())
                        .toList(),
                shared.report.frames().stream()
                        .map(f -> f.source() + " " + f.layout() + " " + f.expanded())
                        .toList());
    }

    /** A picture that cannot be written is a failure of its own frame. */
    @Test
    void oneThatCannotBeWrittenHoldsUpNoOther() throws Exception {
        List<Path> inputs = inputs(false);
        FrameStore full = new FrameStore() {
            @Override
            public FrameFile open(Path frame) throws FrameException {
                return FrameFile.open(frame);
            }

            @Override
            public void write(Path picture, Content content) throws IOException {
                if (picture.getFileName().toString().matches("f\\d*3\\.png")) {
                    throw new IOException("no room");
                }
                FrameStore.FILES.write(picture, content);
            }

            @Override
            public void makeFolder(Path made) throws IOException {
                FrameStore.FILES.makeFolder(made);
            }
        };
        Outcome alone = run(inputs, Missing.LEFT_OUT, false, full);
        Outcome shared = run(inputs, Missing.LEFT_OUT, true, full);
        assertEquals(FRAMES / 10, alone.failures.size());
        assertEquals(alone.failures, shared.failures);
        assertEquals(alone.pictures, shared.pictures);
    }

    /** As many as there is room for and as leave something for others. */
    @Test
    void asManyAsWait() throws Exception {
        Outcome shared = run(inputs(false), Missing.LEFT_OUT, true, FrameStore.FILES);
        assertEquals(List.of(), shared.failures);
        assertEquals(
                TOGETHER,
                shared.report.frames().stream()
                        .mapToInt(MappedFrame::together)
                        .max()
                        .orElseThrow());
    }
}
