package dev.evener;

import dev.evener.Access.Reduction;
import dev.evener.image.Image;
import dev.evener.image.Sampler;
import dev.evener.internal.job.JobDraft;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/** Collects a job's description, which {@link Job#named} begins. Not thread-safe. */
public final class JobBuilder {
    private final String name;
    private final JobDraft draft;

    JobBuilder(String name) {
        this.name = name;
        this.draft = new JobDraft(name);
    }

    /** Size of a one-dimensional index space; 0 is legal and runs nothing but the host steps. */
    public JobBuilder units(long count) {
        draft.range.sizes(count);
        return this;
    }

    /**
     * A two-dimensional index space of {@code width} columns and so many rows, as in {@code get_global_id(0)} and {@code (1)}. A row
     * is a unit, unless it is cut {@linkplain #along along} dimension 0. Where a {@linkplain #groupSize group size} is set,
     * sizes are rounded up to whole groups, so that the kernel needs them as arguments to guard against the excess. A range that is empty
     * in any dimension runs nothing but the host steps.
     */
    public JobBuilder range(long width, long rows) {
        draft.range.sizes(width, rows);
        return this;
    }

    /** A three-dimensional index space; a plane of {@code width} columns and {@code rows} rows is a unit. */
    public JobBuilder range(long width, long rows, long planes) {
        draft.range.sizes(width, rows, planes);
        return this;
    }

    /** Cuts the range along this dimension, 0 to 2, of which an index is then a unit; the last one is usual. */
    public JobBuilder along(int dimension) {
        draft.range.along(dimension);
        return this;
    }

    /** Ids begin with these in the first dimensions, as with a launch's global offset; units and accesses count from 0 all the same. */
    public JobBuilder offset(long... first) {
        draft.range.offset(Objects.requireNonNull(first, "first"));
        return this;
    }

    /**
     * Kernels see what they would if one device ran the whole job in one launch: ids, group ids and sizes are the job's, every buffer
     * begins at its own start, and a length means the job's. So published kernels run as they are. A device with memory of its own needs
     * room for all of each buffer, though it holds and moves the declared parts alone.
     *
     * <p>This is usual for accesses that need it ({@link Access.Parts}), for undivided jobs, and where no kernel was written for Evener: asks
     * for its chunk, has a {@linkplain #jvm Java form} or a variant for a class of devices. Only kernels that provably cannot tell are left
     * out: they are given slices and floats alone, and find with their index the elements of their unit and nothing else.
     * {@link #chunkStart} and {@link #viewStart} are 0 in it, and {@link #chunkUnits} is the job's units.
     */
    public JobBuilder jobView() {
        draft.seesJob = true;
        return this;
    }

    /** Kernels see their chunk: ids begin at 0 in each, and sliced buffers at the chunk's part. Needs memory for chunks alone. */
    public JobBuilder chunkView() {
        draft.seesJob = false;
        return this;
    }

    /**
     * Runs the job as one launch on one device, which the model chooses: for what cannot be split, such as scattered writes,
     * wavefronts, or groups that wait for each other. {@link Access#whole()} may then be written and updated, too.
     */
    public JobBuilder undivided() {
        draft.undivided = true;
        return this;
    }

    /**
     * Cuts the job at multiples of this many units only, at least 1 and at most the job's, for kernels that work on tiles of several;
     * the last tile may be short. What devices and buffers need for a cut comes on top.
     */
    public JobBuilder granule(long count) {
        draft.granule(count);
        return this;
    }

    /** OpenCL C source of the phases that follow. */
    public JobBuilder source(KernelSource text) {
        draft.source(text);
        return this;
    }

    /** The same as text. */
    public JobBuilder source(String text) {
        return source(KernelSource.of(name, Objects.requireNonNull(text, "source")));
    }

    /** Runs the job under this policy instead of the runtime's. */
    public JobBuilder policy(Policy chosen) {
        draft.policy = Objects.requireNonNull(chosen, "policy");
        return this;
    }

