package dev.evener.internal.opencl;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A type of OpenCL C by its name.
 *
 * @param name as the driver gives it
 * @param pointer whether it is a pointer to what the rest describes
 * @param bytes size of one component; 0 for {@code void}
 * @param floating whether components are floating-point numbers
 * @param components of a vector; 1 for a scalar
 */
record ClType(String name, boolean pointer, int bytes, boolean floating, int components) {
    private static final Pattern NAME = Pattern.compile("([a-z]+)(2|3|4|8|16)?(\\*?)");
    private static final Map<String, Integer> BYTES = Map.ofEntries(
            Map.entry("void", 0),
            Map.entry("char", 1),
            Map.entry("uchar", 1),
            Map.entry("short", 2),
            Map.entry("ushort", 2),
            Map.entry("half", 2),
            Map.entry("int", 4),
            Map.entry("uint", 4),
            Map.entry("float", 4),
            Map.entry("long", 8),
            Map.entry("ulong", 8),
            Map.entry("double", 8));

    /** The type, or null if it is not one of the language's own: a struct or another name for one. */
    static @Nullable ClType of(@Nullable String name) {
        if (name == null) {
            return null;
        }
        // Drivers should leave out qualifiers and write uint for unsigned int; not all read that far.
        String plain = name.replaceAll("\\b(const|restrict|volatile|__\\w+)\\b", " ")
                .trim()
                .replaceAll("^unsigned( +(char|short|int|long))?\\b", "u$2")
                .replaceAll("^u(?= *\\**$)", "uint")
                .replace(" ", "");
        Matcher matcher = NAME.matcher(plain);
        if (!matcher.matches() || !BYTES.containsKey(matcher.group(1))) {
            return null;
        }
        String base = matcher.group(1);
        return new ClType(
                name,
                !matcher.group(3).isEmpty(),
                BYTES.get(base),
                base.equals("float") || base.equals("double") || base.equals("half"),
                matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2)));
    }

    /** Size of a value in bytes; a vector of three takes the room of four. */
    int size() {
        return bytes * (components == 3 ? 4 : components);
    }
}
