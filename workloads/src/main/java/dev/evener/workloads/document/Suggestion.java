package dev.evener.workloads.document;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** What somebody who misspelt a name probably meant. Stateless. */
public final class Suggestion {
    /** More mistakes than these make another word. */
    private static final int MOST_MISTAKES = 2;

    private static final int LONGEST = 64;

    private Suggestion() {}

    /**
     * The nearest of the names as {@code (did you mean 'name'?)} after a blank, or nothing if none is near: a mistake is a letter that is
     * wrong, missing or one too many (Levenshtein's distance, 1966).
     */
    public static String of(String wrong, Collection<String> names) {
        String word = wrong.toLowerCase(Locale.ROOT);
        if (word.length() > LONGEST) {
            return "";
        }
        return names.stream()
                .filter(name -> distance(word, name.toLowerCase(Locale.ROOT)) <= allowed(name))
                .min(Comparator.comparingInt(name -> distance(word, name.toLowerCase(Locale.ROOT))))
                .map(name -> " (did you mean '" + name + "'?)")
                .orElse("");
    }

    /** Of a short name one mistake leaves enough to be known by. */
    private static int allowed(String name) {
        return Math.min(MOST_MISTAKES, name.length() / 3);
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
