package dev.evener.internal.job;

import dev.evener.EvenerException.JobRejectedException;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.ManagedData;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.JobSpec.Phase;
import dev.evener.policy.Snapshot.Move;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a job, its host steps and its form for one device; found when it is built, not each time it is submitted.
 *
 * @param own those of the job itself, without the other form's
 * @param uses all of them
 * @param writes those that may be written; host steps that do not say what they write may write all of their job's
 * @param mayBeAny whether a host step does not say what it writes
 * @param putsTogether whether results of its lanes or units are put together by the host when a phase ends
 * @param standing what a host step gets for each of the buffers the job was built with; empty if it gets these themselves
 */
public record JobBuffers(
        Set<Range> own,
        Set<Range> uses,
        Set<Range> writes,
        boolean mayBeAny,
        boolean putsTogether,
        Map<Range, Range> standing) {

    /**
     * Whether all that a job does is done on devices and stays there, so that nobody but a device need see its end before the next one
     * begins: no host step, nothing to be put together, no limit of time, and nothing but managed buffers that are not mirrored.
     */
    public static boolean stayOnDevices(JobSpec job) {
        boolean stay = job.alone() == null && job.options().deadline() == null;
        for (int p = 0; stay && p < job.phases().size(); p++) {
            stay = stayOnDevices(job.phases().get(p));
        }
        return stay;
    }

    /** The same of a phase. */
    public static boolean stayOnDevices(Phase phase) {
        return phase.hostStep() == null
                && !phase.any(b -> b.isPutTogether()
                        || b.buffer().hasHostViews()
                        || b.buffer().isMirrored());
    }

    /** What a job writes all of, whatever there was. */
    public static Set<Range> replaced(JobSpec job) {
        Set<Range> all = new HashSet<>();
        for (Phase phase : job.phases()) {
            for (Argument.Buffer b : phase.buffers()) {
                boolean sliced = b.isWrittenInPlace()
                        && b.ownPieces() == 1
                        && b.seenFrom(0, 0, job.units()) == b.range().from()
                        && b.seenTo(0, 0, job.units()) == b.range().to();
                if (b.written() && !b.read() && (b.reduction() != null || sliced)) {
                    all.add(b.range());
                }
            }
        }
        return all;
    }

    /**
     * Holds the job's own, so that those which are closed from now on outlive it.
     *
     * @throws JobRejectedException if one is closed; none is held then
     */
    public void hold(JobSpec job) {
        int held = 0;
        for (Range each : own) {
            if (!each.buffer().hold()) {
                letGo(held);
                throw new JobRejectedException(closed(job, each));
            }
            held++;
        }
    }

    /** The buffers that a phase updates in place, as messages call them behind "the". */
    public static String updated(Phase phase) {
        return phase.buffers().stream()
                .filter(Argument.Buffer::isUpdated)
                .map(each -> each.range().text())
                .distinct()
                .collect(Collectors.joining(" and the "));
    }

    private static String closed(JobSpec job, Range which) {
        for (Phase phase : job.phases()) {
            for (int i = 0; i < phase.arguments().size(); i++) {
                if (phase.arguments().get(i) instanceof Argument.Buffer b
                        && b.range().equals(which)) {
                    return phase.describe(i) + ": the buffer is closed";
                }
            }
            if (phase.hostStepWrites() != null && phase.hostStepWrites().contains(which)) {
                return "kernel " + phase.kernel() + ": the " + which.text() + " that its host step writes is closed";
            }
        }
        return "the " + which.text() + " is closed";
    }

    /**
     * Whether those of them that the host does not write unasked are among another job's, so that they lie where that
     * left them.
     */
    public boolean stayWith(Object other) {
        boolean all = other instanceof JobBuffers;
        for (Range each : uses) {
            all &= each.buffer().hasHostViews() || (other instanceof JobBuffers its && its.uses.contains(each));
        }
        return all;
    }

    /** Ends {@link #hold}. */
    public void letGo() {
        letGo(own.size());
    }

    /** Of the first few: a set that does not change has the same order each time. */
    private void letGo(int count) {
        Iterator<Range> all = own.iterator();
        for (int i = 0; i < count; i++) {
            all.next().buffer().letGo();
        }
    }

    /** As {@link ManagedData#requireOf} says. */
    public void requireOf(ManagedData.Turns turns, String job) {
        for (Range each : uses) {
            if (each.buffer() instanceof ManagedData managed) {
                managed.requireOf(turns, job);
            }
        }
    }

    static JobBuffers of(List<Phase> phases, @Nullable JobSpec alone) {
        List<Range> uses = new ArrayList<>(); // a few, among which looking is quicker than hashing
        List<Range> writes = new ArrayList<>();
        boolean all = false;
        boolean puts = false;
        for (Phase phase : phases) {
            all |= phase.hostStep() != null && phase.hostStepWrites() == null;
            for (Argument.Buffer b : phase.buffers()) {
                puts |= b.isPutTogether();
                add(b.range(), uses);
                if (b.written()) {
                    add(b.range(), writes);
                }
            }
            for (Range each : phase.hostStepWrites() == null ? List.<Range>of() : phase.hostStepWrites()) {
                add(each, uses);
                add(each, writes);
            }
        }
        if (all) {
            writes = new ArrayList<>(uses);
        }
        Set<Range> own = set(uses);
        if (alone != null) {
            for (Range each : alone.buffers().uses()) {
                add(each, uses);
            }
            for (Range each : alone.buffers().writes()) {
                add(each, writes);
            }
        }
        return new JobBuffers(own, alone == null ? own : set(uses), set(writes), all, puts, Map.of());
    }

    private static void add(Range one, List<Range> to) {
        if (!to.contains(one)) {
            to.add(one);
        }
    }

    private static Set<Range> set(List<Range> different) {
        return Set.of(different.toArray(new Range[0]));
    }

    /** Whether a later chunk may find this buffer's content useful that one brings: in another phase, or in another job. */
    public static boolean areSeenAgain(JobSpec job, LogicalBuffer host) {
        if (!host.hasHostViews()) {
            return true;
        }
        long phases = job.phases().stream()
                .filter(phase -> phase.any(b -> b.buffer() == host))
                .count();
        return phases > 1;
    }

    /** What a host step gets that asks for a buffer; null if the job was built without it. */
    public @Nullable Range standingFor(Range buffer) {
        return standing.isEmpty() ? buffer : standing.get(buffer);
    }

    /**
     * The same when some are replaced.
     *
     * @param steps whether there are host steps, which ask for those the job was built with
     * @return null if two of them would become one, or lie over each other
     */
    @Nullable
    JobBuffers replaced(Map<Range, Range> others, boolean steps) {
        for (Range one : uses) {
            for (Range other : uses) {
                if (!one.equals(other)
                        && !one.meets(other)
                        && others.getOrDefault(one, one).meets(others.getOrDefault(other, other))) {
                    return null;
                }
            }
        }
        Set<Range> used = replaced(uses, others);
        if (used.size() < uses.size()) {
            return null;
        }
        Map<Range, Range> now = Map.of();
        if (steps) {
            now = new HashMap<>(standing);
            if (standing.isEmpty()) {
                for (Range each : uses) {
                    now.put(each, each);
                }
            }
            now.replaceAll((built, present) -> others.getOrDefault(present, present));
        }
        Set<Range> itsOwn = own.size() == uses.size() ? used : replaced(own, others);
        return new JobBuffers(itsOwn, used, replaced(writes, others), mayBeAny, putsTogether, now);
    }

    private static Set<Range> replaced(Set<Range> all, Map<Range, Range> others) {
        List<Range> now = new ArrayList<>(all.size());
        for (Range each : all) {
            add(others.getOrDefault(each, each), now);
        }
        return set(now);
    }

    /** Whether a phase updates in place what then stays on a device with memory of its own. */
    public static boolean updatesOnDevices(JobSpec.Phase phase) {
        return phase.any(b -> b.isUpdated() && !b.buffer().isMirrored());
    }

    /** Whether a phase writes over what it does not read, of a buffer that may lie anywhere. */
    public static boolean overwrites(JobSpec.Phase phase) {
        return phase.any(b -> !b.read() && b.isWrittenInPlace() && !b.buffer().hasHostViews());
    }

    /**
     * Has the host hold what units of a phase read.
     *
     * @param traffic where it is counted
     * @return how many bytes were fetched
     */
    public static long bringToHost(JobSpec.Phase phase, long firstUnit, long units, Traffic traffic) {
        long fetched = 0;
        for (int i = 0; i < phase.buffers().size(); i++) { // as the next two, of every chunk: without an iterator
            Argument.Buffer b = phase.buffers().get(i);
            b.countIn(traffic, firstUnit, units);
            for (int p = 0; p < b.pieces() && b.read(); p++) {
                long from = b.seenFrom(p, firstUnit, units);
                fetched += b.buffer().directory().bringToHost(from, b.seenTo(p, firstUnit, units), traffic);
            }
        }
        return fetched;
    }

    /** The host's memory is about to have what units of a phase write: nothing older gets there from now on. */
    public static void hostWrites(JobSpec.Phase phase, long firstUnit, long units) {
        for (int i = 0; i < phase.buffers().size(); i++) {
            Argument.Buffer b = phase.buffers().get(i);
            if (b.isWrittenInPlace()) {
                b.eachWritten(firstUnit, units, b.buffer().directory()::hostWrites);
            }
        }
    }

    /**
     * What of that which units of a phase read would have to be brought to a device with memory of its own, or to the
     * host.
     *
     * @param device its id; null for the host
     */
    public static Move move(Phase phase, @Nullable String device, long firstUnit, long units) {
        double bytes = 0;
        double once = 0;
        double perJob = 0;
        for (Argument.Buffer b : phase.buffers()) {
            if (b.read()) {
                double stay = bytes;
                for (int p = 0; p < b.pieces(); p++) {
                    long to = b.seenTo(p, firstUnit, units);
                    bytes += b.buffer().directory().missing(device, b.seenFrom(p, firstUnit, units), to);
                }
                stay = b.buffer().hasHostViews() ? 0 : bytes - stay;
                once += stay;
                perJob += stay / Math.max(1, b.buffer().jobs());
            }
        }
        return new Move(bytes, once, perJob);
    }

    /** What units of a phase wrote is on the host, and nowhere else. */
    public static void wroteOnHost(JobSpec.Phase phase, long firstUnit, long units) {
        for (int i = 0; i < phase.buffers().size(); i++) {
            Argument.Buffer b = phase.buffers().get(i);
            if (b.isWrittenInPlace()) {
                b.eachWritten(firstUnit, units, b.buffer().directory()::hostWrote);
            }
        }
    }
}
