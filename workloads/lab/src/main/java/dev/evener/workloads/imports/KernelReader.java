package dev.evener.workloads.imports;

import dev.evener.KernelSource;
import dev.evener.internal.source.SourceLines;
import dev.evener.internal.source.SourceNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is in the text of a kernel: its parameters, the values that names have throughout, loops, and where parameters are subscripted. Macros are
 * followed where they stand for a name or a number. Immutable but for its maps, which nobody changes.
 */
final class KernelReader {
    /** Where a parameter's value is. */
    enum Space {
        GLOBAL,
        CONSTANT,
        LOCAL,
        VALUE,
        IMAGE,
        SAMPLER
    }

    /**
     * A parameter.
     *
     * @param type of a value, or of what a pointer points to, such as {@code float}; of an image such as {@code image2d_t}; a struct's
     *     name as it is
     * @param lanes of a vector in memory; 1 of others
     * @param constant whether the kernel cannot write it
     */
    record Parameter(String name, Space space, String type, int lanes, boolean constant) {}

    /** A loop's variable, from a first value up to one that it does not reach. */
    record Loop(String from, String to) {}

    /**
     * A place at which memory is used.
     *
     * @param index its text
     * @param reads whether it is read there
     * @param writes whether it is written there
     * @param guarded whether a condition other than the range's decides
     */
    record Use(String index, boolean reads, boolean writes, boolean guarded) {}

    private static final Pattern KERNEL = Pattern.compile("\\b(?:__)?kernel\\b");
    private static final Pattern CALLED = Pattern.compile("\\s*(\\w+)\\s*(\\(?)");
    private static final Pattern GROUP =
            Pattern.compile("reqd_work_group_size\\s*\\(\\s*([^,()]+),\\s*([^,()]+),\\s*([^,()]+)\\)");
    private static final Pattern TYPED = Pattern.compile(
            "\\b(?:const\\s+|unsigned\\s+|signed\\s+)*(?:int|uint|long|ulong|size_t|short|ushort|char|uchar|unsigned|int[234]|uint[234])\\s+(?:const\\s+)?(\\w+\\s*=[^;]*|\\w+(?:\\s*,\\s*\\w+)*\\s*=[^;]*);");
    private static final Pattern LOOP = Pattern.compile(
            "\\bfor\\s*\\(\\s*(?:\\w+\\s+)*?(\\w+)\\s*=\\s*([^;]+);\\s*\\1\\s*(<=?)\\s*([^;]+);\\s*(?:\\+\\+\\s*\\1|\\1\\s*\\+\\+|\\1\\s*\\+=\\s*1)\\s*\\)");
    private static final Pattern BOUND =
            Pattern.compile("\\b(\\w+(?:\\.[xy])?|get_global_id\\s*\\(\\s*\\d\\s*\\))\\s*(<|>=)\\s*(\\w+)\\b");
    private static final Pattern ATOMIC = Pattern.compile(
            "\\batom(?:ic)?_(add|sub|inc|dec|min|max|and|or|xor)\\s*\\(\\s*(?:\\([^)]*\\)\\s*)?&?\\s*(\\w+)\\b");
    private static final Pattern WORD = Pattern.compile("\\w+");

    final String name;
    final List<Parameter> parameters = new ArrayList<>();
    final String body;
    final Map<String, String> definitions = new HashMap<>();
    final Map<String, Loop> loops = new HashMap<>();
    final Map<String, String> atomics = new HashMap<>(); // what is done to a parameter
    final List<Integer> group = new ArrayList<>(); // as the text demands it; else empty
    private final SourceNames names;

    private KernelReader(SourceNames names, String name, String attributes, String declared, String body) {
        this.names = names;
        this.name = name;
        this.body = body;
        Index.parts(declared, ',').stream()
                .filter(each -> !each.isBlank() && !each.strip().equals("void"))
                .forEach(each -> parameters.add(parameter(each)));
        Matcher demanded = GROUP.matcher(attributes);
        if (demanded.find()) {
            for (int i = 1; i <= 3; i++) {
                Long size = Index.of(demanded.group(i), this::value).stream()
                        .map(Index::constant)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
                group.add(size == null ? 0 : size.intValue());
            }
        }
        define();
        Matcher atomic = ATOMIC.matcher(body);
        while (atomic.find()) {
            atomics.merge(
                    atomic.group(2),
                    switch (atomic.group(1)) {
                        case "add", "sub", "inc", "dec" -> "sum";
                        default -> atomic.group(1);
                    },
                    (one, other) -> one.equals(other) ? one : "");
        }
    }

