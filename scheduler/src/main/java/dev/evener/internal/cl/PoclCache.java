package dev.evener.internal.cl;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which PoCL keeps what it built, and from which it loads that. Looked at before PoCL does: where it cannot make the
 * folder it offers no device and does not say why; where it cannot write or load there, it ends the process. Stateless.
 */
final class PoclCache {
    /** More than what PoCL writes for the kernels of the self-test. */
    static final int ROOM = 1 << 20;

    private PoclCache() {}

    /** Where it is, as PoCL decides. */
    static Path folder(Map<String, String> environment) {
        String own = environment.getOrDefault("POCL_CACHE_DIR", "");
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        String home = environment.get("HOME");
        if (!own.isEmpty()) {
            return Path.of(own);
        }
        return !xdg.isEmpty()
                ? Path.of(xdg, "pocl", "kcache")
                : home != null ? Path.of(home, ".cache", "pocl", "kcache") : Path.of("/tmp", "pocl", "kcache");
    }

    /**
     * Why PoCL cannot use it, and what to do; null if it can.
     *
     * @param executable whether the system would execute a file
     */
    static @Nullable String problem(Map<String, String> environment, Predicate<Path> executable) {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("unix")) {
            return null; // it is elsewhere there
        }
        String where = "";
        String why;
        try {
            Path folder = folder(environment);
            where = " " + folder;
            Files.createDirectories(folder);
            Path file = Files.createTempFile(folder, "evener", null);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (ByteBuffer zeros = ByteBuffer.allocate(ROOM); zeros.hasRemaining(); ) {
                    channel.write(zeros);
                }
                Files.setAttribute(file, "unix:mode", 0700);
                if (executable.test(file)) {
                    return null;
                }
                why = "it does not allow execution, as if mounted noexec";
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (AccessDeniedException e) {
            why = "this user may not write to " + e.getFile();
        } catch (IOException | InvalidPathException e) {
            why = String.valueOf(e.getMessage());
        }
        return "PoCL cannot keep what it builds in its folder" + where + " (" + why
                + "); set POCL_CACHE_DIR to a folder that allows writing and execution and has room";
    }
}
