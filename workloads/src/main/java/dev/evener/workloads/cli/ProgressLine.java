package dev.evener.workloads.cli;

/**
 * A line that shows how far long work is, on a terminal; nothing anywhere else. Redrawn a few times a second. One thread at
 * a time.
 */
final class ProgressLine {
    private static final long REDRAW_NANOS = 100_000_000L;

    private final Screen err;
    private final boolean shown;
    private final long started = System.nanoTime();
    private long drawn = started - REDRAW_NANOS;
    private int length;

    ProgressLine(Screen err, boolean wanted) {
        this.err = err;
        // The launcher knows whether standard error is a terminal; Java has no portable way to ask.
        this.shown = wanted && Boolean.getBoolean("evener.terminal");
    }

    void update(long done, long total) {
        draw(done + " of " + total + " frames", done >= total);
    }

    /** Shows what is being done, if the last time is not too short a while ago. */
    void show(String what) {
        draw(what, false);
    }

    private void draw(String what, boolean always) {
        long now = System.nanoTime();
        if (!shown || (now - drawn < REDRAW_NANOS && !always)) {
            return;
        }
        drawn = now;
        String line = String.format("%s, %.1f s", what, (now - started) / 1e9);
        err.redraw(line + " ".repeat(Math.max(0, length - line.length())));
        length = line.length();
    }

    /** Wipes the line, so that what comes next stands alone. */
    void clear() {
        if (length > 0) {
            err.redraw(" ".repeat(length));
            err.redraw("");
            length = 0;
        }
    }
}
