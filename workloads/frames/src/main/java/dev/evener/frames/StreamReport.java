package dev.evener.frames;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/**
 * What a {@link FrameStream} did. Times are nanoseconds.
 *
 * @param inputs files given
 * @param passes times the list was gone through
 * @param processed frames that went through the devices, all passes together
 * @param written the PNG files written, in the order of the inputs
 * @param failures what went wrong, in the order of the inputs; at most one for each input
 * @param wallNanos from the start to the last thread's end
 * @param passNanos for each pass, from asking for its first frame to the end of processing its last
 * @param stages one entry per stage, in the order of {@link Stage}
 */
public record StreamReport(
        int inputs,
        int passes,
        long processed,
        List<Path> written,
        List<Failure> failures,
        long wallNanos,
        List<Long> passNanos,
        List<StageTimes> stages) {

    /** The stages of the pipeline. */
    public enum Stage {
        DECODE,
        DEVICES,
        ENCODE
    }

    /**
     * An input that gave no picture, or none in the last pass.
     *
     * @param input the file
     * @param message one line that starts with a file's name
     * @param cause what is behind it, for whoever wants the stack
     */
    public record Failure(Path input, String message, FrameException cause) {}

    /**
     * How one stage spent its time.
     *
     * @param stage which
     * @param workers its threads
     * @param frames frames it finished, all passes together
     * @param busyNanos time at work, summed over its threads
     * @param waitingNanos time waiting for another stage, summed over its threads
     * @param heldNanos wall time in which the whole run waited for this stage; with the other stages' it makes up nearly
     *     all of the run
     */
    public record StageTimes(
            Stage stage, int workers, long frames, long busyNanos, long waitingNanos, long heldNanos) {}

    public StreamReport {
        written = List.copyOf(written);
        failures = List.copyOf(failures);
        passNanos = List.copyOf(passNanos);
        stages = List.copyOf(stages);
    }

    /** The times of one stage. */
    public StageTimes stage(Stage stage) {
        return stages.stream().filter(times -> times.stage == stage).findFirst().orElseThrow();
    }

    /**
     * The stage that limited the run: the one that the thread which feeds the devices spent most time on, be it at work or
     * waiting for frames or for an encoder.
     */
    public Stage bottleneck() {
        return stages.stream()
                .max(Comparator.comparingLong(StageTimes::heldNanos))
                .map(StageTimes::stage)
                .orElse(Stage.DEVICES);
    }

    /** The same run as if its processor had not spent this time, for instance on a warm-up that is not to count. */
    public StreamReport without(long processorNanos) {
        List<StageTimes> corrected = stages.stream()
                .map(s -> s.stage != Stage.DEVICES
                        ? s
                        : new StageTimes(
                                s.stage,
                                s.workers,
                                s.frames,
                                s.busyNanos - processorNanos,
                                s.waitingNanos,
                                Math.max(0, s.heldNanos - processorNanos)))
                .toList();
        return new StreamReport(
                inputs, passes, processed, written, failures, wallNanos - processorNanos, passNanos, corrected);
    }

    /** Frames through the devices per second of wall time, all passes together. */
    public double framesPerSecond() {
        return wallNanos == 0 ? 0 : processed * 1e9 / wallNanos;
    }
}
