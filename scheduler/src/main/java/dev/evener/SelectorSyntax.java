package dev.evener;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How selectors are written. Stateless. */
final class SelectorSyntax {
    private static final String COUNT = "[1-9]\\d{0,4}";
    private static final String INDEX = "(?:0|[1-9]\\d{0,7})";
    private static final String PART = "(?<part>-?" + COUNT + "|(?<counts>" + COUNT + "(?:\\+" + COUNT + "){1,255})|"
            + COUNT + "@" + INDEX + "|numa" + INDEX + "?)";

    private static final Pattern ID = Pattern.compile("jvm|(?<device>\\d{1,4}\\.\\d{1,4})(?::" + PART + ")?");
    /** A word that takes a part of each CPU device. */
    static final Pattern WORD = Pattern.compile("(?<word>all|cpu):" + PART);

    private SelectorSyntax() {}

    /**
     * One id for each device or part, where one text may stand for several parts.
     *
     * @param all the selector that the texts come from
     * @throws IllegalArgumentException if one of them is no id
     */
    static List<String> ids(List<String> texts, String all) {
        List<String> ids = new ArrayList<>();
        for (String text : texts) {
            Matcher id = ID.matcher(text);
            if (!id.matches()) {
                throw new IllegalArgumentException("device selector '" + all
                        + "': expected all, cpu, gpu, jvm or platform.device pairs such as 0.0,1.0, or parts of devices such"
                        + " as 0.0:8 (8 compute units), 0.0:8+8, 0.0:-1 (all but one), 0.0:numa and all:-1");
            }
            String counts = id.group("counts");
            if (counts == null) {
                ids.add(text.endsWith("@0") ? text.substring(0, text.length() - 2) : text);
                continue;
            }
            int first = 0;
            for (String count : counts.split("\\+", -1)) {
                ids.add(id.group("device") + ":" + count + (first == 0 ? "" : "@" + first));
                first += Integer.parseInt(count);
            }
        }
        return List.copyOf(ids);
    }

    /** Whether an id of a selector means a device in use. */
    static boolean means(String selected, String id) {
        int part = selected.indexOf(':') + 1;
        if (selected.startsWith(
                "-", part)) { // how many are left, nobody knows here: it is the part that begins with the first
            return id.startsWith(selected.substring(0, part))
                    && id.substring(part).matches("\\d+");
        }
        return selected.equals(id) || (selected.endsWith(":numa") && id.startsWith(selected));
    }
}
