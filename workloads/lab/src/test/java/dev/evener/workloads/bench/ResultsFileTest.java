package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.workloads.document.DocumentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results that are kept, found again, and not found if anything they depend on is another. */
class ResultsFileTest {
    private static final DeviceSelector SET = DeviceSelector.parse("0.0,0.1");
    private static final List<DeviceInfo> DEVICES = Evener.select(SET);
    private static final String DESCRIPTION = """
            {"format": "evener-experiment", "version": 1, "name": "n", "devices": ["0.0,0.1"],
             "workloads": [{"workload": "saxpy", "sizes": [1000], "policies": ["static"]}],
             "repeat": 2, "warmUp": 0, "sweep": 2, "verify": true}
            """;

    @TempDir
    Path folder;

    private static Case setup(String description) {
        return PlanReader.parse(description, Map.of(), Path.of("")).cases().get(0);
    }

    private static Result made(Case setup) {
        return CaseRun.measure(
                setup,
                CaseRunTest.SETTING,
                () -> Evener.builder().devices(SET).history(History.inMemory()).open());
    }

    private static String digest(Case setup) {
        return setup.digest(DEVICES, List.of("test"));
    }

    private Path kept(Case setup, Result made) throws IOException {
        Path file = folder.resolve("in/a/folder/r.jsonl");
        try (ResultsFile results = ResultsFile.open(file, false)) {
            assertTrue(results.find(digest(setup), setup, DEVICES).isEmpty());
            results.keep(digest(setup), made);
        }
        return file;
    }

    @Test
    void whatIsKeptIsFoundAsItWas() throws IOException {
        Case setup = setup(DESCRIPTION);
        Result made = made(setup);
        Path file = kept(setup, made);
        try (ResultsFile results = ResultsFile.open(file, false)) {
            Result found = results.find(digest(setup), setup, DEVICES).orElseThrow();
            assertEquals(made, found);
            assertEquals(ResultsFile.toMap(made), ResultsFile.toMap(found));
            String second = String.valueOf(assertThrows(DocumentException.class, () -> ResultsFile.open(file, false))
                    .getMessage());
            assertTrue(second.startsWith(file + ": is in use"), second);
        }
        try (ResultsFile results = ResultsFile.open(file, true)) {
            assertTrue(results.find(digest(setup), setup, DEVICES).isEmpty(), "forgotten");
        }
        assertEquals(1, Files.readAllLines(file).size());
    }

    /** Every length to which a dying machine may have cut the file: whole lines stay, and one more can follow. */
    @Test
    void aLineThatWasCutOffIsMadeAgain() throws IOException {
        Case setup = setup(DESCRIPTION);
        Result made = made(setup);
        byte[] whole = Files.readAllBytes(kept(setup, made));
        int header = new String(whole, java.nio.charset.StandardCharsets.UTF_8).indexOf('\n') + 1;
        Path cut = folder.resolve("cut.jsonl");
        for (int length = 0; length <= whole.length; length += length < 100 ? 1 : 97) {
            Files.write(cut, java.util.Arrays.copyOf(whole, length));
            try (ResultsFile results = ResultsFile.open(cut, false)) {
                assertEquals(
                        length == whole.length,
                        results.find(digest(setup), setup, DEVICES).isPresent());
                results.keep(digest(setup), made);
            }
            assertTrue(Files.size(cut) >= whole.length && Files.size(cut) < 2L * whole.length - header + 1);
            try (ResultsFile results = ResultsFile.open(cut, false)) {
                assertTrue(results.find(digest(setup), setup, DEVICES).isPresent(), "cut to " + length);
            }
        }
    }

