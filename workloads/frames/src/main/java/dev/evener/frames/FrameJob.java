package dev.evener.frames;

import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.png.PngEncoder;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.FrameStatistics;
import dev.evener.kernels.tonemap.PixelCoding;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.kernels.tonemap.ToneMapper;
import dev.evener.kernels.tuning.Tuning;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The job that takes a frame from its pixels as the file has them to a picture as its file will have it: statistics, map, PNG's
 * filters and symbols, and their packing. It has buffers of its own that a running job uses, so frames under way at the same time need
 * one each. Not thread-safe, but may be handed from thread to thread between jobs.
 */
public final class FrameJob implements AutoCloseable {
    private final ToneMapper mapper;
    private final PngEncoder encoder;

    /** One with buffers of its own from this allocator, released by {@link #close}. */
    public FrameJob(Allocator memory, Tuning tuning) {
        this.mapper = new ToneMapper(memory, tuning);
        this.encoder = new PngEncoder(memory);
    }

    /** Bytes that a picture of this size may take. */
    public static long mostBytes(FrameLayout layout) {
        return PngEncoder.mostBytes(layout.width(), layout.height());
    }

    /**
     * The job. Making one invalidates the one made before.
     *
     * @param frame at least {@link PixelCoding#elements} of the frame's elements
     * @param pixels takes the picture, at least {@link FrameLayout#words} of {@code UINT}
     * @param coded takes what {@link #write} writes, at least {@link #mostBytes} of {@code UBYTE}
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small
     */
    public Job of(
            FrameLayout layout,
            PixelCoding coding,
            HostBuffer frame,
            HostBuffer pixels,
            HostBuffer coded,
            ToneMapSettings settings) {
        Job.Builder job = mapper.describe(layout, coding, frame, pixels, settings);
        return encoder.addTo(job, layout.width(), layout.height(), layout.stride(), pixels, coded)
                .build();
    }

    /**
     * A job that only finds out what {@link #measured} says.
     *
     * @param settings such that statistics are needed
     */
    public Job measuring(FrameLayout layout, PixelCoding coding, HostBuffer frame, ToneMapSettings settings) {
        return mapper.statisticsJob(layout, coding, frame, settings);
    }

    /**
     * The statistics of the frame whose job was the last to run.
     *
     * @throws NullPointerException if it needed none
     */
    public FrameStatistics measured() {
        return Objects.requireNonNull(mapper.statistics(), "nothing was measured");
    }

    /** Writes the PNG file of the frame whose job has run. */
    public void write(WritableByteChannel out) throws IOException {
        encoder.write(out);
    }

    /**
     * The same to where a store has it. Where that is this machine's files, it appears under its name only when complete, replacing an
     * older one; until then its bytes are in a file {@code .evener-*.part} in the same folder, which is removed on failure. Its folder is
     * made if need be; a link is followed.
     *
     * @throws FrameException if the file cannot be written
     * @throws InterruptedException if the calling thread was interrupted; nothing is left behind
     */
    public void write(Path file, FrameStore store) throws FrameException, InterruptedException {
        try {
            store.write(file, this::write);
        } catch (ClosedByInterruptException e) {
            Thread.interrupted(); // as by convention, whoever throws the exception clears the flag
            throw (InterruptedException) new InterruptedException("interrupted while writing a picture").initCause(e);
        } catch (IOException e) {
            throw new FrameException(file, "cannot be written: " + FrameException.reason(e), e);
        }
    }

    /** Releases its buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        try (mapper) {
            encoder.close();
        }
    }
}
