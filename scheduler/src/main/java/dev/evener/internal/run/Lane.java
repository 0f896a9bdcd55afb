package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import java.nio.ByteBuffer;

/**
 * The only code that talks to a device. All methods but {@link #device} and {@link #maxChunkUnits} are called by the lane's
 * own thread; each returns only when the device has finished what it was asked. What a method throws says by its
 * {@link LaneFailure.Kind} what the runtime should do; anything that is no {@link LaneFailure} is a failure of the device.
 */
public interface Lane extends AutoCloseable {

    /** The device behind it. Any thread. */
    DeviceInfo device();

    /**
     * The most units one {@link #execute} may cover, from the device's memory and from what its kernels can count; no chunk
     * that does not reach over the end of a segment has more than an {@code int} holds. Any thread; at least 1.
     */
    long maxChunkUnits(Job.Phase phase);

    /**
     * Whether a chunk that is not fenced may reach over the end of a segment of a buffer that it slices: the lane runs it in
     * pieces. Any thread.
     */
    default boolean spansSegments() {
        return false;
    }

    /** Called once, by the lane's thread, before anything else. */
    default void attach() {}

    /**
     * Whether {@link #build} has nothing left to do for a phase, be it that its programs are built or that they are known not
     * to build. Any thread; quick.
     */
    default boolean isBuilt(Job.Phase phase) {
        return true;
    }

    /**
     * Builds what the phase needs, before the clock of a job starts. May be called more than once.
     *
     * @throws LaneFailure if the phase cannot run here, with the build log where there is one
     */
    default void build(Job.Phase phase) {}

    /**
     * A job's run begins with a phase: builds what is not built yet. May be called more than once.
     *
     * @throws LaneFailure as {@link #build} does
     */
    default void prepare(Job job, Job.Phase phase) {
        build(phase);
    }

    /**
     * Runs one chunk. Afterwards slices are in host memory and {@link #partial} holds the chunk's partial results; what was
     * measured may be filled in only by {@link #settle}.
     *
     * @param firstUnit first unit of the chunk
     * @param units at least 1, at most {@link #maxChunkUnits}
     * @param fenced whether nothing may be written to the job's buffers before {@link #commit}: the chunk may be taken away
     *     from this lane while it runs, and whatever the device writes late must then go nowhere
     * @param times filled in with what was measured
     */
    void execute(Job job, Job.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times);

    /**
     * The chunk counts: nobody took it away. Called after {@link #execute} and before {@link #settle}. Writes what a fenced
     * chunk computed to the job's buffers: plain copies between host memory, which cannot hang.
     */
    void commit();

    /**
     * Does what can wait until the others have been told that a chunk is done: reads its times, frees what it needed. Called
     * after each {@link #execute} that did not throw, before anything else is executed.
     *
     * @param times those given to {@code execute}
     */
    default void settle(ChunkTimes times) {}

    /** The partial result of the last chunk for a reduce argument, in native byte order. */
    ByteBuffer partial(int argument);

    /**
     * Tries the device out after a failure.
     *
     * @throws RuntimeException if it does not work
     */
    void probe();

    /** Its Evener is closing: what would wait for long should stop waiting. Any thread. */
    default void stop() {}

    /** Frees what the lane holds. Called once, by the lane's thread, as its last action. */
    @Override
    void close();
}
