package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.ElementType;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.internal.HostData;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.Segments;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.job.Space;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of zeros, in memory of their own, with which a lane tries kernels out whose source {@linkplain
 * KernelSource#withTrialLaunch allows it}: PoCL compiles a kernel when it is first launched with a size of groups, from an offset or
 * not, and over fewer than 65,535 items or more. A trial has as few units as make the launches that a job's chunks will make; how
 * many depends on the class of the job's size alone, so that no size of a job brings a trial of its own. Belongs to one lane's
 * thread, but for {@link #isDone}.
 */
final class TrialLaunch {
    /** PoCL's form of a kernel for so many items or more serves launches of fewer, too. */
    private static final long LARGE = 65_536;

    /** Most memory of a trial, which takes about a millisecond to make zero for each 4 MiB. */
    private static final long MOST_BYTES = 32 << 20;

    private final DeviceInfo device;
    private final long fewItems;
    private final Set<List<Object>> done = ConcurrentHashMap.newKeySet();
    private final Set<String> broken = ConcurrentHashMap.newKeySet(); // digests of sources that do not build

    /**
     * A chunk to be run, whose buffers are then {@linkplain #close closed}.
     *
     * @param job with one phase
     * @param firsts its first unit, of each time that it is run
     */
    record Chunk(JobSpec job, List<Long> firsts, long units, List<LogicalBuffer> buffers) implements AutoCloseable {
        @Override
        public void close() {
            buffers.forEach(LogicalBuffer::close);
        }
    }

    /** @param fewItems of fewer in a launch, groups have one item each */
    TrialLaunch(DeviceInfo device, long fewItems) {
        this.device = device;
        this.fewItems = fewItems;
    }

    /** Whether there is nothing left to try for a phase of a job. Any thread. */
    boolean isDone(JobSpec job, JobSpec.Phase phase) {
        KernelSource source = phase.source();
        return source == null
                || !source.allowsTrialLaunch()
                || job.units() == 0
                || broken.contains(source.digest())
                || done.contains(key(source, job, phase));
    }

    /** A source does not build, so that there is nothing to try. */
    void isBroken(JobSpec.Phase phase) {
        KernelSource source = phase.source();
        if (source != null) {
            broken.add(source.digest());
        }
    }

    private List<Object> key(KernelSource source, JobSpec job, JobSpec.Phase phase) {
        Space space = phase.space().ofOneUnit();
        List<Object> one = List.of(space.sizes(), space.offsets(), space.dimensions(), space.along(), space.seesJob());
        return List.of(source.digest(), phase.kernel(), one, units(job, phase));
    }

    private long units(JobSpec job, JobSpec.Phase phase) {
        return units(device, fewItems, job, phase, true);
    }

    /**
     * Fewest units that are launched as chunks of the job are: some in whole groups and, where chunks may have a rest, one more.
     *
     * @param large whether so many that PoCL takes its form for large launches
     */
    static long units(DeviceInfo device, long fewItems, JobSpec job, JobSpec.Phase phase, boolean large) {
        if (phase.space().dimensions() > 1) {
            return 1; // of which the others make whole groups
        }
        long units = 1;
        for (JobSpec.Pass pass : phase.passes()) {
            Variant variant = pass.variant(device.kind());
            long all = variant.globalSize(job.units(), device.computeUnits());
            boolean open = pass.group(device.kind(), 0) == 0;
            long items = 1;
            if (large && variant.groups() == 0 && all >= LARGE && !seesWholes(phase)) {
                items = LARGE + 1;
            } else if (open && all >= fewItems) {
                items = fewItems
                        + 1; // were there more of them, and each read a whole buffer, they would take as long as a job
            }
            units = Math.max(units, (items * variant.unitsPerItem() - 1) / variant.itemsPerUnit() + 1);
        }
        return Math.min(units, job.units());
    }

    private static boolean seesWholes(JobSpec.Phase phase) {
        return phase.arguments().stream().anyMatch(a -> a instanceof Argument.Buffer b && b.read() && b.isSeenWhole());
    }

    /** The next time there is nothing left to try. Null if that is so now, or there is not enough memory for it. */
    @Nullable
    Chunk begin(JobSpec job, JobSpec.Phase phase) {
        KernelSource source = phase.source();
        if (source == null || isDone(job, phase) || !done.add(key(source, job, phase))) {
            return null;
        }
        long units = units(job, phase);
        long bytes = phase.arguments().stream()
                .mapToLong(each -> each instanceof Argument.Buffer b
                        ? Zeros.of(b, job, phase, units).bytes()
                        : 0)
                .sum();
        if (bytes > MOST_BYTES) {
            return null;
        }
        List<LogicalBuffer> buffers = new ArrayList<>();
        List<Argument> arguments = new ArrayList<>();
        for (Argument each : phase.arguments()) {
            if (each instanceof Argument.Buffer b) {
                LogicalBuffer zeros = Zeros.of(b, job, phase, units).allocate();
                Argument.Hidden hidden = b.hidden();
                buffers.add(zeros);
                arguments.add(hidden == null ? b.over(zeros.all()) : hidden.over(zeros));
            } else {
                arguments.add(each);
            }
        }
        List<Long> firsts =
                phase.seesJob() ? List.of(0L, job.units() - units) : List.of(0L); // later ones have an offset
        return new Chunk(job.withPhases(List.of(phase.withArguments(arguments))), firsts, units, buffers);
    }

    /**
     * What takes the place of a buffer: as much as the units see at most, and of one that is not sliced everything, as a job's scalars say
     * how much that is. Of results that are folded later, lanes see a slice.
     */
    private record Zeros(ElementType type, long elements) {
        static Zeros of(Argument.Buffer b, JobSpec job, JobSpec.Phase phase, long units) {
            Argument.Hidden hidden = b.hidden();
            long seen = phase.seesJob() ? job.units() : units;
            if (hidden != null) {
                return new Zeros(hidden.type(), seen * hidden.perUnit());
            }
            long all = b.range().elements();
            if (b.isSeenInPart() && b.image() == null) {
                all = b.seenBytes(0, seen) / b.range().type().bytes();
            }
            return new Zeros(b.range().type(), all);
        }

        long bytes() {
            return elements * type.bytes();
        }

        LogicalBuffer allocate() {
            return new HostData(type, Segments.allocate(type, elements, 1, Segments.Limits.ofHost(), null)).hide();
        }
    }
}
