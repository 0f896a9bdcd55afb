package dev.evener.workloads.document;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Constants by the names that files have for them: lower case, words joined by hyphens. Stateless. */
public final class EnumNames {
    private EnumNames() {}

    /** The name of a constant. */
    public static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The constant of that name.
     *
     * @throws IllegalArgumentException if there is none, naming those there are
     */
    public static <E extends Enum<E>> E named(Class<E> type, String text) {
        List<String> names =
                Stream.of(type.getEnumConstants()).map(EnumNames::text).toList();
        if (!names.contains(text)) {
            throw new IllegalArgumentException("'" + text + "' is not one of " + String.join(", ", names));
        }
        return type.getEnumConstants()[names.indexOf(text)];
    }
}
