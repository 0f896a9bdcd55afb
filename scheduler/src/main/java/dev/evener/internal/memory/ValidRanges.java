package dev.evener.internal.memory;

import dev.evener.internal.ContentVersion;

/**
 * Which bytes of a buffer's segment a device holds as the host does. Belongs to one lane's thread.
 *
 * <p>{@link #refresh} drops what can no longer be trusted; it must be called before anything is asked or copied. After a
 * phase that wrote the buffer a lane trusts only what it wrote in that phase itself, as the rest may have been written by
 * others: if the counter of such phases has gone up by one, the lane's own writes since it looked last are of that phase; if
 * it has gone up by more, later writes of others may lie over them and nothing is trusted. What counts as written by this
 * lane is what {@link #wrote} says, when the chunk was not taken away from it; a chunk that failed or was taken away, and
 * may therefore be run again elsewhere, has left nothing but what {@link #overwrites} removed.
 */
final class ValidRanges {
    private final ContentVersion version;
    private final RangeSet valid = new RangeSet();

    /** What this lane has written since the counters were read. */
    private final RangeSet own = new RangeSet();

    private long changes = -1;
    private long phases = -1;

    /** @param version that of the buffer's content */
    ValidRanges(ContentVersion version) {
        this.version = version;
    }

    /** Drops what the host or other lanes may have changed since the last call. */
    void refresh() {
        long nowChanges = version.changes();
        long nowPhases = version.phases();
        if (nowChanges == changes && nowPhases == phases) {
            return;
        }
        if (nowChanges == changes && nowPhases == phases + 1) {
            valid.set(own);
        } else {
            valid.clear();
        }
        own.clear();
        changes = nowChanges;
        phases = nowPhases;
    }

    /** The first byte of {@code [from, to)} that the device lacks, or {@code to}. */
    long missingFrom(long from, long to) {
        return valid.missingFrom(from, to);
    }

    /** The first byte of {@code [from, to)} that the device has, or {@code to}. */
    long presentFrom(long from, long to) {
        return valid.presentFrom(from, to);
    }

    /** The device is about to change these bytes, or the host may get others for them than the device has. */
    void overwrites(long from, long to) {
        valid.remove(from, to);
        own.remove(from, to);
    }

    /** The host's bytes have arrived on the device. */
    void received(long from, long to) {
        valid.add(from, to);
    }

    /** The device's bytes have become the host's, as this lane's part of the phase under way. */
    void wrote(long from, long to) {
        valid.add(from, to);
        own.add(from, to);
    }

    /** The device's copy is gone or in doubt. */
    void forget() {
        valid.clear();
        own.clear();
    }

    @Override
    public String toString() {
        return valid + ", own " + own;
    }
}
