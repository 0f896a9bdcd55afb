package dev.evener;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A data-parallel job: an index space of units, and one or more phases that each run a kernel (or several, one {@linkplain
 * JobBuilder#then after another}) over all of them. All phases are cut at the same places, so that a device meets in a later phase the
 * data it already holds; between two phases an optional host step runs once, and sees what the earlier phase wrote and merged.
 *
 * <pre>{@code
 * Job saxpy = Job.named("saxpy").source(text).units(n)
 *         .kernel("saxpy").reads(x, slice()).updates(y, slice()).scalar(2.5f)
 *         .build();
 * }</pre>
 *
 * <p>Arguments are given in the order of the kernel's parameters. A kernel sees its job in one of two ways. In the
 * <em>{@linkplain JobBuilder#jobView job's view}</em> it sees what it would if one device ran the whole job in one launch. In the
 * <em>{@linkplain JobBuilder#chunkView chunk's view}</em> it sees a chunk as if that were all: ids and sliced buffers begin with it. A
 * map over slices is the same in both. Immutable once built; may be submitted more than once. Jobs are built here only.
 */
public interface Job {
    /** Starts the description of a job; the name stands in reports, traces and messages. */
    static JobBuilder named(String name) {
        return new JobBuilder(name);
    }

    /** The job's name. */
    String name();

    /** Size of the index space along the dimension that is cut. */
    long units();

    /** Units at whose multiples it may be cut, as far as it says; devices and their memory may want more: {@link Report#granule}. */
    long granule();

    /** Which of the runtime's devices it may use, or null for all. */
    @Nullable
    DeviceSelector devices();

    /** The same job, to be run on those of the runtime's devices that this selector means, whatever it said before. */
    Job on(DeviceSelector which);

    /** The same job of another {@linkplain JobBuilder#priority priority}. */
    Job withPriority(int urgency);

    /**
     * The same job, one of a stream of which so many others are under way or are to come soon, though nobody may have submitted them: the
     * default policy gives each {@linkplain dev.evener.policy.Snapshot#coming whole} to the device that is done with it first.
     *
     * @param others at least 0
     */
    Job before(int others);

    /**
     * This job and others behind it as one job that is cut once, in which no device waits for all others: a unit of one of them begins when
     * the units around it are done with those before, as far as halos reach, or all, where one sees what another
     * writes through another slice, or whole.
     *
     * @param others in their order
     * @return nothing where one of them has to end before the next one begins: jobs of other spaces or options, with host steps,
     *     reductions, forms for one device, deadlines, or protected updates; buffers that are no managed ones, are mirrored, or are seen in
     *     ranges
     */
    Optional<Job> then(List<? extends Job> others);

    /** Whether a buffer is an argument of the job or of its form for one device, or is written by a host step. */
    boolean uses(DataBuffer buffer);

    /**
     * The same job on other data. Each buffer is replaced, all at once, wherever the job {@link #uses} it. Only what depends on
     * the new ones is checked; the rest was found with the first job and is shared. So it costs little to make and to submit.
     *
     * <p>A replacement has the same type, and as many elements where a kernel sees all of them or they are reduced; else at least
     * as many as the units need, which keep their size. In {@link JobBuilder#hostStep(Consumer, DataBuffer...) hostStep(host -> ...)}
     * the buffers that the job was first built with stand for what takes their place. Views and values that a host step or Java
     * form captured stay as they are; so a step that is a {@link Runnable}, which sees buffers in no other way, is refused.
     *
     * @throws EvenerException if the job lacks such a buffer, or cannot be run with the new ones
     */
    Job with(Map<? extends DataBuffer, ? extends DataBuffer> replacements);

    /** {@link #with(Map)} that has two buffers change places, of which it uses at least one. */
    Job swap(DataBuffer one, DataBuffer other);

    /**
     * The same job with another value for each {@linkplain JobBuilder#scalar(String, Number) scalar of this name}.
     *
     * @throws EvenerException if there is none, or one of another type
     */
    Job with(String scalar, Number value);
}
