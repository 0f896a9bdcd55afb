package dev.evener.workloads.bench;

import dev.evener.workloads.document.Node;
import dev.evener.workloads.workload.Sizes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** What stands for one or more values in a description: a single one, a range, or an array of both. Stateless. */
final class ValueList {
    /** Most elements of an array. */
    static final int MOST = 1000;

    private static final List<String> RANGE = List.of("from", "to", "times", "plus");

    /** As much as anything here can be told apart by. */
    private static final MathContext DIGITS = MathContext.DECIMAL64;

    private ValueList() {}

    /** Numbers of items, each once; what is no whole number is rounded down. */
    static List<Long> sizes(Node node) {
        return values(node, n -> size(n).longValue(), ValueList::size, BigDecimal::longValue);
    }

    /** Values of a parameter as texts, each once. */
    static List<String> texts(Node node) {
        return values(
                node,
                Node::scalar,
                n -> BigDecimal.valueOf(n.number(-1e15, 1e15)),
                v -> v.stripTrailingZeros().toPlainString());
    }

    private static <T> List<T> values(
            Node node, Function<Node, T> single, Function<Node, BigDecimal> number, Function<BigDecimal, T> ranged) {
        List<T> values = new ArrayList<>();
        for (Node each : node.each(1, MOST)) {
            if (each.isObject()) {
                range(each, number).forEach(value -> values.add(ranged.apply(value)));
            } else {
                values.add(single.apply(each));
            }
        }
        if (values.size() > MOST) {
            throw node.wrong("has more than " + MOST + " values");
        }
        return values.stream().distinct().toList();
    }

    private static BigDecimal size(Node node) {
        return BigDecimal.valueOf(node.isText() ? node.text(Sizes::parse, List.of()) : node.whole(1, Long.MAX_VALUE));
    }

    private static List<BigDecimal> range(Node range, Function<Node, BigDecimal> number) {
        BigDecimal from = number.apply(range.only(RANGE).get("from"));
        BigDecimal to = number.apply(range.get("to"));
        Node times = range.find("times");
        Node plus = range.find("plus");
        if (from.compareTo(to) > 0) {
            throw range.wrong("'from' is above 'to'");
        }
        if ((times == null) == (plus == null)) {
            throw range.wrong("expected either 'times' or 'plus' beside 'from' and 'to'");
        }
        if (times != null && from.signum() <= 0) {
            throw range.wrong("'from' must be above 0 for 'times'");
        }
        BigDecimal step = times != null
                ? BigDecimal.valueOf(times.number(1.001, 1e9))
                : number.apply(Objects.requireNonNull(plus));
        if (plus != null && step.signum() <= 0) {
            throw plus.wrong("must be above 0");
        }
        List<BigDecimal> values = new ArrayList<>();
        BigDecimal value = from;
        while (value.compareTo(to) <= 0) {
            if (values.size() == MOST) { // which also ends steps that vanish beside a large value
                throw range.wrong("has more than " + MOST + " values");
            }
            values.add(value);
            value = times != null ? value.multiply(step, DIGITS) : value.add(step, DIGITS);
        }
        return values;
    }
}
