package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finding the OpenCL loader as the dynamic linker of Linux would. */
class LoaderLibraryTest {
    private static final String NAME = "libOpenCL.so.1";

    @TempDir
    Path folder;

    private Path cache;
    private Path system;

    @BeforeEach
    void emptySystem() throws IOException {
        system = Files.createDirectories(folder.resolve("system"));
        cache = cache("/lib/libother.so");
    }

    private Path cache(Object... paths) throws IOException {
        StringBuilder text = new StringBuilder("glibc-ld.so.cache1.1\0\1\2\3");
        for (Object path : paths) {
            text.append("\0libwhatever.so\0").append(path);
        }
        return Files.write(
                folder.resolve("ld.so.cache"), text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
    }

    private String problem(String path) {
        return new LoaderLibrary(path, cache, List.of(folder.resolve("none"), system)).problem();
    }

    /** The head of a library for this machine: the running JVM's own program has the right one. */
    private static byte[] mine() throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return Arrays.copyOf(Files.readAllBytes(java), 64);
    }

    private Path library(Path where, String name, byte[] content) throws IOException {
        return Files.write(Files.createDirectories(where).resolve(name), content);
    }

    @Test
    void nothingAnywhere() {
        assertEquals("there is no libOpenCL.so.1", problem(null));
        assertNotNull(problem(""));
        assertNotNull(problem(folder + ":" + folder.resolve("none")));
    }

    @Test
    void inAFolderOfTheSystem() throws IOException {
        library(system, NAME, mine());
        assertNull(problem(null));
    }

    @Test
    void underTheNameForDevelopersOnly() throws IOException {
        library(system, "libOpenCL.so", mine());
        assertNull(problem(null));
    }

    @Test
    void onThePath() throws IOException {
        Path there = library(folder.resolve("there"), NAME, mine()).getParent();
        assertNull(problem(folder + ":" + there));
        assertNull(problem(there + ";" + folder));
    }

    @Test
    void inTheCacheWhereverThatIs() throws IOException {
        Path there = library(folder.resolve("far/away"), NAME, mine());
        cache = cache("/lib/libother.so", there, "/lib/libRusticlOpenCL.so.1");
        assertNull(problem(null));
        Files.delete(there);
        assertNotNull(problem(null), "the cache may be older than the removal");
        cache = cache("/lib/libRusticlOpenCL.so.1", there.resolveSibling("libOpenCL.so.1.0.0"));
        assertNotNull(problem(null));
    }

    @Test
    void whatIsNoLibraryStopsTheLinker() throws IOException {
        library(system, NAME, mine());
        Path broken = library(folder.resolve("broken"), NAME, new byte[0]);
        assertEquals(broken + " is not a library", problem(broken.getParent().toString()));
        Files.write(broken, new byte[100]);
        assertNotNull(problem(broken.getParent().toString()));
    }

    @Test
    void librariesForOtherMachinesArePassedOver() throws IOException {
        byte[] other = mine();
        other[4] = 1; // 32 bits
        Path there = library(folder.resolve("other"), NAME, other).getParent();
        assertNotNull(problem(there.toString()));
        byte[] foreign = mine();
        foreign[18] = 8; // MIPS
        library(folder.resolve("foreign"), NAME, foreign);
        library(system, NAME, mine());
        assertNull(problem(there + ":" + folder.resolve("foreign")));
    }

    @Test
    void aLinkerWithoutACacheIsNotJudged() throws IOException {
        Files.delete(cache);
        assertNull(problem(null));
    }

    @Test
    void theTestBedHasOne() {
        LoaderLibrary here = LoaderLibrary.ofThisProcess();
        assertNull(here == null ? null : here.problem());
        assertNull(ClLibrary.problem());
    }
}
