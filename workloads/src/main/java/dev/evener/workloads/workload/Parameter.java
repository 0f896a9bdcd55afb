package dev.evener.workloads.workload;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Something about a workload that can be set by name, such as the number of bins of a histogram. Immutable.
 *
 * @param <T> what its values are
 */
public final class Parameter<T> {
    private final String name;
    private final T otherwise;
    private final String expected;
    private final String description;
    private final Function<String, T> parser;
    private final Function<T, Object> plain;

    private Parameter(
            String name,
            T otherwise,
            String expected,
            String description,
            Function<String, T> parser,
            Function<T, Object> plain) {
        this.name = name;
        this.otherwise = otherwise;
        this.expected = expected;
        this.description = description;
        this.parser = parser;
        this.plain = plain;
    }

    /** A whole number from {@code least} to {@code most}. */
    static Parameter<Integer> integer(String name, int otherwise, int least, int most, String description) {
        Function<String, Integer> parser = text -> {
            int value = Integer.parseInt(text);
            if (value < least || value > most) {
                throw new IllegalArgumentException();
            }
            return value;
        };
        return new Parameter<>(
                name, otherwise, "a whole number from " + least + " to " + most, description, parser, v -> v);
    }

    /** A number from {@code least} to {@code most}; any at all if those are infinities. */
    static Parameter<Double> number(String name, double otherwise, double least, double most, String description) {
        Function<String, Double> parser = text -> {
            double value = Double.parseDouble(text);
            if (!(value >= least && value <= most) || Double.isInfinite(value)) {
                throw new IllegalArgumentException();
            }
            return value;
        };
        boolean bounded = Double.isFinite(least);
        String expected = bounded ? "a number from " + least + " to " + most : "a number";
        return new Parameter<>(name, otherwise, expected, description, parser, v -> v);
    }

    /** {@code true} or {@code false}. */
    static Parameter<Boolean> flag(String name, String description) {
        return choice(name, description, false, List.of(false, true), String::valueOf);
    }

    /**
     * A text of some form.
     *
     * @param parser throws an {@link IllegalArgumentException} if a text does not have it
     */
    static Parameter<String> text(
            String name, String otherwise, String expected, String description, UnaryOperator<String> parser) {
        return new Parameter<>(name, otherwise, expected, description, parser, v -> v);
    }

    /** One of the constants of {@code otherwise}'s type, called by their names in lower case with hyphens. */
    static <E extends Enum<E>> Parameter<E> choice(String name, String description, E otherwise) {
        List<E> all = List.of(otherwise.getDeclaringClass().getEnumConstants());
        return choice(
                name,
                description,
                otherwise,
                all,
                e -> e.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** One of several things, called by the names that {@code names} gives them. */
    static <E> Parameter<E> choice(
            String name, String description, E otherwise, List<E> all, Function<E, String> names) {
        Function<String, E> parser = text -> all.stream()
                .filter(e -> names.apply(e).equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(IllegalArgumentException::new);
        String expected = all.stream().map(names).collect(Collectors.joining(", "));
        return new Parameter<>(name, otherwise, "one of " + expected, description, parser, names::apply);
    }

    /** What it is called: lower-case letters and hyphens. */
    public String name() {
        return name;
    }

    /** What it is unless set. */
    public T otherwise() {
        return otherwise;
    }

    /** What it may be set to, such as {@code a whole number from 1 to 8}. */
    public String expected() {
        return expected;
    }

    /** What it means, on one line, without a full stop. */
    public String description() {
        return description;
    }

    /**
     * The value of a text.
     *
     * @throws IllegalArgumentException if it is none, saying what would be
     */
    public T parse(String text) {
        try {
            return parser.apply(text.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + " cannot be '" + text + "'; expected " + expected, e);
        }
    }

    /** A value as a number or a string, which {@link #parse} reads back. */
    Object plain(T value) {
        return plain.apply(value);
    }

    /** The value that applies unless another is set, as the user would write it. */
    public String otherwiseText() {
        return plain(otherwise).toString();
    }
}
