package dev.evener.workloads.document;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value in a JSON document that knows where it stands, so that whatever is wrong with it can be said. Immutable. */
public final class Node {
    private final String path;
    private final Object value;

    private Node(String path, Object value) {
        this.path = path;
        this.value = value;
    }

    /** An object of these members: texts, numbers, truth values, lists and maps of them. */
    public static Node of(Map<String, ?> members) {
        return new Node("", members);
    }

    /**
     * A text that is one JSON object.
     *
     * @throws DocumentException if it is not, with line and column
     */
    public static Node object(String text) {
        try (JsonParser parser = JSON.std.createParser(text)) {
            Object value = JSON.std.anyFrom(parser);
            if (!(value instanceof Map)) {
                throw new DocumentException("", "is not one JSON object in braces");
            }
            if (parser.nextToken() != null) {
                throw new DocumentException(place(parser), "something follows the JSON object");
            }
            return new Node("", value);
        } catch (JsonProcessingException e) {
            String where = e.getLocation() == null
                    ? ""
                    : place(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
            throw new DocumentException(where, "is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new UncheckedIOException("a string could not be read", e);
        }
    }

    private static String place(JsonParser parser) {
        return place(
                parser.currentTokenLocation().getLineNr(),
                parser.currentTokenLocation().getColumnNr());
    }

    private static String place(int line, int column) {
        return "line " + line + ", column " + column;
    }

    /** Where it stands, such as {@code workloads[1].policies[0]}; empty for the document. */
    public String path() {
        return path;
    }

    /** An error about this value. */
    public DocumentException wrong(String problem) {
        return new DocumentException(path, problem);
    }

    /** Whether it is an object. */
    public boolean isObject() {
        return value instanceof Map;
    }

    /** Whether it is an array. */
    public boolean isArray() {
        return value instanceof List;
    }

    /** Whether it is a string. */
    public boolean isText() {
        return value instanceof String;
    }

    private Map<?, ?> map() {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw wrong("expected an object in braces, not " + shown());
    }

    /** The names of an object's members, in order. */
    public List<String> names() {
        return map().keySet().stream().map(String::valueOf).toList();
    }

    /**
     * Refuses members of other names than these.
     *
     * @throws DocumentException naming what is allowed, and what was probably meant
     */
    public Node only(List<String> allowed) {
        for (String name : names()) {
            if (!allowed.contains(name)) {
                throw wrong("there is no '" + name + "'" + Suggestion.of(name, allowed) + "; expected "
                        + String.join(", ", allowed));
            }
        }
        return this;
    }

    /** A member; null if it is not there, or is null. */
    public @Nullable Node find(String name) {
        Object member = map().get(name);
        return member == null ? null : new Node(path.isEmpty() ? name : path + "." + name, member);
    }

    /** A member that must be there. */
    public Node get(String name) {
        Node member = find(name);
        if (member == null) {
            throw wrong("'" + name + "' is missing");
        }
        return member;
    }

    /** The elements of an array that has {@code least} to {@code most} of them. */
    public List<Node> list(int least, int most) {
        if (!(value instanceof List<?> list)) {
            throw wrong("expected an array in brackets, not " + shown());
        }
        if (list.size() < least || list.size() > most) {
            throw wrong("has " + list.size() + " elements; expected " + least + " to " + most);
        }
        List<Node> nodes = new ArrayList<>();
        for (Object element : list) {
            String at = path + "[" + nodes.size() + "]";
            if (element == null) {
                throw new DocumentException(at, "null is no value here");
            }
            nodes.add(new Node(at, element));
        }
        return nodes;
    }

    /** A string. */
    public String text() {
        if (value instanceof String text) {
            return text;
        }
        throw wrong("expected a string in quotes, not " + shown());
    }

    /** Whether it says {@code true}. */
    public boolean flag() {
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw wrong("expected true or false, not " + shown());
    }

    /** A whole number within bounds. */
    public long whole(long least, long most) {
        if (value instanceof Integer || value instanceof Long) {
            long number = ((Number) value).longValue();
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw wrong("expected a whole number from " + least + " to " + most + ", not " + shown());
    }

    /** A number within bounds. */
    public double number(double least, double most) {
        if (value instanceof Number any) {
            double number = any.doubleValue();
            if (number >= least && number <= most) {
                return number;
            }
        }
        throw wrong("expected a number from " + least + " to " + most + ", not " + shown());
    }

    /** A string, number or truth value as it is written. */
    public String scalar() {
        if (value instanceof Map || value instanceof List) {
            throw wrong("expected one value, not " + shown());
        }
        return value.toString();
    }

    private String shown() {
        if (value instanceof Map) {
            return "an object";
        }
        if (value instanceof List) {
            return "an array";
        }
        return value instanceof String ? "'" + value + "'" : value.toString();
    }
}
