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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the documents say of links, options and classes is so. */
class DocumentsTest {
    // Surefire starts in the module's folder.
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> OF_ALL = Set.of("--help", "--version");

    /** Commands whose options the launcher reads. */
    private static final Set<String> OF_LAUNCHER = Set.of("bundle", "docs", "verify");

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

    /** Lines that pages have at most; what nobody needs is dropped, the history of a figure is in docs/results. */
    private static final Map<String, Integer> LENGTHS = Map.of(
            "README.md", 80,
            "docs/architecture.md", 120,
            "docs/policies.md", 130,
            "docs/performance.md", 150,
            "docs/troubleshooting.md", 100);

    /** Of docs/*.md without api.md. It may only fall. */
    private static final int OF_ALL_PAGES = 2_600;

    /** Signatures, and pages whose tables tests and scripts read. */
    private static final Set<String> WIDE = Set.of("docs/api.md");

    private static final Set<String> WIDE_TABLES = Set.of("docs/commands.md", "docs/deploying.md");

    private static Map<String, String> ruled() throws IOException {
        Map<String, String> texts = new TreeMap<>();
        for (Path page : pages()) {
            String name = ROOT.relativize(page).toString();
            if (name.equals("README.md") || name.startsWith("docs/")) {
                texts.put(name, Files.readString(page));
            }
        }
        assertTrue(texts.size() > 20, "pages are found");
        return texts;
    }

    @Test
    void pagesAreShort() throws IOException {
        Map<String, String> texts = ruled();
        Map<String, Integer> lines = new TreeMap<>();
        texts.forEach((name, text) -> lines.put(name, (int) text.lines().count()));
        LENGTHS.forEach((name, most) -> assertTrue(lines.get(name) <= most, () -> name + " has " + lines.get(name)));
        int formats = lines.get("docs/records.md") + lines.get("docs/report.md");
        assertTrue(formats <= 280, () -> "records.md and report.md have " + formats);
        int all = lines.entrySet().stream()
                .filter(page ->
                        page.getKey().startsWith("docs/") && !page.getKey().equals("docs/api.md"))
                .mapToInt(Map.Entry::getValue)
                .sum();
        assertTrue(all <= OF_ALL_PAGES, () -> "all pages together have " + all);
    }

    @Test
    void linesAreNarrow() throws IOException {
        List<String> wide = new ArrayList<>();
        ruled().forEach((name, text) -> text.lines()
                .filter(line -> line.length() > 110
                        && !WIDE.contains(name)
                        && !(WIDE_TABLES.contains(name) && line.startsWith("|")))
                .forEach(line -> wide.add(name + ": " + line)));
        assertEquals(List.of(), wide);
    }

