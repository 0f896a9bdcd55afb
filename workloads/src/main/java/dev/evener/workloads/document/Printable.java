package dev.evener.workloads.document;

/**
 * Text of others made safe to print: an escape sequence in a name could rewrite what a terminal shows. Control characters,
 * and those that change the order of letters or are not seen, become what JSON would have for them, such as {@code \}{@code
 * u001b}. Stateless.
 */
public final class Printable {
    private Printable() {}

    /** Lines, in which tabs stay what they are. */
    public static String lines(String text) {
        return shown(text, "\n\t");
    }

    /** A part of one line, whose line ends become visible as well. */
    public static String inOneLine(String text) {
        return shown(text, "");
    }

    /** A character as it would be escaped. */
    public static String escaped(char c) {
        return String.format("\\u%04x", (int) c);
    }

    private static String shown(String text, String kept) {
        if (text.chars().noneMatch(c -> isControl((char) c))) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            shown.append(isControl(c) && kept.indexOf(c) < 0 ? escaped(c) : String.valueOf(c));
        }
        return shown.toString();
    }

    private static boolean isControl(char c) {
        int type = Character.getType(c);
        return type == Character.CONTROL
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }
}
