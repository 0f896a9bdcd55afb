package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.evener.Sources.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rules of size and direction that class files do not tell of, by what the sources say. What breaks a rule today is listed with its figure; a list may
 * only become shorter, a figure only smaller.
 */
class SourceRulesTest {
    private static final Path HERE = Path.of("src", "main", "java");
    private static final Path ROOT = Path.of("..");

    /** The packages of this module and of OpenCL's from below; one may use those in lines before its own. */
    private static final List<Set<String>> ROOMS = List.of(
            Set.of("policy", "internal.source", "internal.files"),
            Set.of("words of the API"),
            Set.of("event", "image"),
            Set.of("internal.data"),
            Set.of("internal"),
            Set.of("internal.job"),
            Set.of("model", "internal.fold"),
            Set.of("internal.recovery", "internal.order"),
            Set.of("internal.run"),
            Set.of("internal.jvm"),
            Set.of("internal.device"),
            Set.of("facade"),
            Set.of("iteration"),
            Set.of("internal.cl"),
            Set.of("internal.memory"),
            Set.of("internal.lane"));

    /** What opens devices and makes the API's objects. All else in {@code dev.evener} are its words. */
    private static final Set<String> FACADE = Set.of("Evener", "EvenerBuilder", "JobBuilder");

    /** Those that do not go down. */
    private static final Set<String> ARROWS = Set.of("History -> model.StoredHistory", "Job -> JobBuilder");

    /** In {@code internal.run}; the aim is 15. */
    private static final int REACHES = 288;

    /** A method has at most 60 lines, but these. */
    private static final int METHOD = 60;

    private static final Map<String, Integer> LONG_METHODS = Map.of(
            "internal.device.DeviceChoice.of", 89,
            "model.Beliefs.<init>", 126,
            "model.HistorySnapshot.forecast", 90,
            "model.Learning.observe", 76,
            "simulation.Evidence.add", 68,
            "spark.Output.run", 62);

    /** An internal package has at most eight types that others see, but these. */
    private static final int SEEN = 8;

    private static final Map<String, Integer> MUCH_SEEN = Map.of("internal", 16, "internal.cl", 13);

    /** Columns of a line, of comments too, and lines of main code that have more. */
    private static final int WIDTH = 120;

    private static final int WIDE = 1957;

    private static Sources all;

    @BeforeAll
    static void read() throws IOException {
        assumeTrue(Files.exists(ROOT.resolve("CONTRIBUTING.md")), "a checkout, with sources");
        try (Stream<Path> files = Files.walk(ROOT)) {
            all = new Sources(files.map(p -> p.toAbsolutePath().normalize())
                    .filter(p -> p.endsWith(HERE))
                    .filter(p -> !p.toString().matches(".*(scheduler/(bench|stress)|target|src/it)/.*"))
                    .toArray(Path[]::new));
        }
    }

    @Test
    void roomsUseWhatIsBelowThem() {
        Path here = HERE.toAbsolutePath().normalize();
        Path openCl = Path.of("opencl").resolve(HERE).toAbsolutePath().normalize();
        assertEquals(
                new TreeSet<>(ARROWS),
                upward(
                        all,
                        all.all().stream()
                                .filter(s -> s.path.startsWith(here) || s.path.startsWith(openCl))
                                .toList()));
    }

    private static Set<String> upward(Sources sources, List<Source> of) {
        Set<String> wrong = new TreeSet<>();
        for (Source source : of) {
            for (Source used : sources.usedBy(source)) {
                if (!room(used).equals(room(source)) && level(used) >= level(source)) {
                    wrong.add(shortName(source.name()) + " -> " + shortName(used.name()));
                }
            }
        }
        return wrong;
    }

    private static String room(Source source) {
        return !source.pkg.equals("dev.evener")
                ? shortName(source.pkg)
                : FACADE.contains(source.type) ? "facade" : "words of the API";
    }

