package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ChildJava;
import dev.evener.InTurn;
import dev.evener.internal.device.Devices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jocl.LibUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** JOCL's native library is whole and this user's own when it is loaded, and what prevents that is said. */
@InTurn(2)
class ClLibraryTest {
    @TempDir
    Path folder;

    private Path cached;
    private Path temporary;

    @BeforeEach
    void folders() throws IOException {
        folder = folder.toRealPath();
        cached = folder.resolve("cache/native");
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    /** Loads the library and says in its exit code whether that went well. */
    static final class Loader {
        private Loader() {}

        public static void main(String[] arguments) {
            String problem = ClLibrary.problem();
            if (problem != null) {
                System.err.println(problem);
            }
            System.exit(problem == null ? 0 : 1);
        }
    }

    private Process loader() throws IOException {
        ProcessBuilder builder = ChildJava.of(Loader.class);
        builder.environment().put("EVENER_CACHE", folder.resolve("cache").toString());
        return builder.inheritIO().start();
    }

    private Path unpacked() throws IOException {
        return unpacked(cached, file -> true);
    }

    private Path unpacked(Path preferred, Predicate<Path> executable) throws IOException {
        return NativeLibrary.unpack(List.of(preferred, temporary), executable, true);
    }

    private static Path only(Path of) throws IOException {
        List<Path> names = names(of);
        assertEquals(1, names.size(), names::toString);
        return names.get(0);
    }

    private static List<Path> names(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.toList();
        }
    }

    // ---- whole ----

    /** A full disk or a kill left a part of it in the cache; every later start then ended with SIGBUS, or without OpenCL. */
    @ParameterizedTest
    @ValueSource(ints = {0, 65_536, 282_000})
    void whatLiesInTheCacheIsNotLoaded(int length) throws Exception {
        Path name = only(unpacked()).getFileName();
        byte[] part = new byte[length];
        Files.write(cached.resolve(name), part);
        assertEquals(0, loader().waitFor());
        assertArrayEquals(part, Files.readAllBytes(cached.resolve(name)));
    }

    /** "nobody" is another user, unless a user namespace shows all users so whom it has no number for. */
    @Test
    void theLastNumberIsAUsersUnlessANamespaceHasNone() {
        assertTrue(NativeLibrary.isUser(65534, "         0          0 4294967295\n"));
        assertFalse(NativeLibrary.isUser(65534, "         0       1000          1\n"));
        assertFalse(NativeLibrary.isUser(65534, "0 1000 1\n1 100000 65533\n"));
        assertTrue(NativeLibrary.isUser(65534, "0 1000 1\n1 100000 65536\n"));
        assertTrue(NativeLibrary.isUser(65534, ""), "a system without namespaces");
    }

