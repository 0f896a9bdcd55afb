package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.internal.files.PlainFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * A file of raw little-endian values, one after another, and nothing else.
 *
 * @param path where it is
 * @param bytes how long it is
 */
public record InputFile(Path path, long bytes) {

    /**
     * A file as it is now.
     *
     * @throws InputException if it is not there, is no plain file, or empty
     */
    public static InputFile of(Path path) {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new InputException(path, "raw values can be read on little-endian machines only");
        }
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                throw new InputException(path, "is a folder");
            }
            if (!attributes.isRegularFile()) {
                throw new InputException(path, "is not a plain file");
            }
            if (attributes.size() == 0) {
                throw new InputException(path, "is empty");
            }
            return new InputFile(path, attributes.size());
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    /**
     * How many things of this size it holds.
     *
     * @param perItem elements of each
     * @throws InputException if it holds a part of one
     */
    long items(ElementType type, int perItem) {
        long size = (long) type.bytes() * perItem;
        if (bytes % size != 0) {
            String what = perItem == 1 ? type.openClName() : perItem + " " + type.openClName();
            throw new InputException(
                    path, "its " + bytes + " bytes are not a whole number of " + what + " (" + size + " bytes each)");
        }
        return bytes / size;
    }

    /**
     * Reads from its start into all of these, which end where it ends.
     *
     * @throws InputException if it cannot be read, or is not as long as it was
     */
    void read(List<ByteBuffer> targets) {
        try (FileChannel channel = PlainFiles.channel(path)) {
            for (ByteBuffer target : targets) {
                read(channel, target);
            }
            if (channel.size() != bytes) {
                throw new InputException(path, "changed while it was read");
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    /** Fills up the target. */
    void read(FileChannel channel, ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                throw new InputException(path, "became shorter while it was read");
            }
        }
    }

    static InputException failed(Path path, IOException e) {
        String reason = e instanceof NoSuchFileException
                ? "there is no such file"
                : e instanceof AccessDeniedException ? "permission denied" : e.toString();
        return new InputException(path, reason);
    }
}
