package dev.evener;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.Segments;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.MappedByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs over memory that the application brought, and which memory is refused. */
class WrappedMemoryTest {
    private static final int N = 10_240;

    @TempDir
    Path folder;

    private static final KernelSource SOURCE = KernelSource.of("wrapped", """
            __kernel void add(__global const int *table, __global int *data, __global int *sum) {
                data[get_global_id(0)] += table[0];
                atomic_add(sum, data[get_global_id(0)]);
            }

            __kernel void sum(__global const int *data, __global int *sum) {
                atomic_add(sum, data[get_global_id(0)]);
            }
            """);

    private static Evener open(String devices, boolean sharing, long pieceBytes) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(sharing)
                .pieceBytes(pieceBytes)
                .pinnedFrom(0)
                .policy(Policies.fixed())
                .history(History.inMemory())
                .open();
    }

    private static ByteBuffer memory(int bytes) {
        return ByteBuffer.allocateDirect(bytes + 8192)
                .alignedSlice(4096)
                .limit(bytes)
                .order(ByteOrder.nativeOrder());
    }

    private static void add(Evener evener, HostBuffer table, HostBuffer data, HostBuffer sum) {
        Job job = Job.named("add")
                .source(SOURCE)
                .units(data.elements())
                .kernel("add")
                .reads(table, Access.whole())
                .updates(data, Access.slice(1))
                .reduces(sum, Reduction.SUM)
                .jvm(chunk -> {
                    IntBuffer ints = chunk.buffer(1).asIntBuffer();
                    IntBuffer sums = chunk.buffer(2).asIntBuffer();
                    for (int i = 0; i < chunk.units(); i++) {
                        ints.put(i, ints.get(i) + chunk.buffer(0).getInt(0));
                        sums.put(0, sums.get(0) + ints.get(i));
                    }
                })
                .build();
        evener.submit(job).join();
    }

    @ParameterizedTest
    @CsvSource({
        "'0.0,0.1', true, 0",
        "'0.0,0.1', false, 0",
        "'0.0,1.0', true, 0",
        "'1.0', true, 0",
        "'jvm', true, 0",
        "'0.1,jvm', false, 0",
        "'0.0,0.1', false, 1",
        "'0.1', false, 3000"
    })
    void devicesWorkOnItInPlace(String devices, boolean sharing, long pieceBytes) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        try (Evener evener = open(devices, sharing, pieceBytes)) {
            for (int n : List.of(0, 1, 31, 1000, 1024, 1025, 50_001)) {
                ByteBuffer data = memory(4 * n);
                ByteBuffer around = memory(3 * 4096); // from its second page on
                IntBuffer ints = data.asIntBuffer();
                around.putInt(4092, 111)
                        .putInt(4096, 7)
                        .putInt(4100, 222)
                        .limit(4100)
                        .position(4096);
                int expected = 0;
                for (int i = 0; i < n; i++) {
                    ints.put(i, 3 * i);
                    expected += 3 * i + 14;
                }
                try (HostBuffer wrapped = evener.wrap(ElementType.INT, data);
                        HostBuffer table = evener.wrap(ElementType.INT, around);
                        HostBuffer sum = evener.allocate(ElementType.INT, 1)) {
                    assertEquals(n, wrapped.elements());
                    assertEquals(1, table.elements());
                    add(evener, table, wrapped, sum);
                    add(evener, table, wrapped, sum);
                    assertEquals(expected, sum.ints().get(0));
                }
                for (int i = 0; i < n; i++) {
                    assertEquals(3 * i + 14, ints.get(i), "element " + i + " of " + n);
                }
                assertEquals(111, around.getInt(4092));
                assertEquals(4096, around.position());
                assertEquals(222, around.limit(4104).getInt(4100));
            }
        }
        assertEquals(before, NativeLedger.live());
    }

    /** What a chunk in pieces goes through has no room for one that is sent whole. */
    @Test
    void aChunkThatIsSentWholeFollowsOneInPieces() {
        try (Evener evener = open("0.1", false, 100_000)) {
            for (int n : List.of(500_000, 49_000)) {
                ByteBuffer memory = memory(4 * n);
                for (int i = 0; i < n; i++) {
                    memory.putInt(4 * i, 1);
                }
                try (HostBuffer data = evener.wrap(ElementType.INT, memory);
                        HostBuffer sum = evener.allocate(ElementType.INT, 1)) {
                    Job job = Job.named("sum")
                            .source(SOURCE)
                            .units(n)
                            .kernel("sum")
                            .reads(data, Access.slice(1))
                            .reduces(sum, Reduction.SUM)
                            .build();
                    evener.submit(job).join();
                    assertEquals(n, sum.ints().get(0));
                }
            }
        }
    }

    @Test
    void aMappedFileIsWorkedOnInPlace(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("ints");
        Files.write(file, new byte[4 * 5000]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Evener evener = open("0.0,0.1", true, 0)) {
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4 * 5000);
            HostBuffer table = evener.allocate(ElementType.INT, 1);
            table.ints().put(0, 9);
            add(
                    evener,
                    table,
                    evener.wrap(ElementType.INT, map.order(ByteOrder.nativeOrder())),
                    evener.allocate(ElementType.INT, 1));
            map.force();
        }
        IntBuffer written = ByteBuffer.wrap(Files.readAllBytes(file))
                .order(ByteOrder.nativeOrder())
                .asIntBuffer();
        for (int i = 0; i < 5000; i++) {
            assertEquals(9, written.get(i));
        }
    }

    @Test
    void aJobThatWritesMemoryOfAnotherBufferIsRefused() {
        try (Evener evener = open("jvm", true, 0)) {
            ByteBuffer memory = memory(3 * 4096);
            HostBuffer first = evener.wrap(ElementType.INT, part(memory, 0, 8192));
            HostBuffer last = evener.wrap(ElementType.INT, part(memory, 8192, 4096));
            HostBuffer late = evener.wrap(ElementType.INT, part(memory, 4096, 8192));
            HostBuffer allocated = evener.allocate(ElementType.INT, 2048);
            HostBuffer view = evener.wrap(ElementType.INT, allocated.bytes());
            copy(first, last, 1024);
            copy(last, first, 1024);
            copy(allocated, first, 2048);
            for (HostBuffer[] pair :
                    new HostBuffer[][] {{first, late}, {late, first}, {late, last}, {allocated, view}}) {
                String message = assertThrows(EvenerException.class, () -> copy(pair[0], pair[1], 1024))
                        .getMessage();
                assertTrue(message.startsWith("job 'copy': two of its buffers, a buffer of "), message);
                assertTrue(message.contains("lie over each other in memory"), message);
            }
            Job.named("both")
                    .units(1024)
                    .kernel("both")
                    .jvm(chunk -> {})
                    .reads(first, slice(1))
                    .reads(late, slice(1))
                    .build();
        }
    }

    private static ByteBuffer part(ByteBuffer memory, int from, int length) {
        return memory.slice(from, length).order(ByteOrder.nativeOrder());
    }

    private static Job copy(HostBuffer from, HostBuffer to, int units) {
        return Job.named("copy")
                .units(units)
                .kernel("copy")
                .jvm(chunk -> {})
                .reads(from, slice(1))
                .writes(to, slice(1))
                .build();
    }

    private static void refused(Evener evener, ElementType type, ByteBuffer memory, String... parts) {
        String message = assertThrows(IllegalArgumentException.class, () -> evener.wrap(type, memory))
                .getMessage();
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void whatDevicesCannotWorkOnIsRefused() {
        try (Evener evener = open("jvm", true, 0)) {
            ByteBuffer good = memory(4096);
            evener.wrap(ElementType.INT, good).close();
            refused(evener, ElementType.INT, ByteBuffer.allocate(64), "64 bytes to be used as int lies on the heap");
            ByteOrder foreign =
                    ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            refused(
                    evener,
                    ElementType.INT,
                    good.duplicate().order(foreign),
                    "is seen as " + foreign,
                    "call order(ByteOrder.nativeOrder())");
            ByteBuffer odd = good.duplicate().order(ByteOrder.nativeOrder()).limit(4095);
            refused(evener, ElementType.INT, odd, "4095 bytes", "does not hold whole elements of 4 bytes");
            ByteBuffer off = good.duplicate().order(ByteOrder.nativeOrder()).position(64);
            refused(
                    evener,
                    ElementType.INT,
                    off,
                    "begins 64 bytes behind a multiple of 4096",
                    "allocateDirect(bytes + 8192).alignedSlice(4096).limit(bytes)");
            evener.wrap(ElementType.INT, off.limit(64)).close(); // nothing is nowhere
        }
        Evener closed = open("jvm", true, 0);
        closed.close();
        assertThrows(IllegalStateException.class, () -> closed.wrap(ElementType.INT, memory(4)));
    }

    /** Devices read it in place or through transfers; what would write it is refused before anything runs. */
    @Test
    void readOnlyMemoryCanBeReadAlone() throws IOException {
        Path file = folder.resolve("numbers");
        ByteBuffer numbers = ByteBuffer.allocate(4 * N).order(ByteOrder.nativeOrder());
        IntStream.range(0, N).forEach(i -> numbers.putInt(4 * i, i));
        Files.write(file, numbers.array());
        ByteBuffer mapped;
        try (FileChannel channel = FileChannel.open(file)) {
            mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 4L * N).order(ByteOrder.nativeOrder());
        }
        for (boolean sharing : new boolean[] {true, false}) {
            try (Evener evener = open("cpu", sharing, 0)) {
                HostBuffer read = evener.wrap(ElementType.INT, mapped);
                HostBuffer other = evener.wrap(ElementType.INT, mapped);
                HostBuffer written = evener.allocate(ElementType.INT, N);
                assertTrue(read.isReadOnly() && !written.isReadOnly());
                assertFalse(read.overlaps(written) || written.overlaps(read));
                assertTrue(read.overlaps(other) && other.overlaps(read));
                evener.submit(Job.named("double")
                                .source("__kernel void twice(__global const int *a, __global int *b) {"
                                        + " size_t i = get_global_id(0); b[i] = 2 * a[i]; }")
                                .units(N)
                                .kernel("twice")
                                .reads(read, slice())
                                .writes(written, slice())
                                .build())
                        .join();
                for (int i = 0; i < N; i++) {
                    assertEquals(2 * i, written.ints().get(i));
                }
                String message = assertThrows(EvenerException.class, () -> copy(written, read, N))
                        .getMessage();
                assertTrue(message.contains("argument 1 would be written, but its memory was read-only"), message);
                assertThrows(ReadOnlyBufferException.class, () -> read.put(0, IntBuffer.allocate(1)));
            }
        }
    }

    @Test
    void readOnlyViewsOfWritableMemoryOverlapIt() {
        try (Evener evener = open("jvm", true, 0)) {
            ByteBuffer memory = memory(8192);
            HostBuffer all = evener.wrap(ElementType.INT, memory);
            ByteBuffer view = memory.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
            HostBuffer end = evener.wrap(ElementType.INT, view.position(4096));
            assertTrue(all.overlaps(end) && end.overlaps(all));
            assertThrows(EvenerException.class, () -> copy(end, all, 1024));
        }
    }

    @Test
    void whatDevicesWouldTakeInPiecesOrAsCopiesIsRefused() {
        ByteBuffer memory = memory(8192 + 32);
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> Segments.wrap(ElementType.BYTE, memory, new Segments.Limits(8192, 4096, 1)))
                .getMessage();
        assertTrue(message.contains("is more than a device takes in one piece (8192 bytes)"), message);
        message = assertThrows(
                        IllegalArgumentException.class,
                        () -> Segments.wrap(ElementType.BYTE, memory, new Segments.Limits(1 << 20, 4096, 64)))
                .getMessage();
        assertTrue(message.contains("does not end at a multiple of 64 bytes"), message);
        assertEquals(
                8192 + 32,
                Segments.wrap(ElementType.BYTE, memory, new Segments.Limits(1 << 20, 4096, 1))
                        .bytes());
    }
}
