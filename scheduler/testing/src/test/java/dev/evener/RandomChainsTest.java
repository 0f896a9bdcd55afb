package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import dev.evener.internal.NativeLedger;
import dev.evener.iteration.Iteration;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.testing.Faults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random iterations on several devices, whose steps are run as far ahead as neighbours allow: every value is that of plain loops, or the
 * iteration ends with an error. Guards against ranges that begin before what they read is written, or before what they write over was read.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InTurn(3)
class RandomChainsTest {
    private static final int PROGRAMS = LongTests.orAll(6, 400);

    /** From one chunk that fails to the next that does. */
    private static final int STEP = LongTests.orAll(7, 4);

    private static final KernelSource SOURCE = KernelSource.of("random chains", """
            kernel void around(global const int *in, ulong start, global int *out, ulong first, uint units,
                    int before, int after, int n) {
                long i = get_global_id(0);
                if (i >= units) return;
                int sum = 0;
                for (int k = -before; k <= after; k++) {
                    long at = (long) first + i + k;
                    if (at >= 0 && at < n) sum += (k + 9) * in[(long) start + i + k];
                }
                out[i] = sum;
            }
            kernel void aroundAll(global const int *in, global int *out, int before, int after, int n) {
                int i = get_global_id(0), sum = 0;
                for (int k = max(-before, -i); k <= min(after, n - 1 - i); k++) sum += (k + 9) * in[i + k];
                out[i] = sum;
            }
            kernel void gather(global const int *in, global int *out, ulong first, uint units, int n) {
                size_t i = get_global_id(0);
                if (i < units) out[i] = in[((first + i) * 7 + 3) % n] + 1;
            }
            kernel void blend(global const int *in, global int *out, uint units) {
                size_t i = get_global_id(0);
                if (i < units) out[i] = 3 * out[i] + in[i];
            }
            kernel void spin(global const int *in, global int *out, uint units) {
                size_t i = get_global_id(0);
                int i0 = in[min((uint) i, units - 1)], v = i0;
                for (int k = 0; k < ((i0 & 63) == 0 ? 3000 : 3); k++) v = 3 * v + 1;
                if (i < units) out[i] = v;
            }
            """);

    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final AtomicInteger chained = new AtomicInteger();

    /** One job of a step: which buffers, and what of them. */
    private record Move(String kernel, int from, int to, int before, int after, boolean unprotected) {
        void run(int[][] data) {
            int[] in = data[from];
            int[] out = data[to];
            int[] made = new int[in.length];
            for (int i = 0; i < in.length; i++) {
                made[i] = switch (kernel) {
                    case "gather" -> in[(int) ((i * 7L + 3) % in.length)] + 1;
                    case "blend" -> 3 * out[i] + in[i];
                    case "spin" -> {
                        int v = in[i];
                        int i0 = v;
                        for (int k = 0; k < ((i0 & 63) == 0 ? 3000 : 3); k++) {
                            v = 3 * v + 1;
                        }
                        yield v;
                    }
                    default -> {
                        int sum = 0;
                        for (int k = Math.max(-before, -i); k <= Math.min(after, in.length - 1 - i); k++) {
                            sum += (k + 9) * in[i + k];
                        }
                        yield sum;
                    }
                };
            }
            data[to] = made;
        }

        Job job(List<ManagedBuffer> buffers, int n, Policy policy) {
            JobBuilder job =
                    Job.named(kernel).units(n).policy(policy).source(SOURCE).kernel(kernel);
            ManagedBuffer in = buffers.get(from);
            ManagedBuffer out = buffers.get(to);
            switch (kernel) {
                case "around" ->
                    job.reads(in, Access.slice(1).halo(before, after))
                            .viewStart(in)
                            .writes(out, Access.slice(1))
                            .chunkStart()
                            .chunkUnits()
                            .scalar(before)
                            .scalar(after)
                            .scalar(n);
                case "aroundAll" ->
                    job.jobView()
                            .reads(in, Access.slice(1).halo(before, after))
                            .writes(out, Access.slice(1))
                            .scalar(before)
                            .scalar(after)
                            .scalar(n);
                case "gather" ->
                    job.reads(in, Access.whole())
                            .writes(out, Access.slice(1))
                            .chunkStart()
                            .chunkUnits()
                            .scalar(n);
                case "blend" ->
                    job.reads(in, Access.slice(1)).updates(out, Access.slice(1)).chunkUnits();
                default ->
                    job.reads(in, Access.slice(1)).writes(out, Access.slice(1)).chunkUnits();
            }
            return (unprotected ? job.unprotected() : job).build();
        }
    }

