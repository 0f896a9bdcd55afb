package dev.evener.workloads.experiment.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.experiment.Scenario;
import dev.evener.workloads.experiment.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a description says, and what is wrong with one that is not right. */
class DescriptionReaderTest {
    static final String WHOLE = """
            {
              "format": "evener-experiment", "version": 1, "name": "all", "question": "why?",
              "workloads": [
                {"workload": "fma", "parameters": {"steps": [3, {"from": 10, "to": 1000, "times": 10}]},
                 "sizes": ["1Ki", {"from": "4Ki", "to": "16Ki", "times": 2}, {"from": 100, "to": 300, "plus": 100}]},
                {"workload": "Sum", "sizes": 1000, "policies": ["Static", "guided/32"]}
              ],
              "policies": ["adaptive"],
              "devices": ["0.0,0.1", "jvm"],
              "scenarios": [
                {"name": "healthy"},
                {"name": "slow", "faults": ["lane=1,fault=slow:2x"], "from": "measurement"}
              ],
              "distribution": "skewed", "seed": 7, "repeat": 3, "sweep": 0, "warmUp": 0.5, "verify": true,
              "chunkDeadline": 2
            }
            """;

    @Test
    void everythingIsRead() {
        Description description = DescriptionReader.parse(WHOLE);
        assertEquals("all", description.name());
        assertEquals("why?", description.question());
        List<Setup> setups = description.setups();
        assertEquals(2 * (4 * 7 + 1) * 2, setups.size());
        assertEquals(
                List.of(1024L, 4096L, 8192L, 16384L, 100L, 200L, 300L),
                setups.stream()
                        .filter(s -> s.request().workload().name().equals("fma"))
                        .map(s -> s.request().items())
                        .distinct()
                        .toList());
        assertEquals(
                List.of(3, 10, 100, 1000),
                setups.stream()
                        .filter(s -> s.request().workload().name().equals("fma"))
                        .map(s -> s.request().values().toMap().get("steps"))
                        .distinct()
                        .toList());
        Setup first = setups.get(0);
        assertEquals("0.0,0.1", first.set().toString());
        assertEquals(Scenario.From.START, first.scenario().from());
        assertEquals(
                List.of("adaptive"), List.copyOf(first.settings().policies().keySet()));
        assertEquals(7, first.request().seed());
        assertEquals(7, first.settings().seed());
        assertEquals(3, first.settings().rounds());
        assertEquals(0, first.settings().sweepSteps());
        assertEquals(Duration.ofMillis(500), first.settings().warmUp());
        assertTrue(first.settings().verify());
        assertEquals(Duration.ofSeconds(2), first.chunkDeadline());
        assertEquals("SKEWED", String.valueOf(first.request().distribution()));
        Setup last = setups.get(setups.size() - 1);
        assertEquals("jvm", last.set().toString());
        assertEquals(
                List.of("static", "guided/32"),
                List.copyOf(last.settings().policies().keySet()));
        assertEquals(new Scenario("slow", List.of("lane=1,fault=slow:2x"), Scenario.From.MEASUREMENT), last.scenario());
        assertEquals(9, description.repeated(9).setups().get(0).settings().rounds());
    }

