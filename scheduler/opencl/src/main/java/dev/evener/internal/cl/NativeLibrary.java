package dev.evener.internal.cl;

import dev.evener.internal.files.PlainFiles;
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
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jocl.CL;
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

    private static final String OS = System.getProperty("os.name", "");

    /** As JOCL's class {@code LibUtils} names it, which must not be loaded for that. */
    static final String NAME = System.mapLibraryName(String.join(
            "-",
            "JOCL_2_0_6",
            OS.startsWith("Windows") ? "windows" : OS.startsWith("Mac OS") ? "apple" : "linux",
            System.getProperty("os.arch", "").equals("aarch64") ? "arm64" : "x86_64"));

    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static final String TMPDIR = "java.io.tmpdir";
    private static final String OURS = "evener.loading"; // as long
    private static final String FOLDER = "evener-native";
    static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");
    private static final FileAttribute<?>[] OWN = UNIX
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            }
            : new FileAttribute<?>[0];
    private static final Duration STALE = Duration.ofHours(1);
    private static final int ROOT = 0;
    private static final int UNKNOWN = 65534; // whom a user namespace has no number for
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;

    private NativeLibrary() {}

    /**
     * Has JOCL load it.
     *
     * @param path the property {@value #PATH}, or an empty text
     * @param parents in which to unpack it otherwise
     * @throws IOException if it is not where the property says, or cannot be unpacked
     */
    static void load(String path, List<Path> parents) throws IOException {
        Path named = path.endsWith(NAME) ? Path.of(path).resolveSibling("") : Path.of(path);
        boolean installed = !path.isBlank() && Files.isRegularFile(named.resolve(NAME));
        Path folder = installed
                ? named.toAbsolutePath()
                : unpack(path.isBlank() ? parents : List.of(named), Files::isExecutable, path.isBlank());
        System.setProperty(OURS, folder.toString());
        try {
            redirect();
            MethodHandles.lookup().ensureInitialized(CL.class);
        } catch (IllegalAccessException e) {
            throw new IOException("this JOCL is not known (" + e.getMessage() + "); use version 2.0.6", e);
        } finally {
            System.clearProperty(OURS);
            if (!installed) {
                remove(folder);
            }
        }
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
        String text = new String(loader, StandardCharsets.ISO_8859_1);
        String redirected = text.replace(TMPDIR, OURS); // so that nothing else changes its place
        if (redirected.equals(text)) {
            throw new IllegalAccessException("its loader does not read " + TMPDIR);
        }
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
     * @param safely whether only folders will do where nobody else could change it
     * @return where it is; {@link #remove} it after loading
     * @throws IOException if none of them will do, with the reason for each
     */
    static Path unpack(List<Path> parents, Predicate<Path> executable, boolean safely) throws IOException {
        List<String> problems = new ArrayList<>();
        for (Path parent : parents) {
            Path folder = null;
            try {
                if (!Files.isDirectory(parent)) {
                    Files.createDirectories(parent);
                }
                // For its owner alone, and from here on no link decides where it is.
                String name =
                        FOLDER + Long.toHexString(ThreadLocalRandom.current().nextLong());
                folder = Files.createDirectory(parent.toRealPath().resolve(name), OWN);
                if (safely) {
                    requireSafe(folder);
                }
                removeStale(folder);
                unpack(folder, executable);
                return folder;
            } catch (IOException e) {
                LOG.debug("JOCL's library is not unpacked to {}", parent, e);
                problems.add(e.getClass() == IOException.class ? e.getMessage() : e.toString());
                if (folder != null) {
                    remove(folder);
                }
            }
        }
        throw new IOException(String.join("; ", problems) + "; -D" + PATH + " names a folder that you trust");
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
            if (owner != attribute(folder, "uid")
                    && owner != ROOT
                    && (owner != UNKNOWN || isUser(UNKNOWN, userMap()))) {
                throw new IOException(folder.getParent() + " is not safe: " + above + " belongs to another user");
            }
            int mode = attribute(above, "mode");
            if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
                throw new IOException(folder.getParent() + " is not safe: other users may write to " + above);
            }
        }
    }

    /** The users of this process's namespace, as Linux has them: begin here, begin outside, how many. Nothing where it has no namespaces. */
    private static String userMap() {
        try {
            return PlainFiles.text(Path.of("/proc/self/uid_map"), 1 << 16);
        } catch (IOException e) {
            return "";
        }
    }

    /** Whether a number is that of a user; else it stands for all whom a user namespace has no number for. */
    static boolean isUser(int number, String map) {
        return map.isBlank()
                || map.lines().map(line -> line.strip().split("\\s+")).anyMatch(range -> {
                    long begin = Long.parseLong(range[0]);
                    return begin <= number && number < begin + Long.parseLong(range[2]);
                });
    }

    private static int attribute(Path file, String name) throws IOException {
        return (int) Files.getAttribute(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    /** Removes those that killed processes of this user have left beside one. */
    static void removeStale(Path own) {
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
