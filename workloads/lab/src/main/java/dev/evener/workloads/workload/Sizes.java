package dev.evener.workloads.workload;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of items as people write them: {@code 4096}, {@code 16K} (16,000), {@code 16Ki} (16,384), and so with M and G. */
public final class Sizes {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})(?:([kmg])(i?))?");
    private static final String[] UNITS = {"Gi", "Mi", "Ki"};

    private Sizes() {}

    /**
     * A size; at least 1.
     *
     * @throws IllegalArgumentException if it is none, saying what would be
     */
    public static long parse(String text) {
        Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text
                    + "' is not a size; expected a number such as 4096, 16Ki (16384) or 16K (16000), with K, M or G");
        }
        String unit = matcher.group(2);
        int power = unit == null ? 0 : "kmg".indexOf(unit) + 1;
        boolean binary = "i".equals(matcher.group(3));
        long size = Long.parseLong(matcher.group(1));
        for (int i = 0; i < power; i++) {
            if (size > Long.MAX_VALUE / 1024) {
                throw new IllegalArgumentException("'" + text + "' is not a size; that is too much");
            }
            size *= binary ? 1024 : 1000;
        }
        if (size < 1) {
            throw new IllegalArgumentException("'" + text + "' is not a size; the smallest is 1");
        }
        return size;
    }

    /** The shortest of these forms that says exactly the same, such as {@code 16Ki} or {@code 1000}. */
    public static String text(long size) {
        for (int i = 0; i < UNITS.length; i++) {
            long unit = 1L << (10 * (UNITS.length - i));
            if (size >= unit && size % unit == 0) {
                return size / unit + UNITS[i];
            }
        }
        return Long.toString(size);
    }
}
