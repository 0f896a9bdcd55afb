package dev.evener;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.internal.job.JobSpec;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are made from one that was built: on two devices taken for discrete ones, and beside them the JVM lane. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobTemplateTest {
    private static final int N = 1 << 12;
    private static final Policy THIRDS = Policies.fixed(0.25, 0.25, 0.5);
    private static final String SOURCE = """
            kernel void scale(global const int *in, global int *out, int by) {
                size_t i = get_global_id(0);
                out[i] = by * in[i] + 1;
            }
            kernel void blur(global const int *in, ulong start, global int *out, ulong first) {
                size_t i = get_global_id(0), at = first + i;
                out[i] = (at > 0 ? in[start + i - 1] : 7) + 5 * in[start + i];
            }
            kernel void add(global int *values, global const int *table) {
                size_t i = get_global_id(0);
                values[i] += table[i & 63];
            }
            kernel void total(global const int *in, global int *sum) {
                atomic_add(sum, in[get_global_id(0)]);
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private Evener evener;
    private ManagedBuffer a;
    private ManagedBuffer b;
    private ManagedBuffer c;
    private final int[] values = IntStream.range(0, N).map(i -> i * 7 - 300).toArray();

    @BeforeEach
    void open() {
        evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1,jvm"))
                .sharedMemory(false)
                .policy(THIRDS)
                .history(History.inMemory())
                .open();
        a = ints(N);
        b = ints(N);
        c = ints(N);
        fill(a, values);
    }

    @AfterEach
    void close() {
        evener.close();
        assertEquals(before, NativeLedger.live());
    }

    private ManagedBuffer ints(int elements) {
        return evener.allocateManaged(ElementType.INT, elements);
    }

    private static void fill(ManagedBuffer buffer, int[] values) {
        try (ManagedBuffer.Scope scope = buffer.overwrite()) {
            scope.ints().put(values);
        }
    }

    private static int[] content(ManagedBuffer buffer) {
        int[] all = new int[(int) buffer.elements()];
        try (ManagedBuffer.Scope scope = buffer.read()) {
            scope.ints().get(all);
        }
        return all;
    }

    private void run(Job job) {
        Report report = evener.submit(job).join();
        assertTrue(report.failures().isEmpty(), report.failures().toString());
    }

    // ---- jobs, and what they compute ----

    private static JobBuilder scaling(DataBuffer in, DataBuffer out) {
        return Job.named("scale")
                .source(SOURCE)
                .units(N)
                .kernel("scale")
                .reads(in, slice())
                .writes(out, slice())
                .scalar("by", 3)
                .jvm(chunk -> {
                    IntBuffer from = chunk.buffer(0).asIntBuffer();
                    for (int i = 0; i < chunk.units(); i++) {
                        chunk.buffer(1).asIntBuffer().put(i, chunk.scalar(2).intValue() * from.get(i) + 1);
                    }
                });
    }

    private static Job scale(DataBuffer in, DataBuffer out) {
        return scaling(in, out).build();
    }

    private static JobBuilder blur(JobBuilder job, DataBuffer in, DataBuffer out) {
        return job.kernel("blur")
                .reads(in, slice().halo(1, 0))
                .viewStart(in)
                .writes(out, slice())
                .chunkStart()
                .jvm(chunk -> {
                    IntBuffer from = chunk.buffer(0).asIntBuffer();
                    int start = chunk.viewStart(0);
                    for (int i = 0; i < chunk.units(); i++) {
                        int left = chunk.firstUnit() + i > 0 ? from.get(start + i - 1) : 7;
                        chunk.buffer(2).asIntBuffer().put(i, left + 5 * from.get(start + i));
                    }
                });
    }

    private static JobBuilder add(JobBuilder job, DataBuffer to, DataBuffer table) {
        return job.kernel("add").updates(to, slice()).reads(table, whole()).jvm(chunk -> {
            IntBuffer all = chunk.buffer(0).asIntBuffer();
            for (int i = 0; i < chunk.units(); i++) {
                int at = (int) ((chunk.firstUnit() + i) & 63);
                all.put(i, all.get(i) + chunk.buffer(1).asIntBuffer().get(at));
            }
        });
    }

    private static int[] scaled(int[] in, int by) {
        return IntStream.of(in).map(v -> by * v + 1).toArray();
    }

    private static int[] blurred(int[] in) {
        return IntStream.range(0, N)
                .map(i -> (i > 0 ? in[i - 1] : 7) + 5 * in[i])
                .toArray();
    }

    // ---- other buffers ----

    @Test
    void buffersSwapInOneCall() {
        Job there = blur(Job.named("blur").source(SOURCE).units(N), a, b).build();
        Job back = there.swap(a, b);
        int[] expected = values;
        for (int i = 0; i < 6; i++) {
            run(i % 2 == 0 ? there : back);
            expected = blurred(expected);
        }
        assertArrayEquals(expected, content(a));
        assertTrue(back.uses(a) && back.uses(b) && !back.uses(c));
        assertEquals("blur", back.name());
        assertEquals(N, back.units());
    }

    @Test
    void severalAreReplacedAtOnceInEachPhase() {
        ManagedBuffer table = ints(64);
        ManagedBuffer other = ints(64);
        fill(table, new int[64]);
        fill(other, IntStream.range(0, 64).toArray());
        Job job = add(blur(scaling(a, b), b, c), c, table).build();
        run(job.with(Map.of(a, c, c, a, table, other))); // a is what c was
        assertArrayEquals(new int[N], content(c), "it was read");
        int[] expected = blurred(scaled(new int[N], 3));
        for (int i = 0; i < N; i++) {
            expected[i] += i & 63;
        }
        assertArrayEquals(expected, content(a));
        fill(a, values);
        run(job);
        assertArrayEquals(blurred(scaled(values, 3)), content(c), "the job itself is as it was");
    }

    @Test
    void aBufferOfSeveralKernelsOfAPhaseStaysOneMemory() {
        ManagedBuffer table = ints(64);
        fill(table, IntStream.range(0, 64).toArray());
        Job job = Job.named("both")
                .source(SOURCE)
                .units(N)
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed(0.5, 0.5))
                .kernel("scale")
                .reads(a, slice())
                .writes(b, slice())
                .scalar("by", 3)
                .then("add")
                .updates(b, slice())
                .reads(table, whole())
                .build();
        run(job.with(Map.of(b, c)));
        int[] expected = scaled(values, 3);
        for (int i = 0; i < N; i++) {
            expected[i] += i & 63;
        }
        assertArrayEquals(expected, content(c));
        assertArrayEquals(new int[N], content(b));
    }

    @Test
    void aSliceMayBePartOfALargerBuffer() {
        ManagedBuffer larger = ints(2 * N);
        run(scale(a, b).with(Map.of(b, larger)));
        int[] all = content(larger);
        assertArrayEquals(scaled(values, 3), IntStream.of(all).limit(N).toArray());
        assertArrayEquals(new int[N], IntStream.of(all).skip(N).toArray());
    }

    @Test
    void resultsGoToTheReplacement() {
        Job job = Job.named("total")
                .source(SOURCE)
                .units(N)
                .kernel("total")
                .reads(a, slice())
                .reduces(b, Reduction.SUM)
                .jvm(chunk -> {
                    IntBuffer sum = chunk.buffer(1).asIntBuffer();
                    for (int i = 0; i < chunk.units(); i++) {
                        sum.put(0, sum.get(0) + chunk.buffer(0).asIntBuffer().get(i));
                    }
                })
                .build();
        refused(
                "kernel total: argument 1 has 4096 elements, and what replaces it must have as many, not 1",
                job,
                b,
                ints(1));
        ManagedBuffer one = ints(1);
        ManagedBuffer other = ints(1);
        Job small = Job.named("total")
                .source(SOURCE)
                .units(N)
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed(0.5, 0.5))
                .kernel("total")
                .reads(a, slice())
                .reduces(one, Reduction.SUM)
                .build();
        run(small.with(Map.of(one, other)));
        assertEquals(IntStream.of(values).sum(), content(other)[0]);
        assertEquals(0, content(one)[0]);
    }

    // ---- what is refused ----

    private static void refused(String message, Job job, DataBuffer present, DataBuffer replacement) {
        EvenerException e = assertThrows(EvenerException.class, () -> job.with(Map.of(present, replacement)));
        String colon = message.startsWith("kernel") ? ", " : ": ";
        assertEquals("job '" + job.name() + "'" + colon + message, e.getMessage());
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Job job = add(scaling(a, b), b, c).build();
        refused("kernel scale: argument 0 has 4095 elements, but 4096 units of 1 need more", job, a, ints(N - 1));
        refused(
                "its buffer of 4096 int cannot be replaced by a buffer of 4096 float",
                job,
                b,
                evener.allocateManaged(ElementType.FLOAT, N));
        refused(
                "kernel add: argument 1 has 4096 elements, and what replaces it must have as many, not 8192",
                job,
                c,
                ints(2 * N));
        ManagedBuffer closed = ints(N);
        closed.close();
        refused("kernel scale: argument 1 is a closed buffer", job, b, closed);
        refused("it has no such buffer of 4096 int to be replaced", job, ints(N), a);
        refused(
                "two of its buffers would become one, or lie over each other, with the buffer of 4096 int; what a kernel may do with one buffer in two places is checked by"
                        + " build() alone",
                job,
                a,
                b);
        EvenerException neither = assertThrows(EvenerException.class, () -> job.swap(ints(3), ints(4)));
        assertEquals(
                "job 'scale': it has neither the buffer of 3 int nor the buffer of 4 int that should swap",
                neither.getMessage());
        assertThrows(NullPointerException.class, () -> job.swap(a, null));
    }

    @Test
    void memoryThatCannotBeWrittenOrLiesOverAnotherIsRefused() {
        ByteBuffer memory = ByteBuffer.allocateDirect(8 * N + 8192)
                .alignedSlice(4096)
                .limit(8 * N)
                .order(ByteOrder.nativeOrder());
        HostBuffer fixed = evener.wrap(
                ElementType.INT, memory.slice(0, 4 * N).asReadOnlyBuffer().order(ByteOrder.nativeOrder()));
        HostBuffer first = evener.wrap(ElementType.INT, memory.slice(0, 4 * N).order(ByteOrder.nativeOrder()));
        HostBuffer half = evener.wrap(ElementType.INT, memory.slice(4096, 4 * N).order(ByteOrder.nativeOrder()));
        HostBuffer second =
                evener.wrap(ElementType.INT, memory.slice(4 * N, 4 * N).order(ByteOrder.nativeOrder()));
        Job job = scale(a, b);
        refused(
                "kernel scale: argument 1 would be written, but the memory of the buffer that replaces it was read-only"
                        + " when it was wrapped",
                job,
                b,
                fixed);
        EvenerException over = assertThrows(EvenerException.class, () -> job.with(Map.of(a, first, b, half)));
        assertTrue(over.getMessage().contains("lie over each other in memory"), over.getMessage());
        first.put(0, IntBuffer.wrap(values));
        run(job.with(Map.of(a, fixed, b, second)));
        int[] result = new int[N];
        second.get(0, IntBuffer.wrap(result));
        assertArrayEquals(scaled(values, 3), result);
    }

    @Test
    void segmentsMustSuitTheUnits() {
        try (Evener small = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .segmentBytes(1 << 12)
                .open()) {
            HostBuffer one = small.allocate(ElementType.INT, 900);
            HostBuffer out = small.allocate(ElementType.INT, 900);
            HostBuffer several = small.allocate(ElementType.INT, 9000);
            Job job = Job.named("j")
                    .units(300)
                    .kernel("k")
                    .reads(one, whole())
                    .writes(out, slice())
                    .jvm(chunk -> {})
                    .build();
            EvenerException e = assertThrows(EvenerException.class, () -> job.with(Map.of(one, several)));
            assertTrue(e.getMessage().contains("9000"), e.getMessage());
            Job large = Job.named("j")
                    .units(3000)
                    .kernel("k")
                    .writes(small.allocate(ElementType.INT, 9000, 3), slice())
                    .jvm(chunk -> {})
                    .build();
            DataBuffer present =
                    (DataBuffer) JobSpec.of(large).buffers().uses().iterator().next();
            e = assertThrows(EvenerException.class, () -> large.with(Map.of(present, several)));
            assertTrue(e.getMessage().contains("some units of 12 bytes would lie in two of them"), e.getMessage());
        }
    }

    // ---- scalars ----

    @Test
    void aScalarIsReplacedByName() {
        Job job = scale(a, b);
        run(job.with("by", 10));
        assertArrayEquals(scaled(values, 10), content(b));
        run(job.with("by", -2).with(Map.of(b, c)));
        assertArrayEquals(scaled(values, -2), content(c));
        EvenerException e = assertThrows(EvenerException.class, () -> job.with("by", 2f));
        assertEquals(
                "job 'scale': kernel scale, argument 2, scalar \"by\", is of type Integer, not Float", e.getMessage());
        e = assertThrows(EvenerException.class, () -> job.with("from", 2));
        assertEquals("job 'scale': it has no scalar \"from\"; there is by", e.getMessage());
        e = assertThrows(
                EvenerException.class,
                () -> scaling(a, b)
                        .scalar("n", 1)
                        .kernel("other")
                        .scalar("n", 1)
                        .scalar("n", 1L));
        assertEquals(
                "job 'scale': scalar \"n\" is Integer 1 and Long 1; a name is one value wherever the job has it, so give the other another name",
                e.getMessage());
        e = assertThrows(EvenerException.class, () -> scaling(a, b).scalar("x", BigInteger.ONE));
        assertEquals(
                "job 'scale': scalar \"x\" is a BigInteger; a kernel takes a Byte, Short, Integer, Long, Float or Double",
                e.getMessage());
    }

    // ---- host steps ----

    @Test
    void aHostStepSeesWhatTookTheBuffersPlace() {
        ManagedBuffer table = ints(64);
        ManagedBuffer other = ints(64);
        Job job = add(
                        scaling(a, b)
                                .hostStep(
                                        host -> host.update(table, 0, 1)
                                                .putInt(host.read(b, 5, 1).getInt()),
                                        table),
                        b,
                        table)
                .build();
        Job made = job.with(Map.of(table, other)).with(Map.of(b, c)).swap(a, c);
        fill(c, values);
        run(made); // reads c, writes a
        int[] expected = scaled(values, 3);
        int fifth = expected[5];
        assertEquals(fifth, content(other)[0]);
        assertEquals(0, content(table)[0]);
        for (int i = 0; i < N; i += 64) {
            expected[i] += fifth;
        }
        assertArrayEquals(expected, content(a));
        assertEquals(
                Set.of(other.range(0, 64), a.range(0, N)),
                JobSpec.of(made).buffers().writes(),
                "what jobs that follow have to wait for");
    }

    @Test
    void aHostStepNamesTheBuffersTheJobWasBuiltWith() {
        Job job = scaling(a, b)
                .hostStep(host -> host.read(c, 0, 1), new DataBuffer[0])
                .build();
        Job made = job.with(Map.of(b, c));
        CompletionException e = assertThrows(
                CompletionException.class, () -> evener.submit(made).join());
        assertTrue(e.getMessage().contains("is no argument of it"), e.getMessage());
    }

    @Test
    void aStepThatIsARunnableKeepsItsBuffers() {
        AtomicInteger ran = new AtomicInteger();
        Job job = scaling(a, b).hostStep(ran::incrementAndGet).build();
        refused(
                "the host step after kernel scale sees buffers through views that it has, and would not see those that take"
                        + " their place; give hostStep(host -> ..., writes)",
                job,
                b,
                c);
        run(job.with("by", 4));
        assertEquals(1, ran.get());
        assertArrayEquals(scaled(values, 4), content(b));
    }

    // ---- what is found once ----

    @Test
    void theFormForOneDeviceIsMadeFromItsOwn() {
        Job job = scaling(a, b)
                .alone(Job.named("alone")
                        .source(SOURCE)
                        .units(N)
                        .kernel("scale")
                        .reads(a, slice())
                        .writes(b, slice())
                        .scalar("by", 1000) // to tell the forms apart
                        .build())
                .build();
        Job made = job.with(Map.of(b, c));
        evener.submit(made.on(DeviceSelector.parse("0.0")), Policies.single()).join();
        assertArrayEquals(scaled(values, 1000), content(c));
        evener.submit(made.with("by", 5).on(DeviceSelector.parse("0.0")), Policies.single())
                .join();
        assertArrayEquals(scaled(values, 5), content(c));
        assertArrayEquals(new int[N], content(b));
    }

    @Test
    void itIsTheSameKindForTheHistory() {
        Job job = scale(a, b);
        Job made = job.swap(a, b).with("by", 2);
        List<DeviceInfo> devices = evener.devices();
        StoredHistory history = StoredHistory.of(evener.history());
        assertSame(history.of(job, devices), history.of(made, devices));
        assertSame(history.of(scale(c, a), devices), history.of(made, devices), "and as one that was built anew");
        assertSame(JobSpec.of(job).findings(), JobSpec.of(made).findings());
        assertFalse(JobSpec.of(scale(c, a)).findings() == JobSpec.of(job).findings());
        run(made);
        assertEquals(1, history.of(job, devices).model(N).jobs());
    }

    @Test
    void anotherRuntimeFindsItsOwn() {
        Job job = Job.named("j")
                .units(N)
                .source(SOURCE)
                .kernel("scale")
                .reads(a, slice())
                .writes(b, slice())
                .scalar(1)
                .build();
        List<DeviceInfo> coarse = List.of(MadeUpDevices.cpu("9.0", "p"));
        StoredHistory history = StoredHistory.inMemory();
        Object own = history.of(job, evener.devices());
        for (int i = 0; i < 20; i++) { // more than are kept
            history.of(job, List.of(MadeUpDevices.cpu("9." + i, "p")));
        }
        assertSame(own, history.of(job, evener.devices()));
        assertFalse(own == history.of(job, coarse));
    }
}
