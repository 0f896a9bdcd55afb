package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Policies;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Style;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.PlanReader.Plan;
import dev.evener.workloads.document.DocumentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a description says, and what is wrong with one that is not right. */
class PlanReaderTest {
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
        Plan plan = PlanReader.parse(WHOLE, Map.of(), Path.of(""));
        assertEquals("all", plan.name());
        assertEquals("why?", plan.question());
        List<Case> cases = plan.cases();
        assertEquals(2 * (4 * 7 + 1) * 2, cases.size());
        assertEquals(
                List.of(1024L, 4096L, 8192L, 16384L, 100L, 200L, 300L),
                cases.stream()
                        .filter(s -> s.request().workload().name().equals("fma"))
                        .map(s -> s.request().items())
                        .distinct()
                        .toList());
        assertEquals(
                List.of(3, 10, 100, 1000),
                cases.stream()
                        .filter(s -> s.request().workload().name().equals("fma"))
                        .map(s -> s.request().values().toMap().get("steps"))
                        .distinct()
                        .toList());
        Case first = cases.get(0);
        assertEquals("0.0,0.1", first.set().toString());
        assertEquals(Scenario.From.START, first.scenario().from());
        assertEquals(List.of("adaptive"), first.lineup().policies());
        assertEquals(7, first.request().seed());
        assertEquals(3, first.effort().rounds());
        assertEquals(0, first.effort().sweepSteps());
        assertEquals(Duration.ofMillis(500), first.effort().warmUp());
        assertTrue(first.effort().verify());
        assertEquals(Duration.ofSeconds(2), first.effort().chunkDeadline());
        assertEquals("SKEWED", String.valueOf(first.request().distribution()));
        Case last = cases.get(cases.size() - 1);
        assertEquals("jvm", last.set().toString());
        assertEquals(List.of("static", "guided/32"), last.lineup().policies());
        assertEquals(new Scenario("slow", List.of("lane=1,fault=slow:2x"), Scenario.From.MEASUREMENT), last.scenario());
    }

    @Test
    void littleIsNeeded() {
        Plan plan = PlanReader.parse(
                "{\"format\":\"evener-experiment\",\"version\":1,\"name\":\"n\",\"workloads\":[{\"workload\":\"fma\"}]}",
                Map.of(),
                Path.of(""));
        List<Case> cases = plan.cases();
        assertEquals(3, cases.size(), "sizes that suit the workload");
        assertEquals(Policies.names().subList(0, 6), cases.get(0).lineup().policies());
        assertEquals("all", cases.get(0).set().toString());
        assertEquals(
                new Scenario("", List.of(), Scenario.From.START), cases.get(0).scenario());
        assertEquals(Timing.WALL, cases.get(0).timing());
        assertEquals(17, cases.get(0).effort().sweepSteps());
        assertFalse(cases.get(0).effort().verify());
    }

    private static final String OTHERS = """
            {"format": "evener-experiment", "version": 1, "name": "others", "alone": true, "resident": true,
             "workloads": [
               {"workload": "scan", "sizes": "4Ki", "distribution": ["sorted", "uniform"],
                "styles": [{"parameters": {"type": "int"}}, {"workload": "reduce", "name": "sum"}],
                "tunings": ["scan.groups=512,scan.tiles-at-once=4"], "baselines": ["copy", "jdk"],
                "parameters": {"type": "uint"}},
               {"workload": "memory", "sizes": "4Ki", "timing": "wall", "policies": ["static"], "sweep": 3}
             ]}
            """;

    @Test
    void othersThanPoliciesCompete() {
        List<Case> cases = PlanReader.parse(OTHERS, Map.of(), Path.of("")).cases();
        assertEquals(3, cases.size());
        Case first = cases.get(0);
        assertTrue(first.alone());
        assertEquals(Timing.KERNELS, first.timing(), "of what is resident");
        assertEquals("SORTED", String.valueOf(first.request().distribution()));
        assertEquals("true", first.request().values().toMap().get("resident"));
        assertEquals(List.of(), first.lineup().policies(), "others are named");
        assertEquals(0, first.effort().sweepSteps());
        assertEquals(
                List.of("int", "sum"),
                first.lineup().styles().stream().map(Style::name).toList());
        assertEquals(
                "reduce", first.lineup().styles().get(1).request().workload().name());
        assertEquals(
                List.of("scan.groups=512,scan.tiles-at-once=4"), first.lineup().tunings());
        assertEquals(List.of("copy", "jdk"), first.lineup().baselines());
        Case last = cases.get(2);
        assertEquals(Timing.WALL, last.timing());
        assertEquals(List.of("static"), last.lineup().policies());
        assertEquals(3, last.effort().sweepSteps());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"int\" | \"integer\" | workloads[0].styles[0].parameters.type: type cannot be 'integer'",
                "\"type\": \"int\" | \"typ\": \"int\" | workloads[0].styles[0].parameters: there is no 'typ' (did you mean",
                "\"sum\" | \"int\" | workloads[0].styles[1]: 'int' is there twice",
                "scan.groups=512 | scan.group=512 | workloads[0].tunings[0]: nothing is tuned by 'scan.group'",
                "scan.groups=512 | scan.groups=3 | workloads[0].tunings[0]: scan.groups cannot be 3, only one of",
                "scan.groups=512 | scan.groups=many | workloads[0].tunings[0]: 'scan.groups=many' is not NAME=NUMBER",
                "\"copy\" | \"cops\" | workloads[0].baselines[0]: there is no baseline 'cops': expected copy, read, jdk",
                "\"uint\" | \"float\" | workloads[0].baselines[1]: the JDK's own algorithms are beside scan, reduce and",
                "\"wall\" | \"walls\" | workloads[1].timing: 'walls' is not one of wall, kernels",
                "\"memory\" | \"saxpy\" | workloads[1]: saxpy has no data that could stay on devices",
            })
    void whatIsWrongAboutOthersIsSaidAtItsPlace(String part, String instead, String message) {
        String changed = OTHERS.replace(part, instead);
        String said = String.valueOf(
                assertThrows(DocumentException.class, () -> PlanReader.parse(changed, Map.of(), Path.of("")))
                        .getMessage());
        assertTrue(said.startsWith(message), said);
    }

    /** What is typed stands before what the file says, and is named as it was typed where it is wrong. */
    @Test
    void optionsReplaceMembers() {
        Map<String, Object> options = Map.of(
                "--sizes", List.of("3Ki", "5Ki"),
                "--repeat", 9,
                "--sweep", 5,
                "--set", Map.of("steps", "7", "type", "int"),
                "--inject", List.of("lane=0,fault=error"),
                "--devices", List.of("0.1"),
                "--policies", List.of("static:0.5,0.5", "Single"));
        List<Case> cases = PlanReader.parse(WHOLE, options, Path.of("")).cases();
        assertEquals(
                List.of("fma 3072 0.1", "fma 5120 0.1", "sum 3072 0.1", "sum 5120 0.1"),
                cases.stream()
                        .map(c -> c.request().workload().name() + " "
                                + c.request().items() + " " + c.set())
                        .toList());
        assertEquals(7, cases.get(0).request().values().toMap().get("steps"));
        assertEquals(9, cases.get(0).effort().rounds());
        assertEquals(5, cases.get(0).effort().sweepSteps());
        assertEquals(List.of("static:0.5,0.5", "single"), cases.get(3).lineup().policies());
        assertEquals(List.of("lane=0,fault=error"), cases.get(0).scenario().faults());
        for (Map.Entry<String, Object> wrong : Map.<String, Object>of(
                        "--repeat", 0, "--sizes", List.of("1K", "12X"), "--warm-up", -1.0, "--chunk-deadline", 0.0)
                .entrySet()) {
            String said = String.valueOf(assertThrows(
                            DocumentException.class,
                            () -> PlanReader.of(List.of("sum"), Map.of(wrong.getKey(), wrong.getValue())))
                    .getMessage());
            assertTrue(said.startsWith(wrong.getKey()), said);
        }
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
                "guided/32 | static/32 | workloads[1].policies[1]: policy 'static/32': shares: '32' is no number from 0 to 1",
                "guided/32 | guided/0 | workloads[1].policies[1]: policy 'guided/0': chunks: '0' is no whole number from 1 to ",
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
        String said = String.valueOf(
                assertThrows(DocumentException.class, () -> PlanReader.parse(changed, Map.of(), Path.of("")))
                        .getMessage());
        assertTrue(said.contains(message), said);
        assertTrue(said.startsWith(message) || message.startsWith("("), said);
    }

    @Test
    void tooManyCasesAreRefusedBeforeTheyAreMeasured() {
        String range = "{\"from\": 1, \"to\": 1000, \"plus\": 1}";
        String many = WHOLE.replace("\"sizes\": 1000", "\"sizes\": [" + range + "]")
                .replace("\"steps\": [3", "\"steps\": [" + range);
        String said = String.valueOf(
                assertThrows(DocumentException.class, () -> PlanReader.parse(many, Map.of(), Path.of("")))
                        .getMessage());
        assertTrue(said.startsWith("workloads[0].parameters.steps: has more than 1000 values"), said);
        String sum = WHOLE.replace("\"sizes\": 1000", "\"sizes\": " + range)
                .replace("\"devices\": [\"0.0,0.1\"", "\"devices\": [\"0.0\", \"0.1\", \"all\", \"cpu\", \"gpu\"");
        said = String.valueOf(assertThrows(DocumentException.class, () -> PlanReader.parse(sum, Map.of(), Path.of("")))
                .getMessage());
        assertEquals("comes to 12336 cases; expected 10000 at most", said);
    }

    static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "experiments"))) {
            return files.filter(f -> f.toString().endsWith(".json")).toList();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void thoseThatComeWithEvenerAreRight(Path file) throws IOException {
        Plan plan = PlanReader.read(file, Map.of());
        assertEquals(file.getFileName().toString(), plan.name() + ".json");
        assertTrue((plan.sweep() == null ? plan.cases().size() : plan.sweep().runs()) >= 2);
        String pages = Files.readString(Path.of("..", "..", "docs", "bench.md"));
        assertTrue(pages.contains("`" + plan.name() + "`"), "it is described");
    }

    @Test
    void theFileIsNamed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("e.json");
        Files.writeString(file, WHOLE.replace("skewed", "skew"));
        String said = String.valueOf(assertThrows(DocumentException.class, () -> PlanReader.read(file, Map.of()))
                .getMessage());
        assertTrue(said.startsWith(file + ": distribution: "), said);
        Files.write(file, new byte[] {'{', (byte) 0xff});
        said = String.valueOf(assertThrows(DocumentException.class, () -> PlanReader.read(file, Map.of()))
                .getMessage());
        assertEquals(file + ": is not UTF-8 text", said);
        Files.write(file, new byte[(1 << 20) + 1]);
        said = String.valueOf(assertThrows(DocumentException.class, () -> PlanReader.read(file, Map.of()))
                .getMessage());
        assertTrue(said.startsWith(file + ": is larger than 1048576 bytes"), said);
    }
}
