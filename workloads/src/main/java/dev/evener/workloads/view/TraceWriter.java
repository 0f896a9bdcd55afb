package dev.evener.workloads.view;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.evener.DeviceInfo;
import dev.evener.RunEvent.Chunk;
import dev.evener.RunEvent.Fault;
import dev.evener.RunEvent.PhaseEnded;
import dev.evener.RunEvent.Planned;
import dev.evener.RunEvent.Stolen;
import dev.evener.RunEvent.Submitted;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes runs in the trace-event format of Chrome, which ui.perfetto.dev and chrome://tracing load (Google, "Trace
 * Event Format"): the object form, in UTF-8. docs/seeing.md lists what stands in it. Stateless.
 *
 * <p>It is not in the scheduler: whoever embeds that hears the events themselves and picks what suits them, and the library
 * stays free of formats that only people look at.
 */
public final class TraceWriter {
    private static final JsonFactory JSON = new JsonFactory();

    private TraceWriter() {}

    /**
     * Writes a trace; the stream stays open.
     *
     * @param runs what was run, each on an Evener of its own; they share one clock
     * @param about what else the file is to say of itself, by name
     */
    public static void write(OutputStream to, List<RunEvents> runs, Map<String, String> about) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(to).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            new Writing(json, runs).all(about);
        }
    }

    /** One file under way. */
    private static final class Writing {
        private final JsonGenerator json;
        private final List<RunEvents> runs;
        private final List<List<JobStory>> stories = new ArrayList<>();
        private final long origin;
        private int processes;
        private long arrows;

        Writing(JsonGenerator json, List<RunEvents> runs) {
            this.json = json;
            this.runs = runs;
            long first = Long.MAX_VALUE;
            for (RunEvents run : runs) {
                List<JobStory> jobs = JobStory.all(run);
                stories.add(jobs);
                for (JobStory job : jobs) {
                    first = Math.min(first, job.submitted().at());
                    for (Chunk chunk : job.chunks()) {
                        first = Math.min(first, Math.min(chunk.queued(), chunk.start()));
                    }
                }
            }
            this.origin = first == Long.MAX_VALUE ? 0 : first;
        }

        void all(Map<String, String> about) throws IOException {
            json.writeStartObject();
            json.writeStringField("displayTimeUnit", "ms");
            json.writeObjectFieldStart("otherData");
            for (Map.Entry<String, String> each : about.entrySet()) {
                json.writeStringField(each.getKey(), Text.clean(each.getValue()));
            }
            for (RunEvents run : runs) {
                if (run.forgotten() > 0) {
                    json.writeStringField(
                            "events left out, " + Text.clean(run.title()), String.valueOf(run.forgotten()));
                }
            }
            json.writeEndObject();
            json.writeArrayFieldStart("traceEvents");
            for (int i = 0; i < runs.size(); i++) {
                new Section(runs.get(i), stories.get(i)).write();
            }
            json.writeEndArray();
            json.writeEndObject();
        }

        private void begin(String phase, String name, @Nullable String category, int process, int thread, long at)
                throws IOException {
            json.writeStartObject();
            json.writeStringField("ph", phase);
            json.writeStringField("name", name);
            if (category != null) {
                json.writeStringField("cat", category);
            }
            json.writeNumberField("pid", process);
            json.writeNumberField("tid", thread);
            time("ts", Math.max(0, at - origin));
        }

        /** In microseconds, to the nanosecond. */
        private void time(String field, long nanos) throws IOException {
            json.writeFieldName(field);
            json.writeNumber(String.format(Locale.ROOT, "%d.%03d", nanos / 1000, nanos % 1000));
        }

        private void arguments(Object... pairs) throws IOException {
            json.writeObjectFieldStart("args");
            for (int i = 0; i < pairs.length; i += 2) {
                json.writeFieldName(Text.clean((String) pairs[i]));
                Object value = pairs[i + 1];
                if (value instanceof Double number) {
                    json.writeNumber(number);
                } else if (value instanceof Number number) {
                    json.writeNumber(number.longValue());
                } else {
                    json.writeString(Text.clean(String.valueOf(value)));
                }
            }
            json.writeEndObject();
        }

        private void metadata(String what, int process, int thread, String key, Object value) throws IOException {
            json.writeStartObject();
            json.writeStringField("ph", "M");
            json.writeStringField("name", what);
            json.writeNumberField("pid", process);
            json.writeNumberField("tid", thread);
            arguments(key, value);
            json.writeEndObject();
        }

        private int process(String name) throws IOException {
            int process = ++processes;
            metadata("process_name", process, 0, "name", name);
            metadata("process_sort_index", process, 0, "sort_index", process);
            return process;
        }

        /** One run: a process for its jobs and shares, and one for each platform. */
        private final class Section {
            private static final int TRACKS_OF_A_DEVICE = 100;

            private final RunEvents run;
            private final List<JobStory> jobs;
            private final int jobsProcess;
            private final List<Integer> processOf = new ArrayList<>();

            /** Of each device, its chunks and the tracks they were put on. */
            private final List<Lanes> running = new ArrayList<>();

            private final List<Lanes> waiting = new ArrayList<>();

            Section(RunEvents run, List<JobStory> jobs) throws IOException {
                this.run = run;
                this.jobs = jobs;
                this.jobsProcess = process(run.title() + ": jobs and shares");
                Map<String, Integer> platforms = new LinkedHashMap<>();
                for (DeviceInfo device : run.devices()) {
                    Integer process = platforms.get(device.platform());
                    if (process == null) {
                        process = process(run.title() + ": " + device.platform());
                        platforms.put(device.platform(), process);
                    }
                    processOf.add(process);
                }
                for (int i = 0; i < run.devices().size(); i++) {
                    running.add(new Lanes());
                    waiting.add(new Lanes());
                }
                for (JobStory job : jobs) {
                    for (Chunk chunk : job.chunks()) {
                        running.get(chunk.device()).add(chunk, chunk.start(), chunk.end());
                        waiting.get(chunk.device()).add(chunk, chunk.queued(), chunk.start());
                    }
                }
                running.forEach(Lanes::layOut);
                waiting.forEach(Lanes::layOut);
            }

            /** The first track of a device; those of its queue follow those of its lane. */
            private int runningTrack(int device) {
                return 1 + device * TRACKS_OF_A_DEVICE;
            }

            private int waitingTrack(int device) {
                return runningTrack(device) + TRACKS_OF_A_DEVICE / 2;
            }

            void write() throws IOException {
                for (int device = 0; device < run.devices().size(); device++) {
                    DeviceInfo info = run.devices().get(device);
                    names(device, runningTrack(device), running.get(device), info.id() + " " + info.name());
                    names(device, waitingTrack(device), waiting.get(device), info.id() + " queue");
                    for (Lanes.Placed placed : running.get(device).placed()) {
                        chunk(placed, device);
                    }
                    for (Lanes.Placed placed : waiting.get(device).placed()) {
                        waiting(placed, device);
                    }
                }
                for (JobStory job : jobs) {
                    spans(job);
                    shares(job);
                    for (Stolen stolen : job.steals()) {
                        steal(stolen);
                    }
                    for (Fault fault : job.faults()) {
                        int device = fault.device();
                        begin("i", "fault", "fault", processOf.get(device), runningTrack(device), fault.at());
                        json.writeStringField("s", "p");
                        arguments("what", fault.what(), "job", fault.job());
                        json.writeEndObject();
                    }
                }
            }

            private void names(int device, int track, Lanes lanes, String name) throws IOException {
                for (int i = 0; i < Math.max(1, lanes.tracks()); i++) {
                    String full = i == 0 ? name : name + " (" + (i + 1) + ")";
                    metadata("thread_name", processOf.get(device), track + i, "name", full);
                    metadata("thread_sort_index", processOf.get(device), track + i, "sort_index", track + i);
                }
            }

            private void chunk(Lanes.Placed placed, int device) throws IOException {
                Chunk c = placed.chunk();
                String name = chunkName(c);
                begin("X", name, "chunk", processOf.get(device), runningTrack(device) + placed.track(), placed.from());
                time("dur", placed.to() - placed.from());
                arguments(
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
                json.writeEndObject();
            }

            private String chunkName(Chunk chunk) {
                return "phase " + chunk.phase() + ", " + chunk.units() + " units";
            }

            private String id(int device) {
                return device >= 0 && device < run.devices().size()
                        ? run.devices().get(device).id()
                        : String.valueOf(device);
            }

            /** From the lane's taking it to the device's beginning with it. */
            private void waiting(Lanes.Placed placed, int device) throws IOException {
                Chunk c = placed.chunk();
                begin(
                        "X",
                        "waits",
                        "queue",
                        processOf.get(device),
                        waitingTrack(device) + placed.track(),
                        placed.from());
                time("dur", placed.to() - placed.from());
                arguments(
                        "job", c.job(),
                        "phase", c.phase(),
                        "firstUnit", c.firstUnit(),
                        "enqueueMicros", Math.max(0, c.submitted() - c.queued()) / 1e3);
                json.writeEndObject();
            }

            /** An arrow from what the victim was at to the first chunk that the thief made of it. */
            private void steal(Stolen stolen) throws IOException {
                int thief = stolen.thief();
                int victim = stolen.victim();
                begin("i", "steals", "steal", processOf.get(thief), runningTrack(thief), stolen.at());
                json.writeStringField("s", "t");
                arguments("job", stolen.job(), "phase", stolen.phase(), "units", stolen.units(), "victim", id(victim));
                json.writeEndObject();
                Lanes.Placed from = running.get(victim).lastBegunBy(stolen.at());
                Lanes.Placed to = running.get(thief).firstTakenFrom(stolen.job(), stolen.phase(), stolen.at());
                if (from == null || to == null) {
                    return; // nothing there that an arrow could tie
                }
                long leaves = Math.min(stolen.at(), Math.max(from.from(), from.to() - 1));
                String name = "steal by " + id(thief);
                long id = ++arrows;
                begin("s", name, "steal", processOf.get(victim), runningTrack(victim) + from.track(), leaves);
                json.writeNumberField("id", id);
                json.writeEndObject();
                begin("f", name, "steal", processOf.get(thief), runningTrack(thief) + to.track(), to.from());
                json.writeStringField("bp", "e");
                json.writeNumberField("id", id);
                json.writeEndObject();
            }

            /** The job, from submission to result, with its wait for devices, its phases and host steps inside. */
            private void spans(JobStory job) throws IOException {
                Submitted s = job.submitted();
                long end = Math.max(job.end(), s.at());
                String name = "job " + s.job() + " " + s.name();
                begin("b", Text.clean(name), "job", jobsProcess, 0, s.at());
                json.writeStringField("id", "job " + jobsProcess + "." + s.job());
                arguments(
                        "policy", s.policy(),
                        "units", s.units(),
                        "granule", s.granule(),
                        "kernels", String.join(", ", s.kernels()));
                json.writeEndObject();
                Planned planned = job.planned();
                if (planned != null) {
                    span(s, "waits for its devices", s.at(), planned.at());
                    long from = planned.at();
                    for (PhaseEnded phase : job.phases()) {
                        span(s, "phase " + phase.phase(), from, phase.at() - phase.hostNanos());
                        span(s, "host step " + phase.phase(), phase.at() - phase.hostNanos(), phase.at());
                        from = phase.at();
                    }
                }
                begin("e", Text.clean(name), "job", jobsProcess, 0, end);
                json.writeStringField("id", "job " + jobsProcess + "." + s.job());
                arguments(
                        "wallMicros", job.wallNanos() / 1e3,
                        "predictedMicros", job.predictedNanos() / 1e3,
                        "failure",
                                job.ended() == null
                                        ? "did not end while this was recorded"
                                        : Objects.requireNonNullElse(job.ended().failure(), "none"));
                json.writeEndObject();
            }

            private void span(Submitted job, String name, long from, long to) throws IOException {
                if (to <= from) {
                    return;
                }
                for (boolean begins : new boolean[] {true, false}) {
                    begin(begins ? "b" : "e", name, "job", jobsProcess, 0, begins ? from : to);
                    json.writeStringField("id", "job " + jobsProcess + "." + job.job());
                    json.writeEndObject();
                }
            }

            private void shares(JobStory job) throws IOException {
                int devices = run.devices().size();
                Planned planned = job.planned();
                double[] shares = job.plannedShares(devices);
                if (planned != null && shares != null) {
                    counter("planned share in %", planned.at(), shares);
                }
                if (job.succeeded()) {
                    counter("share in %", job.end(), job.shares(devices));
                }
            }

            private void counter(String name, long at, double[] shares) throws IOException {
                begin("C", name, "share", jobsProcess, 0, at);
                Object[] values = new Object[2 * shares.length];
                for (int i = 0; i < shares.length; i++) {
                    values[2 * i] = id(i);
                    values[2 * i + 1] = 100 * shares[i];
                }
                arguments(values);
                json.writeEndObject();
            }
        }
    }
}
