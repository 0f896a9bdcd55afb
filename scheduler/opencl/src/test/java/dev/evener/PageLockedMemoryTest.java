package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Page-locked buffers: what they are to the application, when their memory is another's, and when it is gone. */
class PageLockedMemoryTest {
    private static final int BYTES = 1 << 20;

    /** More than shares memory with others. */
    private static final int ALONE = (8 << 20) + 1;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    private static EvenerBuilder builder() {
        return Evener.builder().devices(DeviceSelector.parse("0.0,0.1")).history(History.inMemory());
    }

    private static Evener open() {
        return builder().sharedMemory(false).pinnedFrom(0).open();
    }

    private static HostBuffer bytes(Evener evener, long count) {
        return evener.allocate(ElementType.UBYTE, count);
    }

    @Test
    void onlyWhereADeviceIsSentItsDataAndAllowed() {
        try (Evener sharing = builder().pinnedFrom(1).open();
                Evener forbidden =
                        builder().sharedMemory(false).pinnedMemory(false).open();
                Evener usual = builder().sharedMemory(false).open()) {
            boolean inPlace = sharing.devices().stream().allMatch(DeviceInfo::sharesHostMemory);
            assertEquals(!inPlace, bytes(sharing, BYTES).isPageLocked());
            assertFalse(bytes(forbidden, BYTES).isPageLocked());
            assertTrue(bytes(usual, BYTES).isPageLocked());
            assertFalse(bytes(usual, 100).isPageLocked(), "a page for so little");
        }
    }

    /** Whole pages, each piece once; what is used again is zeroed, and not locked again. */
    @Test
    void whatIsTakenIsCounted() {
        HostMemory.Use start = HostMemory.Use.soFar();
        try (Evener evener = open()) {
            HostMemory.Use opened = HostMemory.Use.soFar();
            int large = 10 << 20; // beyond what shares a slab
            bytes(evener, large).close();
            HostMemory.Use locked = HostMemory.Use.soFar().since(opened);
            assertEquals(List.of(1L, (long) large, 1L, (long) large), counts(locked));
            assertTrue(locked.allocationNanos() > 0 && locked.lockNanos() > 0, locked.toString());
            HostMemory.Use between = HostMemory.Use.soFar();
            bytes(evener, large - 4096).close();
            assertEquals(
                    List.of(1L, large - 4096L, 0L, 0L),
                    counts(HostMemory.Use.soFar().since(between)));
        }
        try (Evener plain = builder().sharedMemory(false).pinnedMemory(false).open()) {
            HostMemory.Use before = HostMemory.Use.soFar();
            bytes(plain, 5000).close();
            assertEquals(
                    List.of(1L, 8192L, 0L, 0L), counts(HostMemory.Use.soFar().since(before)));
        }
        assertTrue(HostMemory.Use.soFar().since(start).allocations() >= 3);
    }

    /** NVIDIA's driver ends a chunk 60 to 130 µs later that fetches anything to other memory: a sum on four GPUs took a tenth longer. */
    @Test
    void chunksFetchPartialResultsToSuch() {
        EvenerBuilder one = builder().devices(DeviceSelector.parse("0.0")).sharedMemory(false);
        for (boolean fenced : new boolean[] {false, true}) {
            try (Evener evener = one.open();
                    HostBuffer sum = evener.allocate(ElementType.INT, 1)) {
                HostMemory.Use before = HostMemory.Use.soFar();
                JobBuilder job = Job.named("count")
                        .source("__kernel void count(__global int *sum) { atomic_add(sum, 1); }")
                        .units(100)
                        .kernel("count")
                        .reduces(sum, Access.Reduction.SUM);
                evener.submit((fenced ? job.chunkDeadline(Duration.ofMinutes(10)) : job).build())
                        .join();
                assertEquals(100, sum.ints().get(0));
                HostMemory.Use taken = HostMemory.Use.soFar().since(before);
                assertEquals(1, taken.locks(), taken.toString());
            }
        }
    }

    private static List<Long> counts(HostMemory.Use use) {
        return List.of(use.allocations(), use.allocatedBytes(), use.locks(), use.lockedBytes());
    }

