package dev.evener.internal.source;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * OpenCL C as the first phases of a preprocessor read it: logical lines, which a backslash continues, with a blank for each comment, and the
 * place that a compiler tells of each, which {@code #line} sets. Macros are not expanded and conditions not decided: what depends on
 * them is left to the compiler.
 */
public final class SourceLines {
    private static final Pattern DIRECTIVE = Pattern.compile("\\s*(?:#|%:)\\s*(\\w*)\\s*(.*?)\\s*", Pattern.DOTALL);
    private static final Pattern INCLUDED = Pattern.compile("\"([^\"]+)\".*|<([^>]+)>.*", Pattern.DOTALL);
    private static final Pattern PLACE = Pattern.compile("(\\d+)(?:\\s+\"(.*)\")?.*", Pattern.DOTALL);
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'");
    private static final Pattern GUARD = Pattern.compile("\\(?\\s*(\\w+)\\s*\\)?");

    /** How deep texts may include others, and how long they may become by it: compilers have limits, too. */
    private static final int DEEPEST = 32;

    private static final int LONGEST = 1 << 26;

    private SourceLines() {}

    /**
     * A logical line.
     *
     * @param begin where it begins in the text
     * @param end behind its end, and that of its last physical line
     * @param code what it says: no comments and no continuations
     * @param directive the directive's name if it is one, else empty
     * @param rest what stands behind that name
     * @param file the name in the last {@code #line} before it, or the text's
     * @param number of its first physical line, as a compiler counts
     */
    public record Line(int begin, int end, String code, String directive, String rest, String file, int number) {
        private boolean isBlank() {
            return code.isBlank();
        }

        /** What it says, with something in place of each string and character. */
        public String replacing(Function<MatchResult, String> strings) {
            return isQuoted(code) ? STRING.matcher(code).replaceAll(strings) : code;
        }
    }

    private static boolean isQuoted(String code) {
        return code.indexOf('"') >= 0 || code.indexOf('\'') >= 0;
    }

    /** The lines of a text that has a name. */
    public static List<Line> of(String text, String name) {
        List<Line> lines = new ArrayList<>();
        Reader reader = new Reader(text);
        String file = displayed(name);
        int number = 1;
        while (reader.at < text.length()) {
            int begin = reader.at;
            String code = reader.line();
            Matcher directive = DIRECTIVE.matcher(code);
            boolean is = (code.indexOf('#') >= 0 || code.indexOf("%:") >= 0) && directive.matches();
            Line line = new Line(
                    begin, reader.at, code, is ? directive.group(1) : "", is ? directive.group(2) : "", file, number);
            lines.add(line);
            number += reader.at - begin == code.length() + 1 ? 1 : newlines(text, begin, reader.at);
            boolean numbered = is && line.directive.matches("\\d+"); // as preprocessors write it
            Matcher place = PLACE.matcher(
                    numbered ? line.directive + " " + line.rest : line.directive.equals("line") ? line.rest : "");
            if (is && place.matches() && place.group(1).length() < 10) {
                number = Integer.parseInt(place.group(1));
                file = place.group(2) == null ? file : place.group(2);
            }
        }
        return lines;
    }

    private static int newlines(String text, int from, int to) {
        return text.substring(from, to).split("\n", -1).length - 1;
    }

    /** Goes through a text by characters as they are when continued lines have been joined. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        /** The present character, or 0 at the end. */
        private char here() {
            int end = at;
            while (end < text.length() && text.charAt(end) == '\\' && (end = afterNewline(end + 1)) > 0) {
                at = end;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        /** What is behind blanks, if that is the end of a physical line, and the end of that; else -1. */
        private int afterNewline(int from) {
            int end = from;
            while (end < text.length() && " \t\r".indexOf(text.charAt(end)) >= 0) {
                end++;
            }
            return end < text.length() && text.charAt(end) == '\n' ? end + 1 : -1;
        }

        private char next() {
            at++;
            return here();
        }

        private boolean isEnd(char c) {
            return c == '\n' || (c == 0 && at >= text.length());
        }

        String line() {
            int newline = text.indexOf('\n', at);
            String physical = text.substring(at, newline < 0 ? text.length() : newline);
            if (!isQuoted(physical) && physical.indexOf('/') < 0 && physical.indexOf('\\') < 0) { // mostly
                at = Math.min(text.length(), at + physical.length() + 1);
                return physical;
            }
            StringBuilder code = new StringBuilder();
            char c = here();
            while (!isEnd(c)) {
                if (c == '/' && isComment()) {
                    code.append(' ');
                    c = here();
                } else if (c == '"' || c == '\'') {
                    char quote = c;
                    do {
                        code.append(c);
                        if (c == '\\') {
                            c = next();
                            code.append(isEnd(c) ? "" : c);
                        }
                        c = isEnd(c) ? c : next();
                    } while (c != quote && !isEnd(c));
                    if (c == quote) {
                        code.append(c);
                        c = next();
                    }
                } else {
                    code.append(c);
                    c = next();
                }
            }
            at = Math.min(text.length(), at + 1);
            return code.toString();
        }

        /** Whether the slash here begins a comment, which is then behind. */
        private boolean isComment() {
            int slash = at;
            char c = next();
            if (c == '/') {
                while (!isEnd(c)) {
                    c = next();
                }
                return true;
            }
            if (c != '*') {
                at = slash;
                return false;
            }
            c = next();
            for (char before = 0; !(before == '*' && c == '/') && at < text.length(); c = next()) {
                before = c;
            }
            if (at < text.length()) {
                at++;
            }
            return true;
        }
    }

    /** A name as it stands in {@code #line}, and so in what compilers say. */
    public static String displayed(String name) {
        return name.replace('\\', '/').replace('"', '\'').replaceAll("\\R", " ");
    }

    /** The physical line of a text that a compiler means by a place, without blanks around; empty if there is none. */
    public static String physicalLine(String text, String name, String file, int number) {
        String found = "";
        for (Line line : of(text, name)) { // the last one: what macros put in front counts from 1 as well
            int skipped = number - line.number;
            if (line.file.equals(file) && skipped >= 0) {
                String[] physical = text.substring(line.begin, line.end)
                        .replaceFirst("\\n\\z", "")
                        .split("\n", -1);
                found = skipped < physical.length ? physical[skipped].strip() : found;
            }
        }
        return found;
    }

    /** Finds what texts include. */
    @FunctionalInterface
    public interface Headers {
        /**
         * What a text includes by a name.
         *
         * @return null if that is not known, and to be left to the compiler
         */
        @Nullable
        Header find(String name, Header from);
    }

    /**
     * A text that others include.
     *
     * @param name for compilers' messages
     * @param key one text has one
     */
    public record Header(String name, Object key, String text) {
        public Header {
            text = withoutMark(text);
        }
    }

    /** A text without the byte order mark with which editors begin files. */
    public static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /**
     * A text with what it includes in its place, each part behind a {@code #line} that says where it is from. A text that has
     * {@code #pragma once} or a guard is not put where it is known to have been.
     *
     * @throws IllegalArgumentException if texts include each other without end
     */
    public static String expanded(Header text, Headers headers) {
        Inclusion all = new Inclusion(headers);
        all.add(text, new ArrayList<>(), true);
        return all.out.toString();
    }

    private static final class Inclusion {
        private final Headers headers;
        private final StringBuilder out = new StringBuilder();
        private final Set<Object> met =
                new HashSet<>(); // guarded texts that the compiler has seen, whatever its conditions

        Inclusion(Headers headers) {
            this.headers = headers;
        }

        /**
         * @param around the texts that include it, the outermost first
         * @param certain whether no condition but guards stands around it
         */
        private void add(Header text, List<Header> around, boolean certain) {
            if (around.size() > DEEPEST || out.length() > LONGEST) {
                throw new IllegalArgumentException("kernel sources include each other more than " + DEEPEST
                        + " deep, the last " + text.name + "; write #pragma once into those that are included");
            }
            List<Line> lines = of(text.text, text.name);
            boolean once = isOnce(lines) && !around.isEmpty();
            boolean guarded = once || isGuarded(lines);
            if (guarded && (met.contains(text.key) || around.stream().anyMatch(a -> a.key.equals(text.key)))) {
                return;
            }
            List<Header> within = new ArrayList<>(around);
            within.add(text);
            if (!around.isEmpty()) {
                if (once) { // only the compiler knows whether it has been where that is under a condition
                    String guard =
                            "EVENER_ONCE_" + Integer.toHexString(text.text.hashCode()) + "_" + text.text.length();
                    out.append("#ifndef ")
                            .append(guard)
                            .append("\n#define ")
                            .append(guard)
                            .append('\n');
                }
                place(1, text.name);
            }
            int depth = guarded && !once ? -1 : 0;
            for (Line line : lines) {
                depth += line.directive.startsWith("if") ? 1 : line.directive.equals("endif") ? -1 : 0;
                Matcher name = INCLUDED.matcher(line.directive.equals("include") ? line.rest : "");
                Header header = name.matches()
                        ? headers.find(name.group(1) == null ? name.group(2) : name.group(1), text)
                        : null;
                if (header != null) {
                    add(header, within, certain && depth == 0);
                    place(line.number + newlines(text.text, line.begin, line.end), line.file);
                } else if (line.directive.equals("pragma") && line.rest.equals("once")) {
                    out.append("\n".repeat(newlines(text.text, line.begin, line.end)));
                } else {
                    out.append(text.text, line.begin, line.end);
                }
            }
            if (once) {
                startLine();
                out.append("#endif\n");
            }
            if (guarded && certain) {
                met.add(text.key);
            }
        }

        private void place(int number, String file) {
            startLine();
            out.append("#line ")
                    .append(number)
                    .append(" \"")
                    .append(displayed(file))
                    .append("\"\n");
        }

        private void startLine() {
            if (out.length() > 0 && out.charAt(out.length() - 1) != '\n') {
                out.append('\n');
            }
        }
    }

    private static boolean isOnce(List<Line> lines) {
        return lines.stream().anyMatch(each -> each.directive.equals("pragma") && each.rest.equals("once"));
    }

    /** Whether all of a text stands between {@code #ifndef NAME}, {@code #define NAME} and their {@code #endif}. */
    private static boolean isGuarded(List<Line> lines) {
        List<Line> said = lines.stream().filter(each -> !each.isBlank()).toList();
        if (said.size() < 3) {
            return false;
        }
        Line first = said.get(0);
        String condition = first.directive.equals("ifndef")
                ? first.rest
                : first.directive.equals("if") && first.rest.matches("!\\s*defined\\b.*")
                        ? first.rest.replaceFirst("!\\s*defined\\s*", "")
                        : "";
        Matcher name = GUARD.matcher(condition);
        if (!name.matches() || !said.get(1).directive.equals("define")) {
            return false;
        }
        String guard = Objects.requireNonNull(name.group(1));
        boolean is = said.get(1).rest.matches(guard + "\\b.*");
        int depth = 0;
        for (int i = 0; i < said.size(); i++) {
            Line line = said.get(i);
            depth += line.directive.startsWith("if") ? 1 : line.directive.equals("endif") ? -1 : 0;
            boolean last = i == said.size() - 1;
            is &= depth > 0 != last
                    && !(depth == 1 && line.directive.startsWith("el"))
                    && !(line.directive.equals("undef") && line.rest.equals(guard));
        }
        return is;
    }
}
