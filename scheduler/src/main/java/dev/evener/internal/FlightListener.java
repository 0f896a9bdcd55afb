package dev.evener.internal;

import dev.evener.DeviceInfo;
import dev.evener.RunEvent;
import dev.evener.RunListener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Passes what happens to jobs on to the JDK's Flight Recorder, as {@code dev.evener.Job}, {@code Chunk}, {@code Steal} and
 * {@code Fault}. Every Evener has one: while no recording wants these events it asks for none, which is decided for each job
 * when it is submitted. Thread-safe.
 *
 * <p>An event that is not a job's stands at the time at which it was told, since the JDK lets no one set the times of an
 * event; how long a chunk took and waited are fields of it.
 */
public final class FlightListener implements RunListener {
    private volatile List<DeviceInfo> devices = List.of();
    private final Map<Long, JobEvent> jobs = new ConcurrentHashMap<>();

    private FlightListener() {}

    /** One for a new Evener; null on a Java without the Flight Recorder. */
    public static @Nullable FlightListener create() {
        return ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? new FlightListener() : null;
    }

    @Override
    public boolean wantsJobs() {
        return FlightRecorder.isInitialized() && Types.anyEnabled(); // to look up types would start the recorder
    }

    @Override
    public void opened(List<DeviceInfo> which) {
        devices = List.copyOf(which);
    }

    @Override
    public void heard(RunEvent event) {
        if (event instanceof RunEvent.Submitted submitted) {
            JobEvent job = new JobEvent();
            job.begin();
            job.number = submitted.job();
            job.name = submitted.name();
            job.policy = submitted.policy();
            job.units = submitted.units();
            jobs.put(submitted.job(), job);
        } else if (event instanceof RunEvent.Planned planned) {
            JobEvent job = jobs.get(planned.job());
            if (job != null) {
                job.predicted = planned.predicted();
            }
        } else if (event instanceof RunEvent.Ended ended) {
            JobEvent job = jobs.remove(ended.job());
            if (job != null) {
                job.wall = ended.wallNanos();
                job.failure = ended.failure();
                job.commit();
            }
        } else if (event instanceof RunEvent.Chunk chunk) {
            tell(chunk);
        } else if (event instanceof RunEvent.Stolen stolen) {
            StealEvent steal = new StealEvent();
            steal.job = stolen.job();
            steal.phase = stolen.phase();
            steal.thief = id(stolen.thief());
            steal.victim = id(stolen.victim());
            steal.units = stolen.units();
            steal.commit();
        } else if (event instanceof RunEvent.Fault fault) {
            FaultEvent one = new FaultEvent();
            one.job = fault.job();
            one.device = id(fault.device());
            one.what = fault.what();
            one.commit();
        }
    }

    private void tell(RunEvent.Chunk chunk) {
        ChunkEvent one = new ChunkEvent();
        if (!one.isEnabled()) {
            return;
        }
        one.job = chunk.job();
        one.phase = chunk.phase();
        one.device = id(chunk.device());
        one.plannedFor = id(chunk.owner());
        one.firstUnit = chunk.firstUnit();
        one.units = chunk.units();
        one.waited = Math.max(0, chunk.start() - chunk.queued());
        one.took = Math.max(0, chunk.end() - chunk.start());
        one.kernels = chunk.kernelNanos();
        one.transfers = chunk.transferNanos();
        one.bytesIn = chunk.bytesIn();
        one.bytesOut = chunk.bytesOut();
        one.commit();
    }

    private String id(int device) {
        List<DeviceInfo> known = devices;
        return device >= 0 && device < known.size() ? known.get(device).id() : String.valueOf(device);
    }

    /** Looked up once, when the first job is submitted after a recording was made. */
    private static final class Types {
        private static final List<EventType> ALL = List.of(
                EventType.getEventType(JobEvent.class),
                EventType.getEventType(ChunkEvent.class),
                EventType.getEventType(StealEvent.class),
                EventType.getEventType(FaultEvent.class));

        static boolean anyEnabled() {
            for (EventType type : ALL) {
                if (type.isEnabled()) {
                    return true;
                }
            }
            return false;
        }
    }

    @Name("dev.evener.Job")
    @Label("Job")
    @Category("Evener")
    @Description("A job, from its submission to its result")
    @StackTrace(false)
    static final class JobEvent extends Event {
        @Label("Number")
        long number;

        @Label("Name")
        @Nullable
        String name;

        @Label("Policy")
        @Nullable
        String policy;

        @Label("Units")
        long units;

        @Label("Predicted Wall Time")
        @Timespan(Timespan.NANOSECONDS)
        volatile long predicted; // set by another thread than the one that begins

        @Label("Wall Time")
        @Description("From its devices being free to its result")
        @Timespan(Timespan.NANOSECONDS)
        long wall;

        @Label("Failure")
        @Nullable
        String failure;
    }

    @Name("dev.evener.Chunk")
    @Label("Chunk")
    @Category("Evener")
    @Description("A device ran a part of a job")
    @StackTrace(false)
    static final class ChunkEvent extends Event {
        @Label("Job")
        long job;

        @Label("Phase")
        int phase;

        @Label("Device")
        @Nullable
        String device;

        @Label("Planned For")
        @Nullable
        String plannedFor;

        @Label("First Unit")
        long firstUnit;

        @Label("Units")
        long units;

        @Label("Waited")
        @Description("From its lane taking it to the device beginning with it")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("Kernels")
        @Timespan(Timespan.NANOSECONDS)
        long kernels;

        @Label("Transfers")
        @Timespan(Timespan.NANOSECONDS)
        long transfers;

        @Label("Bytes Sent")
        @DataAmount
        long bytesIn;

        @Label("Bytes Fetched")
        @DataAmount
        long bytesOut;
    }

    @Name("dev.evener.Steal")
    @Label("Steal")
    @Category("Evener")
    @Description("A device took units that were planned for another")
    @StackTrace(false)
    static final class StealEvent extends Event {
        @Label("Job")
        long job;

        @Label("Phase")
        int phase;

        @Label("Thief")
        @Nullable
        String thief;

        @Label("Victim")
        @Nullable
        String victim;

        @Label("Units")
        long units;
    }

    @Name("dev.evener.Fault")
    @Label("Fault")
    @Category("Evener")
    @Description("Something went wrong on a device")
    @StackTrace(false)
    static final class FaultEvent extends Event {
        @Label("Job")
        long job;

        @Label("Device")
        @Nullable
        String device;

        @Label("What")
        @Nullable
        String what;
    }
}
