package dev.evener.frames;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The first bytes of a file, taken as lines or words within bounds that no honest header reaches. One thread. */
final class HeaderText {
    /** A header with its resolution line ends within this many bytes. */
    static final int MAX_BYTES = 1 << 16;

    private static final int MAX_LINE = 4096;

    private final Path file;
    private final byte[] head;
    private int position;

    HeaderText(Path file, byte[] head) {
        this.file = file;
        this.head = head;
    }

    /** Offset of the next byte to take. */
    int position() {
        return position;
    }

    /** The byte at the position, or -1 at the end. */
    int peek() {
        return peek(0);
    }

    /** The byte so many after the position, or -1 behind the end. */
    int peek(int ahead) {
        return position + ahead < head.length ? head[position + ahead] & 0xff : -1;
    }

    /** Steps over one byte. */
    void skip() {
        position++;
    }

    /** The next line without its end (LF or CR LF). */
    String line() throws FrameException {
        int start = position;
        while (position < head.length && head[position] != '\n') {
            if (position - start >= MAX_LINE) {
                throw new FrameException(
                        file, "the header line at byte " + start + " is longer than " + MAX_LINE + " bytes");
            }
            position++;
        }
        if (position == head.length) {
            throw new FrameException(
                    file,
                    head.length < MAX_BYTES
                            ? "ends within its header, at byte " + position
                            : "its header has no end within " + MAX_BYTES + " bytes");
        }
        int end = position++;
        if (end > start && head[end - 1] == '\r') {
            end--;
        }
        return new String(head, start, end - start, StandardCharsets.ISO_8859_1);
    }

    /** The next word, white space before it skipped; what ends it is not taken. */
    String word() throws FrameException {
        while (isSpace(peek())) {
            position++;
        }
        int start = position;
        while (position < head.length && !isSpace(peek()) && position - start < 64) {
            position++;
        }
        if (position == head.length) {
            throw new FrameException(file, "ends within its header, at byte " + position);
        }
        return new String(head, start, position - start, StandardCharsets.ISO_8859_1);
    }

    static boolean isSpace(int c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    /** A number in decimal digits alone, or null: parsers of the JDK also take signs, other scripts' digits and more. */
    static @Nullable Long digits(String word) {
        if (word.isEmpty() || word.length() > 18) {
            return null;
        }
        for (int i = 0; i < word.length(); i++) {
            if (word.charAt(i) < '0' || word.charAt(i) > '9') {
                return null;
            }
        }
        return Long.valueOf(word);
    }
}
