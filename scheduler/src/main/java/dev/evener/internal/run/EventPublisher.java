package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.JobFuture;
import dev.evener.Report.Cause;
import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunEvent.BufferUse.How;
import dev.evener.event.RunEvent.BufferUse.Kept;
import dev.evener.event.RunListener;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.data.Traffic;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobSpec;
import dev.evener.policy.Decision;
import dev.evener.policy.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of one runtime what happens to its jobs. Where nobody listens there is none, and a run asks for one null
 * a chunk. A listener that throws is logged once and told on. Any thread; nothing here waits, and lanes take no lock.
 */
final class EventPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);
    private static final int MOST_USES = 1000;

    private final List<Ear> ears = new ArrayList<>();
    private final List<LaneWorker> workers;
    private final List<String> ids;
    private final AtomicLong jobs = new AtomicLong();

    // Of buffers that jobs used and somebody still knows. Guarded by itself, for an instruction or two of who submits.
    private final Map<LogicalBuffer, Long> numbers = new WeakHashMap<>();
    private long numbered;

    /** A listener, and whether it was complained about. */
    private record Ear(RunListener listener, AtomicBoolean failed) {
        boolean wantsJobs() {
            boolean[] wants = new boolean[1];
            tell(to -> wants[0] = to.wantsJobs());
            return wants[0];
        }

        void tell(Consumer<RunListener> what) {
            try {
                what.accept(listener);
            } catch (Throwable e) { // an Error too: it must not end a lane
                if (failed.compareAndSet(false, true)) {
                    LOG.warn("a listener failed; what it throws from now on is ignored", e);
                }
            }
        }
    }

    private EventPublisher(List<RunListener> listeners, List<LaneWorker> workers) {
        listeners.forEach(listener -> ears.add(new Ear(listener, new AtomicBoolean())));
        this.workers = workers;
        this.ids = workers.stream().map(each -> each.device().id()).toList();
    }

    /**
     * Tells the listeners of the devices, and of all jobs to come.
     *
     * @return null if there is no listener
     */
    static @Nullable EventPublisher of(List<RunListener> listeners, List<LaneWorker> workers) {
        if (listeners.isEmpty()) {
            return null;
        }
        EventPublisher publisher = new EventPublisher(listeners, workers);
        List<DeviceInfo> devices = workers.stream().map(LaneWorker::device).toList();
        publisher.ears.forEach(ear -> ear.tell(listener -> listener.opened(devices)));
        return publisher;
    }

    /** Hands a job to all listeners. Called by the thread that submits it. */
    void submitted(JobFuture job) {
        ears.forEach(ear -> ear.tell(listener -> listener.submitted(job)));
    }

    /** Tells all listeners of somebody who waits for long. */
    void waitsLong(RunListener.LongWait wait) {
        ears.forEach(ear -> ear.tell(listener -> listener.waitsLong(wait)));
    }

    /**
     * Announces a job, whose first event this is.
     *
     * @return null if no listener wants to hear of jobs at present
     */
    @Nullable
    OfJob job(JobSpec job, String policy, long granule, List<LaneWorker> lanes, LongSupplier clock) {
        long number = jobs.incrementAndGet();
        List<Ear> open = ears.stream().filter(Ear::wantsJobs).toList();
        if (open.isEmpty()) {
            return null;
        }
        List<Integer> devices = lanes.stream().map(workers::indexOf).toList();
        OfJob announced = new OfJob(number, open, ids, devices, clock);
        announced.tell(new RunEvent.Submitted(
                clock.getAsLong(),
                number,
                job.name(),
                policy,
                job.units(),
                granule,
                job.phases().stream().map(JobSpec.Phase::kernel).toList(),
                devices,
                uses(job)));
        return announced;
    }

    /** What the job does with its buffers; nothing if that is more than fits a line of a record. */
    private List<BufferUse> uses(JobSpec job) {
        List<BufferUse> uses = new ArrayList<>();
        for (int phase = 0; phase < job.phases().size() && uses.size() <= MOST_USES; phase++) {
            JobSpec.Phase its = job.phases().get(phase);
            for (Argument.Buffer b : its.buffers()) {
                long perUnit = b.read() || b.isWrittenInPlace() ? b.bytesPerUnit() : b.sliceBytesPerUnit();
                uses.add(use(
                        phase,
                        b.range(),
                        how(b),
                        perUnit,
                        b.layout().before(),
                        b.layout().after()));
            }
            List<Range> changed = its.hostStepWrites();
            if (changed == null && its.hostStep() != null) { // through the views it has
                changed = job.phases().stream()
                        .flatMap(each -> each.buffers().stream())
                        .filter(b -> b.buffer().hasHostViews())
                        .map(Argument.Buffer::range)
                        .distinct()
                        .toList();
            }
            for (Range each : changed == null ? List.<Range>of() : changed) {
                uses.add(use(phase, each, How.HOST_STEP, 0, 0, 0));
            }
        }
        return uses.size() > MOST_USES ? List.of() : uses;
    }

    private static How how(Argument.Buffer b) {
        if (b.read()) {
            return b.written() ? How.UPDATES : How.READS;
        }
        return b.reduction() != null ? How.REDUCES : b.isAppended() ? How.APPENDS : How.WRITES;
    }

    private BufferUse use(int phase, Range range, How how, long perUnit, long before, long after) {
        LogicalBuffer of = range.buffer();
        Range host = of.takeHostWrites();
        long number;
        synchronized (numbers) {
            number = numbers.computeIfAbsent(of, buffer -> ++numbered);
        }
        return new BufferUse(
                phase,
                number,
                of.byteSize(),
                of.hasHostViews() ? Kept.HOST : of.willBeMirrored() ? Kept.BOTH : Kept.DEVICE,
                range.from(),
                range.byteSize(),
                how,
                perUnit,
                before,
                after,
                host == null ? 0 : host.from(),
                host == null ? 0 : host.to(),
                of.name());
    }

    /**
     * What is announced of one job, with lanes as the job counts them.
     *
     * @param open those that wanted the job when it was submitted
     * @param ids of all devices
     */
    record OfJob(long number, List<Ear> open, List<String> ids, List<Integer> devices, LongSupplier clock) {
        private void tell(RunEvent event) {
            for (Ear ear : open) {
                ear.tell(listener -> listener.heard(event));
            }
        }

        /** @param bounds where each lane's range begins, in granules, and the end of the last */
        void planned(Plan plan, int[] bounds, long granule, long units) {
            List<Long> shares = new ArrayList<>(devices.size());
            for (int i = 0; i < devices.size(); i++) {
                shares.add(Math.min(units, bounds[i + 1] * granule) - Math.min(units, bounds[i] * granule));
            }
            Decision decision = plan.decision();
            tell(new RunEvent.Planned(
                    clock.getAsLong(),
                    number,
                    shares,
                    plan.sharing().name().toLowerCase(Locale.ROOT),
                    decision == null
                            ? 0
                            : decision.considered().get(decision.chosen()).predictedNanos(),
                    decision == null ? null : decision.reason()));
        }

        /** A chunk counts, and its times have been read as far as the device could tell them. */
        void chunk(int lane, ChunkInFlight chunk) {
            ChunkTimes times = chunk.times;
            long begun = chunk.executeStart;
            long returned = chunk.executeEnd;
            boolean timed = times.end != 0 || times.start != 0; // else the device could not tell
            tell(new RunEvent.Chunk(
                    clock.getAsLong(),
                    number,
                    chunk.phase,
                    devices.get(lane),
                    chunk.firstUnit,
                    chunk.unitsAsSubmitted,
                    devices.get(chunk.owner),
                    chunk.taken,
                    begun,
                    times.submitted != 0 ? times.submitted : begun,
                    timed ? times.start : begun,
                    timed ? times.end : returned,
                    timed ? Math.max(0, returned - times.end) : 0,
                    times.kernelNanos,
                    times.transferNanos,
                    times.bytesIn,
                    times.bytesOut));
        }

        void stolen(int phase, int thief, int victim, long units) {
            tell(new RunEvent.Stolen(clock.getAsLong(), number, phase, devices.get(thief), devices.get(victim), units));
        }

        void phaseEnded(int phase, long hostNanos, long parts) {
            tell(new RunEvent.PhaseEnded(clock.getAsLong(), number, phase, hostNanos, parts));
        }

        void waited(String earlier) {
            tell(new RunEvent.Waited(clock.getAsLong(), number, earlier));
        }

        /** All bytes that were moved for the job. */
        void moved(long at, Traffic traffic) {
            for (int device = 0; device < ids.size(); device++) {
                Map<Cause, Long> sent = traffic.sent(ids.get(device));
                Map<Cause, Long> fetched = traffic.fetched(ids.get(device));
                for (Cause cause : Cause.values()) {
                    long in = sent.getOrDefault(cause, 0L);
                    long out = fetched.getOrDefault(cause, 0L);
                    if (in + out > 0) {
                        tell(new RunEvent.Moved(at, number, device, cause, in, out));
                    }
                }
            }
        }

        /** Something went wrong on a lane. */
        void fault(int lane, String what) {
            tell(new RunEvent.Fault(clock.getAsLong(), number, devices.get(lane), what));
        }

        void ended(long at, long buildNanos, long wallNanos, @Nullable Throwable failure) {
            tell(new RunEvent.Ended(
                    at,
                    number,
                    buildNanos,
                    wallNanos,
                    failure == null ? null : failure.getMessage() == null ? failure.toString() : failure.getMessage(),
                    failure == null ? null : EvenerException.failureKind(failure)));
        }
    }
}