    /** The kernels of a text, in its order. */
    static List<KernelReader> of(KernelSource source) {
        StringBuilder code = new StringBuilder();
        for (SourceLines.Line line : SourceLines.of(source.text(), source.name())) {
            code.append(line.directive().isEmpty() ? line.code() : "").append('\n');
        }
        SourceNames names = SourceNames.of(source.text(), source.options());
        List<KernelReader> all = new ArrayList<>();
        Matcher kernel = KERNEL.matcher(code);
        int at = 0;
        while (kernel.find(at)) {
            at = kernel.end();
            int name = parameters(code, at);
            int end = name < 0 ? -1 : SourceNames.closing(code.toString(), name, '(', ')');
            int open = end < 0 ? -1 : code.indexOf("{", end);
            int close = open < 0 ? -1 : SourceNames.closing(code.toString(), open + 1, '{', '}');
            if (close >= 0 && code.substring(end + 1, open).indexOf(';') < 0) { // else it is only declared
                String head = code.substring(at, name - 1).strip();
                all.add(new KernelReader(
                        names,
                        head.replaceFirst("(?s).*?(\\w+)$", "$1"),
                        head + code.substring(end + 1, open),
                        code.substring(name, end),
                        code.substring(open + 1, close)));
                at = close;
            }
        }
        return all;
    }

    /** Where a kernel's parameters begin, behind attributes, its type and name; -1 if this is none. */
    private static int parameters(CharSequence code, int from) {
        Matcher word = CALLED.matcher(code);
        int at = from;
        while (word.region(at, code.length()).lookingAt()) {
            at = word.end();
            if (!word.group(2).isEmpty()) {
                if (!word.group(1).equals("__attribute__")) {
                    return at;
                }
                at = SourceNames.closing(code.toString(), at, '(', ')') + 1;
            }
        }
        return -1;
    }

    // ---- parameters ----

    /** What a macro stands for, or a word of a type, by any of its definitions. */
    private @Nullable String macro(String word) {
        String stands = names.macros().get(word);
        if (stands != null) {
            return stands.isBlank() ? "" : stands.strip();
        }
        Matcher typedef = Pattern.compile("\\btypedef\\s+([\\w\\s]+?)\\s+" + word + "\\s*;")
                .matcher(names.code());
        return typedef.find() ? typedef.group(1) : null;
    }

    private String resolved(String text) {
        String now = text;
        for (int i = 0; i < 8; i++) { // macros of macros
            StringBuilder next = new StringBuilder();
            Matcher word = WORD.matcher(now);
            while (word.find()) {
                String stands = macro(word.group());
                word.appendReplacement(next, Matcher.quoteReplacement(stands == null ? word.group() : stands));
            }
            String then = word.appendTail(next).toString();
            if (then.equals(now)) {
                break;
            }
            now = then;
        }
        return now;
    }

    private Parameter parameter(String text) {
        Matcher last = Pattern.compile("(\\w+)\\s*(\\[[^\\]]*\\])?\\s*\\)?\\s*(\\[[^\\]]*\\])*\\s*$")
                .matcher(text);
        boolean named = last.find();
        String its = named ? last.group(1) : "?";
        String before = resolved(named ? text.substring(0, last.start()) : text);
        Set<String> words = new HashSet<>();
        List<String> types = new ArrayList<>();
        Matcher word = WORD.matcher(before);
        while (word.find()) {
            String each = word.group()
                    .replaceFirst("^__(?=global|local|constant|private|read_only|write_only|read_write|const)", "");
            words.add(each);
            if (!Set.of(
                            "global",
                            "local",
                            "constant",
                            "private",
                            "const",
                            "restrict",
                            "__restrict",
                            "volatile",
                            "read_only",
                            "write_only",
                            "read_write",
                            "struct",
                            "__restrict__")
                    .contains(each)) {
                types.add(each);
            }
        }
        String type = scalarName(types);
        Matcher vector = Pattern.compile("(u?(?:char|short|int|long)|float|double|half)(2|3|4|8|16)")
                .matcher(type);
        int lanes = 1;
        if (vector.matches()) {
            type = vector.group(1);
            lanes = vector.group(2).equals("3") ? 4 : Integer.parseInt(vector.group(2));
        }
        boolean pointer =
                before.contains("*") || (named && text.substring(last.start()).contains("["));
        Space space = words.contains("local")
                ? Space.LOCAL
                : words.contains("constant")
                        ? Space.CONSTANT
                        : type.startsWith("image")
                                ? Space.IMAGE
                                : type.equals("sampler_t")
                                        ? Space.SAMPLER
                                        : pointer || words.contains("global") ? Space.GLOBAL : Space.VALUE;
        boolean constant = words.contains("const") || words.contains("constant") || words.contains("read_only");
        return new Parameter(
                its, space, type, lanes, constant || (space == Space.IMAGE && !words.contains("write_only")));
    }

