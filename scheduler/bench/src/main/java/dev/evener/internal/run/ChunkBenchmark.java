package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.Report;
import dev.evener.event.RunListener;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import dev.evener.record.Recorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the scheduler itself takes for a chunk, from taking it to counting it as done: a job of ten thousand chunks on lanes
 * that do nothing. The job's own cost, shared by its chunks, is part of it. With a recorder, lanes that do nothing make more
 * events than can be written, and wait for that.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ChunkBenchmark {
    private static final int CHUNKS = 10_000;
    private static final int AHEAD = 32;

    /** Lanes that share the job. */
    @Param({"1", "2"})
    public int lanes;

    /** Who hears of it: nobody, a listener that does nothing, or a recorder with its file. */
    @Param({"nobody", "listener", "recorder"})
    public String heard;

    private Dispatcher dispatcher;
    private Path file;
    private Recorder recorder;
    private Job job;
    private Job small;
    private final History history = History.inMemory();

    /** Opens lanes that do nothing. */
    @Setup
    public void open() throws IOException {
        file = Files.createTempFile("evener", ".record");
        List<RunListener> listeners = new ArrayList<>();
        if (heard.equals("listener")) {
            listeners.add(event -> {});
        } else if (heard.equals("recorder")) {
            recorder = Recorder.to(file);
            listeners.add(recorder);
        }
        List<Lane> idle = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            idle.add(new IdleLane("0." + i));
        }
        dispatcher = new Dispatcher(
                idle,
                history,
                ScratchPool.NONE,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                listeners,
                Duration.ZERO);
        small = Job.named("one").units(1).kernel("k").jvm(c -> {}).build();
        job = Job.named("chunks").units(CHUNKS).kernel("k").jvm(c -> {}).build();
    }

    /** Closes them. */
    @TearDown
    public void close() throws IOException {
        dispatcher.close();
        if (recorder != null) {
            recorder.close();
        }
        Files.deleteIfExists(file);
    }

    /** One chunk of a job. */
    @Benchmark
    @OperationsPerInvocation(CHUNKS)
    public Report chunk() {
        return dispatcher.submit(job, new OneByOne(), history, null).join();
    }

    /** A job of one chunk by the default policy, which has settled: from its submission to its future. */
    @Benchmark
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public Report job() {
        return dispatcher.submit(small, Policies.adaptive(), history, null).join();
    }

    /** The same, submitted before the one before is done: what a job takes of the runtime's throughput. */
    @Benchmark
    @OperationsPerInvocation(AHEAD)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public void jobsAhead() {
        JobFuture[] futures = new JobFuture[AHEAD];
        for (int i = 0; i < AHEAD; i++) {
            futures[i] = dispatcher.submit(small, Policies.adaptive(), history, null);
        }
        for (JobFuture each : futures) {
            each.join();
        }
    }

    /** Equal shares, one granule at a time. */
    private record OneByOne() implements Policy {
        @Override
        public String name() {
            return "one by one";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            long[] shares = new long[snapshot.lanes().size()];
            Arrays.fill(shares, snapshot.granules() / shares.length);
            return Plan.of(Plan.Sharing.STEALING, shares);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return 1;
        }
    }

    /** A device that is done at once. */
    private static final class IdleLane implements Lane {
        private final DeviceInfo device;

        IdleLane(String id) {
            device = new DeviceInfo(
                    id, "none", "idle " + id, DeviceKind.CPU, "1", 1, 1L << 30, 1L << 30, 1, 1, 1, 1000, true, id);
        }

        @Override
        public DeviceInfo device() {
            return device;
        }

        @Override
        public long maxChunkUnits(JobSpec.Phase phase) {
            return Integer.MAX_VALUE;
        }

        @Override
        public void prepare(JobSpec of, JobSpec.Phase phase) {}

        @Override
        public boolean enqueue(
                JobSpec of, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            times.start = 1;
            times.end = 101;
            times.kernelNanos = 100;
            return true;
        }

        @Override
        public void commit() {}

        @Override
        public ByteBuffer partial(int argument) {
            throw new IllegalStateException("nothing is reduced here");
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }
}
