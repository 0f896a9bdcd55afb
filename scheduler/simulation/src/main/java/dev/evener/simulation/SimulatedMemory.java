package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.Report.Cause;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.data.Directory;
import dev.evener.internal.data.Source;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a device with memory of its own holds of simulated jobs' buffers, and what its chunks move therefore: as on a real one, but for
 * want of memory, by the runtime's own directories. For one thread.
 */
final class SimulatedMemory {
    private final String device;
    private final int alignment;
    private final Source source;
    private final Map<Range, Directory.Holding> holdings = new HashMap<>();

    /** @param source what fetching from it takes, and whether it can be done */
    SimulatedMemory(DeviceInfo device, Source source) {
        this.device = device.id();
        this.alignment = Math.max(1, device.alignmentBytes());
        this.source = source;
    }

    /**
     * Has the host hold what a chunk is to be sent, and counts what moves for it.
     *
     * @return what is done once the chunk counts
     */
    List<Runnable> begin(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, Traffic traffic) {
        List<Runnable> ends = new ArrayList<>();
        for (int i = 0; i < phase.arguments().size(); i++) {
            Argument.Buffer b = (Argument.Buffer) phase.arguments().get(i);
            long from = b.seenFrom(firstUnit);
            long to = from + b.seenBytes(firstUnit, units);
            Directory directory = b.buffer().directory();
            traffic.of(b.buffer().label());
            boolean fetched =
                    b.written() && (b.buffer().isMirrored() || job.options().chunkDeadline() != null);
            if (fetched) {
                traffic.fetched(device, Cause.RESULT, to - from);
            }
            if (b.bytesPerUnit() > 0 && !JobBuffers.areSeenAgain(job, b.buffer())) { // it is the chunk's alone
                traffic.sent(device, Cause.HOST, b.read() ? to - from : 0);
                if (b.written()) {
                    directory.hostWrites(from, to);
                    ends.add(() -> directory.hostWrote(from, to));
                }
                continue;
            }
            Range kept = phase.liesApart(i, alignment) ? b.range() : b.buffer().all();
            Directory.Holding holding = holdings.computeIfAbsent(kept, of -> directory.newHolding(device, source));
            long since = directory.changes();
            if (b.read()) {
                send(holding, directory, from, to, b.countIn(traffic, firstUnit, units));
            }
            if (b.written()) {
                holding.spoils(from, to);
                ends.add(() -> holding.wrote(from, to, fetched));
            } else {
                ends.add(() -> holding.received(from, to, since));
            }
        }
        if (phase.hostStep() instanceof SimulatedData.HostStep step) {
            step.uses().forEach(use -> results(use, units, traffic.of(null)));
        }
        return ends;
    }

    private static void send(Directory.Holding to, Directory of, long from, long end, Traffic traffic) {
        for (long gap = to.missingFrom(from, end), next; gap < end; gap = to.missingFrom(next, end)) {
            next = to.presentFrom(gap, end);
            long unused = of.bringToHost(gap, next, traffic);
            to.count(gap, next, traffic);
        }
    }

    private void results(BufferUse use, long units, Traffic traffic) {
        if (use.bytesPerUnit() > 0) {
            traffic.fetched(device, Cause.RESULT, use.bytesPerUnit() * units);
        } else if (use.how() == BufferUse.How.REDUCES) { // a partial result, filled with the identity
            traffic.sent(device, Cause.REDUCTION, use.bytes());
            traffic.fetched(device, Cause.REDUCTION, use.bytes());
        }
    }

    /** Nothing of what it held can be had any more. */
    void forget() {
        holdings.forEach((range, holding) ->
                holding.forget(range.from(), range.to(), "only device " + device + " held them, which failed"));
    }
}
