package dev.evener.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every piece of Java that docs/tutorial.md, embedding.md, data.md and kernels.md show is a region of a program or test among the
 * examples, and each program is named.
 */
class EmbeddingGuideTest {
    // Surefire starts in the module's folder.
    private static final Path EXAMPLES = Path.of("src/test/java/dev/evener/examples");
    private static final Path CHECKED_EXAMPLES = Path.of("..", "testing").resolve(EXAMPLES);

    @Test
    void whatTheGuideShowsIsWhatTheTestsRun() throws IOException {
        String guide = Files.readString(Path.of("..", "..", "docs", "embedding.md"));
        Matcher block = Pattern.compile("(<!-- (\\w+\\.java): (\\w+) -->\n)?```java\n(.*?)```\n", Pattern.DOTALL)
                .matcher(guide
                        + Files.readString(Path.of("..", "..", "docs", "tutorial.md"))
                        + Files.readString(Path.of("..", "..", "docs", "data.md"))
                        + Files.readString(Path.of("..", "..", "docs", "kernels.md")));
        List<String> shown = new ArrayList<>();
        while (block.find()) {
            assertTrue(block.group(1) != null, () -> "no program is named above\n" + block.group());
            String name = block.group(2) + ": " + block.group(3);
            assertEquals(region(block.group(2), block.group(3)), block.group(4), name);
            shown.add(name);
        }
        for (String program : List.of("Blur", "Batch", "Life", "LifeTest")) {
            assertTrue(shown.stream().anyMatch(name -> name.startsWith(program + ".java")), program + " is not shown");
        }
        try (Stream<Path> programs = Files.list(EXAMPLES)) {
            programs.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith("Test.java")
                            && !List.of("Saxpy.java", "Published.java").contains(name)) // elsewhere
                    .forEach(name -> assertTrue(guide.contains(name.replace(".java", "`")), name + " is not named"));
        }
    }

    /** The lines of a region, without their common indentation. */
    private static String region(String file, String name) throws IOException {
        String program = Files.readString((file.endsWith("Test.java") ? CHECKED_EXAMPLES : EXAMPLES).resolve(file));
        Matcher region = Pattern.compile(
                        "^ *// region " + name + "\n(.*?)\n *// endregion\n", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(program);
        assertTrue(region.find(), () -> "no region " + name + " in " + file);
        return region.group(1).stripIndent() + "\n";
    }
}
