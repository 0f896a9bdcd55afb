package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.testing.Faults;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges of buffers as arguments: every access, split and kind of device, against plain loops over arrays. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InTurn(2)
class RangeTest {
    private static final int LENGTH = 12_000;
    private static final int STEPS = LongTests.orAll(120, 2000);
    private static final String SOURCE = """
            __kernel void scale(__global const int *in, __global int *out) {
                size_t i = get_global_id(0);
                out[i] = 3 * in[i] + 1;
            }
            __kernel void blur(__global const int *in, ulong start, __global int *out, ulong first, ulong n) {
                size_t i = get_global_id(0), at = first + i;
                out[i] = (at > 0 ? in[start + i - 1] : 7) + 5 * in[start + i] + (at + 1 < n ? in[start + i + 1] : 9);
            }
            __kernel void add(__global int *values, __global const int *table) {
                size_t i = get_global_id(0);
                values[i] += table[values[i] & 31];
            }
            __kernel void total(__global const int *in, __global int *sum) {
                atomic_add(sum, in[get_global_id(0)]);
                atomic_add(sum + 1, 1);
            }
            __kernel void largest(__global const int *in, __global float *most) {
                most[get_global_id(0)] = (float) (in[get_global_id(0)] & 1023);
            }
            __kernel void odd(__global const int *in, __global int *slots, __global uint *counts) {
                size_t i = get_global_id(0);
                counts[i] = in[i] & 1;
                if (in[i] & 1) slots[i] = in[i];
            }
            __kernel void rows(__global const int *block, int pitch, int width, __global int *sums) {
                size_t row = get_global_id(0);
                int sum = 0;
                for (int c = 0; c < width; c++) sum += block[row * pitch + c];
                sums[row] = sum;
            }
            __kernel void bump(__global int *block, int pitch, int width) {
                size_t row = get_global_id(0);
                for (int c = 0; c < width; c++) block[row * pitch + c] += c + 1;
            }
            """;

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    private static EvenerBuilder lanes(String devices, boolean shared) {
        return Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(shared)
                .history(History.inMemory());
    }

    private static JobBuilder job(String kernel, long units) {
        return Job.named("range").source(SOURCE).units(units).kernel(kernel);
    }

