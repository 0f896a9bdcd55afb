package dev.evener.internal.jvm;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.EvenerException;
import dev.evener.JvmKernel;
import dev.evener.internal.fold.Merge;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.Argument.View;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A lane over threads of this JVM: a chunk is cut into one piece for each thread, and the lane's own thread runs the first. */
public final class JvmLane implements Lane {
    /** The id of the only such lane. */
    public static final String ID = "jvm";

    private final DeviceInfo info;
    private final int threads;
    private final ThreadGroup group = new ThreadGroup("evener-jvm");
    private final ExecutorService helpers;
    private ByteBuffer @Nullable [] partials;
    private List<Piece> toCommit = List.of();

    /** @param threads at least 1 */
    public JvmLane(int threads) {
        this.threads = threads;
        this.info = describe(threads);
        AtomicInteger number = new AtomicInteger();
        this.helpers = Executors.newFixedThreadPool(Math.max(1, threads - 1), task -> {
            Thread thread = new Thread(group, task, "evener-jvm-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** What such a lane calls itself. */
    public static DeviceInfo describe(int threads) {
        return new DeviceInfo(
                ID,
                "Java",
                System.getProperty("java.vm.name", "JVM"),
                DeviceKind.JVM,
                System.getProperty("java.version", "unknown"),
                threads,
                Runtime.getRuntime().maxMemory(),
                Integer.MAX_VALUE,
                64,
                64,
                1,
                0,
                true,
                "cpu");
    }

    @Override
    public DeviceInfo device() {
        return info;
    }

    @Override
    public boolean isOnHelper() {
        return Thread.currentThread().getThreadGroup() == group;
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        return Integer.MAX_VALUE;
    }

    @Override
    public void build(JobSpec.Phase phase) {
        if (phase.jvm() == null) {
            throw new LaneFailure(
                    LaneFailure.Kind.DECLARATION,
                    "kernel " + phase.kernel()
                            + " has no Java form, which the JVM lane needs; give jvm(...) or select an OpenCL device");
        }
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long most, boolean fenced, ChunkTimes times) {
        times.untouched = true; // until the kernel is called
        build(phase);
        int units = Math.toIntExact(most);
        // Threads cut where the job may be cut; the chunk itself begins at such a place.
        int granule = (int) Math.min(units, job.granule());
        int granules = units / granule + (units % granule == 0 ? 0 : 1);
        int pieces = Math.min(threads, granules);
        times.start = System.nanoTime();
        times.submitted = times.start;
        List<Piece> work = new ArrayList<>(pieces);
        for (int p = 0; p < pieces; p++) {
            int from = (int) ((long) granules * p / pieces) * granule;
            int to = (int) Math.min(units, (long) granules * (p + 1) / pieces * granule);
            work.add(new Piece(phase, firstUnit + from, to - from, fenced));
        }
        times.untouched = false;
        run(phase.jvm(), work);
        partials = work.get(0).partials();
        for (int p = 1; p < pieces; p++) {
            work.get(p).mergeInto(partials);
        }
        toCommit = fenced ? work : List.of();
        times.end = System.nanoTime();
        times.kernelNanos = times.end - times.start;
        return true;
    }

    @Override
    public void commit() {
        toCommit.forEach(Piece::commit);
        toCommit = List.of();
    }

    @Override
    public void probe() {
        if (helpers.isShutdown()) {
            throw new EvenerException("the threads of the JVM lane have ended");
        }
    }

    private void run(JvmKernel kernel, List<Piece> work) {
        CompletableFuture<?>[] others = work.stream()
                .skip(1)
                .map(piece -> CompletableFuture.runAsync(() -> kernel.run(piece), helpers))
                .toArray(CompletableFuture<?>[]::new);
        Throwable failure = null;
        try {
            kernel.run(work.get(0));
        } catch (Throwable e) { // an Error too: the helpers must not still write when this returns
            failure = e;
        }
        try {
            CompletableFuture.allOf(others).join(); // all of them, so that none still writes when this returns
        } catch (CompletionException e) {
            failure = failure != null ? failure : e.getCause();
        }
        if (failure != null) { // the job's own, unless memory was wanting, of which a smaller chunk needs less
            throw new LaneFailure(
                    failure instanceof OutOfMemoryError ? LaneFailure.Kind.MEMORY : LaneFailure.Kind.DECLARATION,
                    "a Java kernel failed: " + failure,
                    failure);
        }
    }

    @Override
    public ByteBuffer partial(int argument) {
        ByteBuffer[] last = partials;
        if (last == null || last[argument] == null) {
            throw new IllegalStateException("argument " + argument + " is no reduction");
        }
        return last[argument];
    }

    @Override
    public void close() {
        helpers.shutdown();
    }

    /** One thread's part of a chunk. */
    private static final class Piece implements JvmKernel.Chunk {
        private final JobSpec.Phase phase;
        private final long firstUnit;
        private final int units;
        private final ByteBuffer[] buffers;

        /** What a fenced chunk wrote, by the argument to which it goes. */
        private final IdentityHashMap<Argument.Buffer, ByteBuffer> staged = new IdentityHashMap<>();

        Piece(JobSpec.Phase phase, long firstUnit, int units, boolean fenced) {
            this.phase = phase;
            this.firstUnit = firstUnit;
            this.units = units;
            this.buffers = new ByteBuffer[phase.arguments().size()];
            for (int i = 0; i < buffers.length; i++) {
                if (phase.arguments().get(i) instanceof Argument.Buffer b) {
                    buffers[i] = fenced && b.written() ? stage(b, view(b)) : view(b);
                } else if (phase.arguments().get(i) instanceof Argument.Again again) {
                    ByteBuffer same = buffers[again.argument()];
                    buffers[i] = same == null ? null : same.duplicate().order(ByteOrder.nativeOrder());
                }
            }
        }

        private ByteBuffer view(Argument.Buffer b) {
            if (!phase.seesJob() && b.isSeenInPart()) {
                return b.buffer().part(b.seenFrom(firstUnit), Math.toIntExact(b.seenBytes(firstUnit, units)));
            }
            if (b.view() == View.PARTIAL) {
                ByteBuffer partial =
                        ByteBuffer.allocate((int) b.range().byteSize()).order(ByteOrder.nativeOrder());
                Merge.begin(partial, b);
                return partial;
            }
            return b.range().part();
        }

        private ByteBuffer stage(Argument.Buffer b, ByteBuffer view) {
            if (b.view() == View.PARTIAL) {
                return view; // a partial is this thread's own anyway
            }
            ByteBuffer own = ByteBuffer.allocate(view.capacity()).order(ByteOrder.nativeOrder());
            if (b.read()) {
                own.put(0, view, 0, view.capacity());
            }
            staged.put(b, own);
            return own;
        }

        void commit() {
            staged.forEach((b, own) -> {
                long start = phase.seesJob() ? b.range().from() : b.seenFrom(firstUnit);
                for (int p = 0; p < b.ownPieces(); p++) {
                    long from = b.seenFrom(p, firstUnit, units);
                    int size = Math.toIntExact(b.seenTo(p, firstUnit, units) - from);
                    b.buffer().part(from, size).put(0, own, Math.toIntExact(from - start), size);
                }
            });
        }

        ByteBuffer[] partials() {
            return buffers;
        }

        void mergeInto(ByteBuffer[] target) {
            for (int i = 0; i < buffers.length; i++) {
                if (phase.arguments().get(i) instanceof Argument.Buffer b && b.reduction() != null) {
                    Merge.into(
                            target[i],
                            buffers[i],
                            b.buffer().type(),
                            b.reduction().operation());
                }
            }
        }

        @Override
        public long firstUnit() {
            return firstUnit;
        }

        @Override
        public int units() {
            return units;
        }

        @Override
        public ByteBuffer buffer(int index) {
            ByteBuffer buffer = buffers[index];
            if (buffer == null) {
                throw new IllegalArgumentException(phase.describe(index) + " is no buffer");
            }
            return buffer;
        }

        @Override
        public Number scalar(int index) {
            if (phase.arguments().get(index) instanceof Argument.Scalar s) {
                return s.value();
            }
            throw new IllegalArgumentException(phase.describe(index) + " is no scalar");
        }

        @Override
        public int viewStart(int index) {
            Argument given = phase.arguments().get(index);
            Argument argument =
                    given instanceof Argument.Again a ? phase.arguments().get(a.argument()) : given;
            return argument instanceof Argument.Buffer b && b.view() == View.AROUND
                    ? (int) ((firstUnit * b.bytesPerUnit() + b.range().from() - b.seenFrom(firstUnit))
                            / b.buffer().type().bytes())
                    : 0;
        }
    }
}
