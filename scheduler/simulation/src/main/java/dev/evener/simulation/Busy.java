package dev.evener.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** When somebody was at work: spans of time that follow one another. For one thread. */
final class Busy {
    private final List<Long> starts = new ArrayList<>();
    private final List<Long> ends = new ArrayList<>();

    /** Spans are added in order. */
    void add(long start, long end) {
        starts.add(start);
        ends.add(Math.max(start, end));
    }

    int size() {
        return starts.size();
    }

    long start(int span) {
        return starts.get(span);
    }

    long end(int span) {
        return ends.get(span);
    }

    /** The last span that has begun before a time; -1 if none has. */
    int before(long time) {
        int at = Collections.binarySearch(starts, time);
        return (at >= 0 ? at : -at - 1) - 1;
    }

    /** Whether somebody was at work within a time. */
    boolean within(long from, long to) {
        int last = before(to);
        return last >= 0 && ends.get(last) > from;
    }

    /** Adds when, within a time, a device begins to work and ends: the time, the device and 1 or -1. */
    void turns(int device, long from, long to, List<long[]> turns) {
        for (int i = before(to); i >= 0 && ends.get(i) > from; i--) {
            turns.add(new long[] {Math.max(from, starts.get(i)), device, 1});
            turns.add(new long[] {Math.min(to, ends.get(i)), device, -1});
        }
    }
}
