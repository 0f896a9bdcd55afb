package dev.evener.workloads.bench;

import dev.evener.workloads.document.EnumNames;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.Suggestion;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a description says of something: by an option, else of itself, else of everything. Immutable. */
final class Members {
    /** Most elements of an array. */
    static final int MOST = 1000;

    private static final int LONGEST_NAME = 100;

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
}
