package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the documents say of links, options and classes is so. */
class DocumentsTest {
    // Surefire starts in the module's folder.
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> OF_ALL = Set.of("--help", "--version");

    /** Commands whose options the launcher reads. */
    private static final Set<String> OF_LAUNCHER = Set.of("bundle", "verify");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<MatchResult> all(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .toList();
    }

    /** As GitHub makes them of headings. */
    private static List<String> anchors(Path page) throws IOException {
        return all("^#+ (.*)$", Files.readString(page)).stream()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        assumeTrue(Files.exists(ROOT.resolve("CONTRIBUTING.md")), "a checkout, with all that is linked");
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            for (MatchResult link : all("\\]\\(([^)\\s]*)\\)", Files.readString(page))) {
                String[] parts = link.group(1).split("#", 2);
                Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
                boolean there = link.group(1).startsWith("https://")
                        || (Files.exists(target)
                                && (parts.length == 1 || anchors(target).contains(parts[1])));
                if (!there) {
                    broken.add(ROOT.relativize(page) + ": " + link.group(1));
                }
            }
        }
        assertEquals(List.of(), broken);
    }

    /** Walks name packages and classes, some with a method; other words of the page in code's letters are names of classes. */
    @Test
    void whatTheArchitectureNamesIsThere() throws IOException {
        assumeTrue(Files.exists(ROOT.resolve("CONTRIBUTING.md")), "a checkout, with the sources");
        String page = Files.readString(ROOT.resolve("docs/architecture.md"));
        String walks = page.substring(page.indexOf("## Walks"), page.indexOf("## The life of a job"));
        List<String> missing = new ArrayList<>();
        List<MatchResult> passed = all("`((?:[a-z]+\\.)+[A-Z]\\w*)(?:\\.(\\w+))?`", walks);
        assertTrue(passed.size() > 30, "walks are found");
        for (MatchResult step : passed) {
            if (!isThere("dev.evener." + step.group(1), step.group(2))) {
                missing.add(step.group());
            }
        }
        Set<String> sources = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .forEach(name -> sources.add(name.substring(0, name.length() - ".java".length())));
        }
        all("`([A-Z]\\w*[a-z]\\w*)[`.(]", page).stream()
                .filter(name -> !sources.contains(name.group(1)))
                .forEach(name -> missing.add(name.group()));
        assertEquals(List.of(), missing);
    }

    private static boolean isThere(String type, @Nullable String method) {
        try {
            Method[] methods = Class.forName(type, false, DocumentsTest.class.getClassLoader())
                    .getDeclaredMethods();
            return method == null
                    || Stream.of(methods).anyMatch(m -> m.getName().equals(method));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** The tables of docs/commands.md name each command's options, no more and no fewer. */
    @Test
    void everyOptionIsDescribedOnce() throws IOException {
        Map<String, Set<String>> described = new TreeMap<>();
        String page = Files.readString(ROOT.resolve("docs/commands.md"));
        for (MatchResult row : all("^\\| (`--[^|]*)\\|([^|]*)\\|", page)) {
            for (MatchResult option : all("`(--[a-z-]+)", row.group(1))) {
                Set<String> commands = new TreeSet<>();
                all("`([a-z]+)`", row.group(2)).forEach(command -> commands.add(command.group(1)));
                assertTrue(described.put(option.group(1), commands) == null, option.group(1) + " is there twice");
            }
        }
        Map<String, Set<String>> real = new TreeMap<>();
        EvenerCommand.commandLine().getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden() && !OF_LAUNCHER.contains(name)) {
                command.getCommandSpec().optionsMap().keySet().stream()
                        .filter(option -> option.startsWith("--") && !OF_ALL.contains(option))
                        .forEach(option -> real.computeIfAbsent(option, o -> new TreeSet<>())
                                .add(name));
            }
        });
        described.values().forEach(commands -> commands.removeAll(OF_LAUNCHER));
        described.values().removeIf(Set::isEmpty);
        assertEquals(lines(real), lines(described));
    }

    private static String lines(Map<String, Set<String>> options) {
        StringBuilder lines = new StringBuilder();
        options.forEach((option, commands) ->
                lines.append(option).append(' ').append(commands).append('\n'));
        return lines.toString();
    }
}
