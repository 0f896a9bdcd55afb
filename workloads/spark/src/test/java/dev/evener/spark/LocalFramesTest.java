package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Frames in one JVM: what is written, what fails, and what is left of it. */
class LocalFramesTest {
    @TempDir
    static Path folder;

    private static JavaSparkContext spark;
    private static List<Path> frames;
    private static Path expected;

    @BeforeAll
    static void open() throws Exception {
        spark = new JavaSparkContext(SparkBed.conf("local[2]"));
        frames = SparkBed.frames(folder.resolve("in"), 40);
        expected = SparkBed.expected(frames, folder.resolve("expected"));
    }

    @AfterAll
    static void close() {
        spark.close();
    }

    private static SparkFrames frames() {
        return SparkFrames.of(spark).operator(Operator.HABLE);
    }

    @Test
    void theSamePicturesInEveryNumberOfPartitions() throws IOException {
        for (int partitions : new int[] {1, 7, 40, 100}) {
            Path out = folder.resolve("out" + partitions);
            SparkFrames.Result result =
                    frames().partitions(partitions).tonemap(folder.resolve("in").toString(), out.toString());
            assertEquals(new SparkFrames.Result(40, List.of()), result);
            SparkBed.assertPictures(expected, out);
        }
    }

    @Test
    void byUriPatternOrOneFile() throws IOException {
        String in = folder.resolve("in").toUri().toString();
        assertEquals(
                10,
                frames().tonemap(
                                in + "frame000*",
                                folder.resolve("pattern").toUri().toString())
                        .written());
        assertEquals(
                1,
                frames().tonemap(frames.get(3).toString(), folder.resolve("one").toString())
                        .written());
        assertEquals(List.of("_SUCCESS", "frame0003.png"), SparkBed.names(folder.resolve("one")));
    }

    @Test
    void aDamagedFrameIsALineAndTheOthersAreThere() throws IOException {
        Path in = folder.resolve("damaged");
        List<Path> some = SparkBed.frames(in, 12);
        Files.write(some.get(4), Arrays.copyOf(Files.readAllBytes(some.get(4)), 2000));
        Files.writeString(some.get(5), "no frame");
        Files.writeString(in.resolve("frame0001.pic"), "the same stem as another");
        Files.writeString(in.resolve("shot.EXR"), "no frame");
        Files.writeString(in.resolve("notes.txt"), "left alone");
        Path out = folder.resolve("damaged-out");
        SparkFrames.Result result = frames().partitions(3).tonemap(in.toString(), out.toString());
        assertEquals(10, result.written());
        assertEquals(4, result.failures().size(), result.toString());
        assertTrue(
                result.failures().get(0).startsWith(in + "/frame0001.pic: its picture would overwrite"),
                result.toString());
        assertTrue(result.failures().get(1).startsWith(some.get(4) + ": "), result.toString());
        assertTrue(result.failures().get(2).startsWith(some.get(5) + ": starts with the bytes"), result.toString());
        assertTrue(result.failures().get(3).startsWith(in + "/shot.EXR: starts with the bytes"), result.toString());
        assertEquals(11, SparkBed.names(out).size());
    }

    @Test
    void aFolderThatIsThereIsLeftAsItIs() throws IOException {
        Path out = Files.createDirectories(folder.resolve("there"));
        Files.writeString(out.resolve("mine"), "mine");
        IOException e = assertThrows(
                IOException.class, () -> frames().tonemap(folder.resolve("in").toString(), out.toString()));
        assertEquals(out + ": is there already; choose another folder, or remove it", e.getMessage());
        assertEquals(List.of("mine"), SparkBed.names(out));
        assertThrows(
                IOException.class,
                () -> frames().tonemap(
                                folder.resolve("none").toString(),
                                folder.resolve("x").toString()));
        assertFalse(Files.exists(folder.resolve("x")));
    }

    /** YARN starts another attempt of an application whose first one was killed, or that it takes for failed. */
    @Test
    void aLaterAttemptKnowsTheOutputOfAnEarlierOne() throws IOException {
        Path out = folder.resolve("attempts");
        Output.Job line = output -> List.of(new Tuple2<>(false, "a line"));
        SparkFrames.Result done = new SparkFrames.Result(0, List.of("a line"));
        assertEquals(done, Output.run(spark, "app-1", out.toString(), false, line));
        assertEquals(done, Output.run(spark, "app-2", out.toString(), false, output -> List.of()));
        assertThrows(IOException.class, () -> Output.run(spark, "app-1", out.toString(), false, line), "the same one");
        assertThrows(IOException.class, () -> Output.run(spark, "app1-2", out.toString(), false, line), "another's");
        assertThrows(IOException.class, () -> Output.run(spark, "", out.toString(), false, line));
        assertEquals(List.of("_SUCCESS"), SparkBed.names(out));
        Path unfinished = Files.createDirectories(folder.resolve("unfinished"));
        Files.createDirectories(unfinished.resolve("_temporary/0"));
        Files.writeString(unfinished.resolve("part-00000"), "of the first attempt");
        Files.createFile(unfinished.resolve("_app-1"));
        assertThrows(IOException.class, () -> Output.run(spark, "app-1", unfinished.toString(), false, line));
        assertEquals(done, Output.run(spark, "app-2", unfinished.toString(), false, line));
        assertEquals(List.of("_SUCCESS"), SparkBed.names(unfinished));
    }

    @Test
    void incrementallyInAFolderThatIsThere() throws IOException {
        Path out = Files.createDirectories(folder.resolve("incremental"));
        Files.writeString(out.resolve("frame0007.png"), "of an earlier attempt");
        SparkFrames.Result result =
                frames().incremental().tonemap(folder.resolve("in").toString(), out.toString());
        assertEquals(40, result.written());
        SparkBed.assertPictures(expected, out);
    }

    @Test
    void picturesThatCannotBeWrittenFailTheJobAndLeaveNothing() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        assertThrows(
                IOException.class,
                () -> frames().tonemap(
                                folder.resolve("in").toString(),
                                file.resolve("out").toString()));
        assertEquals("no folder", Files.readString(file));
    }
}
