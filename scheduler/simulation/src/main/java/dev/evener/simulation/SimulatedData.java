package dev.evener.simulation;

import dev.evener.Access;
import dev.evener.DataBuffer;
import dev.evener.EvenerException;
import dev.evener.JobBuilder;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunEvent.BufferUse.How;
import dev.evener.event.RunEvent.BufferUse.Kept;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.ShadowData;
import dev.evener.internal.data.Directory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The buffers of a simulation's jobs, of which the runtime keeps the books that it keeps of any. For one thread. */
final class SimulatedData {
    private final Map<Long, ShadowData> buffers = new HashMap<>();

    /** What a use is about. */
    Range range(BufferUse use) {
        ShadowData of = of(use);
        if (of.byteSize() != use.size()) {
            throw new EvenerException("buffer " + use.buffer() + " has " + of.byteSize() + " bytes in one job and "
                    + use.size() + " in another: what is another buffer needs another number");
        }
        return of.range(use.from(), use.bytes());
    }

    private ShadowData of(BufferUse use) {
        ShadowData of = buffers.computeIfAbsent(use.buffer(), n -> new ShadowData(use.size(), use.kept() == Kept.HOST));
        if (use.name() != null) {
            of.all().named(use.name());
        }
        return of;
    }

    /** Has the host do what it did to a buffer before a job was submitted; within an event. */
    void before(BufferUse use, VirtualRuntime runtime) {
        ShadowData of = of(use);
        if (use.hostTo() > 0) {
            Range range = of.range(use.hostFrom(), use.hostTo() - use.hostFrom());
            of.hostIsToWrite(range);
            runtime.hostTurn(range, () -> wrote(range));
        }
        if (use.kept() == Kept.BOTH && !of.isMirrored()) {
            runtime.hostTurn(of.all(), of::mirror);
        }
    }

    private static void wrote(Range range) {
        Directory directory = range.buffer().directory();
        directory.hostWrites(range.from(), range.to());
        directory.hostWrote(range.from(), range.to());
    }

    /**
     * Gives the present phase of a job its arguments and its host step.
     *
     * @param spending lets the time of the host step pass; null if that takes none
     */
    void declare(JobBuilder job, List<BufferUse> uses, @Nullable Runnable spending) {
        List<BufferUse> onHost = new ArrayList<>();
        List<Range> ranges = new ArrayList<>();
        for (BufferUse use : uses) {
            switch (use.how()) {
                case READS -> job.reads(range(use), access(use));
                case WRITES -> job.writes(range(use), access(use));
                case UPDATES -> job.updates(range(use), access(use));
                default -> {
                    onHost.add(use);
                    ranges.add(range(use));
                }
            }
        }
        if (spending != null || !onHost.isEmpty()) { // lanes go on meanwhile, as where results are folded
            job.hostStep(
                    new HostStep(onHost, ranges, spending == null ? () -> {} : spending), ranges.toArray(Range[]::new));
        }
    }

    private static Access access(BufferUse use) {
        if (use.bytesPerUnit() == 0) {
            return Access.whole();
        }
        Access.Slice slice = Access.slice(use.bytesPerUnit());
        return use.before() + use.after() == 0 ? slice : slice.halo(use.before(), use.after());
    }

    /**
     * What the host does when a phase has ended: it puts results together and runs the host step, whatever that reads.
     *
     * @param uses the results, and what the step writes
     * @param ranges those of {@code uses}
     */
    record HostStep(List<BufferUse> uses, List<Range> ranges, Runnable spending)
            implements Consumer<DataBuffer.HostAccess> {
        @Override
        public void accept(DataBuffer.HostAccess host) {
            for (int i = 0; i < ranges.size(); i++) {
                Range range = ranges.get(i);
                if (uses.get(i).how() != How.REDUCES) { // what it leaves as it was has to be there
                    host.read(range, 0, Math.min(Integer.MAX_VALUE, range.elements()));
                }
                wrote(range);
            }
            spending.run();
        }
    }
}
