package dev.evener.workloads.view;

import dev.evener.RunEvent;
import dev.evener.RunListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keeps what a running Evener tells, up to a number of events: then the oldest go, so that the end of a long run is what is
 * left. Thread-safe; {@link #heard} takes a lock for as long as it takes to add to a queue.
 */
public final class EventLog implements RunListener {
    /** Events that are kept unless somebody says otherwise, about 300 MB. */
    public static final int MOST = 2_000_000;

    private final int most;
    private final Deque<RunEvent> events = new ArrayDeque<>();
    private long forgotten;

    /** Keeps the last two million events. */
    public EventLog() {
        this(MOST);
    }

    /** @param most events to keep, at least 1 */
    public EventLog(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("a log of " + most + " events keeps nothing");
        }
        this.most = most;
    }

    @Override
    public synchronized void heard(RunEvent event) {
        if (events.size() == most) {
            events.removeFirst();
            forgotten++;
        }
        events.addLast(event);
    }

    /** What was heard, in the order in which it was; the log goes on. */
    public synchronized List<RunEvent> events() {
        return new ArrayList<>(events);
    }

    /** Whether nothing was heard. */
    public synchronized boolean isEmpty() {
        return events.isEmpty();
    }

    /** How many events had to go. */
    public synchronized long forgotten() {
        return forgotten;
    }
}
