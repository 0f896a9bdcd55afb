package dev.evener.workloads.document;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens files that people name. Stateless. */
public final class PlainFiles {
    private PlainFiles() {}

    /**
     * A file's bytes.
     *
     * @throws DocumentException if it is none: opening a pipe may wait for ever, and a device may never end
     * @throws IOException if it cannot be opened
     */
    public static InputStream open(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new DocumentException("", "is a folder, a pipe or a device, not a plain file");
        }
        return Files.newInputStream(file);
    }
}