    private static int level(Source source) {
        for (int i = 0; i < ROOMS.size(); i++) {
            if (ROOMS.get(i).contains(room(source))) {
                return i;
            }
        }
        throw new AssertionError("a package without a level: " + source.pkg);
    }

    private static String shortName(String name) {
        return name.replaceFirst("^dev\\.evener\\.", "");
    }

    /** A class that looks into what another holds knows both. */
    @Test
    void classesOfTheRunDoNotReachThroughEachOther() {
        Map<String, Integer> reaches = new TreeMap<>();
        all.all().stream()
                .filter(source -> room(source).equals("internal.run"))
                .forEach(source -> reaches.put(source.type, source.reaches.size()));
        int sum = reaches.values().stream().mapToInt(Integer::intValue).sum();
        assertTrue(sum <= REACHES, () -> sum + " names joined by two dots: " + reaches);
    }

    @Test
    void methodsAreShort() {
        Map<String, Integer> wrong = new TreeMap<>();
        for (Source source : all.all()) {
            source.methods.forEach((method, lines) -> {
                String name = shortName(source.name()) + "." + method;
                if (lines > LONG_METHODS.getOrDefault(name, METHOD)) {
                    wrong.put(name, lines);
                }
            });
        }
        assertEquals(Map.of(), wrong, "lines");
    }

    @Test
    void packagesShowFewTypes() {
        Map<String, Set<String>> seen = new HashMap<>();
        for (Source source : all.all()) {
            for (Source used : all.usedBy(source)) {
                if (!used.pkg.equals(source.pkg) && used.pkg.startsWith("dev.evener.internal")) {
                    seen.computeIfAbsent(shortName(used.pkg), p -> new HashSet<>())
                            .add(used.type);
                }
            }
        }
        Map<String, Integer> wrong = new TreeMap<>();
        seen.forEach((pkg, types) -> {
            if (types.size() > MUCH_SEEN.getOrDefault(pkg, SEEN)) {
                wrong.put(pkg, types.size());
            }
        });
        assertEquals(Map.of(), wrong, "types that other packages use");
    }

    @Test
    void linesAreNarrow() throws IOException {
        int wide = 0;
        for (Source source : all.all()) {
            for (String line : Files.readAllLines(source.path)) {
                if (line.length() > WIDTH) {
                    wide++;
                }
            }
        }
        int found = wide;
        assertTrue(found <= WIDE, () -> found + " lines have more than " + WIDTH + " columns, " + WIDE + " are known");
    }

    /** What the rules above must see: {@code permits}, a constant that the compiler copies; and not an import for Javadoc alone. */
    @Test
    void sourcesAreReadAndNotClassFiles(@TempDir Path folder) throws IOException {
        Path api = Files.createDirectories(folder.resolve("dev/evener"));
        Path data = Files.createDirectories(api.resolve("internal/data"));
        Path run = Files.createDirectories(api.resolve("internal/run"));
        Files.writeString(
                api.resolve("Word.java"),
                "package dev.evener; import dev.evener.internal.data.Place; public sealed interface Word permits Place {}");
        Files.writeString(
                data.resolve("Place.java"),
                "package dev.evener.internal.data; import dev.evener.internal.run.Life; import dev.evener.internal.run.End;"
                        + " /** {@link Life} */ public final class Place implements dev.evener.Word {"
                        + " int a = End.MOST; Place next; int reach(Place p) { return p.next.a + p.next.hashCode() + new int[0].length; } }");
        Files.writeString(run.resolve("Life.java"), "package dev.evener.internal.run; public class Life { End end; }");
        Files.writeString(
                run.resolve("End.java"),
                "package dev.evener.internal.run; public class End { public static final int MOST = 1; }");
        Sources sources = new Sources(folder);
        assertEquals(
                Set.of("Word -> internal.data.Place", "internal.data.Place -> internal.run.End"),
                upward(sources, sources.all()));
        List<String> reaches = new ArrayList<>();
        sources.all().forEach(source -> reaches.addAll(source.reaches));
        assertEquals(List.of("p.next.a", "p.next.hashCode"), reaches);
    }
}