    @Test
    void itIsLikeOtherMemory() {
        try (Evener evener = open()) {
            for (int length : new int[] {0, 1, 4095, 4096, 4097, 70_000, BYTES + 3}) {
                HostBuffer buffer = bytes(evener, length);
                assertTrue(buffer.isPageLocked());
                ByteBuffer view = buffer.bytes();
                assertEquals(ByteOrder.nativeOrder(), view.order());
                assertEquals(length, view.remaining());
                assertEquals(0, view.alignmentOffset(0, 4096));
                for (int i = 0; i < length; i++) {
                    assertEquals(0, view.get(i), "byte " + i);
                    view.put(i, (byte) 1); // for whoever gets the memory next
                }
                buffer.close();
                assertThrows(IllegalStateException.class, buffer::bytes);
                assertThrows(IllegalStateException.class, buffer::segments);
            }
        }
    }

    /** Memory goes whenever the garbage collector finds no view of it: until then, or until nothing more goes. */
    private static void awaitFreed(long left) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        long seen = NativeLedger.pageLocked();
        for (int same = 0; seen > left && same < 100 && System.nanoTime() < end; same++) {
            System.gc();
            Thread.sleep(10);
            long now = NativeLedger.pageLocked();
            same = now < seen ? 0 : same;
            seen = now;
        }
    }

    @Test
    void whatIsClosedIsReusedAtOnce() throws InterruptedException {
        awaitFreed(0); // what other tests have left would go in the middle of this one
        try (Evener evener = open()) {
            long none = NativeLedger.pageLocked();
            bytes(evener, BYTES).close();
            long one = NativeLedger.pageLocked();
            assertTrue(one > none);
            for (int i = 0; i < 50; i++) {
                HostBuffer buffer = bytes(evener, BYTES - i * 1000);
                assertEquals(0, buffer.bytes().get(17));
                buffer.bytes().put(17, (byte) 5);
                buffer.close();
            }
            assertEquals(one, NativeLedger.pageLocked());
        }
    }

    @Test
    void smallBuffersShareLargePieces() throws InterruptedException {
        awaitFreed(0);
        Random random = new Random(7);
        try (Evener evener = open()) {
            long none = NativeLedger.pageLocked();
            List<HostBuffer> live = new ArrayList<>();
            for (int round = 0; round < 300; round++) {
                int length = 1 + random.nextInt(1 << random.nextInt(8, 20));
                HostBuffer buffer = evener.allocate(ElementType.INT, length);
                assertTrue(buffer.isPageLocked());
                assertEquals(0, buffer.bytes().alignmentOffset(0, 4096));
                assertEquals(0, buffer.ints().get(length - 1));
                for (int i = 0; i < length; i++) {
                    buffer.ints().put(i, i ^ length);
                }
                live.add(buffer);
                if (live.size() > 20) {
                    HostBuffer oldest = live.remove(random.nextInt(live.size()));
                    assertHolds(oldest, 0);
                    oldest.close();
                }
            }
            for (HostBuffer buffer : live) {
                evener.submit(added(buffer, 3)).join();
            }
            live.forEach(buffer -> assertHolds(buffer, 3));
            long pieces = NativeLedger.pageLocked() - none;
            assertTrue(pieces <= 4, () -> pieces + " objects for 20 buffers of up to 2 MiB, the queue included");
        }
    }

    private static Job added(HostBuffer buffer, int what) {
        return Job.named("add")
                .source("kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }")
                .units(buffer.elements())
                .kernel("add")
                .updates(buffer, Access.slice())
                .scalar(what)
                .chunkView()
                .build();
    }

    private static void assertHolds(HostBuffer buffer, int more) {
        int length = (int) buffer.elements();
        for (int i = 0; i < length; i++) {
            assertEquals((i ^ length) + more, buffer.ints().get(i), i);
        }
    }

    @Test
    void whatIsGivenBackIsAGapWithThoseBesideIt() throws InterruptedException {
        awaitFreed(0);
        try (Evener evener = open()) {
            List<HostBuffer> small = new ArrayList<>();
            for (int i = 0; i < 8; i++) { // which fill the first piece of 8 MiB
                small.add(bytes(evener, BYTES));
            }
            long one = NativeLedger.pageLocked();
            small.forEach(HostBuffer::close);
            HostBuffer large = bytes(evener, 8 * BYTES);
            assertTrue(large.isPageLocked());
            assertEquals(one, NativeLedger.pageLocked());
            bytes(evener, BYTES);
            assertEquals(one + 1, NativeLedger.pageLocked());
        }
    }

    @Test
    void aViewThatIsKeptTooLongCanBeUsed() {
        List<ByteBuffer> views = new ArrayList<>();
        try (Evener evener = open()) {
            for (int i = 0; i < 4; i++) {
                HostBuffer buffer = bytes(evener, BYTES);
                views.add(buffer.bytes().slice(100, BYTES - 100));
                if (i % 2 == 0) {
                    buffer.close();
                }
            }
        }
        for (int round = 0; round < 5; round++) {
            System.gc();
            for (ByteBuffer view : views) {
                for (int i = 0; i < view.capacity(); i++) {
                    view.put(i, (byte) (view.get(i) + 1));
                }
            }
        }
        assertTrue(NativeLedger.pageLocked() >= 2, "what they share, and its queue");
    }

    @Test
    void itIsFreedWhenNoViewIsLeft() throws InterruptedException {
        long locked = NativeLedger.pageLocked();
        HostBuffer kept;
        try (Evener evener = open()) {
            kept = bytes(evener, BYTES);
            bytes(evener, ALONE).close();
            assertTrue(NativeLedger.pageLocked() >= 3);
        }
        awaitFreed(locked);
        assertTrue(NativeLedger.pageLocked() <= locked, () -> NativeLedger.pageLocked() + " objects");
        assertTrue(kept.isClosed());
    }

    /** PoCL's basic driver computes in whichever thread comes along, and once deadlocked when two mapped and unmapped at once. */
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void severalThreadsMakeItWhileOthersAreFreed() throws Exception {
        try (Evener evener = open()) {
            List<Thread> threads = new ArrayList<>();
            Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
            for (int t = 0; t < 8; t++) {
                Thread thread = new Thread(() -> {
                    List<HostBuffer> held = new ArrayList<>(); // so that each is mapped anew
                    for (int i = 0; i < 5; i++) {
                        held.add(bytes(evener, ALONE));
                    }
                    for (int i = 0; i < 250; i++) {
                        held.add(bytes(evener, 1));
                    }
                    held.forEach(HostBuffer::close);
                });
                thread.setDaemon(true); // one that hangs fails the test, and nothing more
                thread.setUncaughtExceptionHandler((where, e) -> wrong.add(e));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), List.copyOf(wrong));
        }
    }

    /** What a device made is looked at in parts, in memory of the scopes' own: the buffer itself has none until all of it is. */
    @Test
    void readingAPartTakesNoMemoryForTheWhole() {
        int n = ManagedBufferTest.N;
        try (Evener evener = open();
                HostBuffer in = evener.allocate(ElementType.INT, n);
                ManagedBuffer out = evener.allocateManaged(ElementType.INT, n)) {
            for (int i = 0; i < n; i++) {
                in.ints().put(i, i);
            }
            for (int round = 0; round < 3; round++) {
                evener.submit(ManagedBufferTest.scale(in, out), Policies.single())
                        .join();
                try (ManagedBuffer.Scope first = out.read(100, n / 2);
                        ManagedBuffer.Scope second = out.read(n - 3, 3);
                        ManagedBuffer.Scope none = out.read(7, 0)) {
                    for (int i = 0; i < n / 2; i++) {
                        assertEquals(
                                3 * (100 + i) + 1, first.bytes().asIntBuffer().get(i));
                    }
                    assertEquals(3 * (n - 1) + 1, second.bytes().asIntBuffer().get(2));
                    assertEquals(3, second.bytes().asIntBuffer().capacity());
                    assertEquals(0, none.bytes().capacity());
                    assertTrue(first.bytes().isReadOnly());
                }
                assertEquals(round == 2, LogicalBuffer.of(out).isPageLocked(), "round " + round);
                if (round == 1) {
                    try (ManagedBuffer.Scope all = out.update()) { // from now on the host has memory for it
                        all.bytes().asIntBuffer().put(0, 5);
                    }
                    try (ManagedBuffer.Scope part = out.read(0, 2)) {
                        assertEquals(5, part.bytes().asIntBuffer().get(0));
                        assertEquals(4, part.bytes().asIntBuffer().get(1));
                    }
                }
            }
        }
    }
}
