package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.JobSpec;
import dev.evener.internal.recovery.Undo;
import dev.evener.internal.recovery.Watchdog;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who works for a lane, and its health: a thread ({@link LaneThread}), or, on a virtual clock, events ({@link VirtualLane}).
 *
 * <p>A lane whose device failed is quarantined: it gets no work until a probe on its own thread succeeds. The first probe
 * comes after {@code patience}, later ones after twice the time each, up to {@link #LONGEST_PATIENCE}. A lane whose thread
 * hangs in its driver cannot answer a probe and so stays out until it comes back.
 *
 * <p>{@link #offer}, {@link #quarantine} and the queries may be called by any thread; {@link #close} by one thread, once.
 */
abstract class LaneWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaneWorker.class);
    private static final Duration LONGEST_PATIENCE = Duration.ofMinutes(1);
    /** Jobs in a row without a failure after which a lane's past failures no longer count. */
    private static final int FORGIVEN_AFTER = 100;

    private final Lane lane;
    private final ChunkTimes[] times = {new ChunkTimes(), new ChunkTimes()};
    private final Undo[] undo = {new Undo(), new Undo()};
    private final Watchdog watchdog;
    private final Duration patience;
    private final Map<String, Long> unfit = new ConcurrentHashMap<>(); // phases, and from how many units on
    private volatile @Nullable String quarantined;
    private volatile boolean hanging;
    private final AtomicBoolean probeIsDue = new AtomicBoolean();
    private final AtomicInteger strikes = new AtomicInteger();
    private final AtomicInteger successes = new AtomicInteger();

    LaneWorker(Lane lane, Watchdog watchdog, Duration patience) {
        this.lane = lane;
        this.watchdog = watchdog;
        this.patience = patience;
    }

    DeviceInfo device() {
        return lane.device();
    }

    /** The lane; for its own thread, but for what {@link Lane} allows to all. */
    Lane lane() {
        return lane;
    }

    /** Where a chunk's times go, and what it overwrites, for one of two in flight; kept for later jobs. */
    ChunkInFlight chunk(int which) {
        return new ChunkInFlight(times[which], undo[which]);
    }

    /** Has the lane's own thread wait for so many nanoseconds, or less. */
    void pause(long nanos) {
        throw new IllegalStateException("lane " + device().id() + " has no thread to wait");
    }

    /** Whether the calling thread is this lane's. */
    abstract boolean isCurrent();

    /** Asks the lane to work for a run, in which it has the given index. */
    abstract void offer(JobRun run, int index);

    /** Asks the lane to {@link #probe}. */
    abstract void offerProbe();

    /** Why the lane gets no work at present, or null if it does. */
    @Nullable
    String quarantined() {
        return quarantined;
    }

    /** Keeps work from the lane until a probe succeeds. */
    void quarantine(String reason) {
        int strike = strikes.getAndUpdate(LaneWorker::another);
        successes.set(0);
        if (quarantined == null) {
            LOG.warn("device {} is quarantined: {}", device().id(), reason);
        }
        quarantined = reason;
        probeAfter(strike);
    }

    private static int another(int strike) {
        return Math.min(strike + 1, 20); // so that the delay does not overflow
    }

    /** One probe at a time, however often the lane is quarantined. */
    private void probeAfter(int strike) {
        if (!probeIsDue.compareAndSet(false, true)) {
            return;
        }
        Duration delay = patience.multipliedBy(1L << strike);
        watchdog.later(delay.compareTo(LONGEST_PATIENCE) > 0 ? LONGEST_PATIENCE : delay, this::offerProbe);
    }

    /** The watchdog has given up waiting for the lane's thread. */
    void declareHanging() {
        hanging = true;
    }

    /** The lane's thread is back from a job. */
    void returned() {
        hanging = false;
    }

    /** Whether the lane's thread is stuck in its driver, as far as is known. */
    boolean hangs() {
        return hanging;
    }

    /** Notes that a phase cannot be built here, whatever its size. */
    void declareUnfit(JobSpec.Phase phase) {
        declareUnfit(phase, 0);
    }

    /** Notes that a phase cannot be run here in one piece if it has so many units or more. */
    void declareUnfit(JobSpec.Phase phase, long units) {
        unfit.merge(id(phase), units, Math::min);
    }

    /** Whether a phase was found not to build here. */
    boolean cannotRun(JobSpec.Phase phase) {
        return cannotRun(phase, 0);
    }

    /** Whether a phase was found not to build here, or to be too large in one piece with so many units. */
    boolean cannotRun(JobSpec.Phase phase, long units) {
        if (unfit.isEmpty()) {
            return false;
        }
        Long least = unfit.get(id(phase));
        return least != null && least <= units;
    }

    /** What the device builds for a phase: it can run all of its kernels or none. */
    private String id(JobSpec.Phase phase) {
        KernelSource source = phase.source();
        StringBuilder id = new StringBuilder(source == null ? "" : source.digest());
        for (JobSpec.Pass pass : phase.passes()) {
            Variant variant = pass.variant(device().kind());
            id.append(variant.options())
                    .append(pass.kernel())
                    .append(variant.rounds())
                    .append('\n');
        }
        return id.toString();
    }

    /** The lane took part in a job without failing. */
    void succeeded() {
        if (strikes.get() > 0 && successes.incrementAndGet() >= FORGIVEN_AFTER) {
            strikes.set(0);
        }
    }

    /** Tries the device out, if it is quarantined; on the lane's own thread. */
    final void probe() {
        probeIsDue.set(false);
        hanging = false;
        if (quarantined == null) {
            return;
        }
        try {
            lane.probe();
            quarantined = null;
            LOG.info("device {} works again", device().id());
        } catch (Throwable e) { // an Error too: a device that is gone must not take its thread along
            LOG.debug("device {} does not work yet: {}", device().id(), e.toString());
            probeAfter(strikes.getAndUpdate(LaneWorker::another));
        }
    }

    /** What would wait for long on the lane stops waiting: it will be closed. */
    void stop() {
        lane.stop();
    }

    /** Lets the lane finish what it was offered, then closes it. After {@link #stop}. */
    @Override
    public abstract void close();

    /** Waits until it is closed; false if that did not come in time. */
    abstract boolean join(Duration limit) throws InterruptedException;
}
