package dev.evener.internal.cl;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What PoCL needs around it, looked at before PoCL does: a folder in which it keeps what it built, and from which it loads that, and
 * for CPUs a linker. Where it cannot make the folder it offers no device and does not say why; where it cannot write or load there, or
 * finds no linker, it ends the process. Stateless.
 */
final class PoclNeeds {
    /** More than what PoCL writes for the kernels of the self-test. */
    static final int ROOM = 1 << 20;

    /** Where so much is free, nobody waits at the start for room to be tried. */
    private static final long PLENTY = 64L << 20;

    private PoclNeeds() {}

    /** Where the folder is, as PoCL decides. */
    static String cacheFolder(Map<String, String> environment) {
        String own = environment.getOrDefault("POCL_CACHE_DIR", "");
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        String home = environment.get("HOME");
        String caches = !xdg.isEmpty() ? xdg : home != null ? home + "/.cache" : "/tmp";
        return own.isEmpty() ? caches + "/pocl/kcache" : own;
    }

    /** Why PoCL cannot use the folder, and what to do; null if it can. Makes it, as PoCL does. */
    static @Nullable String cacheProblem(Map<String, String> environment, Predicate<Path> executable) {
        if (!NativeLibrary.UNIX) {
            return null; // it is elsewhere there
        }
        String folder = cacheFolder(environment);
        String why;
        try {
            Path caches = Path.of(folder);
            if (!Files.isDirectory(caches)) {
                Files.createDirectories(caches);
            }
            Path file = caches.resolve(
                    "evener" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
            try {
                Files.write(file, new byte[caches.toFile().getUsableSpace() < PLENTY ? ROOM : 1], CREATE_NEW, WRITE);
                Files.setAttribute(file, "unix:mode", 0700);
                if (executable.test(file)) {
                    return null;
                }
                why = "it does not allow execution, as if mounted noexec";
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (InvalidPathException e) { // PoCL, which does not read letters, could use it
            return "PoCL's folder " + folder
                    + " cannot be looked at, as this JVM's locale has no such letters; start it with LC_ALL=C.UTF-8";
        } catch (IOException e) {
            why = e instanceof AccessDeniedException ? "no permission for " + e.getMessage() : e.getMessage();
        }
        return "PoCL cannot keep what it builds in its folder " + folder + " (" + why
                + "); set POCL_CACHE_DIR to a folder that allows writing and execution and has room";
    }

    /** The linker that PoCL calls, the first one on the path; empty if there is none. */
    static String linker(Map<String, String> environment) {
        for (String folder : environment.getOrDefault("PATH", "").split(":", -1)) {
            File linker = new File(folder, "ld");
            if (!folder.isEmpty() && linker.canExecute()) {
                return linker.getPath();
            }
        }
        return "";
    }

    /**
     * Why PoCL cannot build for CPUs, and what to do; null if it can. Its compiler is in its own process but calls {@code ld}, which is
     * looked for on the path; from 7.2 on it loads what it compiled by itself.
     *
     * @param platformVersion as the platform tells it
     */
    static @Nullable String linkerProblem(String platformVersion, Map<String, String> environment) {
        if (!NativeLibrary.UNIX || !linker(environment).isEmpty()) {
            return null;
        }
        // After that, as at a start regular expressions take two milliseconds.
        Matcher version = Pattern.compile("PoCL (\\d+)\\.(\\d+)").matcher(platformVersion);
        if (version.find() && Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2)) >= 702) {
            return null;
        }
        return "PoCL needs the linker ld, which is in no folder of PATH (" + environment.getOrDefault("PATH", "")
                + "); install binutils, or add the folder of ld to PATH";
    }
}
