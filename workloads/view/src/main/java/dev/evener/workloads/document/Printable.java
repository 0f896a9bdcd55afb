package dev.evener.workloads.document;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Text of others made safe to print: an escape sequence in a name could rewrite what a terminal shows. Control characters,
 * and those that change the order of letters or are not seen, become what JSON would have for them, such as {@code \}{@code
 * u001b}. Stateless.
 */
public final class Printable {
    private static final Pattern UNSAFE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    private static final Pattern UNSAFE_IN_LINES = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n\t]]");

    private Printable() {}

    /** Lines, in which tabs stay what they are. */
    public static String lines(String text) {
        return escaped(UNSAFE_IN_LINES, text);
    }

    /** A part of one line, whose line ends become visible as well. */
    public static String inOneLine(String text) {
        return escaped(UNSAFE, text);
    }

    /** A character as it would be escaped. */
    public static String escaped(char c) {
        return String.format("\\u%04x", (int) c);
    }

    private static String escaped(Pattern unsafe, String text) {
        return unsafe.matcher(text)
                .replaceAll(m -> Matcher.quoteReplacement(
                        m.group().chars().mapToObj(c -> escaped((char) c)).collect(Collectors.joining())));
    }
}
