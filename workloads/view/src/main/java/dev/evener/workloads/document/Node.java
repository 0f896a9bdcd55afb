package dev.evener.workloads.document;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.files.JsonText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A value in a JSON document that knows where it stands, so that whatever is wrong with it can be said: each reader below throws a
 * {@link DocumentException} that names the place and what would be right. Immutable.
 */
public final class Node {
    private final String path;
    private final Object value;

    /**
     * @param path where it stands, such as {@code workloads[1].policies[0]}; empty for the document
     * @param value a text, number or truth value, or a list or map of values or nodes
     */
    public Node(String path, Object value) {
        this.path = path;
        this.value = value;
    }

    /** A text that is one JSON object. */
    public static Node object(String text) {
        try {
            return new Node("", JsonText.object(text));
        } catch (IOException e) {
            throw new DocumentException("", String.valueOf(e.getMessage()));
        }
    }

    /**
     * In which line and column of a text the value at a path stands, such as {@code 12:7}; of a path that is not there, where the document
     * begins.
     *
     * @param text a string, or a stream of it, which is read as far as that and closed
     */
    public static String place(Object text, String path) {
        String wanted = path.isEmpty()
                ? ""
                : "/" + path.replace('.', '/').replace('[', '/').replace("]", "");
        try (JsonParser parser = JSON.std.createParser(text)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                JsonLocation at = parser.currentTokenLocation();
                boolean value = token.isScalarValue() || token.isStructStart();
                JsonStreamContext in = parser.getParsingContext();
                JsonPointer here = (token.isStructStart() ? in.getParent() : in).pathAsPointer();
                if (value && here.toString().equals(wanted)) {
                    return at.getLineNr() + ":" + at.getColumnNr();
                }
            }
        } catch (IOException e) { // said when it is read
            return "1:1";
        }
        return "1:1";
    }

    /** An object with the members of all of these; of those of one name the first object's. */
    public static Node layered(Node... objects) {
        Map<String, Node> members = new LinkedHashMap<>();
        for (Node object : objects) {
            for (String name : object.names()) {
                Node member = object.find(name);
                if (member != null) {
                    members.putIfAbsent(name, member);
                }
            }
        }
        return new Node("", members);
    }

    /** An error about this value. */
    public DocumentException wrong(String problem) {
        return new DocumentException(path, problem);
    }

    /** Where it stands. */
    public String path() {
        return path;
    }

    /** Whether it is an object. */
    public boolean isObject() {
        return value instanceof Map;
    }

    /** Whether it is a string. */
    public boolean isText() {
        return value instanceof String;
    }

    private Map<?, ?> map() {
        return as(Map.class, "an object in braces");
    }

    private <T> T as(Class<T> type, String expected) {
        if (type.isInstance(value)) {
            return type.cast(value);
        }
        throw wrong("expected " + expected + ", not " + shown());
    }

    /** The names of an object's members, in order. */
    public List<String> names() {
        return map().keySet().stream().map(String::valueOf).toList();
    }

    /** This object, whose members have no other names than these. */
    public Node only(List<String> allowed) {
        for (String name : names()) {
            if (!allowed.contains(name)) {
                String expected = "; expected " + String.join(", ", allowed);
                throw wrong("there is no '" + name + "'" + Suggestion.of(name, allowed) + expected);
            }
        }
        return this;
    }

    /** A member; null if it is not there, or is null. */
    public @Nullable Node find(String name) {
        Object member = map().get(name);
        return member == null || member instanceof Node
                ? (Node) member
                : new Node(path.isEmpty() ? name : path + "." + name, member);
    }

    /** What a member is read as; {@code otherwise} if it is not there, or is null. */
    public <T extends @Nullable Object> T find(String name, T otherwise, Function<Node, ? extends T> reader) {
        Node member = find(name);
        return member == null ? otherwise : reader.apply(member);
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
        List<?> list = as(List.class, "an array in brackets");
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

    /** What the elements of an array are read as. */
    public <T> List<T> list(int least, int most, Function<Node, T> reader) {
        return list(least, most).stream().map(reader).toList();
    }

    /** What the elements of an array are read as, or else the value itself as the only one. */
    public <T> List<T> each(int least, int most, Function<Node, T> reader) {
        return value instanceof List ? list(least, most, reader) : List.of(reader.apply(this));
    }

    /** A string. */
    public String text() {
        return as(String.class, "a string in quotes");
    }

    /**
     * What a string stands for.
     *
     * @param meaning throws an {@link IllegalArgumentException} if that is nothing
     * @param names what was perhaps meant then
     */
    public <T> T text(Function<String, T> meaning, Collection<String> names) {
        String text = text();
        try {
            return meaning.apply(text);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage() + Suggestion.of(text, names));
        }
    }

    /** The constant that a string names. */
    public <E extends Enum<E>> E constant(Class<E> type) {
        List<String> names = Stream.of(type.getEnumConstants()).map(Node::name).toList();
        int index = names.indexOf(text());
        if (index < 0) {
            throw wrong("'" + text() + "' is not one of " + String.join(", ", names));
        }
        return type.getEnumConstants()[index];
    }

    /** A constant as documents name it: in lower case, words joined by hyphens. */
    public static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it says {@code true}. */
    public boolean flag() {
        return as(Boolean.class, "true or false");
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
        if (value instanceof Number any && any.doubleValue() >= least && any.doubleValue() <= most) {
            return any.doubleValue();
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
        return value instanceof Map
                ? "an object"
                : value instanceof List ? "an array" : value instanceof String ? "'" + value + "'" : value.toString();
    }
}
