package dev.evener.internal;

import dev.evener.internal.JobSpec.Argument;
import dev.evener.internal.JobSpec.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a job, its host steps and its form for one device; found when it is built, not each time it is submitted.
 *
 * @param uses all of them
 * @param writes those that may be written; host steps that do not say what they write may write all of their job's
 * @param standing what a host step gets for each of the buffers the job was built with; empty if it gets these themselves
 */
public record JobBuffers(
        Set<LogicalBuffer> uses, Set<LogicalBuffer> writes, Map<LogicalBuffer, LogicalBuffer> standing) {

    static JobBuffers of(List<Phase> phases, @Nullable JobSpec alone) {
        List<LogicalBuffer> uses = new ArrayList<>(); // a few, among which looking is quicker than hashing
        List<LogicalBuffer> writes = new ArrayList<>();
        boolean all = false;
        for (Phase phase : phases) {
            all |= phase.combine() != null && phase.combineWrites() == null;
            for (Argument argument : phase.arguments()) {
                if (argument instanceof Argument.Buffer b) {
                    add(b.buffer(), uses);
                    if (b.written()) {
                        add(b.buffer(), writes);
                    }
                }
            }
            for (LogicalBuffer each :
                    phase.combineWrites() == null ? List.<LogicalBuffer>of() : phase.combineWrites()) {
                add(each, uses);
                add(each, writes);
            }
        }
        if (all) {
            writes = new ArrayList<>(uses);
        }
        if (alone != null) {
            for (LogicalBuffer each : alone.buffers().uses()) {
                add(each, uses);
            }
            for (LogicalBuffer each : alone.buffers().writes()) {
                add(each, writes);
            }
        }
        return new JobBuffers(set(uses), set(writes), Map.of());
    }

    private static void add(LogicalBuffer one, List<LogicalBuffer> to) {
        if (!to.contains(one)) {
            to.add(one);
        }
    }

    private static Set<LogicalBuffer> set(List<LogicalBuffer> different) {
        return Set.of(different.toArray(new LogicalBuffer[0]));
    }

    /** What a host step gets that asks for a buffer; null if the job was built without it. */
    public @Nullable LogicalBuffer standingFor(LogicalBuffer buffer) {
        return standing.isEmpty() ? buffer : standing.get(buffer);
    }

    /**
     * The same when some are replaced.
     *
     * @param steps whether there are host steps, which ask for those the job was built with
     * @return null if two of them would become one
     */
    @Nullable
    JobBuffers replaced(Map<LogicalBuffer, LogicalBuffer> others, boolean steps) {
        Set<LogicalBuffer> used = replaced(uses, others);
        if (used.size() < uses.size()) {
            return null;
        }
        Map<LogicalBuffer, LogicalBuffer> now = Map.of();
        if (steps) {
            now = new HashMap<>(standing);
            if (standing.isEmpty()) {
                for (LogicalBuffer each : uses) {
                    now.put(each, each);
                }
            }
            now.replaceAll((built, present) -> others.getOrDefault(present, present));
        }
        return new JobBuffers(used, replaced(writes, others), now);
    }

    private static Set<LogicalBuffer> replaced(Set<LogicalBuffer> all, Map<LogicalBuffer, LogicalBuffer> others) {
        List<LogicalBuffer> now = new ArrayList<>(all.size());
        for (LogicalBuffer each : all) {
            add(others.getOrDefault(each, each), now);
        }
        return set(now);
    }
}
