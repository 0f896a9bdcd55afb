package dev.evener.simulation;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import java.util.ArrayList;
import java.util.List;

/** Events of jobs that were never run: one after another on the second of two devices, which has memory of its own. */
final class HandMadeJobs {
    static final int DEVICE = 1;
    private static final long PAUSE = 1000;

    final List<RunEvent> events = new ArrayList<>();
    private long now;
    private long job;

    /**
     * What the host takes for a job.
     *
     * @param notice until more can come
     * @param seen until the end has been seen, as a part of it; -1 if the events do not say
     */
    record Host(long plan, long wake, long submit, long notice, long seen) {}

    /** What the device takes for a chunk. */
    record Work(long kernel, long transfer, long span, long in, long out) {}

    static List<DeviceInfo> devices() {
        return List.of(
                Beds.device("0.0", KernelModel.of(0, 1)).device(),
                Beds.device("0.1", KernelModel.of(0, 1)).device());
    }

    /** A job that runs its kernels in one chunk each, on a part of the index space. */
    HandMadeJobs add(List<String> kernels, long units, Host host, Work... works) {
        job++;
        long began = now;
        events.add(new RunEvent.Submitted(now, job, "job", "single", units, 1, kernels, List.of(0, 1)));
        now += host.plan();
        events.add(new RunEvent.Planned(now, job, List.of(0L, units), "fixed", 0, null));
        now += host.wake();
        for (int phase = 0; phase < works.length; phase++) {
            Work work = works[phase];
            long queued = now;
            long start = queued + host.submit();
            long end = start + work.span();
            now = end + host.notice();
            events.add(new RunEvent.PhaseEnded(now, job, phase, 0, 0));
            events.add(new RunEvent.Chunk(
                    now,
                    job,
                    phase,
                    DEVICE,
                    0,
                    units,
                    DEVICE,
                    queued,
                    queued,
                    start,
                    start,
                    end,
                    host.seen(),
                    work.kernel(),
                    work.transfer(),
                    work.in(),
                    work.out()));
        }
        events.add(new RunEvent.Ended(now, job, 0, now - began, null));
        now += PAUSE;
        return this;
    }

    DeviceModel fitted() {
        return Models.fit(devices(), events).devices().get(DEVICE);
    }
}
