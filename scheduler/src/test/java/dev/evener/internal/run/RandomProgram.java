package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.DataLostException;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.JvmKernel;
import dev.evener.ManagedBuffer;
import dev.evener.internal.HostData;
import dev.evener.internal.ManagedData;
import dev.evener.internal.Prefetch;
import dev.evener.internal.Segments;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Random steps of a thread that submits jobs and opens scopes, and beside them the values that they have one after another, worked out
 * when it is known which jobs ended well: what others were to write is as it was, or lost. One thread.
 */
final class RandomProgram {
    private static final int SUMS = 4;
    private static final Pattern DEVICE = Pattern.compile("device (0\\.\\d)");

    private final RandomProgramsTest.Machine machine;
    private final Random random;
    private final int n;
    private final List<Variable> managed = new ArrayList<>();
    private final Variable onHost;
    private final Variable sums;
    private final List<Submitted> jobs = new ArrayList<>();
    private final List<CompletableFuture<?>> others = new ArrayList<>(); // which never fail
    private final List<CompletableFuture<?>> gates = new ArrayList<>(); // that jobs come after
    private final List<Runnable> effects =
            new ArrayList<>(); // on the values, of what was done and is not known to have ended well
    private final List<String> done = Collections.synchronizedList(new ArrayList<>()); // in words
    private final Set<String> causes = ConcurrentHashMap.newKeySet(); // what a failure may go back to, in words
    private int number;
    int read;
    int lost;

    /** A buffer, and what the sequential program has in it. */
    private static final class Variable {
        final DataBuffer buffer;
        int[] value;
        boolean doubtful; // whether something was done that may have lost it
        CompletableFuture<?> written = CompletableFuture.completedFuture(null); // by the last scope that was asked for

        Variable(DataBuffer buffer) {
            this.buffer = buffer;
            this.value = new int[(int) buffer.elements()];
        }

        ManagedBuffer managed() {
            return (ManagedBuffer) buffer;
        }
    }

    private record Submitted(JobFuture future, boolean doubtful) {}

    RandomProgram(RandomProgramsTest.Machine machine, int seed) {
        this.machine = machine;
        this.random = new Random(seed);
        this.n = 16 + random.nextInt(49);
        for (int i = 0; i < 4; i++) {
            Variable made = new Variable(make(n));
            managed.add(made);
            if (random.nextInt(4) > 0) {
                made.value = random.ints(n).toArray();
                fill(made);
            }
        }
        onHost = new Variable(new HostData(
                ElementType.INT, Segments.allocate(ElementType.INT, n, 1, Segments.Limits.ofHost(), machine.memory)));
        sums = new Variable(make(SUMS));
    }

    private ManagedData make(int elements) {
        return new ManagedData(ElementType.INT, elements, Segments.Limits.ofHost(), machine.memory, machine.turns);
    }

    void run() {
        for (int steps = 6 + random.nextInt(20); steps > 0; steps--) {
            step();
        }
        openGates();
        boolean early = random.nextInt(6) == 0;
        if (early) { // jobs end all the same, and no scope waits
            everything().forEach(each -> each.buffer.close());
        }
        if (!early) {
            settle();
        }
        others.forEach(RandomProgramsTest::get);
        for (Submitted each : jobs) {
            Throwable failure = RandomProgramsTest.get(each.future.handle((report, e) -> e));
            RandomProgramsTest.get(each.future.released());
            if (failure != null) {
                requireReason(failure, each.doubtful);
            }
        }
        if (!early) {
            everything().forEach(this::check);
            everything().forEach(each -> each.buffer.close());
        }
    }

    private List<Variable> everything() {
        List<Variable> all = new ArrayList<>(managed);
        all.add(onHost);
        all.add(sums);
        return all;
    }

    /** Before this thread waits for anything. */
    private void openGates() {
        gates.forEach(gate -> gate.complete(null));
        gates.clear();
    }

    /** Waits for all jobs so far, and works the values out. */
    private void settle() {
        openGates();
        others.forEach(RandomProgramsTest::get);
        effects.forEach(Runnable::run);
        effects.clear();
    }

    private static boolean isDone(CompletableFuture<?> job) {
        return RandomProgramsTest.get(job.handle((report, failure) -> failure == null));
    }

    private Variable any() {
        return managed.get(random.nextInt(managed.size()));
    }

    private Variable anyBut(Variable other, Variable another) {
        Variable any = any();
        while (any == other || any == another) {
            any = any();
        }
        return any;
    }

