package dev.evener.internal;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that appear under their name only when complete, and bad ones that are kept for inspection. Thread-safe. */
public final class AtomicFiles {
    private AtomicFiles() {}

    /** Writes a file through a temporary one beside it, making its folder if need be. */
    public static void write(Path file, byte[] content) throws IOException {
        Path target = file.toAbsolutePath();
        Path folder = target.getParent();
        Files.createDirectories(folder);
        Path temporary = Files.createTempFile(folder, "." + target.getFileName(), ".tmp");
        try {
            Files.write(temporary, content);
            replace(temporary, target);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Moves a complete file over its final name. */
    public static void replace(Path temporary, Path target) throws IOException {
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /**
     * Renames a file that cannot be used, so that it is out of the way and still there.
     *
     * @return a sentence for the log
     */
    public static String setAside(Path file, String what, String reason) {
        Path aside = file.resolveSibling(file.getFileName() + ".damaged");
        String message = "the " + what + " " + file + " cannot be used (" + firstLine(reason) + ")";
        try {
            Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
            return message + "; it was set aside as " + aside.getFileName();
        } catch (IOException e) {
            return message + " and could not be renamed: " + e;
        }
    }

    private static String firstLine(String text) {
        return text == null ? "unreadable" : text.lines().findFirst().orElse("unreadable");
    }
}
