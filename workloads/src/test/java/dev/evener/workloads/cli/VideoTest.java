package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.awt.image.Raster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands of the documents that feed ffmpeg give a video whose players show the colours of the pictures. */
@InTurn(3)
class VideoTest {
    private static final int WIDTH = 320;
    private static final int HEIGHT = 180;

    /** White, the primaries and what lies between, as light; none of them at an end of the range. */
    private static final float[][] BARS = {
        {0.4f, 0.4f, 0.4f}, {0.4f, 0.4f, 0.02f}, {0.02f, 0.4f, 0.4f}, {0.02f, 0.4f, 0.02f},
        {0.4f, 0.02f, 0.4f}, {0.4f, 0.02f, 0.02f}, {0.02f, 0.02f, 0.4f}, {0.1f, 0.1f, 0.1f}
    };

    @TempDir
    Path folder;

    static List<String> commands() throws IOException {
        List<String> commands = new ArrayList<>();
        for (String page : new String[] {"README.md", "docs/tone-mapping.md"}) {
            String text = Files.readString(Path.of("..", page)).replace("\\\n", " ");
            Pattern.compile("(?m)^(?:\\./)?(evener tonemap .*?) \\| (ffmpeg .*)$")
                    .matcher(text)
                    .results()
                    .map(MatchResult::group)
                    .forEach(commands::add);
        }
        assertTrue(commands.size() >= 7, commands::toString);
        return commands;
    }

    private byte[] output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        byte[] out = process.getInputStream().readAllBytes();
        assertEquals(0, process.waitFor(), () -> String.join(" ", command));
        return out;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void playersShowTheColoursOfThePictures(String command) throws Exception {
        TestFile frame = new TestFile().text("PF\n" + WIDTH + " " + HEIGHT + "\n-1\n");
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            frame.floats(BARS[i % WIDTH * BARS.length / WIDTH]);
        }
        Files.createDirectories(folder.resolve("frames"));
        Files.write(folder.resolve("frames/a.pfm"), frame.content());
        Files.write(folder.resolve("frames/b.pfm"), frame.content());
        String[] sides = command.replace("1920x1080", WIDTH + "x" + HEIGHT).split(" \\| ", 2);
        List<String> words = new ArrayList<>(List.of(sides[0].split(" +")));
        words.subList(0, words.indexOf("tonemap")).clear();
        if (!words.contains("frames")) {
            words.add(1, "frames"); // in place of the samples
        }
        String film = sides[1].substring(sides[1].lastIndexOf(' ') + 1);
        Cli.in(folder)
                .shell("\"$@\" | " + sides[1].replace("ffmpeg", "ffmpeg -v error"), words.toArray())
                .done();

        boolean hdr = words.contains("--depth");
        words.replaceAll(word -> word.equals("frames") ? folder.resolve(word).toString() : word);
        words.set(words.indexOf("--out") + 1, folder.resolve("pictures").toString());
        for (String option : List.of("--format", "--fps")) {
            if (words.contains(option)) {
                words.subList(words.indexOf(option), words.indexOf(option) + 2).clear();
            }
        }
        if (hdr) {
            words.set(words.indexOf("--depth") + 1, "16");
        }
        InProcess.run(words.toArray()).done();
        String tags = new String(
                output(
                        "ffprobe",
                        "-v",
                        "error",
                        "-show_entries",
                        "stream=color_space,color_primaries",
                        "-of",
                        "csv=p=0",
                        film),
                StandardCharsets.US_ASCII);
        assertEquals(hdr ? "bt2020nc,bt2020" : "bt709,bt709", tags.strip());
        byte[] shown = output(
                "ffmpeg",
                "-v",
                "error",
                "-i",
                film,
                "-frames:v",
                "1",
                "-f",
                "rawvideo",
                "-pix_fmt",
                hdr ? "rgb48be" : "rgb24",
                "-");
        Raster picture = ImageIO.read(folder.resolve("pictures/a.png").toFile()).getRaster();
        int bytes = hdr ? 2 : 1;
        for (int bar = 0; bar < BARS.length; bar++) {
            int x = (2 * bar + 1) * WIDTH / BARS.length / 2;
            int[] expected = picture.getPixel(x, HEIGHT / 2, (int[]) null);
            for (int c = 0; c < 3; c++) {
                int at = bytes * (3 * (HEIGHT / 2 * WIDTH + x) + c);
                int code = hdr ? ((shown[at] & 0xff) << 8) | (shown[at + 1] & 0xff) : shown[at] & 0xff;
                int most = hdr ? 3 * 256 : 3;
                assertEquals(expected[c], code, most, "component " + c + " of bar " + bar + " of " + command);
            }
        }
    }
}
