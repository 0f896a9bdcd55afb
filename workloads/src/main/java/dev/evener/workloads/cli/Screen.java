package dev.evener.workloads.cli;

import dev.evener.workloads.document.Printable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterWriter;
import java.io.IOException;
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

    static Screen standardOutput() {
        return new Screen(visible(FileDescriptor.out, "sun.stdout.encoding"));
    }

    static Screen standardError() {
        return new Screen(visible(FileDescriptor.err, "sun.stderr.encoding"));
    }

    /** System.out and System.err would keep a failure to themselves. */
    private static Visible visible(FileDescriptor file, String property) {
        String terminal = System.getProperty(property);
        Charset charset = terminal == null ? Charset.defaultCharset() : Charset.forName(terminal);
        Writer writer = new OutputStreamWriter(new FileOutputStream(file), charset);
        return new Visible(writer, charset.name().startsWith("UTF") ? null : charset.newEncoder());
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
            if (narrow != null && !narrow.canEncode(shown)) {
                StringBuilder known = new StringBuilder();
                for (char c : shown.toCharArray()) {
                    known.append(narrow.canEncode(c) ? String.valueOf(c) : Printable.escaped(c));
                }
                shown = known.toString();
            }
            raw(shown);
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
}
