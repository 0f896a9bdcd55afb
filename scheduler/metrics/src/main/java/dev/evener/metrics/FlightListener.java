package dev.evener.metrics;

import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Passes what happens to jobs on to the JDK's Flight Recorder, as {@code dev.evener.Job}, {@code Chunk}, {@code Steal},
 * {@code Moved} and {@code Fault}. While no recording wants these events it asks for none, which is decided for each job when it is
 * submitted; so every Evener may have one, on a Java without the Flight Recorder too. One for each Evener. Thread-safe.
 *
 * <p>An event that is not a job's stands at the time at which it was told, since the JDK lets no one set the times of an
 * event; how long a chunk took and waited are fields of it.
 */
public final class FlightListener implements RunListener {
    private static final boolean RECORDER =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private volatile List<DeviceInfo> devices = List.of();
    private final Map<Long, Event> jobs = new ConcurrentHashMap<>();

    /** One for an Evener to be opened. */
    public FlightListener() {}

    @Override
    public boolean wantsJobs() {
        return RECORDER
                && FlightRecorder.isInitialized()
                && Types.anyEnabled(); // to make types would start the recorder
    }

    @Override
    public void opened(List<DeviceInfo> which) {
        devices = List.copyOf(which);
    }

    @Override
    public void heard(RunEvent event) {
        if (event instanceof RunEvent.Submitted submitted) {
            Event job = Types.JOB.newEvent();
            job.begin();
            set(job, 0, submitted.job(), submitted.name(), submitted.policy(), submitted.units());
            jobs.put(submitted.job(), job);
        } else if (event instanceof RunEvent.Planned planned) {
            Event job = jobs.get(planned.job());
            if (job != null) {
                set(job, 4, planned.predicted());
            }
        } else if (event instanceof RunEvent.Ended ended) {
            Event job = jobs.remove(ended.job());
            if (job != null) {
                set(job, 5, ended.wallNanos(), ended.failure());
                job.commit();
            }
        } else if (event instanceof RunEvent.Chunk chunk) {
            tell(
                    Types.CHUNK,
                    chunk.job(),
                    chunk.phase(),
                    id(chunk.device()),
                    id(chunk.owner()),
                    chunk.firstUnit(),
                    chunk.units(),
                    Math.max(0, chunk.start() - chunk.queued()),
                    Math.max(0, chunk.end() - chunk.start()),
                    chunk.kernelNanos(),
                    chunk.transferNanos(),
                    chunk.bytesIn(),
                    chunk.bytesOut());
        } else if (event instanceof RunEvent.Stolen stolen) {
            tell(Types.STEAL, stolen.job(), stolen.phase(), id(stolen.thief()), id(stolen.victim()), stolen.units());
        } else if (event instanceof RunEvent.Moved moved) {
            String cause = moved.cause().id();
            tell(Types.MOVED, moved.job(), id(moved.device()), cause, moved.sent(), moved.fetched());
        } else if (event instanceof RunEvent.Fault fault) {
            tell(Types.FAULT, fault.job(), id(fault.device()), fault.what());
        }
    }

    private static void tell(EventFactory type, @Nullable Object... values) {
        Event event = type.newEvent();
        if (event.isEnabled()) {
            set(event, 0, values);
            event.commit();
        }
    }

    private static void set(Event event, int first, @Nullable Object... values) {
        for (int i = 0; i < values.length; i++) {
            event.set(first + i, values[i]);
        }
    }

    private String id(int device) {
        List<DeviceInfo> known = devices;
        return device >= 0 && device < known.size() ? known.get(device).id() : String.valueOf(device);
    }

    /** Made once, when the first job is submitted after a recording was made. */
    private static final class Types {
        private static final AnnotationElement NANOS = new AnnotationElement(Timespan.class, Timespan.NANOSECONDS);
        private static final AnnotationElement BYTES = new AnnotationElement(DataAmount.class, DataAmount.BYTES);

        static final EventFactory JOB = type(
                "Job",
                "A job, from its submission to its result",
                field(long.class, "number", "Number"),
                field(String.class, "name", "Name"),
                field(String.class, "policy", "Policy"),
                field(long.class, "units", "Units"),
                field(long.class, "predicted", "Predicted Wall Time", NANOS),
                field(
                        long.class,
                        "wall",
                        "Wall Time",
                        NANOS,
                        new AnnotationElement(Description.class, "From its devices being free to its result")),
                field(String.class, "failure", "Failure"));
        static final EventFactory CHUNK = type(
                "Chunk",
                "A device ran a part of a job",
                field(long.class, "job", "Job"),
                field(int.class, "phase", "Phase"),
                field(String.class, "device", "Device"),
                field(String.class, "plannedFor", "Planned For"),
                field(long.class, "firstUnit", "First Unit"),
                field(long.class, "units", "Units"),
                field(
                        long.class,
                        "waited",
                        "Waited",
                        NANOS,
                        new AnnotationElement(
                                Description.class, "From its lane taking it to the device beginning with it")),
                field(long.class, "took", "Took", NANOS),
                field(long.class, "kernels", "Kernels", NANOS),
                field(long.class, "transfers", "Transfers", NANOS),
                field(long.class, "bytesIn", "Bytes Sent", BYTES),
                field(long.class, "bytesOut", "Bytes Fetched", BYTES));
        static final EventFactory STEAL = type(
                "Steal",
                "A device took units that were planned for another",
                field(long.class, "job", "Job"),
                field(int.class, "phase", "Phase"),
                field(String.class, "thief", "Thief"),
                field(String.class, "victim", "Victim"),
                field(long.class, "units", "Units"));
        static final EventFactory MOVED = type(
                "Moved",
                "Bytes were moved for a job that has ended",
                field(long.class, "job", "Job"),
                field(String.class, "device", "Device"),
                field(String.class, "cause", "Cause"),
                field(long.class, "sent", "Bytes Sent", BYTES),
                field(long.class, "fetched", "Bytes Fetched", BYTES));
        static final EventFactory FAULT = type(
                "Fault",
                "Something went wrong on a device",
                field(long.class, "job", "Job"),
                field(String.class, "device", "Device"),
                field(String.class, "what", "What"));

        private static EventFactory type(String name, String description, ValueDescriptor... fields) {
            return EventFactory.create(
                    List.of(
                            new AnnotationElement(Name.class, "dev.evener." + name),
                            new AnnotationElement(Label.class, name),
                            new AnnotationElement(Category.class, new String[] {"Evener"}),
                            new AnnotationElement(Description.class, description),
                            new AnnotationElement(StackTrace.class, false)),
                    List.of(fields));
        }

        private static ValueDescriptor field(Class<?> type, String name, String label, AnnotationElement... more) {
            List<AnnotationElement> all = new ArrayList<>(List.of(more));
            all.add(new AnnotationElement(Label.class, label));
            return new ValueDescriptor(type, name, all);
        }

        static boolean anyEnabled() {
            return JOB.getEventType().isEnabled()
                    || CHUNK.getEventType().isEnabled()
                    || STEAL.getEventType().isEnabled()
                    || MOVED.getEventType().isEnabled()
                    || FAULT.getEventType().isEnabled();
        }
    }
}
