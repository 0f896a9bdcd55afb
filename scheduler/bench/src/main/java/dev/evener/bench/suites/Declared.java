package dev.evener.bench.suites;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.bench.suites.PlainLaunches.Argument;
import dev.evener.image.Image;
import dev.evener.image.Sampler;
import dev.evener.internal.LogicalBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A job of one kernel, declared as with {@link JobBuilder}, whose methods these are; it counts them, and knows the plain launch that it
 * is compared with.
 */
final class Declared {
    private final Run run;
    private final KernelSource source;
    private final String kernel;
    private final List<Consumer<JobBuilder>> before = new ArrayList<>(); // the kernel
    private final List<Consumer<JobBuilder>> after = new ArrayList<>();
    private final List<Argument> arguments = new ArrayList<>();
    private long[] range = {};
    private long @Nullable [] group;

    Declared(Run run, KernelSource source, String kernel) {
        this.run = run;
        this.source = source;
        this.kernel = kernel;
    }

    /** Methods of the builder that were called, with {@code named}, {@code source}, {@code kernel} and {@code build}. */
    int calls() {
        return 4 + before.size() + after.size();
    }

    private Declared range(Consumer<JobBuilder> call, long... sizes) {
        range = sizes;
        return before(call);
    }

    private Declared before(Consumer<JobBuilder> call) {
        before.add(call);
        return this;
    }

    private Declared after(Consumer<JobBuilder> call) {
        after.add(call);
        return this;
    }

    private Declared argument(Consumer<JobBuilder> call, Argument plain) {
        arguments.add(plain);
        return after(call);
    }

    Declared units(long count) {
        return range(job -> job.units(count), count);
    }

    Declared range(long width, long rows) {
        return range(job -> job.range(width, rows), width, rows);
    }

    Declared range(long width, long rows, long planes) {
        return range(job -> job.range(width, rows, planes), width, rows, planes);
    }

    Declared along(int dimension) {
        return before(job -> job.along(dimension));
    }

    Declared jobView() {
        return before(JobBuilder::jobView);
    }

    Declared granule(long units) {
        return after(job -> job.granule(units));
    }

    Declared undivided() {
        return before(JobBuilder::undivided);
    }

    Declared groupSize(int... sizes) {
        group = new long[range.length];
        Arrays.fill(group, 1);
        for (int i = 0; i < sizes.length; i++) {
            group[i] = sizes[i];
        }
        return after(job -> job.groupSize(sizes));
    }

    Declared variant(Variant variant) {
        range = range.clone();
        range[range.length - 1] = variant.globalSize(range[range.length - 1], 1);
        group = variant.groupSize() == 0 ? group : new long[] {variant.groupSize()};
        return after(job -> job.variant(variant));
    }

    private static Argument memory(DataBuffer buffer) {
        return new Argument.Memory(bytes(buffer), null);
    }

    private static Argument memory(Image<?> image) {
        return new Argument.Memory(bytes(image.pixels()), image.shape());
    }

    /** What a buffer, or a range of one, holds. */
    private static ByteBuffer bytes(DataBuffer buffer) {
        LogicalBuffer.Range part = LogicalBuffer.Range.of(buffer);
        return Run.bytes((HostBuffer) part.buffer())
                .slice(Math.toIntExact(part.from()), Math.toIntExact(part.byteSize()));
    }

    Declared reads(DataBuffer buffer, Access access) {
        return argument(job -> job.reads(buffer, access), memory(buffer));
    }

    Declared reads(Image<?> image, Access access) {
        return argument(job -> job.reads(image, access), memory(image));
    }

    Declared writes(DataBuffer buffer, Access access) {
        return argument(job -> job.writes(buffer, access), memory(buffer));
    }

    Declared writes(Image<?> image, Access access) {
        return argument(job -> job.writes(image, access), memory(image));
    }

    Declared updates(DataBuffer buffer, Access access) {
        return argument(job -> job.updates(buffer, access), memory(buffer));
    }

    Declared updates(Image<?> image, Access access) {
        return argument(job -> job.updates(image, access), memory(image));
    }

    Declared accumulates(DataBuffer buffer, Reduction operation) {
        return argument(job -> job.accumulates(buffer, operation), memory(buffer));
    }

    Declared sampler(Sampler sampler) {
        return argument(job -> job.sampler(sampler), new Argument.Through(sampler));
    }

    Declared scalar(Number... values) {
        for (Number each : values) {
            arguments.add(PlainLaunches.value(each));
        }
        return after(job -> job.scalar(values));
    }

    Declared value(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining()).order(ByteOrder.nativeOrder());
        copy.put(0, bytes, bytes.position(), bytes.remaining());
        return argument(job -> job.value(bytes.duplicate().order(bytes.order())), new Argument.Value(copy));
    }

    /** A vector of floats, such as {@code float4}, by value. */
    Declared vector(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES * values.length).order(ByteOrder.nativeOrder());
        bytes.asFloatBuffer().put(values);
        return value(bytes);
    }

    /** The same of integers. */
    Declared vector(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * values.length).order(ByteOrder.nativeOrder());
        bytes.asIntBuffer().put(values);
        return value(bytes);
    }

    Declared local(ElementType type, long count) {
        return local(type, group -> count);
    }

    Declared local(ElementType type, LongUnaryOperator count) {
        return argument(
                job -> job.local(type, count), new Argument.Local(items -> count.applyAsLong(items) * type.bytes()));
    }

    /** Runs it, and waits for it. */
    void run() {
        if (run.plain != null) {
            long[] items = range.clone();
            for (int i = 0; i < items.length && group != null; i++) {
                items[i] = (items[i] + group[i] - 1) / group[i] * group[i];
            }
            run.plain.run(source, kernel, items, group, arguments);
            return;
        }
        JobBuilder job = Job.named(kernel).source(source);
        before.forEach(each -> each.accept(job));
        job.kernel(kernel);
        after.forEach(each -> each.accept(job));
        Report report = run.evener.submit(job.policy(run.policy).build()).join();
        int chunks =
                report.devices().stream().mapToInt(Report.DeviceUse::chunks).sum();
        long devices =
                report.devices().stream().filter(each -> each.units() > 0).count();
        if (devices > 1 || (report.devices().size() == 1 && chunks > 1)) {
            run.split.add(kernel);
        }
    }
}
