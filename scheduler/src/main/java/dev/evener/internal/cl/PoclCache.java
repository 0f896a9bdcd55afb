package dev.evener.internal.cl;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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
    static String folder(Map<String, String> environment) {
        String own = environment.getOrDefault("POCL_CACHE_DIR", "");
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        String home = environment.get("HOME");
        String caches = !xdg.isEmpty() ? xdg : home != null ? home + "/.cache" : "/tmp";
        return own.isEmpty() ? caches + "/pocl/kcache" : own;
    }

    /** Why PoCL cannot use it, and what to do; null if it can. Makes it, as PoCL does. */
    static @Nullable String problem(Map<String, String> environment, Predicate<Path> executable) {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("unix")) {
            return null; // it is elsewhere there
        }
        String folder = folder(environment);
        String why;
        try {
            Path file = Files.createTempFile(Files.createDirectories(Path.of(folder)), "evener", null);
            try {
                Files.write(file, new byte[ROOM]);
                Files.setAttribute(file, "unix:mode", 0700);
                if (executable.test(file)) {
                    return null;
                }
                why = "it does not allow execution, as if mounted noexec";
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException | InvalidPathException e) {
            why = e instanceof AccessDeniedException ? "no permission for " + e.getMessage() : e.getMessage();
        }
        return "PoCL cannot keep what it builds in its folder " + folder + " (" + why
                + "); set POCL_CACHE_DIR to a folder that allows writing and execution and has room";
    }
}
