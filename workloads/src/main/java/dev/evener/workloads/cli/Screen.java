package dev.evener.workloads.cli;

import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.PipelineReport.StageUse;
import dev.evener.workloads.document.Printable;
import dev.evener.workloads.document.TextTable;
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
import java.util.function.DoubleFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
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
     * A line that shows how far long work is: on a terminal redrawn a few times a second; anywhere else, such as in the log of a
     * batch job, a line of its own each half minute. One thread at a time.
     */
    static final class ProgressLine {
        private static final long REDRAW_NANOS = 100_000_000L;
        private static final long HEARTBEAT_NANOS = 30_000_000_000L;

        private final Screen err;
        private final boolean wanted;
        private final boolean terminal;
        private final LongSupplier clock;
        private final long started;
        private long drawn;
        private int length;

        ProgressLine(Screen err, boolean wanted, LongSupplier clock) {
            this.err = err;
            this.clock = clock;
            this.started = clock.getAsLong();
            // The launcher knows whether standard error is a terminal; Java has no portable way to ask.
            this.terminal = Boolean.getBoolean("evener.terminal");
            this.wanted = wanted;
            this.drawn = terminal ? started - REDRAW_NANOS : started;
        }

        /**
         * Shows how far a stream of frames is: frames a second and the time left are by the mean so far, and the stage named last is the
         * one that the run waited for most, with its part of all waiting.
         *
         * @param done frames finished or failed, at least 1
         */
        void update(long done, long total, Supplier<PipelineReport> soFar) {
            draw(done >= total, seconds -> {
                PipelineReport report = soFar.get();
                StageUse most = report.bottleneck();
                long held =
                        report.stages().stream().mapToLong(StageUse::heldNanos).sum();
                return TextTable.format(
                        "%d of %s, %.1f a second, %s left, %.0f%% waiting for %s",
                        done,
                        TextTable.counted(total, "frame"),
                        done / seconds,
                        left(seconds / done * (total - done)),
                        100.0 * most.heldNanos() / Math.max(1, held),
                        most.name());
            });
        }

        private static String left(double seconds) {
            return seconds < 100 ? TextTable.format("%.0f s", seconds) : TextTable.format("%.0f min", seconds / 60);
        }

        /** Shows what is being done, if the last time is not too short a while ago. */
        void show(String what) {
            draw(false, seconds -> TextTable.format("%s, %.1f s", what, seconds));
        }

        /** @param text of the seconds since the line was made */
        private void draw(boolean always, DoubleFunction<String> text) {
            long now = clock.getAsLong();
            long pause = terminal ? REDRAW_NANOS : HEARTBEAT_NANOS;
            if (!wanted || (now - drawn < pause && !(always && terminal))) {
                return;
            }
            drawn = now;
            String line = text.apply(Math.max(1, now - started) / 1e9);
            if (!terminal) {
                err.println("evener: " + line);
                return;
            }
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
