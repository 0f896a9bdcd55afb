package dev.evener.internal;

import dev.evener.EvenerException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in a row, of which others may have some in common: of the host's memory, by addresses, or of a buffer that is nobody else's
 * memory, by their places in it. The address comes from the JDK, which makes the same of it for every view; the memory itself is not
 * touched, so it does not matter who works on it. Any thread.
 *
 * @param space in which it lies: the host's memory, or a buffer
 * @param from its first byte; an address modulo 2<sup>30</sup> where this JVM tells no more
 * @param to the byte behind it
 */
public record MemoryRange(Object space, long from, long to) {
    private static final Object HOST = new Object();
    private static final int MODULUS = 1 << 30; // the largest power of two that alignmentOffset takes
    private static final @Nullable Address EXACT = exact();

    /** Tells the address of the first byte of a direct buffer at position 0. */
    private interface Address {
        Object of(ByteBuffer memory) throws ReflectiveOperationException;
    }

    /** The address of a direct buffer's position, as this JVM tells it. */
    static long address(ByteBuffer memory) {
        ByteBuffer first = memory.slice();
        try {
            return EXACT == null ? first.alignmentOffset(0, MODULUS) : (long) EXACT.of(first);
        } catch (ReflectiveOperationException e) {
            throw new EvenerException("the JDK does not tell where " + memory + " lies: " + e.getCause(), e);
        }
    }

    /** So many bytes of the host's memory; two ranges where a modulo lies between. */
    static List<MemoryRange> onHost(long address, long bytes) {
        if (EXACT != null) {
            return List.of(new MemoryRange(HOST, address, address + bytes));
        }
        long from = address % MODULUS;
        long to = from + bytes;
        if (bytes >= MODULUS || to <= MODULUS) {
            return List.of(new MemoryRange(HOST, bytes >= MODULUS ? 0 : from, Math.min(MODULUS, to)));
        }
        return List.of(new MemoryRange(HOST, from, MODULUS), new MemoryRange(HOST, 0, to - MODULUS));
    }

    /** Whether both have a byte in common. */
    public boolean overlaps(MemoryRange other) {
        return space == other.space && Math.max(from, other.from) < Math.min(to, other.to);
    }

    /** What both have in common; null if that is nothing. */
    public @Nullable MemoryRange common(MemoryRange other) {
        return overlaps(other) ? new MemoryRange(space, Math.max(from, other.from), Math.min(to, other.to)) : null;
    }

    /** What another one has none of: before that, and behind it. */
    public List<MemoryRange> without(MemoryRange other) {
        if (!overlaps(other)) {
            return List.of(this);
        }
        List<MemoryRange> left = new ArrayList<>(0);
        if (from < other.from) {
            left.add(new MemoryRange(space, from, other.from));
        }
        if (other.to < to) {
            left.add(new MemoryRange(space, other.to, to));
        }
        return left;
    }

    /**
     * Asks what there is without a warning: {@code MemorySegment} since JDK 22, before that the field in which a buffer keeps
     * its address. Null in an older runtime without the module {@code jdk.unsupported}.
     */
    private static @Nullable Address exact() {
        try {
            if (Runtime.version().feature() >= 22) {
                Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                Method ofBuffer = segment.getMethod("ofBuffer", Buffer.class);
                Method address = segment.getMethod("address");
                return memory -> address.invoke(ofBuffer.invoke(null, memory));
            }
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field instance = unsafe.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Object access = instance.get(null);
            Object place = unsafe.getMethod("objectFieldOffset", Field.class)
                    .invoke(access, Buffer.class.getDeclaredField("address"));
            Method getLong = unsafe.getMethod("getLong", Object.class, long.class);
            return memory -> getLong.invoke(access, memory, place);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
