package dev.evener.workloads.view;

import java.util.Locale;

/** A chart as text, element by element. Every text that is given is escaped. Not thread-safe. */
final class Svg {
    /** Width of all charts, in the units of their drawing; the page scales them. */
    static final double WIDTH = 960;

    private final StringBuilder out = new StringBuilder();
    private final String name;
    private final double height;

    /**
     * @param kind class of the element
     * @param name what the chart shows, for those who cannot see it
     */
    Svg(String kind, String name, double height) {
        this.name = name;
        this.height = height;
        out.append("<svg class=\"")
                .append(kind)
                .append("\" role=\"img\" aria-label=\"")
                .append(Text.escape(name));
        out.append("\" viewBox=\"0 0 ")
                .append(number(WIDTH))
                .append(' ')
                .append(number(height))
                .append("\"");
    }

    /** An attribute of the chart itself, before anything else is added. */
    Svg with(String attribute, Object value) {
        out.append(' ')
                .append(attribute)
                .append("=\"")
                .append(Text.escape(String.valueOf(value)))
                .append('"');
        return this;
    }

    Svg begin() {
        out.append(">\n");
        return this;
    }

    double height() {
        return height;
    }

    String name() {
        return name;
    }

    Svg group(String classes) {
        out.append("<g class=\"").append(classes).append("\">\n");
        return this;
    }

    Svg end() {
        out.append("</g>\n");
        return this;
    }

    /** @param more further attributes, as they are to stand there */
    Svg rectangle(String classes, double x, double y, double width, double height, String more, String title) {
        out.append("<rect class=\"").append(classes).append("\" x=\"").append(number(x));
        out.append("\" y=\"").append(number(y)).append("\" width=\"").append(number(width));
        out.append("\" height=\"").append(number(height)).append('"').append(more);
        return titled("rect", title);
    }

    Svg line(String classes, double x1, double y1, double x2, double y2) {
        out.append("<line class=\"").append(classes).append("\" x1=\"").append(number(x1));
        out.append("\" y1=\"").append(number(y1)).append("\" x2=\"").append(number(x2));
        out.append("\" y2=\"").append(number(y2)).append("\"/>\n");
        return this;
    }

    Svg path(String classes, String path) {
        out.append("<path class=\"")
                .append(classes)
                .append("\" d=\"")
                .append(path)
                .append("\"/>\n");
        return this;
    }

    Svg dot(String classes, double x, double y, double radius, String title) {
        out.append("<circle class=\"").append(classes).append("\" cx=\"").append(number(x));
        out.append("\" cy=\"")
                .append(number(y))
                .append("\" r=\"")
                .append(number(radius))
                .append('"');
        return titled("circle", title);
    }

    private Svg titled(String element, String title) {
        if (title.isEmpty()) {
            out.append("/>\n");
        } else {
            out.append("><title>")
                    .append(Text.escape(title))
                    .append("</title></")
                    .append(element)
                    .append(">\n");
        }
        return this;
    }

    /** @param classes of which {@code end} and {@code middle} say what stands at {@code x} */
    Svg text(String classes, double x, double y, String text) {
        out.append("<text class=\"").append(classes).append("\" x=\"").append(number(x));
        out.append("\" y=\"")
                .append(number(y))
                .append("\">")
                .append(Text.escape(text))
                .append("</text>\n");
        return this;
    }

    /** The end of the chart, and all of it. */
    String close() {
        return out.append("</svg>\n").toString();
    }

    /** Short, and to a thousandth. */
    static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e9) {
            return Long.toString((long) value);
        }
        String text = String.format(Locale.ROOT, "%.3f", value);
        int end = text.length();
        while (text.charAt(end - 1) == '0') {
            end--;
        }
        return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
    }
}
