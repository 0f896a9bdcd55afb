package dev.evener.record;

import dev.evener.internal.files.PlainFiles;
import dev.evener.record.Checked.WrongLine;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads what a {@link Recorder} wrote, compressed or not, whatever the file is called. Lines are read one after another, and
 * refused if they are longer than 1 MiB; a record that would take more than half of the JVM's largest heap is refused as
 * well. Stateless; any thread.
 */
public final class RecordReader {
    /** What the first line says that the file is. */
    public static final String FORMAT = "evener-record";

    /** The version of the format that is written and read. */
    public static final int VERSION = 1;

    /** No moment is further from the beginning, in nanoseconds: about 146 years. */
    static final long LATEST = 1L << 62;

    private static final int LONGEST_LINE = 1 << 20;

    private final Path file;
    private final boolean partial;
    private final long mostBytes;
    private final byte[] block = new byte[64 << 10];
    private int at;
    private int end;
    private byte[] text = new byte[4096];
    private int length;
    private long lines; // read whole

    private RecordReader(Path file, boolean partial, long mostBytes) {
        this.file = file;
        this.partial = partial;
        this.mostBytes = mostBytes;
    }

    /**
     * Reads a record.
     *
     * @throws RecordException if it cannot be read, is none, is damaged, of another version, or was not brought to its end;
     *     the message names the file and the line
     */
    public static Recording read(Path file) {
        return read(file, false, Runtime.getRuntime().maxMemory() / 2);
    }

    /**
     * Reads a record that may have been cut off, up to its last whole line. All of these must be right nevertheless.
     *
     * @throws RecordException as {@link #read}, but not for what the end lacks
     */
    public static Recording readPartial(Path file) {
        return read(file, true, Runtime.getRuntime().maxMemory() / 2);
    }

    static Recording read(Path file, boolean partial, long mostBytes) {
        String other = PlainFiles.other(file);
        if (other != null) {
            throw RecordException.of(file, other + ", not a record");
        }
        try (InputStream raw = new BufferedInputStream(PlainFiles.open(file))) {
            return read(file, raw, partial, mostBytes);
        } catch (NoSuchFileException e) {
            throw RecordException.of(file, "there is no such file", e);
        } catch (AccessDeniedException e) {
            throw RecordException.of(file, "permission denied", e);
        } catch (IOException e) {
            throw RecordException.of(file, "cannot be read: " + e.getMessage(), e);
        }
    }

    /** @param raw which can be marked */
    static Recording read(Path file, InputStream raw, boolean partial, long mostBytes) throws IOException {
        return new RecordReader(file, partial, mostBytes).read(raw);
    }

    private Recording read(InputStream raw) throws IOException {
        InputStream in;
        try {
            in = plain(raw);
        } catch (EOFException e) {
            throw RecordException.of(file, "the record is cut off before its first line ends", e);
        }
        if (!nextLine(in)) {
            throw RecordException.of(
                    file, length == 0 ? "is empty, not a record" : "the record is cut off before its first line ends");
        }
        try {
            Recording.Header header = LineFormat.header(LineFormat.fields(text, length));
            Assembly assembly = new Assembly();
            long weight = 0;
            while (nextLine(in)) {
                Line line = LineFormat.line(LineFormat.fields(text, length));
                weight += LineFormat.weight(line, length);
                if (weight > mostBytes) {
                    throw new WrongLine("up to here the record takes about " + (weight >> 20)
                            + " MiB of memory, more than may be used: give Java a larger heap (-Xmx)");
                }
                assembly.add(line, lines - 1);
            }
            if (!assembly.ended() && !partial) {
                throw new WrongLine("the record is cut off after this line; --partial reads what there is");
            }
            return new Recording(header, assembly.runs(), assembly.ended(), assembly.skipped());
        } catch (WrongLine e) {
            throw RecordException.at(file, lines, e.getMessage());
        }
    }

    private static InputStream plain(InputStream raw) throws IOException {
        raw.mark(2);
        int first = raw.read();
        int second = raw.read();
        raw.reset();
        boolean compressed = first == 0x1f && second == 0x8b;
        return compressed ? new GZIPInputStream(raw, 64 << 10) : raw;
    }

    /** Reads a line; false if there is no further one that ends. */
    private boolean nextLine(InputStream in) throws IOException {
        length = 0;
        while (true) {
            if (at == end && !fill(in)) {
                if (length > 0 && lines > 0 && !partial) {
                    throw RecordException.at(
                            file, lines + 1, "the record is cut off within this line; --partial reads what is before");
                }
                return false;
            }
            int from = at;
            while (at < end && block[at] != '\n') {
                at++;
            }
            take(from, at - from);
            if (at < end) {
                at++;
                lines++;
                return true;
            }
        }
    }

    private void take(int from, int count) {
        if (count > LONGEST_LINE - length) {
            throw RecordException.at(
                    file,
                    lines + 1,
                    "the line is longer than " + LONGEST_LINE + " bytes: this is not an Evener record");
        }
        if (length + count > text.length) {
            text = Arrays.copyOf(text, Math.max(length + count, Math.min(LONGEST_LINE, 2 * text.length)));
        }
        System.arraycopy(block, from, text, length, count);
        length += count;
    }

    private boolean fill(InputStream in) throws IOException {
        at = 0;
        end = 0;
        try {
            int count = in.read(block);
            end = Math.max(0, count);
            return count > 0;
        } catch (EOFException e) { // of compressed data, cut off
            return false;
        } catch (ZipException e) {
            throw RecordException.at(file, lines + 1, "the compressed data are damaged: " + e.getMessage());
        }
    }
}
