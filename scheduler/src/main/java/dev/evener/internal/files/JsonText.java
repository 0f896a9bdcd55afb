package dev.evener.internal.files;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads JSON that people may have edited or a crash have cut off. Stateless. */
public final class JsonText {
    /** Where a message of Jackson's says where something began. */
    private static final Pattern BEGINNING = Pattern.compile("\\[Source: .*?; (line: \\d+, column: \\d+)]");

    /** What it says of itself: settings, names of classes and tokens. */
    private static final Pattern ITSELF = Pattern.compile(
            ": enable `[^`]*` to allow|, from `[^`]*`| \\(not recognized as one [^)]*\\)| to map due to end-of-input| in VALUE_\\w+|[`]");

    private JsonText() {}

    /**
     * The members of a text that is one object and nothing else.
     *
     * @param text a string, or bytes of UTF-8
     * @throws IOException if it is none: the message says in which line and column, and what is wrong
     */
    public static Map<?, ?> object(Object text) throws IOException {
        try (JsonParser parser = JSON.std.createParser(text)) {
            try {
                Object value = JSON.std.anyFrom(parser);
                if (!(value instanceof Map<?, ?> members)) {
                    throw new IOException("is not one JSON object in braces");
                }
                if (parser.nextToken() != null) {
                    throw new IOException(place(parser.currentTokenLocation()) + "something follows the JSON object");
                }
                return members;
            } catch (JsonProcessingException e) {
                throw damaged(e, parser);
            }
        }
    }

    /** What is wrong, and in which line and column. */
    public static IOException damaged(JsonProcessingException e, JsonParser parser) {
        JsonLocation at = e.getLocation() == null ? parser.currentLocation() : e.getLocation();
        return new IOException(place(at) + "is not JSON: " + problem(e), e);
    }

    private static String place(JsonLocation at) {
        return "line " + at.getLineNr() + ", column " + Math.max(1, at.getColumnNr()) + ": ";
    }

    /** What is wrong, in one line and without its place. */
    public static String problem(JsonProcessingException e) {
        String first =
                String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
        return ITSELF.matcher(BEGINNING.matcher(first).replaceAll("$1")).replaceAll("");
    }
}
