package dev.evener.event;

import dev.evener.DeviceInfo;
import dev.evener.JobFuture;
import java.time.Duration;
import java.util.List;

/**
 * Hears what happens to jobs while they run. Called by the threads of lanes, by others of the runtime and by those that
 * submit, several at a time: an implementation must be thread-safe, must return at once and must not throw; what it
 * throws is logged once and ignored. Events of one job come in the order of their causes; those of different lanes
 * interleave, so times may go back a little.
 */
@FunctionalInterface
public interface RunListener {
    /**
     * An Evener was opened, whose jobs the next events are of. Called once, before all of them, by the thread that
     * opens it.
     *
     * @param devices those that events refer to by index
     */
    default void opened(List<DeviceInfo> devices) {}

    /**
     * Whether to hear of a job that is being submitted; asked once for each. Where no listener wants to, telling costs
     * nothing.
     */
    default boolean wantsJobs() {
        return true;
    }

    /**
     * A job was submitted, by the calling thread, and nothing of it has run yet. Told whether or not its events are
     * wanted. It may be cancelled here or later: so whoever answers for a thread's work can end its jobs.
     */
    default void submitted(JobFuture job) {}

    /**
     * Somebody has waited for longer than {@link dev.evener.EvenerBuilder#longWait} allows, which is told once for each
     * wait, and is a warning in the log too. By a thread of the runtime's own.
     */
    default void waitsLong(LongWait wait) {}

    /** Something happened. */
    void heard(RunEvent event);

    /**
     * A wait that is long. In words, for people: {@code thread 'main'} waits for {@code job 'b', which waits for the
     * update() scope of ...}.
     *
     * @param who waits: a thread, or jobs and scopes that nobody may wait for
     * @param waitsFor whom for, and whom that one waits for, up to the one that could go on, with the buffers' names,
     *     where scopes were asked for, and what that one is at
     * @param waited for how long by now
     */
    record LongWait(String who, String waitsFor, Duration waited) {}
}
