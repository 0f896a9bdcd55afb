package dev.evener.internal.run;

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
final class LaneFaults {
    private static final Logger LOG = LoggerFactory.getLogger(LaneFaults.class);

    private final String job;
    private final Announcer.@Nullable OfJob events; // null where nobody listens
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> leftOut = new ConcurrentLinkedQueue<>(); // which devices from the beginning, and why
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private final AtomicInteger usable = new AtomicInteger();

    /** @param job its name */
    LaneFaults(String job, Announcer.@Nullable OfJob events) {
        this.job = job;
        this.events = events;
    }

    // ---- which lanes there are ----

    /** One more lane that may work for the job. */
    void countIn() {
        usable.incrementAndGet();
    }

    /** Whether no lane may. */
    boolean noneUsable() {
        return usable.get() == 0;
    }

    /** A lane cannot take part from the beginning. */
    void leaveOut(Participant lane, String why) {
        String left = named(lane.device()) + " was left out: " + why;
        leftOut.add(left);
        note(lane, left);
    }

    /**
     * Counts a lane out.
     *
     * @param described its failure, as the job's
     * @return null while others are left; else what the job as a whole fails with
     */
    @Nullable
    Throwable countOut(Throwable described) {
        if (usable.decrementAndGet() > 0) {
            return null;
        }
        Throwable first = firstFailure.get();
        return alsoLeftOut(first != null ? first : described);
    }

    /** The failure, which also says why there was no other device. */
    private Throwable alsoLeftOut(Throwable first) {
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

    // ---- what is said of them ----

    /** Something goes into the report. */
    void note(Participant lane, String what) {
        failures.add(what);
        if (events != null) {
            events.fault(lane.index(), what);
        }
    }

    /** Takes a lane out of the job; before others are given its work, as they may end the job and have the report made. */
    void lose(Participant lane, Throwable described, String reason) {
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
        lane.retire();
    }

    /** All that was noted so far, in that order. */
    List<String> all() {
        return List.copyOf(failures);
    }

    /** Whether nothing was. */
    boolean none() {
        return failures.isEmpty();
    }

    /** A failure on a device as the job's. */
    EvenerException onDevice(DeviceInfo device, Throwable e) {
        Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        return new EvenerException("job '" + job + "' failed on " + named(device) + ": " + reason(cause), cause);
    }

    static String reason(Throwable cause) {
        return cause instanceof EvenerException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    static String named(DeviceInfo device) {
        return "device " + device.id() + " (" + device.name() + ")";
    }
}
