package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Pages of the documents that show a part of a program which the tests run. */
public final class Guide {
    private Guide() {}

    /** Fails unless a page of docs/ shows a region of a test's program, without its indentation. */
    public static void requireShows(String page, Class<?> program, String region) throws IOException {
        // Surefire starts in the module's folder.
        String text =
                Files.readString(Path.of("src/test/java", program.getName().replace('.', '/') + ".java"));
        int from = text.indexOf('\n', text.indexOf("// region " + region)) + 1;
        int to = text.indexOf("\n    // endregion");
        String shown = text.substring(from, to).stripIndent();
        String guide = Files.readString(Path.of("../../docs", page));
        assertTrue(guide.contains("```java\n" + shown + "\n```\n"), "docs/" + page + " does not show\n" + shown);
    }
}
