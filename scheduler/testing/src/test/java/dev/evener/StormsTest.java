package dev.evener;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.testing.Faults;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs under random settings, checked value by value. A round of each kind as a test; as a program, on any devices for as long as
 * one likes: {@code java dev.evener.StormsTest DEVICES SECONDS [SEED]}. It ends with 1 at the first wrong value.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StormsTest {
    private static final int N = 1 << 16;
    private static final int THREADS = 4;
    private static final int MOST_MILLIS = 20; // until the Evener is closed
    private static final List<Contexts> CONTEXTS = List.of(Contexts.values());
    private static final List<Kind> KINDS = List.of(Kind.values());
    private static final String SOURCE = """
            __kernel void churn(__global const int *in, __global int *out, int rounds) {
                size_t i = get_global_id(0);
                int v = in[i];
                for (int k = 0; k < rounds; k++) v = 3 * v + 1;
                out[i] = v;
            }
            """;

    private enum Kind {
        /** Ranges of buffers of all kinds, against plain loops. */
        RANGES,
        /** The same, while half of the devices fail. */
        FAULTS,
        /** Jobs, scopes and cancels, with little memory. */
        SCOPES,
        /** Closed while many threads submit, wait and read. */
        CLOSING;

        void run(List<String> devices, Random random) {
            EvenerBuilder builder = Evener.builder()
                    .devices(DeviceSelector.parse(String.join(",", devices)))
                    .contexts(CONTEXTS.get(random.nextInt(CONTEXTS.size())))
                    .sharedMemory(random.nextBoolean())
                    .pieceBytes(random.nextInt(4) == 0 ? 2_000 : 0)
                    .history(History.inMemory());
            if (this != CLOSING && random.nextInt(3) == 0) {
                builder.mirrorBytes(
                        this == SCOPES ? 140_000 + random.nextInt(100_000) : 60_000 + random.nextInt(60_000));
            }
            switch (this) {
                case RANGES -> RangeTest.runProgram(builder, random, 100, false);
                case FAULTS -> RangeTest.runProgram(faulty(builder, devices.size(), random), random, 100, true);
                case SCOPES -> ManagedBufferTest.runPrograms(builder, random.nextLong(), false);
                case CLOSING -> closeUnderLoad(builder, random);
            }
        }
    }

    private static EvenerBuilder faulty(EvenerBuilder builder, int lanes, Random random) {
        List<String> faults = List.of("error", "die", "alloc", "slow:3x");
        int first = random.nextInt(lanes);
        for (int i = 0; i < lanes / 2; i++) {
            Faults.inject(
                    builder,
                    "lane=" + (first + i) % lanes + ",chunk=" + (1 + random.nextInt(60)) + ",fault="
                            + faults.get(random.nextInt(faults.size())));
        }
        return builder;
    }

    private static void closeUnderLoad(EvenerBuilder builder, Random random) {
        Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        AtomicLong done = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        try (Evener evener = builder.open()) {
            for (int i = 0; i < THREADS; i++) {
                Random own = new Random(random.nextLong());
                threads.add(new Thread(() -> churn(evener, own, done, wrong), "storm-" + i));
            }
            threads.forEach(Thread::start);
            LockSupport.parkNanos(random.nextInt(MOST_MILLIS) * 1_000_000L);
            if (random.nextBoolean()) {
                evener.close(Duration.ofMillis(random.nextInt(MOST_MILLIS)));
            }
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError("after " + done + " jobs", wrong.peek());
        }
    }

    /** Jobs of one thread's own, until they are refused. */
    private static void churn(Evener evener, Random random, AtomicLong done, Queue<Throwable> wrong) {
        try {
            int[] values = random.ints(N).toArray();
            ManagedBuffer in = evener.allocateManaged(ElementType.INT, N);
            ManagedBufferTest.fill(in, values);
            ManagedBuffer out = evener.allocateManaged(ElementType.INT, N);
            while (true) {
                int rounds = random.nextInt(200);
                JobFuture job = evener.submit(Job.named("churn")
                        .source(SOURCE)
                        .units(N)
                        .kernel("churn")
                        .reads(in, Access.slice())
                        .writes(out, Access.slice())
                        .scalar(rounds)
                        .build());
                if (random.nextInt(4) > 0) {
                    job.join();
                    done.incrementAndGet();
                }
                int[] found = new int[N];
                try (ManagedBuffer.Scope scope = out.read()) { // waits for it, and fails with it
                    scope.bytes().asIntBuffer().get(found);
                }
                assertArrayEquals(churned(values, rounds), found);
            }
        } catch (IllegalStateException | CompletionException | EvenerException | RejectedExecutionException e) {
            if (!String.valueOf(e).contains("closed")) {
                wrong.add(e);
            }
        } catch (Throwable e) {
            wrong.add(e);
        }
    }

    private static int[] churned(int[] values, int rounds) {
        int factor = 1;
        int sum = 0;
        for (int i = 0; i < rounds; i++) { // v -> 3 v + 1, so often
            factor *= 3;
            sum = 3 * sum + 1;
        }
        IntBuffer result = IntBuffer.allocate(N);
        for (int value : values) {
            result.put(value * factor + sum);
        }
        return result.array();
    }

    @ParameterizedTest
    @EnumSource
    void aRoundOfEachKindIsRight(Kind kind) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        kind.run(List.of("0.0", "0.1"), new Random(kind.name().hashCode()));
        assertEquals(before, NativeLedger.live());
    }

    public static void main(String[] arguments) {
        List<String> devices = List.of(arguments[0].split(","));
        long end = System.nanoTime() + 1_000_000_000L * Long.parseLong(arguments[1]);
        long seed = arguments.length > 2 ? Long.parseLong(arguments[2]) : 1;
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        Map<Kind, Integer> rounds = new EnumMap<>(Kind.class);
        while (System.nanoTime() < end) {
            Random random = new Random(seed);
            Kind kind = KINDS.get((int) (seed % KINDS.size()));
            try {
                kind.run(devices, random);
                assertTrue(before.equals(NativeLedger.live()), () -> before + " before, " + NativeLedger.live());
            } catch (Throwable e) {
                System.out.println("WRONG: " + kind + ", seed " + seed + ": " + e);
                e.printStackTrace();
                System.exit(1);
            }
            rounds.merge(kind, 1, Integer::sum);
            seed++;
        }
        System.out.println("storms on " + arguments[0] + ": " + rounds + ", none wrong");
        System.exit(0);
    }
}
