package dev.evener.workloads.view;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.workloads.document.TextTable;

/** Text from devices and users, made fit for files; and figures in words. Stateless. */
final class Text {
    private Text() {}

    /** Without what neither JSON in UTF-8 nor HTML may hold: control characters and halves of surrogate pairs. */
    static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            boolean forbidden = Character.isISOControl(c) || (c >= 0xD800 && c <= 0xDFFF) || (c & 0xFFFE) == 0xFFFE;
            clean.appendCodePoint(forbidden ? (Character.isWhitespace(c) ? ' ' : 0xFFFD) : c);
        });
        return clean.toString();
    }

    /** For HTML and SVG, between tags and in quoted attributes. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        clean(text).codePoints().forEach(c -> {
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.appendCodePoint(c);
            }
        });
        return escaped.toString();
    }

    /** A time with three significant figures and its unit. */
    static String time(double nanos) {
        double size = Math.abs(nanos);
        if (size < 999.5) {
            return figures(nanos) + " ns";
        }
        if (size < 999.5e3) {
            return figures(nanos / 1e3) + " µs";
        }
        return size < 999.5e6 ? figures(nanos / 1e6) + " ms" : figures(nanos / 1e9) + " s";
    }

    static String time(long nanos) {
        return time((double) nanos);
    }

    /** Three significant figures, without an exponent below a million. */
    static String figures(double value) {
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        }
        int places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
        return format("%." + places + "f", value);
    }

    /** A median of counts: whole, or with a half. */
    static String count(double value) {
        return value == Math.rint(value) ? count((long) value) : format("%,.1f", value);
    }

    /** A whole number, in groups of three. */
    static String count(long value) {
        return format("%,d", value);
    }

    /** So many of them. */
    static String counted(long count, String noun) {
        return count(count) + " " + TextTable.noun(count, noun);
    }

    /** A fraction as a percentage with one decimal. */
    static String percent(double fraction) {
        return format("%.1f %%", 100 * fraction);
    }

    /** Bytes, in binary units. */
    static String bytes(double bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double size = bytes;
        while (size >= 1024 && unit < units.length - 1) {
            size /= 1024;
            unit++;
        }
        return unit == 0 ? format("%.0f B", size) : figures(size) + " " + units[unit];
    }

    static String bytes(long bytes) {
        return bytes((double) bytes);
    }
}
