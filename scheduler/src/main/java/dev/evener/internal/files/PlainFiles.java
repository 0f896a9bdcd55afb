package dev.evener.internal.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The one place where files that somebody named are opened to be read: to open a pipe may wait for ever, and a device may never end. Any
 * thread.
 */
public final class PlainFiles {
    private PlainFiles() {}

    /** What is there under a name and no plain file, such as {@code is a folder}; null if a plain file or nothing is. */
    public static @Nullable String other(Path file) {
        return !Files.exists(file) || Files.isRegularFile(file)
                ? null
                : Files.isDirectory(file) ? "is a folder" : "is a pipe or a device";
    }

    /**
     * The bytes of a file.
     *
     * @throws FileSystemException if it is no plain file, with that as its reason
     * @throws IOException if it cannot be opened
     */
    public static InputStream open(Path file) throws IOException {
        require(file);
        return Files.newInputStream(file);
    }

    /** A channel to a file, which may be made and written too; as {@link #open(Path)}. */
    public static FileChannel channel(Path file, OpenOption... how) throws IOException {
        require(file);
        return FileChannel.open(file, how);
    }

    /**
     * All bytes of a file.
     *
     * @throws FileSystemException as {@link #open(Path)}, and if there are more than {@code most}, which are not read
     */
    public static byte[] read(Path file, int most) throws IOException {
        try (InputStream in = open(file)) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new FileSystemException(file.toString(), null, "is larger than " + most + " bytes");
            }
            return bytes;
        }
    }

    /**
     * The same as UTF-8 text.
     *
     * @throws java.nio.charset.CharacterCodingException if it is none
     */
    public static String text(Path file, int most) throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(read(file, most)))
                .toString();
    }

    private static void require(Path file) throws FileSystemException {
        String other = other(file);
        if (other != null) {
            throw new FileSystemException(file.toString(), null, other + ", not a plain file");
        }
    }
}
