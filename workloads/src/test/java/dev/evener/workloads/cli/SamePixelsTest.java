package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A picture has the same bits, whichever devices made it and however it was cut: a process's and those of others. */
@InTurn(3)
class SamePixelsTest {
    @TempDir
    static Path folder;

    @BeforeAll
    static void oneDevice() {
        Map<String, Object> json =
                json(Cli.in(folder).run(words("expected", "--policy", "single", "--devices", "0.0")));
        assertEquals("single", json.get("policy"));
        assertEquals(List.of(1.0), shares(json));
    }

    static Stream<List<String>> waysToCut() {
        return Stream.of(
                List.of("--policy", "single", "--devices", "0.1"),
                List.of("--devices", "0.0,0.1", "--split", "0.37,0.63"),
                List.of("--devices", "0.0,0.1", "--split", "0,1"),
                List.of("--devices", "0.1,0.0", "--policy", "static"),
                List.of("--devices", "jvm"),
                List.of("--devices", "1.0"),
                List.of("--devices", "0.0,1.0", "--split", "0.37,0.63"),
                List.of("--devices", "0.0,0.1,1.0,jvm", "--split", "0.3,0.3,0.2,0.2"));
    }

    @ParameterizedTest
    @MethodSource("waysToCut")
    void theSamplesAreTheSameHoweverCut(List<String> options) throws IOException {
        run("actual", options.toArray());
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("actual"), 4);
    }

    /** ToneMapDevicesTest has each on every set of devices; FramesTest has 16 bits. */
    static List<Operator> operators() {
        List<Operator> all = new ArrayList<>(List.of(Operator.values()));
        all.removeAll(List.of(Operator.PQ, Operator.HLG));
        return LongTests.inTurn(5, all);
    }

    @ParameterizedTest
    @MethodSource("operators")
    void everyOperatorIsRightAndTheSameAcrossPlatforms(Operator operator) throws IOException {
        String name = operator.commandLineName();
        String one = "one-" + name;
        String two = "two-" + name;
        Path frame = Cli.sample("studio");
        Map<String, Object> alone = run(one, frame, "--operator", name, "--devices", "0.0", "--verify");
        Map<String, Object> split =
                run(two, frame, "--operator", name, "--devices", "0.0,1.0", "--split", "0.5,0.5", "--verify");
        for (Map<String, Object> json : List.of(alone, split)) {
            assertEquals(true, json.get("verified"));
            assertEquals(name, json.get("operator"));
        }
        assertEquals(2, shares(split).stream().filter(s -> s > 0.3).count(), () -> "really split: " + shares(split));
        Pictures.assertSame(folder.resolve(one), folder.resolve(two), 1);
    }

    @Test
    void anotherPictureWouldBeSeen() throws IOException {
        Path swapped = Files.createDirectories(folder.resolve("swapped"));
        Path expected = folder.resolve("expected");
        for (String name : Cli.names(expected)) {
            Files.copy(expected.resolve(name), swapped.resolve(name));
        }
        Pictures.assertSame(expected, swapped, 4);
        Files.copy(expected.resolve("city.png"), swapped.resolve("forest.png"), StandardCopyOption.REPLACE_EXISTING);
        assertThrows(AssertionError.class, () -> Pictures.assertSame(expected, swapped, 4));
    }

    private static Map<String, Object> run(String out, Object... options) {
        return json(InProcess.run(words(out, options)));
    }

    private static Object[] words(String out, Object... options) {
        Object[] start = {"tonemap", "--json", "-", "--out", folder.resolve(out)};
        return Stream.concat(Stream.of(start), Stream.of(options)).toArray();
    }

    private static Map<String, Object> json(Cli.Result run) {
        return run.silent().json();
    }

    private static List<Double> shares(Map<String, Object> json) {
        return ReportSchema.objects(json, "devices").stream()
                .map(d -> ReportSchema.number(d, "share"))
                .toList();
    }
}
