package dev.evener.workloads.document;

import java.io.BufferedInputStream;
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
    private int number;
    private long read;
    private long wholeLines;

    /**
     * @param in is closed with this
     * @param longest bytes of a line
     * @param largest bytes of the whole
     */
    public BoundedLines(InputStream in, int longest, long largest) {
        this.in = new BufferedInputStream(in, 1 << 16);
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
        int next = in.read();
        if (next < 0) {
            return null;
        }
        number++;
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.size() == longest) {
                throw wrong("is longer than " + longest + " bytes");
            }
            line.write(next);
        }
        read += line.size() + (next < 0 ? 0 : 1);
        if (next >= 0) {
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
