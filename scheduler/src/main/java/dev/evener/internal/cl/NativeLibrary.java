package dev.evener.internal.cl;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JOCL's native library, where JOCL finds it and takes it as it is: one that the user has installed, or else unpacked into a folder that
 * this process has made for that, so that it cannot be what a full disk or a kill left of another's, which would end this process with
 * SIGBUS. Nobody else can change it: the folder is for its owner alone, and those above it belong to the same user or to root and cannot
 * be written by others. A library that is loaded needs its file no longer, at least on Linux. To be used by one thread of the JVM at a time.
 */
final class NativeLibrary {
    /** Names the folder in which the library lies, or is to be unpacked; or the library itself. */
    static final String PATH = "evener.native.path";

    /** As JOCL's class {@code LibUtils} names it. */
    static final String NAME = name(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static final String TMPDIR = "java.io.tmpdir";
    private static final String OURS = "evener.native.loading";
    private static final String FOLDER = "evener-native";
    private static final Duration STALE = Duration.ofHours(1);
    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");
    private static final int ROOT = 0;
    private static final int UNKNOWN = 65534; // whom a user namespace has no number for
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;

    private NativeLibrary() {}

    static String name(String os, String arch) {
        String system = os.toLowerCase(Locale.ROOT);
        String library =
                "JOCL_2_0_6-%s-" + (arch.equals("aarch64") || arch.startsWith("arm64") ? "arm64" : "x86_64") + "%s";
        return system.startsWith("windows")
                ? library.formatted("windows", ".dll")
                : system.startsWith("mac os")
                        ? "lib" + library.formatted("apple", ".dylib")
                        : "lib" + library.formatted("linux", ".so");
    }

    /**
     * Has JOCL load it.
     *
     * @param path the property {@value #PATH}, or an empty text
     * @param parents in which to unpack it otherwise
     * @throws IOException if it is not where the property says, or cannot be unpacked
     * @throws LinkageError if it cannot be loaded
     */
    static void load(String path, List<Path> parents) throws IOException {
        Path installed = path.isBlank() ? null : installed(Path.of(path));
        Path folder = installed != null
                ? installed
                : path.isBlank()
                        ? unpack(parents, Files::isExecutable)
                        : unpackIn(Path.of(path), Files::isExecutable, false);
        System.setProperty(OURS, folder.toString());
        try {
            redirect();
            MethodHandles.lookup().ensureInitialized(CL.class);
        } catch (IllegalAccessException e) {
            throw new IOException(
                    "its loader cannot be told where it is (" + e.getMessage()
                            + "); start Java with -Djava.library.path naming a folder that holds " + NAME,
                    e);
        } finally {
            System.clearProperty(OURS);
            if (installed == null) {
                remove(folder);
            }
        }
    }

    /** The folder of an installed library; null if it is to be unpacked there. */
    private static @Nullable Path installed(Path path) throws IOException {
        if (Files.isRegularFile(path) && !path.endsWith(NAME)) {
            throw new IOException(path + ", which -D" + PATH + " names, is not called " + NAME);
        }
        Path file = path.endsWith(NAME) ? path : path.resolve(NAME);
        return Files.isRegularFile(file) ? file.toAbsolutePath().getParent() : null;
    }

    /**
     * JOCL loads what lies in {@code java.io.tmpdir}. That property is the application's, and what lies there may be another user's: so
     * JOCL's loader is defined with the name of a property of ours in the place of that. Where it was loaded before, JOCL was used before.
     */
    private static void redirect() throws IOException, IllegalAccessException {
        byte[] loader;
        try (InputStream in = CL.class.getResourceAsStream("LibUtils.class")) {
            loader = in == null ? new byte[0] : in.readAllBytes();
        }
        // A class file holds a text as a 1, its length in two bytes, and its bytes: one for all places that use it.
        String text = new String(loader, StandardCharsets.ISO_8859_1);
        String constant = "\1\0" + (char) TMPDIR.length() + TMPDIR;
        int at = text.indexOf(constant);
        if (at < 0 || at != text.lastIndexOf(constant)) {
            throw new IllegalAccessException("this version of JOCL is not known");
        }
        String redirected = text.replace(constant, "\1\0" + (char) OURS.length() + OURS);
        try {
            MethodHandles.privateLookupIn(CL.class, MethodHandles.lookup())
                    .defineClass(redirected.getBytes(StandardCharsets.ISO_8859_1));
        } catch (LinkageError e) {
            LOG.debug("JOCL was used before Evener", e);
        }
    }

    /**
     * Unpacks it.
     *
     * @param parents in which to make the folder: the first that will do
     * @param executable whether the system would execute a file
     * @return where it is; {@link #remove} it after loading
     * @throws IOException if none of them will do, with the reason for each
     */
    static Path unpack(List<Path> parents, Predicate<Path> executable) throws IOException {
        List<String> problems = new ArrayList<>();
        for (Path parent : parents) {
            try {
                return unpackIn(parent, executable, true);
            } catch (IOException e) {
                LOG.debug("JOCL's library is not unpacked to {}", parent, e);
                problems.add(e.getClass() == IOException.class ? e.getMessage() : e.toString());
            }
        }
        throw new IOException(String.join("; ", problems) + "; -D" + PATH + " names a folder that you trust");
    }

    /** @param safely only where nobody else could change it */
    private static Path unpackIn(Path parent, Predicate<Path> executable, boolean safely) throws IOException {
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(parent);
        }
        // For its owner alone, and from here on no link decides where it is.
        Path folder = Files.createTempDirectory(parent.toRealPath(), FOLDER);
        try {
            if (safely) {
                requireSafe(folder);
            }
            removeStale(folder);
            unpack(folder, executable);
            return folder;
        } catch (IOException e) {
            remove(folder);
            throw e;
        }
    }

