package dev.evener.workloads.bench;

import dev.evener.workloads.document.DocumentException;
import java.nio.file.Path;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;

/** Whatever a description is, it is read or refused with a reason. */
class PlanPropertyTest {
    private static void readOrRefuse(String text) {
        try {
            PlanReader.parse(text, Map.of(), Path.of(""));
        } catch (DocumentException e) {
            if (String.valueOf(e.getMessage()).isBlank()) {
                throw new AssertionError("no reason", e);
            }
        }
    }

    @Property(tries = 300)
    void aPieceReplacedByAnything(
            @ForAll @IntRange(max = 1100) int at,
            @ForAll @IntRange(max = 40) int length,
            @ForAll @CharRange(from = ' ', to = '~') @StringLength(max = 20) String instead) {
        String text = PlanReaderTest.WHOLE;
        int start = Math.min(at, text.length());
        readOrRefuse(text.substring(0, start) + instead + text.substring(Math.min(start + length, text.length())));
    }

    /** Values of other types and sizes where something else is expected. */
    @Property(tries = 300)
    void aValueReplacedByAnother(@ForAll @IntRange(max = 80) int which, @ForAll @IntRange(max = 11) int what) {
        String[] others = {
            "null", "true", "-1", "0", "1e308", "99999999999999999999", "\"\"", "\"x\"", "[]", "{}", "[[]]", "[null]"
        };
        String text = PlanReaderTest.WHOLE;
        int colon = -1;
        for (int i = 0; i <= which; i++) {
            int next = text.indexOf(": ", colon + 1);
            if (next < 0) {
                break;
            }
            colon = next;
        }
        int end = colon + 2;
        int depth = 0;
        for (; end < text.length(); end++) {
            char c = text.charAt(end);
            if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                break;
            }
            depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        }
        readOrRefuse(text.substring(0, colon + 2) + others[what] + text.substring(end));
    }

    @Property(tries = 200)
    void anyText(@ForAll @StringLength(max = 200) String text) {
        readOrRefuse(text);
    }
}
