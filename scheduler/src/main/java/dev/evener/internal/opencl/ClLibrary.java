package dev.evener.internal.opencl;

import dev.evener.internal.UserFolders;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads JOCL and the OpenCL library, once. JOCL unpacks its native part under a fixed name in {@code java.io.tmpdir} and
 * trusts what lies there, which on a shared machine lets another user plant code; so for the moment of loading that
 * property names a folder only this user can write. Thread-safe.
 */
final class ClLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(ClLibrary.class);
    private static final String TMPDIR = "java.io.tmpdir";
    private static final String NO_LIBRARY = "no OpenCL library could be loaded";
    private static @Nullable String problem;
    private static boolean probed;

    private ClLibrary() {}

    /** Why OpenCL cannot be used, or null if it can. */
    static synchronized @Nullable String problem() {
        if (!probed) {
            probed = true;
            problem = load();
        }
        return problem;
    }

    private static @Nullable String load() {
        LoaderLibrary loader = LoaderLibrary.ofThisProcess();
        String missing = loader == null ? null : loader.problem();
        if (missing != null) {
            LOG.debug("JOCL is not loaded: {}", missing);
            return NO_LIBRARY;
        }
        String before = System.getProperty(TMPDIR);
        Path folder = null;
        try {
            folder = privateFolder();
            System.setProperty(TMPDIR, folder.toString());
            unpack(folder);
            int[] count = new int[1];
            int status = CL.clGetPlatformIDs(0, null, count);
            LOG.debug("clGetPlatformIDs: status {}, {} platforms", status, count[0]);
            return null;
        } catch (LinkageError e) {
            LOG.debug("OpenCL could not be loaded", e);
            return NO_LIBRARY;
        } catch (IOException e) {
            return "no private folder for JOCL's native library: " + e;
        } catch (RuntimeException e) { // JOCL's own exceptions, if the application switched them on: no platform
            LOG.debug("OpenCL answered with an error", e);
            return null;
        } finally {
            if (before != null) {
                System.setProperty(TMPDIR, before);
            }
            if (folder != null && !folder.equals(cached())) {
                remove(folder);
            }
        }
    }

    /**
     * Has JOCL's library loaded, which in turn needs libOpenCL; one process after another, since JOCL takes whatever another
     * has unpacked so far for the whole library.
     */
    private static void unpack(Path folder) throws IOException {
        try (FileChannel file =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock(file);
            MethodHandles.lookup().ensureInitialized(CL.class);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e); // it is public
        }
    }

    /** Until the file is closed. */
    private static void lock(FileChannel file) {
        try {
            FileLock ignored = file.lock();
        } catch (IOException
                | OverlappingFileLockException e) { // no locks here; or another class loader loads JOCL, too
            LOG.debug("other processes are not kept from unpacking JOCL at the same time", e);
        }
    }

    private static Path cached() {
        return UserFolders.cache().resolve("native");
    }

    /** The folder of this process alone: a library that is loaded needs its file no longer, at least on Linux. */
    private static void remove(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            LOG.debug("{} stays behind", folder, e);
        }
    }

    private static Path privateFolder() throws IOException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path folder = cached();
        try {
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            if (Files.isWritable(folder)) {
                return folder;
            }
        } catch (FileSystemException | UnsupportedOperationException e) {
            LOG.debug("{} cannot be used, unpacking to a folder of this process", folder, e);
        }
        try {
            return Files.createTempDirectory("evener-native", ownerOnly);
        } catch (UnsupportedOperationException e) { // no POSIX permissions here: the system's own rules must do
            return Files.createTempDirectory("evener-native");
        }
    }
}
