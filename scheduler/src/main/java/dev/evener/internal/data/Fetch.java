package dev.evener.internal.data;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of a buffer that are being copied from who holds them to memory of the host. A directory alone begins one ({@link Fetches}), with
 * a hold on the buffer, and has it among those under way until it ends: before that, the holder gives up nothing of it, and nobody is
 * given the memory it goes to.
 */
public final class Fetch {
    final Directory.Holding holder;
    private final long from;
    private final long to;
    private final HostGate.Hold hold;
    private final @Nullable ByteBuffer elsewhere;
    private volatile boolean ended;

    Fetch(Directory.Holding holder, long from, long to, HostGate.Hold hold, @Nullable ByteBuffer elsewhere) {
        this.holder = holder;
        this.from = from;
        this.to = to;
        this.hold = hold;
        this.elsewhere = elsewhere;
    }

    /** The first byte of the buffer that is copied. */
    public long from() {
        return from;
    }

    /** The one behind the last. */
    public long to() {
        return to;
    }

    /** Where some of the bytes go, which lie in one segment: a view from 0 to its capacity. */
    public ByteBuffer target(long at, long count) {
        if (ended || at < from || at + count > to) {
            throw new IllegalStateException("bytes " + at + " to " + (at + count) + " are not being copied: " + this);
        }
        int length = Math.toIntExact(count);
        return elsewhere == null ? hold.part(at, length) : elsewhere.slice(Math.toIntExact(at - from), length);
    }

    /** Whether the buffer's own memory is not what it goes to. */
    boolean goesElsewhere() {
        return elsewhere != null;
    }

    void ends() {
        ended = true;
    }

    @Override
    public String toString() {
        return "bytes " + from + " to " + to + (ended ? ", ended" : "");
    }
}
