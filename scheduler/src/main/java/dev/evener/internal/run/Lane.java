package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The only code that talks to a device. All methods but those for any thread are called by the lane's own thread; each but {@link #enqueue} returns only when the device has finished what it was asked. What a method throws says by its
 * {@link LaneFailure.Kind} what the runtime should do; anything that is no {@link LaneFailure} is a failure of the device.
 */
public interface Lane extends AutoCloseable {

    /** The device behind it. Any thread. */
    DeviceInfo device();

    /** Bytes of stack that its thread needs for what the device does there; 0 for as many as any other thread. Any thread. */
    default long stackBytes() {
        return 0;
    }

    /** Whether the calling thread is one that the lane computes with beside its own. Any thread. */
    default boolean isOnHelper() {
        return false;
    }

    /**
     * The most units one {@link #enqueue} may cover, from the device's memory and from what its kernels can count. Any thread; at least 1.
     */
    long maxChunkUnits(JobSpec.Phase phase);

    /**
     * Whether it runs every chunk several times to find mistakes of its kernels, and touches the job's buffers in {@link #commit}
     * alone, as for fenced chunks. Any thread.
     */
    default boolean checks() {
        return false;
    }

    /**
     * Whether its device has memory of its own, in which data stay: it brings there what a chunk needs. Any other lane works on the
     * host's memory, where the runtime brings it. Any thread.
     */
    default boolean holdsData() {
        return false;
    }

    /**
     * Whether {@link #build} has nothing left to do for a phase, be it that its programs are built or that they are known not
     * to build. Any thread; quick.
     */
    default boolean isBuilt(JobSpec.Phase phase) {
        return true;
    }

    /**
     * Builds what the phase needs, before the lane is given work of a job, which may be over by then. May be called more than once.
     *
     * @throws LaneFailure if the phase cannot run here, with the build log where there is one
     */
    default void build(JobSpec.Phase phase) {}

    /** Whether {@link #warm} has nothing to do for a phase of a job that was built. Any thread; quick. */
    default boolean isWarm(JobSpec job, JobSpec.Phase phase) {
        return true;
    }

    /**
     * Has the driver do what it would at the first launches of a phase, such as compiling for sizes of groups, without touching the
     * job's buffers. After {@link #build}, while no chunk is under way; does not throw: a launch will say what is wrong.
     */
    default void warm(JobSpec job, JobSpec.Phase phase) {}

    /**
     * A job's run begins with a phase: builds what is not built yet. May be called more than once.
     *
     * @throws LaneFailure as {@link #build} does
     */
    default void prepare(JobSpec job, JobSpec.Phase phase) {
        build(phase);
    }

    /**
     * Hands a chunk to the device, behind the one under way where {@link #takesAnother} allows one. A lane whose device works
     * in the calling thread has run it when this returns. When this throws, the chunk has failed; one under way before has not. {@link
     * ChunkTimes#untouched} says then whether a kernel of it began, which decides whether it may be run again on what it updates.
     *
     * @param firstUnit first unit of the chunk
     * @param units at least 1, at most {@link #maxChunkUnits}
     * @param fenced whether nothing may be written to the job's buffers before {@link #commit}: the chunk may be taken away
     *     from this lane while it runs, and whatever the device writes late must then go nowhere
     * @param times filled in with what was measured, at the latest by {@link #settle}
     * @return false if it can only be run when the one under way has ended, and nothing of it was enqueued
     */
    boolean enqueue(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times);

    /**
     * Whether a chunk is under way, and one more, be it of another job, may be enqueued behind it. Two are under way at most, and
     * end in the order in which they were enqueued.
     */
    default boolean takesAnother() {
        return false;
    }

    /**
     * Goes on with the chunk that was enqueued behind another, which has been waited for since: what had no room behind that one is
     * enqueued now. Nothing to do where all of a chunk is enqueued at once.
     */
    default void proceed() {}

    /**
     * Waits for the chunk that was enqueued first and not waited for yet. Afterwards its slices are in host memory, and {@link
     * #partial}, {@link #commit} and {@link #settle} are about it. When this throws, that chunk has failed.
     */
    default void await() {}

    /**
     * The chunk counts: nobody took it away. Called after {@link #await} and before {@link #settle}. Writes what a fenced
     * chunk computed to the job's buffers: plain copies between host memory, which cannot hang. A lane that {@linkplain #holdsData
     * holds data} tells the directories where the chunk wrote, once, as it alone knows; for any other it is the host's memory.
     */
    void commit();

    /**
     * The chunk under way that was enqueued last is taken for done from now on, by what is enqueued behind it, and will not be {@linkplain
     * #commit committed} again. The next one behind it may be another job's then, and is refused unless all that it sees is on the device.
     *
     * @return false if that cannot be, as its results have to reach the host, or what it needs has not reached the device
     */
    default boolean commitAhead() {
        return false;
    }

    /**
     * Whether of a chunk of a chain ({@link dev.evener.internal.job.Chain}) it runs those units first that other lanes wait for, as many at each end as the
     * job reaches, and brings what they wrote to the host meanwhile. Any thread.
     */
    default boolean bringsEdges() {
        return false;
    }

    /**
     * Waits until the host has what the ends of the chunk under way wrote that was enqueued first, which was {@linkplain #commitAhead
     * taken for done}.
     *
     * @return false if they are done with the rest of it, as it has none, or not all that it needs is on the device
     */
    default boolean awaitEdges() {
        return false;
    }

    /** The chunk that was waited for last has failed, and was committed ahead: what it wrote is nobody's data. */
    default void takeBack() {}

    /**
     * Does what can wait until the others have been told that a chunk is done: reads its times, frees what it needed. Called
     * after an {@link #await} that did not throw, before the next, and before anything is enqueued but what was under way then.
     *
     * @param times those given to {@code enqueue}
     */
    default void settle(ChunkTimes times) {}

    /** The partial result of the chunk that was waited for last, for a reduce argument, in native byte order. */
    ByteBuffer partial(int argument);

    /**
     * Tries the device out after a failure.
     *
     * @throws RuntimeException if it does not work
     */
    void probe();

    /**
     * Tries the device out before it gets work again.
     *
     * @return this, or the lane in its place, opened anew, if the device works but what this one has of it is dead; this one is closed then
     * @throws RuntimeException if the device does not work
     */
    default Lane revive() {
        probe();
        return this;
    }

    /** Whether its thread waits for what other devices hold, which is no time of its own device. Any thread. */
    default boolean waits() {
        return false;
    }

    /** For how many nanoseconds it has done so altogether, in waits that are over. Any thread, which asks {@link #waits} first. */
    default long waitedNanos() {
        return 0;
    }

    /** Its Evener is closing: what would wait for long should stop waiting. Any thread. */
    default void stop() {}

    /** A listener that hears nothing, and goes around lanes instead when they are opened: one that injects faults, for example. */
    interface Wrapper {
        /**
         * Those to be used, in the same order.
         *
         * @throws dev.evener.EvenerException if it cannot; it has closed the lanes then
         */
        List<Lane> around(List<Lane> lanes);
    }

    /** Frees what the lane holds. Called once, by the lane's thread, as its last action. */
    @Override
    void close();
}
