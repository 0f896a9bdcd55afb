package dev.evener.record;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.event.RunEvent;
import dev.evener.internal.files.JsonText;
import dev.evener.record.Checked.WrongLine;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a record as text and back, each for itself; what they must be together is for {@link Assembly}. Fields are as {@link
 * Shape} has them. Stateless.
 */
final class LineFormat {
    private static final int DEEPEST = 8;

    // ASCII only: a name that is no proper Unicode must not end a record, and any tool can read it. Field names come
    // from the
    // file: they are neither interned nor trusted to be few.
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .rootValueSeparator((String) null) // lines end themselves
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(64)
                    .maxNameLength(Shape.LONGEST_TEXT)
                    .maxStringLength(Shape.LONGEST_TEXT)
                    .build())
            .build();

    private static final JSON READER = JSON.builder(FACTORY).build();

    private static final Map<String, Shape> LINES = shapes(Line.class, Shape::first);
    private static final Map<String, Shape> EVENTS = shapes(RunEvent.class, Shape::name);

    private LineFormat() {}

    private static Map<String, Shape> shapes(Class<?> family, Function<Shape, String> name) {
        return Arrays.stream(family.getPermittedSubclasses())
                .filter(type -> type != Line.Event.class && type != Line.Skipped.class)
                .map(Shape::of)
                .collect(Collectors.toMap(name, shape -> shape));
    }

    static JsonGenerator writer(OutputStream to) throws IOException {
        return FACTORY.createGenerator(to);
    }

    static void write(JsonGenerator json, Recording.Header header) throws IOException {
        json.writeStartObject();
        json.writeStringField("format", RecordReader.FORMAT);
        json.writeNumberField("version", RecordReader.VERSION);
        end(json, header, 0);
    }

    /** @param origin what times are counted from */
    static void write(JsonGenerator json, Line line, long origin) throws IOException {
        json.writeStartObject();
        if (line instanceof Line.Event e) {
            json.writeStringField("event", Shape.of(e.event().getClass()).name());
            end(json, e.event(), origin);
        } else {
            end(json, line, origin);
        }
    }

    private static void end(JsonGenerator json, Object fields, long origin) throws IOException {
        Shape.of(fields.getClass()).writeFields(json, fields, origin);
        json.writeEndObject();
        json.writeRaw('\n');
    }

    /** The fields of a line. */
    static Map<?, ?> fields(byte[] text, int length) throws WrongLine {
        Object value;
        try (JsonParser parser = FACTORY.createParser(text, 0, length)) {
            value = READER.anyFrom(parser);
            if (parser.nextToken() != null) {
                throw new WrongLine("something follows the object");
            }
        } catch (JsonProcessingException e) {
            throw new WrongLine("not a JSON object as records hold them: " + message(e));
        } catch (IOException e) {
            throw new WrongLine("not text: " + Checked.shown(e.getMessage()));
        }
        if (value instanceof Map<?, ?> fields) {
            return fields;
        }
        throw new WrongLine("not a JSON object");
    }

    private static String message(JsonProcessingException e) {
        return Checked.plain(JsonText.problem(e), 160)
                + (e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")");
    }

    static Recording.Header header(Map<?, ?> line) throws WrongLine {
        if (!RecordReader.FORMAT.equals(line.get("format"))) {
            throw new WrongLine("this is not an Evener record: it would begin with {\"format\":\"" + RecordReader.FORMAT
                    + "\",\"version\":" + RecordReader.VERSION);
        }
        long version = Checked.whole("\"version\"", line.get("version"), 1, Integer.MAX_VALUE);
        if (version != RecordReader.VERSION) {
            throw new WrongLine("the record has version " + version + ", this Evener reads version "
                    + RecordReader.VERSION + ": use the Evener that wrote it, or a newer one");
        }
        return (Recording.Header) Shape.of(Recording.Header.class).read(line);
    }

    /** A line after the header. */
    static Line line(Map<?, ?> line) throws WrongLine {
        if (line.isEmpty()) {
            throw new WrongLine("the object is empty");
        }
        String kind = String.valueOf(line.keySet().iterator().next());
        if (kind.equals("event")) {
            String event = Checked.text("\"event\"", line.get(kind));
            Shape shape = EVENTS.get(event);
            return shape == null ? new Line.Skipped(event) : new Line.Event((RunEvent) shape.read(line));
        }
        if (kind.equals("format")) {
            throw new WrongLine("a second record begins here; one file holds one");
        }
        Shape shape = LINES.get(kind);
        if (shape == null) {
            throw new WrongLine("there is no kind of line " + Checked.shown(kind));
        }
        return (Line) shape.read(line);
    }

    /** About how many bytes of memory a line takes that is kept. */
    static long weight(Line line, int length) {
        if (!(line instanceof Line.Event e)) {
            return 2000 + 4L * length; // few in an honest record; counted as long as their lines may be
        }
        if (e.event() instanceof RunEvent.Submitted s) {
            return 400
                    + 2L * s.name().length()
                    + 80L * s.kernels().size()
                    + text(s.policy())
                    + 104L * s.buffers().size();
        }
        if (e.event() instanceof RunEvent.Planned p) {
            return 200 + 32L * p.shares().size() + text(p.reason()) + text(p.sharing());
        }
        if (e.event() instanceof RunEvent.Waited w) {
            return 100 + text(w.earlier());
        }
        return e.event() instanceof RunEvent.Fault f
                ? 100 + text(f.what())
                : e.event() instanceof RunEvent.Ended ended ? 100 + text(ended.failure()) : 150;
    }

    private static long text(@Nullable String text) {
        return text == null ? 0 : 60 + 2L * text.length();
    }
}