    @AfterEach
    void nothingLeaks() {
        assertEquals(before, NativeLedger.live());
    }

    @ParameterizedTest
    @CsvSource({
        "'0.0', false, ''",
        "'0.0,0.1', true, ''",
        "'0.0,0.1', false, ''",
        "'0.0,0.1,1.0', false, ''",
        "'0.0,0.1', true, 'error,die,slow:3x,alloc'",
        "'0.0,0.1,1.0', false, 'error,die,slow:3x,alloc'",
    })
    void everyValueIsTheSequentialOne(String devices, boolean shared, String faults) {
        List<String> some = Arrays.asList(faults.split(",", -1)); // or the one that is none
        for (int program = 0; program < PROGRAMS; program++) {
            String fault = some.get(random.nextInt(some.size()));
            runProgram(devices, shared, fault, program == 0, program % 4 < 3, "seed " + seed + ", program " + program);
        }
        if (faults.isEmpty()) {
            assertTrue(chained.get() > 0, "no steps were run as one job");
        }
    }

    /** Steps as jobs, all of which are submitted before the first is done. */
    private static CompletableFuture<?> submitted(Evener evener, Job[] odd, Job[] even, int count) {
        List<JobFuture> all = new ArrayList<>();
        for (int step = 0; step < count; step++) {
            for (Job job : step % 2 == 0 ? odd : even) {
                all.add(evener.submit(job));
            }
        }
        CompletableFuture<?> done = CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
        CompletableFuture<Void> result = new CompletableFuture<>();
        CompletableFuture<?> ignored = done.whenComplete((none, e) -> {
            if (e != null) {
                result.completeExceptionally(e);
            } else {
                result.complete(null);
            }
        });
        ignored = result.whenComplete((none, e) -> {
            if (result.isCancelled()) {
                all.forEach(each -> each.cancel(true));
            }
        });
        return result;
    }

    private static Job swapped(Job job, ManagedBuffer one, ManagedBuffer other) {
        return job.uses(one) || job.uses(other) ? job.swap(one, other) : job;
    }

    /**
     * Also where its lane has gone on to a later step than others: what it does in parts was once taken for the
     * earlier step's.
     */
    @Test
    void aChunkForWhichThereIsNoMemoryIsDoneInParts() {
        for (int chunk = 18; chunk <= 50; chunk += STEP) {
            runSteps(false, "lane=0,chunk=" + chunk + ",fault=alloc", "lane=1,fault=slow:3x");
        }
    }

    /** A chain goes on, step by step: nothing was begun behind the chunk that failed. */
    @Test
    void othersDoWhatADeviceLeavesThatIsGone() {
        for (int chunk = 18; chunk <= 50; chunk += STEP) {
            runSteps(true, "lane=0,chunk=" + chunk + ",fault=die", "lane=1,fault=slow:3x");
            runSteps(true, "lane=1,chunk=" + chunk + ",fault=die", "lane=0,fault=slow:3x");
        }
    }

    /**
     * Jobs that all wait when the first begins: a device goes on with the next one before the others are done with
     * it.
     */
    @Test
    void jobsGoOnWhereNothingIsLeftToWaitFor() {
        Map<Long, Long> ends = new ConcurrentHashMap<>(); // of jobs
        Map<Long, Long> begins = new ConcurrentHashMap<>(); // of their first chunks
        EvenerBuilder builder = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .listener(event -> {
                    if (event instanceof RunEvent.Chunk c) {
                        begins.merge(c.job(), c.begun(), Math::min);
                        ends.merge(c.job(), c.end(), Math::max);
                    }
                });
        Faults.inject(builder, "lane=1,fault=slow:3x");
        try (Evener evener = builder.open()) {
            int n = 4096;
            int[][] data = {random.ints(n).toArray(), new int[n]};
            List<ManagedBuffer> buffers = filled(evener, data);
            Move move = new Move("spin", 0, 1, 0, 0, true);
            Job odd = move.job(buffers, n, Policies.fixed(1, 1));
            Job[] all = {odd};
            submitted(evener, all, all, 1).join(); // shows that both devices can
            submitted(evener, all, new Job[] {odd.swap(buffers.get(0), buffers.get(1))}, 39)
                    .join();
            for (int step = 0; step < 39; step++) {
                move.run(data);
                data[0] = data[1];
            }
            assertArrayEquals(data[1], content(buffers.get(1), n));
        }
        long ahead = begins.keySet().stream()
                .filter(job -> ends.containsKey(job - 1) && begins.get(job) < ends.get(job - 1))
                .count();
        assertTrue(ahead > 0, "every job began when the one before was done");
    }

