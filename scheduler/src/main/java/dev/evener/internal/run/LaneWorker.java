package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.internal.recovery.LaneHealth;
import dev.evener.internal.recovery.Undo;
import dev.evener.internal.recovery.Watchdog;
import java.time.Duration;
import java.util.List;

/**
 * Who works for a lane: a thread ({@link LaneThread}), or, in a simulation, events on a virtual clock.
 *
 * <p>{@link #offer} and the queries may be called by any thread; {@link #close} by one thread, once; what is said to be for the
 * lane's own thread by that alone.
 */
public abstract class LaneWorker implements AutoCloseable {
    private final Lane lane;
    private final LaneHealth health;
    private final ChunkTimes[] times = {new ChunkTimes(), new ChunkTimes()};
    private final Undo[] undo = {new Undo(), new Undo()};

    /** @param patience how long a failed lane is left alone before its first probe */
    protected LaneWorker(Lane lane, Watchdog watchdog, Duration patience) {
        this.lane = lane;
        this.health = new LaneHealth(lane.device(), watchdog, patience);
    }

    /**
     * Those that a job wants.
     *
     * @throws EvenerException if none is
     */
    static List<LaneWorker> wanted(List<LaneWorker> workers, JobSpec job) {
        DeviceSelector selector = job.devices();
        if (selector == null) {
            return workers;
        }
        List<LaneWorker> wanted =
                workers.stream().filter(w -> selector.matches(w.device())).toList();
        if (wanted.isEmpty()) {
            throw new EvenerException("job '" + job.name() + "' wants devices '" + selector + "', but this Evener has "
                    + workers.stream().map(w -> w.device().id()).toList());
        }
        return wanted;
    }

    public final DeviceInfo device() {
        return lane.device();
    }

    /** The lane; for its own thread, but for what {@link Lane} allows to all. */
    protected final Lane lane() {
        return lane;
    }

    /** What it can be trusted with. */
    LaneHealth health() {
        return health;
    }

    /** Where a chunk's times go, and what it overwrites, for one of two in flight; kept for later jobs. */
    ChunkInFlight chunk(int which) {
        return new ChunkInFlight(times[which], undo[which]);
    }

    /** Tries the device out, if it is quarantined; on the lane's own thread. */
    protected final void probe() {
        health.probe(lane::probe, this::offerProbe);
    }

    /** Keeps work from the lane until a probe succeeds. */
    void quarantine(String reason) {
        health.quarantine(reason, this::offerProbe);
    }

    /** The same for a lane that does not come back from its driver. */
    void quarantineHung(String reason) {
        health.hangs(reason, this::offerProbe);
    }

    /** Whether the calling thread is this lane's. */
    protected abstract boolean isCurrent();

    /** Asks the lane to work for a job. */
    protected abstract void offer(LaneTask task);

    /** Asks the lane to {@link #probe}. */
    protected abstract void offerProbe();

    /** What would wait for long on the lane stops waiting: it will be closed. */
    void stop() {
        lane.stop();
    }

    /** Lets the lane finish what it was offered, then closes it. After {@link #stop}. */
    @Override
    public abstract void close();

    /** Waits until it is closed; false if that did not come in time. */
    protected abstract boolean join(Duration limit) throws InterruptedException;
}
