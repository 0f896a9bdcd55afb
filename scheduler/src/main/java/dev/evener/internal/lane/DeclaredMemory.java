package dev.evener.internal.lane;

import dev.evener.internal.source.SourceLines;
import dev.evener.internal.source.SourceNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that a kernel has by its text: arrays that each work-item has for itself, and what a group has of local memory. Not all
 * drivers tell how large it is, so the compiler is asked, by a text for it: the source, in which each declaration is a macro that
 * stands for its size, and functions have no bodies. Conditions and macros of the preprocessor stay where they are, and so
 * decide what counts. Of functions that are no kernels all count, as the kernel might call them. What macros make of a private
 * array, and functions that macros make, are not seen.
 *
 * @param text for the compiler
 * @param privates the macros that stand for private arrays
 * @param locals the macros that stand for declarations of local memory
 */
record DeclaredMemory(String text, List<String> privates, List<String> locals) {
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'");

    /** What begins a statement with an array that is declared; the type, of which the first word is none of these. */
    private static final Pattern DECLARATION = Pattern.compile(
            "\\s*(?!(?:return|else|case|goto|typedef|extern|static)\\b)"
                    + "((?:(?:const|volatile|private|__private|struct|union|enum|unsigned|signed|long)\\s+)*\\w+)[\\s*]+(\\w+\\s*[\\[,=;].*)",
            Pattern.DOTALL);

    private static final Pattern ELSEWHERE = Pattern.compile("\\b(?:__)?(?:constant|global)\\b");
    private static final Pattern ATTRIBUTE =
            Pattern.compile("__attribute__\\s*\\(\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)\\s*\\)");
    private static final Pattern NAME = Pattern.compile("(\\w+)\\s*\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)\\s*$");
    private static final Pattern ARRAY = Pattern.compile("\\s*\\**\\s*\\w+\\s*((?:\\[[^\\[\\]]+\\]\\s*)+)");

    /** Of a source that is built with these options. */
    static DeclaredMemory of(String source, String options, String kernel) {
        List<String> privates = new ArrayList<>();
        List<String> locals = new ArrayList<>();
        if (source.indexOf('[') < 0 && !source.contains("local") && !options.contains("local")) {
            return new DeclaredMemory(source, privates, locals);
        }
        Map<String, String> macros = SourceNames.of(source, options).macros();
        Pattern kernels = anyOf(Set.of("kernel", "__kernel"), macros);
        Pattern local = anyOf(Set.of("local", "__local"), macros);

        StringBuilder all = new StringBuilder();
        StringBuilder code = new StringBuilder(); // the same with blanks for directives and the content of strings
        for (SourceLines.Line line : SourceLines.of(source, "")) {
            all.append(line.code()).append('\n');
            code.append(
                            line.directive().isEmpty()
                                    ? STRING.matcher(line.code())
                                            .replaceAll(string ->
                                                    " ".repeat(string.group().length()))
                                    : " ".repeat(line.code().length()))
                    .append('\n');
        }
        StringBuilder text = new StringBuilder();
        int from = 0; // of what is not in the text yet
        for (int open = code.indexOf("{"); open >= 0; open = code.indexOf("{", from)) {
            int end = SourceNames.closing(code.toString(), open + 1, '{', '}');
            int close = end < 0 ? code.length() : end;
            String head = ATTRIBUTE
                    .matcher(code.substring(Math.max(from, code.lastIndexOf(";", open) + 1), open))
                    .replaceAll(" ");
            if (head.stripTrailing().endsWith(")")) {
                text.append(all, from, open).append(";\n");
                boolean counts = !kernels.matcher(head).find() || isOf(kernel, head);
                StringBuilder statements = new StringBuilder();
                for (int at = open + 1; at < close; ) { // by lines
                    int next = Math.min(close, all.indexOf("\n", at) + 1);
                    if (code.substring(at, next).isBlank()
                            && !all.substring(at, next).isBlank()) {
                        declare(counts ? statements : "", local, text, privates, locals);
                        statements.setLength(0);
                        text.append(all, at, next);
                    } else {
                        statements.append(code, at, next);
                    }
                    at = next;
                }
                declare(counts ? statements : "", local, text, privates, locals);
            } else {
                text.append(all, from, Math.min(all.length(), close + 1));
            }
            from = Math.min(code.length(), close + 1);
        }
        text.append(all, from, all.length());
        for (List<String> names : List.of(privates, locals)) {
            for (String name : names) {
                text.append("#ifndef ")
                        .append(name)
                        .append("\n#define ")
                        .append(name)
                        .append(" 0\n#endif\n");
            }
        }
        text.append(
                "#undef local\n#define local\n#define __local\n"); // within the sizes, which are worked out behind this
        return new DeclaredMemory(text.toString(), privates, locals);
    }

    /** Words, and macros that might stand for a declaration with one of them. */
    private static Pattern anyOf(Set<String> words, Map<String, String> macros) {
        Set<String> all = new HashSet<>(words);
        Pattern pattern = Pattern.compile("");
        for (int before = 0; before < all.size(); ) {
            before = all.size();
            Pattern any = Pattern.compile("\\b(?:" + String.join("|", all) + ")\\b");
            macros.forEach((macro, meaning) -> {
                if (any.matcher(meaning).find() && !isNone(meaning, any)) {
                    all.add(macro);
                }
            });
            pattern = any;
        }
        return pattern;
    }

    /** Whether a statement with one of these words declares no memory of theirs: a pointer, an expression. */
    private static boolean isNone(String statement, Pattern words) {
        return statement.indexOf('=') >= 0
                || Pattern.compile(words + "[^,\\[]*\\*").matcher(statement).find();
    }

    private static boolean isOf(String kernel, String head) {
        Matcher name = NAME.matcher(head);
        return name.find() ? name.group(1).equals(kernel) : head.matches("(?s).*\\b" + kernel + "\\b.*");
    }

    private static void declare(
            CharSequence body, Pattern local, StringBuilder text, List<String> privates, List<String> locals) {
        for (String statement : body.toString().split("[;{}]", -1)) {
            if (local.matcher(statement).find()) {
                if (!isNone(statement, local)) {
                    String member = statement.replaceAll("\\bstatic\\b", " ").replaceAll("\\s+", " ");
                    name(locals, "LOCAL", "struct {" + member + "; }", text);
                }
                continue;
            }
            Matcher declaration = DECLARATION.matcher(statement.replaceFirst("^\\s*for\\s*\\(", " ") + ";");
            if (statement.indexOf('[') < 0 || ELSEWHERE.matcher(statement).find() || !declaration.matches()) {
                continue;
            }
            for (String declarator : byCommas(declaration.group(2))) {
                Matcher array = ARRAY.matcher(declarator);
                if (array.lookingAt()) {
                    String type = declaration.group(1).replaceAll("\\s+", " ")
                            + array.group(1).replaceAll("\\s+", "");
                    name(privates, "PRIVATE", type, text);
                }
            }
        }
    }

    /** What stands between the commas of a declaration, those in brackets aside. */
    private static List<String> byCommas(String declaration) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int at = 0; at < declaration.length(); at++) {
            char c = declaration.charAt(at);
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(declaration.substring(from, at));
                from = at + 1;
            }
        }
        parts.add(declaration.substring(from));
        return parts;
    }

    private static void name(List<String> names, String kind, String type, StringBuilder text) {
        String name = "EVENER_" + kind + "_" + names.size();
        names.add(name);
        text.append("#define ").append(name).append(" sizeof(").append(type).append(")\n");
    }
}