    private void step() {
        Variable in = random.nextInt(8) == 0 ? onHost : any();
        Variable out = in != onHost && random.nextInt(12) == 0 ? onHost : anyBut(in, in);
        switch (random.nextInt(24)) {
            case 0, 1 -> submit(scale(in, out, 3), out, () -> scaled(in.value, 3), in.doubtful);
            case 2, 3 -> submit(blur(in, out), out, () -> blurred(in.value), in.doubtful);
            case 4, 5 -> submit(add(out, in), out, () -> added(out.value, in.value), in.doubtful || out.doubtful);
            case 6 -> total(in);
            case 7 -> half(in, out);
            case 8 -> hostStep(in, anyBut(in, in));
            case 9 -> iterate();
            case 10 -> fail(any());
            case 11 -> hostWrites(any());
            case 12 -> readsLater(random.nextInt(5) == 0 ? sums : any());
            case 13 -> writesLater(any());
            case 14 -> {
                Variable given = any();
                given.managed().discard();
                note("discards", given);
                effects.add(() -> given.value = new int[n]);
                given.doubtful = false;
            }
            case 15 -> {
                if (random.nextInt(3) == 0) {
                    Variable mirrored = any();
                    mirrored.managed().mirror();
                    note("mirrors", mirrored);
                }
            }
            case 16 -> prefetch(any().managed());
            case 17, 18 -> phases(in, anyBut(in, in));
            case 19 -> close(any());
            case 20 -> readWhileItGoesAndComes(any());
            case 21, 22 -> chain();
            default -> check(random.nextInt(5) == 0 ? sums : any());
        }
    }

    // ---- jobs ----

    private JobBuilder named(String name, int units) {
        JobBuilder job = Job.named(name + " " + ++number)
                .units(units)
                .priority(random.nextInt(3) - 1)
                .kernel(name);
        if (random.nextInt(4) == 0) {
            job.devices(DeviceSelector.ids(machine.lanes.stream()
                    .filter(lane -> !lane.isTroubled() || random.nextBoolean())
                    .map(lane -> lane.device().id())
                    .toList()));
        }
        return job;
    }