    /** Runs the job on those of the runtime's devices that this selector means, instead of on all. */
    public JobBuilder devices(DeviceSelector which) {
        draft.devices = Objects.requireNonNull(which, "devices");
        return this;
    }

    /**
     * Ends the job with an exception if it is not done by then, counted from its submission; the limit must be positive. Chunks
     * under way are waited for; a device that does not come back from one within another {@code limit} (a second at least) is
     * quarantined, and may still write to the job's buffers unless there is a {@link #chunkDeadline}.
     */
    public JobBuilder deadline(Duration limit) {
        draft.deadline(limit);
        return this;
    }

    /**
     * Takes a chunk that is not done after this long for hung: its device is quarantined and another runs the chunk. So that a late
     * writer cannot spoil the result, devices write to memory of their own, and what they wrote is copied; that costs a copy. The limit
     * must be positive, and hold for any honest chunk on the slowest device, builds, host steps and waits for other devices not included.
     */
    public JobBuilder chunkDeadline(Duration limit) {
        draft.chunkDeadline(limit);
        return this;
    }

    /** Has devices serve the job before those of a lower priority, where their data let it; 0 is usual. */
    public JobBuilder priority(int urgency) {
        draft.priority = urgency;
        return this;
    }

    /** Whether the other devices take over when one fails (the default); false ends the job at the first failure. */
    public JobBuilder recovery(boolean wanted) {
        draft.recovers = wanted;
        return this;
    }

    /** Does not save what {@link #updates} overwrites: a copy less, but if a device fails in mid-chunk, the job does, half updated. */
    public JobBuilder unprotected() {
        draft.protectsUpdates = false;
        return this;
    }

