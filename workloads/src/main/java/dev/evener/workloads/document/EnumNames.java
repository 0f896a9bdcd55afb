package dev.evener.workloads.document;

import java.util.Locale;
import java.util.stream.Collectors;
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
        return Stream.of(type.getEnumConstants())
                .filter(e -> text(e).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is not one of "
                        + Stream.of(type.getEnumConstants())
                                .map(EnumNames::text)
                                .collect(Collectors.joining(", "))));
    }
}