    @Test
    void processesThatStartAtOnceAllLoadItAndLeaveNothing() throws Exception {
        List<Process> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(loader());
        }
        for (Process each : all) {
            assertEquals(0, each.waitFor());
        }
        assertEquals(List.of(), names(cached));
    }

    // ---- this user's own ----

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void theFolderIsClosedToOthers() throws IOException {
        Path own = unpacked();
        assertEquals(cached, own.getParent());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(only(own))));
    }

    /** Whoever may rename the folder may put another in its place. */
    @Test
    void aFolderThatOthersCouldReplaceIsNotUsed() throws IOException {
        Files.createDirectories(cached);
        mode(cached.getParent(), "rwxrwxrwx");
        Path other = unpacked();
        assertEquals(temporary, other.getParent());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(other)));
        only(other);
        assertEquals(List.of(), names(cached), "nothing is left there");
        mode(temporary, "rwxrwxrwx");
        String problem = assertThrows(IOException.class, this::unpacked).getMessage();
        assertTrue(problem.contains("other users may write to " + cached.getParent()), problem);
        assertTrue(problem.contains("other users may write to " + temporary), problem);
        assertEquals(List.of(other), names(temporary));
    }

    /** Whoever made the link could have it lead elsewhere before the library is loaded. */
    @Test
    void noLinkDecidesWhereTheLibraryIsLoadedFrom() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("cache")));
        assertEquals(cached, unpacked(link.resolve("native"), file -> true).getParent());
    }

    /** As root, what another user had planted in a cache of theirs was loaded. */
    @Test
    void aFolderOfAnotherUserIsNotUsed() throws IOException {
        if (!(Files.getAttribute(folder, "unix:uid") instanceof Integer me) || me != 0) {
            // Who is not root cannot give files away, and finds others' where they are.
            assertEquals(temporary, unpacked(Path.of("/"), file -> true).getParent());
            return;
        }
        Files.setAttribute(Files.createDirectories(cached), "unix:uid", 4711);
        assertEquals(temporary, unpacked().getParent());
        Files.setAttribute(cached, "unix:uid", 0);
        Files.setAttribute(cached.getParent(), "unix:uid", 4711);
        assertEquals(temporary, unpacked().getParent());
        Files.setAttribute(cached.getParent(), "unix:uid", 0);
        assertEquals(cached, unpacked().getParent());
    }

    // ---- elsewhere, and the reason why not ----

    @Test
    void aCacheThatDoesNotAllowExecutionIsNotUsed() throws IOException {
        Path other = unpacked(cached, file -> !file.startsWith(cached));
        assertEquals(temporary, other.getParent());
        NativeLibrary.remove(other);
        String problem = assertThrows(IOException.class, () -> unpacked(cached, file -> false))
                .getMessage();
        assertTrue(problem.startsWith(cached + " does not allow execution"), problem);
        assertNotEquals(problem.indexOf("noexec"), problem.lastIndexOf("noexec"), problem);
        assertEquals(List.of(), names(temporary));
    }

    @Test
    void whatAKilledProcessLeftInTheTemporaryFolderIsRemovedAfterAnHour() throws IOException {
        Path old = Files.createDirectory(temporary.resolve("evener-native1"));
        Files.createFile(old.resolve("library"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.EPOCH));
        Path fresh = Files.createDirectory(temporary.resolve("evener-native2"));
        Path link = Files.createSymbolicLink(temporary.resolve("evener-native3"), fresh);
        Files.writeString(folder.resolve("cache"), "no folder");
        unpacked();
        assertFalse(Files.exists(old));
        assertTrue(Files.exists(fresh) && Files.exists(link));
    }

    /** This machine's clock was a day ahead of the server's that stamps the files, and a folder in use was removed. */
    @Test
    void whatIsInUseIsToldByTheClockOfTheFiles() throws IOException {
        Instant there = Instant.now().minus(Duration.ofDays(1));
        Path own = stamped("evener-native1", there);
        Path inUse = stamped("evener-native2", there.minus(Duration.ofMinutes(59)));
        Path old = stamped("evener-native3", there.minus(Duration.ofMinutes(61)));
        NativeLibrary.removeStale(own);
        assertTrue(Files.exists(own) && Files.exists(inUse));
        assertFalse(Files.exists(old));
    }

    private Path stamped(String name, Instant when) throws IOException {
        return Files.setLastModifiedTime(Files.createDirectory(temporary.resolve(name)), FileTime.from(when));
    }

    // ---- several class loaders, as of applications in a server ----

    /**
     * As many class loaders as the argument says open at once, while the application makes temporary files. Prints what OpenCL each has,
     * and what was done to the application's own.
     */
    static final class Loaders {
        private static volatile boolean opened;

        private Loaders() {}

        public static void main(String[] arguments) throws Exception {
            ClassLoader above = ClassLoader.getPlatformClassLoader();
            List<URL> path = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(":", -1)) {
                URL url = Path.of(entry).toUri().toURL();
                if (arguments[1].equals("shared") && entry.contains("jocl")) {
                    above = new URLClassLoader(new URL[] {url}, above);
                } else {
                    path.add(url);
                }
            }
            String before = System.getProperty("java.io.tmpdir");
            Set<String> folders = new TreeSet<>();
            List<Path> own = new ArrayList<>();
            Thread application = new Thread(() -> {
                try {
                    while (!opened) {
                        folders.add(System.getProperty("java.io.tmpdir"));
                        if (own.size() < 1000) {
                            own.add(Files.createTempFile("application", null));
                        }
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            application.start();
            List<Future<String>> said = new ArrayList<>();
            ExecutorService threads = Executors.newCachedThreadPool();
            for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
                ClassLoader loader = new URLClassLoader(path.toArray(URL[]::new), above); // stays open, as it is in use
                said.add(threads.submit(() -> {
                    Object devices = loader.loadClass(Devices.class.getName())
                            .getDeclaredMethod("all")
                            .invoke(null);
                    Method problem = loader.loadClass(ClLibrary.class.getName()).getDeclaredMethod("problem");
                    problem.setAccessible(true);
                    return problem.invoke(null) + " " + ((List<?>) devices).size();
                }));
            }
            for (Future<String> each : said) {
                System.out.println(each.get());
            }
            opened = true;
            application.join();
            System.out.println(
                    folders.equals(Set.of(before)) + " " + own.stream().allMatch(Files::exists));
            for (Path each : own) {
                Files.deleteIfExists(each);
            }
            System.exit(0);
        }
    }

    /** The property {@code java.io.tmpdir} was changed meanwhile, so that one of two stayed without OpenCL, and others' files were deleted. */
    @ParameterizedTest
    @CsvSource({"2, own", "6, own", "3, shared"})
    void classLoadersThatOpenAtOnceAllHaveOpenClAndHarmNobody(int loaders, String jocl) throws Exception {
        ProcessBuilder builder = ChildJava.of(Loaders.class, loaders, jocl);
        builder.environment().put("EVENER_CACHE", folder.resolve("cache").toString());
        List<String> said = builder.start().inputReader().lines().toList();
        assertEquals(loaders + 1, said.size(), said::toString);
        assertTrue(said.get(0).matches("null [2-9]"), said::toString);
        assertEquals(Set.of(said.get(0)), Set.copyOf(said.subList(0, loaders)));
        assertEquals("true true", said.get(loaders));
        assertEquals(List.of(), names(cached));
    }

    // ---- where the user says ----

    private List<String> loadedFrom(Path path) throws IOException {
        ProcessBuilder builder = ChildJava.of(Loader.class);
        builder.command().add(1, "-D" + NativeLibrary.PATH + "=" + path);
        builder.environment().put("EVENER_CACHE", folder.resolve("cache").toString());
        try (Stream<String> lines =
                builder.redirectErrorStream(true).start().inputReader().lines()) {
            return lines.filter(line -> !line.startsWith("SLF4J")).toList();
        }
    }

    @Test
    void theLibraryIsNamedAsJoclNamesIt() {
        assertNull(ClLibrary.problem(), "JOCL's own loader, which this would load, is replaced by then");
        assertEquals(
                LibUtils.createLibraryFileName(LibUtils.createPlatformLibraryName("JOCL_2_0_6")), NativeLibrary.NAME);
    }

    @Test
    void anInstalledLibraryIsLoadedInPlaceAndStays() throws IOException {
        Path installed = Files.move(unpacked(), folder.resolve("installed"));
        Path library = only(installed);
        assertEquals(List.of(), loadedFrom(installed));
        assertEquals(List.of(), loadedFrom(library));
        assertEquals(library, only(installed));
        assertFalse(Files.exists(cached) && !names(cached).isEmpty());
        Files.writeString(library, "no library");
        String problem = String.join(" ", loadedFrom(library));
        assertTrue(problem.contains(library.toString()), problem);
        Path other = Files.move(library, installed.resolve("other.so"));
        problem = String.join(" ", loadedFrom(other));
        assertTrue(problem.contains(other + "; -D" + NativeLibrary.PATH + " names a folder"), problem);
    }

    @Test
    void itIsUnpackedWhereTheUserSaysAndNowhereElse() throws IOException {
        Path named = Files.createDirectory(folder.resolve("named"));
        assertEquals(List.of(), loadedFrom(named));
        assertEquals(List.of(), names(named));
        assertFalse(Files.exists(cached));
        mode(named, "rwxrwxrwx"); // as volumes of containers are
        assertEquals(List.of(), loadedFrom(named));
        String problem = String.join(" ", loadedFrom(Path.of("/proc/none")));
        assertTrue(problem.contains("/proc/none"), problem);
    }
}
