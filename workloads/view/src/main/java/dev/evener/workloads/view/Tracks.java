package dev.evener.workloads.view;

import dev.evener.event.RunEvent.Chunk;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of one device on tracks of which none holds two at a time, as trace viewers want it: a second track is needed only
 * where chunks overlapped. Not thread-safe.
 */
final class Tracks {
    /** Beyond that, chunks are put on the last track, whatever is there. */
    private static final int MOST_TRACKS = 50;

    private final List<Placed> placed = new ArrayList<>();
    private final List<Long> ends = new ArrayList<>();
    private final NavigableMap<Long, Placed> byStart = new TreeMap<>();

    /** A chunk with the span that is shown, and its track, from 0. */
    record Placed(Chunk chunk, long from, long to, int track) {}

    /** Those of each device, laid out, with the span that is shown of a chunk. */
    static List<Tracks> of(int devices, List<JobEvents> jobs, ToLongFunction<Chunk> from, ToLongFunction<Chunk> to) {
        List<Tracks> all = Stream.generate(Tracks::new).limit(devices).toList();
        jobs.forEach(job -> job.chunks.forEach(
                chunk -> all.get(chunk.device()).add(chunk, from.applyAsLong(chunk), to.applyAsLong(chunk))));
        all.forEach(Tracks::layOut);
        return all;
    }

    /** What ends before it begins is shown without length. */
    void add(Chunk chunk, long from, long to) {
        placed.add(new Placed(chunk, from, Math.max(from, to), 0));
    }

    /** To be called once, when all are added. */
    void layOut() {
        placed.sort(Comparator.comparingLong(Placed::from).thenComparingLong(Placed::to));
        for (int i = 0; i < placed.size(); i++) {
            Placed one = placed.get(i);
            int track = free(one.from());
            ends.set(track, Math.max(ends.get(track), one.to()));
            placed.set(i, new Placed(one.chunk(), one.from(), one.to(), track));
            byStart.put(one.from(), placed.get(i));
        }
    }

    private int free(long from) {
        for (int track = 0; track < ends.size(); track++) {
            if (ends.get(track) <= from) {
                return track;
            }
        }
        if (ends.size() < MOST_TRACKS) {
            ends.add(Long.MIN_VALUE);
        }
        return ends.size() - 1;
    }

    /** In order of time. */
    List<Placed> placed() {
        return placed;
    }

    int tracks() {
        return ends.size();
    }

    /** The last chunk that had begun at that time; null if none had. */
    @Nullable
    Placed lastBegunBy(long at) {
        Map.Entry<Long, Placed> last = byStart.floorEntry(at);
        return last == null ? null : last.getValue();
    }

    /** The first chunk of a phase that the lane took not before that time; null if there is none. */
    @Nullable
    Placed firstTakenFrom(long job, int phase, long at) {
        for (Placed one : byStart.tailMap(at, true).values()) {
            Chunk chunk = one.chunk();
            if (chunk.job() == job && chunk.phase() == phase) {
                return one;
            }
            if (chunk.job() > job) {
                return null;
            }
        }
        return null;
    }
}
