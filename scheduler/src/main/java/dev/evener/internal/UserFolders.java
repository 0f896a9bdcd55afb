package dev.evener.internal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this user's caches live: {@code EVENER_CACHE}, else {@code $XDG_CACHE_HOME/evener}, else {@code ~/.cache/evener}; a folder in
 * {@code java.io.tmpdir} for a user without a home, and where this JVM's locale has no letters for that.
 */
public final class UserFolders {
    private static final Logger LOG = LoggerFactory.getLogger(UserFolders.class);
    private static @Nullable Path cache;

    private UserFolders() {}

    /** The cache folder, absolute, as the dynamic linker wants it; it need not exist yet. */
    public static synchronized Path cache() {
        if (cache == null) {
            cache = cache(System.getenv(), System.getProperty("user.home", "")).toAbsolutePath();
        }
        return cache;
    }

    static Path cache(Map<String, String> environment, String userHome) {
        String own = environment.getOrDefault("EVENER_CACHE", "");
        if (!own.isBlank() && path(own) != null) {
            return Path.of(own);
        }
        Path xdg = path(environment.getOrDefault("XDG_CACHE_HOME", ""));
        // The XDG base directory specification has relative values ignored.
        if (xdg != null && xdg.isAbsolute()) {
            return xdg.resolve("evener");
        }
        // Of a user whom the system has no name for, as in containers, Java may say "?".
        for (String home : List.of(userHome, environment.getOrDefault("HOME", ""))) {
            Path path = path(home);
            if (path != null && path.isAbsolute()) {
                return path.resolve(".cache").resolve("evener");
            }
        }
        return Path.of(System.getProperty("java.io.tmpdir"), "evener-cache");
    }

    private static @Nullable Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            LOG.warn("{} is not used: this JVM's locale has no such letters; start it with LC_ALL=C.UTF-8", text);
            return null;
        }
    }
}
