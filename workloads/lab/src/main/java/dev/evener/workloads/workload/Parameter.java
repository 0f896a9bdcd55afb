package dev.evener.workloads.workload;

import dev.evener.ElementType;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Something about a workload that can be set by name, such as the number of bins of a histogram. Immutable.
 *
 * @param <T> what its values are
 * @param name what it is called: lower-case letters and hyphens
 * @param otherwise what it is unless set
 * @param expected what it may be set to, such as {@code a whole number from 1 to 8}
 * @param description what it means, on one line, without a full stop
 * @param parser makes a value of a text, or throws an {@link IllegalArgumentException}
 * @param plain makes a number or a string of a value, which the parser reads back
 */
public record Parameter<T>(
        String name,
        T otherwise,
        String expected,
        String description,
        Function<String, T> parser,
        Function<T, Object> plain) {

    /** A whole number from {@code least} to {@code most}. */
    public static Parameter<Integer> integer(String name, int otherwise, int least, int most, String description) {
        String expected = "a whole number from " + least + " to " + most;
        return new Parameter<>(
                name,
                otherwise,
                expected,
                description,
                text -> within(Integer.parseInt(text), least, most).intValue(),
                v -> v);
    }

    /** A number from {@code least} to {@code most}; any at all if those are infinities. */
    public static Parameter<Double> number(
            String name, double otherwise, double least, double most, String description) {
        String expected = Double.isFinite(least) ? "a number from " + least + " to " + most : "a number";
        return new Parameter<>(
                name, otherwise, expected, description, text -> within(Double.parseDouble(text), least, most), v -> v);
    }

    private static Double within(double value, double least, double most) {
        if (!(value >= least && value <= most) || Double.isInfinite(value)) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    /** {@code true} or {@code false}. */
    public static Parameter<Boolean> flag(String name, String description) {
        return choice(name, description, false, List.of(false, true), String::valueOf);
    }

    /**
     * A text of some form.
     *
     * @param parser throws an {@link IllegalArgumentException} if a text does not have it
     */
    public static Parameter<String> text(
            String name, String otherwise, String expected, String description, UnaryOperator<String> parser) {
        return new Parameter<>(name, otherwise, expected, description, parser, v -> v);
    }

    /** The type of a workload's elements, by its name in OpenCL C; the first is the default. */
    public static Parameter<ElementType> type(ElementType... types) {
        return choice("type", "type of the elements", types[0], List.of(types), ElementType::openClName);
    }

    /** One of the constants of {@code otherwise}'s type, called by their names in lower case with hyphens. */
    public static <E extends Enum<E>> Parameter<E> choice(String name, String description, E otherwise) {
        List<E> all = List.of(otherwise.getDeclaringClass().getEnumConstants());
        return choice(
                name,
                description,
                otherwise,
                all,
                e -> e.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** One of several things, called by the names that {@code names} gives them. */
    public static <E> Parameter<E> choice(
            String name, String description, E otherwise, List<E> all, Function<E, String> names) {
        Function<String, E> parser = text -> all.stream()
                .filter(e -> names.apply(e).equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(IllegalArgumentException::new);
        String expected = all.stream().map(names).collect(Collectors.joining(", "));
        return new Parameter<>(name, otherwise, "one of " + expected, description, parser, names::apply);
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

    /** The value that applies unless another is set, as the user would write it. */
    public String otherwiseText() {
        return plain.apply(otherwise).toString();
    }
}
