package dev.evener.internal;

import dev.evener.internal.JobSpec.Argument;
import dev.evener.internal.JobSpec.Phase;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Which buffers a job may touch and write, found once for all times that it is submitted. Any thread. */
public final class JobBuffers {
    private final List<Phase> phases;
    private final @Nullable JobSpec alone;
    private final Map<LogicalBuffer, LogicalBuffer>
            standing; // for those it was built with; empty if they do themselves

    // Found when somebody asks; by two at once perhaps, which does no harm.
    private volatile @Nullable Set<LogicalBuffer> uses;
    private volatile @Nullable Set<LogicalBuffer> writes;

    JobBuffers(List<Phase> phases, @Nullable JobSpec alone, Map<LogicalBuffer, LogicalBuffer> standing) {
        this.phases = phases;
        this.alone = alone;
        this.standing = standing;
    }

    /** Those that the job, its host steps or its form for one device may use. */
    public Set<LogicalBuffer> uses() {
        Set<LogicalBuffer> found = uses;
        if (found == null) {
            found = find(phases, alone, buffer -> true);
            uses = found;
        }
        return found;
    }

    /** Those of them that may be written. Host steps that do not say what they write may write all of their job's. */
    public Set<LogicalBuffer> writes() {
        Set<LogicalBuffer> found = writes;
        if (found == null) {
            found = find(phases, alone, Argument.Buffer::written);
            writes = found;
        }
        return found;
    }

    private static Set<LogicalBuffer> find(
            List<Phase> phases, @Nullable JobSpec alone, Predicate<Argument.Buffer> which) {
        Set<LogicalBuffer> found = new HashSet<>();
        boolean all = phases.stream().anyMatch(phase -> phase.combine() != null && phase.combineWrites() == null);
        for (Phase phase : phases) {
            for (Argument argument : phase.arguments()) {
                if (argument instanceof Argument.Buffer b && (all || which.test(b))) {
                    found.add(b.buffer());
                }
            }
            List<LogicalBuffer> writes = phase.combineWrites();
            if (writes != null) {
                found.addAll(writes);
            }
        }
        if (alone != null) {
            found.addAll(find(alone.phases(), alone.alone(), which));
        }
        return Set.copyOf(found);
    }

    /** What a host step gets that asks for a buffer: what took its place, if the job was built with it; null if it was not. */
    public @Nullable LogicalBuffer standingFor(LogicalBuffer buffer) {
        return standing.isEmpty() ? buffer : standing.get(buffer);
    }

    /** What stands for those that the job was built with when some of its present ones are replaced. */
    Map<LogicalBuffer, LogicalBuffer> standing(Map<LogicalBuffer, LogicalBuffer> others) {
        Map<LogicalBuffer, LogicalBuffer> next = new HashMap<>(standing);
        if (next.isEmpty()) {
            uses().forEach(each -> next.put(each, each));
        }
        next.replaceAll((built, now) -> others.getOrDefault(now, now));
        return next;
    }
}