    private static Job scale(DataBuffer in, DataBuffer out) {
        return job("scale", out.elements())
                .reads(in, Access.slice())
                .writes(out, Access.slice())
                .jvm(c -> {
                    IntBuffer ins = c.buffer(0).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        c.buffer(1).asIntBuffer().put(i, 3 * ins.get(i) + 1);
                    }
                })
                .build();
    }

    private static ManagedBuffer filled(Evener evener, int[] values) {
        ManagedBuffer made = evener.allocateManaged(ElementType.INT, values.length);
        ManagedBufferTest.fill(made, values);
        return made;
    }

    // ---- random programs ----

    @ParameterizedTest
    @CsvSource({
        "1, '0.0,0.1', true, 0, false, ''",
        "2, '0.0,0.1', false, 0, false, ''",
        "3, jvm, true, 0, false, ''",
        "4, '0.0,jvm', false, 0, false, ''",
        "5, '0.0,0.1', false, 60000, false, ''",
        "6, '0.0,0.1', false, 40000, false, 'lane=1,chunk=40,fault=error'",
        "7, '0.0,0.1,1.0', true, 0, false, 'lane=0,chunk=30,fault=error'",
        "8, '0.0,0.1', true, 0, true, ''",
        "9, '0.0,0.1', false, 100000, false, ''",
    })
    void everyProgramComputesWhatPlainLoopsDo(
            long seed, String devices, boolean shared, long room, boolean checked, String fault) {
        EvenerBuilder builder = lanes(devices, shared);
        if (room > 0) {
            builder.mirrorBytes(room).pieceBytes(seed == 9 ? 2_000 : 0);
        }
        if (checked) {
            builder.checked();
        }
        if (!fault.isEmpty()) {
            Faults.inject(builder, fault);
        }
        runProgram(builder, new Random(seed), STEPS, !fault.isEmpty());
    }

    /** @param mirrored whether no device alone holds anything, which would be lost with it */
    static void runProgram(EvenerBuilder builder, Random random, int steps, boolean mirrored) {
        try (Evener evener = builder.open()) {
            Program program = new Program(evener, random, mirrored);
            for (int i = 0; i < steps; i++) {
                program.step();
            }
            program.check();
        }
    }

    /** A buffer and what it must hold. */
    private static final class Array {
        final DataBuffer buffer;
        final int[] expected;

        Array(DataBuffer buffer, int[] expected) {
            this.buffer = buffer;
            this.expected = expected;
        }
    }

    /** A range of it. */
    private record View(Array of, int first, int count) {
        DataBuffer buffer() {
            return of.buffer.range(first, count);
        }

        int get(int i) {
            return of.expected[first + i];
        }

        void put(int i, int value) {
            of.expected[first + i] = value;
        }

        boolean meets(View other) {
            return of == other.of && first < other.first + other.count && other.first < first + count;
        }
    }

    private static final class Program {
        private final Evener evener;
        private final Random random;
        private final List<Array> arrays = new ArrayList<>();
        private final List<JobFuture> waiting = new ArrayList<>();

        /** @param mirrored whether no device alone holds anything, which would be lost with it */
        Program(Evener evener, Random random, boolean mirrored) {
            this.evener = evener;
            this.random = random;
            for (int i = 0; i < 4; i++) {
                int[] values = random.ints(LENGTH).toArray();
                ManagedBuffer managed = filled(evener, values);
                arrays.add(new Array(i == 3 || mirrored ? managed.mirror() : managed, values));
            }
            for (int i = 0; i < 2; i++) {
                int[] values = random.ints(LENGTH).toArray();
                HostBuffer host = evener.allocate(ElementType.INT, LENGTH);
                host.put(0, IntBuffer.wrap(values));
                arrays.add(new Array(host, values));
            }
        }

        private View any(int count) {
            int most = LENGTH - count;
            int first = random.nextInt(4) == 0 ? 0 : random.nextInt(most + 1);
            first = random.nextBoolean() ? Math.min(most, first / 1024 * 1024) : first; // in place on any device
            return new View(arrays.get(random.nextInt(arrays.size())), first, count);
        }

        private View other(View than, int count) {
            View made = any(count);
            while (made.meets(than)) {
                made = any(count);
            }
            return made;
        }

        private void submit(JobBuilder job) {
            submit(job.build());
        }

        private void submit(Job job) {
            int lanes = evener.devices().size();
            waiting.add(evener.submit(
                    job,
                    random.nextInt(3) == 0
                            ? Policies.guided(4)
                            : Policies.fixed(random.doubles(lanes, 5, 100).toArray())));
        }

        void await() {
            waiting.forEach(each -> each.orTimeout(300, TimeUnit.SECONDS).join());
            waiting.clear();
        }

        void check() {
            await();
            for (Array each : arrays) {
                int[] found = new int[LENGTH];
                if (each.buffer instanceof ManagedBuffer managed) {
                    found = ManagedBufferTest.content(managed);
                } else {
                    ((HostBuffer) each.buffer).get(0, IntBuffer.wrap(found));
                }
                assertArrayEquals(each.expected, found);
            }
        }

        void step() {
            int n = 1 + random.nextInt(random.nextBoolean() ? 300 : 5_000);
            switch (random.nextInt(11)) {
                case 0 -> scales(n);
                case 1 -> blurs(n);
                case 2 -> adds(n);
                case 3 -> totals(n);
                case 4 -> appends(n);
                case 5 -> readsColumns();
                case 6 -> updatesColumns();
                case 7 -> hostSteps(n);
                case 8 -> hostWrites();
                case 9 -> largest(n);
                default -> twoPhases(n);
            }
            if (random.nextInt(12) == 0) {
                check();
            }
        }

        private void scales(int n) {
            View in = any(n);
            View out = other(in, n);
            if (random.nextBoolean()) {
                submit(scale(in.buffer(), out.buffer()));
            } else { // another job's data replaced
                View was = any(n);
                View to = other(was, n);
                Map<DataBuffer, DataBuffer> others = new HashMap<>();
                others.put(was.buffer(), in.buffer());
                others.put(to.buffer(), out.buffer());
                submit(scale(was.buffer(), to.buffer()).with(others));
            }
            for (int i = 0; i < n; i++) {
                out.put(i, 3 * in.get(i) + 1);
            }
        }

        private void blurs(int n) {
            View in = any(n);
            View out = other(in, n);
            DataBuffer seen = in.buffer();
            submit(job("blur", n)
                    .reads(seen, Access.slice().halo(1, 1))
                    .viewStart(seen)
                    .writes(out.buffer(), Access.slice())
                    .chunkStart()
                    .scalar((long) n)
                    .jvm(c -> {
                        IntBuffer ins = c.buffer(0).asIntBuffer();
                        int start = c.viewStart(0);
                        for (int i = 0; i < c.units(); i++) {
                            long at = c.firstUnit() + i;
                            int value = (at > 0 ? ins.get(start + i - 1) : 7)
                                    + 5 * ins.get(start + i)
                                    + (at + 1 < n ? ins.get(start + i + 1) : 9);
                            c.buffer(2).asIntBuffer().put(i, value);
                        }
                    }));
            for (int i = 0; i < n; i++) {
                out.put(i, (i > 0 ? in.get(i - 1) : 7) + 5 * in.get(i) + (i + 1 < n ? in.get(i + 1) : 9));
            }
        }

        private void adds(int n) {
            View values = any(n);
            View table = other(values, 32);
            submit(job("add", n)
                    .updates(values.buffer(), Access.slice())
                    .reads(table.buffer(), Access.whole())
                    .jvm(c -> {
                        IntBuffer all = c.buffer(0).asIntBuffer();
                        for (int i = 0; i < c.units(); i++) {
                            all.put(i, all.get(i) + c.buffer(1).asIntBuffer().get(all.get(i) & 31));
                        }
                    }));
            for (int i = 0; i < n; i++) {
                values.put(i, values.get(i) + table.get(values.get(i) & 31));
            }
        }

        private void totals(int n) {
            View in = any(n);
            View sum = other(in, 2);
            submit(job("total", n)
                    .reads(in.buffer(), Access.slice())
                    .reduces(sum.buffer(), Reduction.SUM)
                    .jvm(c -> {
                        IntBuffer sums = c.buffer(1).asIntBuffer();
                        for (int i = 0; i < c.units(); i++) {
                            sums.put(0, sums.get(0) + c.buffer(0).asIntBuffer().get(i));
                        }
                        sums.put(1, sums.get(1) + c.units());
                    }));
            sum.put(0, IntStream.range(0, n).map(in::get).sum());
            sum.put(1, n);
        }

        /** Combined element by element in a hidden buffer; here each unit has the whole of one element. */
        private void largest(int n) {
            View in = any(n);
            try (ManagedBuffer most = evener.allocateManaged(ElementType.FLOAT, 5)) {
                submit(job("largest", n)
                        .reads(in.buffer(), Access.slice())
                        .reduces(most.range(3, 1), Reduction.MAX)
                        .jvm(c -> {
                            for (int i = 0; i < c.units(); i++) {
                                float value = c.buffer(0).asIntBuffer().get(i) & 1023;
                                c.buffer(1).asFloatBuffer().put(i, value);
                            }
                        }));
                float expected =
                        IntStream.range(0, n).map(i -> in.get(i) & 1023).max().orElseThrow();
                try (ManagedBuffer.Scope scope = most.read()) {
                    float[] found = new float[5];
                    scope.floats().get(found);
                    assertArrayEquals(new float[] {0, 0, 0, expected, 0}, found);
                }
            }
        }

        private void appends(int n) {
            View in = any(n);
            View out = other(in, n);
            try (ManagedBuffer counts = evener.allocateManaged(ElementType.UINT, 7)) {
                submit(job("odd", n)
                        .reads(in.buffer(), Access.slice())
                        .appends(out.buffer(), counts.range(5, 1), 1)
                        .jvm(c -> {
                            for (int i = 0; i < c.units(); i++) {
                                int value = c.buffer(0).asIntBuffer().get(i);
                                c.buffer(2).asIntBuffer().put(i, value & 1);
                                c.buffer(1).asIntBuffer().put(i, value);
                            }
                        }));
                int kept = 0;
                for (int i = 0; i < n; i++) {
                    if ((in.get(i) & 1) == 1) {
                        out.put(kept++, in.get(i));
                    }
                }
                int[] expected = {0, 0, 0, 0, 0, kept, 0};
                assertArrayEquals(expected, ManagedBufferTest.content(counts));
            }
        }

        private void readsColumns() {
            int pitch = 8 + random.nextInt(100);
            int rows = 1 + random.nextInt(LENGTH / pitch - 2);
            int width = 1 + random.nextInt(pitch);
            View block = any((rows - 1) * pitch + width);
            View sums = other(block, rows);
            submit(job("rows", rows)
                    .reads(block.buffer(), Access.slice(pitch))
                    .scalar(pitch)
                    .scalar(width)
                    .writes(sums.buffer(), Access.slice())
                    .jvm(c -> {
                        for (int row = 0; row < c.units(); row++) {
                            int sum = 0;
                            for (int i = 0; i < width; i++) {
                                sum += c.buffer(0).asIntBuffer().get(row * pitch + i);
                            }
                            c.buffer(3).asIntBuffer().put(row, sum);
                        }
                    }));
            for (int row = 0; row < rows; row++) {
                int at = row * pitch;
                sums.put(
                        row,
                        IntStream.range(0, width).map(i -> block.get(at + i)).sum());
            }
        }

        private void updatesColumns() {
            int pitch = 8 + random.nextInt(100);
            int rows = 1 + random.nextInt(LENGTH / pitch - 2);
            int width = 1 + random.nextInt(pitch);
            View block = any((rows - 1) * pitch + width);
            submit(job("bump", rows)
                    .updates(block.buffer(), Access.slice(pitch))
                    .scalar(pitch)
                    .scalar(width)
                    .jvm(c -> {
                        IntBuffer ints = c.buffer(0).asIntBuffer();
                        for (int i = 0; i < c.units() * width; i++) {
                            int at = i / width * pitch + i % width;
                            ints.put(at, ints.get(at) + i % width + 1);
                        }
                    }));
            for (int i = 0; i < rows * width; i++) {
                int at = i / width * pitch + i % width;
                block.put(at, block.get(at) + i % width + 1);
            }
        }

        private void hostSteps(int n) {
            View in = any(n);
            View out = other(in, n);
            View changed = other(out, 1 + random.nextInt(20));
            if (changed.meets(in)) {
                return;
            }
            int by = random.nextInt();
            DataBuffer from = out.buffer();
            DataBuffer to = changed.buffer();
            submit(job("scale", n)
                    .reads(in.buffer(), Access.slice())
                    .writes(from, Access.slice())
                    .jvm(c -> {
                        for (int i = 0; i < c.units(); i++) {
                            c.buffer(1)
                                    .asIntBuffer()
                                    .put(i, 3 * c.buffer(0).asIntBuffer().get(i) + 1);
                        }
                    })
                    .hostStep(
                            host -> host.update(to, to.elements() - 1, 1)
                                    .putInt(by + host.read(from, n - 1, 1).getInt()),
                            to));
            for (int i = 0; i < n; i++) {
                out.put(i, 3 * in.get(i) + 1);
            }
            changed.put(changed.count - 1, by + out.get(n - 1));
        }

        private void hostWrites() {
            View view = any(1 + random.nextInt(500));
            int[] values = random.ints(view.count).toArray();
            if (view.of.buffer instanceof ManagedBuffer managed) {
                try (ManagedBuffer.Scope scope = managed.update(view.first, view.count)) {
                    int[] found = new int[view.count];
                    scope.ints().get(found);
                    assertArrayEquals(Arrays.copyOfRange(view.of.expected, view.first, view.first + view.count), found);
                    scope.ints().put(values);
                }
            } else {
                await();
                ((HostBuffer) view.of.buffer).put(view.first, IntBuffer.wrap(values));
            }
            System.arraycopy(values, 0, view.of.expected, view.first, view.count);
        }

        /** The first phase writes what the second sees through other ranges of the same buffer. */
        private void twoPhases(int n) {
            View out = any(n);
            View in = other(out, n);
            int half = (n + 1) / 2;
            View first = new View(out.of, out.first, half);
            View rest = other(out, half);
            submit(job("scale", n)
                    .reads(in.buffer(), Access.slice())
                    .writes(out.buffer(), Access.slice())
                    .jvm(c -> {
                        for (int i = 0; i < c.units(); i++) {
                            c.buffer(1)
                                    .asIntBuffer()
                                    .put(i, 3 * c.buffer(0).asIntBuffer().get(i) + 1);
                        }
                    })
                    .build());
            submit(scale(first.buffer(), rest.buffer()));
            for (int i = 0; i < n; i++) {
                out.put(i, 3 * in.get(i) + 1);
            }
            for (int i = 0; i < half; i++) {
                rest.put(i, 3 * first.get(i) + 1);
            }
        }
    }

    // ---- what moves, and who waits ----

    @ParameterizedTest
    @CsvSource({"4096, true", "4097, false", "0, true"})
    void onOneDeviceARangeStaysWhereItWasWritten(int first, boolean aligned) {
        int n = 4096;
        try (Evener evener = lanes("0.0", false).open()) {
            ManagedBuffer a = filled(evener, IntStream.range(0, 3 * n).toArray());
            ManagedBuffer b = evener.allocateManaged(ElementType.INT, 3L * n);
            DataBuffer in = a.range(first, n);
            DataBuffer out = b.range(first, n);
            long[] moved = new long[3];
            for (int i = 0; i < 3; i++) {
                Report.DeviceUse use = evener.submit(i % 2 == 0 ? scale(in, out) : scale(out, in))
                        .join()
                        .devices()
                        .get(0);
                moved[i] = use.bytesIn() + use.bytesOut();
            }
            assertArrayEquals(new long[] {4L * n, 0, 0}, moved, "through the same ranges nothing moves again");
            Report.DeviceUse all = evener.submit(scale(b, a)).join().devices().get(0);
            assertEquals(4L * 3 * n - (aligned ? 4L * n : 0), all.bytesIn(), "through all of it what it lacks");
            assertEquals(81 * first + 40, ManagedBufferTest.content(a)[first]);
        }
    }

    /** One half is read while a job works on the other. */
    @Test
    void halvesDoNotWaitForEachOther() throws InterruptedException {
        int n = 1000;
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (Evener evener = lanes("jvm", true).open()) {
            int[] values = IntStream.range(0, 2 * n).toArray();
            ManagedBuffer a = filled(evener, values);
            JobFuture job = evener.submit(Job.named("holds")
                    .units(n)
                    .kernel("k")
                    .updates(a.range(0, n), Access.slice())
                    .jvm(c -> {
                        begun.countDown();
                        await(over);
                        c.buffer(0).asIntBuffer().put(0, 77);
                    })
                    .build());
            begun.await();
            try (ManagedBuffer.Scope rest = a.update(n, n)) {
                assertEquals(n, rest.ints().get(0));
                rest.ints().put(0, -1);
            }
            assertFalse(a.readAsync(n - 1, 2).isDone(), "it has an element of what the job updates");
            over.countDown();
            job.join();
            int[] found = ManagedBufferTest.content(a);
            assertEquals(List.of(77, -1), List.of(found[0], found[n]));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void onlyTheRangeThatAFailedJobWasToWriteIsLost() {
        int n = ManagedBufferTest.N;
        try (Evener evener = lanes("jvm", true).open()) {
            ManagedBuffer a = filled(evener, IntStream.range(0, 2 * n).toArray());
            JobFuture failed = evener.submit(ManagedBufferTest.failing(a.range(n, n)));
            assertThrows(RuntimeException.class, failed::join);
            try (ManagedBuffer.Scope scope = a.read(0, n)) {
                assertEquals(n - 1, scope.ints().get(n - 1));
            }
            assertThrows(DataLostException.class, () -> a.read(n - 1, 2));
            evener.submit(scale(a.range(0, n), a.range(n, n))).join();
            assertEquals(4, ManagedBufferTest.content(a)[n + 1]);
        }
    }

    // ---- what is refused ----

    @Test
    void whatARangeIs() {
        try (Evener evener = lanes("jvm", true).segmentBytes(4096).open()) {
            HostBuffer a = evener.allocate(ElementType.INT, 1000);
            HostBuffer large = evener.allocate(ElementType.INT, 3000);
            DataBuffer half = a.range(500, 500);
            assertEquals(half, a.range(400, 600).range(100, 500));
            assertNotEquals(half, a.range(500, 499));
            assertTrue(
                    half.overlaps(a) && a.overlaps(half) && !half.overlaps(a.range(0, 500)) && !half.overlaps(large));
            assertEquals(List.of(500L, 2000L, 1), List.of(half.elements(), half.byteSize(), half.segmentCount()));
            half.close();
            assertFalse(half.isClosed(), "only its buffer is closed");
            assertThrows(IndexOutOfBoundsException.class, () -> half.range(1, 500));
            assertEquals(1, large.range(1024, 1024).segmentCount());
            assertRefused("segments of 1024 elements", () -> large.range(1000, 100));
            a.close();
            assertTrue(half.isClosed());
            assertRefused("closed buffer", () -> scale(half, large.range(0, 500)));
        }
    }

    @Test
    void whatAJobMayNotDoWithRanges() {
        try (Evener evener = lanes("jvm", true).open()) {
            HostBuffer a = evener.allocate(ElementType.INT, 1000);
            HostBuffer b = evener.allocate(ElementType.INT, 1000);
            assertRefused("ranges of one buffer with elements in common", () -> scale(a.range(0, 10), a.range(9, 10)));
            Job halves = scale(a.range(0, 500), a.range(500, 500));
            assertTrue(halves.uses(a.range(0, 500)) && !halves.uses(a));
            assertRefused("no such buffer", () -> halves.with(Map.of(a, b)));
            assertRefused("lie over each other", () -> halves.with(Map.of(a.range(0, 500), a.range(400, 500))));
            JobBuilder columns = job("bump", 10).chunkView().writes(a.range(3, 9 * 100 + 5), Access.slice(100));
            assertRefused(
                    "may be read or updated, not written",
                    () -> columns.scalar(100).scalar(5).build());
            assertRefused(
                    "10 units of 100",
                    () -> job("bump", 10)
                            .chunkView()
                            .updates(a.range(3, 9 * 100), Access.slice(100))
                            .build());
            assertRefused(
                    "is no argument",
                    () -> evener.submit(job("scale", 10)
                                    .reads(a.range(0, 10), Access.slice())
                                    .writes(b.range(0, 10), Access.slice())
                                    .jvm(c -> {})
                                    .hostStep(host -> host.read(a, 0, 1), b.range(0, 10))
                                    .build())
                            .join());
        }
    }

    private static void assertRefused(String words, Runnable what) {
        RuntimeException refused = assertThrows(RuntimeException.class, what::run);
        assertTrue(String.valueOf(refused.getMessage()).contains(words), refused::toString);
    }
}
