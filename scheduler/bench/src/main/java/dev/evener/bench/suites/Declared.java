package dev.evener.bench.suites;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Variant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/** A job of one kernel, declared as with {@link JobBuilder}, whose methods these are; it counts them. */
final class Declared {
    private final Run run;
    private final KernelSource source;
    private final String kernel;
    private final List<Consumer<JobBuilder>> before = new ArrayList<>(); // the kernel
    private final List<Consumer<JobBuilder>> split = new ArrayList<>();
    private final List<Consumer<JobBuilder>> whole = new ArrayList<>(); // the same of a job in one launch
    private boolean undivided;

    Declared(Run run, KernelSource source, String kernel) {
        this.run = run;
        this.source = source;
        this.kernel = kernel;
    }

    String name() {
        return source.name() + ":" + kernel;
    }

    /** Methods of the builder that were called, with {@code named}, {@code source}, {@code kernel} and {@code build}. */
    int calls() {
        return 4 + before.size() + split.size();
    }

    boolean isSplit() {
        return !undivided;
    }

    private Declared range(Consumer<JobBuilder> call) {
        before.add(call);
        return this;
    }

    private Declared both(Consumer<JobBuilder> call) {
        split.add(call);
        whole.add(call);
        return this;
    }

    private Declared argument(Consumer<JobBuilder> call, Consumer<JobBuilder> ofWhole) {
        split.add(call);
        whole.add(ofWhole);
        return this;
    }

    Declared units(long count) {
        return range(job -> job.units(count));
    }

    Declared range(long width, long rows) {
        return range(job -> job.range(width, rows));
    }

    Declared range(long width, long rows, long planes) {
        return range(job -> job.range(width, rows, planes));
    }

    Declared along(int dimension) {
        return range(job -> job.along(dimension));
    }

    Declared jobView() {
        return range(JobBuilder::jobView);
    }

    Declared granule(long units) {
        split.add(job -> job.granule(units));
        return this;
    }

    Declared undivided() {
        undivided = true;
        return range(JobBuilder::undivided);
    }

    Declared groupSize(int... sizes) {
        return both(job -> job.groupSize(sizes));
    }

    Declared variant(Variant variant) {
        return both(job -> job.variant(variant));
    }

    Declared reads(DataBuffer buffer, Access access) {
        return argument(job -> job.reads(buffer, access), job -> job.reads(buffer, Access.whole()));
    }

    Declared writes(DataBuffer buffer, Access access) {
        return argument(job -> job.writes(buffer, access), job -> job.updates(buffer, Access.whole()));
    }

    Declared updates(DataBuffer buffer, Access access) {
        return argument(job -> job.updates(buffer, access), job -> job.updates(buffer, Access.whole()));
    }

    Declared accumulates(DataBuffer buffer, Reduction operation) {
        return argument(job -> job.accumulates(buffer, operation), job -> job.updates(buffer, Access.whole()));
    }

    Declared scalar(Number... values) {
        return both(job -> job.scalar(values));
    }

    Declared value(ByteBuffer bytes) {
        return both(job -> job.value(bytes));
    }

    Declared local(ElementType type, long count) {
        return both(job -> job.local(type, count));
    }

    Declared local(ElementType type, LongUnaryOperator count) {
        return both(job -> job.local(type, count));
    }

    /** Runs it, and waits for it. */
    void run() {
        boolean asDeclared = run.policy != null;
        JobBuilder job = Job.named(kernel).source(source);
        before.forEach(each -> each.accept(job));
        if (!asDeclared && !undivided) {
            job.undivided();
        }
        job.kernel(kernel);
        (asDeclared ? split : whole).forEach(each -> each.accept(job));
        if (asDeclared) {
            job.policy(run.policy);
        } else {
            job.devices(DeviceSelector.parse(run.evener.devices().get(0).id()));
        }
        run.evener.submit(job.build()).join();
    }
}
