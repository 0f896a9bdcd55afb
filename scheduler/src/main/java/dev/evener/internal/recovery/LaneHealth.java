package dev.evener.internal.recovery;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a lane can be trusted with, from job to job. A lane whose device failed is quarantined: it gets no work until a probe on
 * its own thread succeeds. The first probe comes after {@code patience}, later ones after twice the time each, up to {@link
 * #LONGEST_PATIENCE}. Its return is told in the next report. A lane whose thread hangs in its driver cannot answer a probe and so stays out until it comes back.
 *
 * <p>Any thread, but {@link #probe}.
 */
public final class LaneHealth {
    private static final Logger LOG = LoggerFactory.getLogger(LaneHealth.class);
    /** How long a failed lane is left alone at most. */
    public static final Duration LONGEST_PATIENCE = Duration.ofMinutes(1);

    private static final int MOST_STRIKES = 20; // so that the delay does not overflow

    private final DeviceInfo device;
    private final Watchdog watchdog;
    private final Duration patience;
    private final Map<String, Long> unfit = new ConcurrentHashMap<>(); // phases, and from how many units on
    private volatile @Nullable String quarantined;
    private volatile String notYet = ""; // what the last probe met, if one failed
    private final AtomicReference<@Nullable String> back = new AtomicReference<>(); // what is to be told of its return
    private volatile boolean hanging;
    private final AtomicBoolean probeIsDue = new AtomicBoolean();
    private final AtomicInteger strikes = new AtomicInteger();

    /** @param patience how long a failed lane is left alone before its first probe */
    public LaneHealth(DeviceInfo device, Watchdog watchdog, Duration patience) {
        this.device = device;
        this.watchdog = watchdog;
        this.patience = patience;
    }

    /** That of several, where fewer were opened than were meant if some are lacking. */
    public static DeviceInfo.Health of(List<LaneHealth> all, List<String> leftOut, boolean lacks) {
        List<DeviceInfo> working = new ArrayList<>();
        Map<String, String> quarantined = new HashMap<>();
        for (LaneHealth each : all) {
            String reason = each.quarantined;
            if (reason == null) {
                working.add(each.device);
            } else {
                String again = each.notYet.isEmpty() ? "" : "; when it was tried again: " + each.notYet;
                quarantined.put(each.device.id(), reason + again);
            }
        }
        return new DeviceInfo.Health(working, quarantined, leftOut, lacks || !quarantined.isEmpty());
    }

    /** Why the lane gets no work at present, or null if it does. */
    public @Nullable String quarantined() {
        return quarantined;
    }

    /**
     * Keeps work from the lane until a probe succeeds.
     *
     * @param offerProbe has the lane's thread call {@link #probe}
     */
    public void quarantine(String reason, Runnable offerProbe) {
        if (quarantined == null) {
            LOG.warn("device {} is quarantined: {}", device.id(), reason);
        }
        quarantined = reason;
        probeLater(offerProbe);
    }

    /** One probe at a time, however often the lane is quarantined. */
    private void probeLater(Runnable offerProbe) {
        int strike = strikes.getAndUpdate(n -> Math.min(n + 1, MOST_STRIKES));
        if (probeIsDue.compareAndSet(false, true)) {
            Duration delay = patience.multipliedBy(1L << strike);
            watchdog.later(delay.compareTo(LONGEST_PATIENCE) > 0 ? LONGEST_PATIENCE : delay, offerProbe);
        }
    }

    /**
     * Tries the device out, if it is quarantined; on the lane's own thread.
     *
     * @param offerProbe as for {@link #quarantine}, if the trial fails
     */
    public void probe(Runnable trial, Runnable offerProbe) {
        probeIsDue.set(false);
        hanging = false;
        String reason = quarantined;
        if (reason == null) {
            return;
        }
        try {
            trial.run();
            back.set("is back; it was quarantined, because " + reason);
            quarantined = null;
            notYet = "";
            LOG.info("device {} works again; it was quarantined, because {}", device.id(), reason);
        } catch (Throwable e) { // an Error too: a device that is gone must not take its thread along
            String what = e instanceof EvenerException ? String.valueOf(e.getMessage()) : e.toString();
            notYet = what.lines().findFirst().orElse("");
            LOG.debug("device {} does not work yet: {}", device.id(), e.toString());
            probeLater(offerProbe);
        }
    }

    /** What there is to say of a return, once after each; else null. */
    public @Nullable String tellReturn() {
        return back.get() == null ? null : back.getAndSet(null);
    }

    /** The watchdog has given up waiting for the lane's thread. */
    public void hangs(String reason, Runnable offerProbe) {
        hanging = true;
        quarantine(reason, offerProbe);
    }

    /** Whether the lane's thread is stuck in its driver, as far as is known. */
    public boolean hangs() {
        return hanging;
    }

    /** The lane's thread is back from a job. */
    public void returned() {
        hanging = false;
    }

    /** Notes that a phase cannot be run here in one piece of so many units or more; of 0, that it cannot be built. */
    public void declareUnfit(JobSpec.Phase phase, long units) {
        unfit.merge(id(phase), units, Math::min);
    }

    /** Whether a phase was found not to build here, or to be too large in one piece of so many units; 0 asks for the first alone. */
    public boolean cannotRun(JobSpec.Phase phase, long units) {
        if (unfit.isEmpty()) {
            return false;
        }
        Long least = unfit.get(id(phase));
        return least != null && least <= units;
    }

    /** Whether some phase of a job was found not to build here. */
    public boolean cannotBuild(JobSpec job) {
        return !unfit.isEmpty() && job.phases().stream().anyMatch(phase -> cannotRun(phase, 0));
    }

    /** What the device builds for a phase: it can run all of its kernels or none. */
    private String id(JobSpec.Phase phase) {
        KernelSource source = phase.source();
        StringBuilder id = new StringBuilder(source == null ? "" : source.digest());
        for (JobSpec.Pass pass : phase.passes()) {
            Variant variant = pass.variant(device.kind());
            id.append(variant.options())
                    .append(pass.kernel())
                    .append(variant.rounds())
                    .append('\n');
        }
        for (Argument.Buffer each : phase.buffers()) { // of which it may have some formats of images and not others
            id.append(each.image() != null ? each.image() : "");
        }
        return id.toString();
    }
}
