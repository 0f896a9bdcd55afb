package dev.evener.workloads.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.event.RunEvent.BufferUse;
import dev.evener.event.RunEvent.Chunk;
import dev.evener.event.RunEvent.Fault;
import dev.evener.event.RunEvent.Moved;
import dev.evener.event.RunEvent.PhaseEnded;
import dev.evener.event.RunEvent.Planned;
import dev.evener.event.RunEvent.Stolen;
import dev.evener.event.RunEvent.Submitted;
import dev.evener.event.RunEvent.Waited;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Writes runs in the trace-event format of Chrome, which ui.perfetto.dev and chrome://tracing load (Google, "Trace
 * Event Format"): the object form, in UTF-8. docs/report.md lists what stands in it. Used once, by one thread.
 *
 * <p>It is not in the scheduler: whoever embeds that hears the events themselves and picks what suits them, and the library
 * stays free of formats that only people look at.
 */
public final class TraceWriter {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final JSON VALUES = JSON.std.without(JSON.Feature.FLUSH_AFTER_WRITE_VALUE);

    private final JsonGenerator json;
    private final long origin;
    private int processes;
    private long arrows;

    private TraceWriter(JsonGenerator json, long origin) {
        this.json = json;
        this.origin = origin;
    }

    /**
     * Writes a trace; the stream stays open.
     *
     * @param runs what was run, each on an Evener of its own; they share one clock
     * @param about what else the file is to say of itself, by name
     */
    public static void write(OutputStream to, List<RunEvents> runs, Map<String, String> about) throws IOException {
        List<List<JobEvents>> jobs = runs.stream().map(JobEvents::of).toList();
        long origin = jobs.stream()
                .flatMap(List::stream)
                .flatMapToLong(job -> LongStream.concat(
                        LongStream.of(job.submitted.at()),
                        job.chunks.stream().mapToLong(c -> Math.min(c.queued(), c.start()))))
                .min()
                .orElse(0);
        Map<String, String> other = new LinkedHashMap<>();
        about.forEach((name, text) -> other.put(name, Text.clean(text)));
        for (RunEvents run : runs) {
            if (run.forgotten() > 0) {
                other.put(Text.clean("events left out, " + run.title()), String.valueOf(run.forgotten()));
            }
        }
        try (JsonGenerator json = FACTORY.createGenerator(to).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            TraceWriter writer = new TraceWriter(json, origin);
            json.writeStartObject();
            json.writeStringField("displayTimeUnit", "ms");
            json.writeFieldName("otherData");
            VALUES.write(other, json);
            json.writeArrayFieldStart("traceEvents");
            for (int i = 0; i < runs.size(); i++) {
                writer.new Section(runs.get(i), jobs.get(i)).write();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    /** Where an event stands: a process, and a thread of it. */
    private record Track(int process, int thread) {
        Track next(int by) {
            return new Track(process, thread + by);
        }
    }

    /**
     * An event.
     *
     * @param more further fields, in pairs of name and value
     */
    private void event(String phase, String name, String category, Track track, long at, Object... more)
            throws IOException {
        BigDecimal since = micros(Math.max(0, at - origin));
        Map<String, Object> event = pairs(
                "ph", phase, "name", name, "cat", category, "pid", track.process, "tid", track.thread, "ts", since);
        event.putAll(pairs(more));
        VALUES.write(event, json);
    }

    private void metadata(String what, Track track, String key, Object value) throws IOException {
        Map<String, Object> args = pairs(key, value);
        VALUES.write(pairs("ph", "M", "name", what, "pid", track.process, "tid", track.thread, "args", args), json);
    }

    /** In microseconds, to the nanosecond. */
    private static BigDecimal micros(long nanos) {
        return BigDecimal.valueOf(nanos, 3);
    }

    /** A buffer by its name or, if it has none, its number, and what is done with it. */
    private static String use(BufferUse use) {
        String how = use.how().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return (use.name() == null ? String.valueOf(use.buffer()) : "'" + Text.clean(use.name()) + "'") + " " + how;
    }

    /** In order; texts without what JSON may not hold. */
    private static Map<String, Object> pairs(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            Object value = pairs[i + 1];
            map.put((String) pairs[i], value instanceof String text ? Text.clean(text) : value);
        }
        return map;
    }

    private int process(String name) throws IOException {
        int process = ++processes;
        metadata("process_name", new Track(process, 0), "name", name);
        metadata("process_sort_index", new Track(process, 0), "sort_index", process);
        return process;
    }

    /** One run: a process for its jobs and shares, and one for each platform. */
    private final class Section {
        private static final int TRACKS_OF_A_DEVICE = 100;

        private final List<DeviceInfo> devices;
        private final List<JobEvents> jobs;
        private final Track jobsTrack;

        /** Of each device, its first track; those of its queue follow those of its lane. */
        private final List<Track> tracks = new ArrayList<>();

        /** Of each device, its chunks and the tracks they were put on. */
        private final List<Tracks> running;

        private final List<Tracks> waiting;

        Section(RunEvents run, List<JobEvents> jobs) throws IOException {
            this.devices = run.devices();
            this.jobs = jobs;
            this.jobsTrack = new Track(process(run.title() + ": jobs and shares"), 0);
            Map<String, Integer> platforms = new LinkedHashMap<>();
            for (DeviceInfo device : devices) {
                Integer process = platforms.get(device.platform());
                if (process == null) {
                    process = process(run.title() + ": " + device.platform());
                    platforms.put(device.platform(), process);
                }
                tracks.add(new Track(process, 1 + tracks.size() * TRACKS_OF_A_DEVICE));
            }
            running = Tracks.of(devices.size(), jobs, Chunk::start, Chunk::end);
            waiting = Tracks.of(devices.size(), jobs, Chunk::queued, Chunk::start);
        }

        void write() throws IOException {
            for (int i = 0; i < devices.size(); i++) {
                Track queue = tracks.get(i).next(TRACKS_OF_A_DEVICE / 2);
                DeviceInfo device = devices.get(i);
                names(tracks.get(i), running.get(i), device.id() + " " + device.name());
                names(queue, waiting.get(i), device.id() + " queue");
                for (Tracks.Placed placed : running.get(i).placed()) {
                    chunk(placed, tracks.get(i).next(placed.track()));
                }
                for (Tracks.Placed placed : waiting.get(i).placed()) {
                    waiting(placed, queue.next(placed.track()));
                }
            }
            for (JobEvents job : jobs) {
                spans(job);
                shares(job);
                for (Stolen stolen : job.steals) {
                    steal(stolen);
                }
                for (Fault fault : job.faults) {
                    Object about = pairs("what", fault.what(), "job", fault.job());
                    event("i", "fault", "fault", tracks.get(fault.device()), fault.at(), "s", "p", "args", about);
                }
            }
        }

        private void names(Track first, Tracks lanes, String name) throws IOException {
            for (int i = 0; i < Math.max(1, lanes.tracks()); i++) {
                Track track = first.next(i);
                metadata("thread_name", track, "name", i == 0 ? name : name + " (" + (i + 1) + ")");
                metadata("thread_sort_index", track, "sort_index", track.thread);
            }
        }

        private void chunk(Tracks.Placed placed, Track track) throws IOException {
            Chunk c = placed.chunk();
            String name = "phase " + c.phase() + ", " + c.units() + " units";
            Map<String, Object> about = pairs(
                    "job", c.job(),
                    "phase", c.phase(),
                    "firstUnit", c.firstUnit(),
                    "units", c.units(),
                    "bytesIn", c.bytesIn(),
                    "bytesOut", c.bytesOut(),
                    "kernelMicros", c.kernelNanos() / 1e3,
                    "transferMicros", c.transferNanos() / 1e3,
                    "queuedMicrosBefore", Math.max(0, c.start() - c.queued()) / 1e3,
                    "submittedMicrosBefore", Math.max(0, c.start() - c.submitted()) / 1e3,
                    "plannedFor", id(c.owner()));
            slice(name, "chunk", placed, track, about);
        }

        private void slice(String name, String category, Tracks.Placed placed, Track track, Object about)
                throws IOException {
            BigDecimal length = micros(placed.to() - placed.from());
            event("X", name, category, track, placed.from(), "dur", length, "args", about);
        }

        private String id(int device) {
            return device >= 0 && device < devices.size() ? devices.get(device).id() : String.valueOf(device);
        }

        /** From the lane's taking it to the device's beginning with it. */
        private void waiting(Tracks.Placed placed, Track track) throws IOException {
            Chunk c = placed.chunk();
            double enqueue = Math.max(0, c.submitted() - c.queued()) / 1e3;
            Object about =
                    pairs("job", c.job(), "phase", c.phase(), "firstUnit", c.firstUnit(), "enqueueMicros", enqueue);
            slice("waits", "queue", placed, track, about);
        }

        /** An arrow from what the victim was at to the first chunk that the thief made of it. */
        private void steal(Stolen s) throws IOException {
            Object about = pairs("job", s.job(), "phase", s.phase(), "units", s.units(), "victim", id(s.victim()));
            Track victim = tracks.get(s.victim());
            Track thief = tracks.get(s.thief());
            event("i", "steals", "steal", thief, s.at(), "s", "t", "args", about);
            Tracks.Placed from = running.get(s.victim()).lastBegunBy(s.at());
            Tracks.Placed to = running.get(s.thief()).firstTakenFrom(s.job(), s.phase(), s.at());
            if (from == null || to == null) {
                return; // nothing there that an arrow could tie
            }
            long leaves = Math.min(s.at(), Math.max(from.from(), from.to() - 1));
            String name = "steal by " + id(s.thief());
            long id = ++arrows;
            event("s", name, "steal", victim.next(from.track()), leaves, "id", id);
            event("f", name, "steal", thief.next(to.track()), to.from(), "bp", "e", "id", id);
        }

        /** The job, from submission to result, with its wait for devices, its phases and host steps inside. */
        private void spans(JobEvents job) throws IOException {
            Submitted s = job.submitted;
            String name = "job " + s.job() + " " + s.name();
            String id = "job " + jobsTrack.process + "." + s.job();
            Map<String, Object> about = pairs(
                    "policy", s.policy(),
                    "units", s.units(),
                    "granule", s.granule(),
                    "kernels", String.join(", ", s.kernels()));
            if (!s.buffers().isEmpty()) {
                about.put(
                        "buffers",
                        s.buffers().stream().map(TraceWriter::use).distinct().collect(Collectors.joining(", ")));
            }
            event("b", name, "job", jobsTrack, s.at(), "id", id, "args", about);
            Planned planned = job.planned;
            Waited waited = job.waited;
            if (waited != null) {
                span(id, "waits for data of " + Text.clean(waited.earlier()), s.at(), waited.at());
            }
            if (planned != null) {
                span(id, "waits for its devices", waited == null ? s.at() : waited.at(), planned.at());
                long from = planned.at();
                for (PhaseEnded phase : job.phases) {
                    span(id, "phase " + phase.phase(), from, phase.at() - phase.hostNanos());
                    span(id, "host step " + phase.phase(), phase.at() - phase.hostNanos(), phase.at());
                    from = phase.at();
                }
            }
            Map<String, Object> result = pairs(
                    "wallMicros", job.wallNanos() / 1e3,
                    "predictedMicros", job.predictedNanos() / 1e3,
                    "failure", Objects.requireNonNullElse(job.failure(), "none"));
            for (Moved moved : job.moves) {
                String cause =
                        Text.clean(id(moved.device())) + " " + moved.cause().id();
                result.put(cause, moved.sent() + " bytes sent, " + moved.fetched() + " fetched");
            }
            event("e", name, "job", jobsTrack, Math.max(job.end(), s.at()), "id", id, "args", result);
        }

        private void span(String id, String name, long from, long to) throws IOException {
            if (to > from) {
                event("b", name, "job", jobsTrack, from, "id", id);
                event("e", name, "job", jobsTrack, to, "id", id);
            }
        }

        private void shares(JobEvents job) throws IOException {
            Planned planned = job.planned;
            double[] shares = job.plannedShares();
            if (planned != null && shares.length > 0) {
                counter("planned share in %", planned.at(), shares);
            }
            if (job.failure() == null) {
                counter("share in %", job.end(), job.shares());
            }
        }

        private void counter(String name, long at, double[] shares) throws IOException {
            Map<String, Object> percent = new LinkedHashMap<>();
            for (int i = 0; i < shares.length; i++) {
                percent.put(Text.clean(id(i)), 100 * shares[i]);
            }
            event("C", name, "share", jobsTrack, at, "args", percent);
        }
    }
}
