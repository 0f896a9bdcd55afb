package dev.evener.internal.lane;

import dev.evener.DeviceKind;
import dev.evener.KernelSource;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.memory.LaneMemory;
import dev.evener.internal.memory.Work;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.Granules;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first run of a kernel that was never seen with a declaration: before a lane runs it on the application's
 * memory, it runs on a few units where the job begins and ends, or at an end of the lane's first chunk, in guarded memory. What it
 * writes outside of these units' parts, what it changes of an input, and what its results show that it reads elsewhere
 * is an error, before anything of the application's memory is touched. {@link JobSpec.FirstRun} knows what was seen.
 * Images are filled and taken from between the image and such memory, with rows around as well.
 *
 * <p>Nothing is run of an undivided job, whose groups may wait for each other, nor of sources that {@linkplain
 * KernelSource#withTrialLaunch promise} to stay within their buffers.
 */
final class FirstRunChunk extends GuardedChunk {
    private static final Logger LOG = LoggerFactory.getLogger(FirstRunChunk.class);

    /** Most bytes of what the units have between them, all arguments together: each megabyte takes a millisecond. */
    private static final long MOST_BYTES = 8 << 20;

    /** Most bytes of one buffer, as the host maps it with what is around. */
    private static final long LARGEST = 1 << 30;

    /**
     * A run is as large as PoCL's form for large launches wants where it is this part of the chunk at most, so that two runs are a third
     * of it: compiling another form, for small launches, takes longer.
     */
    private static final int PART = 6;

    private boolean[] mayBeWritten = {}; // by the number of the argument

    FirstRunChunk(
            ContextMemory context,
            ClDevice device,
            ClQueue queue,
            Kernels kernels,
            ClCommands commands,
            LaneMemory lane) {
        super(
                device.info(),
                kernels,
                commands,
                lane,
                index -> new FirstRunArgument(index, context, device, queue, commands));
    }

    /** Whether a chunk of a phase has to wait until its kernels were seen, of a job whose first run is not over. */
    boolean isDue(JobSpec of, JobSpec.Phase its, long first, long count) {
        JobSpec.FirstRun seen = of.findings().firstRun();
        return JobSpec.FirstRun.isFor(of, its)
                && (!seen.has(this, its, JobSpec.FirstRun.Place.OWN)
                        || (first == 0 && !seen.has(this, its, JobSpec.FirstRun.Place.FIRST))
                        || (first + count == of.units() && !seen.has(this, its, JobSpec.FirstRun.Place.LAST)));
    }

    /**
     * Runs kernels of a phase in guarded memory, on some units of a chunk. No other chunk is under way.
     *
     * @throws LaneFailure if they do not what was declared
     */
    void see(JobSpec of, JobSpec.Phase its, long first, long count) {
        JobSpec.FirstRun seen = of.findings().firstRun();
        findWritten(its);
        long granule = granule(of, its);
        long few = few(of, its, count, true);
        if (few > count / PART || bytes(of, its, first, few) > MOST_BYTES) {
            few = few(of, its, count, false);
        }
        long last = Math.max(first, (first + count - few) / granule * granule);
        long bytes = Math.max(bytes(of, its, first, few), bytes(of, its, last, first + count - last));
        boolean isOwn = seen.add(this, its, JobSpec.FirstRun.Place.OWN);
        boolean asks = isOwn && asksForGroups(its);
        boolean begins = (first == 0 && seen.add(this, its, JobSpec.FirstRun.Place.FIRST)) || asks;
        boolean ends =
                (first + count == of.units() && seen.add(this, its, JobSpec.FirstRun.Place.LAST)) || (isOwn && !begins);
        if (bytes > MOST_BYTES) {
            if (seen.leaveOut()) {
                LOG.info(
                        "job '{}': {} units of kernel {} have {} MiB between them, too much for a first run in guarded"
                                + " memory: run it once on less",
                        of.name(),
                        few,
                        its.kernel(),
                        bytes >> 20);
            }
            return;
        }
        try {
            if (begins) { // where groups are as large as those of the chunk
                see(new Work(of, its, first, few), asks ? Kernels.OTHER : 0);
                long own = Granules.ofKernels(of, info.kind());
                long groups = granule / own; // whose size is left open
                long beside =
                        first + own * (groups * 2 / 7 | 1); // where hardly anything begins that spans several units
                if (groups > 1 && beside + few <= first + count) {
                    run(new Work(of, its, beside, few), Setting.USUAL);
                }
            }
            if (ends) {
                see(new Work(of, its, last, first + count - last), 0);
            }
            seen.passed();
        } catch (RuntimeException | OutOfMemoryError e) {
            if (e instanceof LaneFailure failure && failure.kind() == LaneFailure.Kind.DECLARATION) {
                seen.failed();
                throw LaneFailure.declaration(
                        e.getMessage() + "; found in a first run on memory of its own (firstRunChecked)");
            }
            seen.leaveOut(); // no memory, or what the chunk itself will say
            LOG.debug("no first run on {}", info.id(), e);
        } finally {
            kernels.otherGroups(0);
            guarded.forEach(GuardedArgument::free);
            release();
        }
    }

    /** Units of a run: an odd number of granules, which shows what spans two. */
    private long few(JobSpec of, JobSpec.Phase its, long count, boolean large) {
        long granule = granule(of, its);
        long granules = (TrialLaunch.units(info, kernels.fewItems(), of, its, large) + granule - 1) / granule;
        return Math.min(count, (granules / 2 * 2 + 1) * granule);
    }

    /** Units of whole groups, also where their size is left open: of what is left over PoCL would compile a form that no chunk may need. */
    private long granule(JobSpec of, JobSpec.Phase its) {
        long kernels = Granules.ofKernels(of, info.kind());
        long groups = this.kernels.unitsOfGroups(its);
        return kernels % groups == 0 ? kernels : groups % kernels == 0 ? groups : kernels * groups;
    }

    /** Whether the size of groups is left open, and kernels may ask for it. */
    private boolean asksForGroups(JobSpec.Phase its) {
        return info.kind() == DeviceKind.CPU && !kernels.sizesToTry(its).isEmpty();
    }

    /** Twice, the second time with groups of another size, or 0, and something else around inputs. */
    private void see(Work work, int groups) {
        Setting other = new Setting(false, groups, Around.REPEATED, -1);
        @Nullable ByteBuffer[] expected = run(work, Setting.USUAL);
        Difference difference = difference(expected, run(work, other), false);
        String problem = difference == null ? null : explained(work, other, false, expected, difference);
        if (problem != null) {
            throw LaneFailure.declaration(problem);
        }
    }

    private void findWritten(JobSpec.Phase its) {
        mayBeWritten = new boolean[its.arguments().size()];
        for (JobSpec.Pass pass : its.passes()) {
            for (int i = 0; i < pass.arguments(); i++) {
                int at = pass.firstArgument() + i;
                Argument argument = its.arguments().get(at);
                at = argument instanceof Argument.Again again ? again.argument() : at;
                boolean image = its.arguments().get(at) instanceof Argument.Buffer b && b.image() != null;
                boolean readOnly = image
                        ? !pass.written().contains(i)
                        : Boolean.TRUE.equals(
                                kernels.get(its, pass).parameters().get(i).constant());
                mayBeWritten[at] |= !readOnly;
            }
        }
    }

    /** As far as {@link FirstRunArgument} fills memory, in which it then finds mistakes as in any. */
    @Override
    protected long partsAround(Argument.Buffer image) {
        long part = Objects.requireNonNull(image.image()).partBytes();
        return Math.max(FirstRunArgument.NEAR / part, 2 * image.bytesPerUnit() / part);
    }

    @Override
    protected boolean mayBeWritten(int argument) {
        return mayBeWritten[argument];
    }

    @Override
    protected int piece() {
        return Math.toIntExact(units);
    }

    /** Bytes that are copied for these units, with what lies between their parts. */
    private long bytes(JobSpec of, JobSpec.Phase its, long first, long units) {
        long bytes = 0;
        for (int i = 0; i < its.arguments().size(); i++) {
            Argument each = its.arguments().get(i);
            if (each instanceof Argument.Buffer b) {
                boolean isThere =
                        b.isSeenWhole() && !mayBeWritten[i] && b.range().isAll();
                bytes +=
                        isThere ? 0 : b.range().byteSize() > LARGEST ? b.range().byteSize() : b.seenBytes(first, units);
            } else if (each instanceof Argument.Temporary t) {
                bytes += t.memory().bytes(its.seesJob() ? of.units() : units);
            }
        }
        return bytes;
    }
}
