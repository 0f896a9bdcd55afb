package dev.evener.workloads.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonStreamTest {
    private static final long MOST = 1L << 40;

    /** A document whose array never ends. */
    private static final class Endless extends InputStream {
        private static final byte[] HEAD = "{\"other\": {\"a\": [1, 2]}, \"jobs\": [".getBytes(StandardCharsets.UTF_8);
        private static final byte[] EACH = "{\"id\": 7, \"res\": [1, 2, 3]}, ".getBytes(StandardCharsets.UTF_8);

        private long read;

        @Override
        public int read() {
            int at = (int) (read < HEAD.length ? read : (read - HEAD.length) % EACH.length);
            byte one = read < HEAD.length ? HEAD[at] : EACH[at];
            read++;
            return one;
        }

        @Override
        public int read(byte[] into, int from, int count) {
            for (int i = 0; i < count; i++) {
                into[from + i] = (byte) read();
            }
            return count;
        }
    }

    private static InputStream text(String text) {
        return new ByteArrayInputStream(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** What is read is what was asked for and a buffer: so that a document of any size can be gone through. */
    @Test
    void elementsComeOneByOne() throws IOException {
        Endless document = new Endless();
        List<Node> some = new ArrayList<>();
        assertTrue(JsonStream.elements(document, MOST, "jobs", node -> {
            some.add(node);
            return some.size() < 1000;
        }));
        assertEquals(7, some.get(999).get("id").whole(0, 9));
        assertTrue(some.get(999).get("id").wrong("x").getMessage().startsWith("jobs[999].id: "));
        assertTrue(document.read < 1000 * Endless.EACH.length + (64 << 10), () -> document.read + " bytes were read");
        DocumentException large = assertThrows(
                DocumentException.class, () -> JsonStream.elements(new Endless(), 100_000, "jobs", node -> true));
        assertEquals("is larger than 100000 bytes", large.getMessage());
    }

    @Test
    void membersComeByName() throws IOException {
        List<String> names = new ArrayList<>();
        assertTrue(JsonStream.members(
                text("{'jobs': [{}, [1]], 'profiles': {'a': {'x': 1}, 'b': 2}, 'z': null}"),
                MOST,
                "profiles",
                (name, node) -> names.add(name + " " + node.path())));
        assertEquals(List.of("a profiles.a", "b profiles.b"), names);
        assertFalse(JsonStream.members(text("{'jobs': []}"), MOST, "profiles", (name, node) -> true));
        assertFalse(JsonStream.elements(text("{'jobs': null}"), MOST, "jobs", node -> true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "[1]|is not one JSON object in braces",
                "{'jobs': {}}|jobs: expected an array in brackets",
                "{'jobs': [1, null]}|jobs[1]: null is no value here",
                "{'jobs': [1, 2|line 1, column 15: is not JSON: ",
                "{'jobs': [1, 2]} x|line 1, column ",
                "{'jobs': [1, 2]} {}|something follows the JSON object",
                "|is not one JSON object in braces"
            })
    void whatIsWrongIsToldWithItsPlace(String document, String message) {
        DocumentException e = assertThrows(
                DocumentException.class,
                () -> JsonStream.elements(text(document == null ? "" : document), MOST, "jobs", node -> true));
        assertTrue(String.valueOf(e.getMessage()).contains(message), e::getMessage);
    }
}
