package dev.evener.workloads.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Lines of files that may be anything. */
class BoundedLinesTest {
    private static BoundedLines lines(String text, int longest, long largest) {
        return new BoundedLines(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), longest, largest);
    }

    @Test
    void linesComeWithTheirNumbersAndWithoutTheirEnds() throws IOException {
        try (BoundedLines lines = lines("a\r\n\nb\u00e9\ncut", 10, 100)) {
            assertEquals("a", lines.next());
            assertEquals("", lines.next());
            assertEquals("b\u00e9", lines.next());
            assertEquals(3, lines.number());
            assertEquals("cut", lines.next());
            assertNull(lines.next());
            assertEquals("line 4: so", lines.wrong("so").getMessage());
        }
    }

    @Test
    void neitherALineNorTheWholeCanBeOfAnySize() throws IOException {
        try (BoundedLines lines = lines("12345\n123456\n", 5, 100)) {
            assertEquals("12345", lines.next());
            assertEquals("line 2: is longer than 5 bytes", failure(lines));
        }
        try (BoundedLines lines = lines("1234\n1234\n1\n", 5, 10)) {
            lines.next();
            lines.next();
            assertEquals("is larger than 10 bytes", failure(lines));
        }
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }
        };
        try (BoundedLines lines = new BoundedLines(endless, 1 << 20, 1 << 30)) {
            assertEquals("line 1: is longer than 1048576 bytes", failure(lines));
        }
    }

    @Test
    void whatIsNotUtf8IsRefused() throws IOException {
        byte[] bytes = {'a', '\n', (byte) 0xff, '\n'};
        try (BoundedLines lines = new BoundedLines(new ByteArrayInputStream(bytes), 9, 9)) {
            lines.next();
            assertEquals("line 2: is not UTF-8 text", failure(lines));
        }
    }

    /** One byte of Latin-1 in a comment had the whole log refused. */
    @Test
    void commentsMayBeInAnyEncoding() throws IOException {
        byte[] log =
                "\ufeff# \u00ff\n1 2;\u00ff\n;\u00e9\n#\u00e9\n3\r\n4 #\u00ff\n".getBytes(StandardCharsets.ISO_8859_1);
        log[0] = '#'; // there is no such mark in that encoding
        try (BoundedLines lines = new BoundedLines(new ByteArrayInputStream(log), 99, 99, ';')) {
            assertEquals("", lines.next());
            assertEquals("1 2", lines.next());
            assertEquals("", lines.next());
            assertEquals("", lines.next());
            assertEquals("3", lines.next());
            assertEquals("line 6: is not UTF-8 text", failure(lines));
        }
        try (BoundedLines lines = lines("\ufeff# not\n\ufeff# read;\n", 99, 99)) {
            assertEquals("", lines.next());
            assertEquals("\ufeff# read;", lines.next());
            assertNull(lines.next());
        }
    }

    private static String failure(BoundedLines lines) {
        return String.valueOf(assertThrows(DocumentException.class, lines::next).getMessage());
    }
}
