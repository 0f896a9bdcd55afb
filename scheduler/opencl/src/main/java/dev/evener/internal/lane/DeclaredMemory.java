package dev.evener.internal.lane;

import dev.evener.internal.source.SourceLines;
import dev.evener.internal.source.SourceNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The memory that kernels have by their text: arrays that each work-item has for itself, and what a group has of local memory. Not all
 * drivers tell how large it is, so the compiler is asked, by a text for it: the source, in which each declaration is a macro that
 * stands for its size, and functions have no bodies. Conditions and macros of the preprocessor stay where they are, and so
 * decide what counts. Of functions that are no kernels all count, as a kernel might call them. What macros make of a private
 * array, and functions that macros make, are not seen.
 *
 * <p>One text serves all kernels of a source, as building it takes a tenth of a second, and it builds whatever it has to tell, as drivers
 * keep what has been built, and nothing of what has not. That is spared where numbers in the text show that all of it
 * is small ({@link #atMost}).
 */
final class DeclaredMemory {
    final StringBuilder text = new StringBuilder(); // for the compiler
    private final List<Body> bodies = new ArrayList<>(); // of functions, in order
    final Map<String, String> types = new HashMap<>(); // what the macros stand for the sizes of
    private final @Nullable SourceNames names; // of the source; null of one that declares nothing

    /**
     * What a function declares.
     *
     * @param head the text before it
     * @param isKernel whether others do not call it
     * @param privates the macros that stand for private arrays
     * @param locals the macros that stand for declarations of local memory
     */
    record Body(String head, boolean isKernel, List<String> privates, List<String> locals) {
        private List<String> all() {
            return Stream.concat(privates.stream(), locals.stream()).toList();
        }

        private boolean isOf(String kernel) {
            return isKernel && (name().equals(kernel) || name().matches("(?s).*\\b" + kernel + "\\b.*"));
        }

        /** The function's name; all of the head where that cannot be told from it. */
        private String name() {
            Matcher name = NAME.matcher(head);
            return name.find() ? name.group(1) : head;
        }
    }

    /** Begins the names of the kernels that ask. */
    static final String ASKS = "evener_size";

    private static final Pattern LOOP = Pattern.compile("^\\s*for\\s*\\(");
    private static final Pattern END = Pattern.compile("[;{}]");

    /** What begins a statement with an array that is declared; the type, of which the first word is none of these. */
    private static final Pattern DECLARATION = Pattern.compile(
            "\\s*(?!(?:return|else|case|goto|typedef|extern|static)\\b)"
                    + "((?:(?:const|volatile|private|__private|struct|union|enum|unsigned|signed|long)\\s+)*\\w+)[\\s*]+(\\w+\\s*[\\[,=;].*)",
            Pattern.DOTALL);

    /** What may only be in front of a loop, which is left out. */
    private static final Pattern LOOP_HINT = Pattern.compile("\\s*(?:#|%:)\\s*pragma\\s+(?!OPENCL\\b)");

    private static final Pattern ELSEWHERE = Pattern.compile("\\b(?:__)?(?:constant|global)\\b");
    private static final Pattern ATTRIBUTE =
            Pattern.compile("__attribute__\\s*\\(\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)\\s*\\)");
    private static final Pattern NAME = Pattern.compile("(\\w+)\\s*\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)\\s*$");
    private static final Pattern ARRAY = Pattern.compile("\\s*\\**\\s*\\w+\\s*((?:\\[[^\\[\\]]+\\]\\s*)+)");

    private DeclaredMemory(@Nullable SourceNames names) {
        this.names = names;
    }

    /** Of a source that is built with these options. */
    static DeclaredMemory of(String source, String options) {
        if (source.indexOf('[') < 0 && !source.contains("local") && !options.contains("local")) {
            DeclaredMemory none = new DeclaredMemory(null);
            none.text.append(source);
            return none;
        }
        SourceNames names = SourceNames.of(source, options);
        DeclaredMemory its = new DeclaredMemory(names);
        its.read(
                SourceLines.of(source, ""),
                names.standingFor(Set.of("kernel", "__kernel"), DeclaredMemory::isNone),
                names.standingFor(Set.of("local", "__local"), DeclaredMemory::isNone));
        return its;
    }

    /**
     * Reads a source.
     *
     * @param kernels finds what makes a function a kernel
     * @param local finds what declares local memory
     */
    private void read(List<SourceLines.Line> lines, Pattern kernels, Pattern local) {
        String all = lines.stream().map(line -> line.code() + "\n").collect(Collectors.joining());
        String code = lines.stream().map(DeclaredMemory::blanked).collect(Collectors.joining());
        int from = 0; // of what is not in the text yet
        for (int open = code.indexOf("{"); open >= 0; open = code.indexOf("{", from)) {
            int end = SourceNames.closing(code, open + 1, '{', '}');
            int close = end < 0 ? code.length() : end;
            String head = ATTRIBUTE
                    .matcher(code.substring(Math.max(from, code.lastIndexOf(";", open) + 1), open))
                    .replaceAll(" ");
            if (head.stripTrailing().endsWith(")")) {
                text.append(all, from, open).append(";\n");
                Body body = new Body(head, kernels.matcher(head).find(), new ArrayList<>(), new ArrayList<>());
                bodies.add(body);
                StringBuilder statements = new StringBuilder();
                for (int at = open + 1; at < close; ) { // by lines
                    int next = Math.min(close, all.indexOf("\n", at) + 1);
                    String line = all.substring(at, next);
                    if (code.substring(at, next).isBlank() && !line.isBlank()) {
                        declare(statements, local, body);
                        statements.setLength(0);
                        text.append(LOOP_HINT.matcher(line).lookingAt() ? "\n" : line);
                    } else {
                        statements.append(code, at, next);
                    }
                    at = next;
                }
                declare(statements, local, body);
            } else {
                text.append(all, from, Math.min(all.length(), close + 1));
            }
            from = Math.min(code.length(), close + 1);
        }
        text.append(all, from, all.length());
        for (Body body : bodies) {
            for (String name : body.all()) {
                text.append("#ifndef " + name + "\n#define " + name + " 0\n#endif\n");
            }
        }
        // Within the sizes, which are worked out behind this.
        text.append("#undef local\n#define local\n#define __local\n");
    }

    /** With blanks for a directive and the content of strings. */
    private static String blanked(SourceLines.Line line) {
        return (line.directive().isEmpty()
                        ? line.replacing(string -> " ".repeat(string.group().length()))
                        : " ".repeat(line.code().length()))
                + "\n";
    }

    /**
     * At most so many bytes do declarations take for which these macros stand, whatever the conditions around them;
     * {@link Double#NaN} where only a compiler can tell.
     */
    double atMost(List<String> some) {
        double sum = names != null && names.includes() && !some.isEmpty() ? Double.NaN : 0;
        for (String each : some) {
            sum += MostBytes.of(types.get(each), Objects.requireNonNull(names).macros());
        }
        return sum;
    }

    /** The macros that stand for private arrays of a kernel, and of what it might call. */
    List<String> privates(String kernel) {
        return counting(body(kernel), Body::privates).toList();
    }

    /** The macros that stand for declarations of a kernel's local memory. */
    List<String> locals(String kernel) {
        return counting(body(kernel), Body::locals).toList();
    }

    private int body(String kernel) {
        return IntStream.range(0, bodies.size())
                .filter(i -> bodies.get(i).isOf(kernel))
                .findFirst()
                .orElse(-1);
    }

    /** Those of functions and of a kernel, which may be there in several branches of a condition. */
    private Stream<String> counting(int kernel, Function<Body, List<String>> which) {
        return bodies.stream()
                .filter(body -> !body.isKernel()
                        || (kernel >= 0 && body.name().equals(bodies.get(kernel).name())))
                .flatMap(body -> which.apply(body).stream());
    }

    /**
     * The text with a kernel behind it for each of the source's, which wants groups of as many work-items as that has bytes and one more:
     * along the first dimension of private, along the second of local memory.
     */
    String asking() {
        StringBuilder asking = new StringBuilder(text);
        for (int i = -1; i < bodies.size(); i++) {
            if (i < 0 || bodies.get(i).isKernel()) {
                asking.append(asking(ASKS + (i + 1), counting(i, Body::privates), counting(i, Body::locals)));
            }
        }
        return asking.toString();
    }

    /** The text with one that asks for some declarations alone. */
    String asking(List<String> some) {
        return text + asking(ASKS, some.stream(), Stream.empty());
    }

    private static String asking(String name, Stream<String> privates, Stream<String> locals) {
        return Stream.of(privates, locals)
                .map(sizes -> Stream.concat(Stream.of("1"), sizes).collect(Collectors.joining(" + ")))
                .collect(Collectors.joining(
                        ", ",
                        "__kernel __attribute__((reqd_work_group_size(",
                        ", 1))) void " + name + "(__global int *unused) { *unused = 0; }\n"));
    }

    /** Which kernel of {@link #asking} asks for this one. */
    String asks(String kernel) {
        return ASKS + (body(kernel) + 1);
    }

    /** Whether a statement with one of these words declares no memory of theirs: a pointer, an expression. */
    private static boolean isNone(String statement, Pattern words) {
        return statement.indexOf('=') >= 0
                || Pattern.compile(words + "[^,\\[]*\\*").matcher(statement).find();
    }

    private void declare(CharSequence statements, Pattern local, Body body) {
        for (String statement : END.split(statements, -1)) {
            if (local.matcher(statement).find()) {
                if (!isNone(statement, local)) {
                    String member = statement.replaceAll("\\bstatic\\b", " ").replaceAll("\\s+", " ");
                    name(body.locals(), "LOCAL_", "struct {" + member + "; }");
                }
                continue;
            }
            if (statement.indexOf('[') < 0 || ELSEWHERE.matcher(statement).find()) {
                continue;
            }
            Matcher declaration = DECLARATION.matcher(LOOP.matcher(statement).replaceFirst(" ") + ";");
            if (!declaration.matches()) {
                continue;
            }
            for (String declarator : byCommas(declaration.group(2))) {
                Matcher array = ARRAY.matcher(declarator);
                if (array.lookingAt()) {
                    String type = declaration.group(1).replaceAll("\\s+", " ")
                            + array.group(1).replaceAll("\\s+", "");
                    name(body.privates(), "PRIVATE_", type);
                }
            }
        }
    }

    /** What stands between the commas of a declaration, those in brackets aside. */
    static List<String> byCommas(String declaration) {
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

    private void name(List<String> names, String kind, String type) {
        String name = "EVENER_" + kind + bodies.size() + "_" + names.size();
        names.add(name);
        types.put(name, type);
        text.append("#define ").append(name).append(" sizeof(").append(type).append(")\n");
    }
}
