package dev.evener.workloads.view;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Events as a run would tell them, with known figures. */
final class MadeUpRun {
    static final long BEGIN = 5_000_000_000_000L;
    static final String HOSTILE = "</script><img src=x onerror=alert(1)>&\"'\u0000\uD800 GPU";

    private final Random random = new Random(7);
    private final List<RunEvent> events = new ArrayList<>();
    private long now = BEGIN;
    private long jobs;

    static DeviceInfo device(String id, String platform, String name) {
        return new DeviceInfo(
                id, platform, name, DeviceKind.CPU, "1.0", 4, 8L << 30, 2L << 30, 128, 64, 8, 2400, true, name);
    }

    static List<DeviceInfo> devices() {
        return List.of(
                device("0.0", "Portable Computing Language", "pthread-Intel(R) Xeon(R) Processor @ 2.60GHz"),
                device("0.1", "Portable Computing Language", "basic"),
                device("1.0", "rusticl", HOSTILE));
    }

    RunEvents done(String title) {
        return new RunEvents(title, devices(), events, 0);
    }

    List<RunEvent> events() {
        return events;
    }

    long lastJob() {
        return jobs;
    }

    long now() {
        return now;
    }

    /**
     * A job on three devices, in so many chunks each, one after another. The second device's last chunk was planned for the
     * first; in every third job the third device fails.
     */
    MadeUpRun job(String name, String policy, int chunksEach, long chunkNanos) {
        long job = ++jobs;
        long units = 3L * chunksEach * 64;
        events.add(new RunEvent.Submitted(
                now, job, name, policy, units, 16, List.of("first", "second"), List.of(0, 1, 2)));
        events.add(new RunEvent.Waited(now + 5_000, job, "an <earlier> one"));
        now += 20_000;
        long begin = now;
        long third = units / 3;
        events.add(new RunEvent.Planned(
                now,
                job,
                List.of(third, third, units - 2 * third),
                "stealing",
                3 * chunkNanos * chunksEach / 2,
                "why not"));
        long last = now;
        long unit = 0;
        for (int device = 0; device < 3; device++) {
            long at = begin + 5_000L * (device + 1);
            for (int i = 0; i < chunksEach; i++) {
                long took = chunkNanos + random.nextInt((int) (chunkNanos / 2));
                int owner = device == 1 && i == chunksEach - 1 ? 0 : device;
                long queued = at;
                if (owner != device) {
                    events.add(new RunEvent.Stolen(at, job, 0, device, owner, 64));
                    queued = at + 200;
                }
                long start = queued + 1_500;
                events.add(new Chunk(
                        start + took + 300,
                        job,
                        0,
                        device,
                        unit,
                        64,
                        owner,
                        queued,
                        queued + 100,
                        queued + 900,
                        start,
                        start + took,
                        200,
                        took - 100,
                        100,
                        4096,
                        1024));
                unit += 64;
                at = start + took + 500;
                last = Math.max(last, start + took);
            }
        }
        if (job % 3 == 0) {
            events.add(new RunEvent.Fault(begin + (last - begin) / 2, job, 2, "it failed: <b>out of luck</b>"));
        }
        now = last + 30_000;
        events.add(new RunEvent.PhaseEnded(now, job, 0, 25_000, 0));
        now += 10_000;
        events.add(new RunEvent.Moved(now, job, 1, Report.Cause.HALO, 4096, 1024));
        events.add(new RunEvent.Ended(now, job, 0, now - begin, null));
        now += 100_000;
        return this;
    }

    /** A job of 64 units, whole on one device, at work from one moment after the beginning to another. */
    MadeUpRun whole(int device, long from, long to, long bytesIn) {
        long job = ++jobs;
        long start = BEGIN + from;
        long end = BEGIN + to;
        events.add(new RunEvent.Submitted(BEGIN, job, "frame", "adaptive", 64, 1, List.of("k"), List.of(0, 1, 2)));
        events.add(new RunEvent.Planned(start, job, List.of(), "adaptive", 0, "why not"));
        events.add(new Chunk(
                end, job, 0, device, 0, 64, device, start, start, start, start, end, 0, to - from, 0, bytesIn, 0));
        events.add(new RunEvent.Ended(end, job, 0, to - from, null));
        return this;
    }

    /** A job that failed before any device had it. */
    MadeUpRun failing(String name) {
        long job = ++jobs;
        events.add(new RunEvent.Submitted(now, job, name, "adaptive", 64, 1, List.of("k"), List.of(0)));
        now += 1_000;
        events.add(new RunEvent.Ended(now, job, 0, 0, "no <device> can take it"));
        return this;
    }
}
