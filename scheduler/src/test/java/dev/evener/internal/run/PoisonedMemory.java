package dev.evener.internal.run;

import dev.evener.internal.HostMemory;
import dev.evener.internal.PageLocked;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is another's as soon as it is given back, as page-locked memory is, and that nobody may write meanwhile: whoever does is
 * found when it is given out again, or in the end. Any thread.
 */
final class PoisonedMemory implements PageLocked {
    private static final int BYTES = LEAST; // of every block
    private static final ByteBuffer POISONED = filled(ByteBuffer.allocate(BYTES));

    private final Queue<String> wrong;
    private final ArrayDeque<ByteBuffer> idle = new ArrayDeque<>();

    /** @param wrong told what is found */
    PoisonedMemory(Queue<String> wrong) {
        this.wrong = wrong;
    }

    private static ByteBuffer filled(ByteBuffer all) {
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            all.putLong(at, 0xa5a5_a5a5_a5a5_a5a5L);
        }
        return all;
    }

    @Override
    public synchronized @Nullable Block take(int bytes) {
        if (bytes > BYTES) {
            return null;
        }
        ByteBuffer memory = idle.isEmpty() ? filled(HostMemory.allocate(BYTES)) : idle.remove();
        check(memory);
        return new Block() {
            @Override
            public ByteBuffer memory() {
                return memory.duplicate().order(ByteOrder.nativeOrder());
            }

            @Override
            public boolean isZero() {
                return false;
            }

            @Override
            public void giveBack() {
                poison(memory);
            }

            @Override
            public void abandon() {}
        };
    }

    private synchronized void poison(ByteBuffer memory) {
        idle.add(filled(memory));
    }

    private void check(ByteBuffer memory) {
        int at = memory.mismatch(POISONED);
        if (at >= 0) {
            wrong.add("byte " + at + " of memory that was given back was written");
        }
    }

    /** Looks at all that was given back. */
    synchronized void check() {
        idle.forEach(this::check);
    }
}