    private static void unpack(Path folder, Predicate<Path> executable) throws IOException {
        Path file = folder.resolve(NAME);
        try (InputStream in = CL.class.getResourceAsStream("/lib/" + NAME)) {
            if (in == null) { // another version's: JOCL unpacks it, where nothing can lie that it would take
                return;
            }
            Files.copy(in, file);
        }
        if (UNIX) { // the system's own rules must do elsewhere
            Files.setAttribute(file, "unix:mode", 0700);
        }
        if (!executable.test(file)) { // on Linux also where the file system is mounted so
            throw new IOException(folder.getParent() + " does not allow execution, as if mounted noexec");
        }
    }

    /** Nobody else must be able to put another in its place. */
    private static void requireSafe(Path folder) throws IOException {
        for (Path above = folder.getParent(); UNIX && above != null; above = above.getParent()) {
            int owner = attribute(above, "uid");
            if (owner != attribute(folder, "uid") && owner != ROOT && owner != UNKNOWN) {
                throw new IOException(folder.getParent() + " is not safe: " + above + " belongs to another user");
            }
            int mode = attribute(above, "mode");
            if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
                throw new IOException(folder.getParent() + " is not safe: other users may write to " + above);
            }
        }
    }

    private static int attribute(Path file, String name) throws IOException {
        return (int) Files.getAttribute(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    /** Removes those that killed processes of this user have left beside one. */
    private static void removeStale(Path own) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(own.getParent(), FOLDER + "*")) {
            // By the clock that also stamped the others, which need not be this machine's.
            FileTime since =
                    FileTime.from(Files.getLastModifiedTime(own).toInstant().minus(STALE));
            for (Path folder : folders) {
                if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && since.compareTo(Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS)) > 0
                        && (!UNIX || attribute(folder, "uid") == attribute(own, "uid"))) {
                    remove(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("{} could not be looked through", own.getParent(), e);
        }
    }

    /** Removes a folder with all that is in it. */
    static void remove(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("{} stays behind", folder, e);
        }
    }
}
