package dev.evener.workloads.replay;

import dev.evener.event.RunEvent;
import dev.evener.record.Recording;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run of a record: what became of its jobs. Immutable once made. */
final class RecordedRun {
    private final Map<Long, RunEvent.Ended> ends = new HashMap<>();
    private final Map<Long, List<Long>> units = new HashMap<>();
    private long lastEnd = Long.MIN_VALUE;

    RecordedRun(Recording.Run run) {
        Map<Long, Long[]> done = new HashMap<>();
        for (RunEvent event : run.events()) {
            if (event instanceof RunEvent.Chunk c && c.phase() == 0) { // every phase has all units
                done.computeIfAbsent(c.job(), job -> none(run))[c.device()] += c.units();
            } else if (event instanceof RunEvent.Ended e) {
                ends.put(e.job(), e);
                units.put(e.job(), Arrays.asList(done.getOrDefault(e.job(), none(run))));
                done.remove(e.job());
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
        RunEvent.Ended end = ends.get(request.job()); // there is no job 0
        return end == null
                ? null
                : new Replayed.Outcome(
                        end.wallNanos(),
                        Math.max(0, end.at() - request.at()),
                        units.getOrDefault(request.job(), List.of()),
                        end.failure());
    }

    /** Requests in order, and those in one list of which each arrived before all before it had ended. */
    List<List<Recording.Request>> together(List<Recording.Request> requests) {
        List<List<Recording.Request>> lists = new ArrayList<>();
        long ended = Long.MIN_VALUE;
        for (Recording.Request request : requests) {
            if (lists.isEmpty() || request.at() >= ended) {
                lists.add(new ArrayList<>());
            }
            lists.get(lists.size() - 1).add(request);
            ended = Math.max(ended, end(request));
        }
        return lists;
    }

    private long end(Recording.Request request) {
        if (request.job() == 0) {
            return request.at(); // it never began
        }
        RunEvent.Ended end = ends.get(request.job());
        return end == null ? Long.MAX_VALUE : end.at(); // had it ended before others arrived, the record would say so
    }

    /** From the first arrival to the last end; 0 where nothing ended. */
    static long makespan(List<Recording.Run> runs) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Recording.Run run : runs) {
            for (Recording.Request request : run.requests()) {
                first = Math.min(first, request.at());
            }
            last = Math.max(last, new RecordedRun(run).lastEnd);
        }
        return first > last ? 0 : last - first;
    }
}
