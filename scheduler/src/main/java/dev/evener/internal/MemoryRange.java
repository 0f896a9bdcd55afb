package dev.evener.internal;

import dev.evener.EvenerException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where a piece of direct memory lies. The address comes from the JDK, which makes the same of it for every view; the memory
 * itself is not touched, so it does not matter who works on it. Any thread.
 *
 * @param address of its first byte; modulo 2<sup>30</sup> where this JVM tells no more
 */
record MemoryRange(long address, int bytes) {
    private static final int MODULUS = 1 << 30; // the largest power of two that alignmentOffset takes
    private static final @Nullable Address EXACT = exact();
    /** Which bits of a distance are known: never the sign. */
    private static final long KNOWN_BITS = EXACT == null ? MODULUS - 1 : Long.MAX_VALUE;

    /** Tells the address of the first byte of a direct buffer at position 0. */
    private interface Address {
        Object of(ByteBuffer memory) throws ReflectiveOperationException;
    }

    /** What lies between position and limit of a direct buffer. */
    static MemoryRange of(ByteBuffer memory) {
        ByteBuffer first = memory.slice();
        try {
            long address = EXACT == null ? first.alignmentOffset(0, MODULUS) : (long) EXACT.of(first);
            return new MemoryRange(address, first.limit());
        } catch (ReflectiveOperationException e) {
            throw new EvenerException("the JDK does not tell where " + memory + " lies: " + e.getCause(), e);
        }
    }

    /** Whether both have a byte in common. */
    boolean overlaps(MemoryRange other) {
        return bytes > 0
                && other.bytes > 0
                && (((other.address - address) & KNOWN_BITS) < bytes
                        || ((address - other.address) & KNOWN_BITS) < other.bytes);
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
