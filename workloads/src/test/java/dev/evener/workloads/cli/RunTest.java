package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code evener run}: synthetic data and given ones, results checked and kept, and what it refuses. */
@InTurn(3)
class RunTest {
    @TempDir
    Path folder;

    static Stream<Workload> all() {
        return Workloads.all().stream();
    }

    private Cli.Result run(Object... arguments) {
        List<Object> all = new ArrayList<>(List.of("run"));
        all.addAll(List.of(arguments));
        if (!all.contains("--devices")) {
            all.addAll(List.of("--devices", "0.0,0.1"));
        }
        return InProcess.run(all.toArray());
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private Path ints(String name, int... values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(values);
        return Files.write(file(name), bytes.array());
    }

    private Path floats(String name, float... values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return Files.write(file(name), bytes.array());
    }

    private static float[] floats(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        float[] values = new float[bytes.capacity() / 4];
        bytes.asFloatBuffer().get(values);
        return values;
    }

    @ParameterizedTest
    @MethodSource("all")
    void checkingAccusesNoWorkload(Workload workload) {
        Cli.Result run =
                run(workload.name(), "--size", "2000", "--checked", "--verify").done();
        assertTrue(run.out().contains("verified: the result is right"), run::toString);
        assertTrue(run.out().contains("policy static"), run::toString);
        assertTrue(run.out().contains("cold: "), run::toString); // nothing is warmed up
        assertTrue(
                run.out()
                        .endsWith(String.format(
                                "checked: every kernel keeps to what is declared; times are those of checking%n")),
                run::toString);
    }

    @Test
    void checkingSharesOutByItself() {
        Cli.Result run = run("saxpy", "--checked", "--policy", "single");
        assertEquals(2, run.code(), run::toString);
        assertTrue(
                run.err().contains("--checked gives every device an equal share; leave out --policy"), run::toString);
    }

    /** As a program, once. */
    @Test
    void aWorkloadRunsAndIsReported() throws IOException {
        Cli.Result run = Cli.in(folder)
                .run(
                        "run",
                        "sum",
                        "--size",
                        "1M",
                        "--devices",
                        "0.0,0.1",
                        "--split",
                        "0.7,0.3",
                        "--verify",
                        "--repeat",
                        3,
                        "--json",
                        "r.json",
                        "--output",
                        "sum.raw")
                .silent();
        Map<String, Object> json = Cli.json(folder.resolve("r.json"));
        Schemas.check("run", json);
        List<String> lines = run.out().lines().toList();
        assertEquals(8, lines.size(), run::toString);
        assertTrue(
                lines.get(0).matches("device +name +share +busy, run +busy, total +Minteger/s +GB/s"), run::toString);
        assertTrue(lines.get(1).matches("0\\.0 .* (69|7\\d)\\.\\d% .*"), run::toString);
        assertTrue(
                lines.get(3)
                        .matches(
                                "sum, 1000000 integers, uniform, seed 1, policy static:0\\.7,0\\.3: [0-9.]+ ms, [0-9.]+"
                                        + " Mintegers/s, [0-9.]+ GB/s; median of 3 runs, spread [0-9.]+%"),
                run::toString);
        int warmUpRuns = (int) json.get("warmUpRuns");
        assertEquals(
                String.format(
                        Locale.ROOT,
                        "before: %.3f ms of building, %d run%s to warm up",
                        1e3 * ((Number) json.get("buildSeconds")).doubleValue(),
                        warmUpRuns,
                        warmUpRuns == 1 ? "" : "s"),
                lines.get(4));
        assertTrue(((Number) json.get("buildSeconds")).doubleValue() > 0);
        assertEquals("result: " + json.get("result"), lines.get(5));
        assertEquals("verified: the result is right", lines.get(6));
        assertEquals("sum.raw", lines.get(7));
        assertEquals(List.of("r.json", "sum.raw"), Cli.names(folder), "and nothing left behind");
        assertEquals(4, Files.size(folder.resolve("sum.raw")));
        assertEquals(true, json.get("verified"));
        assertEquals(3_000_000, json.get("units"));
        assertEquals(3, json.get("runs"));
        assertTrue(warmUpRuns > 0);
        assertEquals("uniform", json.get("distribution"));
    }

    /** What is updated in place is as at first again when it is timed. */
    @Test
    void oneRunIsWarmedUpByOneAndAColdOneByNone() throws IOException {
        for (boolean cold : List.of(false, true)) {
            List<Object> command =
                    new ArrayList<>(List.of("saxpy", "--size", "10K", "--devices", "0.0,0.1", "--verify"));
            if (cold) {
                command.add("--cold");
            }
            command.addAll(List.of("--json", file("r.json")));
            String out = run(command.toArray()).done().out();
            Map<String, Object> json = Cli.json(file("r.json"));
            assertEquals(cold ? 0 : 1, json.get("warmUpRuns"));
            assertEquals(1, json.get("runs"));
            assertEquals(true, json.get("verified"));
            double build = 1e3 * ((Number) json.get("buildSeconds")).doubleValue();
            double wall = 1e3 * ((Number) json.get("wallSeconds")).doubleValue();
            assertTrue(build > 0);
            String line = cold
                    ? String.format(Locale.ROOT, "cold: %.3f ms with building, which took %.3f ms", wall + build, build)
                    : String.format(Locale.ROOT, "before: %.3f ms of building, 1 run to warm up", build);
            assertTrue(out.lines().anyMatch(line::equals), out);
        }
    }

    /** As before there was a warm-up: the fault is in the run that is reported. */
    @Test
    void faultsBeginWhenTheWarmUpIsOver() throws IOException {
        Map<String, Object> json = run(
                        "sum",
                        "--size",
                        "100K",
                        "--devices",
                        "0.0,0.1",
                        "--policy",
                        "static",
                        "--verify",
                        "--inject",
                        "lane=1,chunk=0,fault=error",
                        "--json",
                        "-")
                .done()
                .json();
        assertEquals(true, json.get("verified"));
        assertEquals(1, ((List<?>) json.get("failures")).size(), json::toString);
    }

    @ParameterizedTest
    @EnumSource(Distribution.class)
    void dataAreSpreadAsAskedFor(Distribution distribution) throws IOException {
        Path out = file("out");
        Map<String, Object> json = run(
                        "histogram",
                        "--size",
                        3000,
                        "--distribution",
                        distribution.text(),
                        "--set",
                        "bins=4",
                        "--verify",
                        "--output",
                        out,
                        "--json",
                        "-")
                .silent()
                .json();
        Schemas.check("run", json);
        assertEquals(true, json.get("verified"));
        assertEquals(distribution.text(), json.get("distribution"));
        long[] counts = new long[4];
        ByteBuffer.wrap(Files.readAllBytes(out))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(counts);
        int largest = (int) Arrays.stream(counts).max().orElse(0);
        switch (distribution) {
            case UNIFORM, SORTED -> assertEquals(750.0, largest, 100);
            case CONSTANT -> assertEquals(3000, largest);
            case SKEWED -> assertEquals(2775.0, largest, 100);
        }
    }

    @Test
    void whatIsReadIsWhatIsComputedWith() throws IOException {
        Path values = ints("values", 1, 2, 3, -1);
        Cli.Result sum = run("sum", "--input", values, "--verify").silent();
        assertTrue(sum.out().contains("\nresult: 5\n"), sum::toString);
        assertTrue(sum.out().contains("sum, 4 integers, from " + values + ", policy adaptive: "), sum::toString);
        Path x = floats("x", 1, 2, -3);
        Path y = floats("y", 10, 0, 0.5f);
        run("saxpy", "--input", x, "--input", y, "--set", "a=-2", "--output", file("out"), "--verify", "--repeat", 2)
                .silent();
        assertArrayEquals(new float[] {8, -4, 6.5f}, floats(file("out")), "once, however often it ran");
        run("fma", "--input", x, "--set", "steps=1", "--output", file("out")).silent();
        assertArrayEquals(new float[] {1 * 0.75f + 0.3f, 2 * 0.75f + 0.3f, -3 * 0.75f + 0.3f}, floats(file("out")));
    }

    /** The output of one run, read by another. */
    @Test
    void anOutputIsAnInput() throws IOException {
        run("fma", "--size", 5000, "--output", file("a"), "--seed", 7).silent();
        run("fma", "--input", file("a"), "--output", file("b"), "--verify").silent();
        run("fma", "--size", 5000, "--output", file("c"), "--seed", 7, "--set", "steps=200", "--verify")
                .silent();
        assertEquals(20_000, Files.size(file("b")));
        assertEquals(-1, Files.mismatch(file("b"), file("c")));
        Path link = Files.createSymbolicLink(file("link"), Path.of("a"));
        run("fma", "--input", file("c"), "--output", link).silent();
        assertTrue(Files.isSymbolicLink(link), "what it points to is replaced");
        assertEquals(List.of("a", "b", "c", "link"), Cli.names(folder));
    }

    @Test
    void pixelsAreReadAndWrittenOneAfterAnother() throws IOException {
        Path frame = floats("frame", 0.2f, 0, 0, 0, 0.2f, 0, 0, 0, 0.2f, 1, 1, 1, 0, 0, 0, 4, 4, 4);
        run(
                        "tonemap",
                        "--input",
                        frame,
                        "--set",
                        "width=3",
                        "--set",
                        "operator=aces",
                        "--output",
                        file("out"),
                        "--verify")
                .silent();
        byte[] pixels = Files.readAllBytes(file("out"));
        assertEquals(2 * 3 * 4, pixels.length);
        for (int pixel = 0; pixel < 6; pixel++) {
            assertEquals((byte) 255, pixels[4 * pixel + 3]);
        }
        assertTrue(pixels[0] != 0 && pixels[1] == 0 && pixels[5] != 0 && pixels[10] != 0);
        run("tonemap", "--input", frame, "--set", "width=4").refused(1, "6 pixels", "rows of 4", "--set width");
    }

    /** A device that computes nothing is found out by the check, and nothing is kept. */
    @Test
    void whatOthersMadeGoodIsSaid() {
        Cli.Result run = run(
                "saxpy",
                "--size",
                "1Ki",
                "--split",
                "0.5,0.5",
                "--inject",
                "lane=1,fault=error",
                "--verify",
                "--json",
                "-");
        assertEquals(0, run.code(), run::toString);
        assertTrue(run.err().startsWith("evener: device 0.1"), run::toString);
        assertEquals(1, run.err().lines().count());
        assertEquals(1, ((List<?>) run.json().get("failures")).size());
    }

    @Test
    void explainAndQuiet() {
        assertEquals(
                "", run("sum", "--size", 100, "--quiet", "--explain").silent().out());
        assertFalse(run("sum", "--size", 100, "--explain").silent().out().isEmpty());
    }

    @ParameterizedTest
    @MethodSource("all")
    void workloadsAreListed(Workload workload) {
        assertTrue(run("--list").silent().out().contains("\n" + workload.name() + " "));
        String text = run(workload.name(), "--list").silent().out();
        assertTrue(text.startsWith(workload.name() + ": "), text);
        workload.parameters().forEach(p -> assertTrue(text.contains("\n" + p.name() + " "), text));
    }

    @Test
    void wrongUsage() throws IOException {
        Path values = ints("values", 1, 2, 3);
        run().refused(2, "name a workload", "tonemap, sum");
        run("sun").refused(2, "unknown workload 'sun'", "saxpy", "(did you mean 'sum'?)");
        run("sum", "--size", "0").refused(2, "--size", "smallest is 1");
        run("sum", "--size", "12X").refused(2, "--size", "'12X'");
        run("saxpy", "--size", "1Gi").refused(2, "--size", "at most", "1073741824");
        run("sum", "--distribution", "normal").refused(2, "--distribution", "'normal'", "skewed");
        run("mandelbrot", "--distribution", "sorted").refused(2, "--distribution", "mandelbrot reads no data");
        run("sum", "--seed", "x").refused(2, "--seed");
        run("sum", "--repeat", "0").refused(2, "--repeat: 0");
        run("sum", "--policy", "best").refused(2, "--policy", "'best'");
        run("sum", "--split", "1").refused(2, "--split", "2 devices");
        run("sum", "--devices", "first").refused(2, "--devices", "first");
        run("sum", "--devices", "7.7").refused(1, "7.7");
        run("nbody", "--set", "bins=3").refused(2, "--set", "'bins'", "nbody has none");
        run("fma", "--set", "bins=3").refused(2, "--set", "'bins'", "fma has steps");
        run("fma", "--set", "steps").refused(2, "--set", "'steps'", "NAME=VALUE");
        run("fma", "--set", "steps=0").refused(2, "--set", "steps cannot be '0'", "1 to 1000000");
        run("fma", "--set", "steps=many").refused(2, "--set", "steps cannot be 'many'");
        run("fma", "--set", "steps=1", "--set", "steps=2").refused(2, "--set", "steps is set twice");
        run("saxpy", "--set", "a=NaN").refused(2, "--set", "a cannot be 'NaN'");
        run("tonemap", "--set", "operator=magic").refused(2, "--set", "'magic'", "reinhard-extended");
        run("sum", "--input", values, "--size", 3).refused(2, "--size", "--input");
        run("sum", "--input", values, "--distribution", "sorted").refused(2, "--distribution", "--input");
        run("sum", "--input", values, "--seed", 3).refused(2, "--seed", "--input");
        run("sum", "--input", values, "--input", values).refused(2, "--input", "one array (values)", "2 files");
        run("saxpy", "--input", values).refused(2, "--input", "2 arrays (x, then y)", "1 file");
        run("mandelbrot", "--input", values).refused(2, "--input", "mandelbrot reads nothing");
        run("sum", "--input", "").refused(2, "--input", "empty");
        run("sum", "--output", "").refused(2, "--output", "empty");
        run("sum", "--output", "-").refused(2, "--output", "standard output");
        assertEquals(List.of("values"), Cli.names(folder));
    }

    @Test
    void filesThatCannotBeUsed() throws IOException {
        Path values = ints("values", 1, 2, 3);
        Path odd = Files.write(file("odd"), new byte[7]);
        Path empty = Files.write(file("empty"), new byte[0]);
        run("sum", "--input", file("none")).refused(1, file("none") + ": there is no such file");
        run("sum", "--input", folder).refused(1, folder + ": is a folder");
        run("sum", "--input", empty).refused(1, empty + ": is empty");
        run("sum", "--input", "/dev/zero").refused(1, "/dev/zero: is not a plain file");
        run("sum", "--input", odd).refused(1, odd + ": its 7 bytes are not a whole number of uint (4 bytes each)");
        run("tonemap", "--input", values, "--input", values).refused(2, "--input");
        run("tonemap", "--input", floats("two", 1, 2)).refused(1, "8 bytes", "3 float (12 bytes each)");
        run("saxpy", "--input", values, "--input", floats("four", 1, 2, 3, 4))
                .refused(1, file("four") + ": has 4 floats, but " + values + " has 3");
        run("sum", "--output", folder).refused(1, folder + ": is a folder");
        run("sum", "--output", values.resolve("below")).refused(1, values + " is not a folder");
        run("sum", "--input", values, "--output", values).refused(2, "--output", values.toString(), "is read");
        Path link = Files.createSymbolicLink(file("link"), Path.of("values"));
        run("sum", "--input", values, "--output", link).refused(2, "--output", link.toString(), "is read");
        run("sum", "--json", folder).refused(1, "is a folder");
        assertEquals(List.of("empty", "four", "link", "odd", "two", "values"), Cli.names(folder));
        assertEquals(12, Files.size(values));
    }

    @Test
    void anOutputGoesIntoANewFolderAndIntoADevice() throws IOException {
        run("sum", "--size", 5, "--output", file("new/folder/sum")).silent();
        assertEquals(List.of("sum"), Cli.names(file("new/folder")));
        run("sum", "--size", 5, "--output", "/dev/null").silent();
        assertNotNull(Files.readAttributes(Path.of("/dev/null"), "isOther").get("isOther"));
        assertFalse(Files.isRegularFile(Path.of("/dev/null")));
    }
}
