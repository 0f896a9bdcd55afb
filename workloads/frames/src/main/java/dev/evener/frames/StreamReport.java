package dev.evener.frames;

import dev.evener.Report;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Primaries;
import java.nio.file.Path;
import java.util.List;

/**
 * What a {@link FrameStream} did.
 *
 * @param frames those that went through the devices, all passes together, in order
 * @param written the files written, in the order of the inputs; none of those in a channel
 * @param failures what went wrong, in the order of the inputs; at most one for each input
 * @param pipeline times of the whole and of the stages {@code read}, {@code devices} and {@code write}
 */
public record StreamReport(
        List<MappedFrame> frames, List<Path> written, List<Failure> failures, PipelineReport pipeline) {
    /**
     * One frame of one pass.
     *
     * @param source the file
     * @param layer the layer of it, as {@link FrameFile#layer()} says
     * @param primaries what its colours were
     * @param layout its size
     * @param report what the devices did
     * @param times when the threads of the host did what
     */
    public record MappedFrame(
            Path source, String layer, Primaries primaries, FrameLayout layout, Report report, Times times) {}

    /**
     * A frame's times as of {@link System#nanoTime}; it is under way from the first to the last.
     *
     * @param bytes of its buffers meanwhile
     */
    public record Times(long readFrom, long readTo, long writeFrom, long writeTo, long bytes) {}

    /**
     * An input that gave no picture, or none in the last pass.
     *
     * @param input the file
     * @param message one line that starts with a file's name
     * @param cause what is behind it, for whoever wants the stack
     */
    public record Failure(Path input, String message, FrameException cause) {}

    public StreamReport {
        frames = List.copyOf(frames);
        written = List.copyOf(written);
        failures = List.copyOf(failures);
    }

    /** Frames through the devices per second of wall time, all passes together. */
    public double framesPerSecond() {
        return pipeline.wallNanos() == 0 ? 0 : frames.size() * 1e9 / pipeline.wallNanos();
    }
}