    /**
     * Tells a listener how far the job is, at most after every chunk, on the thread that completes futures and never after the job's own
     * is completed. What it throws is logged and changes nothing.
     */
    public JobBuilder onProgress(Consumer<JobFuture.Progress> listener) {
        draft.progress = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * The form for one device: another job with the same result, down to the bit, which is run in place of this one when the plan gives
     * everything to one device, each of its phases as one chunk; so it may do with fewer passes over memory.
     *
     * <p>Of the other job only units, range and phases count; name, options and history are this one's. It is left aside where a
     * device cannot run it in one piece (too little memory, buffers in several segments, no source or no {@linkplain #jvm Java form}
     * for it) and in jobs with a {@link #chunkDeadline}. If it fails in its first phase, the job begins anew as it is described
     * here; later, another device goes on with it.
     */
    public JobBuilder alone(Job other) {
        draft.alone(other);
        return this;
    }

    /** Begins a phase that runs this kernel. */
    public JobBuilder kernel(String function) {
        draft.kernel(function);
        return this;
    }

    /**
     * Goes on with another kernel in the current phase: it runs over each chunk right after the one before, on the same
     * device and with no host in between, and sees all that was written before, by this chunk and no other. It has
     * arguments and variants of its own.
     *
     * <p>A buffer may be given to several kernels of a phase. If one of them writes it, all must touch it in the same way,
     * such as {@code slice(4)}; what the first one {@link #writes} is neither sent to the device for later ones, nor saved. One of {@link
     * #reduces} or {@link #appends} is finished when the phase ends, so only one kernel of the phase may have it. What need not
     * reach the host at all is a {@link #temporary}.
     *
     * <p>A phase has one {@linkplain #jvm Java form}, which does the work of all its kernels.
     */
    public JobBuilder then(String function) {
        draft.then(function);
        return this;
    }

    /** How the current kernel is built and launched on a class of devices. */
    public JobBuilder variant(DeviceKind kind, Variant variant) {
        draft.variant(kind, variant);
        return this;
    }

    /** The same for all classes of devices. */
    public JobBuilder variant(Variant variant) {
        draft.variant(variant);
        return this;
    }

    /** Work-items of the current kernel's groups in one to three dimensions, on all devices. Ranges are rounded up to whole groups. */
    public JobBuilder groupSize(int... sizes) {
        draft.groupSize(Objects.requireNonNull(sizes, "sizes"));
        return this;
    }

    /** The Java form of the current phase: of its kernel, or of all its kernels together. */
    public JobBuilder jvm(JvmKernel form) {
        draft.jvm(form);
        return this;
    }

    /** A buffer the kernel only reads. */
    public JobBuilder reads(DataBuffer buffer, Access access) {
        draft.reads(buffer, access);
        return this;
    }

    /**
     * An image that the kernel only reads. Of images, accesses count rows (or layers, or planes): {@code slice()} is
     * the unit's own row,
     * {@code slice().halo(2, 2)} that and two more on either side, {@code whole()} the image. Kernels see the whole
     * job.
     */
    public JobBuilder reads(Image<?> image, Access access) {
        draft.reads(Objects.requireNonNull(image, "image"), access);
        return this;
    }

    /** A buffer of which the kernel writes every element of its slice, unless that is sparse, and reads none. */
    public JobBuilder writes(DataBuffer buffer, Access access) {
        draft.writes("writes", buffer, access, false);
        return this;
    }

    /** An image of which the kernel writes every pixel of its rows. */
    public JobBuilder writes(Image<?> image, Access access) {
        draft.writes("writes", Objects.requireNonNull(image, "image"), access, false);
        return this;
    }

    /**
     * An image of which the kernel writes pixels of its rows, while the others keep their values; one that also reads
     * it has a {@code read_write} parameter, where devices have that.
     */
    public JobBuilder updates(Image<?> image, Access access) {
        draft.writes("updates", Objects.requireNonNull(image, "image"), access, true);
        return this;
    }

    /** A {@code sampler_t}. */
    public JobBuilder sampler(Sampler sampler) {
        draft.sampler(sampler);
        return this;
    }

    /** A buffer that the kernel reads and writes in place. */
    public JobBuilder updates(DataBuffer buffer, Access access) {
        draft.writes("updates", buffer, access, true);
        return this;
    }

    /**
     * A buffer that takes what all units have in common, combined element by element; its former content is replaced.
     *
     * <p>Integers: the kernel's parameter points to a partial result of {@code buffer.elements()} values that the work-items of
     * a device share, filled with the operation's identity; they combine into it with atomics, or set or clear flags.
     *
     * <p>{@code float} and {@code double}: rounding depends on the order, so every unit has a partial result of its own, and
     * writes all of {@code partial[i * elements] ... partial[(i + 1) * elements - 1]}, without atomics. They are then combined in
     * pairs, pairs of pairs and so on, so that the bits do not depend on the split. This takes memory and time for each unit:
     * give a unit a few thousand elements of input, such as {@code reads(data, slice(4096))}.
     */
    public JobBuilder reduces(DataBuffer buffer, Reduction operation) {
        draft.reduces(buffer, operation, false);
        return this;
    }

    /**
     * {@link #reduces} of integers into what the buffer holds, for kernels that update any element of it with atomics of one
     * operation. With SUM and XOR they see only what units of their device have added; with others the former content, too.
     */
    public JobBuilder accumulates(DataBuffer buffer, Reduction operation) {
        draft.reduces(buffer, operation, true);
        return this;
    }

    /**
     * Results of which each unit has a number that only the kernel finds out. Stands for two parameters of the kernel:
     * {@code __global T *slots}, in which unit {@code i} writes its results from {@code slots[i * mostPerUnit]} on, and
     * {@code __global uint *counts}, in which every unit writes their number to {@code counts[i]}, be it 0. After the phase the results
     * stand in {@code out} without gaps, in the order of the units. Until then they need memory for {@code mostPerUnit}
     * elements of every unit, and the host moves what is not in its place: a unit should stand for many elements of input.
     *
     * <p>If {@code out} is too small, the job fails, {@code count} has the number of results, and {@code out} its former
     * content; if a unit counts more than {@code mostPerUnit}, the job fails and both have their former content.
     *
     * @param out takes the results
     * @param count one {@code UINT} or {@code ULONG}, takes their number
     * @param mostPerUnit elements that one unit may append, at least 1
     */
    public JobBuilder appends(DataBuffer out, DataBuffer count, long mostPerUnit) {
        draft.appends(out, count, mostPerUnit);
        return this;
    }

    /** An argument each of type {@code char}, {@code short}, {@code int}, {@code long}, {@code float} or {@code double}, or of the unsigned type. */
    public JobBuilder scalar(Number... values) {
        for (Number each : Objects.requireNonNull(values, "values")) {
            draft.scalar(null, Objects.requireNonNull(each, "values"));
        }
        return this;
    }

    /**
     * A scalar that {@link Job#with(String, Number)} can replace: a Byte, Short, Integer, Long, Float or Double. A name has one value in a job,
     * whichever kernels are given it. A Java form takes it from
     * {@link JvmKernel.Chunk#scalar}, since it would keep a value that it captured.
     */
    public JobBuilder scalar(String name, Number value) {
        draft.scalar(Objects.requireNonNull(name, "name"), value);
        return this;
    }

    /**
     * A struct, vector or number by value: the remaining bytes, as many as the kernel's parameter has.
     *
     * @throws EvenerException.JobRejectedException if they are not in native order, which is not Java's default
     */
    public JobBuilder value(ByteBuffer bytes) {
        draft.value(Objects.requireNonNull(bytes, "bytes"));
        return this;
    }

    /** A {@code __local} argument of so many elements. The size of groups must be set: left open, it may be any. */
    public JobBuilder local(ElementType type, long count) {
        return local(type, group -> count);
    }

    /** A {@code __local} argument whose elements depend on the number of work-items of a group, which must be set. */
    public JobBuilder local(ElementType type, LongUnaryOperator count) {
        draft.local(type, count);
        return this;
    }

    /** The chunk's first unit, as a {@code ulong} argument. */
    public JobBuilder chunkStart() {
        draft.ofChunk(true);
        return this;
    }

    /** The chunk's number of units, as a {@code uint} argument. */
    public JobBuilder chunkUnits() {
        draft.ofChunk(false);
        return this;
    }

    /**
     * Where the chunk begins in its view of a buffer read with a halo, as a {@code ulong} argument: the index of the first
     * element of its first unit. Element {@code e} of the chunk is {@code view[viewStart + e]}, amid those of other units.
     */
    public JobBuilder viewStart(DataBuffer buffer) {
        draft.viewStart(buffer);
        return this;
    }

    /**
     * Memory of the device that belongs to the chunk while it runs, for the kernel to read and write. What it holds at the
     * first kernel of a phase is undefined; the kernels of a phase that are given the same object see the same memory. On
     * the JVM lane there is none: a Java form has its own variables.
     */
    public JobBuilder temporary(Temporary memory) {
        draft.temporary(memory);
        return this;
    }

    /** Ends the current phase with a host step that runs once, after everything the phase wrote has been merged. */
    public JobBuilder hostStep(Runnable step) {
        draft.hostStep(step, null);
        return this;
    }

    /**
     * {@link #hostStep(Runnable)} for a step that writes to these buffers only, perhaps to none: devices with memory of their own keep what
     * they hold of the others, of which content that the step writes all the same is stale there. It runs on a thread of the
     * runtime's own while GPUs work for other jobs; one that does not say what it writes keeps other jobs from its devices.
     */
    public JobBuilder hostStep(Runnable step, HostBuffer... writes) {
        draft.hostStep(step, Objects.requireNonNull(writes, "writes"));
        return this;
    }

    /**
     * {@link #hostStep(Runnable, HostBuffer...)} for a step that looks at managed buffers, or at buffers of either kind: it is given
     * what brings the parts it asks for to the host, and those alone.
     *
     * @param writes what it changes through {@link DataBuffer.HostAccess#update}, perhaps nothing
     */
    public JobBuilder hostStep(Consumer<DataBuffer.HostAccess> step, DataBuffer... writes) {
        draft.hostStep(Objects.requireNonNull(step, "step"), Objects.requireNonNull(writes, "writes"));
        return this;
    }

    /**
     * The finished job.
     *
     * @throws EvenerException if it cannot be run or cannot be split; the message names job, argument and reason
     */
    public Job build() {
        return draft.build();
    }
}
