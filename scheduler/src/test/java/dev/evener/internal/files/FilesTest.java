package dev.evener.internal.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ChildJava;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the cache lies, and how files in it appear and go. */
class FilesTest {
    @TempDir
    Path folder;

    @Test
    void theCacheIsWhereTheEnvironmentSays() {
        Path home = Path.of("/home/me/.cache/evener");
        assertEquals(home, cache(Map.of()));
        assertEquals(Path.of("/x/evener"), cache(Map.of("XDG_CACHE_HOME", "/x")));
        assertEquals(home, cache(Map.of("XDG_CACHE_HOME", "relative")));
        assertEquals(home, cache(Map.of("XDG_CACHE_HOME", "")));
        assertEquals(Path.of("/y"), cache(Map.of("XDG_CACHE_HOME", "/x", "EVENER_CACHE", "/y")));
        assertEquals(home, cache(Map.of("EVENER_CACHE", " ")));
    }

    private static Path cache(Map<String, String> environment) {
        return UserFolders.cache(environment, "/home/me");
    }

    /** It was a folder of that name in the working folder. */
    @Test
    void theHomeOfAUserWithoutANameIsNoQuestionMark() {
        assertEquals(Path.of("/h/.cache/evener"), UserFolders.cache(Map.of("HOME", "/h"), "?"));
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"), "evener-cache");
        assertEquals(temporary, UserFolders.cache(Map.of(), "?"));
        assertEquals(temporary, UserFolders.cache(Map.of("HOME", "?"), "?"));
    }

    /** As a letter that the JVM's locale lacks cannot be. */
    @Test
    void whatCannotBeAPathIsNotTheCache() {
        assertEquals(
                Path.of("/home/me/.cache/evener"), cache(Map.of("EVENER_CACHE", "/a\0", "XDG_CACHE_HOME", "/b\0")));
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

    /** It was replaced by the file, and what it pointed to stayed missing. */
    @Test
    void aDanglingLinkIsFollowed() throws IOException {
        Path first = Files.createSymbolicLink(folder.resolve("first"), Path.of("second"));
        Files.createSymbolicLink(folder.resolve("second"), Path.of("new", "real"));
        AtomicFiles.write(first, new byte[] {1, 2});
        assertTrue(Files.isSymbolicLink(first) && Files.isSymbolicLink(folder.resolve("second")));
        assertEquals(2, Files.size(folder.resolve("new/real")));
        Path circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
        assertThrows(FileSystemLoopException.class, () -> AtomicFiles.write(circle, new byte[] {1}));
    }

    /** A crash of the system could leave an empty file under a final name. */
    @Test
    void theContentIsOnDiskBeforeTheNameAndTheNameIsSoonAfter() throws IOException {
        Path real = folder.toRealPath();
        Path flight = folder.resolve("flight.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.FileForce").withoutThreshold();
            recording.start();
            AtomicFiles.write(real.resolve("file"), new byte[] {1});
            recording.dump(flight);
        }
        List<String> synced = RecordingFile.readAllEvents(flight).stream()
                .map(event -> event.getString("path"))
                .filter(path -> path != null && path.startsWith(real.toString()))
                .toList();
        assertEquals(2, synced.size(), synced::toString);
        assertTrue(synced.get(0).endsWith(".part"), synced::toString);
        assertEquals(real.toString(), synced.get(1));
    }

    /** Writes a file, and never comes to its end. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws IOException {
            AtomicFiles.write(Path.of(arguments[0]), channel -> {
                channel.write(ByteBuffer.wrap(new byte[] {1}));
                System.out.println("begun");
                System.in.read();
            });
        }
    }

    private List<Path> parts() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".part")).toList();
        }
    }

    @Test
    void whatAKilledProcessLeftIsRemovedAfterAnHourAndWhatALiveOneWritesIsNot() throws Exception {
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofMinutes(61)));
        Process writer = ChildJava.of(Writer.class, folder.resolve("long")).start();
        assertEquals("begun", writer.inputReader().readLine());
        Path part = parts().get(0);
        Files.setLastModifiedTime(part, old);
        AtomicFiles.removeStale(folder);
        assertEquals(List.of(part), parts(), "its process lives");

        writer.destroyForcibly().waitFor();
        Path fresh = Files.createFile(folder.resolve(".evener-1.part"));
        Path other = Files.createFile(folder.resolve("other.part"));
        Path link = Files.createSymbolicLink(folder.resolve(".evener-2.part"), other);
        Files.setLastModifiedTime(other, old);
        AtomicFiles.write(folder.resolve("beside"), new byte[] {1});

        assertEquals(Set.of(fresh, other, link), Set.copyOf(parts()));
        assertFalse(Files.exists(folder.resolve("long")));
    }

    @Test
    void whatThisProcessIsWritingIsNotRemovedHoweverLongItTakes() throws IOException {
        AtomicFiles.write(folder.resolve("file"), channel -> {
            Path part = parts().get(0);
            Files.setLastModifiedTime(part, FileTime.from(Instant.EPOCH));
            AtomicFiles.removeStale(folder);
            assertEquals(List.of(part), parts());
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        });
        assertEquals(3, Files.size(folder.resolve("file")));
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
