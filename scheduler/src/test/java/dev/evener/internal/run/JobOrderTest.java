package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.DataLostException;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.LongTests;
import dev.evener.MadeUpBuffers;
import dev.evener.MadeUpDevices;
import dev.evener.ManagedBuffer;
import dev.evener.internal.HostData;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.ManagedData;
import dev.evener.internal.Segments;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ScriptedLane.Script;
import dev.evener.internal.run.ScriptedLane.Trouble;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Submission order is program order for jobs that share buffers, whatever their devices, and for no others. Random programs of jobs on
 * random lanes and buffers, two of which lie over each other: each buffer ends as if the jobs had run one after another, in the order
 * in which each thread submitted its own.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobOrderTest extends TwoFakeLanes {
    private static final int PROGRAMS = LongTests.orAll(1000, 100_000) / 4;

    /** The first seed: a short run has other programs each day. */
    private static final int FIRST = LongTests.ASKED_FOR ? 0 : PROGRAMS * Math.floorMod(LongTests.TURN, 100);

    private static final int LANES = 3;
    /** Two pages, so that one buffer can begin at the second. */
    private static final int LARGE = 2048;

    private static final int HALF = LARGE / 2;
    private static final List<String> IDS = List.of("0.0", "0.1", "0.2");

    // ---- random programs ----

    /** One job: from the units of two buffers, and what a third held if it is updated, to the third. */
    private record Step(int number, int in, int other, int out, boolean updates, boolean whole, List<String> devices) {

        /** Whether one of the two writes what the other uses. */
        boolean meets(Step later) {
            return Stream.of(later.in, later.other, later.out).anyMatch(b -> overlap(out, b))
                    || Stream.of(in, other).anyMatch(b -> overlap(b, later.out));
        }

        private static boolean overlap(int one, int other) {
            return one == other || one + other == 1;
        }

        int value(int unit, IntBuffer ins, IntBuffer others, int old) {
            int read = 31 * ins.get(unit) + others.get(whole ? HALF - 1 - unit : unit);
            return (updates ? 7 * old : 0) + 17 * read + number;
        }
    }

    /** Buffer 0 is large, 1 its second half, the others apart. */
    private static final class Data {
        final List<HostData> buffers = new ArrayList<>();

        Data(Random random) {
            HostData all = MadeUpBuffers.of(ElementType.INT, LARGE);
            var second = all.bytes().slice(4 * HALF, 4 * HALF).order(all.bytes().order());
            Segments.Limits limits = Segments.Limits.ofHost();
            buffers.add(new HostData(ElementType.INT, Segments.wrap(ElementType.INT, all.bytes(), limits)));
            buffers.add(new HostData(ElementType.INT, Segments.wrap(ElementType.INT, second, limits)));
            buffers.add(MadeUpBuffers.of(ElementType.INT, HALF));
            buffers.add(MadeUpBuffers.of(ElementType.INT, HALF));
            buffers.forEach(b -> {
                for (int i = 0; i < b.elements(); i += 1 + random.nextInt(64)) {
                    b.ints().put(i, random.nextInt());
                }
            });
        }

        int[][] content() {
            return buffers.stream()
                    .map(b -> {
                        int[] all = new int[(int) b.elements()];
                        b.ints().get(all);
                        return all;
                    })
                    .toArray(int[][]::new);
        }

        void run(Step step) {
            IntBuffer in = buffers.get(step.in()).ints();
            IntBuffer other = buffers.get(step.other()).ints();
            IntBuffer out = buffers.get(step.out()).ints();
            int[] results = IntStream.range(0, HALF)
                    .map(i -> step.value(i, in, other, out.get(i)))
                    .toArray();
            out.put(0, results);
        }
    }

    private static Step step(Random random, int number, boolean faults) {
        int out = random.nextInt(4);
        int[] ins = IntStream.range(0, 4)
                .filter(b -> b != out && !(out < 2 && b < 2)) // a job may not write what lies over what it reads
                .toArray();
        String good = IDS.get(random.nextInt(2));
        List<String> devices = IDS.stream()
                .filter(id -> (faults && id.equals(good)) || random.nextBoolean())
                .toList();
        return new Step(
                number,
                ins[random.nextInt(ins.length)],
                ins[random.nextInt(ins.length)],
                out,
                random.nextBoolean(),
                random.nextInt(4) == 0,
                devices.isEmpty() ? IDS : devices);
    }

    /** @param ran told of each job when its first unit runs */
    private static Job job(Step step, Data data, Queue<Step> ran) {
        HostData out = data.buffers.get(step.out());
        JobBuilder job = Job.named("step " + step.number()).units(HALF).kernel("k");
        // Whole, where another unit's element is read: then all of it is bound.
        Access how = step.whole() ? Access.whole() : Access.slice(1);
        job.reads(data.buffers.get(step.in()), how);
        if (step.other() != step.in()) {
            job.reads(data.buffers.get(step.other()), how);
        }
        if (step.updates()) {
            job.updates(out, Access.slice(1));
        } else {
            job.writes(out, Access.slice(1));
        }
        boolean two = step.other() != step.in();
        return job.jvm(c -> {
                    if (c.firstUnit() == 0) {
                        ran.add(step);
                    }
                    int shift = step.whole() ? (int) c.firstUnit() : 0;
                    IntBuffer ins = c.buffer(0).asIntBuffer();
                    IntBuffer others = two ? c.buffer(1).asIntBuffer() : ins;
                    IntBuffer outs = c.buffer(two ? 2 : 1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        int unit = shift + i;
                        outs.put(i, step.value(unit, ins, others, outs.get(i)));
                    }
                })
                .devices(DeviceSelector.ids(step.devices()))
                .build();
    }

    private static Script script(Random random, boolean faults, int lane) {
        long pause = random.nextInt(3) == 0 ? 20_000 : 0;
        if (!faults || lane < 2) {
            return new Script(Trouble.NONE, 0, 0, pause);
        }
        Trouble trouble = switch (random.nextInt(4)) {
            case 0 -> Trouble.THROWS;
            case 1 -> Trouble.DIES;
            case 2 -> Trouble.DOES_NOT_BUILD;
            default -> Trouble.HAS_LITTLE_MEMORY;
        };
        return new Script(trouble, random.nextInt(20), 50 + random.nextInt(200), pause);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "4, false", "4, true"})
    void everyBufferEndsAsIfJobsRanOneAfterAnother(int threads, boolean faults) throws Exception {
        for (int seed = FIRST; seed < FIRST + PROGRAMS; ) {
            Random random = new Random(seed);
            Queue<String> wrong = new ConcurrentLinkedQueue<>();
            List<Lane> lanes = new ArrayList<>();
            for (int i = 0; i < LANES; i++) {
                String id = IDS.get(i);
                lanes.add(new ScriptedLane(
                        MadeUpDevices.device(id, "scripted", "scripted " + i, DeviceKind.CPU, 1, 1, 1, id),
                        script(random, faults, i),
                        100 + random.nextInt(1000),
                        job -> 1,
                        random.nextBoolean(),
                        wrong));
            }
            try (Dispatcher own =
                    new Dispatcher(lanes, History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
                for (int i = 0; i < 25 && seed < FIRST + PROGRAMS; i++, seed++) {
                    try (Program program = new Program(seed, threads, faults)) {
                        program.run(own);
                    } catch (Exception | AssertionError e) {
                        throw new AssertionError("program " + seed + ": " + e, e);
                    }
                }
            }
            assertEquals(List.of(), List.copyOf(wrong), "before program " + seed);
        }
    }

    /** Steps of several threads on the same buffers; in every other one all are submitted before one can run, and some are cancelled. */
    private static final class Program implements AutoCloseable {
        private final Data data;
        private final int[][] before;
        private final boolean gated;
        private final Policy policy;
        private final List<List<Step>> threads = new ArrayList<>();
        private final Set<Integer> cancelled = new HashSet<>();
        private final Queue<Step> ran = new ConcurrentLinkedQueue<>();

        Program(int seed, int threads, boolean faults) {
            Random random = new Random(seed);
            this.data = new Data(random);
            this.before = data.content();
            this.gated = random.nextBoolean();
            this.policy = switch (random.nextInt(3)) {
                case 0 -> Policies.fixed();
                case 1 -> Policies.stealing();
                default -> Policies.guided();
            };
            int number = 0;
            for (int t = 0; t < threads; t++) {
                List<Step> steps = new ArrayList<>();
                for (int i = 2 + random.nextInt(1 + 12 / threads); i > 0; i--) {
                    steps.add(step(random, ++number, faults));
                    if (gated && random.nextInt(4) == 0) {
                        cancelled.add(number);
                    }
                }
                this.threads.add(steps);
            }
        }

        void run(Dispatcher own) throws Exception {
            CountDownLatch gate = new CountDownLatch(gated ? 1 : 0);
            List<CompletableFuture<?>> ends = new ArrayList<>();
            List<Integer> numbers = new ArrayList<>(); // of their steps
            if (gated) {
                ends.add(own.submit(gate(gate), Policies.single(0), History.inMemory(), null));
                numbers.add(0);
            }
            List<Thread> submitters = new ArrayList<>();
            for (List<Step> steps : threads) {
                submitters.add(new Thread(() -> steps.forEach(step -> {
                    JobFuture future = own.submit(job(step, data, ran), policy, History.inMemory(), null);
                    boolean cancels = cancelled.contains(step.number());
                    assertEquals(cancels, cancels && future.cancel(false));
                    synchronized (ends) {
                        ends.add(cancels ? future.released() : future);
                        numbers.add(step.number());
                    }
                })));
            }
            submitters.forEach(Thread::start);
            for (Thread submitter : submitters) {
                submitter.join();
            }
            gate.countDown();
            for (int i = 0; i < ends.size(); i++) {
                try {
                    ends.get(i).get(120, TimeUnit.SECONDS);
                } catch (ExecutionException e) { // what another thread's cancelled job was to write, which it needs
                    assertTrue(
                            threads.size() > 1
                                    && e.getCause() instanceof DataLostException lost
                                    && lost.reason().endsWith("was cancelled"),
                            e::toString);
                    cancelled.add(numbers.get(i));
                }
            }
            check();
        }

        private Job gate(CountDownLatch opened) {
            JobBuilder gate = Job.named("gate").units(1).kernel("k");
            for (int buffer : new int[] {0, 2, 3}) { // and so 1
                gate.updates(data.buffers.get(buffer), Access.slice(1));
            }
            return gate.jvm(c -> await(opened))
                    .devices(DeviceSelector.ids(IDS.subList(0, 1)))
                    .build();
        }

        private void check() {
            List<Step> order = List.copyOf(new LinkedHashSet<>(ran)); // a chunk that failed runs again
            List<Step> wanted = threads.stream()
                    .flatMap(List::stream)
                    .filter(step -> !cancelled.contains(step.number()))
                    .toList();
            assertEquals(Set.copyOf(wanted), Set.copyOf(order));
            for (List<Step> steps : threads) {
                for (int i = 0; i < steps.size(); i++) {
                    for (Step later : steps.subList(i + 1, steps.size())) {
                        int one = order.indexOf(steps.get(i));
                        int other = order.indexOf(later);
                        assertTrue(
                                one < other || other < 0 || !steps.get(i).meets(later),
                                later + " ran before " + steps.get(i));
                    }
                }
            }
            int[][] after = data.content();
            restore(before);
            (threads.size() == 1 ? wanted : order).forEach(data::run);
            int[][] expected = data.content();
            for (int i = 0; i < after.length; i++) {
                assertArrayEquals(expected[i], after[i], "buffer " + i + " after " + order);
            }
        }

        private void restore(int[][] content) {
            for (int i = 0; i < content.length; i++) {
                data.buffers.get(i).ints().put(content[i]);
            }
        }

        @Override
        public void close() {
            data.buffers.forEach(HostData::close);
        }
    }

    /**
     * Guards against work on what a job before was to write and did not, in host buffers as in managed ones: whoever was submitted before
     * that could be known is told, by whatever chain, and whoever writes all of it needs nothing.
     */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void noneRunsOnWhatAJobBeforeDidNotWrite(boolean onHost, boolean cancelled) throws Exception {
        Segments.Limits limits = Segments.Limits.ofHost();
        List<LogicalBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            buffers.add(
                    onHost
                            ? MadeUpBuffers.of(ElementType.INT, 100)
                            : new ManagedData(ElementType.INT, 100, limits, null, dispatcher.turns()));
        }
        DataBuffer gate = MadeUpBuffers.of(ElementType.INT, 100);
        DataBuffer a = (DataBuffer) buffers.get(0);
        DataBuffer b = (DataBuffer) buffers.get(1);
        DataBuffer c = (DataBuffer) buffers.get(2);
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("first")) {
                await(goOn);
            } else if (job.name().equals("fails")) {
                throw LaneFailure.declaration("it is wrong");
            }
        };
        JobFuture before = submitted("first", "0.0", j -> j.writes(gate, Access.slice()));
        JobFuture fails =
                submitted("fails", "0.0", j -> j.reads(gate, Access.slice()).writes(a, Access.slice()));
        JobFuture reads =
                submitted("reads", "0.0", j -> j.reads(a, Access.slice()).writes(b, Access.slice()));
        JobFuture updates = submitted("updates", "0.0", j -> j.updates(b, Access.slice()));
        JobFuture writes = submitted("writes", "0.0", j -> j.writes(a, Access.slice()));
        JobFuture readsThat =
                submitted("reads that", "0.0", j -> j.reads(a, Access.slice()).writes(c, Access.slice()));
        if (cancelled) {
            assertTrue(fails.cancel(false));
        }
        goOn.countDown();
        before.get(60, TimeUnit.SECONDS);
        for (JobFuture each : List.of(reads, updates)) {
            DataLostException lost = assertInstanceOf(DataLostException.class, failureOf(each));
            assertTrue(
                    lost.reason().startsWith("job 'fails' " + (cancelled ? "was cancelled" : "failed")), lost.reason());
        }
        writes.get(60, TimeUnit.SECONDS);
        readsThat.get(60, TimeUnit.SECONDS);
        buffers.forEach(LogicalBuffer::close);
        gate.close();
    }

    // ---- and for no others ----

    /** A lane is not kept for a job that waits for another lane's result. */
    @Test
    void aJobThatWaitsForDataKeepsNoLaneFromLaterJobs() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        HostData shared = MadeUpBuffers.of(ElementType.INT, 100);
        JobFuture writer = submitted("writer", "0.0", b -> b.writes(shared, Access.slice()));
        JobFuture reader = submitted("reader", "0.1", b -> b.reads(shared, Access.slice()));
        JobFuture next = submitted("next", "0.1", b -> b.writes(shared, Access.slice()));
        submitted("apart", "0.1", b -> {}).get(60, TimeUnit.SECONDS);
        assertEquals(2, dispatcher.queue().length());
        assertFalse(writer.isDone() || reader.isDone() || next.isDone());
        goOn.countDown();
        for (JobFuture each : List.of(next, writer, reader)) { // futures may complete in another order than jobs end
            each.get(60, TimeUnit.SECONDS);
        }
        assertTrue(writer.isDone() && reader.isDone());
        assertEquals(
                List.of("apart", "reader", "next"),
                second.executed.stream().map(FakeLane.Executed::job).toList());
    }

    /**
     * One that is cancelled before it was given a place, because somebody else is at the books, has its place all the same: readers that
     * did not know get no older value, and others do.
     */
    @Test
    void whoeverCountsOnAJobThatIsCancelledBeforeItHasItsPlaceIsTold() throws Exception {
        CountDownLatch cutting = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Policy slow = new Policy() {
            @Override
            public String name() {
                return "slow";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                cutting.countDown();
                await(goOn);
                return Policies.fixed().plan(snapshot);
            }

            @Override
            public long chunk(Progress progress, int lane) {
                return Policies.fixed().chunk(progress, lane);
            }
        };
        Thread other = new Thread(() -> {
            JobFuture ignored = dispatcher.submit(job("slow", 1), slow, history, null);
        });
        other.start();
        await(cutting);
        ManagedData data = new ManagedData(ElementType.INT, 100, Segments.Limits.ofHost(), null, dispatcher.turns());
        JobFuture cancelled = submitted("cancelled", "0.0", b -> b.writes(data, Access.slice()));
        CompletableFuture<ManagedBuffer.Scope> reads = data.readAsync();
        assertTrue(cancelled.cancel(false));
        CompletableFuture<ManagedBuffer.Scope> knows = data.readAsync();
        goOn.countDown();
        ExecutionException failed = assertThrows(ExecutionException.class, () -> reads.get(60, TimeUnit.SECONDS));
        assertEquals(
                "job 'cancelled' was cancelled",
                assertInstanceOf(DataLostException.class, failed.getCause()).reason());
        try (ManagedBuffer.Scope old = knows.get(60, TimeUnit.SECONDS)) {
            assertEquals(0, old.ints().get(99));
        }
        other.join();
        data.close();
    }

    @Test
    void readersOfOneBufferRunSideBySide() throws Exception {
        HostData shared = MadeUpBuffers.of(ElementType.INT, 100);
        CountDownLatch both = new CountDownLatch(2);
        FakeLane.Work meet = (job, phase, from, units, times) -> {
            both.countDown();
            await(both);
        };
        first.work = meet;
        second.work = meet;
        JobFuture one = submitted("one", "0.0", b -> b.reads(shared, Access.slice()));
        submitted("other", "0.1", b -> b.reads(shared, Access.slice())).get(60, TimeUnit.SECONDS);
        one.get(60, TimeUnit.SECONDS);
    }

    private JobFuture submitted(String name, String device, Consumer<JobBuilder> arguments) {
        JobBuilder job = Job.named(name)
                .units(100)
                .devices(DeviceSelector.ids(List.of(device)))
                .kernel("k");
        arguments.accept(job);
        return dispatcher.submit(job.jvm(c -> {}).build(), Policies.fixed(), history, null);
    }
}
