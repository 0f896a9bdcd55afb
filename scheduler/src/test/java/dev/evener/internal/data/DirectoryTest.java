package dev.evener.internal.data;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DataLostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory against a buffer whose every byte has a value at every place. */
class DirectoryTest {
    private static final int BYTES = 64;

    private final Memory memory = new Memory();

    /** The buffer's on the host. */
    private static final class Memory implements HostGate, HostGate.Hold {
        private final ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        private final AtomicInteger holds = new AtomicInteger(); // at present
        private volatile boolean another; // somebody else's by now

        @Override
        public Hold open() {
            if (another) {
                return null;
            }
            holds.incrementAndGet();
            return this;
        }

        @Override
        public ByteBuffer part(long from, int length) {
            assertTrue(holds.get() > 0, "nobody holds it");
            return bytes.slice((int) from, length);
        }

        @Override
        public void close() {
            holds.decrementAndGet();
        }
    }

    @AfterEach
    void everyHoldEnds() {
        assertEquals(0, memory.holds.get());
    }

    @Test
    void whatIsWrittenIsCurrentThereAlone() {
        Directory directory = new Directory(BYTES, true, memory);
        Directory.Holding one = directory.newHolding("0.0", fetch -> false);
        Directory.Holding other = directory.newHolding("0.0", fetch -> false);
        one.received(0, BYTES, directory.changes());
        other.received(0, BYTES, directory.changes());
        one.wrote(16, 32, false);
        assertEquals(BYTES, one.missingFrom(0, BYTES));
        assertEquals(16, other.missingFrom(0, BYTES));
        assertEquals(32, other.presentFrom(16, BYTES));
        directory.hostWrote(24, 48);
        assertEquals(24, one.missingFrom(0, BYTES));
        assertEquals(48, one.presentFrom(24, BYTES));
        one.forget(0, BYTES, "gone");
        assertEquals(0, one.missingFrom(0, BYTES));
    }

    /** A lane that hung while it was sent something comes back when the job has long ended. */
    @Test
    void aCopyThatWasMadeBeforeAWriteIsNotTakenForCurrent() {
        Directory directory = new Directory(BYTES, true, memory);
        Directory.Holding other = directory.newHolding("0.0", fetch -> false);
        other.received(0, BYTES, directory.changes());
        Directory.Holding late = directory.newHolding("0.0", fetch -> false);
        long since = directory.changes();
        directory.hostWrote(0, BYTES);
        late.received(0, BYTES, since);
        assertEquals(0, late.missingFrom(0, BYTES));
        late.received(0, BYTES, directory.changes());
        assertEquals(BYTES, late.missingFrom(0, BYTES));
        long before = directory.changes();
        directory.hostWrites(0, BYTES);
        late.received(0, BYTES, before);
        assertEquals(0, late.missingFrom(0, BYTES), "the host is about to write it");
    }

    /** What was never written is zero anywhere, and moves nowhere. */
    @Test
    void whatWasNeverWrittenIsMissingNowhere() {
        Directory directory = new Directory(BYTES, false, memory);
        assertEquals(0, directory.missing("0.0", 0, BYTES));
        assertEquals(0, directory.missing(null, 0, BYTES));
        directory.newHolding("0.0", fetch -> false).wrote(8, 24, false);
        assertEquals(0, directory.missing("0.0", 0, BYTES));
        assertEquals(16, directory.missing("0.1", 0, BYTES));
        assertEquals(8, directory.missing(null, 16, BYTES));
        directory.hostWrote(32, 40);
        assertEquals(8, directory.missing("0.0", 0, BYTES));
    }

    /** The same of a buffer that no device holds anything of, which takes no lock. */
    @Test
    void aCopyThatWasMadeBeforeTheHostWroteIsNotTakenForCurrent() {
        Directory directory = new Directory(BYTES, true, memory);
        Directory.Holding late = directory.newHolding("0.0", fetch -> false);
        long since = directory.changes();
        directory.hostWrote(0, BYTES);
        late.received(0, BYTES, since);
        assertEquals(BYTES, late.presentFrom(0, BYTES));
        late.received(0, BYTES, directory.changes());
        assertEquals(0, late.presentFrom(0, BYTES));
    }

    /** One device gives up what another writes meanwhile. */
    @Test
    void whatIsWrittenElsewhereWhileItIsFetchedIsNotTakenForTheHosts() {
        Directory directory = new Directory(BYTES, false, memory);
        Directory.Holding writer = directory.newHolding("0.0", fetch -> true);
        Directory.Holding givesUp = directory.newHolding("0.0", fetch -> {
            writer.wrote(8, 24, false);
            return true;
        });
        givesUp.wrote(0, BYTES, false);
        givesUp.evacuate(0, BYTES, new Traffic());
        assertEquals(16, directory.bringToHost(0, BYTES, new Traffic()), "what the writer holds is fetched from there");
    }

