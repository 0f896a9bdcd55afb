package dev.evener.internal.files;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where this user's caches live: {@code EVENER_CACHE}, else {@code $XDG_CACHE_HOME/evener}, else {@code ~/.cache/evener}; a folder in
 * {@code java.io.tmpdir} for a user without a home, and where this JVM's locale has no letters for that.
 */
public final class UserFolders {
    private static final Logger LOG = LoggerFactory.getLogger(UserFolders.class);
    private static final Path CACHE =
            cache(System.getenv(), System.getProperty("user.home")).toAbsolutePath();

    private UserFolders() {}

    /** The cache folder, absolute, as the dynamic linker wants it; it need not exist yet. */
    public static Path cache() {
        return CACHE;
    }

    static Path cache(Map<String, String> environment, String userHome) {
        String own = environment.getOrDefault("EVENER_CACHE", "");
        if (!own.isBlank() && isPath(own)) {
            return Path.of(own);
        }
        // The XDG base directory specification has relative values ignored. Of a user without a name Java may say "?".
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        String home = environment.getOrDefault("HOME", "?");
        for (String caches : List.of(xdg, userHome.concat("/.cache"), home.concat("/.cache"))) {
            if (isPath(caches) && Path.of(caches).isAbsolute()) {
                return Path.of(caches, "evener");
            }
        }
        return Path.of(System.getProperty("java.io.tmpdir"), "evener-cache");
    }

    private static boolean isPath(String text) {
        try {
            return Path.of(text).getNameCount() > 0;
        } catch (InvalidPathException e) {
            LOG.warn("{} is not used: this JVM's locale has no such letters; start it with LC_ALL=C.UTF-8", text);
            return false;
        }
    }
}
