package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Dispatcher;
import dev.evener.internal.run.Lane;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the process's first job find the way of a job ready: in a thread of its own, beside the drivers that open devices, a few jobs
 * are planned, run, reported and learnt from, on lanes that do nothing. Otherwise a process's first plan takes some ten milliseconds,
 * in which the JVM loads the classes of policy and model. Once in a process.
 */
public final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    /** One from which the policy learns, and one that it decides from that: more would only take cores from drivers and the program. */
    private static final int JOBS = 2;

    private static final ScratchPool.Source NO_MEMORY = (type, elements, unit) -> {
        throw new IllegalStateException("no job of these has partial results");
    };

    private WarmUp() {}

    /** Begins with it, if nobody has. Any thread. */
    public static void begin() {
        if (BEGUN.compareAndSet(false, true)) {
            Thread thread = new Thread(WarmUp::run, "evener-warm-up");
            thread.setDaemon(true); // nobody waits for it
            thread.start();
        }
    }

    private static void run() {
        History history = History.inMemory();
        try (Dispatcher dispatcher =
                new Dispatcher(List.of(new Idle("0.0"), new Idle("1.0")), history, NO_MEMORY, List.of())) {
            Job job = Job.named("warm-up")
                    .units(1 << 20)
                    .kernel("none")
                    .jvm(chunk -> {})
                    .build();
            for (int i = 0; i < JOBS; i++) {
                dispatcher
                        .submit(job, Policies.adaptive(), history, null)
                        .join()
                        .explain();
            }
        } catch (RuntimeException | LinkageError e) { // the first job loads the classes then, or says what is wrong
            LOG.debug("the way of a job could not be made ready", e);
        }
    }

    /** A lane without a device, whose chunks take a nanosecond a unit by its own account. */
    private record Idle(DeviceInfo device) implements Lane {
        Idle(String id) {
            this(new DeviceInfo(id, "none", "none", DeviceKind.CPU, "", 1, 0, 0, 128, 64, 1, 1, true, "none " + id));
        }

        @Override
        public long maxChunkUnits(JobSpec.Phase phase) {
            return Integer.MAX_VALUE;
        }

        @Override
        public boolean enqueue(
                JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
            times.start = System.nanoTime();
            times.end = times.start + units;
            times.kernelNanos = units;
            return true;
        }

        @Override
        public void commit() {}

        @Override
        public ByteBuffer partial(int argument) {
            throw new IllegalStateException("no job of these has partial results");
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }
}
