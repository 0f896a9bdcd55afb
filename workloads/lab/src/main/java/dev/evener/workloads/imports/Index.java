package dev.evener.workloads.imports;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a subscript of a kernel's text may be, as sums of products: of numbers, names, {@code #0} for {@code get_global_id(0)} and so on, and
 * {@code ?} for whatever else. Where the text chooses, as by {@code a ? b : c}, there are several. One thread.
 */
final class Index {
    /** What nobody knows. */
    static final String UNKNOWN = "?";

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z_]\\w*|\\d[\\w.]*|<<|>>|[<>=!]=|&&|\\|\\||\\S");
    private static final Pattern CAST = Pattern.compile(
            "(?:const|unsigned|signed|int|uint|long|ulong|size_t|short|ushort|char|uchar|float|double)");
    private static final int MOST = 32;
    private static final int DEEPEST = 24;

    private final List<String> tokens = new ArrayList<>();
    private final Function<String, @Nullable String> definitions;
    private final int depth;
    private int at;

    private Index(String text, Function<String, @Nullable String> definitions, int depth) {
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            tokens.add(token.group());
        }
        this.definitions = definitions;
        this.depth = depth;
    }

    /**
     * What an expression may be.
     *
     * @param definitions what each name stands for that has one value; null for others
     */
    static List<Map<String, Long>> of(String text, Function<String, @Nullable String> definitions) {
        return of(text, definitions, 0);
    }

    private static List<Map<String, Long>> of(String text, Function<String, @Nullable String> definitions, int depth) {
        Index reader = new Index(text, definitions, depth);
        List<Map<String, Long>> all = depth > DEEPEST ? unknown() : reader.choice();
        return reader.at < reader.tokens.size() && depth <= DEEPEST ? unknown() : all;
    }

    private static List<Map<String, Long>> unknown() {
        return List.of(Map.of(UNKNOWN, 1L));
    }

    private String next() {
        return at < tokens.size() ? tokens.get(at) : "";
    }

    private boolean takes(String token) {
        boolean is = next().equals(token);
        at += is ? 1 : 0;
        return is;
    }

    private List<Map<String, Long>> choice() {
        List<Map<String, Long>> first = compared();
        if (!takes("?")) {
            return first;
        }
        List<Map<String, Long>> either = new ArrayList<>(choice());
        if (takes(":")) {
            either.addAll(choice());
        }
        return either;
    }

    private List<Map<String, Long>> compared() {
        List<Map<String, Long>> first = sum();
        while (Pattern.matches("[<>&|^]|[<>=!]=|&&|\\|\\||<<|>>", next())) {
            boolean shifted = takes("<<");
            at += shifted ? 0 : 1;
            List<Map<String, Long>> second = sum();
            Long by = second.size() == 1 ? constant(second.get(0)) : null;
            first = shifted && by != null && by >= 0 && by < 32
                    ? combined(first, List.of(Map.of("", 1L << by)), Index::product)
                    : unknown();
        }
        return first;
    }

    private List<Map<String, Long>> sum() {
        List<Map<String, Long>> all = product();
        while (next().equals("+") || next().equals("-")) {
            long sign = takes("+") ? 1 : -1;
            at += sign < 0 ? 1 : 0;
            all = combined(all, product(), (one, other) -> added(one, other, sign));
        }
        return all;
    }

    private List<Map<String, Long>> product() {
        List<Map<String, Long>> all = factor();
        while (next().equals("*") || next().equals("/") || next().equals("%")) {
            boolean times = next().equals("*");
            at++;
            List<Map<String, Long>> other = factor();
            all = times ? combined(all, other, Index::product) : divided(all, other);
        }
        return all;
    }

    /** Numbers alone are divided; a part of an index is anything. */
    private static List<Map<String, Long>> divided(List<Map<String, Long>> all, List<Map<String, Long>> by) {
        Long one = all.size() == 1 ? constant(all.get(0)) : null;
        Long other = by.size() == 1 ? constant(by.get(0)) : null;
        return one != null && other != null && other > 0 ? List.of(Map.of("", one / other)) : unknown();
    }

    private List<Map<String, Long>> factor() {
        if (takes("-")) {
            return combined(List.of(Map.of()), factor(), (none, it) -> added(none, it, -1));
        }
        if (takes("+")) {
            return factor();
        }
        if (takes("(")) {
            int start = at;
            while (CAST.matcher(next()).matches()) {
                at++;
            }
            if (at > start && takes(")")) {
                return factor();
            }
            at = start;
            List<Map<String, Long>> inner = choice();
            return takes(")") ? part(inner) : skipped();
        }
        String word = next();
        at++;
        if (word.matches("\\d.*")) {
            String digits = word.replaceAll("[uUlL]+$", "");
            return digits.matches("\\d{1,9}|0[xX][0-9a-fA-F]{1,7}")
                    ? List.of(Map.of("", (long)
                            Integer.decode(digits.equals("0") ? "0" : digits.replaceFirst("^0+(?=\\d)", ""))))
                    : unknown();
        }
        if (!word.matches("[A-Za-z_]\\w*")) {
            return skipped();
        }
        return takes("(") ? call(word) : next().equals(".") ? component(word) : part(named(word));
    }

    private List<Map<String, Long>> skipped() {
        at = tokens.size();
        return unknown();
    }

    /** An element, or a part, of something is not it. */
    private List<Map<String, Long>> part(List<Map<String, Long>> all) {
        boolean some = next().equals(".") || next().equals("[") || next().equals("++") || next().equals("->");
        return some ? skipped() : all;
    }

    private List<Map<String, Long>> named(String word) {
        String definition = definitions.apply(word);
        return definition == null ? List.of(Map.of(word, 1L)) : of(definition, definitions, depth + 1);
    }

    /** Of a vector that is made of its components: {@code (int2)(x, y)}. */
    private List<Map<String, Long>> component(String word) {
        at++;
        String which = next();
        at++;
        int number = List.of("x", "y", "z", "w").indexOf(which);
        number = number < 0 ? List.of("s0", "s1", "s2", "s3").indexOf(which) : number;
        List<String> parts = vector(definitions.apply(word));
        return number >= 0 && number < parts.size() ? of(parts.get(number), definitions, depth + 1) : unknown();
    }

    /** The components of a vector's text; none if it is not written so. */
    static List<String> vector(@Nullable String text) {
        Matcher literal = Pattern.compile("\\s*\\(\\s*\\w+\\d+\\s*\\)\\s*\\((.*)\\)\\s*", Pattern.DOTALL)
                .matcher(text == null ? "" : text);
        return literal.matches() ? parts(literal.group(1), ',') : List.of();
    }

    private List<Map<String, Long>> call(String function) {
        List<List<Map<String, Long>>> given = new ArrayList<>();
        while (at < tokens.size() && !takes(")")) {
            given.add(choice());
            if (!next().equals(")") && !takes(",")) {
                return skipped();
            }
        }
        Long first = given.size() == 1 && given.get(0).size() == 1
                ? constant(given.get(0).get(0))
                : null;
        return switch (function) {
            case "get_global_id" -> first == null ? unknown() : List.of(Map.of("#" + first, 1L));
            case "mul24" -> given.size() == 2 ? combined(given.get(0), given.get(1), Index::product) : unknown();
            case "mad24" ->
                given.size() == 3
                        ? combined(
                                combined(given.get(0), given.get(1), Index::product),
                                given.get(2),
                                (one, other) -> added(one, other, 1))
                        : unknown();
            // Which of them it is, the text leaves open; that of a bound belongs to the edge.
            case "min", "max", "clamp" ->
                given.isEmpty()
                        ? unknown()
                        : nearest(given.stream().flatMap(List::stream).toList());
            default -> unknown();
        };
    }

    /** What moves with the work-item; a bound that does not is at an edge, where those that move are too. */
    private static List<Map<String, Long>> nearest(List<Map<String, Long>> all) {
        List<Map<String, Long>> moving = all.stream()
                .filter(each -> each.keySet().stream().anyMatch(key -> key.contains("#")))
                .toList();
        return moving.isEmpty() ? unknown() : moving;
    }

    private interface Operation {
        Map<String, Long> of(Map<String, Long> one, Map<String, Long> other);
    }

    private static List<Map<String, Long>> combined(
            List<Map<String, Long>> ones, List<Map<String, Long>> others, Operation operation) {
        if (ones.size() * others.size() > MOST) {
            return unknown();
        }
        return ones.stream()
                .flatMap(one -> others.stream().map(other -> operation.of(one, other)))
                .toList();
    }

    private static Map<String, Long> added(Map<String, Long> one, Map<String, Long> other, long sign) {
        Map<String, Long> sum = new TreeMap<>(one);
        other.forEach((key, count) -> sum.merge(key, sign * count, Long::sum));
        sum.values().removeIf(count -> count == 0);
        return sum;
    }

    private static Map<String, Long> product(Map<String, Long> one, Map<String, Long> other) {
        Map<String, Long> all = new TreeMap<>();
        one.forEach((key, count) -> other.forEach((key2, count2) -> all.merge(
                String.join(
                        "*",
                        Stream.of((key + "*" + key2).split("\\*"))
                                .filter(name -> !name.isEmpty())
                                .sorted()
                                .toList()),
                count * count2,
                Long::sum)));
        all.values().removeIf(count -> count == 0);
        return all;
    }

    /** The number that it is; null if it is more. */
    static @Nullable Long constant(Map<String, Long> sum) {
        return sum.isEmpty() ? (Long) 0L : sum.size() == 1 ? sum.get("") : null;
    }

    /** What stands between separators that are in no brackets. */
    static List<String> parts(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
            if (c == separator && depth == 0) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        if (!text.substring(start).isBlank()) {
            parts.add(text.substring(start));
        }
        return parts;
    }
}
