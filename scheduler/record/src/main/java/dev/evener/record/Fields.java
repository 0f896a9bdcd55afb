package dev.evener.record;

import java.io.Serial;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object in a record, each of which must be there and be what it should be. Fields that nobody asks for are
 * passed over: later versions of the format may add some. Messages name the field and show what was found, cut short.
 */
final class Fields {
    private static final int SHOWN = 60;

    private final Map<?, ?> map;

    Fields(Map<?, ?> map) {
        this.map = map;
    }

    /** What is wrong with a line. */
    static final class Wrong extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    boolean has(String name) {
        return map.containsKey(name);
    }

    long whole(String name, long least, long most) throws Wrong {
        return whole("\"" + name + "\"", map.get(name), least, most);
    }

    private static long whole(String what, @Nullable Object value, long least, long most) throws Wrong {
        if (!(value instanceof Long || value instanceof Integer)) {
            throw new Wrong(what + " must be a whole number, not " + shown(value));
        }
        long number = ((Number) value).longValue();
        if (number < least || number > most) {
            throw new Wrong(what + " is " + number + " and must be between " + least + " and " + most);
        }
        return number;
    }

    int index(String name, int end) throws Wrong {
        if (end == 0) {
            throw new Wrong("\"" + name + "\" refers to one of none");
        }
        return (int) whole(name, 0, end - 1);
    }

    long count(String name) throws Wrong {
        return whole(name, 0, Long.MAX_VALUE);
    }

    /** A moment; before the record began, too, as clocks of devices are laid on that of the host. */
    long time(String name) throws Wrong {
        return whole(name, -RecordReader.LATEST, RecordReader.LATEST);
    }

    boolean flag(String name) throws Wrong {
        if (map.get(name) instanceof Boolean flag) {
            return flag;
        }
        throw new Wrong("\"" + name + "\" must be true or false, not " + shown(map.get(name)));
    }

    String text(String name) throws Wrong {
        return text("\"" + name + "\"", map.get(name));
    }

    private static String text(String what, @Nullable Object value) throws Wrong {
        if (value instanceof String text) {
            return text;
        }
        throw new Wrong(what + " must be text, not " + shown(value));
    }

    /** A text; null where null is written, or nothing. */
    @Nullable
    String textOrNull(String name) throws Wrong {
        return map.get(name) == null ? null : text(name);
    }

    /** SHA-256 in hexadecimal digits. */
    String sha256(String name) throws Wrong {
        String digest = text(name);
        if (!digest.matches("[0-9a-f]{64}")) {
            throw new Wrong("\"" + name + "\" must be 64 hexadecimal digits in lower case, not " + shown(digest));
        }
        return digest;
    }

    private List<?> list(String name, int most) throws Wrong {
        if (!(map.get(name) instanceof List<?> list)) {
            throw new Wrong("\"" + name + "\" must be a list, not " + shown(map.get(name)));
        }
        if (list.size() > most) {
            throw new Wrong("\"" + name + "\" has " + list.size() + " entries and may have " + most);
        }
        return list;
    }

    List<Fields> objects(String name, int most) throws Wrong {
        List<Fields> all = new ArrayList<>();
        for (Object each : list(name, most)) {
            if (!(each instanceof Map<?, ?> object)) {
                throw new Wrong("\"" + name + "\" must hold objects, not " + shown(each));
            }
            all.add(new Fields(object));
        }
        return all;
    }

    List<Long> wholes(String name, long least, long greatest, int most) throws Wrong {
        List<Long> all = new ArrayList<>();
        for (Object each : list(name, most)) {
            all.add(whole("an entry of \"" + name + "\"", each, least, greatest));
        }
        return all;
    }

    List<String> texts(String name, int most) throws Wrong {
        List<String> all = new ArrayList<>();
        for (Object each : list(name, most)) {
            all.add(text("an entry of \"" + name + "\"", each));
        }
        return all;
    }

    Fields object(String name) throws Wrong {
        if (map.get(name) instanceof Map<?, ?> object) {
            return new Fields(object);
        }
        throw new Wrong("\"" + name + "\" must be an object, not " + shown(map.get(name)));
    }

    /** All fields, which must be texts. */
    Map<String, String> allTexts() throws Wrong {
        Map<String, String> all = new LinkedHashMap<>();
        for (Map.Entry<?, ?> each : map.entrySet()) {
            String name = String.valueOf(each.getKey());
            all.put(name, text("\"" + shortened(name) + "\"", each.getValue()));
        }
        return all;
    }

    /** The name of the first field; null if there is none. */
    @Nullable
    String first() {
        return map.isEmpty() ? null : String.valueOf(map.keySet().iterator().next());
    }

    /** A value as messages show it: short, on one line. */
    static String shown(@Nullable Object value) {
        if (value == null) {
            return "nothing";
        }
        if (value instanceof Map<?, ?>) {
            return "an object";
        }
        if (value instanceof List<?>) {
            return "a list";
        }
        if (value instanceof BigInteger) { // whose digits would take a while
            return "a number that is too large";
        }
        return value instanceof String text ? "\"" + shortened(text) + "\"" : String.valueOf(value);
    }

    private static String shortened(String text) {
        String cut = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
        return cut.chars()
                .mapToObj(c -> c < ' ' || c > '~' ? "?" : Character.toString(c))
                .collect(Collectors.joining());
    }
}
