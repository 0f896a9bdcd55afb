package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access.Reduction;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.testing.Faults;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ten programs of the kinds that applications have, each fault that a device may have, in host buffers on the host's memory and in managed
 * buffers on memory of the devices' own: all end as docs/embedding.md and docs/data.md say. A fault is met in each, after the program has
 * run once without. A failed allocation ended jobs that update managed buffers, and lost these.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProgramsWithFaultsTest {
    private static final int N = 4096;
    private static final int BLOCK = 16;
    private static final KernelSource SOURCE = KernelSource.of("programs", """
            __kernel void scale(__global const int *in, __global int *out, uint n) {
                size_t i = get_global_id(0);
                if (i < n) out[i] = 3 * in[i] + 1;
            }
            __kernel void bump(__global int *data, uint n) {
                size_t i = get_global_id(0);
                if (i < n) data[i] = 3 * data[i] + 1;
            }
            __kernel void blur(__global const int *in, ulong start, __global int *out, ulong first, ulong all, uint n) {
                size_t i = get_global_id(0), at = first + i;
                if (i < n) out[i] = (at > 0 ? in[start + i - 1] : 7) + 5 * in[start + i]
                        + (at + 1 < all ? in[start + i + 1] : 9);
            }
            __kernel void total(__global const int *in, __global int *sum, uint n) {
                size_t i = get_global_id(0);
                if (i < n) atomic_add(sum, in[i]);
            }
            __kernel void odd(__global const int *in, __global int *slots, __global uint *counts, uint n) {
                size_t i = get_global_id(0);
                if (i < n) { slots[i] = in[i]; counts[i] = in[i] & 1; }
            }
            __kernel void sums(__global const int *in, __global int *sums, uint n) {
                size_t i = get_global_id(0);
                if (i < n) { int s = 0; for (int k = 0; k < 16; k++) s += in[16 * i + k]; sums[i] = s; }
            }
            __kernel void scan(__global const int *in, __global const int *sums, __global int *out, uint n) {
                size_t i = get_global_id(0);
                if (i < n) { int s = sums[i]; for (int k = 0; k < 16; k++) { out[16 * i + k] = s; s += in[16 * i + k]; } }
            }
            __kernel void count(__global const int *in, __global int *bins, uint n) {
                size_t i = get_global_id(0);
                if (i < n) atomic_inc(bins + (in[i] & 15));
            }
            __kernel void add(__global int *data, __global const int *table, uint n) {
                size_t i = get_global_id(0);
                if (i < n) data[i] += table[data[i] & 3];
            }
            __kernel void ramp(__global const int *in, __global int *out, uint n) {
                size_t i = get_global_id(0);
                if (i < n) out[i] = in[n - 1 - i] + (int) i + (int) get_group_id(0) * (int) get_local_size(0);
            }
            """);

    /** PoCL compiles a kernel anew, at its first launch, for each size of groups; that is no chunk's time. */
    private static final Variant GROUPS = Variant.itemsPerUnit(1).withGroupSize(16);

    /** For chunks that hang; others, of a millisecond, end long before, however busy the machine is. */
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private enum Memory {
        HOST,
        OWN
    }

    private enum Fault {
        ERROR,
        DIE,
        HANG,
        SLOW,
        BUILD,
        ALLOC;

        String text(int chunk) {
            String kind = this == SLOW ? "slow:3x" : name();
            return "lane=0,chunk=" + (this == BUILD ? 0 : chunk) + ",fault=" + kind;
        }
    }

    /** What a program is given, and what it has done. */
    private static final class Work {
        private final Evener evener;
        private final Memory memory;
        private final List<Job> jobs = new ArrayList<>();
        private final List<Runnable> checks = new ArrayList<>();
        private @Nullable DataBuffer updated; // in place, where the fault is met

        Work(Evener evener, Memory memory) {
            this.evener = evener;
            this.memory = memory;
        }

        DataBuffer of(int... values) {
            if (memory == Memory.HOST) {
                HostBuffer made = evener.allocate(ElementType.INT, values.length);
                made.ints().put(values);
                return made;
            }
            ManagedBuffer made = evener.allocateManaged(ElementType.INT, values.length);
            try (ManagedBuffer.Scope scope = made.update()) {
                scope.ints().put(values);
            }
            return made;
        }

        DataBuffer count() {
            return memory == Memory.HOST
                    ? evener.allocate(ElementType.UINT, 1)
                    : evener.allocateManaged(ElementType.UINT, 1);
        }

        static int[] content(DataBuffer of) {
            int[] values = new int[(int) of.elements()];
            if (of instanceof HostBuffer host) {
                host.bytes().asIntBuffer().get(values);
                return values;
            }
            try (ManagedBuffer.Scope scope = ((ManagedBuffer) of).read()) {
                scope.bytes().asIntBuffer().get(values);
            }
            return values;
        }

        JobBuilder job(String kernel, int units) {
            return Job.named(kernel)
                    .source(SOURCE)
                    .units(units)
                    .policy(Policies.fixed()) // a chunk for each lane in each phase: the fault is met
                    .chunkView()
                    .kernel(kernel);
        }

        void run(JobBuilder job) {
            jobs.add(job.chunkUnits().variant(DeviceKind.CPU, GROUPS).build());
        }

        void expect(DataBuffer in, int... values) {
            checks.add(() -> assertArrayEquals(values, content(in)));
        }
    }

    private static int[] input() {
        return IntStream.range(0, N).map(i -> 7 * i % 1013).toArray();
    }

    private static int[] scaled(int[] in) {
        return IntStream.of(in).map(v -> 3 * v + 1).toArray();
    }

    private enum Program {
        MAP {
            @Override
            void prepare(Work work) {
                DataBuffer out = work.of(new int[N]);
                work.run(work.job("scale", N)
                        .reads(work.of(input()), Access.slice())
                        .writes(out, Access.slice()));
                work.expect(out, scaled(input()));
            }
        },
        UPDATE {
            @Override
            void prepare(Work work) {
                DataBuffer data = work.of(input());
                work.updated = data;
                work.run(work.job("bump", N).updates(data, Access.slice()));
                work.expect(data, scaled(input()));
            }
        },
        STENCIL {
            @Override
            void prepare(Work work) {
                int[] in = input();
                DataBuffer from = work.of(in);
                DataBuffer out = work.of(new int[N]);
                work.run(work.job("blur", N)
                        .reads(from, Access.slice().halo(1, 1))
                        .viewStart(from)
                        .writes(out, Access.slice())
                        .chunkStart()
                        .scalar((long) N));
                work.expect(
                        out,
                        IntStream.range(0, N)
                                .map(i -> (i > 0 ? in[i - 1] : 7) + 5 * in[i] + (i + 1 < N ? in[i + 1] : 9))
                                .toArray());
            }
        },
        REDUCE {
            @Override
            void prepare(Work work) {
                DataBuffer sum = work.of(5);
                work.run(work.job("total", N)
                        .reads(work.of(input()), Access.slice())
                        .reduces(sum, Reduction.SUM));
                work.expect(sum, IntStream.of(input()).sum());
            }
        },
        APPEND {
            @Override
            void prepare(Work work) {
                int[] odd = IntStream.of(input()).filter(v -> (v & 1) == 1).toArray();
                DataBuffer out = work.of(new int[odd.length]);
                DataBuffer count = work.count();
                work.run(work.job("odd", N)
                        .reads(work.of(input()), Access.slice())
                        .appends(out, count, 1));
                work.expect(out, odd);
                work.expect(count, odd.length);
            }
        },
        SCAN {
            @Override
            void prepare(Work work) {
                DataBuffer in = work.of(input());
                DataBuffer sums = work.of(new int[N / BLOCK]);
                DataBuffer out = work.of(new int[N]);
                work.run(work.job("sums", N / BLOCK)
                        .reads(in, Access.slice())
                        .writes(sums, Access.slice())
                        .chunkUnits()
                        .variant(DeviceKind.CPU, GROUPS)
                        .hostStep(host -> carry(host.update(sums, 0, N / BLOCK)), sums)
                        .kernel("scan")
                        .reads(in, Access.slice())
                        .reads(sums, Access.slice())
                        .writes(out, Access.slice()));
                int[] expected = new int[N];
                for (int i = 1; i < N; i++) {
                    expected[i] = expected[i - 1] + input()[i - 1];
                }
                work.expect(out, expected);
            }
        },
        HISTOGRAM {
            @Override
            void prepare(Work work) {
                DataBuffer bins = work.of(new int[16]);
                work.run(work.job("count", N)
                        .reads(work.of(input()), Access.slice())
                        .reduces(bins, Reduction.SUM));
                int[] expected = new int[16];
                IntStream.of(input()).forEach(v -> expected[v & 15]++);
                work.expect(bins, expected);
            }
        },
        CHAIN {
            @Override
            void prepare(Work work) {
                DataBuffer one = work.of(input());
                DataBuffer other = work.of(new int[N]);
                for (int i = 0; i < 4; i++) {
                    work.run(work.job("scale", N)
                            .reads(i % 2 == 0 ? one : other, Access.slice())
                            .writes(i % 2 == 0 ? other : one, Access.slice()));
                }
                work.expect(other, scaled(scaled(scaled(input()))));
                work.expect(one, scaled(scaled(scaled(scaled(input())))));
            }
        },
        HOST_STEP {
            @Override
            void prepare(Work work) {
                DataBuffer out = work.of(new int[N]);
                DataBuffer table = work.of(0, 0, 0, 0);
                work.updated = out;
                work.run(work.job("scale", N)
                        .reads(work.of(input()), Access.slice())
                        .writes(out, Access.slice())
                        .chunkUnits()
                        .variant(DeviceKind.CPU, GROUPS)
                        .hostStep(host -> host.update(table, 1, 2).put(host.read(out, N - 2, 2)), table)
                        .kernel("add")
                        .updates(out, Access.slice())
                        .reads(table, Access.whole()));
                int[] scaled = scaled(input());
                int[] values = {0, scaled[N - 2], scaled[N - 1], 0};
                work.expect(
                        out, IntStream.of(scaled).map(v -> v + values[v & 3]).toArray());
                work.expect(table, values);
            }
        },
        JOB_VIEW {
            @Override
            void prepare(Work work) {
                DataBuffer out = work.of(new int[N]);
                work.run(work.job("ramp", N)
                        .jobView()
                        .reads(work.of(input()), Access.whole())
                        .writes(out, Access.slice()));
                int[] in = input();
                work.expect(
                        out,
                        IntStream.range(0, N)
                                .map(i -> in[N - 1 - i] + i + i / BLOCK * BLOCK)
                                .toArray());
            }
        };

        /** Makes its buffers and jobs, and says what is to be there then. */
        abstract void prepare(Work work);

        /** The lane's chunk in which the fault is met: in a later phase, or a later job, where there is one. */
        int chunk() {
            return this == SCAN || this == CHAIN || this == HOST_STEP ? 1 : 0;
        }
    }

    private static void carry(ByteBuffer sums) {
        IntBuffer all = sums.asIntBuffer();
        for (int i = 0, before = 0; i < all.capacity(); i++) {
            int sum = all.get(i);
            all.put(i, before);
            before += sum;
        }
    }

    /** Usually each program with some faults, updates with all but hangs, and a hang in each memory; all in a long run. */
    static Stream<Arguments> all() {
        return Stream.of(Program.values())
                .flatMap(program -> Stream.of(Fault.values())
                        .flatMap(fault -> Stream.of(Memory.values())
                                .filter(memory -> LongTests.ASKED_FOR || isUsual(program, fault, memory))
                                .map(memory -> Arguments.of(program, fault, memory))));
    }

    private static boolean isUsual(Program program, Fault fault, Memory memory) {
        int number = List.of(Program.values()).indexOf(program)
                + List.of(Fault.values()).indexOf(fault);
        boolean own = memory == Memory.OWN;
        return fault == Fault.HANG
                ? program == (own ? Program.HOST_STEP : Program.APPEND)
                : program == Program.UPDATE || (number % 3 == 0 && own == (number % 2 == 1));
    }

    @ParameterizedTest
    @MethodSource("all")
    void eachEndsAsTheDocumentsSay(Program program, Fault fault, Memory memory) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        AtomicBoolean begun = new AtomicBoolean();
        EvenerBuilder builder = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(memory == Memory.HOST)
                .history(History.inMemory());
        if (fault == Fault.HANG) {
            builder.chunkDeadline(LIMIT);
        }
        if (fault == Fault.ALLOC) { // else the other device may have done all the rest before this one goes on
            builder.policy(Policies.fixed(1, 1));
        }
        try (Evener evener =
                Faults.inject(builder, fault.text(program.chunk()), begun::get).open()) {
            Work first = new Work(evener, memory);
            program.prepare(first);
            first.jobs.forEach(
                    job -> assertEquals(List.of(), evener.submit(job).join().failures()));
            first.checks.forEach(Runnable::run);
            Work work = new Work(evener, memory);
            program.prepare(work);
            begun.set(true);
            List<JobFuture> futures = work.jobs.stream().map(evener::submit).toList();
            if (fault == Fault.ERROR && memory == Memory.OWN && work.updated != null) {
                requireLost(futures.get(0), (ManagedBuffer) work.updated);
                return;
            }
            List<String> failures = futures.stream()
                    .flatMap(future -> future.join().failures().stream())
                    .toList();
            work.checks.forEach(Runnable::run);
            requireTold(
                    evener,
                    fault,
                    failures,
                    futures.get(program == Program.CHAIN ? 1 : 0).join());
        }
        assertEquals(before, NativeLedger.live());
    }

    /** The only end that is none: the device alone had what it was updating. */
    private static void requireLost(JobFuture future, ManagedBuffer updated) {
        Throwable failure =
                assertThrows(CompletionException.class, future::join).getCause();
        assertInstanceOf(DevicesFailedException.class, failure);
        assertTrue(failure.getMessage().contains("refill it")
                && failure.getMessage().contains("mirror()"));
        assertThrows(DataLostException.class, updated::read);
        try (ManagedBuffer.Scope scope = updated.overwrite()) {
            scope.ints().put(input());
        }
        assertArrayEquals(input(), Work.content(updated));
    }

    private static void requireTold(Evener evener, Fault fault, List<String> failures, Report met) {
        String id = evener.devices().get(0).id();
        String said = switch (fault) {
            case ERROR -> "injected: the chunk failed";
            case DIE -> "injected: the device is gone";
            case HANG -> "was not done after 2000 ms";
            case SLOW -> "";
            case BUILD -> "does not build";
            case ALLOC -> "could not hold a chunk of";
        };
        if (fault == Fault.SLOW) {
            assertEquals(List.of(), failures);
        } else {
            assertTrue(
                    failures.stream().anyMatch(f -> f.startsWith("device " + id) && f.contains(said)),
                    failures::toString);
        }
        if (fault == Fault.ALLOC || fault == Fault.SLOW) {
            assertTrue(met.devices().get(0).units() > 0, "it goes on there");
        }
        if (fault != Fault.ERROR) { // which a probe may have ended by now
            boolean out = fault == Fault.DIE || fault == Fault.HANG;
            assertEquals(out, evener.health().quarantined().containsKey(id), fault::toString);
        }
    }
}
