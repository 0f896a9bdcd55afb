package dev.evener.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Page-aligned host memory, in whole pages: no device's cache line or page straddles foreign memory. Stateless. */
public final class Pages {
    /** Size of a page in bytes. */
    public static final int SIZE = 4096;

    private Pages() {}

    /** Bytes of the whole pages, at least one, that hold this many bytes. */
    public static long padded(long bytes) {
        return Math.max(SIZE, (bytes + SIZE - 1) / SIZE * SIZE);
    }

    /**
     * Direct memory that starts on a page, with a capacity of {@link #padded} bytes, all zero, a limit of {@code bytes},
     * and native byte order.
     *
     * @param bytes at most 2 GiB less two pages
     */
    public static ByteBuffer allocate(int bytes) {
        int padded = Math.toIntExact(padded(bytes));
        return ByteBuffer.allocateDirect(padded + SIZE)
                .alignedSlice(SIZE)
                .limit(padded)
                .slice() // so that the capacity is what was asked for, wherever the first page began
                .limit(bytes)
                .order(ByteOrder.nativeOrder());
    }
}