    /** Paragraphs and items of lists, without code and where links lead. */
    private static List<String> sentences(String text) {
        String prose = text.replaceAll("(?s)```.*?```|<!--.*?-->", "");
        List<String> sentences = new ArrayList<>();
        for (String block : prose.split("\\n\\s*\\n|\\n(?=\\s*(?:[-*]|\\d+\\.) )", -1)) {
            if (!block.strip().matches("(?s)[|#!].*")) {
                String plain = block.strip()
                        .replaceFirst("^(?:[-*]|\\d+\\.) ", "")
                        .replaceAll("\\s+", " ")
                        .replaceAll("`[^`]*`", "code")
                        .replaceAll("!?\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
                sentences.addAll(List.of(plain.split("(?<=[.!?:])\\s+|; ", -1)));
            }
        }
        return sentences;
    }

    @Test
    void sentencesHaveTwoFiguresAtMostAndNoParenthesis() throws IOException {
        List<String> heavy = new ArrayList<>();
        ruled().forEach((name, text) -> {
            if (!WIDE.contains(name)) {
                sentences(text).stream()
                        .filter(sentence -> sentence.contains("(")
                                || all("(?<![\\w.])\\d[\\d.,]*", sentence).size() > 2)
                        .forEach(sentence -> heavy.add(name + ": " + sentence));
            }
        });
        assertEquals(List.of(), heavy);
    }

    /** Commands in blocks and in the text are ones that the command line takes; that of the launcher's are its own. */
    @Test
    void everyCommandIsOneThatTheCommandLineTakes() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Map.Entry<String, String> page : ruled().entrySet()) {
            String text = page.getValue().replace("\\\n", " ");
            List<MatchResult> commands = new ArrayList<>(all("(?m)^(?:[A-Z_]+=\\S+ )*\\./evener ([a-z].*)$", text));
            commands.addAll(all("`\\./evener ([a-z][^`]*)`", text));
            for (MatchResult command : commands) {
                List<String> words = words(command.group(1));
                if (words.stream().noneMatch(word -> word.matches("[A-Z]+|.*\\[.*|\\.\\.\\."))
                        && !OF_LAUNCHERS.contains(words.get(0))) {
                    found++;
                    try {
                        EvenerCommand.commandLine().parseArgs(words.toArray(new String[0]));
                    } catch (CommandLine.ParameterException e) {
                        wrong.add(page.getKey() + ": " + command.group(1) + ": " + e.getMessage());
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(found > 40, found + " commands are found");
    }

    private static final Set<String> OF_LAUNCHERS = Set.of("bundle", "verify", "submit", "docs");

    /** Of a shell's line, up to its comment or next command. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        for (MatchResult word : all("'([^']*)'|(\\S+)", line)) {
            if (word.group(1) == null && word.group(2).matches("#.*|[|;]|&&|>.*")) {
                break;
            }
            words.add(word.group(1) != null ? word.group(1) : word.group(2));
        }
        return words;
    }

    /** Those of the policy's page are compiled from it ({@link PluginTest}); Spark's module is built by itself. */
    @Test
    void javaThatPagesShowIsAPartOfATest() throws IOException {
        assumeTrue(Files.exists(ROOT.resolve("CONTRIBUTING.md")), "a checkout, with the tests of all modules");
        StringBuilder tests = new StringBuilder();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(f -> f.toString().matches(".*/src/test/.*\\.java"))
                    .toList()) {
                tests.append(stripped(Files.readString(file)));
            }
        }
        List<String> strangers = new ArrayList<>();
        int found = 0;
        for (Map.Entry<String, String> page : ruled().entrySet()) {
            if (!Set.of("docs/policies.md", "docs/spark.md").contains(page.getKey())) {
                for (MatchResult block : all("(?s)```java\\n(.*?)```", page.getValue())) {
                    found++;
                    if (tests.indexOf(stripped(block.group(1))) < 0) {
                        strangers.add(page.getKey() + ": " + block.group(1));
                    }
                }
            }
        }
        assertEquals(List.of(), strangers);
        assertTrue(found > 20, found + " pieces of Java are found");
    }

    /** Without indentation. */
    private static String stripped(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n", "\n", "\n"));
    }

    /** Whoever sees a message finds it on the page of symptoms as it was said. */
    @Test
    void theMessagesOfTroubleshootingAreTheProgramsOwn() throws IOException {
        assumeTrue(Files.exists(ROOT.resolve("CONTRIBUTING.md")), "a checkout, with the sources");
        StringBuilder code = new StringBuilder();
        for (String module : List.of("scheduler", "scheduler/opencl", "workloads", "workloads/lab")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module + "/src/main/java"))) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    code.append(Files.readString(file));
                }
            }
        }
        String said = code.toString().replaceAll("\"\\s*\\+\\s*\"", "");
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (MatchResult span : all("`([a-z0-9][^`]* [^`]*)`", ruled().get("docs/troubleshooting.md"))) {
            if (!span.group(1).matches(".*(?:->|\\().*|5 / 0")) {
                for (String part : span.group(1).split("\\s*…[,%\\s]*", -1)) {
                    found++;
                    if (!part.isEmpty() && !said.contains(part)) {
                        missing.add(span.group(1));
                    }
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(found > 25, found + " messages are found");
    }

    private static String lines(Map<String, Set<String>> options) {
        StringBuilder lines = new StringBuilder();
        options.forEach((option, commands) ->
                lines.append(option).append(' ').append(commands).append('\n'));
        return lines.toString();
    }
}
