package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.PixelCoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** What one file's header said, and how to decode what follows. Immutable; any thread. */
sealed interface FrameReader permits RadianceReader, PfmReader, ExrReader {

    FrameFile.Format format();

    FrameLayout size();

    /** How {@link #decode} leaves its pixels. */
    PixelCoding coding();

    /**
     * Decodes the whole frame, padding included. Memory beyond the target does not grow with the number of its rows.
     *
     * @param file its name for messages
     * @param in the file from its first byte on
     * @param target the reader's own view of enough memory
     * @param allCores whether other threads may help
     * @throws FrameException if the contents are damaged or end early; the target then holds a part of the frame
     */
    void decode(Path file, FileWindow in, ByteBuffer target, boolean allCores) throws IOException;

    /** Bytes of the header, which {@link #decode} skips. */
    int headerBytes();
}
