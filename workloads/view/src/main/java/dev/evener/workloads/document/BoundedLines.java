package dev.evener.workloads.document;

import dev.evener.internal.files.PlainFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Lines of UTF-8 text from a source that may be hostile: neither a line nor the whole can be of any size. Comments, which may be in any
 * encoding, are left out: lines that begin with {@code #}, and what is behind a mark. One thread.
 */
public final class BoundedLines implements AutoCloseable {
    private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf
    }; // of the order of bytes, before the first line

    private final InputStream in;
    private final int longest;
    private final long largest;
    private final char comment;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int filled;
    private int number;
    private long read;

    /**
     * @param in is closed with this
     * @param longest bytes of a line
     * @param largest bytes of the whole
     */
    public BoundedLines(InputStream in, int longest, long largest) {
        this(in, longest, largest, '\n');
    }

    /**
     * The same.
     *
     * @param comment of ASCII: what is behind it in a line is a comment
     */
    public BoundedLines(InputStream in, int longest, long largest, char comment) {
        this.comment = comment;
        this.in = in;
        this.longest = longest;
        this.largest = largest;
    }

    /**
     * The bytes of a file that somebody named.
     *
     * @throws DocumentException if it is no plain file: opening a pipe may wait for ever, and a device may never end
     * @throws IOException if it cannot be opened
     */
    public static InputStream open(Path file) throws IOException {
        if (PlainFiles.other(file) != null) {
            throw new DocumentException("", "is a folder, a pipe or a device, not a plain file");
        }
        return PlainFiles.open(file);
    }

    /**
     * The next line without its end, which is LF or CR LF, a comment or the mark of its order of bytes; null after the last.
     *
     * @throws DocumentException if it is too long, the whole is too large, or it is not UTF-8
     */
    public @Nullable String next() throws IOException {
        line.reset();
        if (!more()) {
            return null;
        }
        number++;
        boolean ended = false;
        while (!ended && more()) {
            int end = at;
            while (end < filled && buffer[end] != '\n') {
                end++;
            }
            if (line.size() + end - at > longest) {
                throw wrong("is longer than " + longest + " bytes");
            }
            line.write(buffer, at, end - at);
            ended = end < filled;
            at = ended ? end + 1 : end;
        }
        read += line.size() + (ended ? 1 : 0);
        if (read > largest) {
            throw new DocumentException("", "is larger than " + largest + " bytes");
        }
        try {
            String text = utf8(withoutComment(line.toByteArray()));
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        } catch (CharacterCodingException e) {
            throw wrong("is not UTF-8 text");
        }
    }

    /** Bytes of ASCII are part of no other character. */
    private byte[] withoutComment(byte[] bytes) {
        int from = number == 1 && Arrays.equals(Arrays.copyOf(bytes, MARK.length), MARK) ? MARK.length : 0;
        int end = from;
        while (end < bytes.length && bytes[from] != '#' && bytes[end] != comment) {
            end++;
        }
        return Arrays.copyOfRange(bytes, from, end);
    }

    /** Whether there are more bytes. */
    private boolean more() throws IOException {
        if (at == filled) {
            at = 0;
            filled = Math.max(0, in.read(buffer));
        }
        return at < filled;
    }

    /** What bytes say, which must be right. */
    public static String utf8(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    /** The number of the line that was read last, from 1. */
    public int number() {
        return number;
    }

    /** An error about the line that was read last. */
    public DocumentException wrong(String problem) {
        return new DocumentException("line " + number, problem);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