    /** Fewer than make a chain, at an iteration's end: cut anew, rows would go to and fro. */
    @Test
    void theLastStepsKeepTheSharesOfThoseBefore() {
        AtomicInteger plans = new AtomicInteger();
        Policy others = new Policy() { // shares each time
                    @Override
                    public String name() {
                        return "others";
                    }

                    @Override
                    public Plan plan(Snapshot snapshot) {
                        long first = snapshot.granules() / 4 + plans.incrementAndGet();
                        return Plan.of(Plan.Sharing.FIXED, first, snapshot.granules() - first);
                    }
                };
        List<List<Long>> shares = Collections.synchronizedList(new ArrayList<>());
        EvenerBuilder builder =
                Evener.builder().devices(DeviceSelector.parse("0.0,0.1")).history(History.inMemory());
        Faults.inject(builder, "lane=1,fault=slow:3x"); // so that steps wait behind each other
        try (Evener evener = builder.open()) {
            int n = 1 << 14; // what takes a fourth of a second together is cut anew, on a slow machine too
            List<ManagedBuffer> buffers =
                    filled(evener, new int[][] {random.ints(n).toArray(), new int[n]});
            Iteration steps = Iteration.of(new Move("spin", 0, 1, 0, 0, true).job(buffers, n, others))
                    .rotating(buffers.get(0), buffers.get(1));
            steps.run(evener, 40).join(); // shows that both devices can
            CompletableFuture<?> all;
            try (ManagedBuffer.Scope held = buffers.get(0).update()) { // until all are submitted, however slowly
                all = steps.onReport(report -> shares.add(report.devices().stream()
                                .map(Report.DeviceUse::units)
                                .toList()))
                        .run(evener, 24);
                held.ints().get(0);
            }
            all.join();
        }
        List<List<Long>> last = shares.subList(shares.size() - 7, shares.size()); // a chain and six steps
        assertEquals(1, new HashSet<>(last).size(), () -> "shares of the jobs: " + shares);
    }

    private static List<ManagedBuffer> filled(Evener evener, int[][] data) {
        List<ManagedBuffer> buffers = new ArrayList<>();
        for (int[] each : data) {
            ManagedBuffer buffer = evener.allocateManaged(ElementType.INT, each.length);
            try (ManagedBuffer.Scope scope = buffer.overwrite()) {
                scope.ints().put(0, each);
            }
            buffers.add(buffer);
        }
        return buffers;
    }

    private static int[] content(ManagedBuffer buffer, int n) {
        int[] got = new int[n];
        try (ManagedBuffer.Scope scope = buffer.read()) {
            scope.ints().get(0, got);
        }
        return got;
    }

    private void runSteps(boolean shared, String... faults) {
        Move move = new Move("spin", 0, 1, 0, 0, true);
        EvenerBuilder builder = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(shared)
                .history(History.inMemory());
        for (String each : faults) {
            Faults.inject(builder, each);
        }
        try (Evener evener = builder.open()) {
            int n = 4096;
            int[][] data = {random.ints(n).toArray(), new int[n]};
            List<ManagedBuffer> buffers = filled(evener, data);
            Iteration.of(move.job(buffers, n, Policies.fixed(1, 8)))
                    .rotating(buffers.get(0), buffers.get(1))
                    .run(evener, 64)
                    .join();
            for (int step = 0; step < 64; step++) {
                move.run(data);
                data[0] = data[1];
            }
            assertArrayEquals(data[0], content(buffers.get(0), n), () -> Arrays.toString(faults));
        }
    }

