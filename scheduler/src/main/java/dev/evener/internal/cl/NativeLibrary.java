package dev.evener.internal.cl;

import dev.evener.internal.AtomicFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Predicate;
import org.jocl.CL;
import org.jocl.LibUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JOCL's native library, unpacked where JOCL finds it and takes it as it is. What lies there was compared with the one in JOCL's
 * jar just before, byte by byte, and replaced if it differed: what a full disk or a kill left of it would end this process, and
 * every later one, with SIGBUS. Nobody else can change it in between: the folder is for its owner alone, and those
 * above it belong to the same user or to root and cannot be written by others.
 *
 * <p>That is a folder of the cache, or else, where that cannot be trusted, written or executed from, one of this process alone in
 * the temporary folder. Stateless; several processes may unpack at once, since each replaces the file in one step.
 */
final class NativeLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    private static final String NAME = LibUtils.createLibraryFileName(LibUtils.createPlatformLibraryName("JOCL_2_0_6"));
    private static final String TEMPORARY = "evener-native";
    private static final Duration STALE = Duration.ofHours(1);
    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");
    private static final int ROOT = 0;
    private static final int UNKNOWN = 65534; // whom a user namespace has no number for
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;

    private NativeLibrary() {}

    /**
     * Unpacks it.
     *
     * @param cached the folder to prefer
     * @param temporary where to make another, which is {@linkplain #isTemporary temporary}; {@link #remove} it after loading
     * @param executable whether the system would execute a file
     * @return where it is
     * @throws IOException if no folder will do, with the reason for each
     */
    static Path unpack(Path cached, Path temporary, Predicate<Path> executable) throws IOException {
        String problem;
        try {
            Files.createDirectories(cached);
            return unpack(cached, executable);
        } catch (IOException e) {
            LOG.debug("JOCL's library is unpacked to a folder of this process", e);
            problem = reason(e);
        }
        Path folder = null;
        try {
            folder = Files.createTempDirectory(temporary, TEMPORARY); // for its owner alone
            removeStale(temporary, folder);
            return unpack(folder, executable);
        } catch (IOException e) {
            if (folder != null) {
                remove(folder);
            }
            throw new IOException(problem + "; " + reason(e), e);
        }
    }

    private static String reason(IOException e) {
        return e.getClass() == IOException.class ? e.getMessage() : e.toString();
    }

    private static Path unpack(Path at, Predicate<Path> executable) throws IOException {
        if (Files.isSymbolicLink(at)) {
            throw new IOException(at + " is a link");
        }
        Path folder = at.toRealPath(); // from here on no link decides where that is
        requireOwn(folder);
        byte[] content;
        try (InputStream in = CL.class.getResourceAsStream("/lib/" + NAME)) {
            if (in == null) { // another version's: JOCL unpacks it, where nothing can lie that it would take
                if (!isTemporary(folder)) {
                    throw new IOException("there is no " + NAME + " in JOCL's jar");
                }
                return folder;
            }
            content = in.readAllBytes();
        }
        Path file = folder.resolve(NAME);
        if (!isWhole(file, folder, content)) {
            Path part = Files.createTempFile(folder, ".evener-", ".part");
            try {
                Files.write(part, content);
                closeToOthers(part);
                AtomicFiles.replace(part, file);
            } finally {
                Files.deleteIfExists(part);
            }
        }
        if (!executable.test(file)) { // on Linux also where the file system is mounted so
            throw new IOException(folder + " does not allow execution, as if mounted noexec");
        }
        return folder;
    }

    private static void closeToOthers(Path path) throws IOException {
        if (UNIX) { // the system's own rules must do elsewhere
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private static boolean isWhole(Path file, Path folder, byte[] content) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && (!UNIX || (uid(file) == uid(folder) && (mode(file) & 0777) == 0700))
                && Files.size(file) == content.length
                && Arrays.equals(Files.readAllBytes(file), content);
    }

    /** Closes the folder to others; nobody else must be able to put another in its place. */
    private static void requireOwn(Path folder) throws IOException {
        if (!UNIX) {
            return;
        }
        Path probe = Files.createTempFile(folder, ".evener-", ".part");
        int me;
        try {
            me = uid(probe);
        } finally {
            Files.delete(probe);
        }
        if (uid(folder) != me) {
            throw new IOException(folder + " belongs to another user");
        }
        closeToOthers(folder);
        for (Path above = folder.getParent(); above != null; above = above.getParent()) {
            int owner = uid(above);
            if (owner != me && owner != ROOT && owner != UNKNOWN) {
                throw new IOException(folder + " is not safe: " + above + " belongs to another user");
            }
            if ((mode(above) & WRITABLE_BY_OTHERS) != 0 && (mode(above) & STICKY) == 0) {
                throw new IOException(folder + " is not safe: other users may write to " + above);
            }
        }
    }

    private static int uid(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static int mode(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    /** Those that killed processes of this user have left. */
    private static void removeStale(Path temporary, Path own) {
        FileTime since = FileTime.from(Instant.now().minus(STALE));
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, TEMPORARY + "*")) {
            for (Path folder : folders) {
                Map<String, Object> is =
                        Files.readAttributes(folder, "isDirectory,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
                if ((boolean) is.get("isDirectory")
                        && since.compareTo((FileTime) is.get("lastModifiedTime")) > 0
                        && (!UNIX || uid(folder) == uid(own))) {
                    remove(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("{} could not be looked through", temporary, e);
        }
    }

    /** Whether it is of this process alone. */
    static boolean isTemporary(Path folder) {
        return folder.getFileName().toString().startsWith(TEMPORARY);
    }

    /** Removes the folder of one process: a library that is loaded needs its file no longer, at least on Linux. */
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
