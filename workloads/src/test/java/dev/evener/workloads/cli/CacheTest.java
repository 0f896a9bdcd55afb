package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No state of the cache folder prevents a run or changes a pixel. */
@InTurn(4)
class CacheTest {
    @TempDir
    static Path folder;

    private final Path cache = folder.resolve("cache");

    @BeforeAll
    static void fill() {
        run(folder.resolve("cache"), "expected").silent();
        learn(folder.resolve("cache"), folder).done();
        assertTrue(Files.exists(folder.resolve("cache/history.json")));
    }

    private static Cli.Result run(Path where, String out) {
        return Cli.in(folder)
                .with("EVENER_CACHE", where)
                .run("tonemap", Cli.sample("city"), "--devices", "0.0,0.1", "--out", out);
    }

    /** One job that has its devices for itself: two frames may both be interrupted, and such jobs teach nothing. */
    private static Cli.Result learn(Path where, Path temporary) {
        return Cli.in(folder)
                .with("EVENER_CACHE", where)
                .jvm("-Djava.io.tmpdir=" + temporary)
                .run("run", "saxpy", "--size", "10000", "--devices", "0.0,0.1");
    }

    @Test
    void aDamagedHistoryIsSetAside() throws IOException {
        Files.writeString(cache.resolve("history.json"), "{ garbage");

        Cli.Result run = run(cache, "damaged").done();

        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(
                run.err().startsWith("evener: warning: the history ")
                        && run.err().strip().endsWith("it was set aside as history.json.damaged"),
                run::toString);
        assertEquals("{ garbage", Files.readString(cache.resolve("history.json.damaged")));
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("damaged"), 1);
        run(cache, "again").silent();
    }

    /** Versions side by side keep a history each. */
    @Test
    void aFutureHistoryIsLeftAlone() throws IOException {
        String future = "{\"format\":\"evener-history\",\"version\":99,\"entries\":[]}\n";
        Files.writeString(cache.resolve("history.json"), future);
        run(cache, "future").silent();
        learn(cache, folder).done();
        assertEquals(future, Files.readString(cache.resolve("history.json")));
        try (Stream<Path> files = Files.list(cache)) {
            assertEquals(
                    1,
                    files.filter(file -> file.getFileName().toString().matches("history\\.json\\.v\\d+"))
                            .count());
        }
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("future"), 1);
    }

    /** The OpenCL binding is then unpacked elsewhere, and must not stay there after each run. */
    @Test
    void aCacheThatCannotBeIsDoneWithout() throws IOException {
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        Files.writeString(folder.resolve("file"), "");
        Cli.Result run = Cli.in(folder)
                .with("EVENER_CACHE", folder.resolve("file/cache"))
                .jvm("-Djava.io.tmpdir=" + temporary)
                .run("tonemap", Cli.sample("city"), "--devices", "0.0,0.1", "--out", "none", "--json", "-")
                .done();
        assertEquals(2, ReportSchema.objects(run.json(), "devices").size());
        String warning = "evener: warning: the history could not be written to ";
        assertTrue(
                run.err().lines().count() <= 1
                        && (run.err().isEmpty() || run.err().startsWith(warning)),
                run::toString);
        Cli.Result learns = learn(folder.resolve("file/cache"), temporary).done();
        assertEquals(1, learns.err().lines().count(), learns::toString);
        assertTrue(learns.err().startsWith(warning), learns::toString);
        assertEquals(List.of(), Cli.names(temporary));
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("none"), 1);
    }

    /** A relative name once kept the dynamic linker from finding the unpacked binding. */
    @Test
    void aRelativeCacheFolderWorks() throws IOException {
        run(Path.of("relative"), "of-relative").silent();
        learn(Path.of("relative"), folder).done();
        assertTrue(Cli.names(folder.resolve("relative")).contains("history.json"));
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("of-relative"), 1);
    }
}