    @Test
    void littleIsNeeded() {
        Description description = DescriptionReader.parse(
                "{\"format\":\"evener-experiment\",\"version\":1,\"name\":\"n\",\"workloads\":[{\"workload\":\"fma\"}]}");
        List<Setup> setups = description.setups();
        assertEquals(3, setups.size(), "sizes that suit the workload");
        assertEquals(
                Policies.NAMES, List.copyOf(setups.get(0).settings().policies().keySet()));
        assertEquals("all", setups.get(0).set().toString());
        assertEquals(Scenario.HEALTHY, setups.get(0).scenario());
        assertEquals(17, setups.get(0).settings().sweepSteps());
        assertFalse(setups.get(0).settings().verify());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"version\": 1 | \"version\": 2 | version: expected a whole number from 1 to 1, not 2",
                "\"question\" | \"questoin\" | there is no 'questoin' (did you mean 'question'?); expected format, ",
                "\"name\": \"all\", | | 'name' is missing",
                "\"fma\" | \"fna\" | workloads[0].workload: unknown workload 'fna': expected one of tonemap, ",
                "\"fma\" | \"fna\" | (did you mean 'fma'?)",
                "\"Static\" | \"statics\" | workloads[1].policies[0]: unknown policy 'statics': expected one of single, ",
                "\"Static\" | \"guided/32\" | workloads[1].policies[1]: 'guided/32' is there twice",
                "guided/32 | static/32 | workloads[1].policies[1]: 'static/32' is no policy: only guided and stealing",
                "guided/32 | guided/0 | workloads[1].policies[1]: 'guided/0' is no policy: '0' is not a number of chunks",
                "\"steps\": [3 | \"step\": [3 | workloads[0].parameters: there is no 'step' (did you mean 'steps'?)",
                "\"steps\": [3 | \"steps\": [0 | workloads[0].parameters.steps: steps cannot be '0'; expected a whole",
                "\"times\": 10} | \"times\": 1} | workloads[0].parameters.steps[1].times: expected a number from 1.001",
                "\"times\": 10} | \"tines\": 10} | workloads[0].parameters.steps[1]: there is no 'tines'",
                ", \"times\": 10} | } | workloads[0].parameters.steps[1]: expected either 'times' or 'plus'",
                "\"from\": 10, | \"from\": 5000, | workloads[0].parameters.steps[1]: 'from' is above 'to'",
                "\"from\": 10, | \"from\": 0, | workloads[0].parameters.steps[1]: 'from' must be above 0 for 'times'",
                "\"from\": 100, \"to\": 300 | \"from\": 100, \"to\": 300000 | workloads[0].sizes[2]: has more than 1000",
                "\"1Ki\" | \"1Kb\" | workloads[0].sizes[0]: '1Kb' is not a size; expected a number such as",
                "\"sizes\": 1000 | \"sizes\": 0 | workloads[1].sizes: expected a whole number from 1 to ",
                "\"sizes\": 1000 | \"sizes\": \"900G\" | workloads[1].sizes: sum takes at most ",
                "\"jvm\" | \"gpus\" | devices[1]: device selector 'gpus': expected all, cpu, gpu, jvm",
                "slow:2x | slow:0x | scenarios[1].faults[0]: fault 'lane=1,fault=slow:0x': a factor is between",
                "measurement | middle | scenarios[1].from: 'middle' is not one of start, measurement",
                "\"name\": \"slow\" | \"name\": \"healthy\" | scenarios[1].name: every scenario has a name of its own",
                "\"name\": \"slow\" | \"name\": \"a\\nb\" | scenarios[1].name: expected a name of 1 to 100 characters on one line",
                "\"name\": \"all\" | \"name\": \" \" | name: expected a name of 1 to 100 characters",
                "skewed | skew | distribution: unknown distribution 'skew': expected one of uniform, constant, ",
                "\"sweep\": 0 | \"sweep\": 1 | sweep: 1 is neither 0 nor between 2 and 1001",
                "\"repeat\": 3 | \"repeat\": 0 | repeat: expected a whole number from 1 to 100000, not 0",
                "\"warmUp\": 0.5 | \"warmUp\": -1 | warmUp: expected a number from 0.0 to 600.0, not -1",
                "\"verify\": true | \"verify\": 1 | verify: expected true or false, not 1",
                "\"chunkDeadline\": 2 | \"chunkDeadline\": 0 | chunkDeadline: expected a number from 0.001",
                "evener-experiment | evener-history | is no description of an experiment: expected \"format\": ",
                "\"seed\": 7, | \"seed\": 7 | line 14, column ",
            })
    void whatIsWrongIsSaidAtItsPlace(String part, String instead, String message) {
        String changed = WHOLE.replace(part, instead == null ? "" : instead);
        assertFalse(changed.equals(WHOLE), part);
        String said = String.valueOf(assertThrows(DocumentException.class, () -> DescriptionReader.parse(changed))
                .getMessage());
        assertTrue(said.contains(message), said);
        assertTrue(said.startsWith(message) || message.startsWith("("), said);
    }

    @Test
    void tooManyComparisonsAreRefusedBeforeTheyAreMade() {
        String range = "{\"from\": 1, \"to\": 1000, \"plus\": 1}";
        String many = WHOLE.replace("\"sizes\": 1000", "\"sizes\": [" + range + "]")
                .replace("\"steps\": [3", "\"steps\": [" + range);
        String said = String.valueOf(assertThrows(DocumentException.class, () -> DescriptionReader.parse(many))
                .getMessage());
        assertTrue(said.startsWith("workloads[0].parameters.steps: has more than 1000 values"), said);
        String sum = WHOLE.replace("\"sizes\": 1000", "\"sizes\": " + range)
                .replace("\"devices\": [\"0.0,0.1\"", "\"devices\": [\"0.0\", \"0.1\", \"all\", \"cpu\", \"gpu\"");
        said = String.valueOf(assertThrows(DocumentException.class, () -> DescriptionReader.parse(sum))
                .getMessage());
        assertEquals("comes to 12336 comparisons; expected 10000 at most", said);
    }

    static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("experiments"))) {
            return files.filter(f -> f.toString().endsWith(".json")).toList();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void thoseThatComeWithEvenerAreRight(Path file) throws IOException {
        Description description = DescriptionReader.read(file);
        assertEquals(file.getFileName().toString(), description.name() + ".json");
        assertTrue(description.setups().size() >= 4);
        assertTrue(Files.exists(Path.of("..", "docs", "experiments", description.name() + ".md")), "it has a page");
    }

    @Test
    void theFileIsNamed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("e.json");
        Files.writeString(file, WHOLE.replace("skewed", "skew"));
        String said = String.valueOf(assertThrows(DocumentException.class, () -> DescriptionReader.read(file))
                .getMessage());
        assertTrue(said.startsWith(file + ": distribution: "), said);
        Files.write(file, new byte[] {'{', (byte) 0xff});
        said = String.valueOf(assertThrows(DocumentException.class, () -> DescriptionReader.read(file))
                .getMessage());
        assertEquals(file + ": is not UTF-8 text", said);
        Files.write(file, new byte[(1 << 20) + 1]);
        said = String.valueOf(assertThrows(DocumentException.class, () -> DescriptionReader.read(file))
                .getMessage());
        assertTrue(said.startsWith(file + ": is larger than 1048576 bytes"), said);
    }
}
