package dev.evener.record;

import dev.evener.DeviceKind;
import dev.evener.Report;
import java.io.Serial;
import java.math.BigInteger;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Values of a record's fields, each what it should be or refused. Messages show what was found, cut short. Stateless. */
final class Checked {
    private Checked() {}

    /** What is wrong with a line, before its place is known. */
    static final class WrongLine extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        WrongLine(String message) {
            super(message);
        }
    }

    /** @param what as messages name it */
    static long whole(String what, @Nullable Object value, long least, long most) throws WrongLine {
        if (!(value instanceof Long || value instanceof Integer)) {
            throw new WrongLine(what + " must be a whole number, not " + shown(value));
        }
        long number = ((Number) value).longValue();
        if (number < least || number > most) {
            throw new WrongLine(what + " is " + number + " and must be between " + least + " and " + most);
        }
        return number;
    }

    static boolean flag(String what, @Nullable Object value) throws WrongLine {
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw new WrongLine(what + " must be true or false, not " + shown(value));
    }

    static String text(String what, @Nullable Object value) throws WrongLine {
        if (value instanceof String text) {
            return text;
        }
        throw new WrongLine(what + " must be text, not " + shown(value));
    }

    static Map<?, ?> object(String what, @Nullable Object value) throws WrongLine {
        if (value instanceof Map<?, ?> object) {
            return object;
        }
        throw new WrongLine(what + " must be an object, not " + shown(value));
    }

    static List<?> list(String what, @Nullable Object value, int most) throws WrongLine {
        if (!(value instanceof List<?> list)) {
            throw new WrongLine(what + " must be a list, not " + shown(value));
        }
        if (list.size() > most) {
            throw new WrongLine(what + " has " + list.size() + " entries and may have " + most);
        }
        return list;
    }

    /** An object all of whose fields are texts. */
    static Map<String, String> texts(String what, @Nullable Object value) throws WrongLine {
        Map<String, String> all = new LinkedHashMap<>();
        for (Map.Entry<?, ?> each : object(what, value).entrySet()) {
            all.put((String) each.getKey(), text(shown(each.getKey()), each.getValue()));
        }
        return all;
    }

    /** A text, or what is written as one: a path, a date, a constant, a digest. */
    static Object parsed(Class<?> type, String what, boolean digest, @Nullable Object value) throws WrongLine {
        String text = text(what, value);
        try {
            if (type == Path.class) {
                return Path.of(text);
            }
            if (type == Instant.class) {
                return Instant.parse(text);
            }
        } catch (InvalidPathException e) {
            throw new WrongLine(what + " is " + shown(text) + ", which is no name of a file here");
        } catch (DateTimeException e) {
            throw new WrongLine(what + " must be like 2026-01-31T12:00:00Z, not " + shown(text));
        }
        if (type.isEnum()) {
            for (Object each : type.getEnumConstants()) {
                if (each.toString().equals(text)) {
                    return each;
                }
            }
            throw new WrongLine(what + " is " + shown(text) + ", which is no "
                    + (type == DeviceKind.class
                            ? "kind of device"
                            : type == Report.Cause.class ? "cause of a transfer" : "use of a buffer"));
        }
        if (digest && !text.matches("[0-9a-f]{64}")) {
            throw new WrongLine(what + " must be 64 hexadecimal digits in lower case, not " + shown(text));
        }
        return text;
    }

    /** A value as messages show it: short, on one line. */
    static String shown(@Nullable Object value) {
        if (value instanceof String text) {
            return "\"" + plain(text, 60) + "\"";
        }
        // The digits of a number that is too large would take a while.
        return value == null
                ? "nothing"
                : value instanceof Map
                        ? "an object"
                        : value instanceof List
                                ? "a list"
                                : value instanceof BigInteger ? "a number that is too large" : value.toString();
    }

    /** Printable ASCII of a text, so long at most. */
    static String plain(String text, int longest) {
        String cut = text.length() <= longest ? text : text.substring(0, longest) + "...";
        return cut.chars()
                .mapToObj(c -> c < ' ' || c > '~' ? "?" : Character.toString(c))
                .collect(Collectors.joining());
    }
}
