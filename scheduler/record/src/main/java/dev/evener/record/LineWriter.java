package dev.evener.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.evener.DeviceInfo;
import dev.evener.RunEvent;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes lines of a record; {@link LineParser} reads them. Times are given as they are measured and written since an origin. One thread. */
final class LineWriter implements Closeable {
    /** Longer texts, such as build logs, are cut. */
    static final int LONGEST_TEXT = 8 << 10;

    // ASCII only: a name that is no proper Unicode must not end a record, and any tool can read it.
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .rootValueSeparator((String) null) // lines end themselves
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .build();

    private final JsonGenerator json;
    private final long origin;
    private long lines;
    private long events;

    /** @param origin what times are counted from */
    LineWriter(OutputStream to, long origin) throws IOException {
        this.json = JSON.createGenerator(to);
        this.origin = origin;
    }

    /** Lines written. */
    long lines() {
        return lines;
    }

    /** Events among them. */
    long events() {
        return events;
    }

    void header(Recording.Header header) throws IOException {
        begin("format", RecordReader.FORMAT);
        json.writeNumberField("version", RecordReader.VERSION);
        text("evener", header.evener());
        text("date", header.date().toString());
        json.writeObjectFieldStart("machine");
        Recording.Machine machine = header.machine();
        text("os", machine.os());
        text("cpu", machine.cpu());
        json.writeNumberField("cores", machine.cores());
        json.writeNumberField("memoryBytes", machine.memoryBytes());
        text("jvm", machine.jvm());
        json.writeEndObject();
        end();
    }

    void line(Line line) throws IOException {
        if (line instanceof Line.Event e) {
            event(e.event());
            events++;
        } else if (line instanceof Line.Request r) {
            begin("request", r.number());
            json.writeNumberField("task", r.task());
            time("at", r.at());
            text("policy", r.policy());
            json.writeBooleanField("fresh", r.fresh());
        } else if (line instanceof Line.Result r) {
            begin("result", r.request());
            json.writeNumberField("bytes", r.digest().bytes());
            text("sha256", r.digest().sha256());
        } else if (line instanceof Line.Task t) {
            begin("task", t.number());
            task(t.task());
        } else if (line instanceof Line.Opened o) {
            begin("run", o.number());
            time("at", o.at());
            json.writeArrayFieldStart("devices");
            for (DeviceInfo device : o.devices()) {
                device(device);
            }
            json.writeEndArray();
        } else if (line instanceof Line.End e) {
            json.writeStartObject();
            time("end", e.at());
            json.writeNumberField("lines", e.lines());
            json.writeNumberField("events", e.events());
            json.writeNumberField("waitedNanos", e.waitedNanos());
        }
        end();
    }

