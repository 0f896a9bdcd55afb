package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The program that README.md shows is the one in this folder, and does what README.md says. */
class ReadmeTest {

    @Test
    void readmeShowsThisProgram() throws IOException {
        // Surefire starts in the module's folder.
        String program = Files.readString(Path.of("src/test/java/dev/evener/examples/Saxpy.java"));
        String shown = between(program, "// region program\n", "// endregion\n");
        String readme = Files.readString(Path.of("..", "..", "README.md"));
        assertEquals(shown, between(readme, "```java\n", "```\n"), "README.md and Saxpy.java differ");
    }

    @Test
    void twoDevicesShareIt() {
        int n = 1_000_003; // no multiple of anything: the last granule is short
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .history(History.inMemory())
                .policy(Policies.fixed(0.3, 0.7))
                .open()) {
            HostBuffer x = evener.allocate(ElementType.FLOAT, n);
            HostBuffer y = evener.allocate(ElementType.FLOAT, n);
            FloatBuffer xs = x.floats();
            FloatBuffer ys = y.floats();
            for (int i = 0; i < n; i++) {
                xs.put(i, i * 0.37f);
                ys.put(i, 1f / (i + 1));
            }
            Report report = Saxpy.saxpy(evener, 1.1f, x, y);
            for (Report.DeviceUse device : report.devices()) {
                assertTrue(device.units() > 0, () -> device + " had nothing to do");
            }
            for (int i = 0; i < n; i++) {
                float expected = 1.1f * (i * 0.37f) + 1f / (i + 1);
                assertEquals(expected, ys.get(i), 0f, "element " + i);
            }
        }
    }

    @Test
    void theProgramRuns() {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Saxpy.main(new String[0]);
        } finally {
            System.setOut(before);
        }
        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(2, lines.size(), () -> "printed: " + lines);
        assertTrue(lines.get(0).startsWith("saxpy: 4194304 units in "), lines.get(0));
        assertEquals("2.5 * 1000 + 1 = 2501.0", lines.get(1));
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin);
        assertTrue(from >= 0, () -> "no '" + begin.strip() + "'");
        int to = text.indexOf(end, from + begin.length());
        assertTrue(to >= 0, () -> "no '" + end.strip() + "' after '" + begin.strip() + "'");
        return text.substring(from + begin.length(), to);
    }
}
