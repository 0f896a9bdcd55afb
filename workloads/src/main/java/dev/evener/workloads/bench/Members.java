package dev.evener.workloads.bench;

import dev.evener.workloads.document.EnumNames;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.Suggestion;
import dev.evener.workloads.workload.Sizes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** What a description says of something: by an option, else of itself, else of everything. Immutable. */
final class Members {
    /** Most elements of an array. */
    static final int MOST = 1000;

    private static final int LONGEST_NAME = 100;
    private static final List<String> RANGE = List.of("from", "to", "times", "plus");

    /** As much as anything here can be told apart by. */
    private static final MathContext DIGITS = MathContext.DECIMAL64;

    private final Node options;
    private final List<Node> levels;

    /** @param levels from what stands first */
    Members(Node options, Node... levels) {
        this.options = options;
        this.levels = List.of(levels);
    }

    /** What a member of that name is read as, wherever it stands first. */
    <T> T get(String name, T otherwise, Function<Node, T> reader) {
        String typed = "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        return Stream.concat(
                        Stream.of(options).map(o -> o.find(typed)),
                        levels.stream().map(l -> l.find(name)))
                .filter(found -> found != null)
                .findFirst()
                .map(reader)
                .orElse(otherwise);
    }

    /** One of the constants of {@code otherwise}'s type. */
    <E extends Enum<E>> E choice(String name, E otherwise) {
        return get(
                name,
                otherwise,
                node -> known(node, text -> EnumNames.named(otherwise.getDeclaringClass(), text), List.of()));
    }

    /** A value, or the values of an array of one at least. */
    static List<Node> list(Node node) {
        return node.isArray() ? node.list(1, MOST) : List.of(node);
    }

    /** A name that fits a line of a table. */
    static String label(Node node) {
        String text = node.text();
        if (text.isBlank() || text.length() > LONGEST_NAME || text.matches("(?s).*\\p{Cntrl}.*")) {
            throw node.wrong("expected a name of 1 to " + LONGEST_NAME + " characters on one line");
        }
        return text;
    }

    /** What a text names; what is wrong with it is said at its place. */
    static <T> T known(Node node, Function<String, T> named, List<String> names) {
        String text = node.text();
        try {
            return named.apply(text);
        } catch (IllegalArgumentException e) {
            throw node.wrong(e.getMessage() + Suggestion.of(text, names));
        }
    }

    // ---- single values, arrays and ranges, which may be mixed ----

    /** Numbers of items, each once; what is no whole number is rounded down. */
    static List<Long> sizes(Node node) {
        List<Long> sizes = new ArrayList<>();
        for (Node each : list(node)) {
            if (each.isObject()) {
                range(each, Members::size).forEach(v -> sizes.add(v.longValue()));
            } else {
                sizes.add(size(each).longValue());
            }
        }
        return distinct(node, sizes);
    }

    private static BigDecimal size(Node node) {
        if (!node.isText()) {
            return BigDecimal.valueOf(node.whole(1, Long.MAX_VALUE));
        }
        try {
            return BigDecimal.valueOf(Sizes.parse(node.text()));
        } catch (IllegalArgumentException e) {
            throw node.wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Values of a parameter as texts, each once. */
    static List<String> texts(Node node) {
        List<String> texts = new ArrayList<>();
        for (Node each : list(node)) {
            if (each.isObject()) {
                range(each, n -> BigDecimal.valueOf(n.number(-1e15, 1e15)))
                        .forEach(v -> texts.add(v.stripTrailingZeros().toPlainString()));
            } else {
                texts.add(each.scalar());
            }
        }
        return distinct(node, texts);
    }

    private static <T> List<T> distinct(Node node, List<T> values) {
        if (values.size() > MOST) {
            throw node.wrong("has more than " + MOST + " values");
        }
        return values.stream().distinct().toList();
    }

    private static List<BigDecimal> range(Node range, Function<Node, BigDecimal> number) {
        range.only(RANGE);
        BigDecimal from = number.apply(range.get("from"));
        BigDecimal to = number.apply(range.get("to"));
        Node times = range.find("times");
        Node plus = range.find("plus");
        if (from.compareTo(to) > 0) {
            throw range.wrong("'from' is above 'to'");
        }
        UnaryOperator<BigDecimal> next;
        if (times != null && plus == null) {
            if (from.signum() <= 0) {
                throw range.wrong("'from' must be above 0 for 'times'");
            }
            BigDecimal factor = BigDecimal.valueOf(times.number(1.001, 1e9));
            next = v -> v.multiply(factor, DIGITS);
        } else if (plus != null && times == null) {
            BigDecimal step = number.apply(plus);
            if (step.signum() <= 0) {
                throw plus.wrong("must be above 0");
            }
            next = v -> v.add(step, DIGITS);
        } else {
            throw range.wrong("expected either 'times' or 'plus' beside 'from' and 'to'");
        }
        List<BigDecimal> values = new ArrayList<>();
        for (BigDecimal value = from; value.compareTo(to) <= 0; value = next.apply(value)) {
            if (values.size() == MOST) { // which also ends steps that vanish beside a large value
                throw range.wrong("has more than " + MOST + " values");
            }
            values.add(value);
        }
        return values;
    }
}
