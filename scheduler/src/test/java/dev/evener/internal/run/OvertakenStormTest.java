package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceKind;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.LongTests;
import dev.evener.MadeUpDevices;
import dev.evener.internal.HostData;
import dev.evener.internal.Segments;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.run.ScriptedLane.Script;
import dev.evener.internal.run.ScriptedLane.Trouble;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random jobs on host memory, by several threads, on lanes of which some are late with chunks that others do again, fail or die. As soon as
 * a job has ended, its results are right, and its thread writes over all of its buffers, runs the next one on them, or closes them, whose
 * memory is another's then. What a late lane does goes nowhere, nothing is lost with a lane that fails after it took a late one's chunk
 * over, and all ends when the runtime is closed amid late chunks.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OvertakenStormTest {
    private static final int MACHINES = LongTests.orAll(12, 600);
    private static final int ROUNDS = 25;
    private static final int THREADS = 3;
    private static final Duration PATIENCE = Duration.ofMillis(1);

    private static Script script(Random random, boolean good) {
        Trouble trouble =
                good || random.nextInt(3) > 0 ? Trouble.IS_LATE : random.nextBoolean() ? Trouble.THROWS : Trouble.DIES;
        boolean late = trouble == Trouble.IS_LATE;
        long pause = late ? TimeUnit.MICROSECONDS.toNanos(300 + random.nextInt(6_000)) : random.nextInt(40_000);
        return new Script(trouble, 1 + random.nextInt(late ? 5 : 60), 0, pause);
    }

    @Test
    void whatALateLaneDoesGoesNowhere() throws Exception {
        int dropped = 0;
        for (int seed = 0; seed < MACHINES; seed++) {
            Random random = new Random(seed);
            Queue<String> wrong = new ConcurrentLinkedQueue<>();
            PoisonedMemory memory = new PoisonedMemory(wrong);
            List<ScriptedLane> lanes = new ArrayList<>();
            for (int i = 0, count = 2 + random.nextInt(3); i < count; i++) {
                String id = "0." + i;
                lanes.add(new ScriptedLane(
                        MadeUpDevices.device(id, "scripted", "scripted " + i, DeviceKind.CPU, 1, 1, 1, id),
                        script(random, i == 0),
                        20 + random.nextInt(1000),
                        job -> 1,
                        random.nextBoolean(),
                        wrong));
            }
            Dispatcher own = new Dispatcher(
                    List.copyOf(lanes), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(60), PATIENCE);
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            History known = History.inMemory();
            for (int t = 0; t < THREADS; t++) {
                Random its = new Random(1000L * seed + t);
                threads.add(new Thread(() -> {
                    try {
                        program(own, its, memory, known);
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread each : threads) {
                each.join();
            }
            own.close();
            Throwable failed = failure.get();
            if (failed != null) {
                throw new AssertionError("machine " + seed + ": " + failed, failed);
            }
            for (ScriptedLane lane : lanes) {
                assertTrue(lane.closed);
                dropped += lane.dropped();
            }
            memory.check();
            assertEquals(List.of(), List.copyOf(wrong), "machine " + seed);
        }
        assertTrue(dropped > MACHINES, dropped + " chunks were done again");
    }

    private static HostData make(PoisonedMemory memory, int elements) {
        return new HostData(
                ElementType.INT, Segments.allocate(ElementType.INT, elements, 1, Segments.Limits.ofHost(), memory));
    }

    private static int[] fill(HostData buffer, Random random) {
        int[] values = random.ints(buffer.elements()).toArray();
        buffer.ints().put(values);
        return values;
    }

    private static int[] content(HostData buffer) {
        int[] values = new int[(int) buffer.elements()];
        buffer.ints().get(values);
        return values;
    }

    private static void program(Dispatcher own, Random random, PoisonedMemory memory, History known) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int n = 16 + random.nextInt(300);
            HostData in = make(memory, n);
            HostData out = make(memory, n);
            HostData sums = make(memory, 4);
            for (int jobs = 1 + random.nextInt(5); jobs > 0; jobs--) {
                int[] ins = fill(in, random);
                int[] outs = fill(out, random);
                int kind = random.nextInt(4);
                Policy policy = random.nextInt(3) > 0 ? Policies.stealing() : Policies.adaptive();
                History history = random.nextInt(3) > 0 ? History.inMemory() : known;
                JobFuture future = own.submit(job(kind, n, in, out, sums), policy, history, null);
                if (random.nextInt(8) == 0) {
                    Thread.sleep(0, random.nextInt(500_000));
                    if (future.cancel(false)) {
                        future.released().get(60, TimeUnit.SECONDS);
                        continue;
                    }
                }
                future.get(60, TimeUnit.SECONDS);
                int[] wanted = new int[kind == 3 ? 4 : n];
                for (int i = 0; i < n; i++) {
                    switch (kind) {
                        case 0 -> wanted[i] = 3 * ins[i] + 1;
                        case 1 -> wanted[i] = ins[(ins[i] & Integer.MAX_VALUE) % n] + i;
                        case 2 -> wanted[i] = 5 * outs[i] + ins[i];
                        default -> wanted[i % 4] += ins[i];
                    }
                }
                assertArrayEquals(wanted, content(kind == 3 ? sums : out), "job " + kind + " of " + n);
            }
            in.close();
            out.close();
            sums.close();
        }
    }

    private static Job job(int kind, int n, HostData in, HostData out, HostData sums) {
        JobBuilder job = Job.named("job " + kind).units(n).kernel("k" + kind);
        return switch (kind) {
            case 0 ->
                job.reads(in, Access.slice(1))
                        .writes(out, Access.slice(1))
                        .jvm(c -> {
                            IntBuffer ins = c.buffer(0).asIntBuffer();
                            for (int i = 0; i < c.units(); i++) {
                                c.buffer(1).asIntBuffer().put(i, 3 * ins.get(i) + 1);
                            }
                        })
                        .build();
            case 1 ->
                job.reads(in, Access.whole())
                        .writes(out, Access.slice(1))
                        .jvm(c -> {
                            IntBuffer ins = c.buffer(0).asIntBuffer();
                            for (int i = 0; i < c.units(); i++) {
                                int unit = (int) c.firstUnit() + i;
                                int value = ins.get((ins.get(unit) & Integer.MAX_VALUE) % n);
                                c.buffer(1).asIntBuffer().put(i, value + unit);
                            }
                        })
                        .build();
            case 2 ->
                job.reads(in, Access.slice(1))
                        .updates(out, Access.slice(1))
                        .jvm(c -> {
                            IntBuffer outs = c.buffer(1).asIntBuffer();
                            for (int i = 0; i < c.units(); i++) {
                                outs.put(
                                        i,
                                        5 * outs.get(i)
                                                + c.buffer(0).asIntBuffer().get(i));
                            }
                        })
                        .build();
            default ->
                job.reads(in, Access.slice(1))
                        .reduces(sums, Access.Reduction.SUM)
                        .jvm(c -> {
                            IntBuffer all = c.buffer(1).asIntBuffer();
                            for (int i = 0; i < c.units(); i++) {
                                int k = (int) (c.firstUnit() + i) % 4;
                                all.put(
                                        k,
                                        all.get(k) + c.buffer(0).asIntBuffer().get(i));
                            }
                        })
                        .build();
        };
    }
}
