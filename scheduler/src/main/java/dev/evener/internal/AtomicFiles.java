package dev.evener.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/** Files that appear under their name only when complete, and bad ones that are kept for inspection. Thread-safe. */
public final class AtomicFiles {
    private AtomicFiles() {}

    /**
     * Writes a file through a temporary one beside it, making its folder if need be. What a link points to is replaced,
     * not the link; a device or pipe is written to as it is.
     */
    public static void write(Path file, byte[] content) throws IOException {
        write(file, channel -> {
            for (ByteBuffer left = ByteBuffer.wrap(content); left.hasRemaining(); ) {
                channel.write(left);
            }
        });
    }

    /** What is to be in a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of it. */
        void writeTo(WritableByteChannel channel) throws IOException;
    }

    /** The same for content that need not be in memory at once, and may take a while to write. */
    public static void write(Path file, Content content) throws IOException {
        Path target = file.toAbsolutePath();
        if (Files.exists(target)) {
            target = target.toRealPath();
            if (!Files.isRegularFile(target) && !Files.isDirectory(target)) {
                try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
                    content.writeTo(channel);
                }
                return;
            }
        }
        Path folder = target.getParent();
        if (folder == null) {
            throw new FileSystemException(target.toString(), null, "Is a directory");
        }
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        // A short name, since the target's may be as long as is allowed; rights as the user sets them for new files.
        String name = ".evener-" + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ".part";
        Path temporary = folder.resolve(name);
        try {
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                content.writeTo(channel);
            }
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
