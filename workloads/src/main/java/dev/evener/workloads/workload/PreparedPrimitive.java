package dev.evener.workloads.workload;

import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.internal.JobSpec;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A primitive that writes all of one buffer, which is compared with what a reference makes of the inputs. */
final class PreparedPrimitive extends PreparedData {
    private final Job job;
    private final Cost cost;
    private final HostBuffer output;
    private final Check check;

    /** Finds what is wrong with the output. */
    @FunctionalInterface
    interface Check {
        /** In a sentence; null if nothing is. */
        @Nullable
        String mismatch();
    }

    /**
     * How much there is to do.
     *
     * @param items items there are
     * @param bytesPerItem read and written for each, over all phases
     * @param aloneBytesPerItem the same in the job's form for one device
     * @param flopsPerItem floating-point operations for each
     */
    record Cost(long items, double bytesPerItem, double aloneBytesPerItem, double flopsPerItem) {
        Cost(long items, double bytesPerItem, double flopsPerItem) {
            this(items, bytesPerItem, bytesPerItem, flopsPerItem);
        }

        /** Of what does no arithmetic worth counting. */
        static Cost of(long items, double bytesPerItem) {
            return new Cost(items, bytesPerItem, 0);
        }

        Cost alone(double bytes) {
            return new Cost(items, bytesPerItem, bytes, flopsPerItem);
        }
    }

    private PreparedPrimitive(
            HostBuffers buffers, Request request, Job job, Cost cost, HostBuffer output, Check check) {
        super(buffers, request);
        this.job = job;
        this.cost = cost;
        this.output = output;
        this.check = check;
    }

    /** @param reference an array of what the output's first elements should be; see {@link Differences#first} */
    PreparedPrimitive(
            HostBuffers buffers, Request request, Job job, Cost cost, HostBuffer output, Supplier<Object> reference) {
        this(buffers, request, job, cost, output, (Check) () -> Differences.first("output", output, reference.get()));
    }

    /** One whose reference does not fit an array, or need not. */
    static PreparedPrimitive checked(
            HostBuffers buffers, Request request, Job job, Cost cost, HostBuffer output, Check check) {
        return new PreparedPrimitive(buffers, request, job, cost, output, check);
    }

    @Override
    public long items() {
        return cost.items();
    }

    @Override
    public double bytesPerItem() {
        return cost.bytesPerItem();
    }

    @Override
    public double bytesPerItem(Report run) {
        JobSpec all = JobSpec.of(job);
        JobSpec alone = all.alone();
        int chunks = run.devices().stream().mapToInt(Report.DeviceUse::chunks).sum();
        // Which is not cut, so has one for each phase; as declared, there are more phases.
        boolean inThatForm = alone != null
                && chunks == alone.phases().size()
                && chunks < all.phases().size();
        return inThatForm ? cost.aloneBytesPerItem() : cost.bytesPerItem();
    }

    @Override
    public double flopsPerItem() {
        return cost.flopsPerItem();
    }

    @Override
    public Job job() {
        return job;
    }

    @Override
    public void reset() {
        Differences.spoil(output);
    }

    @Override
    public @Nullable String mismatch() {
        return check.mismatch();
    }

    @Override
    public @Nullable String result() {
        return output.elements() == 1 ? Differences.element(output.bytes(), output.type(), 0) : null;
    }

    @Override
    public Output output() {
        return Output.of(output);
    }
}
