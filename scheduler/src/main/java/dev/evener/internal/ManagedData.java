package dev.evener.internal;

import dev.evener.ElementType;
import dev.evener.ManagedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** What a {@link ManagedBuffer} is to the runtime: content that stays where it was written, until the host opens a scope. Any thread. */
public final class ManagedData extends LogicalBuffer implements ManagedBuffer {
    private final Turns turns;

    /** Who gives the host its turn between jobs. */
    @FunctionalInterface
    public interface Turns {
        /**
         * Waits for the host's turn at a buffer, behind all jobs submitted before that conflict with it.
         *
         * @return ends it
         * @throws IllegalStateException on a thread that must not wait for jobs
         */
        Runnable await(LogicalBuffer buffer, boolean writes);
    }

    private enum Use {
        READ,
        WRITE,
        UPDATE
    }

    /** @param allocator makes memory on the host, when it is needed there */
    public ManagedData(ElementType type, long elements, Supplier<Segments> allocator, Turns turns) {
        super(type, elements, allocator);
        this.turns = turns;
    }

    @Override
    public boolean isMirrored() {
        return false;
    }

    @Override
    public boolean isKeptOnDevices() {
        return true;
    }

    @Override
    public Scope read() {
        return read(0, elements());
    }

    @Override
    public Scope read(long element, long count) {
        return open(element, count, Use.READ);
    }

    @Override
    public Scope write() {
        return write(0, elements());
    }

    @Override
    public Scope write(long element, long count) {
        return open(element, count, Use.WRITE);
    }

    @Override
    public Scope update() {
        return update(0, elements());
    }

    @Override
    public Scope update(long element, long count) {
        return open(element, count, Use.UPDATE);
    }

    private Scope open(long element, long count, Use use) {
        checkOpen();
        Objects.checkFromIndexSize(element, count, elements());
        long from = element * type().bytes();
        long to = from + count * type().bytes();
        Runnable turnEnds = turns.await(this, use != Use.READ);
        boolean held = hold();
        Runnable end = () -> {
            if (held) {
                letGo();
            }
            turnEnds.run();
        };
        try {
            checkOpen();
            if (use != Use.WRITE) {
                directory().bringToHost(from, to);
            }
            if (use != Use.READ) {
                directory().hostWrites(from, to);
            }
            return new OpenScope(this, from, to, use, end);
        } catch (Throwable e) { // an Error too: jobs must not wait for a scope that nobody has
            end.run();
            throw e;
        }
    }

    /** A scope that was opened. One thread at a time. */
    public static final class OpenScope implements Scope {
        private final ManagedData of;
        private final long from;
        private final long to;
        private final boolean writes;
        private final ByteBuffer memory;
        private final Runnable end;
        private final AtomicBoolean closed = new AtomicBoolean();

        private OpenScope(ManagedData of, long from, long to, Use use, Runnable end) {
            this.of = of;
            this.from = from;
            this.to = to;
            this.writes = use != Use.READ;
            ByteBuffer part = of.part(from, Math.toIntExact(to - from));
            this.memory = writes ? part : part.asReadOnlyBuffer();
            this.end = end;
        }

        @Override
        public ByteBuffer bytes() {
            if (closed.get()) {
                throw new IllegalStateException("this scope is closed; open another by read(), write() or update()");
            }
            return memory.duplicate().order(ByteOrder.nativeOrder());
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                if (writes) {
                    of.directory().hostWrote(from, to);
                }
                end.run();
            }
        }
    }
}
