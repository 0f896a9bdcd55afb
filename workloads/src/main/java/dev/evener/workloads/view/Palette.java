package dev.evener.workloads.view;

import java.util.List;

/**
 * The colours of a page in both schemes. Ink and muted ink reach a contrast of 4.5 on both backgrounds, and marks of charts
 * one of 3 (W3C, "Web Content Accessibility Guidelines" 2.2, 1.4.3 and 1.4.11), which a test computes. Stateless.
 */
final class Palette {
    /** How many devices have a colour of their own; further ones begin again. */
    static final int SERIES = 8;

    static final Palette LIGHT = new Palette(
            "#f6f7f9",
            "#ffffff",
            "#1b1f24",
            "#535c66",
            "#d5dbe1",
            "#b3261e",
            List.of("#2563c9", "#bb520a", "#27823a", "#8a3fb5", "#0f7a81", "#c2294a", "#80591f", "#546a8a"));

    static final Palette DARK = new Palette(
            "#14171c",
            "#1c2027",
            "#e6e9ee",
            "#a7b0bc",
            "#3a424d",
            "#ff8a80",
            List.of("#6ea8ff", "#ff9e57", "#63c779", "#c893f0", "#4fc4cb", "#ff7d94", "#cfa564", "#9fb3d1"));

    private final String page;
    private final String card;
    private final String ink;
    private final String muted;
    private final String grid;
    private final String alarm;
    private final List<String> series;

    private Palette(
            String page, String card, String ink, String muted, String grid, String alarm, List<String> series) {
        this.page = page;
        this.card = card;
        this.ink = ink;
        this.muted = muted;
        this.grid = grid;
        this.alarm = alarm;
        this.series = series;
    }

    /** The class of what belongs to a device or a group. */
    static String series(int index) {
        return "s" + Math.floorMod(index, SERIES);
    }

    /** The class of a group of what is compared: not the first colours, which are those of devices. */
    static String group(int index) {
        return series(index + 3);
    }

    /** What text and charts stand on. */
    List<String> backgrounds() {
        return List.of(page, card);
    }

    /** What text is written in. */
    List<String> texts() {
        return List.of(ink, muted, alarm);
    }

    /** What charts are drawn in. */
    List<String> marks() {
        return series;
    }

    /** As the custom properties of a style sheet. */
    String css() {
        StringBuilder css = new StringBuilder()
                .append("--page:")
                .append(page)
                .append(";--card:")
                .append(card)
                .append(";--ink:")
                .append(ink)
                .append(";--muted:")
                .append(muted)
                .append(";--grid:")
                .append(grid)
                .append(";--alarm:")
                .append(alarm);
        for (int i = 0; i < series.size(); i++) {
            css.append(";--s").append(i).append(':').append(series.get(i));
        }
        return css.append(';').toString();
    }

    /** The whole style sheet's beginning: light, unless the reader prefers dark. */
    static String bothSchemes() {
        StringBuilder css = new StringBuilder(":root{color-scheme:light dark;" + LIGHT.css() + "}\n");
        css.append("@media (prefers-color-scheme:dark){:root{")
                .append(DARK.css())
                .append("}}\n");
        for (int i = 0; i < SERIES; i++) {
            css.append(".s").append(i).append("{--own:var(--s").append(i).append(")}\n");
        }
        return css.toString();
    }
}
