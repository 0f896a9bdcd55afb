package dev.evener.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Files that appear under their name only when complete, and bad ones that are kept for inspection. Thread-safe.
 *
 * <p>Until then what is written is in a file {@code .evener-*.part} beside it, which its process holds a lock of. It is synced
 * before it gets its name: else a crash of the system may leave an empty file under that. What processes that were killed
 * have left is removed after an hour, by the next one that writes to the same folder.
 */
public final class AtomicFiles {
    private static final String PARTS = ".evener-*.part";
    private static final Duration STALE = Duration.ofHours(1);
    private static final int FOLDERS = 1000;
    private static final int LINKS = 40; // as many as Linux follows

    /** Those of this process: to look whether they are locked would lose the lock. */
    private static final Set<Path> WRITING = ConcurrentHashMap.newKeySet();

    private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();

    private AtomicFiles() {}

    /**
     * Writes a file through a temporary one beside it, making its folder if need be. What a link points to is replaced or
     * made, not the link; a device or pipe is written to as it is.
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
        Path folder = writeOneOfMany(file, content);
        if (folder != null) {
            sync(folder);
        }
    }

    /**
     * The same for one of many files of a folder: whole whenever it is there, but its name need not be on disk before {@link #sync} of its
     * folder, which is returned; null if it is no file.
     */
    public static @Nullable Path writeOneOfMany(Path file, Content content) throws IOException {
        Path target = followed(file);
        if (Files.exists(target) && !Files.isRegularFile(target) && !Files.isDirectory(target)) {
            try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
                content.writeTo(channel);
            }
            return null;
        }
        Path folder = target.getParent();
        if (folder == null) {
            throw new FileSystemException(target.toString(), null, "Is a directory");
        }
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
        if (CLEANED.add(folder)) {
            removeStale(folder);
        }
        // A short name, since the target's may be as long as is allowed; rights as the user sets them for new files.
        Path part = folder.resolve(
                PARTS.replace("*", Long.toHexString(ThreadLocalRandom.current().nextLong())));
        WRITING.add(part);
        try {
            try (FileChannel channel =
                    FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                lock(channel);
                content.writeTo(channel);
            }
            move(part, target);
            return folder;
        } finally {
            WRITING.remove(part);
            Files.deleteIfExists(part);
        }
    }

    /** Where a name leads, absolute: a link is followed, to a file that is not there yet too. */
    public static Path followed(Path file) throws IOException {
        Path target = file.toAbsolutePath();
        for (int i = 0; Files.isSymbolicLink(target); i++) {
            if (i == LINKS) {
                throw new FileSystemLoopException(file.toString());
            }
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return Files.exists(target) ? target.toRealPath() : target;
    }

    /**
     * What all names of a file or folder have in common, links of either kind included, whether or not it is there yet; null for a
     * device or pipe, which may be written to by several.
     */
    public static @Nullable Object identity(Path file) throws IOException {
        try {
            BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
            Object key = is.fileKey();
            return is.isOther() ? null : key == null ? file.toRealPath() : key;
        } catch (NoSuchFileException e) {
            Path target = followed(file);
            Path folder = target.getParent();
            Path name = target.getFileName();
            if (folder == null) {
                throw e;
            }
            Path above = name.toString().equals("..")
                    ? folder.getParent()
                    : name.toString().equals(".") ? folder : null;
            return above == null ? Arrays.asList(identity(folder), name) : identity(above);
        }
    }

    /** Moves a complete file over its final name, after its content and before the name are on disk. */
    public static void replace(Path temporary, Path target) throws IOException {
        move(temporary, target);
        Path folder = target.toAbsolutePath().getParent();
        if (folder != null) {
            sync(folder);
        }
    }

    private static void move(Path temporary, Path target) throws IOException {
        sync(temporary, StandardOpenOption.WRITE);
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Has the names in a folder on disk, where the system does that: some sync no folders. The files are whole either way. */
    public static void sync(Path folder) {
        try {
            sync(folder, StandardOpenOption.READ);
        } catch (IOException e) {
            // as said
        }
    }

    /** Also in a thread that is interrupted, which would close the channel. */
    private static void sync(Path file, OpenOption how) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel = FileChannel.open(file, how, LinkOption.NOFOLLOW_LINKS)) {
                    channel.force(true);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- what killed processes leave ----

    /** Removes what processes that were killed left in a folder an hour ago or earlier; never what a live one writes. */
    public static void removeStale(Path folder) {
        if (CLEANED.size() > FOLDERS) { // a service that writes to ever new ones
            CLEANED.clear();
        }
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, PARTS)) {
            for (Path part : parts) {
                if (!WRITING.contains(part) && isStale(part)) {
                    Files.deleteIfExists(part);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // There is no such folder, or it is another user's: theirs to clean.
        }
    }

    private static boolean isStale(Path part) {
        try {
            BasicFileAttributes is = Files.readAttributes(part, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!is.isRegularFile()
                    || is.lastModifiedTime().toInstant().isAfter(Instant.now().minus(STALE))) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                return lock(channel);
            }
        } catch (IOException e) { // gone, or another user's
            return false;
        }
    }

    /** Until the channel is closed, or its process ends, in whatever container; false if another has it. */
    public static boolean lock(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (IOException | OverlappingFileLockException e) { // no locks here; or another class loader's
            return false;
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
        if (PlainFiles.other(file) != null) {
            return message + "; as it " + PlainFiles.other(file) + ", it stays where it is";
        }
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