    /**
     * @param plain whether steps are sure to be run as one job if nothing fails
     * @param heard whether there is a listener
     */
    private void runProgram(String devices, boolean shared, String fault, boolean plain, boolean heard, String what) {
        EvenerBuilder builder = Evener.builder()
                .devices(DeviceSelector.parse(devices))
                .sharedMemory(shared)
                .history(History.inMemory());
        if (heard) { // without, short chunks go through other queues
            builder.listener(event -> {
                if (event instanceof RunEvent.Submitted s && s.kernels().size() >= 16) {
                    chained.incrementAndGet();
                }
            });
        }
        int lanes = devices.split(",", -1).length;
        if (!fault.isEmpty()) {
            Faults.inject(
                    builder,
                    "lane=" + random.nextInt(lanes) + ",chunk=" + (1 + random.nextInt(60)) + ",fault=" + fault);
        }
        try (Evener evener = builder.open()) {
            int n = 64 * (1 + random.nextInt(random.nextBoolean() ? 8 : 200));
            int[][] data = new int[2 + random.nextInt(3)][];
            Arrays.setAll(data, i -> random.ints(n).toArray());
            List<ManagedBuffer> buffers = filled(evener, data);
            long[] shares = random.ints(lanes, 1, 5).asLongStream().toArray();
            Policy policy = random.nextInt(4) > 0
                    ? Policies.fixed(Arrays.stream(shares).asDoubleStream().toArray())
                    : random.nextBoolean() ? Policies.adaptive() : Policies.stealing();
            List<Move> moves = new ArrayList<>();
            boolean inJobsView = random.nextInt(3) == 0;
            for (int left = plain ? 1 : 1 + random.nextInt(3); left > 0; left--) {
                String kernel = plain
                        ? "spin"
                        : List.of("around", "around", "blend", "spin", "gather").get(random.nextInt(5));
                int from = random.nextInt(data.length);
                int to = (from + 1 + random.nextInt(data.length - 1)) % data.length;
                int most = random.nextInt(4) == 0 ? 70 : 3;
                moves.add(new Move(
                        kernel.equals("around") && inJobsView ? "aroundAll" : kernel,
                        from,
                        to,
                        random.nextInt(most),
                        random.nextInt(most),
                        plain || random.nextBoolean()));
            }
            Iteration steps = Iteration.of(
                    moves.stream().map(m -> m.job(buffers, n, policy)).toArray(Job[]::new));
            boolean swaps = plain || random.nextBoolean();
            if (swaps) {
                steps = steps.rotating(
                        buffers.get(moves.get(0).from()),
                        buffers.get(moves.get(0).to()));
            }
            int count = plain ? 60 : random.nextInt(100);
            boolean atOnce = !plain && random.nextInt(3) == 0;
            Job[] odd = moves.stream().map(m -> m.job(buffers, n, policy)).toArray(Job[]::new);
            Job[] even = swaps
                    ? Arrays.stream(odd)
                            .map(job -> swapped(
                                    job,
                                    buffers.get(moves.get(0).from()),
                                    buffers.get(moves.get(0).to())))
                            .toArray(Job[]::new)
                    : odd;
            CompletableFuture<?> running = atOnce ? submitted(evener, odd, even, count) : steps.run(evener, count);
            boolean cancels = !plain && random.nextInt(6) == 0;
            try {
                if (cancels) {
                    Thread.sleep(random.nextInt(5));
                    running.cancel(true);
                }
                running.join();
            } catch (CompletionException | CancellationException e) {
                assertTrue(cancels || !fault.isEmpty(), () -> what + ": " + e);
                return;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            Move first = moves.get(0);
            for (int step = 0; step < count; step++) {
                moves.forEach(each -> each.run(data));
                if (swaps) {
                    int[] one = data[first.from()];
                    data[first.from()] = data[first.to()];
                    data[first.to()] = one;
                }
            }
            // After an odd number of steps what is one by name is the other buffer.
            for (int i = 0; i < data.length; i++) {
                int at = !swaps || count % 2 == 0
                        ? i
                        : i == first.from() ? first.to() : i == first.to() ? first.from() : i;
                int index = i;
                assertEquals(
                        -1,
                        Arrays.mismatch(content(buffers.get(at), n), data[i]),
                        () -> what + ", " + policy.name() + Arrays.toString(shares) + ", " + n + " units, " + count
                                + " steps of " + moves + ", swaps " + swaps + ", buffer " + index);
            }
        }
    }
}
