package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keeps what Eveners tell, one after another, up to a number of events: then the oldest go, so that the end of a long run is
 * what is left. Thread-safe; {@link #heard} takes a lock for as long as it takes to add to a queue.
 */
public final class EventLog implements RunListener {
    /** Events that are kept unless somebody says otherwise, about 300 MB. */
    public static final int MOST = 2_000_000;

    private final int most;
    private final List<Part> parts = new ArrayList<>(List.of(new Part("", List.of())));
    private int oldest; // of the parts that may have events
    private int kept;

    /** What belongs together. */
    private static final class Part {
        private String title;
        private final List<DeviceInfo> devices;
        private final Deque<RunEvent> events = new ArrayDeque<>();
        private long forgotten;

        Part(String title, List<DeviceInfo> devices) {
            this.title = title;
            this.devices = devices;
        }
    }

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

    /** What is heard from now on belongs together under this title. */
    public synchronized void begin(String title, List<DeviceInfo> devices) {
        parts.add(new Part(title, devices));
    }

    /** What was heard since the last beginning or end belongs together under this title. */
    public synchronized void end(String title) {
        Part last = parts.get(parts.size() - 1);
        last.title = title;
        begin("", last.devices);
    }

    /** What is heard from now on has no title, and is not shown, until it {@link #end ends}. */
    @Override
    public void opened(List<DeviceInfo> devices) {
        begin("", devices);
    }

    /** Listens to an Evener, whose events belong together under this title; without one as if it listened itself. */
    public RunListener under(String title) {
        return new RunListener() {
            @Override
            public void opened(List<DeviceInfo> devices) {
                begin(title, devices);
            }

            @Override
            public void heard(RunEvent event) {
                EventLog.this.heard(event);
            }
        };
    }

    @Override
    public synchronized void heard(RunEvent event) {
        parts.get(parts.size() - 1).events.addLast(event);
        if (++kept > most) {
            while (parts.get(oldest).events.isEmpty()) {
                oldest++;
            }
            parts.get(oldest).events.removeFirst();
            parts.get(oldest).forgotten++;
            kept--;
        }
    }

    /** What was heard and has a title, in the order in which it was; the log goes on. */
    public synchronized List<RunEvents> runs() {
        return parts.stream()
                .filter(part -> !part.title.isEmpty() && part.events.size() + part.forgotten > 0)
                .map(part -> new RunEvents(part.title, part.devices, List.copyOf(part.events), part.forgotten))
                .toList();
    }
}
