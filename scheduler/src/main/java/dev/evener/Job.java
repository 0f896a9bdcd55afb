package dev.evener;

import dev.evener.internal.JobDraft;
import dev.evener.internal.JobSpec;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A data-parallel job: an index space of units, and one or more phases that each run a kernel (or several, one {@linkplain
 * Builder#then after another}) over all of them. All phases are cut at the same places, so that a device meets in a later phase the
 * data it already holds; between two phases an optional host step runs once, and sees what the earlier phase wrote and merged.
 *
 * <pre>{@code
 * Job saxpy = Job.named("saxpy").source(text).units(n)
 *         .kernel("saxpy").reads(x, slice()).updates(y, slice()).scalar(2.5f)
 *         .build();
 * }</pre>
 *
 * <p>Arguments are given in the order of the kernel's parameters. A sliced buffer is seen from its chunk's start, so that a
 * plain map kernel which uses {@code get_global_id(0)} runs unchanged. Immutable once built; may be submitted more than
 * once. Jobs are built here only.
 */
public sealed interface Job permits JobSpec {
    /** Starts the description of a job; the name stands in reports, traces and messages. */
    static Builder named(String name) {
        return new Builder(name);
    }

    /** The job's name. */
    String name();

    /** Size of the index space; the rows of a two-dimensional one. */
    long units();

    /** Which of the runtime's devices it may use, or null for all. */
    @Nullable
    DeviceSelector devices();

    /** The same job, to be run on those of the runtime's devices that this selector means, whatever it said before. */
    Job on(DeviceSelector which);

    /** Whether a buffer is an argument of the job or of its form for one device, or is written by a host step. */
    boolean uses(DataBuffer buffer);

    /**
     * The same job on other data. Each buffer is replaced, all at once, wherever the job {@link #uses} it. Only what depends on
     * the new ones is checked; the rest was found with the first job and is shared. So it costs little to make and to submit.
     *
     * <p>A replacement has the same type, and as many elements where a kernel sees all of them or they are reduced; else at least
     * as many as the units need, which keep their size. In {@link Builder#combine(Consumer, DataBuffer...) combine(host -> ...)}
     * the buffers that the job was first built with stand for what takes their place. Views and values that a host step or Java
     * form captured stay as they are; so a step that is a {@link Runnable}, which sees buffers in no other way, is refused.
     *
     * @throws EvenerException if the job lacks such a buffer, or cannot be run with the new ones
     */
    Job with(Map<? extends DataBuffer, ? extends DataBuffer> replacements);

    /** {@link #with(Map)} that has two buffers change places, of which it uses at least one. */
    Job swap(DataBuffer one, DataBuffer other);

    /**
     * The same job with another value for each {@linkplain Builder#scalar(String, Number) scalar of this name}.
     *
     * @throws EvenerException if there is none, or one of another type
     */
    Job with(String scalar, Number value);

    /** Collects a job's description. Not thread-safe. */
    final class Builder {
        private final String name;
        private final JobDraft draft;

        private Builder(String name) {
            this.name = name;
            this.draft = new JobDraft(name);
        }

        /** Size of the index space; 0 is legal and runs nothing but the host steps. */
        public Builder units(long count) {
            draft.units(count);
            return this;
        }

        /**
         * A two-dimensional index space, cut between rows: a row is a unit. Kernels are launched over columns and the chunk's
         * rows, so that {@code get_global_id(0)} is the column and {@code get_global_id(1)} the row within the chunk. A
         * variant may set a group size {@code g}: the groups are then {@code g} columns of one row, and the columns are
         * rounded up to whole groups, so that the kernel needs the width as an argument to guard against the excess.
         *
         * @param width columns, at least 1
         * @param rows units; 0 is legal and runs nothing but the host steps
         */
        public Builder range(long width, long rows) {
            draft.rows(width, rows);
            return this;
        }

        /**
         * Cuts the job at multiples of this many units only, for kernels that work on tiles of several; the last tile of the
         * job may be short. What devices and buffers need for a cut comes on top.
         *
         * @param count at least 1, at most the job's units
         */
        public Builder granule(long count) {
            draft.granule(count);
            return this;
        }

        /** OpenCL C source of the phases that follow. */
        public Builder source(KernelSource text) {
            draft.source(text);
            return this;
        }

        /** The same as text. */
        public Builder source(String text) {
            return source(KernelSource.of(name, Objects.requireNonNull(text, "source")));
        }

        /** Runs the job under this policy instead of the runtime's. */
        public Builder policy(Policy chosen) {
            draft.policy = Objects.requireNonNull(chosen, "policy");
            return this;
        }

        /** Runs the job on those of the runtime's devices that this selector means, instead of on all. */
        public Builder devices(DeviceSelector which) {
            draft.devices = Objects.requireNonNull(which, "devices");
            return this;
        }

        /**
         * Ends the job with an exception if it is not done by then, counted from its submission. Chunks under way are waited
         * for; a device that does not come back from one within another {@code limit} (a second at least) is quarantined, and
         * may still write to the job's buffers unless there is a {@link #chunkDeadline}.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder deadline(Duration limit) {
            draft.deadline(limit);
            return this;
        }

        /**
         * Takes a chunk that is not done after this long for hung: its device is quarantined and another runs the chunk. So
         * that a late writer cannot spoil the result, devices then write to memory of their own, from where it is copied
         * when a chunk is done; that costs a copy of everything written. The limit must hold for any honest chunk on the
         * slowest device, builds not included.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder chunkDeadline(Duration limit) {
            draft.chunkDeadline(limit);
            return this;
        }

        /** Has devices serve the job before those of a lower priority, where their data let it; 0 is usual. */
        public Builder priority(int urgency) {
            draft.priority = urgency;
            return this;
        }

        /** Whether the other devices take over when one fails (the default); false ends the job at the first failure. */
        public Builder recovery(boolean wanted) {
            draft.recovers = wanted;
            return this;
        }

        /**
         * Does not save what {@link #updates} overwrites. Faster by one copy of it; but if a device fails in mid-chunk, the job
         * fails too and its buffers are half updated.
         */
        public Builder unprotected() {
            draft.protectsUpdates = false;
            return this;
        }

        /**
         * Tells a listener how far the job is: at most after every chunk, on the thread that completes futures, and never after
         * the future was completed. What it throws is logged and changes nothing.
         */
        public Builder onProgress(Consumer<JobFuture.Progress> listener) {
            draft.progress = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * The form for one device: another job that has the same result, down to the bit, and is run in place of this one when the
         * plan gives everything to one device. Each of its phases is run as one chunk, so it may do with fewer passes over memory.
         *
         * <p>Of the other job only units, range and phases count; name and options are this one's, and so is what the history
         * learns. It is left aside where a device cannot run it in one piece (too little memory, buffers in several segments,
         * no source or no {@linkplain #jvm Java form} for it) and in jobs with a {@link #chunkDeadline}; on the JVM lane,
         * where it would occupy one thread, a job without a Java form for it is run as usual. If it fails in its first phase,
         * the job begins anew as it is described here; later, another device goes on with it.
         */
        public Builder alone(Job other) {
            draft.alone(other);
            return this;
        }

        /** Begins a phase that runs this kernel. */
        public Builder kernel(String function) {
            draft.kernel(function);
            return this;
        }

        /**
         * Goes on with another kernel in the current phase: it runs over each chunk right after the one before, on the same
         * device and with no host in between, and sees all that was written before, by this chunk and no other. It has
         * arguments and variants of its own.
         *
         * <p>A buffer may be given to several kernels of a phase. If one of them writes it, all must touch it in the same way,
         * such as {@code slice(4)}; what the first one {@link #writes} is then neither sent to the device for a later one that
         * reads it, nor saved. A buffer of {@link #reduces} or {@link #appends} is finished when the phase ends, so only
         * one kernel of the phase may have it. What need not reach the host at all is a {@link #temporary}.
         *
         * <p>A phase has one {@linkplain #jvm Java form}, which does the work of all its kernels.
         */
        public Builder then(String function) {
            draft.then(function);
            return this;
        }

        /** How the current kernel is built and launched on a class of devices. */
        public Builder variant(DeviceKind kind, Variant variant) {
            draft.variant(kind, variant);
            return this;
        }

        /** The Java form of the current phase: of its kernel, or of all its kernels together. */
        public Builder jvm(JvmKernel form) {
            draft.jvm(form);
            return this;
        }

        /** A buffer the kernel only reads. */
        public Builder reads(DataBuffer buffer, Access access) {
            draft.reads(buffer, access);
            return this;
        }

        /** A buffer of which the kernel writes every element of its slice, unless that is sparse, and reads none. */
        public Builder writes(DataBuffer buffer, Access access) {
            draft.writes("writes", buffer, access, false);
            return this;
        }

        /** A buffer that the kernel reads and writes in place. */
        public Builder updates(DataBuffer buffer, Access access) {
            draft.writes("updates", buffer, access, true);
            return this;
        }

        /**
         * A buffer that takes what all units have in common, combined element by element; its former content is replaced.
         *
         * <p>32- and 64-bit integers: the kernel's parameter points to a partial result of {@code buffer.elements()} values that
         * the work-items of a device share, filled with the operation's identity; they combine into it with atomics.
         *
         * <p>{@code float} and {@code double}: rounding depends on the order, so every unit has a partial result of its own.
         * The kernel's parameter is seen from the chunk's start, like a slice: unit {@code i} of the chunk writes all of
         * {@code partial[i * elements] ... partial[(i + 1) * elements - 1]}, without atomics. The units' values are then
         * combined in pairs, pairs of pairs and so on, an order that depends on the number of units alone; so the bits of
         * the result do not depend on the split. This takes memory and time for each unit: give a unit a few thousand
         * elements of input, such as {@code reads(data, slice(4096))}.
         */
        public Builder reduces(DataBuffer buffer, Reduction operation) {
            draft.reduces(buffer, operation);
            return this;
        }

        /**
         * Results of which each unit has a number that only the kernel finds out. Stands for two parameters of the kernel,
         * both seen from the chunk's start: {@code __global T *slots}, in which unit {@code i} of the chunk writes its
         * results from {@code slots[i * mostPerUnit]} on, and {@code __global uint *counts}, in which it writes their number
         * to {@code counts[i]}; every unit must, be it 0. After the phase the results stand in {@code out} without gaps, in
         * the order of the units, whatever the split.
         *
         * <p>Until then they need memory for {@code mostPerUnit} elements of every unit, and the host moves what is not in its
         * place: a unit should stand for many elements of input.
         *
         * <p>If {@code out} is too small, the job fails, {@code count} has the number of results, and {@code out} its former
         * content; if a unit counts more than {@code mostPerUnit}, the job fails and both have their former content.
         *
         * @param out takes the results
         * @param count one {@code UINT} or {@code ULONG}, takes their number
         * @param mostPerUnit elements that one unit may append, at least 1
         */
        public Builder appends(DataBuffer out, DataBuffer count, long mostPerUnit) {
            draft.appends(out, count, mostPerUnit);
            return this;
        }

        /** An {@code int} or {@code uint} argument. */
        public Builder scalar(int value) {
            draft.unnamed(value);
            return this;
        }

        /** A {@code long} or {@code ulong} argument. */
        public Builder scalar(long value) {
            draft.unnamed(value);
            return this;
        }

        /** A {@code float} argument. */
        public Builder scalar(float value) {
            draft.unnamed(value);
            return this;
        }

        /** A {@code double} argument. */
        public Builder scalar(double value) {
            draft.unnamed(value);
            return this;
        }

        /**
         * A scalar that {@link Job#with(String, Number)} can replace: an Integer, Long, Float or Double. A Java form takes it from
         * {@link JvmKernel.Chunk#scalar}, since it would keep a value that it captured.
         */
        public Builder scalar(String name, Number value) {
            draft.scalar(name, value);
            return this;
        }

        /** The chunk's first unit, as a {@code ulong} argument. */
        public Builder chunkStart() {
            draft.chunkStart();
            return this;
        }

        /** The chunk's number of units, as a {@code uint} argument. */
        public Builder chunkUnits() {
            draft.chunkUnits();
            return this;
        }

        /**
         * Where the chunk begins in its view of a buffer read with a halo, as a {@code ulong} argument: the index of the first
         * element of its first unit. Element {@code e} of the chunk is {@code view[viewStart + e]}, amid those of other units.
         */
        public Builder viewStart(DataBuffer buffer) {
            draft.viewStart(buffer);
            return this;
        }

        /**
         * Memory of the device that belongs to the chunk while it runs, for the kernel to read and write. What it holds at the
         * first kernel of a phase is undefined; the kernels of a phase that are given the same object see the same memory. On
         * the JVM lane there is none: a Java form has its own variables.
         */
        public Builder temporary(Temporary memory) {
            draft.temporary(memory);
            return this;
        }

        /** Ends the current phase with a host step that runs once, after everything the phase wrote has been merged. */
        public Builder combine(Runnable step) {
            draft.combine(step, null);
            return this;
        }

        /**
         * {@link #combine(Runnable)} for a step that writes to these buffers only, perhaps to none: devices with memory of
         * their own then keep what they hold of the others. A buffer that a step writes and does not name here has stale
         * content on such devices afterwards. It runs on a thread of the runtime's own while GPUs work for other jobs. One that does
         * not say what it writes keeps other jobs from its devices.
         */
        public Builder combine(Runnable step, HostBuffer... writes) {
            draft.combine(step, Objects.requireNonNull(writes, "writes"));
            return this;
        }

        /**
         * {@link #combine(Runnable, HostBuffer...)} for a step that looks at managed buffers, or at buffers of either kind: it is given
         * what brings the parts it asks for to the host, and those alone.
         *
         * @param writes what it changes through {@link DataBuffer.HostAccess#update}, perhaps nothing
         */
        public Builder combine(Consumer<DataBuffer.HostAccess> step, DataBuffer... writes) {
            draft.combine(Objects.requireNonNull(step, "step"), Objects.requireNonNull(writes, "writes"));
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
}
