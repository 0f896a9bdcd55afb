package dev.evener.workloads.workload;

import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A workload with its data: a job that can be run again and again. Owns its buffers. Not thread-safe, and idle whenever a
 * method is called: the job must not be running.
 */
public final class PreparedWorkload implements AutoCloseable {
    private final Setup setup;
    private final Job job;
    private final Supplier<@Nullable String> check;

    PreparedWorkload(Setup setup) {
        this.setup = setup;
        this.job = Objects.requireNonNull(setup.job, "job");
        this.check = Objects.requireNonNull(setup.check, "check");
    }

    /** Items there are: those asked for, rounded up to whole units. */
    public long items() {
        return setup.items < 0 ? setup.items() : setup.items;
    }

    /** Bytes that a device reads and writes for an item, over all phases, at most. */
    public double bytesPerItem() {
        return setup.bytesPerItem;
    }

    /** The same of one run, the last or one before it: fewer where its form for one device reads something only once. */
    public double bytesPerItem(Report run) {
        return setup.bytesOfRun != null ? setup.bytesOfRun.applyAsDouble(run) : setup.bytesPerItem;
    }

    /** Floating-point operations for an item; 0 where there are none, or where their number depends on the data. */
    public double flopsPerItem() {
        return setup.flopsPerItem;
    }

    /** The job, always the same one; it has no policy of its own. */
    public Job job() {
        return job;
    }

    /** Puts everything as it was at first, with outputs that {@link #mismatch} takes for wrong. */
    public void reset() {
        if (setup.reset != null) {
            setup.reset.run();
        } else {
            setup.outputs.forEach(Differences::spoil);
            setup.counts.forEach(Differences::spoil);
        }
    }

    /**
     * Compares the outputs of one run since {@link #reset} with an independent scalar reference. May take far longer than
     * the job.
     *
     * @return null if they are right, else one sentence on the first difference
     */
    public @Nullable String mismatch() {
        return check.get();
    }

    /** The result in a few words, where it is no more than that; else null. Of one run since {@link #reset}. */
    public @Nullable String result() {
        if (setup.result != null) {
            return setup.result.get();
        }
        if (setup.outputs.size() != 1 || setup.outputs.get(0).elements() != 1) {
            return null;
        }
        HostBuffer only = setup.outputs.get(0);
        return Differences.element(only.bytes(), only.type(), 0);
    }

    /** What one run since {@link #reset} computed; to be used before the next method is called. */
    public Output output() {
        return setup.output != null
                ? setup.output
                : target -> {
                    for (HostBuffer output : setup.outputs) {
                        LongSupplier elements = setup.counts.isEmpty() ? output::elements : setup::counted;
                        Output.of(output, elements).writeTo(target);
                    }
                };
    }

    /** The buffers with its data, in the order in which they were made: inputs before outputs. */
    public List<HostBuffer> buffers() {
        return setup.buffers();
    }

    /** Releases the data. Idempotent. */
    @Override
    public void close() {
        setup.close();
    }
}
