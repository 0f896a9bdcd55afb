package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.kernels.tuning.Tuning;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A workload that is being prepared: what was asked for, buffers that are released together, the job over them, and how its
 * result is checked. Not thread-safe.
 */
public final class Setup {
    /** Of workloads whose jobs only read their inputs. */
    public static final Parameter<Boolean> RESIDENT =
            Parameter.flag("resident", "whether inputs stay on devices with memory of their own from job to job");

    private static final int PAGE = 4096;

    private final Evener evener;
    private final List<HostBuffer> buffers = new ArrayList<>();

    final Request request;
    final List<HostBuffer> outputs = new ArrayList<>();
    final List<HostBuffer> counts = new ArrayList<>();
    long items = -1;
    double bytesPerItem;
    double flopsPerItem;

    @Nullable
    ToDoubleFunction<Report> bytesOfRun;

    @Nullable
    Job job;

    @Nullable
    Runnable reset;

    @Nullable
    Supplier<@Nullable String> check;

    @Nullable
    Supplier<String> result;

    @Nullable
    Output output;

    Setup(Evener evener, Request request) {
        this.evener = evener;
        this.request = request;
    }

    /** What was asked for. */
    public Request request() {
        return request;
    }

    /** The value of one of the workload's parameters. */
    public <T> T get(Parameter<T> parameter) {
        return request.values().get(parameter);
    }

    /** How many items there are to be, at least. */
    public long items() {
        return request.items();
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

    List<HostBuffer> buffers() {
        return buffers;
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
        return input(index, items() * declared(index).perItem());
    }

    /** The data of an input, of so many elements. */
    public HostBuffer input(int index, long elements) {
        return filled(index, allocate(declared(index).type(), elements));
    }

    /** The data of an input, put into a buffer. */
    public HostBuffer filled(int index, HostBuffer buffer) {
        request.fill(index, buffer);
        boolean resident = request.workload().parameters().contains(RESIDENT) && get(RESIDENT);
        return resident ? buffer.keepOnDevices() : buffer;
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
                ? count.bytes().getLong(0)
                : Integer.toUnsignedLong(count.ints().get(0));
    }

    // ---- what is done with them ----

    /** The job, which is run again and again. */
    public Setup job(Job job) {
        this.job = job;
        return this;
    }

    /** Items there are, where a job needs whole units and so has more than were asked for. */
    public Setup items(long items) {
        this.items = items;
        return this;
    }

    /** Bytes that a device reads and writes for an item, over all phases, at most. */
    public Setup bytesPerItem(double bytes) {
        bytesPerItem = bytes;
        return this;
    }

    /** Bytes for an item in one run, where that is not known before. */
    public Setup bytesPerItemOf(ToDoubleFunction<Report> run) {
        bytesOfRun = run;
        return this;
    }

    /** Floating-point operations for an item; 0 unless said. */
    public Setup flopsPerItem(double flops) {
        flopsPerItem = flops;
        return this;
    }

    /** What the first elements of the only output should be, as an array of its values (see {@link Differences#first}). */
    public void expect(Supplier<Object> reference) {
        check(() -> Differences.first("output", outputs.get(0), reference.get()));
    }

    /** Compares the result with a reference: null if it is right, else one sentence on the first difference. */
    public Setup check(Supplier<@Nullable String> check) {
        this.check = check;
        return this;
    }

    /** Makes everything as it was at first, where it is not enough to overwrite outputs and counts with what no job writes. */
    public Setup reset(Runnable reset) {
        this.reset = reset;
        return this;
    }

    /** The result in a few words; of a single value unless said. */
    public Setup result(Supplier<String> text) {
        this.result = text;
        return this;
    }

    /** What is computed, where it is not the outputs one after another. */
    public Setup writes(Output output) {
        this.output = output;
        return this;
    }

    void close() {
        buffers.forEach(HostBuffer::close);
        buffers.clear();
    }
}