    @Test
    void whatIsNoResultIsRefusedAndLeftAsItIs() throws IOException {
        Case setup = setup(DESCRIPTION);
        Path file = kept(setup, made(setup));
        String whole = Files.readString(file);
        refused(whole.replace("\"version\":1", "\"version\":2"), "version: expected a whole number from 1 to 1, not 2");
        refused("my own notes\n", "is no file of results of evener bench; name another by --out");
        refused("my own notes", "is no file of results of evener bench; name another by --out");
        refused(whole + "[1]\n", "line 3: is not one JSON object in braces (delete the line, or begin again with");
        refused(whole + "{\"digest\":\"x\"}\n", "line 3: 'result' is missing (delete the line");
        Path damaged = folder.resolve("damaged.jsonl");
        Files.writeString(damaged, whole.replace("\"role\":\"policy\"", "\"role\":\"pilot\""));
        try (ResultsFile results = ResultsFile.open(damaged, false)) {
            String said = String.valueOf(
                    assertThrows(DocumentException.class, () -> results.find(digest(setup), setup, DEVICES))
                            .getMessage());
            assertEquals(
                    damaged
                            + ": line 2: contenders[3].role: 'pilot' is not one of single, best-static, policy, style, tuning, baseline, placement"
                            + " (delete the line, or begin again with --fresh)",
                    said.replace("result.", ""));
        }
    }

    private void refused(String content, String reason) throws IOException {
        Path file = folder.resolve("other.jsonl");
        Files.writeString(file, content);
        String said = String.valueOf(assertThrows(DocumentException.class, () -> ResultsFile.open(file, false))
                .getMessage());
        assertTrue(said.startsWith(file + ": " + reason), said);
        assertEquals(content, Files.readString(file));
        Files.writeString(file, "", StandardOpenOption.TRUNCATE_EXISTING);
        ResultsFile.open(file, false).close(); // nothing holds it any longer
    }

    /** Whatever changes a result changes the digest; what something is called does not. */
    @Test
    void aDigestStandsForEverythingAResultDependsOn() {
        Case setup = setup(DESCRIPTION);
        Set<String> digests = new HashSet<>(Set.of(digest(setup)));
        String[][] changes = {
            {"saxpy", "sum"},
            {"\"sizes\": [1000]", "\"sizes\": [1001]"},
            {"\"workload\": \"saxpy\"", "\"workload\": \"saxpy\", \"parameters\": {\"a\": 3}"},
            {"[\"static\"]", "[\"static\", \"guided\"]"},
            {"[\"static\"]", "[\"guided/8\"]"},
            {"\"repeat\": 2", "\"repeat\": 3"},
            {"\"warmUp\": 0", "\"warmUp\": 0.1"},
            {"\"sweep\": 2", "\"sweep\": 3"},
            {"\"verify\": true", "\"verify\": false"},
            {"\"repeat\"", "\"seed\": 2, \"repeat\""},
            {"\"repeat\"", "\"distribution\": \"sorted\", \"repeat\""},
            {"\"repeat\"", "\"chunkDeadline\": 1, \"repeat\""},
            {"\"repeat\"", "\"timing\": \"kernels\", \"repeat\""},
            {"\"repeat\"", "\"tunings\": [\"map.cpu-bytes-per-item=65536\"], \"repeat\""},
            {"\"repeat\"", "\"baselines\": [\"copy\"], \"repeat\""},
            {"\"repeat\"", "\"styles\": [{\"parameters\": {\"a\": 2}}], \"repeat\""},
            {"\"repeat\"", "\"scenarios\": [{\"name\": \"s\", \"faults\": [\"lane=1,fault=slow:2x\"]}], \"repeat\""},
            {
                "\"repeat\"",
                "\"scenarios\": [{\"name\": \"s\", \"from\": \"measurement\", \"faults\": [\"lane=1,fault=slow:2x\"]}],"
                        + " \"repeat\""
            },
        };
        for (String[] change : changes) {
            String changed = DESCRIPTION.replace(change[0], change[1]);
            assertFalse(changed.equals(DESCRIPTION), change[0]);
            assertTrue(digests.add(digest(setup(changed))), change[1]);
        }
        assertTrue(digests.add(setup.digest(DEVICES, List.of("another version"))));
        assertTrue(digests.add(setup.digest(DEVICES.subList(0, 1), List.of("test"))));
        String renamed = DESCRIPTION.replace("\"name\": \"n\"", "\"name\": \"m\", \"scenarios\": [{\"name\": \"s\"}]");
        assertEquals(digest(setup), digest(setup(renamed)));
        assertEquals(List.of(), setup(renamed).scenario().faults());
    }
}
