package dev.evener.internal;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
import java.lang.ref.Cleaner.Cleanable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What this process has of the machine, and page-aligned memory: no device's cache line or page straddles foreign memory. Any thread. */
public final class HostMemory {
    /** Size of a page in bytes. */
    public static final int PAGE = 4096;

    private static final Tally ALLOCATED = new Tally();
    private static final Tally LOCKED = new Tally();

    /** Frees what nothing refers to any more. */
    public static final Cleaner CLEANER = Cleaner.create();

    /** How often to ask for memory: giving gigabytes back to a busy machine takes the JVM longer than it waits for by itself. */
    private static final int ATTEMPTS = 4;

    /** How long to wait for it. */
    private static final long CLEANER_MILLIS = 200;

    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10);

    private static volatile boolean wasFull;

    private HostMemory() {}

    /** How often, how much and for how long. */
    private static final class Tally {
        final LongAdder count = new LongAdder();
        final LongAdder bytes = new LongAdder();
        final LongAdder nanos = new LongAdder();

        void add(long size, long since) {
            nanos.add(System.nanoTime() - since);
            bytes.add(size);
            count.increment();
        }
    }

    /**
     * What this process has taken of the host's memory for buffers. Counts only grow.
     *
     * @param allocations pieces of memory made, or made zero again
     * @param allocatedBytes bytes of these
     * @param allocationNanos time that threads spent on it, all together
     * @param locks pieces that were page-locked
     * @param lockedBytes bytes of these
     * @param lockNanos time that threads spent on locking; making the pieces is in the time before
     */
    public record Use(
            long allocations, long allocatedBytes, long allocationNanos, long locks, long lockedBytes, long lockNanos) {
        /** Until now. */
        public static Use soFar() {
            return new Use(
                    ALLOCATED.count.sum(),
                    ALLOCATED.bytes.sum(),
                    ALLOCATED.nanos.sum(),
                    LOCKED.count.sum(),
                    LOCKED.bytes.sum(),
                    LOCKED.nanos.sum());
        }

        /** What was taken between another moment and this one. */
        public Use since(Use before) {
            return new Use(
                    allocations - before.allocations,
                    allocatedBytes - before.allocatedBytes,
                    allocationNanos - before.allocationNanos,
                    locks - before.locks,
                    lockedBytes - before.lockedBytes,
                    lockNanos - before.lockNanos);
        }
    }

    /**
     * What is wrong with memory that says it is in another byte order than devices', as all of Java's does at first, so that numbers put into
     * it are others there; null if nothing is.
     */
    public static @Nullable String otherOrder(ByteBuffer memory) {
        return memory.order() == ByteOrder.nativeOrder()
                ? null
                : "is seen as " + memory.order() + ", Java's default, but devices work in " + ByteOrder.nativeOrder()
                        + ": call order(ByteOrder.nativeOrder()) before numbers are put into it, or first if that is how"
                        + " it was filled; slice(), duplicate() and alignedSlice(n) forget it";
    }

    /** A piece of memory was page-locked, which began at that {@link System#nanoTime}. */
    public static void locked(long bytes, long since) {
        LOCKED.add(bytes, since);
    }

    /** Bytes that this machine, or the container around this process, has; {@link Long#MAX_VALUE} where the JVM does not say. */
    public static long physical() {
        return told(() -> {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            return system == null ? 0 : system.getTotalMemorySize();
        });
    }

    /**
     * Most bytes that all direct buffers together may take, or {@link Long#MAX_VALUE} where this JVM does not say. Asked before
     * gigabytes are allocated one piece after another, only to find at the last one that there is no room.
     */
    public static long directLimit() {
        return told(() -> {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            long set = vm == null
                    ? Long.MAX_VALUE
                    : Long.parseLong(vm.getVMOption("MaxDirectMemorySize").getValue());
            return set > 0 ? set : Runtime.getRuntime().maxMemory();
        });
    }

    /** Most bytes that this process could ever have for buffers, page-locked ones included; more than there are where this JVM does not say. */
    public static long most() {
        long physical = physical();
        return physical > 0 ? Math.max(physical, directLimit()) : Long.MAX_VALUE;
    }

    /** Bytes that direct buffers take now, or 0 where this JVM does not say. */
    public static long directUsed() {
        long used = told(() -> ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity)
                .sum());
        return used == Long.MAX_VALUE ? 0 : used;
    }

    private static long told(LongSupplier question) {
        try {
            long answer = question.getAsLong();
            return answer > 0 ? answer : Long.MAX_VALUE;
        } catch (LinkageError | RuntimeException e) { // another JVM than HotSpot, or one without its management
            return Long.MAX_VALUE;
        }
    }

    /** Bytes of the whole pages, at least one, that hold this many bytes. */
    public static long padded(long bytes) {
        return Math.max(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    }

    /**
     * Direct memory that starts on a page, with a capacity of {@link #padded} bytes, all zero, a limit of {@code bytes},
     * and native byte order.
     *
     * @param bytes at most 2 GiB less two pages
     */
    public static ByteBuffer allocate(int bytes) {
        int padded = Math.toIntExact(padded(bytes));
        long start = System.nanoTime();
        ByteBuffer made = direct(padded + PAGE);
        ALLOCATED.add(padded, start);
        return made.alignedSlice(PAGE)
                .limit(padded)
                .slice() // so that the capacity is what was asked for, wherever the first page began
                .limit(bytes)
                .order(ByteOrder.nativeOrder());
    }

    /**
     * The JVM looks for memory that nobody refers to once, when there is no room. What a device works on in place is not free before the
     * device has let go of it, which has to come first then; after the first time no half a second is spent on finding that out.
     */
    private static ByteBuffer direct(int bytes) {
        if (wasFull && directUsed() + bytes > directLimit()) {
            freeUnreachable();
        }
        for (int left = ATTEMPTS; ; left--) {
            try {
                return ByteBuffer.allocateDirect(bytes);
            } catch (OutOfMemoryError e) {
                if (left == 1) {
                    throw e;
                }
                wasFull = true;
                freeUnreachable();
            }
        }
    }

    /** Has devices let go of buffers that nothing refers to. */
    private static void freeUnreachable() {
        CountDownLatch cleaned = new CountDownLatch(1);
        Cleanable ignored = CLEANER.register(new Object(), cleaned::countDown); // about when others are
        System.gc();
        try {
            boolean unused = cleaned.await(CLEANER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes all bytes up to a limit zero. */
    public static void clear(ByteBuffer memory) {
        long start = System.nanoTime();
        for (int at = 0; at < memory.limit(); at += ZEROS.capacity()) {
            memory.put(at, ZEROS, 0, Math.min(ZEROS.capacity(), memory.limit() - at));
        }
        ALLOCATED.add(memory.limit(), start);
    }
}
