package dev.evener.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.RunEvent;
import dev.evener.record.Fields.Wrong;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes lines of a record out of text, each for itself; what they must be together is for {@link Assembly}. Stateless. */
final class LineParser {
    private static final int MOST_DEVICES = 1024;
    private static final int MOST_PHASES = 100_000;
    private static final int MOST_FILES = 100_000;
    private static final int DEEPEST = 8;

    // Field names come from the file: they are neither interned nor trusted to be few.
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(64)
                    .maxNameLength(LineWriter.LONGEST_TEXT)
                    .maxStringLength(LineWriter.LONGEST_TEXT)
                    .build())
            .build();

    private static final JSON READER = JSON.builder(FACTORY).build();

    private LineParser() {}

    /** The fields of a line. */
    static Fields fields(byte[] text, int length) throws Wrong {
        Map<String, Object> map;
        try (JsonParser parser = FACTORY.createParser(text, 0, length)) {
            map = READER.mapFrom(parser);
            if (parser.nextToken() != null) {
                throw new Wrong("something follows the object");
            }
        } catch (JsonProcessingException e) {
            throw new Wrong("not a JSON object as records hold them: " + message(e));
        } catch (IOException e) {
            throw new Wrong("not text: " + Fields.shown(e.getMessage()));
        }
        if (map == null) {
            throw new Wrong("not a JSON object");
        }
        return new Fields(map);
    }

    private static String message(JsonProcessingException e) {
        String message =
                String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        String place =
                e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")";
        String cut = message.length() > 160 ? message.substring(0, 160) + "..." : message;
        return cut.chars()
                        .mapToObj(c -> c < ' ' || c > '~' ? "?" : Character.toString(c))
                        .collect(Collectors.joining())
                + place;
    }

    static Recording.Header header(Fields line) throws Wrong {
        if (!line.has("format") || !RecordReader.FORMAT.equals(line.textOrNull("format"))) {
            throw new Wrong("this is not an Evener record: it would begin with {\"format\":\"" + RecordReader.FORMAT
                    + "\",\"version\":" + RecordReader.VERSION);
        }
        long version = line.whole("version", 1, Integer.MAX_VALUE);
        if (version != RecordReader.VERSION) {
            throw new Wrong("the record has version " + version + ", this Evener reads version " + RecordReader.VERSION
                    + ": use the Evener that wrote it, or a newer one");
        }
        Fields machine = line.object("machine");
        return new Recording.Header(
                line.textOrNull("evener"),
                instant(line.text("date")),
                new Recording.Machine(
                        machine.text("os"),
                        machine.text("cpu"),
                        (int) machine.whole("cores", 1, Integer.MAX_VALUE),
                        machine.count("memoryBytes"),
                        machine.text("jvm")));
    }

    private static Instant instant(String text) throws Wrong {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new Wrong("\"date\" must be like 2026-01-31T12:00:00Z, not " + Fields.shown(text));
        }
    }

    /** A line after the header. */
    static Line line(Fields line) throws Wrong {
        String kind = line.first();
        if (kind == null) {
            throw new Wrong("the object is empty");
        }
        return switch (kind) {
            case "event" -> new Line.Event(event(line));
            case "run" -> new Line.Opened(number(line, "run"), line.time("at"), devices(line));
            case "task" -> new Line.Task(number(line, "task"), task(line));
            case "request" ->
                new Line.Request(
                        number(line, "request"),
                        number(line, "task"),
                        line.time("at"),
                        line.text("policy"),
                        line.flag("fresh"));
            case "result" ->
                new Line.Result(
                        number(line, "result"), new Recording.Digest(line.count("bytes"), line.sha256("sha256")));
            case "end" ->
                new Line.End(line.time("end"), line.count("lines"), line.count("events"), line.count("waitedNanos"));
            case "format" -> throw new Wrong("a second record begins here; one file holds one");
            default -> throw new Wrong("there is no kind of line " + Fields.shown(kind));
        };
    }

    private static long number(Fields line, String name) throws Wrong {
        return line.whole(name, 1, Long.MAX_VALUE);
    }

    private static Recording.Task task(Fields line) throws Wrong {
        List<Recording.InputFile> files = new ArrayList<>();
        for (Fields file : line.objects("files", MOST_FILES)) {
            files.add(new Recording.InputFile(
                    path(file.text("path")),
                    file.count("bytes"),
                    file.textOrNull("sha256") == null ? null : file.sha256("sha256")));
        }
        return new Recording.Task(
                line.text("command"),
                line.text("workload"),
                line.text("devices"),
                line.count("items"),
                line.textOrNull("distribution"),
                line.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE),
                line.object("parameters").allTexts(),
                files);
    }

    private static Path path(String text) throws Wrong {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new Wrong("\"path\" is " + Fields.shown(text) + ", which is no name of a file here");
        }
    }

    private static List<DeviceInfo> devices(Fields line) throws Wrong {
        List<DeviceInfo> devices = new ArrayList<>();
        for (Fields device : line.objects("devices", MOST_DEVICES)) {
            devices.add(new DeviceInfo(
                    device.text("id"),
                    device.text("platform"),
                    device.text("name"),
                    kind(device.text("kind")),
                    device.text("driver"),
                    small(device, "computeUnits"),
                    device.count("memoryBytes"),
                    device.count("maxAllocationBytes"),
                    small(device, "alignmentBytes"),
                    small(device, "cacheLineBytes"),
                    small(device, "workGroupMultiple"),
                    small(device, "clockMhz"),
                    device.flag("sharesHostMemory"),
                    device.text("physical")));
        }
        return devices;
    }

    private static DeviceKind kind(String name) throws Wrong {
        for (DeviceKind kind : DeviceKind.values()) {
            if (kind.name().equals(name)) {
                return kind;
            }
        }
        throw new Wrong("\"kind\" is " + Fields.shown(name) + ", which is no kind of device");
    }

    private static int small(Fields device, String name) throws Wrong {
        return (int) device.whole(name, 0, Integer.MAX_VALUE);
    }

    private static RunEvent event(Fields line) throws Wrong {
        String kind = line.text("event");
        long at = line.time("at");
        long job = number(line, "job");
        return switch (kind) {
            case "chunk" ->
                new RunEvent.Chunk(
                        at,
                        job,
                        phase(line),
                        device(line, "device"),
                        line.count("firstUnit"),
                        line.count("units"),
                        device(line, "owner"),
                        line.time("queued"),
                        line.time("begun"),
                        line.time("submitted"),
                        line.time("start"),
                        line.time("end"),
                        line.has("noticeNanos") ? nanos(line, "noticeNanos") : -1,
                        nanos(line, "kernelNanos"),
                        nanos(line, "transferNanos"),
                        line.count("bytesIn"),
                        line.count("bytesOut"));
            case "submitted" ->
                new RunEvent.Submitted(
                        at,
                        job,
                        line.text("name"),
                        line.text("policy"),
                        line.count("units"),
                        line.whole("granule", 1, Long.MAX_VALUE),
                        line.texts("kernels", MOST_PHASES),
                        line.wholes("devices", 0, MOST_DEVICES - 1, MOST_DEVICES).stream()
                                .map(Long::intValue)
                                .toList());
            case "planned" ->
                new RunEvent.Planned(
                        at,
                        job,
                        line.wholes("shares", 0, Long.MAX_VALUE, MOST_DEVICES),
                        line.text("sharing"),
                        nanos(line, "predicted"),
                        line.textOrNull("reason"));
            case "stolen" ->
                new RunEvent.Stolen(
                        at, job, phase(line), device(line, "thief"), device(line, "victim"), line.count("units"));
            case "phaseEnded" -> new RunEvent.PhaseEnded(at, job, phase(line), nanos(line, "hostNanos"));
            case "fault" -> new RunEvent.Fault(at, job, device(line, "device"), line.text("what"));
            case "ended" ->
                new RunEvent.Ended(
                        at,
                        job,
                        line.has("buildNanos") ? nanos(line, "buildNanos") : 0,
                        nanos(line, "wallNanos"),
                        line.textOrNull("failure"));
            default -> throw new Wrong("there is no event " + Fields.shown(kind));
        };
    }

    private static int phase(Fields line) throws Wrong {
        return line.index("phase", MOST_PHASES);
    }

    private static int device(Fields line, String name) throws Wrong {
        return line.index(name, MOST_DEVICES);
    }

    /** A time that something took. */
    private static long nanos(Fields line, String name) throws Wrong {
        return line.whole(name, 0, RecordReader.LATEST);
    }

    /** About how many bytes of memory a line takes that is kept. */
    static long weight(Line line) {
        if (line instanceof Line.Event e) {
            if (e.event() instanceof RunEvent.Submitted s) {
                return 400 + 2L * s.name().length() + 80L * s.kernels().size() + text(s.policy());
            }
            if (e.event() instanceof RunEvent.Planned p) {
                return 200 + 32L * p.shares().size() + text(p.reason()) + text(p.sharing());
            }
            if (e.event() instanceof RunEvent.Fault f) {
                return 100 + text(f.what());
            }
            return e.event() instanceof RunEvent.Ended ended ? 100 + text(ended.failure()) : 150;
        }
        // Of the others there are few in an honest record; counted as long as their lines may be.
        return 2000;
    }

    private static long text(@Nullable String text) {
        return text == null ? 0 : 60 + 2L * text.length();
    }
}
