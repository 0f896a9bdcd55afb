package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.InTurn;
import dev.evener.simulation.Machine;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong costs one line that names the file or option, and nothing else. Those of a kind have one process. */
@InTurn(3)
class BadInputTest {
    @TempDir
    Path folder;

    private Path file(String name, String content) throws IOException {
        return Files.write(folder.resolve(name), content.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Cli.Result tonemap(Object... arguments) {
        Object[] start = {"tonemap", "--out", "out", "--devices", "0.0"};
        return Cli.in(folder)
                .run(Stream.concat(Stream.of(start), Stream.of(arguments)).toArray());
    }

    private static Object[] with(Object[] start, Object... more) {
        return Stream.concat(Stream.of(start), Stream.of(more)).toArray();
    }

    @Test
    void badFramesAreNamedAndTheOthersAreMapped() throws IOException {
        byte[] sample = Files.readAllBytes(Cli.sample("forest"));
        Files.write(folder.resolve("truncated.hdr"), Arrays.copyOf(sample, sample.length / 2));
        file("mislabelled.hdr", "BM, which is another format");
        file("empty.hdr", "");
        file("nothing.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 0 +X 16\n");
        file("gigantic.hdr", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2000000000 +X 2000000000\nxx");
        file("large.pfm", "PF\n10000 10000\n-1.0\n1234");
        file("new\nline.hdr", "#?RADIANCE\n");
        Files.createSymbolicLink(folder.resolve("unreadable.hdr"), Path.of("unreadable.hdr")); // a link to itself
        Path folderOfFrames = Files.createDirectories(folder.resolve("frames"));
        Files.copy(Cli.sample("city"), folderOfFrames.resolve("good.hdr"));
        Files.copy(Cli.sample("city"), folderOfFrames.resolve("truncated.hdr")); // its picture has that name already
        List<String> bad = List.of(
                "truncated.hdr",
                "mislabelled.hdr",
                "empty.hdr",
                "nothing.hdr",
                "gigantic.hdr",
                "large.pfm",
                "new\nline.hdr",
                "unreadable.hdr",
                "missing.hdr",
                "/dev/zero");
        List<Object> arguments = new ArrayList<>(bad);
        arguments.add(3, "frames");
        arguments.addAll(List.of("--json", "r.json", "--repeat", 2));

        Cli.Result run = tonemap(arguments.toArray());

        assertEquals(1, run.code(), run::toString);
        List<String> named = new ArrayList<>(bad);
        named.add(3, Path.of("frames", "truncated.hdr").toString());
        List<String> lines = run.err().lines().toList();
        assertEquals(named.size(), lines.size(), run::toString);
        for (int i = 0; i < lines.size(); i++) { // in order of the inputs
            String start = "evener: " + named.get(i).replace('\n', '?') + ": ";
            assertTrue(lines.get(i).startsWith(start), () -> start + " expected in " + run);
        }
        assertFalse(run.err().contains("Exception"), run::toString);
        assertEquals(List.of("good.png"), Cli.names(folder.resolve("out")), "nothing partial, nothing left behind");
        Map<String, Object> json = Cli.json(folder.resolve("r.json"));
        Schemas.check("tonemap", json);
        assertEquals(lines.stream().map(l -> l.replaceFirst("evener: ", "")).toList(), json.get("failures"));
        assertEquals(2, json.get("frames"));
        assertEquals(List.of(Path.of("out", "good.png").toString()), json.get("written"));
    }

    /** In the C locale Java has no text for it; one such file once ended the whole run. */
    @Test
    void aNameBeyondTheLocaleIsMappedFromItsFolder() throws IOException {
        Path frames = Files.createDirectories(folder.resolve("frames"));
        Files.copy(Cli.sample("city"), frames.resolve("city.hdr"));
        Files.copy(Cli.sample("forest"), Path.of(URI.create(frames.toUri() + "%C3%A9.hdr")));
        Cli.in(folder)
                .with("LC_ALL", "C")
                .run("tonemap", "--out", "out", "--devices", "0.0", "frames")
                .silent();
        assertTrue(Files.exists(folder.resolve("out/city.png")));
        assertTrue(Files.exists(Path.of(URI.create(folder.resolve("out").toUri() + "%C3%A9.png"))));
    }

    /** What the locale has no letters for, Java gets as others; a zero byte has no place in a name in any locale. */
    @Test
    void anInputThatCannotBeNamedCostsOnlyItself() {
        Cli.Result run = InProcess.run(
                "tonemap",
                "--out",
                folder.resolve("out"),
                "--devices",
                "0.0",
                "a\0.hdr",
                Cli.sample("city"),
                "--json",
                "-");
        assertEquals(1, run.code(), run::toString);
        String line = "a\\u0000.hdr: this locale (" + System.getProperty("sun.jnu.encoding")
                + ") has no such letters; set LC_ALL=C.UTF-8, or name the file's folder";
        assertEquals("evener: " + line + "\n", run.err());
        assertEquals(1, run.json().get("frames"));
        assertEquals(List.of(line.replace("\\u0000", "\0")), run.json().get("failures"));
        assertTrue(Files.exists(folder.resolve("out/city.png")));
    }

    /** Two names that differ in bytes that are no letters are two names. */
    @Test
    void framesOfNamesThatAreNoTextAreMappedFromTheirFolder() throws IOException {
        String frames =
                Files.createDirectories(folder.resolve("frames")).toUri().toString();
        Files.copy(Cli.sample("city"), Path.of(URI.create(frames + "%FEa.hdr")));
        Files.copy(Cli.sample("city"), Path.of(URI.create(frames + "%FFa.hdr")));
        Path out = Files.createDirectories(folder.resolve("out"));
        InProcess.run("tonemap", "--out", out, "--devices", "jvm", folder.resolve("frames"))
                .silent();
        assertTrue(Files.exists(Path.of(URI.create(out.toUri() + "%FEa.png"))));
        assertTrue(Files.exists(Path.of(URI.create(out.toUri() + "%FFa.png"))));
    }

    /** What was made under another name, or in another folder, would not be found. */
    @Test
    void namesThatAreNoTextAreRefused() throws Exception {
        String lost = folder + "/a\ufffd.json";
        InProcess.run("run", "sum", "--json", lost).refused(2, "--json", "a\ufffd.json: the name is not UTF-8");
        InProcess.run("simulate", lost).refused(2, "RECORD", "a\ufffd.json: the name is not UTF-8");
        InProcess.run("bench", lost).refused(2, "a\ufffd.json: the name is not UTF-8");
        InProcess.run("bench", "a\0").refused(2, "a\\u0000: this locale");
        InProcess.run("run", "sum", "--json", "a\0").refused(2, "a\\u0000: this locale");
        Files.createDirectory(Path.of(URI.create(folder.toUri() + "d%FF")));
        Cli cli = Cli.in(folder);
        String there = "cd d* && exec \"$@\"";
        cli.shell(there, "run", "sum", "--size", 100, "--devices", "jvm", "--json", "r.json")
                .refused(2, "--json", "r.json: the name of the current folder is not UTF-8");
        cli.shell(there, "run", "sum", "--size", 100, "--devices", "jvm", "--json", folder.resolve("r.json"))
                .silent();
        assertEquals(2, Cli.names(folder).size(), "another folder was made");
    }

    /** Each is said to be damaged in its file, line and column, in words that are not those of the library that reads it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"a\":",
                "[1,2",
                "[1]",
                "null",
                "",
                "{\"a\": NaN}",
                "{a:1}",
                "{\"a\": +1}",
                "{\"a\":\"x",
                "{\"a\":/*",
                "{\"a\":1} x",
                "{\"a\":1,\"a\":2}",
                "LONG",
                "DEEP"
            })
    void damagedFilesAreNamedWithThePlace(String text) throws IOException {
        String damaged = text.equals("LONG")
                ? "{\"a\":" + "9".repeat(2000) + "}"
                : text.equals("DEEP") ? "{\"a\":" + "[".repeat(1200) : text;
        String header = "{\"format\":\"evener-record\",\"version\":1,\"written\":\"2026-01-31T12:00:00Z\"}\n";
        Path record = file("a.rec", damaged + "\n");
        Path experiment = file("a.json", damaged);
        for (Cli.Result run : List.of(
                InProcess.run("simulate", record),
                InProcess.run("simulate", file("b.rec", header + damaged + "\n")),
                InProcess.run("bench", experiment),
                InProcess.run("simulate", recorded(), "--machine", experiment))) {
            run.refused(
                    run.arguments().get(0).equals("bench") ? 2 : 1, run.err().contains(".rec") ? ".rec" : "a.json");
            assertFalse(
                    run.err().matches("(?s).*(Source|REDACTED|Json|`|StreamRead|ALLOW_|VALUE_|START_|jackson).*"),
                    run::toString);
            assertTrue(run.err().matches("(?s).*(line \\d+|JSON object in braces).*"), run::toString);
        }
    }

    /** Of a job. */
    private Path recorded() {
        Path record = folder.resolve("sum.rec");
        if (!Files.exists(record)) {
            InProcess.run("run", "sum", "--size", 100, "--devices", "jvm", "--quiet", "--cold", "--record", record)
                    .silent();
        }
        return record;
    }

    @Test
    void filesWithoutAnEndAreRefusedBeforeTheyAreRead() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Path jobs = Files.createSymbolicLink(folder.resolve("jobs.swf"), pipe);
        Path description = Files.createSymbolicLink(folder.resolve("experiment.json"), pipe);
        for (Object endless : List.of(pipe, "/dev/zero")) {
            InProcess.run("replay", endless).refused(1, endless + ": is a pipe or a device, not a record");
        }
        InProcess.run("replay", jobs).refused(1, jobs + ": is a folder, a pipe or a device, not a plain file");
        InProcess.run("bench", description).refused(2, description + ": is a folder, a pipe or a device");
        for (Path endless : List.of(pipe, Path.of("/dev/zero"))) {
            EvenerException e = assertThrows(EvenerException.class, () -> Machine.read(endless));
            assertEquals("machine file " + endless + " is a folder, a pipe or a device", e.getMessage());
        }
    }

    /** Every file that a command is told of, by an option, in another file or in its environment, and what it would write over. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPipeOrDeviceIsRefusedWhereverAFileIsNamed() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        String kernels =
                "{\"format\": \"evener-kernel\", \"version\": 1, \"source\": \"k.cl\", \"buffers\": {\"x\": {\"type\": \"float\"}},"
                        + " \"phases\": [{\"kernel\": \"k\", \"arguments\": [{\"updates\": \"x\"}]}]}";
        Path own = file("own.json", kernels);
        Path machine = file(
                "machine.json",
                "{\"format\": \"evener-machine\", \"version\": 1, \"devices\": [{\"id\": \"0.0\", \"kind\": \"cpu\"}]}");
        String experiment =
                "{\"format\": \"evener-experiment\", \"version\": 1, \"name\": \"e\", \"repeat\": 1, \"warmUp\": 0,"
                        + " \"sweep\": 0, \"devices\": [\"jvm\"], \"workloads\": [{\"workload\": \"sum\", \"sizes\": [100]}]}";
        for (Path endless : List.of(pipe, Path.of("/dev/zero"))) {
            Path source = Files.createSymbolicLink(folder.resolve("k.cl"), endless);
            refused(InProcess.run("run", own, "--size", 10), "k.cl: is a folder, a pipe or a device");
            Files.delete(source);
            Path description = Files.createSymbolicLink(folder.resolve("pipe.json"), endless);
            for (String command : List.of("run", "bench")) {
                refused(InProcess.run(command, description), "pipe.json");
            }
            InProcess.run("tune", description).refused(2, "pipe.json"); // a primitive of that name
            refused(InProcess.run("run", "sum", "--input", endless), "");
            refused(InProcess.run("bench", "sum", "--against", endless), "--against");
            refused(InProcess.run("bench", file("e.json", experiment), "--out", endless), endless.toString());
            for (String packed : List.of("x.swf", "x.csv", "x.swf.gz", "x.json")) {
                Path trace = Files.createSymbolicLink(folder.resolve(packed), endless);
                refused(InProcess.run("replay", trace), packed);
                refused(InProcess.run("simulate", trace, "--machine", machine), packed);
                refused(InProcess.run("simulate", recorded(), "--arrivals", trace), packed);
                Files.delete(trace);
            }
            refused(InProcess.run("simulate", recorded(), "--machine", endless), endless.toString());
            refused(InProcess.run("tonemap", endless, "--out", folder.resolve("out")), endless.toString());
            Path picture = folder.resolve("out/city.png");
            Files.createDirectories(folder.resolve("out"));
            Files.deleteIfExists(picture);
            Files.createSymbolicLink(picture, endless);
            refused(
                    InProcess.run("tonemap", Cli.sample("city"), "--devices", "0.0", "--out", folder.resolve("out")),
                    "city.png");
            Files.delete(picture);
            Files.delete(description);
            assertTrue(Files.exists(endless), "nothing was renamed");
        }
    }

    private static void refused(Cli.Result run, String text) {
        assertTrue(run.code() == 1 || run.code() == 2, run::toString);
        assertTrue(run.err().contains(text), run::toString);
        assertTrue(
                run.err().contains("pipe or a device")
                        || run.err().contains("not a plain file")
                        || run.err().contains("not a regular file"),
                run::toString);
    }

    @Test
    void aPictureThatCannotBeWrittenCostsOnlyItself() throws IOException {
        Path taken = Files.createDirectories(folder.resolve("out/city.png"));
        file("out/city.png/file", "in the way");
        Cli.Result run = tonemap(Cli.sample("city"), Cli.sample("studio"));
        assertEquals(1, run.code(), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(run.err().startsWith("evener: " + Path.of("out", "city.png") + ": cannot be written: "), run::err);
        assertEquals(List.of("city.png", "studio.png"), Cli.names(folder.resolve("out")));
        assertEquals(List.of("file"), Cli.names(taken));
    }

    @Test
    void twoInputsForOneNameAreRefusedAndTheFirstIsMapped() throws IOException {
        Path other = Files.createDirectories(folder.resolve("other"));
        Files.copy(Cli.sample("forest"), other.resolve("city.hdr"));
        Cli.Result run = tonemap(Cli.sample("city"), "other/city.hdr");
        assertEquals(1, run.code(), run::toString);
        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(run.err().startsWith("evener: " + Path.of("other", "city.hdr") + ": "), run::err);
        assertTrue(run.err().contains("city.png"), run::err);
        InProcess.run("tonemap", "--out", folder.resolve("out"), Cli.sample("city"), "--out", folder.resolve("again"))
                .refused(2, "--out");
        InProcess.run("tonemap", Cli.sample("city"), "--devices", "0.0", "--out", folder.resolve("expected"))
                .silent();
        Pictures.assertSame(folder.resolve("expected"), folder.resolve("out"), 1);
    }

    @Test
    void anUnusableOutputFolderIsOneLine() throws IOException {
        file("file", "");
        InProcess.run("tonemap", "--devices", "0.0", "--out", folder.resolve("file"))
                .refused(1, "file: is a file, not a folder");
        InProcess.run("tonemap", "--devices", "0.0", "--out", folder.resolve("file/below"))
                .refused(1, Path.of("file", "below").toString());
        assertEquals(List.of("file"), Cli.names(folder));
    }

    @Test
    void anUnusableReportIsSaidBeforeTheWork() throws IOException {
        file("file", "");
        Files.createDirectories(folder.resolve("folder"));
        tonemap("--json", "file/r.json")
                .refused(1, "report", Path.of("file", "r.json").toString());
        Object[] start = {"tonemap", "--out", folder.resolve("out"), "--devices", "0.0", "--json"};
        for (Object wrong : new Object[] {folder.resolve("folder"), ""}) {
            InProcess.run(with(start, wrong))
                    .refused(wrong.equals("") ? 2 : 1, wrong.equals("") ? "--json" : "folder: is a folder");
        }
        InProcess.run("devices", "--json", folder.resolve("file/r.json"))
                .refused(1, Path.of("file", "r.json").toString());
        assertEquals(List.of("file", "folder"), Cli.names(folder), "no picture was made");
    }

    /** A report to a device, such as one for nothing, must not put a file in its place. */
    @Test
    void aReportGoesThroughALinkAndIntoADevice() throws IOException {
        Files.createSymbolicLink(folder.resolve("nothing"), Path.of("/dev/null"));
        file("real.json", "old");
        Files.createSymbolicLink(folder.resolve("link.json"), Path.of("real.json"));
        Object[] city = {"tonemap", "--out", folder.resolve("out"), "--devices", "0.0", Cli.sample("city"), "--json"};
        InProcess.run(with(city, folder.resolve("nothing"))).silent();
        assertFalse(Files.isRegularFile(folder.resolve("nothing")));
        assertTrue(Files.isSymbolicLink(folder.resolve("nothing")));
        InProcess.run(with(city, folder.resolve("link.json"))).silent();
        assertTrue(Files.isSymbolicLink(folder.resolve("link.json")));
        Schemas.check("tonemap", Cli.json(folder.resolve("real.json")));
        assertEquals(List.of("link.json", "nothing", "out", "real.json"), Cli.names(folder));
        Files.delete(folder.resolve("nothing")); // or JUnit warns of a link that leads out of its folder
    }

    static Stream<Arguments> wrongUsage() {
        return Stream.of(
                wrong("--operator", "magic").and("--operator", "'magic'", "reinhard"),
                wrong("--split", "0.5,x").and("--split", "'x'"),
                wrong("--split", "0.5,0.6").and("--split", "1.1"),
                wrong("--split", "-0.5,1.5").and("--split", "-0.5"),
                wrong("--split", "NaN,1").and("--split", "NaN"),
                wrong("--split", "").and("--split"),
                wrong("--split", "0.2,0.3,0.5", "--devices", "0.0,0.1").and("--split", "3 fractions", "2 devices"),
                wrong("--split", "0.2,0.8", "--policy", "single").and("--split", "single"),
                wrong("--policy", "magic").and("--policy", "'magic'", "history"),
                wrong("--devices", "magic").and("--devices", "'magic'"),
                wrong("--devices", "0.0,").and("--devices", "'0.0,'"),
                wrong("--devices", "0.0,0.0").and("--devices", "twice"),
                wrong("--repeat", "0").and("--repeat", "0"),
                wrong("--repeat", "many").and("--repeat", "'many'"),
                wrong("--exposure", "bright").and("--exposure", "'bright'"),
                wrong("--exposure", "NaN").and("--exposure", "NaN"),
                wrong("--exposure", "auto+").and("--exposure", "NaN"),
                wrong("--exposure", "smooth-21").and("--exposure", "-21"),
                wrong("--key", "night").and("--key", "between 0.01 and 1"),
                wrong("--key", "0").and("--key", "between 0.01 and 1"),
                wrong("--key", "0.2", "--exposure", "1").and("--key", "automatic exposure"),
                wrong("--key", "0.2", "--operator", "film").and("--key", "automatic exposure"),
                wrong("--exposure", "smooth:0").and("--exposure", "1 to 100000 frames, not 0"),
                wrong("--exposure", "smooth:").and("--exposure", "frames"),
                wrong("--exposure", "smooth", "--operator", "film").and("--exposure", "no automatic exposure"),
                wrong("--exposure", "smooth", "--record", "x.evr").and("--record", "each by itself"),
                wrong("--white", "NaN").and("--white", "NaN"),
                wrong("--white", "-1").and("--white", "-1"),
                wrong("--white", "snow").and("--white", "'snow'"),
                wrong("--drago-bias", "7", "--operator", "drago").and("--drago-bias", "7"),
                wrong("--film", "speed=400", "--operator", "film").and("--film", "speed"),
                wrong("--film", "gamma=NaN", "--operator", "film").and("--film", "gamma"),
                wrong("--film", "gamma").and("--film", "gamma"),
                wrong("--white", "4", "--operator", "reinhard")
                        .and("--white: applies to reinhard-extended, drago, hable, guided, not to reinhard"),
                wrong("--white", "4", "--depth", "16").and("--white: applies to", "not to pq"),
                wrong("--film", "gamma=2", "--operator", "neutral").and("--film: applies to film, not to neutral"),
                wrong("--drago-bias", "0.8").and("--drago-bias: applies to drago, not to reinhard-extended"),
                wrong("--curve-on", "channels", "--operator", "agx")
                        .and("--curve-on: applies to reinhard, reinhard-extended, drago, hable, aces, not to agx"),
                wrong("--wrap").and("--wrap: applies to reinhard-local, guided, not to reinhard-extended"),
                wrong("--wrap", "--depth", "16").and("--wrap: applies to", "not to pq"),
                wrong("--curve-on", "hue").and("--curve-on: 'hue' is none of luminance, channels"),
                wrong("--gamut", "wide").and("--gamut: 'wide' is none of preserve, clip"),
                wrong("--saturation", "3").and("--saturation: saturation must be between 0 and 2, not 3"),
                wrong("--no-such-option").and("--no-such-option"),
                wrong("").and("INPUT"));
    }

    private record Wrong(List<String> options) {
        Arguments and(String... parts) {
            return Arguments.of(options, List.of(parts));
        }
    }

    private static Wrong wrong(String... options) {
        return new Wrong(List.of(options));
    }

    @ParameterizedTest
    @MethodSource("wrongUsage")
    void wrongUsageIsOneLineAndExitCode2(List<String> options, List<String> parts) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "tonemap",
                Cli.sample("city").toString(),
                "--out",
                folder.resolve("out").toString()));
        arguments.addAll(options);
        InProcess.run(arguments.toArray()).refused(2, parts.toArray(String[]::new));
        assertEquals(List.of(), Cli.names(folder), "nothing was begun");
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        Path out = folder.resolve("out");
        InProcess.run("tonemap", Cli.sample("city")).refused(2, "--out");
        InProcess.run("tonemap", "--out", "").refused(2, "--out");
        InProcess.run("tonemap", "--out", out, "--devices", "7.5").refused(1, "no device 7.5", "0.0, 0.1");
        InProcess.run("devices", "--devices", "7.5").refused(1, "no device 7.5", "0.0, 0.1");
        InProcess.run("no-such-command").refused(2, "no-such-command");
        Path empty = Files.createDirectories(folder.resolve("empty"));
        InProcess.run("tonemap", empty, "--out", out).refused(1, "empty: there is no frame in this folder (.hdr");
        assertEquals(List.of("empty"), Cli.names(folder));
    }

    @Test
    void verboseShowsTheStack() throws IOException {
        Path bad = file("bad.hdr", "#?RADIANCE\n");
        for (Cli.Result run : List.of(
                InProcess.run("tonemap", "--out", folder.resolve("out"), "--devices", "0.0", bad, "--verbose"),
                InProcess.run("devices", "--devices", "7.5", "--verbose"))) {
            assertEquals(1, run.code(), run::toString);
            assertTrue(run.err().contains("Exception: "), run::toString);
            assertTrue(run.err().contains("\tat dev.evener."), run::toString);
        }
    }
}