    private Job scale(Variable in, Variable out, int factor) {
        return named("scale", n)
                .reads(in.buffer, Access.slice(1))
                .writes(out.buffer, Access.slice(1))
                .scalar("factor", factor)
                .jvm(c -> {
                    IntBuffer ins = c.buffer(0).asIntBuffer();
                    IntBuffer outs = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        outs.put(i, c.scalar(2).intValue() * ins.get(i) + 1);
                    }
                })
                .build();
    }

    private static int[] scaled(int[] in, int factor) {
        return Arrays.stream(in).map(v -> factor * v + 1).toArray();
    }

    private Job blur(Variable in, Variable out) {
        int before = random.nextInt(3);
        return named("blur", n)
                .reads(in.buffer, Access.slice(1).halo(1 + before, 1 + random.nextInt(3)))
                .writes(out.buffer, Access.slice(1))
                .jvm(this::blurInJava)
                .build();
    }

    private void blurInJava(JvmKernel.Chunk c) {
        IntBuffer ins = c.buffer(0).asIntBuffer();
        IntBuffer outs = c.buffer(1).asIntBuffer();
        for (int i = 0, at = c.viewStart(0); i < c.units(); i++, at++) {
            long unit = c.firstUnit() + i;
            outs.put(i, blurred(unit > 0 ? ins.get(at - 1) : 7, ins.get(at), unit + 1 < n ? ins.get(at + 1) : 9));
        }
    }

    private static int blurred(int before, int at, int after) {
        return before + 5 * at + after;
    }

    private static int[] blurred(int[] in) {
        int[] out = new int[in.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = blurred(i > 0 ? in[i - 1] : 7, in[i], i + 1 < in.length ? in[i + 1] : 9);
        }
        return out;
    }

    private Job add(Variable values, Variable table) {
        return named("add", n)
                .updates(values.buffer, Access.slice(1))
                .reads(table.buffer, Access.whole())
                .jvm(RandomProgram::addInJava)
                .build();
    }

    private static int[] added(int[] values, int[] table) {
        return Arrays.stream(values).map(v -> v + table[v & 15]).toArray();
    }

    private static void addInJava(JvmKernel.Chunk c) {
        IntBuffer all = c.buffer(0).asIntBuffer();
        IntBuffer table = c.buffer(1).asIntBuffer();
        for (int i = 0; i < c.units(); i++) {
            all.put(i, all.get(i) + table.get(all.get(i) & 15));
        }
    }

    private void total(Variable in) {
        JobBuilder job = named("total", n)
                .reads(in.buffer, Access.slice(1))
                .reduces(sums.buffer, Reduction.SUM)
                .jvm(c -> {
                    IntBuffer all = c.buffer(1).asIntBuffer();
                    for (int i = 0; i < c.units(); i++) {
                        int k = (int) (c.firstUnit() + i) % SUMS;
                        all.put(k, all.get(k) + c.buffer(0).asIntBuffer().get(i));
                    }
                });
        boolean triples = random.nextBoolean();
        if (triples) {
            job.hostStep(
                    host -> host.update(sums.buffer, 1, 1)
                            .putInt(0, 3 * host.read(sums.buffer, 1, 1).getInt()),
                    sums.buffer);
        }
        submit(
                job.build(),
                sums,
                () -> {
                    int[] totals = new int[SUMS];
                    for (int i = 0; i < n; i++) {
                        totals[i % SUMS] += in.value[i];
                    }
                    totals[1] *= triples ? 3 : 1;
                    return totals;
                },
                in.doubtful);
    }

    /** Writes the first half, and leaves the other as it is. */
    private void half(Variable in, Variable out) {
        int units = n / 2;
        Job job = named("half", units)
                .reads(in.buffer, Access.slice(1))
                .writes(out.buffer, Access.slice(1))
                .jvm(c -> {
                    for (int i = 0; i < c.units(); i++) {
                        c.buffer(1)
                                .asIntBuffer()
                                .put(i, 7 * c.buffer(0).asIntBuffer().get(i));
                    }
                })
                .build();
        submit(
                job,
                out,
                () -> {
                    int[] values = out.value.clone();
                    for (int i = 0; i < units; i++) {
                        values[i] = 7 * in.value[i];
                    }
                    return values;
                },
                in.doubtful || out.doubtful);
    }

    /** Between two phases the host reads a part of the one's result, and writes a part of a table for the other. */
    private void hostStep(Variable in, Variable out) {
        Variable table = anyBut(in, out);
        int from = random.nextInt(n - 4);
        int to = random.nextInt(n - 4);
        Job job = named("first", n)
                .reads(in.buffer, Access.slice(1))
                .writes(out.buffer, Access.slice(1))
                .jvm(c -> {
                    for (int i = 0; i < c.units(); i++) {
                        c.buffer(1)
                                .asIntBuffer()
                                .put(i, 5 * c.buffer(0).asIntBuffer().get(i) + 1);
                    }
                })
                .hostStep(host -> host.update(table.buffer, to, 4).put(host.read(out.buffer, from, 4)), table.buffer)
                .kernel("second")
                .updates(out.buffer, Access.slice(1))
                .reads(table.buffer, Access.whole())
                .jvm(RandomProgram::addInJava)
                .build();
        table.doubtful |= in.doubtful;
        submit(
                job,
                List.of(out, table),
                () -> {
                    int[] first = scaled(in.value, 5);
                    int[] after = table.value.clone();
                    System.arraycopy(first, from, after, to, 4);
                    return List.of(added(first, after), after);
                },
                table.doubtful);
        table.doubtful |= out.doubtful; // if that is cancelled
    }

    /** Three phases, each of which needs what the one before has written; the last one writes over what the first has. */
    private void phases(Variable in, Variable out) {
        Variable middle = anyBut(in, out);
        int before = random.nextInt(3);
        JobBuilder job = named("scale", n)
                .reads(in.buffer, Access.slice(1))
                .writes(middle.buffer, Access.slice(1))
                .jvm(c -> {
                    for (int i = 0; i < c.units(); i++) {
                        c.buffer(1)
                                .asIntBuffer()
                                .put(i, 5 * c.buffer(0).asIntBuffer().get(i) + 1);
                    }
                })
                .kernel("blur")
                .reads(middle.buffer, Access.slice(1).halo(1 + before, 1))
                .writes(out.buffer, Access.slice(1))
                .jvm(this::blurInJava)
                .kernel("add")
                .updates(middle.buffer, Access.slice(1))
                .reads(out.buffer, Access.whole())
                .jvm(RandomProgram::addInJava);
        middle.doubtful |= in.doubtful;
        submit(
                job.build(),
                List.of(out, middle),
                () -> {
                    int[] scaled = scaled(in.value, 5);
                    int[] blurred = blurred(scaled);
                    return List.of(blurred, added(scaled, blurred));
                },
                in.doubtful);
        middle.doubtful |= out.doubtful; // if that is cancelled
    }

    /** A template, with two buffers that swap and another factor each time. */
    private void iterate() {
        Variable one = any();
        Variable other = anyBut(one, one);
        Job step = scale(one, other, 3);
        for (int steps = 3 + random.nextInt(5), i = 0; i < steps; i++) {
            int factor = steps - i;
            Variable from = i % 2 == 0 ? one : other;
            Variable to = i % 2 == 0 ? other : one;
            submit(step.with("factor", factor), to, () -> scaled(from.value, factor), from.doubtful);
            step = step.swap(from.buffer, to.buffer);
        }
    }

    /**
     * Steps whose ranges wait for each other, as one job or as jobs that go on behind each other: a few times, as lanes have
     * to be known for that. In between one lane may do all of it, so that others begin with what they have not.
     */
    private void chain() {
        Variable one = any();
        Variable other = anyBut(one, one);
        Job step = blur(one, other);
        Job back = step.swap(one.buffer, other.buffer);
        int pairs = 1 + random.nextInt(3);
        List<Job> behind = new ArrayList<>();
        for (int i = 1; i < 2 * pairs; i++) {
            behind.add(i % 2 == 0 ? step : back);
        }
        Optional<Job> joined = random.nextBoolean() ? step.then(behind) : Optional.empty();
        for (int times = 2 + random.nextInt(4); times > 0; times--) {
            Policy policy = random.nextInt(4) == 0 ? Policies.single() : Policies.fixed();
            if (joined.isPresent()) {
                other.doubtful |= one.doubtful;
                submit(
                        joined.get(),
                        policy,
                        machine.history,
                        List.of(other, one),
                        () -> {
                            int[] from = one.value;
                            int[] to = from;
                            for (int i = 0; i < 2 * pairs; i++) {
                                to = from;
                                from = blurred(from);
                            }
                            return List.of(to, from);
                        },
                        one.doubtful);
                one.doubtful |= other.doubtful;
            } else {
                for (int i = 0; i < 2 * pairs; i++) {
                    Variable from = i % 2 == 0 ? one : other;
                    Variable to = i % 2 == 0 ? other : one;
                    Job next = i % 2 == 0 ? step : back;
                    submit(
                            next,
                            policy,
                            machine.history,
                            List.of(to),
                            () -> List.of(blurred(from.value)),
                            from.doubtful);
                }
            }
        }
    }

    /** A job whose kernel is wrong. */
    private void fail(Variable out) {
        String words = "wrong kernel " + ++number;
        Job job = named("wrong", n)
                .writes(out.buffer, Access.slice(1))
                .jvm(c -> {
                    throw new LaneFailure(LaneFailure.Kind.DECLARATION, words);
                })
                .build();
        causes.add(words);
        submit(job, out, () -> out.value, true);
    }

    private void submit(Job job, Variable out, Supplier<int[]> result, boolean doubtful) {
        submit(job, List.of(out), () -> List.of(result.get()), doubtful);
    }

    /**
     * @param outs what it writes
     * @param results the values of these, if it ends well
     * @param doubtful whether something it needs may be lost
     */
    private void submit(Job job, List<Variable> outs, Supplier<List<int[]>> results, boolean doubtful) {
        Policy policy = switch (random.nextInt(4)) {
            case 0 -> Policies.fixed();
            case 1 -> Policies.stealing(4);
            case 2 -> Policies.single();
            default -> Policies.guided();
        };
        submit(job, policy, History.inMemory(), outs, results, doubtful);
    }

    private void submit(
            Job job,
            Policy policy,
            History history,
            List<Variable> outs,
            Supplier<List<int[]>> results,
            boolean doubtful) {
        Variable out = outs.get(0);
        boolean fails = false;
        CompletableFuture<?> after = null;
        if (random.nextInt(6) == 0) {
            after = new CompletableFuture<>();
            fails = random.nextInt(8) == 0;
            if (fails) {
                String words = "failure " + ++number;
                causes.add(words);
                after.completeExceptionally(new IllegalStateException(words));
            } else if (!jobs.isEmpty() && random.nextBoolean()) {
                Submitted earlier = jobs.get(random.nextInt(jobs.size()));
                after = earlier.future;
                fails = earlier.doubtful;
                if (fails) {
                    causes.add("what it was to come after failed: java.util.concurrent.CancellationException");
                }
            } else {
                gates.add(after);
            }
        }
        boolean cancels = random.nextInt(14) == 0;
        if (cancels) {
            causes.add("job '" + job.name() + "' was cancelled");
        }
        JobFuture future = machine.submit(job, policy, history, after);
        note(job.name() + " by " + policy.name() + (cancels ? " cancelled" : fails ? " after a failure" : ""), out);
        CompletableFuture<?> ignored = future.whenComplete(
                (r, e) -> done.add("  " + job.name() + " ended " + (e == null ? r.failures() : e.toString())));
        out.doubtful = doubtful || fails || cancels;
        jobs.add(new Submitted(future, out.doubtful));
        boolean cancelled = cancels && cancel(future);
        if (cancelled) {
            settle();
            settleCancelled(outs, results.get());
        } else {
            effects.add(() -> {
                if (isDone(future) || out == onHost) {
                    take(outs, results.get());
                }
            });
        }
        if (out == onHost) { // of which nobody is told that it is lost
            settle();
            for (Submitted each : jobs) { // earlier ones may read it still, if this one has failed at once
                RandomProgramsTest.get(each.future.handle((report, e) -> null));
                RandomProgramsTest.get(each.future.released());
            }
            ((HostBuffer) onHost.buffer).put(0, IntBuffer.wrap(onHost.value));
            out.doubtful = false;
        }
    }

    private boolean cancel(JobFuture future) {
        LockSupport.parkNanos(random.nextInt(3) * 30_000L);
        return future.cancel(random.nextBoolean());
    }

    private static void take(List<Variable> outs, List<int[]> results) {
        for (int i = 0; i < outs.size(); i++) {
            outs.get(i).value = results.get(i);
        }
    }

    /** A job that was cancelled may have ended well before it knew; else it has left all as it was, or lost it. */
    private void settleCancelled(List<Variable> outs, List<int[]> results) {
        for (int i = 0; i < outs.size(); i++) {
            Variable out = outs.get(i);
            if (out == onHost) {
                out.value = results.get(i);
                continue;
            }
            out.doubtful = true;
            int[] seen = read(out);
            if (seen != null && !Arrays.equals(out.value, seen)) {
                assertArrayEquals(results.get(i), seen);
                out.value = results.get(i);
            }
        }
    }

    private void note(String what, Variable of) {
        done.add(what + " on " + everything().indexOf(of));
    }

    /** What it has done, a line each. */
    String story() {
        return String.join("\n", done);
    }

    // ---- the host ----

    private static void fill(Variable of) {
        try (ManagedBuffer.Scope scope = of.managed().overwrite()) {
            scope.ints().put(of.value);
        }
        of.doubtful = false;
    }

    private void hostWrites(Variable to) {
        openGates();
        int at = random.nextInt(n - 8);
        int[] values = random.ints(8).toArray();
        try (ManagedBuffer.Scope scope = to.managed().overwrite(at, values.length)) {
            scope.ints().put(values);
        }
        effects.add(() -> write(to, at, values));
        note("host writes from " + at, to);
    }

    private static void write(Variable to, int at, int[] values) {
        int[] after = to.value.clone();
        System.arraycopy(values, 0, after, at, values.length);
        to.value = after;
    }

    private void readsLater(Variable of) {
        int count = 1 + random.nextInt(of.value.length);
        int from = random.nextInt(of.value.length - count + 1);
        int[] seen = new int[count];
        AtomicBoolean opened = new AtomicBoolean();
        boolean cancels = random.nextInt(4) == 0;
        boolean doubtful = of.doubtful;
        CompletableFuture<ManagedBuffer.Scope> scope = of.managed().readAsync(from, count);
        others.add(scope.handle((open, failure) -> {
            if (open != null) {
                try (open) {
                    open.ints().get(seen);
                    opened.set(true);
                }
            } else if (!cancels || !(failure instanceof CancellationException)) {
                requireReason(failure, doubtful, of);
            }
            return null;
        }));
        effects.add(() -> {
            if (opened.get()) {
                assertArrayEquals(Arrays.copyOfRange(of.value, from, from + count), seen);
            }
        });
        if (cancels) {
            scope.cancel(false);
        }
    }

    private void writesLater(Variable to) {
        int at = random.nextInt(n - 8);
        int[] values = random.ints(8).toArray();
        boolean updates = random.nextBoolean();
        boolean doubtful = to.doubtful;
        CompletableFuture<ManagedBuffer.Scope> scope =
                updates ? to.managed().updateAsync() : to.managed().overwriteAsync(at, values.length);
        CompletableFuture<Boolean> done = scope.handle((open, failure) -> {
            if (open == null && !(failure instanceof CancellationException)) {
                requireReason(failure, doubtful, to);
            }
            if (open == null) {
                return false;
            }
            try (open) {
                open.ints().put(updates ? at : 0, values);
            }
            return true;
        });
        others.add(done);
        to.written = done;
        if (random.nextInt(4) == 0 && scope.cancel(false)) {
            return;
        }
        effects.add(() -> {
            if (RandomProgramsTest.get(done)) { // an update may have found that what it needs is lost
                write(to, at, values);
            }
        });
        note("host " + (updates ? "updates" : "writes later") + " from " + at, to);
    }

    private void prefetch(ManagedBuffer buffer) {
        DeviceInfo where =
                machine.lanes.get(random.nextInt(machine.lanes.size())).device();
        others.add(Prefetch.start(
                buffer,
                List.of(where),
                job -> machine.dispatcher.trySubmit(
                        job, Policies.single(), History.inMemory(), machine.chunkDeadline())));
    }

    private void check(Variable of) {
        openGates();
        int[] seen = of == onHost ? new int[of.value.length] : read(of);
        if (of == onHost) {
            ((HostBuffer) of.buffer).get(0, IntBuffer.wrap(seen));
        }
        if (seen != null) {
            effects.add(() -> assertArrayEquals(of.value, seen));
        }
    }

    /** What is there; null if that is lost, and was filled anew with what should be. */
    private int @Nullable [] read(Variable of) {
        int[] seen = new int[of.value.length];
        try (ManagedBuffer.Scope scope = of.managed().read()) {
            note("reads", of);
            scope.ints().get(seen);
            read++;
            return seen;
        } catch (RuntimeException e) {
            requireReason(e, of.doubtful);
            note("lost", of);
            lost++;
            settle();
            fill(of);
            return null;
        }
    }

    /** While jobs use it, which end as if it were not. A new one takes its place. */
    private void close(Variable old) {
        if (old.written.isDone()) { // else what jobs behind the scope are to find is not written
            old.buffer.close();
            note("closes", old);
            managed.set(managed.indexOf(old), new Variable(make(n)));
        }
    }

    /** Parts of what only a device holds, while that gives it up for the first time, and is sent it again. */
    private void readWhileItGoesAndComes(Variable other) {
        int place = managed.indexOf(anyBut(other, other));
        close(managed.get(place));
        Variable made = managed.get(place);
        Variable to = anyBut(made, other);
        submit(scale(other, made, 3), made, () -> scaled(other.value, 3), other.doubtful);
        for (int i = 0; i < 3; i++) {
            readsLater(made);
            submit(scale(other, to, 5), to, () -> scaled(other.value, 5), other.doubtful);
            submit(scale(made, to, 7), to, () -> scaled(made.value, 7), made.doubtful);
        }
    }

    // ---- failures ----

    /** The same of a scope, which does not wait for a buffer that was closed. */
    private void requireReason(@Nullable Throwable failure, boolean doubtful, Variable of) {
        if (!(of.buffer.isClosed() && failure instanceof IllegalStateException)) {
            requireReason(failure, doubtful);
        }
    }

    /** It goes back to something that was done, or to a device in trouble, and says to what. */
    private void requireReason(@Nullable Throwable failure, boolean doubtful) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        String words = String.valueOf(cause);
        for (Throwable e = cause; e != null; e = e.getCause()) {
            if (e instanceof DataLostException data) {
                words = data.reason();
            }
        }
        boolean isCancelled =
                cause instanceof CancellationException && causes.stream().anyMatch(c -> c.endsWith("was cancelled"));
        boolean known = isCancelled || causes.stream().anyMatch(words::contains);
        String last = "";
        for (Matcher device = DEVICE.matcher(words); device.find(); ) {
            last = device.group(1);
        }
        boolean inTrouble = (machine.isTroubled(last) && (words.contains("scripted") || machine.hangs))
                || (machine.isSlow(last) && words.contains("was not done after"));
        if (!(known && (doubtful || machine.isTroubled())) && !inTrouble) {
            throw new AssertionError(
                    "no reason for: " + words + "; doubtful " + doubtful + ", causes " + causes, failure);
        }
    }
}
