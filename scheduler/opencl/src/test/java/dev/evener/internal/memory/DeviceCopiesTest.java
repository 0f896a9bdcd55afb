package dev.evener.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import dev.evener.internal.HostMemory;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.PageLocked;
import dev.evener.internal.Segments;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.DeviceBuffer;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.recovery.LaneFailure;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jocl.CL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DeviceCopies within a budget, on a device that may have less memory than its budget says. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceCopiesTest {
    private static final int SIZE = 4096;
    private static final long ROOM = Long.MAX_VALUE;

    private final ClContext context = new ClContext(List.of(ClDevice.all().get(0)));
    private final List<HostData> buffers = new ArrayList<>();
    private final List<DeviceCopy> pins = new ArrayList<>();
    private long before;
    private long deviceHas = Long.MAX_VALUE;

    @BeforeEach
    void open() {
        before = alive();
    }

    @AfterEach
    void nothingLeaks() {
        buffers.forEach(HostData::close);
        assertEquals(0, made());
        context.close();
    }

    private static long alive() {
        return NativeLedger.live().getOrDefault(Kind.BUFFER, 0L);
    }

    private long made() {
        return alive() - before;
    }

    private DeviceCopies copies(long limit) {
        return new DeviceCopies("0.0", this::allocate, (from, at, count, to) -> {}, limit, 2 * SIZE);
    }

    private DeviceBuffer allocate(long bytes) {
        if (made() * SIZE + bytes > deviceHas) {
            throw new ClFailure("creating a buffer", CL.CL_MEM_OBJECT_ALLOCATION_FAILURE);
        }
        return context.allocate(bytes);
    }

    private HostData host(int bytes) {
        HostData host = MadeUpBuffers.of(ElementType.BYTE, bytes);
        buffers.add(host);
        return host;
    }

    @Test
    void theOneUsedLongestAgoGivesWay() {
        DeviceCopies copies = copies(2 * SIZE);
        HostData a = host(SIZE);
        HostData b = host(SIZE);
        HostData c = host(SIZE);
        for (HostData each : List.of(a, b, a)) {
            DeviceCopy copy = copies.pin(each, 0, ROOM, pins);
            assertNotNull(copy);
            copy.holding.received(0, SIZE, each.directory().changes());
            copies.unpin(pins);
        }
        copies.pin(c, 0, ROOM, pins);
        copies.unpin(pins);
        assertEquals(2, made());
        assertEquals(SIZE, copies.pin(a, 0, ROOM, pins).holding.missingFrom(0, SIZE), "a was used after b");
        copies.unpin(pins);
        assertEquals(0, copies.pin(b, 0, ROOM, pins).holding.missingFrom(0, SIZE), "what comes back comes back empty");
        copies.unpin(pins);
        copies.drop();
        assertEquals(0, made());
    }

    /** A chunk of which kernels see a part of the copy may have to wait for a part that overlaps it; one that needs none has all. */
    @Test
    void whatNeedsAPartIsNotThere() {
        DeviceCopies copies = copies(SIZE);
        HostData host = host(SIZE);
        Argument.Buffer written = new Argument.Buffer(LogicalBuffer.Range.of(host), Access.slice(), false, true);
        Argument.Buffer read = new Argument.Buffer(LogicalBuffer.Range.of(host), Access.slice(), true, false);
        assertFalse(copies.isThere(written, 0, SIZE, false, false), "there is no copy");
        DeviceCopy copy = copies.pin(host, 0, ROOM, pins);
        assertNotNull(copy);
        assertTrue(copies.isThere(written, 0, SIZE, false, true));
        assertTrue(copies.isThere(written, 0, SIZE / 2, false, false));
        assertFalse(copies.isThere(written, 0, SIZE / 2, false, true));
        assertFalse(copies.isThere(written, SIZE / 2, SIZE, false, true));
        copy.holding.received(0, SIZE / 2, host.directory().changes());
        assertTrue(copies.isThere(read, 0, SIZE / 2, false, false));
        assertFalse(copies.isThere(read, 0, SIZE / 2 + 1, false, false));
        copies.unpin(pins);
        copies.drop();
    }

    /** NVIDIA's driver does not survive another order. */
    @Test
    void ofPartsThatOverlapTheOneMadeLastIsFreedFirst() {
        DeviceCopies copies = copies(SIZE);
        DeviceCopy copy = copies.pin(host(SIZE), 0, ROOM, pins);
        assertNotNull(copy);
        DeviceCopy.Part apart = copy.part(3072, 1024);
        DeviceCopy.Part first = copy.part(0, 1024);
        DeviceCopy.Part second = copy.part(512, 1024);
        DeviceCopy.Part third = copy.part(1024, 1024);
        assertEquals(5, made());
        apart.release();
        copy.freeParts();
        assertEquals(4, made(), "it meets no other");
        first.release();
        second.release();
        copy.freeParts();
        assertEquals(4, made(), "the third one lies over the second, and that over the first");
        third.release();
        copy.freeParts();
        assertEquals(1, made());
        copies.unpin(pins);
        copies.drop();
    }

    /** A chunk that sees what one before it saw has its part; all go with the copy. */
    @Test
    void partsAreKeptForChunksThatSeeTheSame() {
        DeviceCopies copies = copies(SIZE);
        DeviceCopy copy = copies.pin(host(SIZE), 0, ROOM, pins);
        assertNotNull(copy);
        DeviceCopy.Part first = copy.part(0, 1024);
        DeviceCopy.Part under = copy.part(0, 2048);
        assertSame(first, copy.part(0, 1024));
        first.release();
        under.release();
        copy.freeParts();
        assertEquals(2, made(), "the second chunk has it");
        first.release();
        assertSame(first, copy.part(0, 1024));
        first.release();
        assertEquals(2, made());
        copies.unpin(pins);
        copies.drop();
        assertEquals(0, made());
    }

    /** Chunks of two jobs that overlap may follow each other for long, and each part waits for the next. */
    @Test
    void partsThatWaitForOthersAreBounded() {
        DeviceCopies copies = copies(SIZE);
        DeviceCopy copy = copies.pin(host(SIZE), 0, ROOM, pins);
        assertNotNull(copy);
        DeviceCopy.Part last = copy.part(0, 2048);
        int made = 1;
        while (!copy.hasManyParts()) {
            DeviceCopy.Part next = copy.part(made % 2 * 1024L, 1984 + made);
            last.release();
            last = next;
            made++;
            assertEquals(made + 1, made());
        }
        assertEquals(64, made);
        last.release();
        assertFalse(copy.hasManyParts(), "none is in use");
        assertEquals(1, made());
        copies.unpin(pins);
        copies.drop();
    }

    /** Each of them would else keep memory, and be one more place to look at, for as long as the buffer is there. */
    @Test
    void ofManyRangesThoseUsedLastHaveMemoryAndTheHostWhatTheOthersHeld() {
        List<Long> fetched = new ArrayList<>();
        DeviceCopies copies =
                new DeviceCopies("0.0", this::allocate, (from, at, count, to) -> fetched.add(count), ROOM, 2 * SIZE);
        HostData all = host(SIZE);
        LogicalBuffer.Range first = all.range(1, 2);
        DeviceCopy used = copies.pin(first, ROOM, pins);
        List<DeviceCopy> later = new ArrayList<>();
        for (int i = 2; i < 1000; i++) {
            DeviceCopy copy = copies.pin(all.range(i, 3), ROOM, later);
            assertNotNull(copy);
            copy.holding.wrote(copy.origin, copy.end(), false);
            copies.unpin(later);
            assertTrue(made() <= DeviceCopies.MOST_RANGES, made() + " buffers");
        }
        assertEquals(DeviceCopies.MOST_RANGES, made());
        assertSame(used, copies.pin(first, ROOM, later), "it is in use");
        copies.unpin(later);
        copies.unpin(pins);
        all.directory().requireNotLost(0, SIZE);
        assertTrue(all.directory().isOnHost(1, 900), "what was given up");
        assertTrue(fetched.size() >= 900, fetched.size() + " were fetched");
        DeviceCopy back = copies.pin(all.range(2, 3), ROOM, pins);
        assertEquals(2, back.holding.missingFrom(2, 5), "what comes back comes back empty");
        copies.unpin(pins);
        copies.drop();
    }

    /** Its memory is another's once it is closed and nobody holds it. */
    @Test
    void aBufferThatIsClosedWhileACopyIsFetchedKeepsItsMemoryUntilThen() {
        Blocks memory = new Blocks();
        HostData host = memory.host();
        List<Integer> given = new ArrayList<>();
        DeviceCopies copies = new DeviceCopies(
                "0.0",
                this::allocate,
                (from, at, count, to) -> {
                    host.close();
                    given.add(memory.given.get());
                    assertEquals(SIZE, to.capacity());
                },
                ROOM,
                ROOM);
        copies.pin(host, 0, ROOM, pins).holding.wrote(0, SIZE, false);
        copies.unpin(pins);
        copies.drop();
        assertEquals(List.of(0), given, "blocks given back while one is written");
        assertEquals(1, memory.given.get());
        assertEquals(0, made());
    }

    /** The jobs that hold it are to find what devices held. */
    @Test
    void whatIsClosedAndHeldIsFetchedAndWhatNobodyHoldsIsDropped() {
        Blocks memory = new Blocks();
        HostData held = memory.host();
        AtomicInteger fetches = new AtomicInteger();
        DeviceCopies copies =
                new DeviceCopies("0.0", this::allocate, (from, at, count, to) -> fetches.incrementAndGet(), ROOM, ROOM);
        assertTrue(held.hold());
        DeviceCopy copy = copies.pin(held, 0, ROOM, pins);
        copy.holding.wrote(0, SIZE, false);
        held.close();
        copies.unpin(pins);
        copies.drop();
        assertEquals(1, fetches.get());
        copy.holding.wrote(0, SIZE, false);
        held.letGo();
        assertEquals(1, memory.given.get());
        copy.holding.evacuate(0, SIZE, new Traffic()); // as when its lane has just chosen it to give way
        assertEquals(1, fetches.get());
    }

    /** Memory of which is known what was given back. */
    private static final class Blocks implements PageLocked {
        private final AtomicInteger given = new AtomicInteger();

        HostData host() {
            return new HostData(
                    ElementType.BYTE, Segments.allocate(ElementType.BYTE, SIZE, 1, Segments.Limits.ofHost(), this));
        }

        @Override
        public Block take(int bytes) {
            ByteBuffer memory = HostMemory.allocate(bytes);
            return new Block() {
                @Override
                public ByteBuffer memory() {
                    return memory.duplicate();
                }

                @Override
                public boolean isZero() {
                    return true;
                }

                @Override
                public void giveBack() {
                    given.incrementAndGet();
                }

                @Override
                public void abandon() {}
            };
        }
    }

    @Test
    void whatIsInUseStaysAndTheRestGoesWithout() {
        DeviceCopies copies = copies(2 * SIZE);
        DeviceCopy a = copies.pin(host(SIZE), 0, ROOM, pins);
        DeviceCopy b = copies.pin(host(SIZE), 0, ROOM, pins);
        assertNull(copies.pin(host(1), 0, ROOM, pins));
        assertNotNull(a.buffer());
        assertNotNull(b.buffer());
        copies.unpin(pins);
        assertNull(copies.pin(host(2 * SIZE + 1), 0, ROOM, pins), "larger than one may be");
        assertNull(copies.pin(host(0), 0, ROOM, pins), "nothing to hold");
        assertNull(copies.pin(host(SIZE), 0, SIZE - 1, pins), "no room beside something else");
        assertEquals(0, made(), "all made room for it in vain");
        copies.unpin(pins);
        copies.drop();
    }

    @Test
    void aDeviceWithLessThanItsBudgetIsTriedOnceMore() {
        DeviceCopies copies = copies(ROOM);
        deviceHas = 2 * SIZE;
        copies.pin(host(SIZE), 0, ROOM, pins);
        copies.pin(host(SIZE), 0, ROOM, pins);
        assertNull(copies.pin(host(SIZE), 0, ROOM, pins), "both are in use");
        copies.unpin(pins);
        assertNotNull(copies.pin(host(SIZE), 0, ROOM, pins), "they were dropped");
        assertEquals(1, made());
        copies.unpin(pins);
        copies.drop();
    }

    @Test
    void otherFailuresAreToldAndNotTakenForWantOfMemory() {
        DeviceCopies copies = new DeviceCopies(
                "0.0",
                bytes -> {
                    throw new ClFailure("creating a buffer", CL.CL_INVALID_CONTEXT);
                },
                (from, at, count, to) -> {},
                ROOM,
                ROOM);
        HostData host = host(SIZE);
        assertThrows(LaneFailure.class, () -> copies.pin(host, 0, ROOM, pins));
        assertFalse(copies.drop());
    }

    @Test
    void aBufferClosedWhileItsDeviceCopyIsInUseIsFreedAfterIt() {
        DeviceCopies copies = copies(ROOM);
        HostData a = host(SIZE);
        HostData b = host(SIZE);
        DeviceCopy copy = copies.pin(a, 0, ROOM, pins);
        a.close();
        assertEquals(1, made());
        assertNotNull(copy.buffer());
        copies.unpin(pins);
        assertEquals(0, made());
        copies.pin(b, 0, ROOM, pins);
        copies.unpin(pins);
        b.close();
        assertEquals(0, made());
        copies.unpin(pins);
        copies.drop();
    }

    @Test
    void whatDeviceCopiesNoLongerHoldIsNotFreedTwice() {
        DeviceCopies copies = copies(ROOM);
        HostData a = host(SIZE);
        copies.pin(a, 0, ROOM, pins);
        copies.unpin(pins);
        copies.drop();
        assertEquals(0, made());
        a.close();
        assertEquals(0, made());
    }

    @Test
    void buffersMayBeClosedByAnyThreadMeanwhile() throws InterruptedException {
        DeviceCopies copies = copies(20 * SIZE);
        ConcurrentLinkedQueue<HostData> toClose = new ConcurrentLinkedQueue<>();
        boolean[] done = new boolean[1];
        List<Thread> closers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread closer = new Thread(() -> {
                while (true) {
                    HostData next = toClose.poll();
                    if (next != null) {
                        next.close();
                    } else {
                        synchronized (done) {
                            if (done[0] && toClose.isEmpty()) {
                                return;
                            }
                        }
                        Thread.onSpinWait();
                    }
                }
            });
            closer.start();
            closers.add(closer);
        }
        Random random = new Random(5);
        List<HostData> open = new ArrayList<>();
        for (int i = 0; i < 5000; i++) { // a lane: buffers in use are held, and closed at once or later
            HostData host = MadeUpBuffers.of(ElementType.BYTE, SIZE);
            open.add(host);
            List<HostData> used = List.of(host, open.get(random.nextInt(open.size())));
            for (HostData each : used) {
                assertTrue(each.hold());
                copies.pin(each, 0, ROOM, pins);
            }
            while (open.size() > random.nextInt(40)) {
                toClose.add(open.remove(random.nextInt(open.size())));
            }
            used.forEach(HostData::letGo); // as when a chunk's times are read after its job has ended
            copies.unpin(pins);
        }
        toClose.addAll(open);
        synchronized (done) {
            done[0] = true;
        }
        for (Thread closer : closers) {
            closer.join();
        }
        copies.unpin(pins);
        copies.drop();
        assertEquals(0, made());
    }
}
