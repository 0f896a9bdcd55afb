package dev.evener.internal.lane;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The arrays that each work-item of a kernel has for itself, as its text declares them: drivers that have them on the stack of a thread
 * do not tell how large they are. No compiler: what macros make and what structs hold is not seen, and of two branches of the
 * preprocessor both are. Sizes are left to the compiler, as types that can be asked for with {@code sizeof}. Stateless.
 */
final class PrivateArrays {
    private static final Pattern NO_CODE =
            Pattern.compile("//[^\\n]*|/\\*(?s:.*?)\\*/|(?m:^[ \\t]*#(?:[^\\n\\\\]|\\\\(?s:.))*)");

    /** What begins a statement with an array that is declared; the type, of which the first word is none of these. */
    private static final Pattern DECLARATION = Pattern.compile(
            "\\s*(?!(?:return|else|case|goto|typedef|extern|static)\\b)"
                    + "((?:(?:const|volatile|private|__private|struct|union|enum|unsigned|signed|long)\\s+)*\\w+)[\\s*]+(\\w+\\s*[\\[,=;].*)",
            Pattern.DOTALL);

    private static final Pattern FOR = Pattern.compile("^\\s*for\\s*\\(");
    private static final Pattern ELSEWHERE = Pattern.compile("\\b(?:__)?(?:local|constant|global)\\b");
    private static final Pattern KERNEL = Pattern.compile("\\b(?:__)?kernel\\b");
    private static final Pattern NAME = Pattern.compile("(\\w+)\\s*\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)\\s*$");
    private static final Pattern ARRAY = Pattern.compile("\\s*\\**\\s*\\w+\\s*((?:\\[[^\\[\\]]+\\]\\s*)+)");

    private PrivateArrays() {}

    /** Types such as {@code float[16][TILE + 1]}, of a kernel and of all functions that it might call. */
    static List<String> of(String source, String kernel) {
        List<String> types = new ArrayList<>();
        if (source.indexOf('[') < 0) {
            return types;
        }
        String text = NO_CODE.matcher(source).replaceAll(" ");
        int headFrom = 0;
        for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', headFrom)) {
            int close = closing(text, open + 1);
            String head = text.substring(Math.max(headFrom, text.lastIndexOf(';', open) + 1), open);
            Matcher name = NAME.matcher(head);
            if (name.find() && (!KERNEL.matcher(head).find() || name.group(1).equals(kernel))) {
                ofBody(text.substring(open + 1, close), types);
            }
            headFrom = Math.min(text.length(), close + 1);
        }
        return types;
    }

    private static void ofBody(String body, List<String> types) {
        for (String statement : body.split("[;{}]", -1)) {
            if (statement.indexOf('[') < 0 || ELSEWHERE.matcher(statement).find()) {
                continue;
            }
            Matcher declaration = DECLARATION.matcher(FOR.matcher(statement).replaceFirst(" ") + ";");
            if (!declaration.matches()) {
                continue;
            }
            int depth = 0;
            StringBuilder declarator = new StringBuilder();
            for (char c : declaration.group(2).toCharArray()) {
                depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
                if ((c == ',' || c == ';') && depth == 0) {
                    Matcher array = ARRAY.matcher(declarator);
                    if (array.lookingAt()) {
                        types.add(declaration.group(1).replaceAll("\\s+", " ")
                                + array.group(1).replaceAll("\\s+", ""));
                    }
                    declarator.setLength(0);
                } else {
                    declarator.append(c);
                }
            }
        }
    }

    private static int closing(String text, int from) {
        int depth = 1;
        for (int at = from; at < text.length(); at++) {
            depth += text.charAt(at) == '{' ? 1 : text.charAt(at) == '}' ? -1 : 0;
            if (depth == 0) {
                return at;
            }
        }
        return text.length();
    }
}
