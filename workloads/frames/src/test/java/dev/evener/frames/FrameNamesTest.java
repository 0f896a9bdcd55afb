package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.frames.FrameStreamBuilder.Missing;
import dev.evener.frames.StreamReport.Failure;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No frame of a film is missing or at another place without a word. */
class FrameNamesTest {
    @TempDir
    Path folder;

    @Test
    void foldersComeInOrderOfTheirNumbersAndHideNothing() throws IOException {
        List<String> expected = List.of(
                "a.hdr",
                "f1.pfm",
                "f02.pfm",
                "f2.pfm",
                "f9.pfm",
                "f10.pfm",
                "f10b1.pfm",
                "f10b2.pfm",
                "f10b11.pfm",
                "f100000000000000000000.pfm",
                "g1v3.0001.exr",
                "g1v3.0100.exr",
                "g1v20.0001.exr");
        for (String name : expected) {
            Files.createFile(folder.resolve(name));
        }
        Files.delete(folder.resolve("f9.pfm"));
        Files.createSymbolicLink(folder.resolve("f9.pfm"), Path.of("gone.pfm"));
        Files.createFile(folder.resolve("._f3.pfm"));
        Files.createFile(folder.resolve("notes1.txt"));
        Files.createDirectory(folder.resolve("f4.pfm"));
        List<String> found = FrameNames.in(folder).stream()
                .map(f -> f.getFileName().toString())
                .toList();
        assertEquals(expected, found);
    }

    /**
     * Whatever is taken out of sequences, gaps say which, however numbers are written and whatever stands beside
     * them.
     */
    @Test
    void gapsAreWhatWasTakenOut() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            int step = 1 + random.nextInt(3);
            int first = random.nextInt(120);
            String name =
                    List.of("f%d.exr", "v2.%04d.hdr", "s1/x_%03d-left.pfm").get(random.nextInt(3));
            List<Path> all = IntStream.range(0, 40)
                    .mapToObj(i -> Path.of(String.format(name, first + i * step)))
                    .toList();
            List<Path> there = new ArrayList<>(all.subList(0, 2)); // which say the step
            all.subList(2, 39).stream().filter(f -> random.nextInt(3) > 0).forEach(there::add);
            there.add(all.get(39));
            List<Path> around = new ArrayList<>(List.of(Path.of("single.exr"), Path.of("b7.exr")));
            around.addAll(there);
            around.add(Path.of("b9.exr"));
            List<Path> missing = FrameNames.gaps(around).stream()
                    .flatMap(FrameNames.Gap::missing)
                    .toList();
            assertEquals(all.stream().filter(f -> !there.contains(f)).toList(), missing);
        }
        List<Path> back =
                Stream.of("f1.exr", "f10.exr", "f2.exr", "f3.exr").map(Path::of).toList();
        FrameNames.Gap gap = FrameNames.gaps(back).get(1);
        assertEquals(2, gap.at());
        assertEquals(0, gap.count(), "numbers go back");
    }

    /** Of random films some frames are not there, cut short or of no format: every place has what it should. */
    @Test
    void everyPlaceOfAFilmHasItsFrame() throws Exception {
        Random random = new Random(3);
        try (Evener evener =
                Evener.builder().devices(DeviceSelector.parse("jvm")).open()) {
            for (int round = 0; round < 12; round++) {
                Missing missing =
                        List.of(Missing.LEFT_OUT, Missing.BLACK, Missing.HELD).get(round % 3);
                List<Path> inputs = new ArrayList<>();
                List<Integer> levels = new ArrayList<>(); // of grey; negative where there is no frame
                for (int i = 0; i < 9; i++) {
                    Path file = folder.resolve(round + "f" + i + ".pfm");
                    inputs.add(file);
                    int kind = i == 4 ? 9 : random.nextInt(10);
                    levels.add(kind < 4 ? -1 : i + 1);
                    ByteBuffer bytes = ByteBuffer.allocate(11 + 8 * 4 * Float.BYTES);
                    bytes.put(Frames.text("Pf 8 4 1.0\n"));
                    while (bytes.hasRemaining()) {
                        bytes.putFloat((i + 1) / 10f);
                    }
                    if (kind > 2) {
                        Files.write(file, bytes.array());
                    } else if (kind > 0) {
                        Files.write(
                                file, Frames.text(kind == 1 ? "GIF89a" : "#?RADIANCE\n\n-Y 4 +X 8\n\2\2\0\10\1\1\1"));
                    }
                    if (kind == 3) { // which is found when it is decoded
                        Files.write(file, Frames.text("#?RADIANCE\n\n-Y 4 +X 8\n" + "\2\2\0\10" + "\377".repeat(99)));
                    }
                }
                List<Integer> expected = new ArrayList<>();
                for (int i = 0; i < 9; i++) {
                    int at = i;
                    while (at >= 0 && levels.get(at) < 0) {
                        at--;
                    }
                    for (at = at < 0 ? i : at; levels.get(at) < 0; ) {
                        at++;
                    }
                    if (at == i || missing != Missing.LEFT_OUT) {
                        expected.add(at != i && missing == Missing.BLACK ? 0 : levels.get(at));
                    }
                }
                ByteArrayOutputStream film = new ByteArrayOutputStream();
                FrameStreamBuilder stream = FrameStream.of(
                                inputs,
                                evener,
                                ToneMapSettings.of(Operator.REINHARD).withExposure(0))
                        .format(PictureFormat.RAW)
                        .missing(missing)
                        .passes(1 + round / 3 % 2)
                        .budget(round < 6 ? 1 << 20 : 0);
                StreamReport report = stream.into(Channels.newChannel(film)).run();
                byte[] shown = film.toByteArray();
                assertEquals(expected.size() * 8 * 4 * 4, shown.length, missing + " " + levels);
                for (int i = 0; i < expected.size(); i++) {
                    double level = expected.get(i) / 10.0;
                    double code = 255 * (1.055 * Math.pow(level / (1 + level), 1 / 2.4) - 0.055);
                    assertEquals(Math.max(0, code), shown[i * 128 + 60] & 0xff, 1, missing + " " + levels + " " + i);
                }
                assertEquals(
                        Collections.frequency(levels, -1), report.failures().size(), "each is told of");
                assertTrue(report.failures().stream()
                        .map(Failure::replaced)
                        .allMatch(replaced -> replaced == (missing != Missing.LEFT_OUT)));
            }
        }
    }
}
