package dev.evener.internal.order;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Jobs that are ready for lanes, and wait for them. Those that want the same lanes start in their order, so that of thousands of jobs
 * only the first of each such group is looked at. For one thread at a time.
 *
 * @param <J> a job
 * @param <L> a lane
 */
public final class ReadyJobs<J, L> {
    private final Map<List<L>, TreeSet<J>> alike = new HashMap<>(); // jobs by the lanes that they want
    private final Comparator<J> urgency;
    private final Function<J, List<L>> wanted;
    private int size;

    /**
     * @param urgency the most urgent first; no two jobs are equal
     * @param wanted the lanes of a job, at least one, always the same
     */
    public ReadyJobs(Comparator<J> urgency, Function<J, List<L>> wanted) {
        this.urgency = urgency;
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
            if (its.isEmpty()) {
                alike.remove(wanted.apply(job));
            }
        }
    }

    /** Whether a job that is none of them comes before all of them. */
    public boolean isBehind(J job) {
        return alike.values().stream().allMatch(its -> urgency.compare(job, its.first()) < 0);
    }

    /**
     * Starts those that may start, the most urgent first: one that stays keeps its place on its lanes before later ones.
     *
     * @param lanes how many there are in all
     * @param mayStart whether a job may, now
     * @param start called when it is not among them any more
     */
    public void start(int lanes, Predicate<J> mayStart, Consumer<J> start) {
        if (size == 0) { // mostly
            return;
        }
        PriorityQueue<J> next = new PriorityQueue<>(urgency);
        alike.values().forEach(its -> next.add(its.first()));
        Set<L> spokenFor = new HashSet<>();
        for (J job = next.poll(); job != null && spokenFor.size() < lanes; job = next.poll()) {
            if (Collections.disjoint(wanted.apply(job), spokenFor) && mayStart.test(job)) {
                remove(job);
                TreeSet<J> behind = alike.get(wanted.apply(job));
                if (behind != null) {
                    next.add(behind.first());
                }
                start.accept(job);
            } else {
                spokenFor.addAll(wanted.apply(job));
            }
        }
    }
}
