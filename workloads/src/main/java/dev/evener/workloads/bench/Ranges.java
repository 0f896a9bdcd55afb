package dev.evener.workloads.bench;

import dev.evener.workloads.document.Node;
import dev.evener.workloads.workload.Sizes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Single values, arrays and ranges, which may be mixed. Stateless. */
final class Ranges {
    private static final int MOST = 1000;
    private static final List<String> NAMES = List.of("from", "to", "times", "plus");

    /** As much as anything here can be told apart by. */
    private static final MathContext DIGITS = MathContext.DECIMAL64;

    private Ranges() {}

    /** Numbers of items, each once; what is no whole number is rounded down. */
    static List<Long> sizes(Node node) {
        List<Long> sizes = new ArrayList<>();
        for (Node each : alternatives(node)) {
            if (each.isObject()) {
                range(each, Ranges::size).forEach(v -> sizes.add(v.longValue()));
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
        for (Node each : alternatives(node)) {
            if (each.isObject()) {
                range(each, n -> BigDecimal.valueOf(n.number(-1e15, 1e15)))
                        .forEach(v -> texts.add(v.stripTrailingZeros().toPlainString()));
            } else {
                texts.add(each.scalar());
            }
        }
        return distinct(node, texts);
    }

    private static List<Node> alternatives(Node node) {
        return node.isArray() ? node.list(1, MOST) : List.of(node);
    }

    private static <T> List<T> distinct(Node node, List<T> values) {
        if (values.size() > MOST) {
            throw node.wrong("has more than " + MOST + " values");
        }
        return values.stream().distinct().toList();
    }

    private static List<BigDecimal> range(Node range, Function<Node, BigDecimal> number) {
        range.only(NAMES);
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
