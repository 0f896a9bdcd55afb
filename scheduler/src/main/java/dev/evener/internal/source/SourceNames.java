package dev.evener.internal.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which names a source may use. What macros, conditions and options make of it is not worked out: a name that could come
 * about counts as used.
 *
 * @param code what is no directive, without comments, the content of strings, and attributes; a {@code #} stands for each directive that
 *     is no pragma
 * @param directives those, and the compiler's options
 * @param macros what each macro may stand for, a line for each of its definitions
 * @param includes whether the compiler includes texts that are not known
 * @param pastes whether names may be put together from parts
 */
public record SourceNames(
        String code, String directives, Map<String, String> macros, boolean includes, boolean pastes) {
    private static final Pattern ATTRIBUTE = Pattern.compile("\\b__attribute__\\s*\\(");

    private static final Pattern MACRO = Pattern.compile("(\\w+)(\\([^)]*\\))?(.*)", Pattern.DOTALL);

    private static final Pattern OPTION = Pattern.compile("-D\\s*[\"']?(\\w+)([^\\s=]*)(?:=(\\S*))?");

    private static final Pattern TYPEDEF = Pattern.compile("\\btypedef\\b([^;{}]*)\\b(\\w+)\\s*;");

    private static final Pattern LATER = Pattern.compile("-cl-std=CL([23]|C\\+\\+)");

    private static final Pattern FUNCTION = Pattern.compile("\\)[^;(){}]*\\{\\}");

    private static final Pattern TYPE = Pattern.compile("\\b(?:struct|union|enum)\\b\\s*\\w*\\s*(?:\\{\\})?");

    private static final Pattern UNCHANGING = Pattern.compile(
            "\\b(?:(?:__)?constant|const|constexpr|typedef|extern|inline|sampler_t|using|namespace|template)\\b");

    /** Of a declaration without its value: words for a type, and a name. */
    private static final Pattern VARIABLE =
            Pattern.compile("\\s*(?:\\w+[\\s*]+)+(\\w+)\\s*(?:\\[[^\\]]*\\]\\s*)*(?:,.*)?", Pattern.DOTALL);

    private static final Pattern STATIC =
            Pattern.compile("\\bstatic\\s+(?:\\w+[\\s*]+)+(\\w+)\\s*(?:\\[[^\\]]*\\]\\s*)*(?=[=;,])");

    private static final Pattern WORD = Pattern.compile("\\w+");

    /** What a kernel may ask of its launch beside the index of its work-item, and of the groups of that. */
    private static final List<String> OF_LAUNCH = List.of(
            "get_global_size",
            "get_group_id",
            "get_num_groups",
            "get_global_offset",
            "get_work_dim",
            "get_global_linear_id",
            "get_enqueued_local_size");

    private static final List<String> OF_GROUP = List.of(
            "get_group_id",
            "get_num_groups",
            "get_local_size",
            "get_local_id",
            "get_local_linear_id",
            "get_enqueued_local_size",
            "get_sub_group_id",
            "get_sub_group_local_id",
            "get_sub_group_size",
            "get_num_sub_groups",
            "sub_group_*",
            "work_group_reduce_*",
            "work_group_scan_*",
            "work_group_broadcast",
            "work_group_all",
            "work_group_any");

    /**
     * Those read last: each of a text's kernels asks for them, on each lane, and reading takes longer than all else that
     * is checked.
     */
    private static final Map<List<String>, SourceNames> READ = Recent.map(32);

    /** The names of a text that is built with these options. */
    public static SourceNames of(String text, String options) {
        return READ.computeIfAbsent(List.of(text, options.trim()), key -> read(key.get(0), key.get(1)));
    }

    private static SourceNames read(String text, String options) {
        StringBuilder code = new StringBuilder(text.length());
        StringBuilder directives = new StringBuilder(options);
        Map<String, String> macros = new HashMap<>();
        boolean includes = options.contains("-include") || options.contains("-imacros");
        for (SourceLines.Line line : SourceLines.of(text, "")) {
            if (line.directive().isEmpty()) {
                code.append(line.replacing(string -> "\"\"")).append('\n');
                continue;
            }
            code.append(Set.of("pragma", "line").contains(line.directive()) ? "\n" : "#\n");
            directives.append('\n').append(line.code());
            includes |=
                    line.directive().startsWith("include") || line.directive().equals("import");
            Matcher macro = MACRO.matcher(line.directive().equals("define") ? line.rest() : "");
            if (macro.matches()) {
                macros.merge(macro.group(1), macro.group(3), (one, other) -> one + "\n" + other);
            }
        }
        Matcher option = OPTION.matcher(options);
        while (option.find()) {
            macros.merge(option.group(1), option.group(2) + " " + option.group(3), (one, other) -> one + "\n" + other);
        }
        boolean trigraphs = text.contains("??=") || text.contains("??/");
        boolean pastes = trigraphs || directives.indexOf("##") >= 0 || directives.indexOf("%:%:") >= 0;
        return new SourceNames(
                withoutAttributes(code.toString()), directives.toString(), Map.copyOf(macros), includes, pastes);
    }

    private static String withoutAttributes(String code) {
        StringBuilder kept = new StringBuilder(code.length());
        int start = 0; // of what is kept
        Matcher attribute = ATTRIBUTE.matcher(code);
        while (code.indexOf("__attribute__", start) >= 0 && attribute.find(start)) {
            int close = closing(code, attribute.end(), '(', ')');
            kept.append(code, start, attribute.start());
            start = close < 0 ? code.length() : close + 1;
        }
        return kept.append(code, start, code.length()).toString();
    }

    /** Where a bracket that was opened before is closed; -1 if it is not. */
    public static int closing(String text, int from, char open, char close) {
        int depth = 1;
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            depth += c == open ? 1 : c == close ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return -1;
    }

    /**
     * Words, and macros that may stand for one of them, whatever the conditions.
     *
     * @param not whether a meaning in which these are found is none of theirs
     */
    public Pattern standingFor(Set<String> words, BiPredicate<String, Pattern> not) {
        Set<String> all = new HashSet<>(words);
        Pattern pattern = Pattern.compile("");
        for (int before = 0; before < all.size(); ) {
            before = all.size();
            Pattern any = Pattern.compile("\\b(?:" + String.join("|", all) + ")\\b");
            macros.forEach((macro, meaning) -> {
                if (any.matcher(meaning).find() && !not.test(meaning, any)) {
                    all.add(macro);
                }
            });
            pattern = any;
        }
        return pattern;
    }

    /** All words by which a type may be defined: by {@code typedef}, by macros, whatever the conditions. */
    public Set<String> wordsOf(String type) {
        Set<String> words = new HashSet<>();
        Deque<String> left = new ArrayDeque<>(List.of(type));
        while (!left.isEmpty()) {
            Matcher word = WORD.matcher(left.pop());
            while (word.find()) {
                if (words.add(word.group())) {
                    if (Pattern.compile("\\}\\s*" + word.group() + "\\s*;")
                            .matcher(code)
                            .find()) {
                        words.add("struct"); // or a union
                    }
                    left.push(macros.getOrDefault(word.group(), ""));
                    Matcher definition = TYPEDEF.matcher(code);
                    while (definition.find()) {
                        if (definition.group(2).equals(word.group())) {
                            left.push(definition.group(1));
                        }
                    }
                }
            }
        }
        return words;
    }

    /**
     * Variables that outlive a launch and may be written: those of program scope that are neither constant nor {@code const}, and static ones
     * of functions. OpenCL C has them from 2.0 on, for which options have to ask; else there are none, whatever the text has.
     */
    public List<String> variables() {
        if (!LATER.matcher(directives).find()) {
            return List.of();
        }
        StringBuilder outside = new StringBuilder(); // of braces
        for (int at = 0; at < code.length(); at++) {
            char c = code.charAt(at);
            outside.append(c == '#' ? ' ' : c);
            if (c == '{') {
                int end = closing(code, at + 1, '{', '}');
                at = end < 0 ? code.length() : end - 1;
            }
        }
        List<String> found = new ArrayList<>();
        for (String each : FUNCTION.matcher(outside).replaceAll(";").split(";", -1)) {
            String declared = TYPE.matcher(each.replaceFirst("(?s)=.*", "")).replaceAll("type ");
            Matcher variable = VARIABLE.matcher(declared);
            if (!UNCHANGING.matcher(declared).find() && variable.matches()) {
                found.add(variable.group(1));
            }
        }
        Matcher kept = STATIC.matcher(code);
        while (kept.find()) {
            if (!UNCHANGING.matcher(kept.group()).find() && !found.contains(kept.group(1))) {
                found.add(kept.group(1));
            }
        }
        return found;
    }

    /** Whether a kernel may ask for more of its launch than the index of its work-item, and for its groups. */
    public boolean mayAskOfLaunch() {
        return mayUse(OF_LAUNCH);
    }

    /** Whether a kernel may ask for its group, or its place in it. */
    public boolean mayAskOfGroups() {
        return mayUse(OF_GROUP);
    }

    private boolean mayUse(List<String> names) {
        Set<String> words = new HashSet<>();
        for (String text : List.of(code, directives)) {
            Matcher word = WORD.matcher(text);
            while (word.find()) {
                words.add(word.group());
            }
        }
        boolean may = includes;
        for (String name : names) {
            may |= name.endsWith("*")
                    ? words.stream().anyMatch(word -> word.startsWith(name.substring(0, name.length() - 1)))
                    : words.contains(name);
            for (int i = 1; pastes && i < name.length(); i++) { // its first part and its last one, whatever is between
                may |= words.contains(name.substring(0, i))
                        && words.stream().anyMatch(word -> name.length() > word.length() && name.endsWith(word));
            }
        }
        return may;
    }
}
