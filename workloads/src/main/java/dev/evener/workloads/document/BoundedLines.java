package dev.evener.workloads.document;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Lines of UTF-8 text from a source that may be hostile: neither a line nor the whole can be of any size. One thread.
 */
public final class BoundedLines implements AutoCloseable {
    private final InputStream in;
    private final int longest;
    private final long largest;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final byte[] buffer = new byte[1 << 16];
    private int at;
    private int filled;
    private int number;
    private long read;
    private long wholeLines;

    /**
     * @param in is closed with this
     * @param longest bytes of a line
     * @param largest bytes of the whole
     */
    public BoundedLines(InputStream in, int longest, long largest) {
        this.in = in;
        this.longest = longest;
        this.largest = largest;
    }

    /**
     * The next line without its end, which is LF or CR LF; null after the last.
     *
     * @throws DocumentException if it is too long, the whole is too large, or it is not UTF-8
     */
    public @Nullable String next() throws IOException {
        line.reset();
        if (at == filled && !fill()) {
            return null;
        }
        number++;
        boolean ended = false;
        while (!ended && (at < filled || fill())) {
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
        if (ended) {
            wholeLines = read;
        }
        if (read > largest) {
            throw new DocumentException("", "is larger than " + largest + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line.toByteArray()))
                    .toString();
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        } catch (CharacterCodingException e) {
            throw wrong("is not UTF-8 text");
        }
    }

    /** More bytes; false at the end. */
    private boolean fill() throws IOException {
        at = 0;
        filled = Math.max(0, in.read(buffer));
        return filled > 0;
    }

    /** The number of the line that was read last, from 1. */
    public int number() {
        return number;
    }

    /** Bytes up to the last line end: what lies behind was cut off. */
    public long wholeLines() {
        return wholeLines;
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
