package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.jr.ob.JSON;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the program reads and writes beside the JSON Schemas of docs/schemas: each field is there, with its type, and no other is. */
final class Schemas {
    /** Surefire starts in the module's folder. */
    static final Path FOLDER = Path.of("..", "docs", "schemas").toAbsolutePath().normalize();

    private static final SchemaRegistry REGISTRY = SchemaRegistry.withDefaultDialect(
            SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(Schemas::text));

    private Schemas() {}

    /** Fails unless the value is what the schema of this name says. */
    static void check(String name, Object json) {
        try {
            assertEquals(
                    List.of(),
                    errors(
                            name,
                            JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(json)),
                    () -> "beside docs/schemas/" + name + ".json");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails unless each line is. */
    static void checkLines(String name, Stream<String> lines) {
        lines.forEach(line -> assertEquals(List.of(), errors(name, line), line));
    }

    /** What is wrong, and where. */
    static List<String> errors(String name, String json) {
        String file = FOLDER.resolve(name + ".json").toUri().toString();
        return REGISTRY.getSchema(SchemaLocation.of(file)).validate(json, InputFormat.JSON).stream()
                .map(Object::toString)
                .toList();
    }

    /** Nothing is fetched from elsewhere. */
    private static String text(String iri) {
        try {
            return Files.readString(Path.of(URI.create(iri)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
