package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.internal.NativeLedger;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random programs that race for the memory of devices with room for one to three buffers: buffers are closed while jobs use them and
 * lanes give up their copies, jobs are cancelled, threads interrupted, scopes of parts opened, all at random moments. Every value is
 * the sequential one, no job fails that was submitted before a close, and memory of buffers that no job knows stays as it was.
 *
 * <p>{@code -Dracing.jobs=500000 -Dracing.reads=10000000} sets how many of either there are at least, over all cases together;
 * {@code -Dracing.seed=8} makes them other programs.
 */
@Timeout(value = 7200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RacingProgramsTest {
    private static final int CASES = 4;
    private static final long JOBS = Long.getLong("racing.jobs", LongTests.orAll(2_000, 40_000)) / CASES;
    private static final long READS = Long.getLong("racing.reads", LongTests.orAll(30_000, 800_000)) / CASES;
    private static final long SEED = Long.getLong("racing.seed", 0);
    private static final int N = 1 << 15;
    private static final int THREADS = 4;
    private static final int MOST_UNDER_WAY = 6; // jobs of a program
    private static final String SOURCE = """
            __kernel void fill(__global int *out, int value) {
                out[get_global_id(0)] = value;
            }
            __kernel void scale(__global const int *in, __global int *out, int rounds) {
                size_t i = get_global_id(0);
                int v = in[i];
                for (int k = 0; k < rounds; k++) v = 3 * v + 1;
                out[i] = v;
            }
            __kernel void add(__global int *values, __global const int *table) {
                size_t i = get_global_id(0);
                values[i] += table[(values[i] & 63)];
            }
            """;

    private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicLong jobs = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong closes = new AtomicLong();
    private final AtomicLong cancels = new AtomicLong();
    private final AtomicLong interrupts = new AtomicLong();
    private ExecutorService closers;

    /** @param buffers for how many of them each device has room */
    @ParameterizedTest
    @CsvSource({"1, '0.0,0.1', 1", "2, '0.0,0.1', 2", "3, '0.0,0.1', 3", "4, '0.0,0.1,jvm', 1"})
    void everyValueIsTheSequentialOneAndNobodysMemoryIsWritten(long seed, String devices, int buffers)
            throws InterruptedException {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        closers = Executors.newFixedThreadPool(2);
        EvenerBuilder builder = ManagedBufferTest.discrete(devices)
                .mirrorBytes(buffers * 4L * N)
                .pinnedFrom(0); // whose memory is another's as soon as it is let go
        try (Evener evener = builder.open()) {
            List<Thread> programs = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random((SEED * CASES + seed) * THREADS + i);
                programs.add(new Thread(() -> run(new Program(evener, random)), "program-" + i));
            }
            programs.forEach(Thread::start);
            interrupt(programs, new Random(SEED * CASES + seed));
        } finally {
            closers.shutdown();
            assertTrue(closers.awaitTermination(60, TimeUnit.SECONDS));
        }
        String done = jobs + " jobs, " + reads + " reads, " + closes + " closed, " + cancels + " cancelled, "
                + interrupts + " interrupts, " + wrong.size() + " wrong";
        System.getLogger("racing").log(System.Logger.Level.INFO, done);
        if (!wrong.isEmpty()) {
            throw new AssertionError(done, wrong.peek());
        }
        assertTrue(closes.get() > 10 && cancels.get() > 10, done);
        assertEquals(before, NativeLedger.live());
    }

    /** Interrupts them now and then, until all have ended. */
    private void interrupt(List<Thread> programs, Random random) {
        while (programs.stream().anyMatch(Thread::isAlive)) {
            programs.get(random.nextInt(THREADS)).interrupt();
            interrupts.incrementAndGet();
            LockSupport.parkNanos(random.nextInt(2_000_000));
        }
    }

    private void run(Program program) {
        try {
            while (wrong.isEmpty() && (jobs.get() < JOBS || reads.get() < READS)) {
                program.step();
            }
            program.end();
        } catch (Throwable e) {
            wrong.add(e);
        }
    }

    /** A buffer and what it holds. */
    private static final class Variable {
        private final DataBuffer buffer;
        private int[] content = new int[N];

        Variable(DataBuffer buffer) {
            this.buffer = buffer;
        }
    }

    /** A job that must end well, unless it was cancelled. */
    private record Submitted(JobFuture future, boolean cancelled) {}

    /** What one thread does: its buffers are its own, devices and memory are not. */
    private final class Program {
        private final Evener evener;
        private final Random random;
        private final List<Variable> variables = new ArrayList<>();
        private final List<Variable> canaries = new ArrayList<>(); // no job knows them
        private final ArrayDeque<Submitted> underWay = new ArrayDeque<>();
        private final ArrayDeque<CompletableFuture<?>> scopes = new ArrayDeque<>();
        private int device = -1; // for which alone its jobs are

        Program(Evener evener, Random random) {
            this.evener = evener;
            this.random = random;
            for (int i = 0; i < 4; i++) {
                variables.add(made());
            }
            for (int i = 0; i < 2; i++) {
                canaries.add(canary());
            }
        }

        void step() {
            Variable x = any(variables);
            Variable y = variables.get((variables.indexOf(x) + 1 + random.nextInt(3)) % 4);
            switch (random.nextInt(14)) {
                case 0, 1 -> fill(x);
                case 2 -> scale(x, y);
                case 3 -> scaleRange(x, y);
                case 4 -> add(x, y);
                case 5 -> write(x);
                case 6 -> close(x, made());
                case 7 -> closeInScope(x);
                case 8 -> checkCanary();
                case 9 -> readLater(x);
                case 10 -> readWhileItGoesAndComes(x, y);
                case 11 -> closeWhileItGoes(x, y);
                default -> {
                    for (int i = random.nextInt(150); i >= 0; i--) {
                        read(x);
                    }
                }
            }
        }

        private <T> T any(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        private Variable made() {
            return new Variable(
                    random.nextInt(5) == 0
                            ? evener.allocate(ElementType.INT, N)
                            : evener.allocateManaged(ElementType.INT, N));
        }

        // ---- jobs ----

        private void fill(Variable out) {
            int value = random.nextInt();
            int[] after = new int[N];
            Arrays.fill(after, value);
            Job job = Job.named("fill")
                    .source(SOURCE)
                    .units(N)
                    .kernel("fill")
                    .writes(out.buffer, Access.slice())
                    .scalar(value)
                    .jvm(c -> {
                        for (int i = 0; i < c.units(); i++) {
                            c.buffer(0).asIntBuffer().put(i, value);
                        }
                    })
                    .build();
            submit(job, out, after);
        }

        private void scale(Variable in, Variable out) {
            scale(in, 0, out, 0, N);
        }

        /** Of any part to any part, for most of which devices have memory apart. */
        private void scaleRange(Variable in, Variable out) {
            int count = 1 + random.nextInt(N);
            scale(in, random.nextInt(N - count + 1), out, random.nextInt(N - count + 1), count);
        }

        private void scale(Variable in, int from, Variable out, int to, int count) {
            int rounds =
                    random.nextInt(10) == 0 ? 500 : 1; // a device that is busy for longer keeps others waiting anywhere
            int factor = 1;
            int sum = 0;
            for (int k = 0; k < rounds; k++) {
                sum = 3 * sum + 1;
                factor *= 3;
            }
            int[] after = out.content.clone();
            for (int i = 0; i < count; i++) {
                after[to + i] = factor * in.content[from + i] + sum;
            }
            int by = factor;
            int and = sum;
            Job job = Job.named("scale")
                    .source(SOURCE)
                    .units(count)
                    .kernel("scale")
                    .reads(in.buffer.range(from, count), Access.slice())
                    .writes(out.buffer.range(to, count), Access.slice())
                    .scalar(rounds)
                    .jvm(c -> {
                        IntBuffer ins = c.buffer(0).asIntBuffer();
                        IntBuffer outs = c.buffer(1).asIntBuffer();
                        for (int i = 0; i < c.units(); i++) {
                            outs.put(i, by * ins.get(i) + and);
                        }
                    })
                    .build();
            submit(job, out, after);
        }

        private void add(Variable values, Variable table) {
            int[] sums = Arrays.stream(values.content)
                    .map(v -> v + table.content[v & 63])
                    .toArray();
            Job job = Job.named("add")
                    .source(SOURCE)
                    .units(N)
                    .kernel("add")
                    .updates(values.buffer, Access.slice())
                    .reads(table.buffer, Access.whole())
                    .jvm(c -> {
                        IntBuffer all = c.buffer(0).asIntBuffer();
                        for (int i = 0; i < c.units(); i++) {
                            all.put(i, all.get(i) + c.buffer(1).asIntBuffer().get(all.get(i) & 63));
                        }
                    })
                    .build();
            submit(job, values, sums);
        }

        private void submit(Job job, Variable out, int[] after) {
            Policy policy = switch (device < 0 ? random.nextInt(4) : 4) {
                case 0 -> Policies.fixed();
                case 1 -> Policies.stealing();
                case 2 -> Policies.single(random.nextInt(evener.devices().size()));
                case 3 -> Policies.guided();
                default -> Policies.single(device);
            };
            JobFuture future = evener.submit(job, policy);
            jobs.incrementAndGet();
            boolean cancelled = device < 0 && random.nextInt(8) == 0 && cancel(future);
            underWay.add(new Submitted(future, cancelled));
            out.content = after;
            if (cancelled) {
                writeAll(out, future);
            }
            while (underWay.size() > MOST_UNDER_WAY) {
                finish(underWay.remove());
            }
        }

        private boolean cancel(JobFuture future) {
            if (random.nextBoolean()) {
                LockSupport.parkNanos(random.nextInt(200_000));
            }
            boolean cancelled = future.cancel(false);
            cancels.addAndGet(cancelled ? 1 : 0);
            return cancelled;
        }

        /** What a cancelled job was to write is lost, or any of it is there. */
        private void writeAll(Variable to, JobFuture cancelled) {
            to.content = new int[N];
            if (to.buffer instanceof ManagedBuffer managed && random.nextBoolean()) {
                managed.discard();
                return;
            }
            Arrays.fill(to.content, random.nextInt());
            if (to.buffer instanceof ManagedBuffer managed) {
                try (ManagedBuffer.Scope scope = managed.overwrite()) {
                    scope.ints().put(to.content);
                }
            } else if (to.buffer instanceof HostBuffer host) {
                waitFor(cancelled.released());
                finishAll();
                host.ints().put(to.content);
            }
        }

        private void finish(Submitted job) {
            try {
                waitFor(job.future);
            } catch (CancellationException e) {
                if (!job.cancelled) {
                    throw e;
                }
            }
        }

        private void finishAll() {
            while (!underWay.isEmpty()) {
                finish(underWay.remove());
            }
        }

        /** Although the thread is interrupted now and then. */
        private static void waitFor(CompletableFuture<?> future) {
            while (true) {
                try {
                    future.get();
                    return;
                } catch (InterruptedException e) {
                    // as this is a test of that
                } catch (ExecutionException e) {
                    throw new CompletionException(e.getCause());
                }
            }
        }

        // ---- the host ----

        private void write(Variable to) {
            int count = 1 + random.nextInt(N);
            int from = random.nextInt(N - count + 1);
            int[] values = random.ints(count).toArray();
            if (to.buffer instanceof ManagedBuffer managed) {
                try (ManagedBuffer.Scope scope = managed.update(from, count)) {
                    scope.ints().put(values);
                }
            } else if (to.buffer instanceof HostBuffer host) {
                finishAll();
                host.ints().put(from, values);
            }
            System.arraycopy(values, 0, to.content, from, count);
        }

        /** A part, of which a device may hold what the host has no memory for. */
        private void read(Variable of) {
            int count = 1 + random.nextInt(random.nextInt(4) == 0 ? N : 64);
            int from = random.nextInt(N - count + 1);
            if (of.buffer instanceof ManagedBuffer managed) {
                try (ManagedBuffer.Scope scope = managed.read(from, count)) {
                    compare(of.content, from, count, scope.ints());
                }
            } else if (of.buffer instanceof HostBuffer host) {
                finishAll();
                compare(of.content, from, count, host.ints().slice(from, count));
            }
        }

        /** Parts of what only a device holds, while that gives it up for the first time, and is sent it again. */
        private void readWhileItGoesAndComes(Variable x, Variable y) {
            close(x, new Variable(evener.allocateManaged(ElementType.INT, N)));
            Variable made = variables.get(variables.size() - 1);
            device = random.nextInt(evener.devices().size());
            fill(made);
            for (int i = 0; i < 8; i++) {
                readLater(made);
            }
            fill(y);
            scale(made, y);
            for (int k = 0; k < 20; k++) {
                read(made);
            }
            device = -1;
        }

        private void readLater(Variable of) {
            if (of.buffer instanceof ManagedBuffer managed) {
                int count = 1 + random.nextInt(N);
                int from = random.nextInt(N - count + 1);
                int[] content = of.content;
                CompletableFuture<ManagedBuffer.Scope> asked = managed.readAsync(from, count);
                scopes.add(asked.handle((scope, failure) -> {
                    if (scope != null) {
                        try (scope) {
                            compare(content, from, count, scope.ints());
                        }
                    } else if (!(failure instanceof CancellationException || managed.isClosed())) {
                        throw new CompletionException(failure);
                    }
                    return null;
                }));
                if (random.nextInt(4) == 0) {
                    asked.cancel(false);
                }
            }
            while (scopes.size() > 2 * MOST_UNDER_WAY) {
                waitFor(scopes.remove());
            }
        }

        private void compare(int[] content, int from, int count, IntBuffer seen) {
            reads.incrementAndGet();
            int at = seen.mismatch(IntBuffer.wrap(content, from, count));
            if (at >= 0) {
                throw new AssertionError("element " + (from + at) + " is " + seen.get(at) + ", not "
                        + content[from + at] + ", of " + count + " from " + from);
            }
        }

        // ---- buffers that go ----

        /** While jobs with it wait or run: at once, or by another thread somewhat later. */
        private void close(Variable x, Variable next) {
            if (random.nextBoolean()) {
                x.buffer.close();
            } else {
                int nanos = random.nextInt(300_000);
                closers.execute(() -> {
                    LockSupport.parkNanos(nanos);
                    x.buffer.close();
                });
            }
            replace(x, next);
        }

        private void replace(Variable closed, Variable next) {
            closes.incrementAndGet();
            if (random.nextBoolean()) {
                canaries.add(canary());
            }
            if (canaries.size() > 4) {
                Variable old = canaries.remove(random.nextInt(2));
                check(old);
                old.buffer.close();
            }
            variables.remove(closed);
            variables.add(next);
        }

        /** What only a device holds, and another job wants the memory of; the next buffer has the memory on the host. */
        private void closeWhileItGoes(Variable x, Variable y) {
            close(x, new Variable(evener.allocateManaged(ElementType.INT, N)));
            Variable made = variables.get(variables.size() - 1);
            device = random.nextInt(evener.devices().size());
            fill(made);
            fill(y);
            device = -1;
            LockSupport.parkNanos(random.nextInt(1_000_000));
            made.buffer.close();
            replace(made, made());
        }

        /** A scope that is open keeps what it shows. */
        private void closeInScope(Variable x) {
            if (x.buffer instanceof ManagedBuffer managed) {
                int count = 1 + random.nextInt(N);
                int from = random.nextInt(N - count + 1);
                try (ManagedBuffer.Scope scope = managed.read(from, count)) {
                    managed.close();
                    replace(x, made());
                    fill(any(variables));
                    compare(x.content, from, count, scope.ints());
                }
            }
        }

        // ---- nobody's memory ----

        private Variable canary() {
            HostBuffer buffer = evener.allocate(ElementType.INT, N);
            Variable made = new Variable(buffer);
            made.content = random.ints(N).toArray();
            buffer.ints().put(made.content);
            return made;
        }

        private void checkCanary() {
            check(any(canaries));
        }

        private static void check(Variable canary) {
            int at = ((HostBuffer) canary.buffer).ints().mismatch(IntBuffer.wrap(canary.content));
            if (at >= 0) {
                throw new AssertionError("element " + at + " of a buffer that no job knows was overwritten");
            }
        }

        void end() {
            finishAll();
            scopes.forEach(Program::waitFor);
            for (Variable each : variables) {
                read(each);
                each.buffer.close();
            }
            canaries.forEach(Program::check);
            canaries.forEach(each -> each.buffer.close());
        }
    }
}
