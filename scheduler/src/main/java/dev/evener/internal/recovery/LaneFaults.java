package dev.evener.internal.recovery;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What went wrong on the lanes of one job, in the words of its report and of its exception, and how many lanes it has left.
 *
 * <p>Called by any thread: by the dispatcher while it starts the job, then by lanes and the watchdog. Without locks; each
 * part is safe for itself, and who counts the last lane out is one thread, since the count reaches zero once.
 */
public final class LaneFaults {
    private static final Logger LOG = LoggerFactory.getLogger(LaneFaults.class);

    private final String job;
    private final @Nullable Listener listener;
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> leftOut = new ConcurrentLinkedQueue<>(); // which devices from the beginning, and why
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private final AtomicInteger usable = new AtomicInteger();

    /** Hears of what goes into the report, at once. */
    public interface Listener {
        /** Something went wrong on a lane. */
        void fault(int lane, String what);
    }

    /** @param job its name */
    public LaneFaults(String job, @Nullable Listener listener) {
        this.job = job;
        this.listener = listener;
    }

    /** A lane may work for the job. */
    public void countIn() {
        usable.incrementAndGet();
    }

    /** A lane cannot take part from the beginning. */
    public void leaveOut(RecoverableLane lane, String why) {
        String left = named(lane.device()) + " was left out: " + why;
        leftOut.add(left);
        note(lane, left);
    }

    /** @throws EvenerException if no lane may work for the job */
    public void requireOne() {
        if (usable.get() == 0) {
            throw new EvenerException("no device can take it: " + String.join("; ", failures));
        }
    }

    /** Something goes into the report. */
    void note(RecoverableLane lane, String what) {
        failures.add(what);
        if (listener != null) {
            listener.fault(lane.index(), what);
        }
    }

    /** Takes a lane out of the job; before others are given its work, as they may end the job and have the report made. */
    void lose(RecoverableLane lane, Throwable described, String reason) {
        if (!firstFailure.compareAndSet(null, described)) {
            Throwable first = firstFailure.get();
            if (first != null) {
                first.addSuppressed(described);
            }
        }
        note(lane, named(lane.device()) + " failed: " + reason);
        String next =
                usable.get() > 1 ? "the others take over" : "no other device is left"; // it is not counted out yet
        LOG.warn("job '{}': {} failed, {}: {}", job, named(lane.device()), next, reason);
        lane.setUsable(false);
    }

    /**
     * Counts a lane out.
     *
     * @param described its failure, as the job's
     * @return null while others are left; else what the job as a whole fails with, which also says why there was no other device
     */
    @Nullable
    Throwable countOut(Throwable described) {
        if (usable.decrementAndGet() > 0) {
            return null;
        }
        Throwable noted = firstFailure.get();
        Throwable first = noted != null ? noted : described;
        if (leftOut.isEmpty()) {
            return first;
        }
        EvenerException all =
                new EvenerException(first.getMessage() + "; " + String.join("; ", leftOut), first.getCause());
        for (Throwable suppressed : first.getSuppressed()) {
            all.addSuppressed(suppressed);
        }
        return all;
    }

    /** All that was noted so far, in that order. */
    public List<String> all() {
        return List.copyOf(failures);
    }

    /** A failure on a device as the job's. */
    public EvenerException onDevice(DeviceInfo device, Throwable e) {
        Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        return new EvenerException("job '" + job + "' failed on " + named(device) + ": " + reason(cause), cause);
    }

    static String reason(Throwable cause) {
        return cause instanceof EvenerException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** A device as messages name it. */
    public static String named(DeviceInfo device) {
        return "device " + device.id() + " (" + device.name() + ")";
    }
}
