package dev.evener.frames;

import dev.evener.Report;
import dev.evener.internal.HostMemory;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Primaries;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a {@link FrameStream} did.
 *
 * @param frames those that went through the devices, all passes together, in order
 * @param written the files written, in the order of the inputs; none of those in a channel
 * @param failures what went wrong, in the order of the inputs; at most one for each input
 * @param pipeline times of the whole and of the stages {@code read}, {@code devices} and {@code write}
 * @param memory what it took of the host's memory
 */
public record StreamReport(
        List<MappedFrame> frames, List<Path> written, List<Failure> failures, PipelineReport pipeline, Memory memory) {
    /**
     * What the host does for a frame, in order: opens its file and reads the header, waits for room in the memory budget or for the pass before, takes memory for
     * buffers that have none yet, reads, decodes or finds the components of run-length code; and, when its job has run, fetches the bytes
     * of a PNG, encodes (check sums; JPEG) and writes, until the file has its name.
     */
    public enum Step {
        OPENING,
        WAITING_FOR_ROOM,
        TAKING_MEMORY,
        READING,
        DECODING,
        FETCHING,
        ENCODING,
        WRITING
    }

    /**
     * Of the host; what is not of frames' buffers is the whole process's meanwhile.
     *
     * @param budget bytes that frames' buffers were to take at most, a single frame aside
     * @param most bytes that they took at any time
     * @param allocations pieces of memory that were made, or made zero again
     * @param locks pieces that were page-locked
     */
    public record Memory(
            long budget,
            long most,
            long allocations,
            long allocatedBytes,
            long allocationNanos,
            long locks,
            long lockedBytes,
            long lockNanos) {
        static Memory of(long budget, long most, HostMemory.Use taken) {
            return new Memory(
                    budget,
                    most,
                    taken.allocations(),
                    taken.allocatedBytes(),
                    taken.allocationNanos(),
                    taken.locks(),
                    taken.lockedBytes(),
                    taken.lockNanos());
        }
    }

    /**
     * One frame of one pass.
     *
     * @param source the file
     * @param layer the layer of it, as {@link FrameFile#layer()} says
     * @param primaries what its colours were
     * @param warnings as {@link FrameFile#warnings()}
     * @param layout its size
     * @param expanded whether devices expanded its run-length code; else the host decoded it
     * @param report what the devices did in its job
     * @param together frames that had this job
     * @param times when the threads of the host did what
     */
    public record MappedFrame(
            Path source,
            String layer,
            Primaries primaries,
            List<String> warnings,
            FrameLayout layout,
            boolean expanded,
            Report report,
            int together,
            Times times) {}

    /**
     * A frame's times as of {@link System#nanoTime}; it is under way from the first to the last.
     *
     * @param submitted when its job was
     * @param bytes of its buffers meanwhile
     * @param steps nanoseconds of those that took any
     */
    public record Times(
            long readFrom,
            long readTo,
            long submitted,
            long writeFrom,
            long writeTo,
            long bytes,
            Map<Step, Long> steps) {
        public Times {
            steps = Map.copyOf(steps);
        }
    }

    /**
     * An input that gave no picture, or none in the last pass.
     *
     * @param input the file
     * @param message one line that starts with a file's name
     * @param cause what is behind it, for whoever wants the stack
     * @param replaced whether {@link FrameStreamBuilder.Missing another picture} takes its place
     */
    public record Failure(Path input, String message, FrameException cause, boolean replaced) {}

    public StreamReport {
        frames = List.copyOf(frames);
        written = List.copyOf(written);
        failures = List.copyOf(failures);
    }

    /** What devices did in each job, once for all frames that had it. */
    public List<Report> jobs() {
        Set<Report> jobs = Collections.newSetFromMap(new IdentityHashMap<>());
        return frames.stream()
                .filter(frame -> frame.together == 1 || jobs.add(frame.report))
                .map(MappedFrame::report)
                .toList();
    }

    /** Frames through the devices per second of wall time, all passes together. */
    public double framesPerSecond() {
        return pipeline.wallNanos() == 0 ? 0 : frames.size() * 1e9 / pipeline.wallNanos();
    }
}