    private void task(Recording.Task task) throws IOException {
        text("command", task.command());
        text("workload", task.workload());
        text("devices", task.devices());
        json.writeNumberField("items", task.items());
        text("distribution", task.distribution());
        json.writeNumberField("seed", task.seed());
        json.writeObjectFieldStart("parameters");
        for (Map.Entry<String, String> each : task.parameters().entrySet()) {
            text(each.getKey(), each.getValue());
        }
        json.writeEndObject();
        json.writeArrayFieldStart("files");
        for (Recording.InputFile file : task.files()) {
            json.writeStartObject();
            text("path", file.path().toString());
            json.writeNumberField("bytes", file.bytes());
            text("sha256", file.sha256());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void device(DeviceInfo device) throws IOException {
        json.writeStartObject();
        text("id", device.id());
        text("platform", device.platform());
        text("name", device.name());
        text("kind", device.kind().name());
        text("driver", device.driver());
        json.writeNumberField("computeUnits", device.computeUnits());
        json.writeNumberField("memoryBytes", device.memoryBytes());
        json.writeNumberField("maxAllocationBytes", device.maxAllocationBytes());
        json.writeNumberField("alignmentBytes", device.alignmentBytes());
        json.writeNumberField("cacheLineBytes", device.cacheLineBytes());
        json.writeNumberField("workGroupMultiple", device.workGroupMultiple());
        json.writeNumberField("clockMhz", device.clockMhz());
        json.writeBooleanField("sharesHostMemory", device.sharesHostMemory());
        text("physical", device.physical());
        json.writeEndObject();
    }

    private void event(RunEvent event) throws IOException {
        if (event instanceof RunEvent.Chunk e) {
            begin("chunk", e);
            json.writeNumberField("phase", e.phase());
            json.writeNumberField("device", e.device());
            json.writeNumberField("firstUnit", e.firstUnit());
            json.writeNumberField("units", e.units());
            json.writeNumberField("owner", e.owner());
            time("queued", e.queued());
            time("begun", e.begun());
            time("submitted", e.submitted());
            time("start", e.start());
            time("end", e.end());
            if (e.noticeNanos() >= 0) {
                json.writeNumberField("noticeNanos", e.noticeNanos());
            }
            json.writeNumberField("kernelNanos", e.kernelNanos());
            json.writeNumberField("transferNanos", e.transferNanos());
            json.writeNumberField("bytesIn", e.bytesIn());
            json.writeNumberField("bytesOut", e.bytesOut());
        } else if (event instanceof RunEvent.Submitted e) {
            begin("submitted", e);
            text("name", e.name());
            text("policy", e.policy());
            json.writeNumberField("units", e.units());
            json.writeNumberField("granule", e.granule());
            json.writeArrayFieldStart("kernels");
            for (String kernel : e.kernels()) {
                json.writeString(cut(kernel));
            }
            json.writeEndArray();
            numbers("devices", e.devices());
        } else if (event instanceof RunEvent.Planned e) {
            begin("planned", e);
            numbers("shares", e.shares());
            text("sharing", e.sharing());
            json.writeNumberField("predicted", e.predicted());
            text("reason", e.reason());
        } else if (event instanceof RunEvent.Stolen e) {
            begin("stolen", e);
            json.writeNumberField("phase", e.phase());
            json.writeNumberField("thief", e.thief());
            json.writeNumberField("victim", e.victim());
            json.writeNumberField("units", e.units());
        } else if (event instanceof RunEvent.PhaseEnded e) {
            begin("phaseEnded", e);
            json.writeNumberField("phase", e.phase());
            json.writeNumberField("hostNanos", e.hostNanos());
        } else if (event instanceof RunEvent.Fault e) {
            begin("fault", e);
            json.writeNumberField("device", e.device());
            text("what", e.what());
        } else if (event instanceof RunEvent.Ended e) {
            begin("ended", e);
            if (e.buildNanos() > 0) {
                json.writeNumberField("buildNanos", e.buildNanos());
            }
            json.writeNumberField("wallNanos", e.wallNanos());
            text("failure", e.failure());
        }
    }

    private void begin(String kind, RunEvent event) throws IOException {
        begin("event", kind);
        time("at", event.at());
        json.writeNumberField("job", event.job());
    }

    private void begin(String kind, String value) throws IOException {
        json.writeStartObject();
        json.writeStringField(kind, value);
    }

    private void begin(String kind, long number) throws IOException {
        json.writeStartObject();
        json.writeNumberField(kind, number);
    }

    private void end() throws IOException {
        json.writeEndObject();
        json.writeRaw('\n');
        lines++;
    }

    private void time(String name, long nanos) throws IOException {
        json.writeNumberField(name, nanos - origin);
    }

    private void text(String name, @Nullable String value) throws IOException {
        json.writeStringField(name, value == null ? null : cut(value));
    }

    private static String cut(String value) {
        return value.length() <= LONGEST_TEXT ? value : value.substring(0, LONGEST_TEXT - 1) + "\u2026";
    }

    private void numbers(String name, Collection<? extends Number> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (Number value : values) {
            json.writeNumber(value.longValue());
        }
        json.writeEndArray();
    }

    /** Lets the file have all lines so far. */
    void flush() throws IOException {
        json.flush();
    }

    @Override
    public void close() throws IOException {
        json.close();
    }
}
