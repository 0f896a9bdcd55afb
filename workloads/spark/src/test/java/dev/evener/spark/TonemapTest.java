package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** The program that spark-submit starts: that it returns, what it throws and what it says. */
class TonemapTest {
    @TempDir
    Path folder;

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final Map<String, String> properties = new TreeMap<>();

    /** As spark-submit passes the configuration on. */
    @BeforeEach
    void configure() throws Exception {
        for (Tuple2<String, String> each : SparkBed.conf("local[2]").getAll()) {
            if (!each._1().equals("spark.plugins")) { // which the program sets itself
                properties.put(each._1(), each._2());
            }
        }
        properties.forEach(System::setProperty);
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restore() {
        System.setErr(before);
        properties.keySet().forEach(System::clearProperty);
    }

    private List<String> said() {
        return said.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("evener:"))
                .toList();
    }

    private static void run(String... arguments) throws Exception {
        Tonemap.main(arguments);
    }

    @Test
    void doneOrSomeFrameFailed() throws Exception {
        List<Path> frames = SparkBed.frames(folder.resolve("in"), 4);
        String in = folder.resolve("in").toString();
        Path out = folder.resolve("out");
        Path expected = SparkBed.expected(frames, folder.resolve("expected"));
        run("--operator", "hable", "--partitions", "2", in, out.toString()); // and comes back
        SparkBed.assertPictures(expected, out);
        Files.writeString(frames.get(2), "damaged");
        String some = folder.resolve("some").toString();
        SparkException e = assertThrows(SparkException.class, () -> run("--operator", "hable", in, some));
        assertTrue(e.getMessage().startsWith("frames that gave no picture: 1, the first "), e.getMessage());
        assertEquals(1, said().size(), said().toString());
        assertTrue(said().get(0).contains("frame0002.hdr: starts with"), said().toString());
        assertEquals(4, SparkBed.names(folder.resolve("some")).size());
    }

    @Test
    void failed() throws Exception {
        SparkBed.frames(folder.resolve("in"), 1);
        Path there = Files.createDirectories(folder.resolve("there"));
        String in = folder.resolve("in").toString();
        IOException e = assertThrows(IOException.class, () -> run(in, there.toString()));
        assertEquals(there + ": is there already; choose another folder, or remove it", e.getMessage());
        String none = folder.resolve("none").toString();
        String out = folder.resolve("out").toString();
        assertEquals(
                none + ": there is no such file or folder",
                assertThrows(IOException.class, () -> run(none, out)).getMessage());
        assertEquals(List.of(), SparkBed.names(there));
        assertFalse(Files.exists(folder.resolve("out")));
    }

    @Test
    void wrongUsage() {
        for (List<String> arguments : List.of(
                List.<String>of(),
                List.of("in"),
                List.of("a", "b", "c"),
                List.of("--operator", "none", "in", "out"),
                List.of("in", "out", "--operator"),
                List.of("--partitions", "x", "in", "out"),
                List.of("--unknown", "in"))) {
            assertThrows(
                    IllegalArgumentException.class, () -> run(arguments.toArray(String[]::new)), arguments.toString());
        }
    }
}
