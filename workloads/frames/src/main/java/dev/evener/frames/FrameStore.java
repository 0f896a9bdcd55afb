package dev.evener.frames;

import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.PlainFiles;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link FrameStream} reads its frames and writes its pictures. Paths are names to it: those of a cluster's file system
 * need not be of this machine's. Any thread.
 */
public interface FrameStore {
    /** This machine's file system. */
    FrameStore FILES = new FrameStore() {
        @Override
        public FrameFile open(Path frame) throws FrameException {
            return FrameFile.open(frame);
        }

        @Override
        public void write(Path picture, Content content) throws IOException {
            String other = PlainFiles.other(picture);
            if (other != null) { // to open a pipe would wait for a reader
                throw new FileSystemException(picture.toString(), null, other);
            }
            AtomicFiles.writeOneOfMany(picture, content::writeTo);
        }

        @Override
        public void sync(Path folder) {
            AtomicFiles.sync(folder);
        }

        @Override
        public @Nullable Object identity(Path file) throws IOException {
            return AtomicFiles.identity(file);
        }

        @Override
        public void makeFolder(Path folder) throws IOException {
            Files.createDirectories(folder);
        }
    };

    /** Reads a frame's header. */
    FrameFile open(Path frame) throws FrameException;

    /** Writes a picture that appears under its name only when complete, replacing an older one. */
    void write(Path picture, Content content) throws IOException;

    /** The last picture was written there: their names outlive a loss of power from now on, where the store can see to that. */
    default void sync(Path folder) throws IOException {}

    /**
     * What all names of a file have in common, whether or not it is there yet: by default its absolute name. Null for what is no file,
     * such as a device.
     */
    default @Nullable Object identity(Path file) throws IOException {
        return file.toAbsolutePath().normalize();
    }

    /** Makes the folder for pictures, if it is not there. */
    void makeFolder(Path folder) throws IOException;

    /** What is to be in a file. */
    @FunctionalInterface
    interface Content {
        /** Writes all of it. */
        void writeTo(WritableByteChannel channel) throws IOException;
    }
}
