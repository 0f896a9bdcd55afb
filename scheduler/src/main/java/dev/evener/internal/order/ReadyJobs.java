package dev.evener.internal.order;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that are ready for lanes, and wait for them. Of those that want the same lanes, none is asked behind one
 * that waits for all of them, so that of thousands of jobs few are looked at. For one thread at a time.
 *
 * @param <J> a job
 * @param <L> a lane
 */
public final class ReadyJobs<J, L> {
    private final Map<List<L>, TreeSet<J>> alike = new HashMap<>(); // jobs by the lanes that they want
    private final Comparator<J> urgency;
    private final Function<J, List<L>> wanted;
    private final PriorityQueue<J> next; // for a moment, as are the next
    private final Set<L> spokenFor = new HashSet<>();
    private int size;

    /**
     * @param urgency the most urgent first; no two jobs are equal
     * @param wanted the lanes of a job, at least one, always the same
     */
    public ReadyJobs(Comparator<J> urgency, Function<J, List<L>> wanted) {
        this.urgency = urgency;
        this.next = new PriorityQueue<>(urgency);
        this.wanted = wanted;
    }

    /** How many they are. */
    public int size() {
        return size;
    }

    /** One more, which is none of them. */
    public void add(J job) {
        alike.computeIfAbsent(wanted.apply(job), lanes -> new TreeSet<>(urgency))
                .add(job);
        size++;
    }

    /** One less, if it is among them. */
    public void remove(J job) {
        TreeSet<J> its = alike.get(wanted.apply(job));
        if (its != null && its.remove(job)) {
            size--;
        }
    }

    /** Whether a job that is none of them comes before all of them. */
    public boolean isBehind(J job) {
        return alike.values().stream().allMatch(its -> its.isEmpty() || urgency.compare(job, its.first()) < 0);
    }

    /**
     * Starts those that may start, the most urgent first: one that stays keeps its place on the lanes that it waits for.
     *
     * @param lanes how many there are in all; when all are spoken for, nobody else is asked
     * @param most of how many that stay
     * @param waitsFor is asked of one after another, and with the lanes that more urgent ones wait for: for the lanes that it keeps for
     *     itself, as it may not start now; null if it may
     * @param start called when it is not among them any more
     */
    public void start(int lanes, int most, BiFunction<J, Set<L>, @Nullable Collection<L>> waitsFor, Consumer<J> start) {
        if (size == 0) { // mostly
            return;
        }
        next.clear();
        spokenFor.clear();
        for (TreeSet<J> its : alike.values()) {
            if (!its.isEmpty()) {
                next.add(its.first());
            }
        }
        int stayed = 0;
        for (J job = next.poll(); job != null && spokenFor.size() < lanes && stayed < most; job = next.poll()) {
            List<L> wanted = this.wanted.apply(job);
            Collection<L> kept = waitsFor.apply(job, spokenFor);
            boolean blocks = kept != null && kept.size() == wanted.size(); // those behind it want no other lanes
            J behind = blocks ? null : alike.get(wanted).higher(job);
            if (behind != null) {
                next.add(behind);
            }
            if (kept == null) {
                remove(job);
                start.accept(job);
            } else {
                spokenFor.addAll(kept);
                stayed++;
            }
        }
    }
}
