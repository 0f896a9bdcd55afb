package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the cache lies, and how files in it appear and go. */
class FilesTest {
    @TempDir
    Path folder;

    @Test
    void theCacheIsWhereTheEnvironmentSays() {
        Path home = Path.of(System.getProperty("user.home"), ".cache", "evener");
        assertEquals(home, UserFolders.cache(Map.of()));
        assertEquals(Path.of("/x/evener"), UserFolders.cache(Map.of("XDG_CACHE_HOME", "/x")));
        assertEquals(home, UserFolders.cache(Map.of("XDG_CACHE_HOME", "relative")));
        assertEquals(home, UserFolders.cache(Map.of("XDG_CACHE_HOME", "")));
        assertEquals(Path.of("/y"), UserFolders.cache(Map.of("XDG_CACHE_HOME", "/x", "EVENER_CACHE", "/y")));
        assertEquals(home, UserFolders.cache(Map.of("EVENER_CACHE", " ")));
    }

    @Test
    void aWriteReplacesAllOrNothing() throws IOException {
        Path file = folder.resolve("a/b/file");
        AtomicFiles.write(file, new byte[] {1});
        AtomicFiles.write(file, new byte[] {2, 3});
        assertEquals(2, Files.size(file));
        Path blocked = folder.resolve("a/b/folder");
        Files.createDirectories(blocked.resolve("full"));
        assertThrows(IOException.class, () -> AtomicFiles.write(blocked, new byte[] {1}));
        try (Stream<Path> left = Files.list(file.getParent())) {
            assertEquals(List.of(file, blocked), left.sorted().toList(), "no temporary file is left");
        }
    }

    @Test
    void aLinkAndItsTargetStayWhatTheyAre() throws IOException {
        Path real = Files.write(folder.resolve("real"), new byte[] {1});
        Path link = Files.createSymbolicLink(folder.resolve("link"), real.getFileName());
        AtomicFiles.write(link, new byte[] {2, 3});
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(2, Files.size(real));
    }

    /** Temporary files are for their owner alone by default, and once gave that to what they became. */
    @Test
    void othersMayReadWhatTheyMayReadOfAnyNewFile() throws IOException {
        Path plain = Files.write(folder.resolve("plain"), new byte[] {1});
        Path atomic = folder.resolve("atomic");
        AtomicFiles.write(atomic, new byte[] {1});
        assertEquals(Files.getPosixFilePermissions(plain), Files.getPosixFilePermissions(atomic));
    }

    @Test
    void whatIsSetAsideIsKeptAndSaid() throws IOException {
        Path file = folder.resolve("history.json");
        Files.writeString(file, "new");
        Files.writeString(folder.resolve("history.json.damaged"), "old");
        assertEquals(
                "the history " + file + " cannot be used (line one); it was set aside as history.json.damaged",
                AtomicFiles.setAside(file, "history", "line one\nline two"));
        assertEquals("new", Files.readString(folder.resolve("history.json.damaged")));
        String message = AtomicFiles.setAside(file, "history", null);
        assertTrue(message.startsWith("the history " + file + " cannot be used (unreadable) and could not be renamed"));
    }
}
