package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import dev.evener.LongTests;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.frames.HdrFiles.Code;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole job of a frame gives the bytes of one file, whoever has a share in it. */
@InTurn(2)
class FrameJobTest {
    /** Of each kind one, of which a short run has one for each set of devices in turn: programs are many. */
    private static final List<Operator> OPERATORS = List.of(Operator.DRAGO, Operator.FILM, Operator.PQ);

    @TempDir
    Path folder;

    private static Evener open(String devices, boolean sharing) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .history(History.inMemory())
                .sharedMemory(sharing)
                .open();
    }

    @Test
    void everyDeviceWritesTheSameFile() throws Exception {
        List<Path> frames = List.of(
                radiance(1, 1, ""),
                radiance(97, 200, ""),
                radiance(640, 33, "EXPOSURE=3.7\nCOLORCORR=1.1 0.9 1.3\n"),
                radiance(100, 64, "FORMAT=32-bit_rle_xyze\n"),
                pfm(50, 70));
        Map<String, byte[]> expected = new TreeMap<>();
        try (Evener java = open("jvm", true)) {
            for (Path frame : frames) {
                for (Operator operator : OPERATORS) {
                    byte[] file = code(java, frame, operator, Policies.single(0));
                    Path picture = Files.write(folder.resolve("expected.png"), file);
                    if (operator.words() == 1) {
                        Frames.assertPicture(
                                pixels(java, frame, operator),
                                FrameFile.open(frame).size(),
                                picture);
                    }
                    expected.put(frame + " " + operator, file);
                }
            }
        }
        int set = 0;
        for (boolean sharing : new boolean[] {true, false}) {
            for (String devices : List.of("0.0", "0.0,0.1", "0.1,1.0,jvm")) {
                List<Operator> operators = LongTests.ASKED_FOR
                        ? OPERATORS
                        : List.of(OPERATORS.get(Math.floorMod(LongTests.TURN / 2 + set++, OPERATORS.size())));
                try (Evener evener = open(devices, sharing)) {
                    for (Policy policy : List.of(Policies.fixed(), Policies.stealing(), Policies.adaptive())) {
                        for (Path frame : frames) {
                            for (Operator operator : operators) {
                                String name = frame + " " + operator;
                                byte[] file = code(evener, frame, operator, policy);
                                assertArrayEquals(expected.get(name), file, name + " on " + devices);
                            }
                        }
                    }
                }
            }
        }
    }

    private static byte[] code(Evener evener, Path path, Operator operator, Policy policy) throws IOException {
        return run(evener, path, operator, policy, false);
    }

    /** What lies between the frame and the file stays on a device with memory of its own, and so does what the file does not take. */
    @Test
    void neitherThePictureNorWhatFiltersFoundNorRoomForTheFileIsFetched() throws Exception {
        Path path = radiance(640, 200, "");
        FrameFile file = FrameFile.open(path);
        Map<Operator, Long> wordsAPixel = Map.of(Operator.DRAGO, 1L, Operator.REINHARD_LOCAL, 2L, Operator.GUIDED, 5L);
        try (Evener evener = open("0.0", false)) {
            for (Map.Entry<Operator, Long> each : wordsAPixel.entrySet()) {
                ToneMapSettings settings = ToneMapSettings.of(each.getKey());
                try (FrameJob work = new FrameJob(evener::allocate, Tuning.defaults(), PictureFormat.PNG);
                        FrameJob stays = new FrameJob(Allocator.of(evener), Tuning.defaults(), PictureFormat.PNG);
                        LoadedFrame frame = new LoadedFrame(file, PictureFormat.PNG, evener).decode();
                        HostBuffer pixels =
                                evener.allocate(ElementType.UINT, frame.pixels().elements());
                        HostBuffer coded =
                                evener.allocate(ElementType.UBYTE, PictureFormat.PNG.mostBytes(file.size()))) {
                    Job fetches = work.of(file, file.size(), null, frame.frame(), pixels, coded, settings);
                    long before = bytesOut(evener.submit(fetches).join());
                    long now =
                            bytesOut(evener.submit(frame.job(stays, settings)).join());
                    assertEquals(
                            each.getValue() * Integer.BYTES * file.size().words() + coded.elements(), before - now);
                    assertArrayEquals(written(work), written(stays));
                    try (ManagedBuffer.Scope scope = frame.pixels().read()) {
                        assertEquals(pixels.bytes(), scope.bytes());
                    }
                }
            }
        }
    }

    private static byte[] written(FrameJob work) throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        work.write(Channels.newChannel(file));
        return file.toByteArray();
    }

    private static long bytesOut(Report report) {
        return report.devices().stream().mapToLong(Report.DeviceUse::bytesOut).sum();
    }

    private static ByteBuffer pixels(Evener evener, Path path, Operator operator) throws IOException {
        byte[] pixels = run(evener, path, operator, Policies.single(0), true);
        return ByteBuffer.wrap(pixels).order(ByteOrder.nativeOrder());
    }

    private static byte[] run(Evener evener, Path path, Operator operator, Policy policy, boolean pixelsOnly)
            throws IOException {
        FrameFile file = FrameFile.open(path);
        PictureFormat format = operator.words() == 1 ? PictureFormat.PNG : PictureFormat.PNG16;
        try (FrameJob work = new FrameJob(Allocator.of(evener), Tuning.defaults(), format);
                LoadedFrame frame = new LoadedFrame(file, format, evener).decode()) {
            evener.submit(frame.job(work, ToneMapSettings.of(operator)), policy).join();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            if (pixelsOnly) {
                try (ManagedBuffer.Scope scope = frame.pixels().read()) {
                    Channels.newChannel(out).write(scope.bytes());
                }
            } else {
                work.write(Channels.newChannel(out));
            }
            return out.toByteArray();
        }
    }

    private Path radiance(int width, int height, String header) throws IOException {
        int[][] pixels = HdrFiles.randomPixels(height, width, width);
        byte[] file = HdrFiles.file(header, "-Y " + height + " +X " + width, pixels, Code.FLAT);
        return Frames.write(folder, width + "x" + height + ".hdr", file);
    }

    private Path pfm(int width, int height) throws IOException {
        byte[] header = Frames.text("PF\n" + width + " " + height + "\n-1\n");
        ByteBuffer file =
                ByteBuffer.allocate(header.length + 12 * width * height).order(ByteOrder.LITTLE_ENDIAN);
        file.put(header);
        for (int i = 0; file.hasRemaining(); i++) {
            file.putFloat((float) Math.pow(2, (i * 37 % 160) / 10.0 - 8));
        }
        return Frames.write(folder, "f.pfm", file.array());
    }
}
