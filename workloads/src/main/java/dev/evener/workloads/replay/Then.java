package dev.evener.workloads.replay;

import dev.evener.record.Recording;
import dev.evener.record.RunEvent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of the jobs of a recorded run. Immutable once made. */
final class Then {
    private final Map<Long, Replayed.Outcome> outcomes = new HashMap<>();
    private long lastEnd = Long.MIN_VALUE;

    Then(Recording.Run run) {
        Map<Long, Long[]> units = new HashMap<>();
        for (RunEvent event : run.events()) {
            if (event instanceof RunEvent.Chunk c && c.phase() == 0) { // every phase has all units
                units.computeIfAbsent(c.job(), job -> none(run))[c.device()] += c.units();
            } else if (event instanceof RunEvent.Ended e) {
                outcomes.put(
                        e.job(),
                        new Replayed.Outcome(
                                e.wallNanos(), Arrays.asList(units.getOrDefault(e.job(), none(run))), e.failure()));
                units.remove(e.job());
                lastEnd = Math.max(lastEnd, e.at());
            }
        }
    }

    private static Long[] none(Recording.Run run) {
        Long[] none = new Long[run.devices().size()];
        Arrays.fill(none, 0L);
        return none;
    }

    Replayed.@Nullable Outcome of(Recording.Request request) {
        return request.job() == 0 ? null : outcomes.get(request.job());
    }

    /** From the first arrival to the last end; 0 where nothing ended. */
    static long makespan(List<Recording.Run> runs) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Recording.Run run : runs) {
            for (Recording.Request request : run.requests()) {
                first = Math.min(first, request.at());
            }
            last = Math.max(last, new Then(run).lastEnd);
        }
        return first > last ? 0 : last - first;
    }
}
