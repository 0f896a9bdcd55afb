package dev.evener.workloads.cli;

import dev.evener.workloads.document.Printable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Where a command prints, and the one place through which all of it goes: what names of records, drivers and files bring with
 * them is made {@link Printable}, and what the terminal has no character for is written in the same way. Remembers why it
 * could not write, which a {@link PrintWriter} does not tell. One thread at a time.
 */
final class Screen extends PrintWriter {
    private final Visible visible;

    /** To that, which can hold any character. */
    Screen(Writer to) {
        this(new Visible(to, null));
    }

    private Screen(Visible visible) {
        super(visible, true);
        this.visible = visible;
    }

    /** To that, in letters of the charset. */
    Screen(OutputStream to, Charset charset) {
        this(new Visible(
                new OutputStreamWriter(to, charset), charset.name().startsWith("UTF") ? null : charset.newEncoder()));
    }

    /** Not by way of System.out, which keeps a failure to itself. */
    static Screen standardOutput() {
        return new Screen(new FileOutputStream(FileDescriptor.out), charset("sun.stdout.encoding"));
    }

    static Screen standardError() {
        return new Screen(new FileOutputStream(FileDescriptor.err), charset("sun.stderr.encoding"));
    }

    private static Charset charset(String ofTerminal) {
        String name = System.getProperty(ofTerminal);
        return name == null ? Charset.defaultCharset() : Charset.forName(name);
    }

    /** Goes back to the beginning of the line and writes this over what is there. */
    void redraw(String line) {
        flush();
        visible.raw("\r");
        print(line);
        flush();
    }

    /** Why something could not be written; null if all was. */
    @Nullable
    IOException failure() {
        flush();
        return visible.failure;
    }

    private static final class Visible extends FilterWriter {
        private final @Nullable CharsetEncoder narrow; // null where every character can be written
        private @Nullable IOException failure;

        Visible(Writer to, @Nullable CharsetEncoder narrow) {
            super(to);
            this.narrow = narrow;
        }

        @Override
        public void write(int c) throws IOException {
            write(String.valueOf((char) c), 0, 1);
        }

        @Override
        public void write(char[] text, int from, int length) throws IOException {
            write(String.valueOf(text, from, length), 0, length);
        }

        @Override
        public void write(String text, int from, int length) throws IOException {
            String shown = Printable.lines(text.substring(from, from + length));
            raw(narrow == null || narrow.canEncode(shown) ? shown : known(shown, narrow));
        }

        private static String known(String text, CharsetEncoder narrow) {
            StringBuilder known = new StringBuilder();
            text.chars()
                    .mapToObj(c -> (char) c)
                    .forEach(c -> known.append(narrow.canEncode(c) ? c.toString() : Printable.escaped(c)));
            return known.toString();
        }

        void raw(String text) {
            try {
                out.write(text);
            } catch (IOException e) {
                failed(e);
            }
        }

        @Override
        public void flush() {
            try {
                out.flush();
            } catch (IOException e) {
                failed(e);
            }
        }

        private void failed(IOException e) {
            if (failure == null) {
                failure = e;
            }
        }
    }

    /**
     * A line that shows how far long work is, on a terminal; nothing anywhere else. Redrawn a few times a second. One thread at
     * a time.
     */
    static final class ProgressLine {
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
}