    private static String scalarName(List<String> words) {
        List<String> types = new ArrayList<>(words);
        boolean unsigned = types.remove("unsigned");
        types.remove("signed");
        String type = types.isEmpty() ? "int" : types.get(0);
        return switch (type) {
            case "int", "long", "short", "char" -> unsigned ? "u" + type : type;
            case "size_t", "bool" -> type.equals("bool") ? "int" : "ulong";
            default -> type;
        };
    }

    // ---- names ----

    private void define() {
        Matcher loop = LOOP.matcher(body);
        while (loop.find()) {
            String to = loop.group(4) + (loop.group(3).equals("<=") ? " + 1" : "");
            loops.merge(
                    loop.group(1),
                    new Loop(loop.group(2), to),
                    (one, other) -> one.equals(other) ? one : new Loop(Index.UNKNOWN, Index.UNKNOWN));
        }
        Map<String, String> found = new LinkedHashMap<>();
        Set<String> several = new HashSet<>();
        Matcher typed = TYPED.matcher(body);
        while (typed.find()) {
            for (String each : Index.parts(typed.group(1), ',')) {
                int is = each.indexOf('=');
                String name = (is < 0 ? each : each.substring(0, is)).strip();
                if (is > 0 && found.put(name, each.substring(is + 1)) != null) {
                    several.add(name);
                }
            }
        }
        for (String each : found.keySet()) {
            boolean changes = Pattern.compile(
                            "\\b" + each + "(?:\\.\\w+)?\\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\\+\\+|--)\\s*" + each
                                    + "\\b|\\b" + each + "\\s*(?:\\+\\+|--)|&\\s*" + each + "\\b")
                    .matcher(body)
                    .results()
                    .skip(1)
                    .findAny()
                    .isPresent();
            if (!several.contains(each) && !changes && !loops.containsKey(each)) {
                definitions.put(each, found.get(each));
            }
        }
    }

    /** What a name stands for; null if it is a parameter, a loop's variable, or changes. */
    @Nullable
    String value(String word) {
        if (loops.containsKey(word)
                || parameters.stream().anyMatch(each -> each.name().equals(word))) {
            return null;
        }
        String defined = definitions.get(word);
        String macro = defined == null ? names.macros().get(word) : null;
        return defined != null ? defined : macro != null && !macro.isBlank() ? macro : null;
    }

    /**
     * What an expression may be; a name that stands for nothing known is unknown. Of several choices those that do not move with the
     * work-item are left out where others do, such as that of {@code i > 0 ? i - 1 : 0}: they are what the others come to at an edge.
     */
    List<Map<String, Long>> index(String text) {
        List<Map<String, Long>> all = Index.of(text, this::value).stream()
                .map(each -> each.keySet().stream()
                                .flatMap(key -> List.of(key.split("\\*")).stream())
                                .allMatch(this::isKnown)
                        ? each
                        : Map.of(Index.UNKNOWN, 1L))
                .toList();
        boolean moves = all.stream().anyMatch(KernelReader::moves);
        return all.stream()
                .filter(each -> !moves || moves(each) || each.containsKey(Index.UNKNOWN) || hasLoop(each))
                .toList();
    }

    private static boolean moves(Map<String, Long> sum) {
        return sum.keySet().stream().anyMatch(key -> key.contains("#"));
    }

    private boolean hasLoop(Map<String, Long> sum) {
        return sum.keySet().stream()
                .flatMap(key -> List.of(key.split("\\*")).stream())
                .anyMatch(loops::containsKey);
    }

    private boolean isKnown(String word) {
        return word.isEmpty()
                || word.startsWith("#")
                || loops.containsKey(word)
                || parameters.stream().anyMatch(each -> each.name().equals(word) && each.space() == Space.VALUE);
    }

