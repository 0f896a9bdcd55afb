package dev.evener.internal.opencl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import dev.evener.internal.recovery.LaneFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jocl.CL;
import org.jocl.cl_mem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mirrors within a budget, on a device that may have less memory than its budget says. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MirrorsTest {
    private static final int SIZE = 4096;
    private static final long ROOM = Long.MAX_VALUE;

    private final ClGroup group = new ClGroup(List.of(ClInventory.devices().get(0)), ProgramCache.none());
    private final List<ManagedBuffer> buffers = new ArrayList<>();
    private final List<Mirror> pins = new ArrayList<>();
    private long before;
    private long deviceHas = Long.MAX_VALUE;

    @BeforeEach
    void open() {
        group.retain();
        before = alive();
    }

    @AfterEach
    void nothingLeaks() {
        buffers.forEach(ManagedBuffer::close);
        assertEquals(0, made());
        group.release();
    }

    private static long alive() {
        return NativeLedger.live().getOrDefault(Kind.BUFFER, 0L);
    }

    private long made() {
        return alive() - before;
    }

    private Mirrors mirrors(long limit) {
        return new Mirrors(this::allocate, limit, 2 * SIZE);
    }

    private cl_mem allocate(long bytes) {
        if (made() * SIZE + bytes > deviceHas) {
            throw new ClFailure("creating a buffer", CL.CL_MEM_OBJECT_ALLOCATION_FAILURE);
        }
        return Cl.createBuffer(group.context(), CL.CL_MEM_READ_WRITE, bytes, null);
    }

    private ManagedBuffer host(int bytes) {
        ManagedBuffer host = MadeUpBuffers.of(ElementType.BYTE, bytes);
        buffers.add(host);
        return host;
    }

    @Test
    void theOneUsedLongestAgoGivesWay() {
        Mirrors mirrors = mirrors(2 * SIZE);
        ManagedBuffer a = host(SIZE);
        ManagedBuffer b = host(SIZE);
        ManagedBuffer c = host(SIZE);
        for (ManagedBuffer each : List.of(a, b, a)) {
            Mirror mirror = mirrors.pin(each, 0, ROOM, pins);
            assertNotNull(mirror);
            mirror.held.received(0, SIZE);
            mirrors.unpin(pins);
        }
        mirrors.pin(c, 0, ROOM, pins);
        mirrors.unpin(pins);
        assertEquals(2, made());
        assertEquals(SIZE, mirrors.pin(a, 0, ROOM, pins).held.missingFrom(0, SIZE), "a was used after b");
        mirrors.unpin(pins);
        assertEquals(0, mirrors.pin(b, 0, ROOM, pins).held.missingFrom(0, SIZE), "what comes back comes back empty");
        mirrors.unpin(pins);
        mirrors.close();
        assertEquals(0, made());
    }

    @Test
    void whatIsInUseStaysAndTheRestGoesWithout() {
        Mirrors mirrors = mirrors(2 * SIZE);
        Mirror a = mirrors.pin(host(SIZE), 0, ROOM, pins);
        Mirror b = mirrors.pin(host(SIZE), 0, ROOM, pins);
        assertNull(mirrors.pin(host(1), 0, ROOM, pins));
        assertNotNull(a.mem());
        assertNotNull(b.mem());
        mirrors.unpin(pins);
        assertNull(mirrors.pin(host(2 * SIZE + 1), 0, ROOM, pins), "larger than one may be");
        assertNull(mirrors.pin(host(0), 0, ROOM, pins), "nothing to hold");
        assertNull(mirrors.pin(host(SIZE), 0, SIZE - 1, pins), "no room beside something else");
        assertEquals(0, made(), "all made room for it in vain");
        mirrors.unpin(pins);
        mirrors.close();
    }

    @Test
    void aDeviceWithLessThanItsBudgetIsTriedOnceMore() {
        Mirrors mirrors = mirrors(ROOM);
        deviceHas = 2 * SIZE;
        mirrors.pin(host(SIZE), 0, ROOM, pins);
        mirrors.pin(host(SIZE), 0, ROOM, pins);
        assertNull(mirrors.pin(host(SIZE), 0, ROOM, pins), "both are in use");
        mirrors.unpin(pins);
        assertNotNull(mirrors.pin(host(SIZE), 0, ROOM, pins), "they were dropped");
        assertEquals(1, made());
        mirrors.unpin(pins);
        mirrors.close();
    }

    @Test
    void otherFailuresAreToldAndNotTakenForWantOfMemory() {
        Mirrors mirrors = new Mirrors(
                bytes -> {
                    throw new ClFailure("creating a buffer", CL.CL_INVALID_CONTEXT);
                },
                ROOM,
                ROOM);
        ManagedBuffer host = host(SIZE);
        assertThrows(LaneFailure.class, () -> mirrors.pin(host, 0, ROOM, pins));
        assertFalse(mirrors.drop());
    }

    @Test
    void aBufferClosedWhileItsMirrorIsInUseIsFreedAfterIt() {
        Mirrors mirrors = mirrors(ROOM);
        ManagedBuffer a = host(SIZE);
        ManagedBuffer b = host(SIZE);
        Mirror mirror = mirrors.pin(a, 0, ROOM, pins);
        a.close();
        assertEquals(1, made());
        assertNotNull(mirror.mem());
        mirrors.unpin(pins);
        assertEquals(0, made());
        mirrors.pin(b, 0, ROOM, pins);
        mirrors.unpin(pins);
        b.close();
        assertEquals(0, made());
        mirrors.unpin(pins);
        mirrors.close();
    }

    @Test
    void whatMirrorsNoLongerHoldIsNotFreedTwice() {
        Mirrors mirrors = mirrors(ROOM);
        ManagedBuffer a = host(SIZE);
        mirrors.pin(a, 0, ROOM, pins);
        mirrors.unpin(pins);
        mirrors.close();
        assertEquals(0, made());
        a.close();
        assertEquals(0, made());
    }

    @Test
    void buffersMayBeClosedByAnyThreadMeanwhile() throws InterruptedException {
        Mirrors mirrors = mirrors(20 * SIZE);
        ConcurrentLinkedQueue<ManagedBuffer> toClose = new ConcurrentLinkedQueue<>();
        boolean[] done = new boolean[1];
        List<Thread> closers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread closer = new Thread(() -> {
                while (true) {
                    ManagedBuffer next = toClose.poll();
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
        List<ManagedBuffer> open = new ArrayList<>();
        for (int i = 0; i < 5000; i++) { // a lane: buffers in use are held, and closed at once or later
            ManagedBuffer host = MadeUpBuffers.of(ElementType.BYTE, SIZE);
            open.add(host);
            List<ManagedBuffer> used = List.of(host, open.get(random.nextInt(open.size())));
            for (ManagedBuffer each : used) {
                assertTrue(each.hold());
                mirrors.pin(each, 0, ROOM, pins);
            }
            while (open.size() > random.nextInt(40)) {
                toClose.add(open.remove(random.nextInt(open.size())));
            }
            used.forEach(ManagedBuffer::letGo); // as when a chunk's times are read after its job has ended
            mirrors.unpin(pins);
        }
        toClose.addAll(open);
        synchronized (done) {
            done[0] = true;
        }
        for (Thread closer : closers) {
            closer.join();
        }
        mirrors.unpin(pins);
        mirrors.close();
        assertEquals(0, made());
    }
}
