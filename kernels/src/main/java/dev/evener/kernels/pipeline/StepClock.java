package dev.evener.kernels.pipeline;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the host's time for an item goes: one step after the other, each until the next is entered. One thread at a time.
 *
 * @param <S> the steps
 */
public final class StepClock<S extends Enum<S>> {
    private final LongSupplier nanoTime;
    private final EnumMap<S, LongAdder> nanos;
    private final Class<S> steps;
    private @Nullable S present; // whose time it is
    private long since;

    /** @param nanoTime as {@link System#nanoTime} */
    public StepClock(Class<S> steps, LongSupplier nanoTime) {
        this.steps = steps;
        this.nanoTime = nanoTime;
        this.nanos = new EnumMap<>(steps);
    }

    /** The time now, from which on it is that step's; nobody's if it is null. */
    public long enter(@Nullable S step) {
        long now = nanoTime.getAsLong();
        if (present != null) {
            nanos.computeIfAbsent(present, s -> new LongAdder()).add(now - since);
        }
        present = step;
        since = now;
        return now;
    }

    /** Nanoseconds of the steps since the last call, of those that took any. From here on it is nobody's time. */
    public Map<S, Long> take() {
        Map<S, Long> taken = new EnumMap<>(steps);
        nanos.forEach((step, sum) -> taken.put(step, sum.sumThenReset()));
        taken.values().removeIf(sum -> sum == 0);
        present = null;
        return taken;
    }

    /** The channel: a step while it moves bytes, and the one after that. */
    public ReadableByteChannel timed(ReadableByteChannel channel, S moving, S then) {
        return new Timed(channel, moving, then);
    }

    /** The same of a channel to write. */
    public WritableByteChannel timed(WritableByteChannel channel, S moving, S then) {
        return new Timed(channel, moving, then);
    }

    private final class Timed implements ByteChannel {
        private final Channel channel;
        private final S moving;
        private final S then;

        Timed(Channel channel, S moving, S then) {
            this.channel = channel;
            this.moving = moving;
            this.then = then;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            enter(moving);
            int count = ((ReadableByteChannel) channel).read(target);
            enter(then);
            return count;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            enter(moving);
            int count = ((WritableByteChannel) channel).write(source);
            enter(then);
            return count;
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
