package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How large buffers are cut into segments, seen, and refused. */
class SegmentsTest {
    private static final int LIMIT = 16 << 10;

    private Evener evener;

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,jvm"))
                .history(History.inMemory())
                .segmentBytes(LIMIT)
                .open();
    }

    @AfterEach
    void close() {
        evener.close();
    }

    @Test
    void whatFitsOnePieceStaysInOne() {
        for (int bytes : List.of(0, 1, 4096, LIMIT - 1, LIMIT)) {
            HostBuffer buffer = evener.allocate(ElementType.BYTE, bytes);
            assertEquals(1, buffer.segmentCount());
            assertEquals(1, buffer.segments().size());
            assertEquals(bytes, buffer.bytes().remaining());
            assertEquals(bytes, buffer.bytes(0, bytes).remaining());
            assertEquals(0, buffer.bytes(bytes, 0).remaining());
        }
    }

    @Test
    void segmentsHoldWholeUnits() {
        record Case(ElementType type, long elements, long perUnit, List<Integer> segments) {}
        for (Case c : List.of(
                new Case(ElementType.BYTE, LIMIT + 1, 1, List.of(LIMIT, 1)),
                new Case(ElementType.INT, 8192, 1, List.of(LIMIT, LIMIT)),
                new Case(ElementType.INT, 8193, 64, List.of(LIMIT, LIMIT, 4)),
                new Case(ElementType.INT, 5008, 5, List.of(10240, 9792)),
                new Case(ElementType.DOUBLE, 4000, 2047, List.of(2047 * 8, 1953 * 8)))) {
            HostBuffer buffer = evener.allocate(c.type(), c.elements(), c.perUnit());
            assertEquals(c.elements() * c.type().bytes(), buffer.byteSize());
            assertEquals(c.segments().size(), buffer.segmentCount());
            assertEquals((long) c.segments().get(0), buffer.segmentBytes());
            assertEquals(0, buffer.segmentBytes() % (c.perUnit() * c.type().bytes()));
            for (int i = 0; i < c.segments().size(); i++) {
                ByteBuffer segment = buffer.segments().get(i);
                assertEquals(c.segments().get(i), segment.remaining());
                assertEquals(ByteOrder.nativeOrder(), segment.order());
                assertEquals(0, segment.alignmentOffset(0, 4096));
            }
        }
    }

    @Test
    void aViewLiesInOneSegment() {
        HostBuffer buffer = evener.allocate(ElementType.INT, 3 * LIMIT / 4);
        for (int i = 0; i < 3; i++) {
            buffer.segments().get(i).putInt(0, 100 + i).putInt(LIMIT - 4, 200 + i);
        }
        for (int i = 0; i < 3; i++) {
            ByteBuffer view = buffer.bytes((long) i * LIMIT, LIMIT);
            assertEquals(100 + i, view.getInt(0));
            assertEquals(200 + i, view.getInt(LIMIT - 4));
            assertEquals(200 + i, buffer.bytes((i + 1L) * LIMIT - 4, 4).getInt());
        }
        assertEquals(0, buffer.bytes(3L * LIMIT, 0).remaining());
        String straddles = assertThrows(IllegalArgumentException.class, () -> buffer.bytes(LIMIT - 4, 8))
                .getMessage();
        assertEquals(
                "bytes 16380 to 16388 do not lie in one segment of the buffer of 12288 int, each of which has 16384 bytes; take 4"
                        + " bytes from here and the rest from 16384",
                straddles);
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.bytes(-1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.bytes(0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.bytes(3L * LIMIT, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.bytes(Long.MAX_VALUE, 1));
    }

    @Test
    void oneViewOfAllIsRefusedAndSaysWhatToUse() {
        HostBuffer buffer = evener.allocate(ElementType.FLOAT, 5000);
        for (Runnable view : List.<Runnable>of(buffer::bytes, buffer::floats, buffer::ints)) {
            assertEquals(
                    "this buffer of 5000 float lies in 2 segments of 16384 bytes, not in one view; use segments(), or"
                            + " bytes(offset, length) for a part within one of them",
                    assertThrows(EvenerException.class, view::run).getMessage());
        }
        buffer.close();
        assertThrows(IllegalStateException.class, buffer::segments);
        assertThrows(IllegalStateException.class, () -> buffer.bytes(0, 1));
    }

    private static String refusal(JobBuilder job) {
        return assertThrows(EvenerException.class, job::build).getMessage();
    }

    private static JobBuilder on(long units) {
        return Job.named("large").units(units).kernel("k").jvm(c -> {});
    }

    @Test
    void onlySlicesOfWholeUnitsAreAccepted() {
        HostBuffer large = evener.allocate(ElementType.INT, 5000);
        String wholes =
                "job 'large', kernel k: argument 0 is a buffer of 20000 bytes in 2 segments, of which no kernel can"
                        + " see more than one at a time; only slice(...) may be used on it, without a halo";
        assertEquals(wholes, refusal(on(5000).reads(large, Access.whole())));
        assertEquals(wholes, refusal(on(5000).reads(large, Access.slice().halo(1, 1))));
        assertEquals(wholes, refusal(on(5000).reduces(large, Reduction.SUM)));
        assertEquals(
                "job 'large', kernel k: argument 0 lies in segments of 16384 bytes, and some units of 20 bytes would lie in"
                        + " two of them; allocate it with allocate(type, elements, 5)",
                refusal(on(1000).reads(large, Access.slice())));
        HostBuffer suits = evener.allocate(ElementType.INT, 5000, 5);
        assertEquals(1000, on(1000).reads(suits, Access.slice()).build().units());
        // What a job does not reach is none of its concern.
        assertEquals(800, on(800).reads(large, Access.slice(5)).build().units());
    }

    @Test
    void aUnitLargerThanASegmentIsRefused() {
        assertEquals(
                "a buffer of 9000 int needs several pieces of memory, and one unit of 4097 elements does not fit a piece of"
                        + " at most 16384 bytes; make units smaller",
                assertThrows(EvenerException.class, () -> evener.allocate(ElementType.INT, 9000, 4097))
                        .getMessage());
        assertEquals(1, evener.allocate(ElementType.INT, 4096, 4097).segmentCount());
    }

    @Test
    void segmentsThatEndBetweenGranulesAreRefused() {
        // Groups of 3 work-items: cuts fall on multiples of 3 units, and no power of two is one.
        HostBuffer data = evener.allocate(ElementType.INT, 9000);
        JobBuilder job = Job.named("odd")
                .units(9000)
                .source("__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void next(__global int *d)"
                        + " { d[get_global_id(0)] += 1; }")
                .kernel("next")
                .updates(data, Access.slice())
                .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(3))
                .variant(DeviceKind.GPU, Variant.itemsPerUnit(1).withGroupSize(3))
                .jvm(c -> bump(c.buffer(0)));
        Job refused = job.build();
        String message = assertThrows(EvenerException.class, () -> evener.submit(refused))
                .getMessage();
        assertTrue(
                message.matches(
                        "job 'odd', kernel next, argument 0 lies in segments of 4096 units, but on these devices"
                                + " the job may be cut only every \\d+ units \\(memory alignment and work-group sizes\\); allocate"
                                + " it with allocate\\(type, elements, \\d+\\)"),
                message);
        long advice = Long.parseLong(message.replaceAll(".*elements, (\\d+)\\)$", "$1"));
        HostBuffer suits = evener.allocate(ElementType.INT, 9000, advice);
        assertTrue(suits.segmentCount() > 1);
        evener.submit(Job.named("even")
                        .units(9000)
                        .source("__kernel __attribute__((reqd_work_group_size(3, 1, 1))) void next(__global int *d)"
                                + " { d[get_global_id(0)] += 1; }")
                        .kernel("next")
                        .updates(suits, Access.slice())
                        .variant(DeviceKind.CPU, Variant.itemsPerUnit(1).withGroupSize(3))
                        .variant(DeviceKind.GPU, Variant.itemsPerUnit(1).withGroupSize(3))
                        .jvm(c -> bump(c.buffer(0)))
                        .build())
                .join();
        for (int i = 0; i < 9000; i++) {
            assertEquals(1, Ints.at(suits, i));
        }
    }

    /** What lies in several segments is one chunk to a lane that sends its pieces anyway, and as many to any other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachSegmentIsAChunkOnAnyLane(boolean shared) {
        long each = LIMIT / Integer.BYTES;
        long n = 5 * each / 2;
        EvenerBuilder lane = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .sharedMemory(shared)
                .segmentBytes(LIMIT)
                .history(History.inMemory());
        try (Evener one = lane.open();
                ManagedBuffer in = one.allocateManaged(ElementType.INT, n);
                HostBuffer out = one.allocate(ElementType.INT, n)) {
            for (int from = 0; from < n; from += (int) each) {
                try (ManagedBuffer.Scope part = in.update(from, Math.min(each, n - from))) {
                    IntBuffer ints = part.ints();
                    for (int i = 0; i < ints.capacity(); i++) {
                        ints.put(i, from + i);
                    }
                }
            }
            assertThrows(IllegalArgumentException.class, in::read);
            Job job = Job.named("several")
                    .units(n)
                    .source("__kernel void next(__global const int *in, __global int *out)"
                            + " { out[get_global_id(0)] = in[get_global_id(0)] + 1; }")
                    .kernel("next")
                    .reads(in, Access.slice())
                    .writes(out, Access.slice())
                    .build();
            boolean inPlace = shared && one.devices().get(0).sharesHostMemory();
            for (boolean again : new boolean[] {false, true}) {
                Report.DeviceUse use = one.submit(job).join().devices().get(0);
                assertEquals(3, use.chunks());
                assertEquals(inPlace || again ? 0 : n * Integer.BYTES, use.bytesIn());
                for (int i = 0; i < n; i++) {
                    assertEquals(i + 1, Ints.at(out, i));
                }
            }
        }
    }

    /** Each piece through page-locked memory, to and from the segment in which it lies. */
    @Test
    void pageableSegmentsAreSentInPieces() {
        long n = 5 * LIMIT / Integer.BYTES / 2;
        EvenerBuilder copying = Evener.builder()
                .devices(DeviceSelector.parse("0.0"))
                .sharedMemory(false)
                .history(History.inMemory())
                .segmentBytes(LIMIT);
        try (Evener pageable = copying.pinnedMemory(false).open();
                HostBuffer data = pageable.allocate(ElementType.INT, n);
                Evener locking = copying.pinnedMemory(true)
                        .pinnedFrom(0)
                        .pieceBytes(3 << 10)
                        .open()) {
            assertFalse(data.isPageLocked());
            for (int round = 1; round <= 2; round++) {
                Report report = locking.submit(Job.named("pageable")
                                .units(n)
                                .source("__kernel void next(__global int *d, ulong first)"
                                        + " { d[get_global_id(0)] += (int) (first + get_global_id(0)); }")
                                .kernel("next")
                                .updates(data, Access.slice())
                                .chunkStart()
                                .unprotected()
                                .build())
                        .join();
                assertEquals(3, report.devices().get(0).chunks());
                for (int i = 0; i < n; i++) {
                    assertEquals(round * i, Ints.at(data, i));
                }
            }
        }
    }

    private static void bump(ByteBuffer ints) {
        for (int i = 0; i < ints.limit(); i += Integer.BYTES) {
            ints.putInt(i, ints.getInt(i) + 1);
        }
    }

    @Test
    void chunksEndAtTheSeamsOfAllBuffers() {
        HostBuffer bytes = evener.allocate(ElementType.BYTE, 40_000);
        HostBuffer triples = evener.allocate(ElementType.INT, 120_000, 3);
        AtomicLong covered = new AtomicLong();
        Job job = Job.named("seams")
                .units(40_000)
                .kernel("k")
                .reads(bytes, Access.slice())
                .updates(triples, Access.slice())
                .jvm(c -> {
                    assertEquals(c.units(), c.buffer(0).remaining());
                    assertEquals(c.units() * 12, c.buffer(1).remaining());
                    covered.addAndGet(c.units());
                })
                .build();
        Report report;
        try (Evener jvm = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            report = jvm.submit(job).join();
        }
        assertEquals(40_000, covered.get());
        // 16 KiB hold 16,384 bytes, or 1,024 triples of ints.
        assertEquals(40, report.devices().get(0).chunks());
    }
}
