package dev.evener.simulation;

import dev.evener.event.RunEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which devices move data over one bus, one at a time: where chunks of one that could have begun while another moved
 * its data began after that. How long they waited tells nothing of what they take.
 */
final class BusFit {
    private static final int FEWEST = 3; // chunks that waited
    /** Of those that waited, so many may not have. */
    private static final double OTHERS = 0.1;
    /**
     * Part of a transfer that is under way for sure, whatever clocks, bandwidths each way and those who slow it may
     * be off.
     */
    private static final double SURE = 0.5;

    private final List<Busy> moving = new ArrayList<>(); // when each device moves data, and nothing else
    private final int[] first; // of those on the same bus, the first device

    BusFit(int devices, List<RunEvent.Chunk> chunks) {
        List<List<RunEvent.Chunk>> own = new ArrayList<>();
        first = IntStream.range(0, devices).toArray();
        for (int device = 0; device < devices; device++) {
            int of = device;
            own.add(chunks.stream()
                    .filter(c -> c.device() == of && c.transferNanos() > 0)
                    .sorted(Comparator.comparingLong(RunEvent.Chunk::start))
                    .toList());
            Busy busy = new Busy();
            own.get(device).forEach(c -> {
                busy.add(c.start(), c.start() + in(c));
                busy.add(Math.max(c.start() + in(c), c.end() - c.transferNanos() + in(c)), c.end());
            });
            moving.add(busy);
        }
        for (int a = 0; a < devices; a++) {
            for (int b = 0; b < devices; b++) {
                if (a != b && first[a] != first[b] && waits(own.get(a), moving.get(b))) {
                    int joined = first[b];
                    int to = first[a];
                    Arrays.setAll(first, i -> first[i] == joined ? to : first[i]);
                }
            }
        }
    }

    private static long in(RunEvent.Chunk c) {
        return Math.round(c.transferNanos() * (double) c.bytesIn() / Math.max(1, c.bytesIn() + c.bytesOut()));
    }

    /** Whether chunks, as they follow one another on a device, wait for what another moves. */
    private static boolean waits(List<RunEvent.Chunk> chunks, Busy other) {
        long launch = Long.MAX_VALUE;
        int waited = 0;
        int others = 0;
        long[] ready = new long[chunks.size()];
        for (int i = 0; i < ready.length; i++) {
            RunEvent.Chunk c = chunks.get(i);
            ready[i] = Math.max(
                    c.submitted(),
                    i == 0 ? c.begun() : Math.min(c.start(), chunks.get(i - 1).end()));
            launch = Math.min(launch, c.start() - ready[i]);
        }
        for (int i = 0; i < ready.length; i++) {
            RunEvent.Chunk c = chunks.get(i);
            int span = other.before(ready[i]);
            long sure = span < 0 ? 0 : Math.round(other.start(span) + SURE * (other.end(span) - other.start(span)));
            if (c.bytesIn() > 0 && span >= 0 && ready[i] + launch < sure) {
                waited += c.start() >= sure ? 1 : 0;
                others += c.start() < sure ? 1 : 0;
            }
        }
        return waited >= FEWEST && others <= OTHERS * waited;
    }

    /** The name of a device's bus; empty if it shares none. */
    String name(int device) {
        long on = Arrays.stream(first).filter(each -> each == first[device]).count();
        return on > 1 ? "bus " + first[device] : "";
    }

    /** Whether it could not begin at once when it was ready. */
    boolean waitedToBegin(RunEvent.Chunk c, long ready) {
        return othersMove(c.device(), ready, c.start());
    }

    /** Whether others may have kept it from moving what it had done. */
    boolean waitedToEnd(RunEvent.Chunk c) {
        return c.transferNanos() > 0 && othersMove(c.device(), c.start() + in(c), c.end() - c.transferNanos() + in(c));
    }

    private boolean othersMove(int device, long from, long to) {
        return IntStream.range(0, first.length)
                .anyMatch(i -> i != device
                        && first[i] == first[device]
                        && moving.get(i).within(from, to));
    }
}
