package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import java.io.IOException;
import java.nio.file.Path;

/** What one file's header said, and how to decode what follows. Immutable; any thread. */
sealed interface FrameReader permits RadianceReader, PfmReader {

    FrameFile.Format format();

    FrameLayout size();

    /**
     * Decodes the whole frame. Memory beyond the target is constant, whatever the file holds.
     *
     * @param file its name for messages
     * @param in the file from its first byte on
     * @throws FrameException if the contents are damaged or end early; the target then holds a part of the frame
     */
    void decode(Path file, FileWindow in, PlanarTarget target) throws IOException;

    /** Bytes of the header, which {@link #decode} skips. */
    int headerBytes();
}