    /** The parameters that the work-item's place in a dimension is compared with: how far the range goes. */
    Map<String, Integer> bounds() {
        Map<String, Integer> bounds = new LinkedHashMap<>();
        Matcher bound = BOUND.matcher(body);
        while (bound.find()) {
            List<Map<String, Long>> left = index(bound.group(1));
            String right = bound.group(3);
            for (int d = 0; d < 3; d++) {
                if (left.equals(List.of(Map.of("#" + d, 1L))) && index(right).equals(List.of(Map.of(right, 1L)))) {
                    bounds.putIfAbsent(right, d);
                }
            }
        }
        return bounds;
    }

    /** How many dimensions its range has. */
    int dimensions() {
        int most = 1;
        for (int d = 1; d < 3; d++) {
            most = Pattern.compile("get_(?:global|group|local)_id\\s*\\(\\s*" + d + "\\s*\\)")
                            .matcher(body)
                            .find()
                    ? d + 1
                    : most;
        }
        return most;
    }

    /** Whether work-items of a group work together. */
    boolean asksForGroups() {
        return Pattern.compile("\\b(?:get_local_id|get_group_id|get_local_size|barrier|__local|local)\\b")
                .matcher(body)
                .find();
    }

    // ---- memory ----

    /** Where a parameter's elements are used; null if it is used otherwise, as by a pointer or another function. */
    @Nullable
    List<Use> uses(String parameter) {
        List<Use> uses = new ArrayList<>();
        Matcher use = Pattern.compile("\\b" + parameter + "\\b").matcher(body);
        while (use.find()) {
            int open = use.end();
            while (open < body.length() && Character.isWhitespace(body.charAt(open))) {
                open++;
            }
            if (open >= body.length() || body.charAt(open) != '[') {
                return null;
            }
            int close = SourceNames.closing(body, open + 1, '[', ']');
            if (close < 0) {
                return null;
            }
            String behind = body.substring(close + 1, Math.min(body.length(), close + 40))
                    .stripLeading();
            behind = behind.replaceFirst("^\\.\\w+\\s*", "");
            String ahead =
                    body.substring(Math.max(0, use.start() - 3), use.start()).strip();
            boolean assigned = behind.startsWith("=") && !behind.startsWith("==");
            boolean changed =
                    behind.matches("(?s)(?:[-+*/%&|^]|<<|>>)=.*|(?:\\+\\+|--).*") || ahead.matches(".*(?:\\+\\+|--)");
            if (ahead.endsWith("&") && !ahead.endsWith("&&")) {
                return null;
            }
            uses.add(new Use(body.substring(open + 1, close), !assigned, assigned || changed, isGuarded(use.start())));
        }
        return uses;
    }

    /** Whether something other than the range's end decides whether a place is reached: it is in braces, or behind an if. */
    private boolean isGuarded(int place) {
        String before = body.substring(0, place);
        int depth = 0;
        for (int i = 0; i < before.length(); i++) {
            depth += before.charAt(i) == '{' ? 1 : before.charAt(i) == '}' ? -1 : 0;
        }
        String statement = before.substring(
                Math.max(before.lastIndexOf(';'), Math.max(before.lastIndexOf('{'), before.lastIndexOf('}'))) + 1);
        return depth > 0 || statement.contains("if") || statement.contains("for") || statement.contains("else");
    }

    /** The coordinates with which functions of images are called for this one; null if it is given to others. */
    @Nullable
    List<String> coordinates(String image) {
        List<String> all = new ArrayList<>();
        Matcher call = Pattern.compile("\\b(\\w+)\\s*\\(\\s*" + image + "\\b").matcher(body);
        int calls = 0;
        while (call.find()) {
            calls++;
            int end = SourceNames.closing(body, body.indexOf("(", call.start()) + 1, '(', ')');
            List<String> given = end < 0
                    ? List.of()
                    : Index.parts(body.substring(call.end(), end).replaceFirst("^\\s*,", ""), ',');
            boolean write = call.group(1).startsWith("write_image");
            if (call.group(1).startsWith("get_image")) {
                continue;
            }
            if ((!write && !call.group(1).startsWith("read_image")) || given.isEmpty()) {
                return null;
            }
            all.add(given.get(write ? 0 : given.size() - 1));
        }
        long named =
                Pattern.compile("\\b" + image + "\\b").matcher(body).results().count();
        return named == calls ? all : null;
    }
}
