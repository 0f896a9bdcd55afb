package dev.evener.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Says when what a device keeps of a buffer is no longer what the host holds. Two counters, because after a phase a lane may
 * go on trusting what it wrote itself, while after any other change it can trust nothing.
 *
 * <p>The rule that makes it right: who copies bytes to a device reads the counters <em>before</em> it copies, and whoever
 * changes the bytes on the host raises a counter <em>after</em> the change and before anybody may rely on it. A copy made
 * while the bytes changed is then always older than the counter. Any thread.
 */
public final class ContentVersion {
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong phases = new AtomicLong();

    /** Any byte may have changed. */
    public void changed() {
        changes.incrementAndGet();
    }

    /** A phase has ended in which lanes wrote parts of the buffer, each part by one lane. */
    public void phaseWrote() {
        phases.incrementAndGet();
    }

    /** How often {@link #changed} was called. */
    public long changes() {
        return changes.get();
    }

    /** How often {@link #phaseWrote} was called. */
    public long phases() {
        return phases.get();
    }
}
