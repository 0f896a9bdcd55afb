package dev.evener.kernels;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A buffer with an owner that replaces it when another type or size is needed, and reuses it otherwise. One thread at a time. */
public final class OwnBuffer<B extends DataBuffer> implements AutoCloseable {
    private final Maker<B> maker;
    private @Nullable B buffer;

    /** Where they come from: {@code evener::allocate}, {@code evener::allocateManaged}, or a method of an {@link Allocator}. */
    @FunctionalInterface
    public interface Maker<B> {
        /** A buffer of this type and number of elements. */
        B make(ElementType type, long elements);
    }

    /** None at first. */
    public OwnBuffer(Maker<B> maker) {
        this.maker = maker;
    }

    /** Bytes it holds at present. */
    public long bytes() {
        B present = buffer;
        return present == null ? 0 : present.byteSize();
    }

    /** One of this type and at least so many elements, with any content. What a smaller one held is gone. */
    public B atLeast(ElementType type, long elements) {
        B present = buffer;
        return present != null && present.type() == type && present.elements() >= elements
                ? present
                : replace(type, elements);
    }

    /** One of this type and exactly so many elements, with any content. What another one held is gone. */
    public B exactly(ElementType type, long elements) {
        B present = buffer;
        return present != null && present.type() == type && present.elements() == elements
                ? present
                : replace(type, elements);
    }

    /** One that fits, with any content, or a new one. What another one held is gone. */
    public B fitting(Predicate<B> fits, Supplier<B> made) {
        B present = buffer;
        return present != null && fits.test(present) ? present : replace(made);
    }

    private B replace(ElementType type, long elements) {
        return replace(() -> maker.make(type, elements));
    }

    private B replace(Supplier<B> made) {
        close(); // first: both together may be more than there is
        B next = made.get();
        buffer = next;
        return next;
    }

    /** Releases it. Idempotent; the next call of another method makes a new one. */
    @Override
    public void close() {
        B present = buffer;
        buffer = null;
        if (present != null) {
            present.close();
        }
    }
}
