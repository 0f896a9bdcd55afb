package dev.evener.internal;

import java.nio.file.Path;
import java.util.Map;

/** Where this user's caches live: {@code EVENER_CACHE}, else {@code $XDG_CACHE_HOME/evener}, else {@code ~/.cache/evener}. */
public final class UserFolders {
    private UserFolders() {}

    /** The cache folder, absolute, as the dynamic linker wants it; it need not exist yet. */
    public static Path cache() {
        return cache(System.getenv()).toAbsolutePath();
    }

    static Path cache(Map<String, String> environment) {
        String own = environment.get("EVENER_CACHE");
        if (own != null && !own.isBlank()) {
            return Path.of(own);
        }
        String xdg = environment.get("XDG_CACHE_HOME");
        // The XDG base directory specification has relative values ignored.
        if (xdg != null && Path.of(xdg).isAbsolute()) {
            return Path.of(xdg, "evener");
        }
        return Path.of(System.getProperty("user.home"), ".cache", "evener");
    }
}
