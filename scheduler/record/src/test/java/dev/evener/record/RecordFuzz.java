package dev.evener.record;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;

/** Reads whatever it is given as a record, whole and partial: what Jazzer calls, and the tests with inputs of their own. */
public final class RecordFuzz {
    private static final Path NAME = Path.of("fuzz.record");
    private static final long MEMORY = 16 << 20;

    private RecordFuzz() {}

    /** Fails on everything but a recording or a clear refusal. */
    public static void fuzzerTestOneInput(byte[] input) {
        readable(input);
    }

    /** Whether it is read at least as a partial record. */
    static boolean readable(byte[] input) {
        Recording whole = read(input, false);
        Recording partial = read(input, true);
        if (whole != null && !whole.equals(partial)) {
            throw new AssertionError("a whole record is read otherwise as a partial one");
        }
        return partial != null;
    }

    private static Recording read(byte[] input, boolean partial) {
        try {
            return RecordReader.read(NAME, new ByteArrayInputStream(input), partial, MEMORY);
        } catch (RecordException e) {
            String message = e.getMessage();
            if (!message.startsWith("fuzz.record") || message.length() > 1000) {
                throw new AssertionError("not a clear error: " + message, e);
            }
            return null;
        } catch (IOException e) { // from memory: only the compressed form's header
            return null;
        }
    }
}
