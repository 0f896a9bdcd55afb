package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.data.Directory;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data that stay where they were written: on two devices taken for discrete ones, and beside them the JVM lane. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManagedBufferTest {
    static final int N = 1 << 14;
    private static final String SOURCE = """
            __kernel void scale(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = 3 * in[i] + 1;
            }
            __kernel void churn(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                int v = in[i];
                for (int k = 0; k < 200; k++) v = 3 * v + 1;
                out[i] = v;
            }
            __kernel void blur(__global const int *in, ulong start, __global int *out, ulong first, ulong n) {
                size_t i = get_global_id(0), at = first + i;
                out[i] = (at > 0 ? in[start + i - 1] : 7) + 5 * in[start + i] + (at + 1 < n ? in[start + i + 1] : 9);
            }
            __kernel void add(__global int *values, __global const int *table) {
                size_t i = get_global_id(0);
                values[i] += table[(values[i] & 63)];
            }
            __kernel void total(__global const int *in, __global int *sum) {
                atomic_add(sum, in[get_global_id(0)]);
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    static EvenerBuilder discrete(String devices) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(false)
                .history(History.inMemory());
    }

    // ---- jobs ----

    private static void scaleInJava(JvmKernel.Chunk c) {
        IntBuffer ins = c.buffer(0).asIntBuffer();
        IntBuffer outs = c.buffer(1).asIntBuffer();
        for (int i = 0; i < c.units(); i++) {
            outs.put(i, 3 * ins.get(i) + 1);
        }
    }

    private static void addInJava(JvmKernel.Chunk c) {
        IntBuffer all = c.buffer(0).asIntBuffer();
        for (int i = 0; i < c.units(); i++) {
            all.put(i, all.get(i) + c.buffer(1).asIntBuffer().get(all.get(i) & 63));
        }
    }

    /** Writes, and fails. */
    static Job failing(DataBuffer out) {
        return Job.named("fails")
                .units(N)
                .devices(DeviceSelector.parse("jvm"))
                .kernel("k")
                .writes(out, Access.slice())
                .jvm(c -> {
                    throw new IllegalStateException("no luck");
                })
                .build();
    }

    static Job scale(DataBuffer in, DataBuffer out) {
        return Job.named("scale")
                .source(SOURCE)
                .units(N)
                .kernel("scale")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .jvm(ManagedBufferTest::scaleInJava)
                .build();
    }

    private static Job churn(DataBuffer in, DataBuffer out, DeviceInfo on) {
        return Job.named("churn")
                .source(SOURCE)
                .units(N)
                .kernel("churn")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .devices(DeviceSelector.parse(on.id()))
                .jvm(c -> c.buffer(1).asIntBuffer().put(churned(copy(c.buffer(0).asIntBuffer(), c.units()))))
                .build();
    }

    private static int[] copy(IntBuffer from, int count) {
        int[] values = new int[count];
        from.get(values);
        return values;
    }

    private static int[] churned(int[] values) {
        int[] after = values.clone();
        for (int k = 0; k < 200; k++) {
            for (int i = 0; i < after.length; i++) {
                after[i] = 3 * after[i] + 1;
            }
        }
        return after;
    }

    static Job blur(DataBuffer in, DataBuffer out) {
        return Job.named("blur")
                .source(SOURCE)
                .units(N)
                .kernel("blur")
                .reads(in, Access.slice().halo(1, 1))
                .viewStart(in)
                .writes(out, Access.slice())
                .chunkStart()
                .scalar((long) N)
                .jvm(c -> {
                    IntBuffer ins = c.buffer(0).asIntBuffer();
                    IntBuffer outs = c.buffer(2).asIntBuffer();
                    int start = c.viewStart(0);
                    for (int i = 0; i < c.units(); i++) {
                        long at = c.firstUnit() + i;
                        outs.put(
                                i,
                                (at > 0 ? ins.get(start + i - 1) : 7)
                                        + 5 * ins.get(start + i)
                                        + (at + 1 < N ? ins.get(start + i + 1) : 9));
                    }
                })
                .build();
    }

    static Job add(DataBuffer values, DataBuffer table) {
        return Job.named("add")
                .source(SOURCE)
                .units(N)
                .kernel("add")
                .updates(values, Access.slice())
                .reads(table, Access.whole())
                .jvm(ManagedBufferTest::addInJava)
                .build();
    }

    static Job total(DataBuffer in, DataBuffer sum) {
        return Job.named("total")
                .source(SOURCE)
                .units(N)
                .kernel("total")
                .reads(in, Access.slice())
                .reduces(sum, Reduction.SUM)
                .jvm(c -> {
                    IntBuffer sums = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        sums.put(0, sums.get(0) + c.buffer(0).asIntBuffer().get(i));
                    }
                })
                .build();
    }

    static int[] content(ManagedBuffer buffer) {
        int[] all = new int[(int) buffer.elements()];
        try (ManagedBuffer.Scope scope = buffer.read()) {
            scope.ints().get(all);
        }
        return all;
    }

    static void fill(ManagedBuffer buffer, int[] values) {
        try (ManagedBuffer.Scope scope = buffer.overwrite()) {
            scope.ints().put(values);
        }
    }

    private static long bytesMoved(Report report) {
        return report.devices().stream()
                .mapToLong(use -> use.bytesIn() + use.bytesOut())
                .sum();
    }

    // ---- what moves ----

    @Test
    void onOneDeviceNothingMovesAfterTheFirstStep() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            int[] expected = IntStream.range(0, N).toArray();
            fill(a, expected);
            Report first = evener.submit(scale(a, b)).join();
            assertEquals(4L * N, bytesMoved(first), "the input goes there, and nothing comes back");
            for (int i = 0; i < 10; i++) {
                assertEquals(0, bytesMoved(evener.submit(scale(b, a)).join()));
                assertEquals(0, bytesMoved(evener.submit(blur(a, b)).join()));
            }
            expected = scaled(expected);
            for (int i = 0; i < 10; i++) {
                expected = blurred(scaled(expected));
            }
            assertArrayEquals(expected, content(b));
            assertEquals(0, bytesMoved(evener.submit(scale(b, a)).join()), "what the host has read stays there too");
        }
    }

    @Test
    void betweenTwoDevicesOnlyHalosMove() {
        try (Evener evener = discrete("0.0,0.1").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            Policy half = Policies.fixed(0.5, 0.5);
            int[] expected = IntStream.range(0, N).map(i -> i * i).toArray();
            fill(a, expected);
            evener.submit(scale(a, b), half).join();
            expected = scaled(expected);
            for (int i = 0; i < 10; i++) {
                long moved = bytesMoved(evener.submit(blur(b, a), half).join());
                assertTrue(moved > 0 && moved <= 16, moved + " bytes: each device is sent its neighbour's element");
                assertEquals(0, bytesMoved(evener.submit(scale(a, b), half).join()));
                expected = scaled(blurred(expected));
            }
            assertArrayEquals(expected, content(b));
        }
    }

    static int[] scaled(int[] in) {
        return Arrays.stream(in).map(v -> 3 * v + 1).toArray();
    }

    private static int[] blurred(int[] in) {
        return IntStream.range(0, N)
                .map(i -> (i > 0 ? in[i - 1] : 7) + 5 * in[i] + (i + 1 < N ? in[i + 1] : 9))
                .toArray();
    }

    // ---- host steps ----

    @Test
    void aHostStepIsGivenWhatItAsksForAndNothingElseMoves() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer table = evener.allocateManaged(ElementType.INT, 64);
            int[] values = IntStream.range(0, N).toArray();
            fill(a, values);
            Job job = Job.named("table")
                    .source(SOURCE)
                    .units(N)
                    .kernel("scale")
                    .reads(a, Access.slice())
                    .writes(b, Access.slice())
                    .hostStep(
                            host -> host.update(table, 0, 1)
                                    .putInt(host.read(b, 63, 1).getInt()),
                            table)
                    .kernel("add")
                    .updates(b, Access.slice())
                    .reads(table, Access.whole())
                    .build();
            int[] expected = scaled(values);
            for (int i = 0; i < N; i++) {
                expected[i] += (expected[i] & 63) == 0 ? 3 * 63 + 1 : 0;
            }
            assertEquals(
                    4L * N + 4 * 64 + 4,
                    bytesMoved(evener.submit(job).join()),
                    "the input, the table, and what is read");
            assertArrayEquals(expected, content(b));
            assertEquals(8, bytesMoved(evener.submit(job).join()), "what is read, and one element of the table");
            assertArrayEquals(expected, content(b));
        }
    }

    @Test
    void aHostStepSeesTheBuffersOfItsJobOnly() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer c = evener.allocateManaged(ElementType.INT, 4);
            AtomicReference<DataBuffer.HostAccess> kept = new AtomicReference<>();
            Map<String, Consumer<DataBuffer.HostAccess>> wrong = Map.of(
                    "is no argument of it",
                    host -> host.read(c, 0, 1),
                    "name this buffer of " + N + " int",
                    host -> host.update(b, 0, 1),
                    "out of bounds",
                    host -> host.read(a, N - 1, 2));
            for (Map.Entry<String, Consumer<DataBuffer.HostAccess>> each : wrong.entrySet()) {
                Job job = step(a, b, each.getValue());
                CompletionException ended = assertThrows(
                        CompletionException.class, () -> evener.submit(job).join());
                assertTrue(ended.getMessage().contains(each.getKey()), ended.getMessage());
            }
            evener.submit(step(a, b, kept::set)).join();
            assertThrows(IllegalStateException.class, () -> kept.get().read(a, 0, 1));
            c.close();
            Job closed = step(a, b, host -> {}, c);
            CompletionException ended = assertThrows(
                    CompletionException.class, () -> evener.submit(closed).join());
            assertTrue(ended.getMessage().contains("host step writes is closed"), ended.getMessage());
        }
    }

    private static Job step(DataBuffer in, DataBuffer out, Consumer<DataBuffer.HostAccess> step, DataBuffer... writes) {
        return Job.named("step")
                .source(SOURCE)
                .units(N)
                .kernel("scale")
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .jvm(c -> {})
                .hostStep(step, writes)
                .build();
    }

    // ---- scopes ----

    @Test
    void aNewBufferIsZeroAndAScopeOfARangeLeavesTheRest() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            assertArrayEquals(new int[N], content(a));
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            evener.submit(scale(a, b)).join();
            try (ManagedBuffer.Scope scope = b.update(100, 2)) {
                assertEquals(8, scope.bytes().capacity());
                scope.ints().put(0, 5).put(1, 6);
            }
            try (ManagedBuffer.Scope scope = b.update(101, 2)) {
                assertEquals(6, scope.ints().get(0));
                assertEquals(1, scope.ints().get(1));
                scope.ints().put(1, 7);
            }
            ManagedBuffer c = evener.allocateManaged(ElementType.INT, N);
            long moved = bytesMoved(evener.submit(scale(b, c)).join());
            assertEquals(3 * 4, moved, "what the host has written");
            try (ManagedBuffer.Scope scope = c.read(99, 5)) {
                int[] seen = new int[5];
                scope.ints().get(seen);
                assertArrayEquals(new int[] {4, 16, 19, 22, 4}, seen);
                assertThrows(ReadOnlyBufferException.class, () -> scope.ints().put(0, 1));
            }
        }
    }

    /** What a scope does not write has the same value wherever the buffer was written: in place, on a device of its own memory, in Java. */
    @ParameterizedTest
    @ValueSource(strings = {"in place", "own memory", "jvm"})
    void whatAWriteScopeLeavesKeepsItsValue(String where) {
        try (Evener evener = discrete(where.equals("jvm") ? "jvm" : "0.0")
                .sharedMemory(where.equals("in place"))
                .open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            int[] expected = IntStream.range(0, N).toArray();
            fill(a, expected);
            fill(b, new int[N]); // what the host's memory holds until it is sent what the device wrote
            List<Supplier<ManagedBuffer.Scope>> ways = List.of(
                    b::update,
                    () -> b.update(0, 9),
                    () -> b.updateAsync().join(),
                    () -> b.updateAsync(0, 9).join());
            for (Supplier<ManagedBuffer.Scope> way : ways) {
                evener.submit(scale(a, b)).join();
                int[] after = scaled(expected);
                try (ManagedBuffer.Scope scope = way.get()) {
                    assertEquals(after[8], scope.ints().get(8));
                    scope.ints().put(3, -1);
                }
                after[3] = -1;
                assertArrayEquals(after, content(b));
            }
        }
    }

    /** A promise to write all is worth something: no byte is fetched, and what was lost is whole again, which to keep is impossible. */
    @Test
    void whatIsOverwrittenIsNotFetched() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            List<Supplier<ManagedBuffer.Scope>> ways = List.of(
                    b::overwrite,
                    () -> b.overwrite(5, N - 5),
                    () -> b.overwriteAsync().join(),
                    () -> b.overwriteAsync(5, N - 5).join());
            Directory directory = LogicalBuffer.of(b).directory();
            for (Supplier<ManagedBuffer.Scope> way : ways) {
                evener.submit(scale(a, b), Policies.single(0)).join();
                assertEquals(4L * N, directory.missing(null, 0, 4L * N));
                int[] expected = new int[N];
                Arrays.fill(expected, 7);
                try (ManagedBuffer.Scope scope = way.get()) {
                    assertEquals(4L * N, directory.missing(null, 0, 4L * N), "nothing was fetched");
                    int count = scope.ints().capacity();
                    scope.ints().put(expected, 0, count);
                    Arrays.fill(expected, 0, N - count, 1); // as the job wrote
                }
                assertArrayEquals(expected, content(b));
            }
            assertThrows(
                    CompletionException.class, () -> evener.submit(failing(b)).join());
            for (Supplier<ManagedBuffer.Scope> way :
                    List.<Supplier<ManagedBuffer.Scope>>of(b::update, () -> b.update(0, 1))) {
                DataLostException lost = assertThrows(DataLostException.class, way::get);
                assertTrue(lost.getMessage().contains("overwrite()"), lost.getMessage());
            }
            assertThrows(CompletionException.class, () -> b.updateAsync().join());
            int[] anew = IntStream.range(0, N).toArray();
            fill(b, anew);
            assertArrayEquals(anew, content(b));
        }
    }

    /** Many pieces are sent as one, unless the host has an older value between them. */
    @Test
    void manyPiecesThatTheHostWroteLeaveWhatIsBetweenThemAsTheDeviceHasIt() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            fill(a, IntStream.range(0, N).toArray());
            fill(b, new int[N]); // which the host's memory still holds when the device has written all of it
            int[] expected = scaled(IntStream.range(0, N).toArray());
            evener.submit(scale(a, b)).join();
            for (int at = 0; at < N; at += N / 20) {
                try (ManagedBuffer.Scope scope = b.update(at, 1)) {
                    scope.ints().put(0, -at);
                }
                expected[at] = -at;
            }
            evener.submit(scale(b, a)).join();
            assertArrayEquals(scaled(expected), content(a));
        }
    }

    @Test
    void whatIsDiscardedInItsOrderIsZeroAndCostsNoTransfer() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            fill(a, IntStream.range(0, N).toArray());
            try (ManagedBuffer.Scope holds = a.update()) {
                JobFuture ignored = evener.submit(scale(a, b));
                a.discard();
                b.discard();
                ignored = evener.submit(scale(a, b));
                holds.ints().put(0, 5);
            }
            int[] ones = new int[N];
            Arrays.fill(ones, 1);
            assertArrayEquals(ones, content(b));
            a.discard();
            b.discard();
            assertArrayEquals(new int[N], content(a), "whatever the host's memory held");
            evener.submit(scale(a, b)).join();
            a.discard();
            assertEquals(0, bytesMoved(evener.submit(scale(b, a)).join()), "the memory on the device is still there");
            b.discard();
            try (ManagedBuffer.Scope some = b.update(7, 1)) {
                some.ints().put(0, 3);
            }
            int[] expected = new int[N];
            expected[7] = 3;
            assertArrayEquals(expected, content(b));
            assertEquals(4, content(a)[0]);
            a.close();
            assertThrows(IllegalStateException.class, a::discard);
        }
    }

    @Test
    void aScopeThatIsClosedGivesNoViewAndABufferThatIsClosedNoScope() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, 8);
            ManagedBuffer.Scope scope = a.read();
            scope.close();
            scope.close();
            assertThrows(IllegalStateException.class, scope::bytes);
            assertThrows(IndexOutOfBoundsException.class, () -> a.read(4, 5));
            ManagedBuffer.Scope last = a.update();
            a.close();
            last.ints().put(0, 1);
            last.close();
            assertThrows(IllegalStateException.class, a::read);
            Exception refused = assertThrows(
                    EvenerException.class, () -> evener.allocateManaged(ElementType.INT, Long.MAX_VALUE / 8));
            assertTrue(refused.getMessage().contains("larger than any memory"), refused.getMessage());
            refused = assertThrows(EvenerException.class, () -> evener.allocateManaged(ElementType.INT, 1L << 45));
            assertTrue(
                    refused.getMessage()
                            .matches(
                                    "a buffer of 35184372088832 int \\(140737488355328 bytes\\) is larger than the memory of"
                                            + " the host and of all devices together, \\d+ bytes"),
                    refused.getMessage());
        }
    }

    @Test
    void scopesAndJobsHaveTheirTurnsInTheOrderInWhichTheyWereAskedFor() throws Exception {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer.Scope writes = a.update();
            JobFuture job = evener.submit(scale(a, b));
            CountDownLatch asked = new CountDownLatch(1);
            AtomicReference<int[]> read = new AtomicReference<>();
            Thread reader = new Thread(() -> {
                asked.countDown();
                read.set(content(b));
            });
            reader.start();
            asked.await();
            for (int i = 0; i < N; i++) {
                writes.ints().put(i, i);
            }
            assertFalse(job.isDone());
            writes.close();
            reader.join();
            assertArrayEquals(scaled(IntStream.range(0, N).toArray()), read.get());
            try (ManagedBuffer.Scope one = b.read();
                    ManagedBuffer.Scope other = b.read()) {
                assertEquals(one.ints().get(5), other.ints().get(5));
                evener.submit(scale(b, a)).get(60, TimeUnit.SECONDS); // which only reads it as well
            }
        }
    }

    @Test
    void anEvenerThatIsClosedWaitsForNoScope() {
        Evener evener = discrete("0.0,jvm").open();
        ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
        ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
        ManagedBuffer.Scope open = a.update();
        JobFuture waits = evener.submit(scale(a, b));
        JobFuture waitsToo = evener.submit(scale(b, a));
        long start = System.nanoTime();
        evener.close();
        assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(25), "each step of closing has half a minute");
        for (JobFuture each : List.of(waits, waitsToo)) {
            CompletionException ended = assertThrows(CompletionException.class, each::join);
            assertTrue(ended.getMessage().contains("was closed"), ended.getMessage());
        }
        open.ints().put(0, 1);
        open.close();
        assertThrows(IllegalStateException.class, a::read);
    }

    @Test
    void aScopeInAJavaKernelOrHostStepIsRefusedAndInACallbackIsNot() {
        try (Evener evener = discrete("jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, 1);
            Job step = Job.named("step")
                    .units(1)
                    .kernel("k")
                    .reads(a, Access.slice())
                    .jvm(c -> {})
                    .hostStep(() -> content(a))
                    .build();
            CompletionException failed = assertThrows(
                    CompletionException.class, () -> evener.submit(step).join());
            assertTrue(failed.getMessage().contains("in the thread that submits"), failed.getMessage());
            Job good = Job.named("good")
                    .units(1)
                    .kernel("k")
                    .writes(a, Access.slice())
                    .jvm(c -> c.buffer(0).putInt(0, 4))
                    .build();
            assertEquals(
                    4, evener.submit(good).thenApply(report -> content(a)[0]).join());
        }
    }

    // ---- loss ----

    @Test
    void whatAFailedJobWasToWriteIsLostUntilItIsWrittenAnew() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            JobFuture first = evener.submit(failing(a));
            JobFuture second = evener.submit(scale(a, b)); // submitted before anybody knows
            assertThrows(CompletionException.class, first::join);
            CompletionException also = assertThrows(CompletionException.class, second::join);
            assertTrue(also.getMessage().contains("no luck"), also.getMessage());
            assertInstanceOf(DataLostException.class, also.getCause().getCause());
            assertEquals(0, content(b)[0], "nothing of the second was run");
            DataLostException lost = assertThrows(DataLostException.class, () -> content(a));
            assertTrue(lost.getMessage().contains("no luck"), lost.getMessage());
            fill(a, new int[N]);
            b.discard();
            assertEquals(0, content(b)[0]);
            evener.submit(scale(a, b)).join();
            assertEquals(1, content(b)[N - 1]);
        }
    }

    @Test
    void aJobMayReadWhatWasLostOnceItHasWrittenItAnew() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer table = evener.allocateManaged(ElementType.INT, 64);
            assertThrows(
                    CompletionException.class, () -> evener.submit(failing(b)).join());
            Job job = Job.named("anew")
                    .source(SOURCE)
                    .units(N)
                    .kernel("scale")
                    .reads(a, Access.slice())
                    .writes(b, Access.slice())
                    .jvm(ManagedBufferTest::scaleInJava)
                    .kernel("add")
                    .updates(b, Access.slice())
                    .reads(table, Access.whole())
                    .jvm(ManagedBufferTest::addInJava)
                    .build();
            evener.submit(job).join();
            assertEquals(1, content(b)[N - 1]);
        }
    }

    @Test
    void aReductionReplacesWhatWasLost() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer sum = evener.allocateManaged(ElementType.INT, 1);
            Job fails = Job.named("fails")
                    .units(1)
                    .devices(DeviceSelector.parse("jvm"))
                    .kernel("k")
                    .writes(sum, Access.slice())
                    .jvm(c -> {
                        throw new IllegalStateException("no luck");
                    })
                    .build();
            assertThrows(CompletionException.class, () -> evener.submit(fails).join());
            fill(a, IntStream.range(0, N).toArray());
            evener.submit(total(a, sum)).join();
            assertEquals(N / 2 * (N - 1), content(sum)[0]);
            assertThrows(CompletionException.class, () -> evener.submit(fails).join());
            Job doubled = Job.named("doubled")
                    .source(SOURCE)
                    .units(N)
                    .kernel("total")
                    .reads(a, Access.slice())
                    .reduces(sum, Reduction.SUM)
                    .hostStep(
                            host -> host.update(sum, 0, 1)
                                    .putInt(0, 2 * host.read(sum, 0, 1).getInt()),
                            sum)
                    .devices(DeviceSelector.parse("0.0"))
                    .build();
            evener.submit(doubled).join();
            assertEquals(N * (N - 1), content(sum)[0]);
        }
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsLeavesWhatItWasToWriteAsItWas() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer c = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer.Scope holds = a.update(); // so that nothing runs yet
            JobFuture one = evener.submit(scale(a, b));
            JobFuture two = evener.submit(scale(b, c));
            JobFuture cancelled = evener.submit(scale(c, b));
            CompletableFuture<ManagedBuffer.Scope> counts = b.readAsync(); // that it is not
            JobFuture too = evener.submit(add(a, b));
            assertTrue(cancelled.cancel(false));
            JobFuture knows = evener.submit(add(c, b));
            holds.close();
            one.join();
            two.join();
            CompletionException failure = assertThrows(CompletionException.class, counts::join);
            DataLostException lost = assertInstanceOf(DataLostException.class, failure.getCause());
            assertEquals("job 'scale' was cancelled", lost.reason());
            assertEquals(
                    "the 16384 elements from 0 on that an earlier job was to write to the buffer of 16384 int are lost:"
                            + " job 'scale' was cancelled; write them anew by a job or overwrite(), or give them up by"
                            + " discard()",
                    lost.getMessage());
            failure = assertThrows(CompletionException.class, too::join);
            assertInstanceOf(DataLostException.class, failure.getCause());
            assertEquals(0, content(a)[0]);
            assertEquals(1, content(b)[0]);
            knows.join();
            assertEquals(5, content(c)[0]);
        }
    }

    // ---- mirroring ----

    @Test
    void whatIsMirroredIsOnTheHostAndStaysOnTheDevice() {
        try (Evener evener = discrete("0.0").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N).mirror();
            int[] expected = IntStream.range(0, N).toArray();
            fill(a, expected);
            assertEquals(4L * N * 2, bytesMoved(evener.submit(scale(a, b)).join()), "there and back");
            assertEquals(0, bytesMoved(evener.submit(scale(b, a)).join()));
            a.mirror(); // which has what the device alone holds fetched
            assertEquals(4L * N, bytesMoved(evener.submit(scale(b, a)).join()));
            assertEquals(4L * N, bytesMoved(evener.submit(scale(a, b)).join()));
            expected = scaled(scaled(scaled(expected)));
            assertArrayEquals(expected, content(b));
            b.discard();
            evener.submit(add(b, a)).join();
            int[] sums = new int[N];
            Arrays.fill(sums, content(a)[0]);
            assertArrayEquals(sums, content(b));
        }
    }

    @Test
    void whatAFailedJobWasToWriteIsLostThoughItIsMirrored() {
        try (Evener evener = discrete("0.0,jvm").open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N).mirror();
            JobFuture job = evener.submit(failing(a));
            assertThrows(CompletionException.class, job::join);
            assertThrows(DataLostException.class, () -> content(a));
            fill(a, new int[N]);
            assertEquals(0, content(a)[1]);
            a.close();
            assertThrows(IllegalStateException.class, a::mirror);
        }
    }

    // ---- prefetching ----

    @Test
    void whatIsPrefetchedInItsOrderIsThereWhenAJobNeedsIt() {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Evener evener = discrete("0.0,0.1,jvm")
                .listener(event -> heard.add(event.toString()))
                .open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer c = evener.allocateManaged(ElementType.INT, N);
            int[] values = IntStream.range(0, N).toArray();
            ManagedBuffer.Scope writes = a.update();
            CompletableFuture<?> there = evener.prefetch(a, DeviceSelector.parse("0.0,0.1"));
            writes.ints().put(values);
            assertFalse(there.isDone());
            writes.close();
            there.join();
            assertEquals(
                    0, bytesMoved(evener.submit(scale(a, b), Policies.single(1)).join()));
            evener.prefetch(b, DeviceSelector.parse("jvm")).join();
            assertEquals(
                    0, bytesMoved(evener.submit(scale(b, c), Policies.single(2)).join()));
            assertArrayEquals(scaled(scaled(values)), content(c));
            assertTrue(evener.history().entries().stream()
                    .noneMatch(e -> e.kernels().contains("receive")));
            evener.prefetch(c, DeviceSelector.parse("gpu")).join();
        }
        assertTrue(heard.stream().anyMatch(e -> e.contains("prefetch")));
    }

    @Test
    void aPrefetchThatCannotBeEndsAllTheSame() throws Exception {
        try (Evener evener = discrete("0.0,jvm").mirrorBytes(100).open()) {
            ManagedBuffer a = evener.allocateManaged(ElementType.INT, N);
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, N);
            evener.prefetch(a, DeviceSelector.all()).get(60, TimeUnit.SECONDS);
            evener.submit(scale(a, b)).join();
            ManagedBuffer.Scope holds = a.update();
            JobFuture lost = evener.submit(failing(b));
            CompletableFuture<?> there = evener.prefetch(b, DeviceSelector.all());
            holds.close();
            there.get(60, TimeUnit.SECONDS);
            assertThrows(CompletionException.class, lost::join);
            assertThrows(DataLostException.class, () -> content(b));
            b.close();
            assertThrows(IllegalStateException.class, () -> evener.prefetch(b, DeviceSelector.all()));
        }
    }

    // ---- random programs ----

    /** Buffers of both kinds, jobs, scopes and cancels, with little memory: every value is the sequential one. */
    @ParameterizedTest
    @CsvSource({
        "1, '0.0,0.1', 1000000000",
        "2, '0.0,0.1,jvm', 1000000000",
        "3, '0.0,0.1', 200000",
        "4, '0.0,0.1,jvm', 140000",
        "8, '0.0,0.1,jvm', 140000", // copies are given up while other lanes write
        "9, '0.0,0.1,jvm', 140000",
        "10, '0.0,0.1', 140000",
    })
    void everyValueIsTheSequentialOne(long seed, String devices, long room) {
        runPrograms(discrete(devices).mirrorBytes(room), seed, false);
    }

    /** @param fails whether a device may, so that values may be said to be lost */
    static void runPrograms(EvenerBuilder builder, long seed, boolean fails) {
        Random random = new Random(seed);
        int lost = 0;
        int read = 0;
        try (Evener evener = builder.open()) {
            for (int program = 0; program < LongTests.orAll(12, 300); program++) {
                Program own = new Program(evener, random);
                for (int step = 0; step < 25; step++) {
                    own.step();
                }
                own.end();
                lost += own.lost;
                read += own.read;
            }
        }
        assertTrue(read > 10, lost + " were lost, " + read + " read");
        assertTrue(fails || lost == 0, lost + " were lost, though no device failed");
    }

    private static final class Program {
        private final Evener evener;
        private final Random random;
        private final List<DataBuffer> buffers = new ArrayList<>();
        private final List<int[]> expected = new ArrayList<>();
        private final List<CompletableFuture<?>> jobs = new ArrayList<>();
        private final List<CompletableFuture<?>> scopes = new ArrayList<>();
        private final List<Runnable> effects =
                new ArrayList<>(); // on what is expected, of what may not have ended well
        private int lost;
        private int read;

        Program(Evener evener, Random random) {
            this.evener = evener;
            this.random = random;
            for (int i = 0; i < 4; i++) {
                int[] values = random.ints(N).toArray();
                if (i < 3) {
                    ManagedBuffer made = evener.allocateManaged(ElementType.INT, N);
                    fill(made, values);
                    buffers.add(made);
                } else {
                    HostBuffer made = evener.allocate(ElementType.INT, N);
                    made.ints().put(values);
                    buffers.add(made);
                }
                expected.add(values);
            }
            buffers.add(evener.allocateManaged(ElementType.INT, 1));
            expected.add(new int[1]);
        }

        void step() {
            int in = random.nextInt(4);
            int out = (in + 1 + random.nextInt(3)) % 4;
            switch (random.nextInt(13)) {
                case 0 -> submit(scale(buffers.get(in), buffers.get(out)), out, () -> scaled(expected.get(in)));
                case 1 -> submit(blur(buffers.get(in), buffers.get(out)), out, () -> blurred(expected.get(in)));
                case 2 ->
                    submit(
                            add(buffers.get(out), buffers.get(in)),
                            out,
                            () -> added(expected.get(out), expected.get(in)));
                case 3 ->
                    submit(total(buffers.get(in), buffers.get(4)), 4, () ->
                            new int[] {Arrays.stream(expected.get(in)).sum()});
                case 4 -> hostWrites(random.nextInt(4));
                case 5 -> hostStep(in, out % 3, (out % 3 + 1 + random.nextInt(2)) % 3);
                case 6 -> readsLater(random.nextInt(5));
                case 7 -> writesLater(random.nextInt(3));
                case 8 -> discard(random.nextInt(5));
                case 9 -> mirror(random.nextInt(10));
                case 10 -> prefetch(random.nextInt(5));
                case 11 -> chain(in % 3, (in % 3 + 1 + random.nextInt(2)) % 3);
                default -> check(random.nextInt(5));
            }
        }

        private static int[] added(int[] values, int[] table) {
            return Arrays.stream(values).map(v -> v + table[v & 63]).toArray();
        }

        /** Jobs of one device that hand their results on there, submitted at once. */
        private void chain(int from, int to) {
            DeviceInfo device =
                    evener.devices().get(random.nextInt(evener.devices().size()));
            for (int links = 2 + random.nextInt(5), i = 0; i < links; i++) {
                int in = i % 2 == 0 ? from : to;
                int out = from + to - in;
                submit(churn(buffers.get(in), buffers.get(out), device), out, () -> churned(expected.get(in)));
            }
        }

        private void discard(int which) {
            if (buffers.get(which) instanceof ManagedBuffer managed) {
                managed.discard();
                effects.add(() -> expected.set(which, new int[(int) managed.elements()]));
            }
        }

        private void mirror(int which) {
            if (which < 5 && buffers.get(which) instanceof ManagedBuffer managed) {
                assertSame(managed, managed.mirror());
            }
        }

        private void prefetch(int which) {
            if (buffers.get(which) instanceof ManagedBuffer managed) {
                DeviceInfo device =
                        evener.devices().get(random.nextInt(evener.devices().size()));
                scopes.add(evener.prefetch(managed, DeviceSelector.parse(device.id())));
            }
        }

        /** A range is read once its turn comes; of those that nobody wants any more there is no telling when. */
        private void readsLater(int which) {
            if (buffers.get(which) instanceof ManagedBuffer managed) {
                int count = 1 + random.nextInt((int) managed.elements());
                int from = random.nextInt((int) managed.elements() - count + 1);
                int[] seen = new int[count];
                CompletableFuture<ManagedBuffer.Scope> scope = managed.readAsync(from, count);
                CompletableFuture<Boolean> done = scope.handle((open, failure) -> {
                    if (open != null) {
                        try (open) {
                            open.ints().get(seen);
                        }
                    } else {
                        assertTrue(
                                failure instanceof DataLostException || failure instanceof CancellationException,
                                failure::toString);
                    }
                    return open != null;
                });
                scopes.add(done);
                effects.add(() -> {
                    if (done.join()) {
                        assertArrayEquals(
                                Arrays.copyOfRange(expected.get(which), from, from + count),
                                seen,
                                "buffer " + which + " from " + from);
                    }
                });
                if (random.nextInt(4) == 0) {
                    scope.cancel(false);
                }
            }
        }

        /** A range is changed once its turn comes, or the future is cancelled and nothing is. */
        private void writesLater(int which) {
            if (buffers.get(which) instanceof ManagedBuffer managed) {
                int at = random.nextInt(N - 10);
                int[] values = random.ints(10).toArray();
                boolean updates = random.nextBoolean();
                CompletableFuture<ManagedBuffer.Scope> scope =
                        updates ? managed.updateAsync() : managed.overwriteAsync(at, values.length);
                CompletableFuture<Boolean> done = scope.handle((open, failure) -> {
                    if (open == null) {
                        return false;
                    }
                    try (open) {
                        open.ints().put(updates ? at : 0, values);
                    }
                    return true;
                });
                scopes.add(done);
                if (random.nextInt(4) == 0) {
                    scope.cancel(false);
                }
                effects.add(() -> {
                    if (done.join()) { // an update may have found that what it needs is lost
                        write(which, at, values);
                    }
                });
            }
        }

        private void write(int which, int at, int[] values) {
            int[] after = expected.get(which).clone();
            System.arraycopy(values, 0, after, at, values.length);
            expected.set(which, after);
        }

        /** Two phases, between which the host reads a part of the one's result, and writes a part of a table for the other. */
        private void hostStep(int in, int out, int table) {
            if (in == out || in == table) {
                return;
            }
            int from = random.nextInt(N - 5);
            int to = random.nextInt(80);
            Job job = Job.named("step")
                    .source(SOURCE)
                    .units(N)
                    .kernel("scale")
                    .reads(buffers.get(in), Access.slice())
                    .writes(buffers.get(out), Access.slice())
                    .jvm(ManagedBufferTest::scaleInJava)
                    .hostStep(
                            host -> host.update(buffers.get(table), to, 5).put(host.read(buffers.get(out), from, 5)),
                            buffers.get(table))
                    .kernel("add")
                    .updates(buffers.get(out), Access.slice())
                    .reads(buffers.get(table), Access.whole())
                    .jvm(ManagedBufferTest::addInJava)
                    .build();
            submit(job, out, () -> {
                int[] first = scaled(expected.get(in));
                write(table, to, Arrays.copyOfRange(first, from, from + 5));
                return added(first, expected.get(table));
            });
        }

        private void submit(Job job, int out, Supplier<int[]> result) {
            Policy policy = switch (random.nextInt(4)) {
                case 0 -> Policies.fixed();
                case 1 -> Policies.stealing();
                case 2 -> Policies.single();
                default -> Policies.guided();
            };
            JobFuture future = evener.submit(job, policy);
            jobs.add(future);
            boolean onHost = buffers.get(out) instanceof HostBuffer; // of which nobody is told that it is lost
            effects.add(() -> {
                if (onHost || !future.isCompletedExceptionally()) { // else it is as it was, or lost
                    expected.set(out, result.get());
                }
            });
            if (onHost) {
                settle();
                lost += future.isCompletedExceptionally() ? 1 : 0;
                ((HostBuffer) buffers.get(out)).ints().put(expected.get(out));
            }
        }

        /** Waits for all jobs so far, and works out what is expected now. */
        private void settle() {
            await();
            effects.forEach(Runnable::run);
            effects.clear();
        }

        private void hostWrites(int which) {
            int at = random.nextInt(N - 10);
            int[] values = random.ints(10).toArray();
            if (buffers.get(which) instanceof ManagedBuffer managed) {
                try (ManagedBuffer.Scope scope = managed.overwrite(at, values.length)) {
                    scope.ints().put(values);
                }
            } else {
                await();
                if (buffers.get(which) instanceof HostBuffer host) {
                    host.ints().put(at, values);
                }
            }
            effects.add(() -> write(which, at, values));
        }

        private void await() {
            for (CompletableFuture<?> job : jobs) {
                job.handle((report, e) -> null).join();
            }
        }

        private void check(int which) {
            if (buffers.get(which) instanceof ManagedBuffer managed) {
                try {
                    int[] seen = content(managed);
                    effects.add(() -> assertArrayEquals(expected.get(which), seen, "buffer " + which));
                    read++;
                } catch (DataLostException e) {
                    lost++;
                    settle();
                    fill(managed, expected.get(which));
                }
            }
        }

        void end() {
            await();
            scopes.forEach(CompletableFuture::join);
            for (int i = 0; i < buffers.size(); i++) {
                check(i);
            }
            settle();
            buffers.forEach(DataBuffer::close);
        }
    }
}
