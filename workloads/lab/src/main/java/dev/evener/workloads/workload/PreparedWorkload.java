package dev.evener.workloads.workload;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A workload with its data: buffers that are released together, a job over them that can be run again and again, and how its
 * result is checked. {@link Workload#prepare(PreparedWorkload)} makes it with the methods of the first half; who runs it uses
 * those of the second. Not thread-safe, and idle whenever a method is called: the job must not be running.
 */
public final class PreparedWorkload implements AutoCloseable {
    private static final int PAGE = 4096;

    private final Evener evener;
    private final Request request;
    private final List<HostBuffer> buffers = new ArrayList<>();
    private final List<ManagedBuffer> residents = new ArrayList<>();
    private final List<HostBuffer> outputs = new ArrayList<>();
    private final List<HostBuffer> counts = new ArrayList<>();
    private final List<Supplier<@Nullable String>> checks = new ArrayList<>();
    private long items = -1;
    private double bytesPerItem;
    private double flopsPerItem;
    private @Nullable ToDoubleFunction<Report> bytesOfRun;
    private @Nullable Job job;
    private @Nullable Runnable reset;
    private @Nullable Supplier<String> result;
    private @Nullable Output output;

    PreparedWorkload(Evener evener, Request request) {
        this.evener = evener;
        this.request = request;
    }

    // ---- what was asked for ----

    public Request request() {
        return request;
    }

    /** The value of one of the workload's parameters. */
    public <T> T get(Parameter<T> parameter) {
        return request.values().get(parameter);
    }

    /** How primitives are tuned. */
    public Tuning tuning() {
        return request.tuning();
    }

    // ---- buffers ----

    /** A buffer that is released with the others. */
    public HostBuffer allocate(ElementType type, long elements) {
        return owned(evener.allocate(type, elements));
    }

    /** A buffer that the caller releases. */
    public HostBuffer temporary(ElementType type, long elements) {
        return evener.allocate(type, elements);
    }

    /** A buffer over memory of the application's. */
    public HostBuffer wrap(ElementType type, long elements) {
        int bytes = Math.toIntExact(elements * type.bytes());
        return owned(evener.wrap(
                type,
                ByteBuffer.allocateDirect(bytes + 2 * PAGE)
                        .alignedSlice(PAGE)
                        .limit(bytes)
                        .order(ByteOrder.nativeOrder())));
    }

    private HostBuffer owned(HostBuffer buffer) {
        buffers.add(buffer);
        return buffer;
    }

    /** The data of an input, as many as there are items. */
    public HostBuffer input(int index) {
        return input(index, request.items() * declared(index).perItem());
    }

    /** The data of an input, of so many elements. */
    public HostBuffer input(int index, long elements) {
        return filled(index, allocate(declared(index).type(), elements));
    }

    /** The data of an input, put into a buffer. */
    public HostBuffer filled(int index, HostBuffer buffer) {
        request.fill(index, buffer);
        return buffer;
    }

    /** What jobs read of an input: with {@link Workload#RESIDENT} a copy that stays on devices, else the input itself. */
    public DataBuffer seenByJobs(HostBuffer input) {
        if (!get(Workload.RESIDENT)) {
            return input;
        }
        ManagedBuffer copy = evener.allocateManaged(input.type(), input.elements());
        residents.add(copy);
        long at = 0;
        for (ByteBuffer each : input.segments()) {
            long count = each.remaining() / input.type().bytes();
            try (ManagedBuffer.Scope scope = copy.overwrite(at, count)) {
                scope.bytes().put(each);
            }
            at += count;
        }
        return copy;
    }

    private Workload.Input declared(int index) {
        return request.workload().inputs(request.values()).get(index);
    }

    /** A buffer for a result. The results of a workload are those of its outputs, in the order of these calls. */
    public HostBuffer output(ElementType type, long elements) {
        return output(allocate(type, elements));
    }

    /** Has a buffer be an output. */
    public HostBuffer output(HostBuffer buffer) {
        outputs.add(buffer);
        return buffer;
    }

    /** A buffer for one number; the first such one tells how many elements of each output are a result. */
    public HostBuffer count(ElementType type) {
        HostBuffer buffer = allocate(type, 1);
        counts.add(buffer);
        return buffer;
    }

    /** The number in the first of {@link #count}. */
    public long counted() {
        HostBuffer count = counts.get(0);
        return count.type().bytes() == Long.BYTES
                ? count.longs().get(0)
                : Integer.toUnsignedLong(count.ints().get(0));
    }

    // ---- what is done with them ----

    /** The job, which is run again and again. */
    public PreparedWorkload job(Job submitted) {
        this.job = submitted;
        return this;
    }

    /** Items there are, where a job needs whole units and so has more than were asked for. */
    public PreparedWorkload items(long rounded) {
        this.items = rounded;
        return this;
    }

    /** Bytes that a device reads and writes for an item, over all phases, at most. */
    public PreparedWorkload bytesPerItem(double bytes) {
        bytesPerItem = bytes;
        return this;
    }

    /** Bytes for an item in one run, where that is not known before. */
    public PreparedWorkload bytesPerItemOf(ToDoubleFunction<Report> run) {
        bytesOfRun = run;
        return this;
    }

    /** Floating-point operations for an item; 0 unless said. */
    public PreparedWorkload flopsPerItem(double flops) {
        flopsPerItem = flops;
        return this;
    }

    /** What the first elements of the only output should be, as an array of its values (see {@link Differences#first}). */
    public void expect(Supplier<Object> reference) {
        expect("output", outputs.get(0), reference);
    }

    /** The same of an output of this name. */
    public PreparedWorkload expect(String name, HostBuffer buffer, Supplier<Object> reference) {
        return check(() -> Differences.first(name, buffer, reference.get()));
    }

    /**
     * Compares the result with a reference: null if it is right, else one sentence on the first difference. The first check
     * that finds one counts.
     */
    public PreparedWorkload check(Supplier<@Nullable String> check) {
        checks.add(check);
        return this;
    }

    /** Makes everything as it was at first, where it is not enough to overwrite outputs and counts with what no job writes. */
    public PreparedWorkload reset(Runnable all) {
        this.reset = all;
        return this;
    }

    /** The result in a few words; of a single value unless said. */
    public PreparedWorkload result(Supplier<String> text) {
        this.result = text;
        return this;
    }

    /** What is computed, where it is not the outputs one after another. */
    public PreparedWorkload writes(Output values) {
        this.output = values;
        return this;
    }

    /** Runs another job to its end, whole on one device, for a reference. */
    void runWhole(Job other) {
        evener.submit(other, Policies.single(0), History.inMemory()).join();
    }

    // ---- running it ----

    /** Items there are: those asked for, rounded up to whole units. */
    public long items() {
        return items < 0 ? request.items() : items;
    }

    /** Bytes that a device reads and writes for an item, over all phases, at most. */
    public double bytesPerItem() {
        return bytesPerItem;
    }

    /** The same of one run, the last or one before it: fewer where its form for one device reads something only once. */
    public double bytesPerItem(Report run) {
        return bytesOfRun != null ? bytesOfRun.applyAsDouble(run) : bytesPerItem;
    }

    /** Floating-point operations for an item; 0 where there are none, or where their number depends on the data. */
    public double flopsPerItem() {
        return flopsPerItem;
    }

    /** The job, always the same one; it has no policy of its own. */
    public Job job() {
        return Objects.requireNonNull(job, "job");
    }

    /** Puts everything as it was at first, with outputs that {@link #mismatch} takes for wrong. */
    public void reset() {
        if (reset != null) {
            reset.run();
        } else {
            outputs.forEach(Differences::spoil);
            counts.forEach(Differences::spoil);
        }
    }

    /**
     * Compares the outputs of one run since {@link #reset} with an independent scalar reference. May take far longer than
     * the job.
     *
     * @return null if they are right, else one sentence on the first difference
     */
    public @Nullable String mismatch() {
        for (Supplier<@Nullable String> check : checks) {
            String found = check.get();
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** The result in a few words, where it is no more than that; else null. Of one run since {@link #reset}. */
    public @Nullable String result() {
        if (result != null) {
            return result.get();
        }
        if (outputs.size() != 1 || outputs.get(0).elements() != 1) {
            return null;
        }
        HostBuffer only = outputs.get(0);
        return Differences.element(only.bytes(), only.type(), 0);
    }

    /** What one run since {@link #reset} computed; to be used before the next method is called. */
    public Output output() {
        return output != null ? output : this::writeOutputs;
    }

    private void writeOutputs(WritableByteChannel target) throws IOException {
        for (HostBuffer each : outputs) {
            Output.of(each, counts.isEmpty() ? each::elements : this::counted).writeTo(target);
        }
    }

    /** The buffers with its data, in the order in which they were made: inputs before outputs. */
    public List<HostBuffer> buffers() {
        return buffers;
    }

    /** Releases the data. Idempotent. */
    @Override
    public void close() {
        residents.forEach(ManagedBuffer::close);
        residents.clear();
        buffers.forEach(HostBuffer::close);
        buffers.clear();
    }
}
