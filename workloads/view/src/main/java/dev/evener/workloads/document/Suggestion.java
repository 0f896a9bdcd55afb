package dev.evener.workloads.document;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** What somebody who misspelt a name probably meant. Stateless. */
public final class Suggestion {
    private static final int LONGEST = 64;

    private Suggestion() {}

    /**
     * The nearest of the names as {@code (did you mean 'name'?)} after a blank, or nothing if none is near: a mistake is a letter that is
     * wrong, missing or one too many (Levenshtein's distance, 1966). More than two make another word, and of a short name one leaves
     * enough to be known by.
     */
    public static String of(String wrong, Collection<String> names) {
        return names.stream()
                .filter(name -> wrong.length() <= LONGEST && distance(wrong, name) <= Math.min(2, name.length() / 3))
                .min(Comparator.comparingInt(name -> distance(wrong, name)))
                .map(name -> " (did you mean '" + name + "'?)")
                .orElse("");
    }

    private static int distance(String first, String second) {
        String a = first.toLowerCase(Locale.ROOT);
        String b = second.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            int diagonal = i; // of the row and column before, or what the first column comes to
            for (int j = 0; j <= b.length(); j++) {
                int above = row[j];
                if (i == 0 || j == 0) {
                    row[j] = i + j;
                } else {
                    int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                    row[j] = Math.min(replaced, 1 + Math.min(above, row[j - 1]));
                }
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
