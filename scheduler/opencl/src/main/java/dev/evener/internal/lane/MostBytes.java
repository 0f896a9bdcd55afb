package dev.evener.internal.lane;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How large a declared type is at most, as far as its text tells without a compiler: numbers, macros that stand for
 * some, and the language's own types. Whatever else decides it makes it {@link Double#NaN}. Of a macro that is defined
 * several times the largest counts, and nothing may be taken from it. For one thread.
 */
final class MostBytes {
    private static final Pattern MEMBER = Pattern.compile("struct \\{(.*); \\}");
    private static final Pattern QUALIFIER =
            Pattern.compile("\\b(?:__)?(?:local|private|const|volatile|static|restrict)\\b");
    private static final Pattern DECLARED = Pattern.compile("\\s*((?:unsigned\\s+|signed\\s+)?\\w+)\\s+(\\w.*)");
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?:(0[xX]\\p{XDigit}+|0|[1-9]\\d*)[uUlL]*(?!\\w)|([A-Za-z_]\\w*)|(<<|>>|\\S))");
    private static final List<List<String>> OPERATORS =
            List.of(List.of("<<", ">>"), List.of("+", "-"), List.of("*", "/", "%"));

    /** How deep macros may stand for each other. */
    private static final int DEEPEST = 16;

    private final Map<String, String> macros;
    private final Matcher tokens; // of the expression
    private boolean more;
    private boolean exact = true; // else its value may be less
    private final int depth;

    private MostBytes(String expression, Map<String, String> macros, int depth) {
        this.macros = macros;
        this.depth = depth;
        tokens = TOKEN.matcher(expression);
        more = tokens.find();
    }

    /**
     * Bytes of an array's type, as {@code float[16][N + 1]}, or of a structure with one declaration, as
     * {@code struct { local float a[16], b; }}.
     *
     * @param macros what each may stand for
     */
    static double of(String type, Map<String, String> macros) {
        Matcher member = MEMBER.matcher(type);
        if (!member.matches()) {
            int dimensions = type.indexOf('[');
            return array(type.substring(0, dimensions), type.substring(dimensions), macros);
        }
        Matcher declared = DECLARED.matcher(QUALIFIER.matcher(member.group(1)).replaceAll(" "));
        return !declared.matches()
                ? Double.NaN
                : DeclaredMemory.byCommas(declared.group(2)).stream()
                        .mapToDouble(each -> array(declared.group(1), each.replaceFirst("\\s*\\w+\\s*", ""), macros))
                        .sum();
    }

    /** With the dimensions as factors: {@code [16][N + 1]} as {@code 4 * (16) * (N + 1)}. */
    private static double array(String element, String dimensions, Map<String, String> macros) {
        String name = QUALIFIER.matcher(element).replaceAll(" ").trim();
        String meaning = macros.getOrDefault(name, name);
        ArgumentCheck.Type type = ArgumentCheck.Type.of(meaning.trim());
        return type == null || type.pointer() || type.bytes() == 0
                ? Double.NaN
                : new MostBytes(type.size() + dimensions.replace("[", " * (").replace(']', ')'), macros, 0).value();
    }

    private double value() {
        double value = depth > DEEPEST ? Double.NaN : operation(0);
        return more ? Double.NaN : value;
    }

    /** @param level of precedence, among the operators */
    private double operation(int level) {
        if (level == OPERATORS.size()) {
            return operand();
        }
        double value = operation(level + 1);
        while (more && tokens.group(3) != null && OPERATORS.get(level).contains(tokens.group(3))) {
            String operator = tokens.group(3);
            more = tokens.find();
            double other = operation(level + 1);
            double result = switch (operator) {
                case "<<" -> value * Math.pow(2, other);
                case ">>" -> Math.floor(value / Math.pow(2, other));
                case "+" -> value + other;
                case "-" -> value - other;
                case "*" -> value * other;
                case "/" -> Math.floor(value / other);
                default -> value % other;
            };
            value = (exact || "<<+*".contains(operator)) && result >= 0 ? result : Double.NaN;
        }
        return value;
    }

    private double operand() {
        if (!more) {
            return Double.NaN;
        }
        String number = tokens.group(1);
        String name = tokens.group(2);
        boolean opens = "(".equals(tokens.group(3));
        more = tokens.find();
        if (opens) {
            double value = operation(0);
            boolean closes = more && ")".equals(tokens.group(3));
            more = more && tokens.find();
            return closes ? value : Double.NaN;
        }
        return number != null
                ? Long.decode(number)
                : name != null && macros.containsKey(name) ? of(macros.get(name)) : Double.NaN;
    }

    /** The largest of a macro's definitions. */
    private double of(String meanings) {
        String[] each = meanings.split("\n", -1);
        exact &= each.length == 1;
        double most = 0;
        for (String meaning : each) {
            MostBytes inner = new MostBytes(meaning, macros, depth + 1);
            most = Math.max(most, inner.value());
            exact &= inner.exact;
        }
        return most;
    }
}
