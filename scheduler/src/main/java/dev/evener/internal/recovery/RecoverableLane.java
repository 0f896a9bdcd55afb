package dev.evener.internal.recovery;

import dev.evener.DeviceInfo;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lane's part in a job as far as it may fail: whether it may still work, whether it was called and has not come back, and
 * the chunks that can be taken away from it. Any thread.
 */
public abstract class RecoverableLane {
    private final int index;
    private final DeviceInfo device;
    private final LaneHealth health;
    private final ChunkTicket[] chunks;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicBoolean late = new AtomicBoolean();
    private volatile boolean active;
    private volatile boolean usable;

    /** @param chunks those that it may hold at once */
    protected RecoverableLane(int index, DeviceInfo device, LaneHealth health, ChunkTicket[] chunks) {
        this.index = index;
        this.device = device;
        this.health = health;
        this.chunks = chunks;
    }

    /** Its number among the lanes of the job. */
    public final int index() {
        return index;
    }

    /** Its device. */
    public final DeviceInfo device() {
        return device;
    }

    /** What it can be trusted with in any job. */
    public final LaneHealth health() {
        return health;
    }

    /** Whether it may work for the job: its device is neither quarantined nor failed in this job. */
    public final boolean usable() {
        return usable;
    }

    /** Whether it may, from now on; false takes it out of the job. */
    public final void setUsable(boolean value) {
        usable = value;
    }

    /** Whether it works for the job; false for good once it has failed, even if it was called in at the same moment. */
    public final boolean active() {
        return active && usable;
    }

    /** It was planned in or called in, or the plan that did holds no longer. */
    public final void setActive(boolean value) {
        active = value;
    }

    /** It was called once more, and counts as present until it has left or is {@link #countOut counted out}. */
    public final void called() {
        calls.incrementAndGet();
    }

    /** Takes back one call, when the lane leaves; false if it was counted out meanwhile. */
    public final boolean left() {
        return calls.getAndUpdate(c -> Math.max(0, c - 1)) > 0;
    }

    /** Whether it was called and has neither left nor been counted out. */
    final boolean present() {
        return calls.get() > 0;
    }

    /** Takes back all its calls: it hangs, and will not answer them. */
    final int countOut() {
        return calls.getAndSet(0);
    }

    /** From now on, when it comes back late, somebody waits for it to let go of the job's buffers. */
    final void expectLate() {
        late.set(true);
    }

    /** Whether somebody waited; true once for each {@link #expectLate}. */
    public final boolean cameLate() {
        return late.compareAndSet(true, false);
    }

    /** Whether it has a chunk that could run before a moment, as {@link #revoke} wants it. */
    public final boolean overdue(long startedBefore) {
        return chunks[0].overdue(startedBefore) || chunks[1].overdue(startedBefore);
    }

    /**
     * Takes away what it has of chunks that could run before a moment.
     *
     * @return a range taken away, or {@link ChunkTicket#NONE}; the only one where chunks have deadlines, as a lane then has one chunk
     */
    public final long revoke(long startedBefore) {
        long one = chunks[0].revoke(startedBefore);
        long other = chunks[1].revoke(startedBefore);
        return one != ChunkTicket.NONE ? one : other;
    }
}
