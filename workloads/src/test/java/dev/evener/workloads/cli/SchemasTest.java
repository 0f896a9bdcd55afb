package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The schemas of docs/schemas are used, linked, and what comes with Evener is as they say. */
class SchemasTest {
    private static List<Path> json(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void filesThatComeWithEvenerAreAsTheSchemasSay() throws IOException {
        List<Path> experiments = json(Path.of("experiments"));
        assertTrue(experiments.size() > 5, "experiments are found");
        for (Path experiment : experiments) {
            assertEquals(List.of(), Schemas.errors("experiment", Files.readString(experiment)), experiment.toString());
        }
        assertEquals(List.of(), Schemas.errors("machine", Files.readString(Path.of("samples/machine.json"))));
    }

    @Test
    void theReportOfAJobIsAsTheSchemaSays() {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .open()) {
            HostBuffer numbers = evener.allocate(ElementType.INT, 1 << 12);
            Job job = Job.named("next")
                    .source("kernel void next(global int *x) { x[get_global_id(0)]++; }")
                    .units(numbers.elements())
                    .kernel("next")
                    .updates(numbers, Access.slice())
                    .build();
            Schemas.check("report", evener.submit(job).join().toMap());
            Schemas.check("report", evener.submit(job).join().toMap());
        }
    }

    /** Else a field could go, come or change without any test that fails. */
    @Test
    void aFieldThatIsMissingOrTooMuchOrOfAnotherTypeIsFound() throws IOException {
        Map<String, Object> entry = Map.of("units", 1, "seconds", 1.5, "doubt", 0, "jobs", 1, "devices", List.of("a"));
        Schemas.check("history", Map.of("entries", List.of()));
        assertFalse(history(entry).isEmpty(), "kernels are missing");
        Map<String, Object> whole = new TreeMap<>(entry);
        whole.put("kernels", List.of("k"));
        assertEquals(List.of(), history(whole));
        assertFalse(history(with(whole, "more", 1)).isEmpty(), "a field too much");
        assertFalse(history(with(whole, "units", "1")).isEmpty(), "a text for a number");
        assertFalse(history(with(whole, "units", 1.5)).isEmpty(), "a fraction for a whole number");
        assertFalse(history(with(whole, "devices", List.of(1))).isEmpty(), "a number among texts");
    }

    private static Map<String, Object> with(Map<String, Object> map, String name, Object value) {
        Map<String, Object> other = new TreeMap<>(map);
        other.put(name, value);
        return other;
    }

    private static List<String> history(Map<String, Object> entry) {
        try {
            return Schemas.errors("history", JSON.std.asString(Map.of("entries", List.of(entry))));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void eachSchemaIsOnAPageAndInATest() throws IOException {
        String pages = "";
        for (String page : List.of("report.md", "records.md", "bench.md", "kernel-files.md")) {
            pages += Files.readString(Path.of("..", "docs", page));
        }
        TreeSet<String> linked = Pattern.compile("schemas/([a-z-]+)\\.json")
                .matcher(pages)
                .results()
                .map(link -> link.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        TreeSet<String> used = new TreeSet<>();
        Path tests = Path.of("src/test/java/dev/evener/workloads/cli");
        try (Stream<Path> files = Files.list(tests)) {
            for (Path file : files.toList()) {
                Pattern.compile("Schemas\\s*\\.(?:check|checkLines|errors)\\(\\s*\"([a-z-]+)\"")
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(use -> used.add(use.group(1)));
            }
        }
        TreeSet<String> all = json(Schemas.FOLDER).stream()
                .map(file -> file.getFileName().toString().replace(".json", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(all, linked, "on pages");
        assertEquals(all, used, "in tests");
    }
}