    /** Or what the host is about to write. */
    @Test
    void nothingOlderIsCopiedOverWhatTheHostWrites() throws Exception {
        Directory directory = new Directory(BYTES, false, memory);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        Directory.Holding device = directory.newHolding("0.0", fetch -> {
            begun.countDown();
            assertDoesNotThrow(() -> goesOn.await());
            ended.set(true);
            return true;
        });
        device.wrote(0, BYTES, false);
        Thread givesUp = new Thread(() -> device.evacuate(0, BYTES, new Traffic()));
        givesUp.start();
        begun.await();
        AtomicBoolean early = new AtomicBoolean();
        Thread host = new Thread(() -> {
            directory.hostWrites(8, 24);
            early.set(!ended.get());
        });
        host.start();
        while (host.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        host.join();
        givesUp.join();
        assertFalse(early.get(), "the copy had not ended");
        assertEquals(8, device.missingFrom(0, BYTES), "it holds an old value");
        directory.hostWrote(8, 24);
        assertEquals(0, directory.bringToHost(0, BYTES, new Traffic()), "the rest has been copied");
    }

    /** One device is still giving up an old value when the next reader fetches the new one from another. */
    @Test
    void twoDevicesNeverCopyToTheSameBytesAtOnce() throws Exception {
        Directory directory = new Directory(BYTES, false, memory);
        AtomicInteger host = new AtomicInteger(); // what its memory holds
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Directory.Holding old = directory.newHolding("0.0", fetch -> {
            begun.countDown();
            assertDoesNotThrow(() -> goesOn.await());
            host.set(1);
            return true;
        });
        Directory.Holding current = directory.newHolding("0.0", fetch -> {
            host.set(2);
            return true;
        });
        old.wrote(0, BYTES, false);
        Thread givesUp = new Thread(() -> old.evacuate(0, BYTES, new Traffic()));
        givesUp.start();
        begun.await();
        current.wrote(0, BYTES, false);
        Thread reader = new Thread(() -> directory.bringToHost(0, BYTES, new Traffic()));
        reader.start();
        while (reader.getState() != Thread.State.WAITING && reader.isAlive()) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        givesUp.join();
        reader.join();
        assertEquals(2, host.get());
    }

    /** It would be another's memory by the time that the copy begins. */
    @Test
    void whatIsCopiedElsewhereIsNotGivenUpMeanwhile() throws Exception {
        Directory directory = new Directory(BYTES, false, memory);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicBoolean givenUp = new AtomicBoolean();
        AtomicBoolean late = new AtomicBoolean();
        Directory.Holding device = directory.newHolding("0.0", fetch -> {
            if (begun.getCount() > 0) {
                begun.countDown();
                assertDoesNotThrow(() -> goesOn.await());
                late.set(givenUp.get());
            }
            return true;
        });
        device.wrote(0, BYTES, false);
        Thread reader = new Thread(() -> directory.copy(8, 24, ByteBuffer.allocate(16), new Traffic()));
        reader.start();
        begun.await();
        Thread givesUp = new Thread(() -> {
            device.evacuate(0, BYTES, new Traffic());
            device.givesUp(0, BYTES);
            givenUp.set(true);
        });
        givesUp.start();
        while (givesUp.getState() != Thread.State.WAITING && givesUp.isAlive()) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        reader.join();
        givesUp.join();
        assertFalse(late.get(), "it was given up while it was copied");
    }

    /** Nor is what begins to be copied while the host is given the same. */
    @Test
    void whatIsCopiedElsewhereSinceIsNotGivenUpEither() throws Exception {
        Directory directory = new Directory(BYTES, false, memory);
        CountDownLatch toHost = new CountDownLatch(1);
        CountDownLatch elsewhere = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicBoolean onHost = new AtomicBoolean();
        AtomicBoolean givenUp = new AtomicBoolean();
        AtomicBoolean late = new AtomicBoolean();
        Directory.Holding device = directory.newHolding("0.0", fetch -> {
            if (fetch.to() - fetch.from() == BYTES) {
                toHost.countDown();
                assertDoesNotThrow(() -> elsewhere.await());
                onHost.set(true);
            } else {
                elsewhere.countDown();
                assertDoesNotThrow(() -> goesOn.await());
                late.set(givenUp.get());
            }
            return true;
        });
        device.wrote(0, BYTES, false);
        Thread givesUp = new Thread(() -> {
            device.evacuate(0, BYTES, new Traffic());
            givenUp.set(true);
        });
        givesUp.start();
        toHost.await();
        Thread reader = new Thread(() -> directory.copy(8, 24, ByteBuffer.allocate(16), new Traffic()));
        reader.start();
        elsewhere.await();
        while (!onHost.get() || (givesUp.getState() != Thread.State.WAITING && givesUp.isAlive())) {
            Thread.onSpinWait();
        }
        goesOn.countDown();
        reader.join();
        givesUp.join();
        assertFalse(late.get(), "it was given up while it was copied");
    }

    @Test
    void aFetchGoesWhereItWasBegunForAndNowhereOnceItHasEnded() {
        Directory directory = new Directory(BYTES, false, memory);
        List<Fetch> all = new ArrayList<>();
        Directory.Holding device = directory.newHolding("0.0", fetch -> {
            assertEquals(1, memory.holds.get());
            fetch.target(fetch.from() + 1, 2).put(1, (byte) all.size());
            assertThrows(IllegalStateException.class, () -> fetch.target(fetch.to() - 1, 2));
            assertThrows(IllegalStateException.class, () -> fetch.target(fetch.from() - 1, 2));
            return all.add(fetch);
        });
        all.add(null);
        device.wrote(0, BYTES, false);
        ByteBuffer own = ByteBuffer.allocate(8);
        assertTrue(directory.copy(8, 16, own, new Traffic()));
        assertEquals(1, own.get(2));
        assertEquals(16, directory.bringToHost(16, 32, new Traffic()));
        assertEquals(2, memory.bytes.get(18));
        device.evacuate(32, 40, new Traffic());
        assertEquals(3, memory.bytes.get(34));
        assertEquals(4, all.size());
        all.remove(0);
        all.forEach(each -> assertThrows(IllegalStateException.class, () -> each.target(each.from(), 1)));
    }

    /** A buffer that was closed and that no job holds. */
    @Test
    void nothingIsFetchedToMemoryThatMayBeAnothers() {
        Directory directory = new Directory(BYTES, false, memory);
        Directory.Holding device = directory.newHolding("0.0", fetch -> {
            throw new AssertionError("a fetch");
        });
        device.wrote(0, BYTES, false);
        memory.another = true;
        device.evacuate(0, BYTES, new Traffic());
        directory.bringAllToHost(new Traffic());
        assertFalse(directory.copy(0, 8, ByteBuffer.allocate(8), new Traffic()));
        assertThrows(IllegalStateException.class, () -> directory.bringToHost(0, 8, new Traffic()));
        device.givesUp(0, BYTES);
    }

    @Test
    void whatTheHostHasTooSurvivesADeviceAndWhatADeviceDoesNotGiveUpIsLost() {
        Directory directory = new Directory(BYTES, false, memory);
        Directory.Holding device = directory.newHolding("0.0", fetch -> true);
        Directory.Holding dead = directory.newHolding("0.0", fetch -> {
            throw new IllegalStateException("gone");
        });
        device.wrote(0, 16, false);
        dead.wrote(16, 32, false);
        directory.bringAllToHost(new Traffic());
        assertTrue(directory.isOnHost(0, 16));
        assertTrue(directory.isOnHost(32, BYTES), "what was never written too");
        assertEquals(16, device.missingFrom(0, 32), "the device keeps it");
        device.forget(0, BYTES, "gone too");
        directory.requireNotLost(0, 16);
        DataLostException lost = assertThrows(DataLostException.class, () -> directory.requireNotLost(0, BYTES));
        assertTrue(
                lost.getMessage().contains("bytes from 16 on")
                        && lost.getMessage().contains("gone"),
                lost::getMessage);
    }

    /** Of each byte: what a device gave up in time, or another job lost before, is no matter of that device. */
    @Test
    void whoeverNeedsWhatIsLostIsToldWhyThatIsLost() {
        Directory directory = new Directory(BYTES, false, memory);
        Directory.Holding device = directory.newHolding("0.0", fetch -> true);
        directory.lose(0, BYTES, "a job failed");
        device.wrote(16, 32, false);
        device.evacuate(0, BYTES, new Traffic());
        device.forget(0, BYTES, "the device failed");
        directory.requireNotLost(16, 32);
        assertEquals("a job failed", reason(directory, 32, BYTES));
        device.wrote(24, 40, false);
        device.forget(0, BYTES, "it failed again");
        assertEquals("a job failed", reason(directory, 0, BYTES));
        assertEquals("it failed again", reason(directory, 16, BYTES));
        assertEquals("a job failed", reason(directory, 40, BYTES));
        directory.lose(0, BYTES, "another job failed");
        assertEquals("another job failed", reason(directory, 24, BYTES));
    }

    /** A device that hung may write over what it alone holds when its job has ended without it: nobody would have known why that is lost. */
    @Test
    void whatAKernelWritesOverIsLostWithAReasonUntilThatSaysThatItHas() {
        Directory directory = new Directory(BYTES, false, memory);
        Directory.Holding device = directory.newHolding("0.3", fetch -> true);
        device.wrote(0, 32, false);
        device.spoils(8, 16);
        assertTrue(reason(directory, 0, BYTES).contains("under way on device 0.3"), reason(directory, 0, BYTES));
        directory.requireNotLost(16, BYTES);
        device.wrote(8, 16, false);
        directory.requireNotLost(0, BYTES);
        device.spoils(0, 32);
        directory.explainLoss(0, 32, "behind one that failed");
        assertEquals("behind one that failed", reason(directory, 0, BYTES));
    }

    private static String reason(Directory directory, long from, long to) {
        return assertThrows(DataLostException.class, () -> directory.requireNotLost(from, to))
                .reason();
    }

    @Test
    void whatIsDiscardedIsHeldNowhereAndZeroWhereItIsNeeded() {
        Directory directory = new Directory(BYTES, false, memory);
        Directory.Holding device = directory.newHolding("0.0", fetch -> true);
        List<Long> cleared = new ArrayList<>();
        assertEquals(0, directory.bringToHost(0, BYTES, new Traffic()), "new memory is zero");
        device.wrote(0, BYTES, false);
        directory.lose(0, Long.MAX_VALUE, "gone");
        long since = directory.changes();
        directory.discard(fetch -> {
            cleared.add(fetch.from());
            cleared.add(fetch.to());
            return true;
        });
        device.received(0, BYTES, since);
        assertEquals(0, device.missingFrom(0, BYTES), "that was the content before");
        assertFalse(directory.isOnHost(0, 1));
        directory.requireNotLost(0, BYTES);
        device.wrote(8, 16, false);
        directory.hostWrites(24, 32);
        directory.hostWrote(24, 32);
        assertEquals(8, directory.bringToHost(0, 40, new Traffic()), "what the device wrote");
        assertEquals(List.of(0L, 8L, 16L, 24L, 32L, 40L), cleared);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatPlacesAreSaidToHoldIsCurrent(long seed) {
        Random random = new Random(seed);
        Directory directory = new Directory(BYTES, true, memory);
        int[] current = new int[BYTES];
        int[] onHost = new int[BYTES];
        List<Directory.Holding> places = new ArrayList<>();
        List<int[]> memory = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            places.add(directory.newHolding("0.0", fetch -> false));
            memory.add(new int[BYTES]);
            Arrays.fill(memory.get(i), -1);
        }
        for (int step = 1; step < 5000; step++) {
            int from = random.nextInt(BYTES);
            int to = random.nextInt(20) == 0 ? BYTES : Math.min(BYTES, from + 1 + random.nextInt(24));
            from = to == BYTES && random.nextBoolean() ? 0 : from;
            int which = random.nextInt(places.size());
            Directory.Holding place = places.get(which);
            switch (random.nextInt(6)) {
                case 0 -> { // a chunk on the host
                    Arrays.fill(onHost, from, to, step);
                    Arrays.fill(current, from, to, step);
                    directory.hostWrote(from, to);
                }
                case 1 -> { // a chunk on a device, which is fetched
                    place.spoils(from, to);
                    Arrays.fill(memory.get(which), from, to, step);
                    Arrays.fill(current, from, to, step);
                    System.arraycopy(current, from, onHost, from, to - from);
                    place.wrote(from, to, true);
                }
                case 2 -> { // one that fails there
                    place.spoils(from, to);
                    Arrays.fill(memory.get(which), from, to, -1);
                }
                case 3 -> { // the device is sent what it lacks, and no more
                    long since = directory.changes();
                    directory.bringToHost(from, to, new Traffic());
                    for (long gap = place.missingFrom(from, to); gap < to; ) {
                        long end = place.presentFrom(gap, to);
                        System.arraycopy(onHost, (int) gap, memory.get(which), (int) gap, (int) (end - gap));
                        gap = place.missingFrom(end, to);
                    }
                    place.received(from, to, since);
                    assertEquals(to, place.missingFrom(from, to));
                }
                case 4 -> {
                    if (random.nextInt(8) == 0) {
                        Arrays.fill(current, 0);
                        directory.discard(fetch -> {
                            Arrays.fill(onHost, (int) fetch.from(), (int) fetch.to(), 0);
                            return true;
                        });
                    }
                }
                default -> place.forget(0, BYTES, "gone");
            }
            for (int i = 0; i < places.size(); i++) {
                for (int at = 0; at < BYTES; at++) {
                    if (places.get(i).presentFrom(at, at + 1) == at) {
                        assertEquals(current[at], memory.get(i)[at], "place " + i + ", byte " + at + ", step " + step);
                    }
                }
            }
        }
    }
}
