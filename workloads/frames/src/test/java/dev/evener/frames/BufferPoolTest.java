package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.frames.BufferPool.FrameMemory;
import dev.evener.frames.BufferPool.PictureMemory;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many frames have memory at once. */
class BufferPoolTest {
    private static final int READERS = 3;
    private static final int AT_DEVICES = 2; // of one that is a processor of the host's

    /** Locked memory for 81 frames was made where 48 were under way, because many could be written at once. */
    @Test
    void readersWaitForMemoryThatDevicesAreDoneWith() throws Exception {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                BufferPool pool =
                        new BufferPool(new FrameStreamBuilder(List.of(), evener, ToneMapSettings.of(Operator.HABLE))
                                .decoders(READERS)
                                .writers(50))) {
            FrameFile file = frame();
            List<FrameMemory> taken = new ArrayList<>();
            for (long i = 0; i < 20; i++) {
                pool.begin(i);
            }
            for (long i = 0; i < READERS + AT_DEVICES; i++) {
                taken.add(pool.take(file, file.size(), false, 1, i));
                taken.get((int) i).isMade();
            }
            Thread.currentThread().interrupt(); // so that who would wait gets an exception
            assertThrows(InterruptedException.class, () -> pool.take(file, file.size(), false, 1, 5));

            pool.passed(0);
            pool.giveBack(taken.get(3));
            assertSame(taken.get(3), pool.take(file, file.size(), false, 1, 5), "none is made");
            for (long i = 1; i < 6; i++) {
                pool.passed(i);
            }
            FrameMemory more = pool.take(file, file.size(), false, 1, 6); // the oldest waits for nobody
            taken.forEach(pool::giveBack);
            pool.giveBack(more);
            assertEquals(6 * file.coding().bytes(file.size()), pool.mostBytes());
        }
    }

    /**
     * With 32 readers memory for 48 frames was made at once, 4 GB, for which they waited for each other in the driver longer than 8 readers
     * take for all frames.
     */
    @Test
    void noMoreMemoryIsMadeThanDevicesNeed() throws Exception {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                BufferPool pool =
                        new BufferPool(new FrameStreamBuilder(List.of(), evener, ToneMapSettings.of(Operator.HABLE))
                                .decoders(50)
                                .writers(50))) {
            FrameFile file = frame();
            List<FrameMemory> taken = new ArrayList<>();
            for (long i = 0; i < 50; i++) {
                pool.begin(i);
            }
            for (long i = 0; i < AT_DEVICES; i++) {
                taken.add(pool.take(file, file.size(), false, 1, i));
            }
            assertTakesNone(pool, file, AT_DEVICES);
            taken.get(1).isMade();
            taken.get(1).isMade();
            taken.add(pool.take(file, file.size(), false, 1, 2));
            assertTakesNone(pool, file, 3);
            taken.forEach(FrameMemory::isMade);

            pool.isRead(taken.get(0));
            assertTakesNone(pool, file, 3); // a device has enough to do
            pool.giveBack(taken.get(2));
            assertSame(taken.get(2), pool.take(file, file.size(), false, 1, 3), "none is made");
            pool.giveBack(pool.takePicture(file.size(), taken.get(0)));
            for (long i = 4; i < 4 + AT_DEVICES; i++) {
                taken.add(pool.take(file, file.size(), false, 1, i));
            }
            assertTakesNone(pool, file, 40);
            pool.giveBack(taken.remove(3)); // it could not be read, or made
            taken.add(pool.take(file, file.size(), false, 1, 40));
            taken.forEach(FrameMemory::isMade);
            taken.add(pool.take(file, file.size(), false, 1, 41));
            taken.forEach(pool::giveBack);
        }
    }

    /** Beside 32 cores 20 frames of 67 MB were locked for one GPU, though 16 of them waited for memory that others read. */
    @Test
    void aDeviceOfItsOwnMemoryHasAGigabyteLocked() throws Exception {
        try (Evener evener = ExpandedFramesTest.open(true);
                BufferPool pool =
                        new BufferPool(new FrameStreamBuilder(List.of(), evener, ToneMapSettings.of(Operator.HABLE))
                                .budget(1L << 40)
                                .decoders(50))) {
            FrameFile file = FrameFile.open(Path.of("large.pfm"), 1L << 30, from -> {
                byte[] header = "PF\n8192 8192\n-1.0\n".getBytes(StandardCharsets.US_ASCII);
                return Channels.newChannel(new ByteArrayInputStream(header, (int) from, header.length - (int) from));
            });
            List<FrameMemory> taken = new ArrayList<>();
            for (long i = 0; i < 50; i++) {
                pool.begin(i);
            }
            long most = evener.devices().size() * 1_000_000_000L / file.coding().bytes(file.size());
            for (long i = 0; i < most; i++) {
                taken.add(pool.take(file, file.size(), false, 1, i));
                taken.get((int) i).isMade();
            }
            assertTakesNone(pool, file, most);
            FrameMemory oldest = pool.take(file, file.size(), false, 1, 0); // however much there is
            taken.forEach(pool::giveBack);
            pool.giveBack(oldest);
            assertTrue(pool.mostBytes() > 2L << 30, "of what was taken, and is not made: " + pool.mostBytes());
        }
    }

    /**
     * Of 8K frames on two cores the memory was freed and made again for each, 278 MB of zeros and a fifth of the processor time: frames were read
     * until they took the budget, and pictures were beyond it.
     */
    @Test
    void picturesHaveRoomBeforeTheirFramesAreRead() throws Exception {
        FrameFile file = frame();
        FrameLayout size = file.size();
        PictureFormat png = PictureFormat.PNG;
        long each = file.coding().bytes(size) + Integer.BYTES * png.pixelWords(size) + png.mostBytes(size);
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                BufferPool pool =
                        new BufferPool(new FrameStreamBuilder(List.of(), evener, ToneMapSettings.of(Operator.HABLE))
                                .budget(3 * each)
                                .decoders(READERS))) {
            List<FrameMemory> frames = new ArrayList<>();
            List<PictureMemory> pictures = new ArrayList<>();
            for (long i = 0; i < 10; i++) {
                pool.begin(i);
            }
            for (long i = 0; i < 3; i++) {
                frames.add(pool.take(file, size, false, 1, i));
                frames.get((int) i).isMade();
            }
            assertTakesNone(pool, file, 3);
            frames.forEach(frame -> pictures.add(pool.takePicture(size, frame)));
            for (int i = 0; i < 7; i++) {
                pool.giveBack(frames.get(i));
                pool.passed(i);
                assertTakesNone(pool, file, i + 3);
                pool.giveBack(pictures.get(i));
                frames.add(pool.take(file, size, false, 1, i + 3));
                pictures.add(pool.takePicture(size, frames.get(i + 3)));
                assertSame(frames.get(i), frames.get(i + 3), "none is made");
                assertSame(pictures.get(i), pictures.get(i + 3), "none is made");
            }
            frames.subList(7, 10).forEach(pool::giveBack);
            pictures.subList(7, 10).forEach(pool::giveBack);
            assertEquals(3 * each, pool.mostBytes());
        }
    }

    /** Frames that share a job stay within the memory budget, and leave something for other readers and devices. */
    @Test
    void noMoreFramesShareAJobThanThereIsRoomFor() throws Exception {
        ToneMapSettings settings = ToneMapSettings.of(Operator.HABLE);
        byte[] bytes = HdrFiles.file("", "-Y 64 +X 1024", HdrFiles.randomPixels(64, 1024, 1), HdrFiles.Code.NEW);
        FrameFile file = FrameFile.open(
                Path.of("shared.hdr"),
                bytes.length,
                from -> Channels.newChannel(new ByteArrayInputStream(bytes, (int) from, bytes.length - (int) from)));
        List<Path> inputs = Collections.nCopies(1000, Path.of("shared.hdr"));
        int atOnce = READERS + 8;
        try (Evener evener = ExpandedFramesTest.open(true)) {
            for (long budget : new long[] {0, 4L * atOnce * bytes.length, 1L << 40}) {
                for (int count : new int[] {1, 2 * atOnce, 1000}) {
                    try (BufferPool pool =
                            new BufferPool(new FrameStreamBuilder(inputs.subList(0, count), evener, settings)
                                    .budget(budget)
                                    .decoders(READERS))) {
                        int most = pool.together(file, file.size(), settings);
                        assertTrue(most >= 1 && most <= Math.max(1, count / atOnce), most + " of " + count);
                        assertTrue(most == 1 || (long) most * bytes.length * atOnce <= budget, most + " in " + budget);
                        assertEquals(budget > 1L << 30 && count == 1000, most == 64, "16 MiB of pixels");
                    }
                }
            }
        }
    }

    /** Frames share a job only where none would begin sooner. */
    @Test
    void framesWaitWhereDevicesHaveAllThatTheyTakeAtOnce() throws Exception {
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                BufferPool pool =
                        new BufferPool(new FrameStreamBuilder(List.of(), evener, ToneMapSettings.of(Operator.HABLE))
                                .decoders(READERS))) {
            FrameFile file = frame();
            List<FrameMemory> taken = new ArrayList<>();
            for (long i = 0; i < AT_DEVICES; i++) {
                assertFalse(pool.wouldWait(), "a device takes the next one at once");
                pool.begin(i);
                taken.add(pool.take(file, file.size(), false, 1, i));
                pool.isRead(taken.get((int) i));
                assertTrue(pool.wouldWait(), "one waits");
                pool.giveBack(pool.takePicture(file.size(), taken.get((int) i)));
                pool.giveBack(pool.takePicture(file.size(), taken.get((int) i))); // the host decodes it after all
            }
            assertTrue(pool.wouldWait(), "devices have enough");
            pool.giveBack(taken.get(0));
            assertFalse(pool.wouldWait());
            pool.giveBack(taken.get(1));
        }
    }

    private static void assertTakesNone(BufferPool pool, FrameFile file, long frame) {
        Thread.currentThread().interrupt(); // so that who would wait gets an exception
        assertThrows(InterruptedException.class, () -> pool.take(file, file.size(), false, 1, frame));
    }

    private static FrameFile frame() throws FrameException {
        byte[] header = "Pf\n2 2\n-1.0\n".getBytes(StandardCharsets.US_ASCII);
        byte[] all = ByteBuffer.allocate(header.length + 16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(header)
                .array();
        return FrameFile.open(
                Path.of("small.pfm"),
                all.length,
                from -> Channels.newChannel(new ByteArrayInputStream(all, (int) from, all.length - (int) from)));
    }
}
