package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The commands around the main job, and what all have in common. */
@InTurn(3)
class CommandsTest {
    @TempDir
    Path folder;

    @Test
    void devicesAreListed() {
        Cli.Result run = InProcess.run("devices").silent();
        List<String> lines = run.out().lines().toList();
        assertEquals(
                List.of("id", "0.0", "0.1", "1.0", "jvm"),
                lines.stream().limit(5).map(l -> l.split(" ", -1)[0]).toList());
        assertTrue(lines.get(1).endsWith("lane 0, context 0") && lines.get(2).endsWith("lane 1, context 0"), run::out);
        assertTrue(lines.get(4).endsWith(" -"), run::out);
        List<Map<?, ?>> devices = ReportSchema.objects(
                InProcess.run("devices", "--json", "-").silent().json(), "devices");
        Map<?, ?> second = devices.get(2);
        if (second.get("physical").equals(devices.get(0).get("physical"))) {
            assertTrue(lines.get(3).endsWith(" -"), run::out);
            String note = "note: device 1.0 (" + second.get("platform") + ") is the same hardware as 0.0 ";
            assertTrue(lines.get(5).startsWith(note), run::out);
            assertEquals(7, lines.size());
        } else {
            assertTrue(lines.get(3).endsWith("lane 2, context 1"), run::out);
            assertEquals(6, lines.size());
        }
        assertTrue(lines.get(lines.size() - 1).startsWith("note: devices 0.0, 0.1"), run::out);
        assertTrue(lines.get(lines.size() - 1).contains("keeps their threads apart"), run::out);
    }

    @Test
    void devicesHaveAContextEachIfAsked() {
        List<String> lines = InProcess.run("devices", "--contexts", "own", "--devices", "0.0,0.1")
                .silent()
                .out()
                .lines()
                .toList();
        assertTrue(
                lines.get(1).endsWith("lane 0, context 0") && lines.get(2).endsWith("lane 1, context 1"),
                lines::toString);
        Cli.Result wrong = InProcess.run("devices", "--contexts", "both");
        assertEquals(2, wrong.code());
        assertTrue(wrong.err().contains("--contexts: both is none of measured, shared and own"), wrong::err);
    }

    @Test
    void devicesAreListedAsJson() throws IOException {
        Cli.Result piped =
                InProcess.run("devices", "--devices", "jvm,0.1", "--json", "-").silent();
        Map<String, Object> json = piped.json();
        Schemas.check("devices", json);
        List<Map<?, ?>> devices = ReportSchema.objects(json, "devices");
        assertEquals(
                List.of("0.0", "0.1", "1.0", "jvm"),
                devices.stream().map(d -> d.get("id")).toList());
        for (Map<?, ?> device : devices) {
            for (String text : List.of("id", "name", "type", "platform", "driver", "physical")) {
                assertTrue(device.get(text) instanceof String s && !s.isEmpty(), () -> text + " of " + device);
            }
            for (String number : List.of("computeUnits", "memoryBytes", "maxAllocationBytes", "alignmentBytes")) {
                assertTrue(ReportSchema.number(device, number) > 0, () -> number + " of " + device);
            }
            assertTrue(device.get("sharesHostMemory") instanceof Boolean);
        }
        assertEquals("jvm", devices.get(3).get("type"));
        // Lanes are in the order of the selector.
        assertEquals(
                Arrays.asList(null, 1, null, 0),
                devices.stream().map(d -> d.get("lane")).toList());
        assertEquals(
                Arrays.asList(null, 0, null, null),
                devices.stream().map(d -> d.get("context")).toList());
        assertEquals(List.of(), json.get("notes"));

        Cli.Result filed = InProcess.run("devices", "--devices", "jvm,0.1", "--json", folder.resolve("d.json"))
                .silent();
        Map<String, Object> again = Cli.json(folder.resolve("d.json"));
        for (Map<String, Object> each : List.of(json, again)) { // some drivers say what it is at the moment
            ReportSchema.objects(each, "devices").forEach(device -> device.remove("clockMhz"));
        }
        assertEquals(json, again);
        assertTrue(filed.out().startsWith("id "), "the table comes besides");
        assertFalse(filed.out().contains("keeps their threads apart"), "there is but one CPU device: " + filed.out());
        List<String> csv = InProcess.run(
                        "devices", "--devices", "jvm,0.1", "--csv", "-", "--markdown", folder.resolve("d.md"))
                .silent()
                .out()
                .lines()
                .toList();
        assertTrue(
                csv.get(0).startsWith("id,type,name,platform,driver,compute_units,partitioning_by_counts,"),
                csv::toString);
        assertEquals(
                List.of("id", "0.0", "0.1", "1.0", "jvm"),
                csv.stream().map(line -> line.split(",", -1)[0]).toList());
        assertTrue(Files.readString(folder.resolve("d.md")).startsWith("| id | type | device |"));
    }

    @Test
    void theHistoryIsShownExportedAndCleared() throws IOException {
        Cli cli = Cli.in(folder).with("EVENER_CACHE", folder.resolve("cache"));
        try (Cli.Session history = cli.session()) {
            theHistoryIsShownExportedAndCleared(cli, history);
        }
    }

    private void theHistoryIsShownExportedAndCleared(Cli cli, Cli.Session history) throws IOException {
        Path file = folder.resolve("cache/history.json");
        assertTrue(history.run("history").silent().out().endsWith("0 entries in " + file + "\n"));
        history.run("history", "--export", "copy.json").refused(1, file.toString());
        history.run("history", "--clear").silent();
        // The first frame of a process is no evidence, and shares that were not meant to end together say nothing.
        map(cli, "0.0,jvm", "static");
        assertTrue(history.run("history").silent().out().endsWith("0 entries in " + file + "\n"));
        map(cli, "jvm", "single");
        map(cli, "0.0,jvm", "history");

        List<String> lines = history.run("history").silent().out().lines().toList();
        assertEquals("How long jobs take, by kind, size and devices:", lines.get(0));
        assertTrue(lines.get(1).matches(" *units +ms +doubt +jobs +devices +job"), lines::toString);
        String line = " *[0-9]+\\+ +[0-9]+\\.[0-9]{3} +[0-9.]+% +[0-9]+ +";
        String job = " +luminance_statistics[a-z_+ ]+";
        List<String> entries =
                lines.stream().filter(l -> l.contains("luminance_")).toList();
        assertTrue(entries.stream().allMatch(l -> l.matches(line + "#[12]( #[12])?" + job)), lines::toString);
        assertEquals(2, entries.size(), lines::toString); // the JVM alone, and both
        assertEquals(
                1,
                entries.stream()
                        .filter(l -> l.matches(line + "#[12] #[12]" + job))
                        .count(),
                lines::toString);
        String platform = InProcess.device("0.0").get("platform") + "|";
        assertEquals(
                1,
                lines.stream()
                        .filter(l -> l.matches("#[12] .*") && l.contains(platform))
                        .count());
        assertEquals(
                1, lines.stream().filter(l -> l.matches("#[12] .*[|]jvm.*")).count(), lines::toString);
        assertEquals("2 entries in " + file, lines.get(lines.size() - 1));
        assertEquals("", history.run("history", "--quiet").silent().out());
        Map<?, ?> entry = ReportSchema.objects(
                        history.run("history", "--json", "-").silent().json(), "entries")
                .get(0);
        Schemas.check("history", Map.of("entries", List.of(entry)));
        assertEquals(
                3, history.run("history", "--csv", "-").silent().out().lines().count());

        history.run("history", "--export", "copy.json").silent();
        assertEquals(-1, Files.mismatch(file, folder.resolve("copy.json")));
        assertTrue(Files.readString(folder.resolve("copy.json")).startsWith("{\"format\":\"evener-history\""));
        history.run("history", "--export", "copy.json/below")
                .refused(1, Path.of("copy.json", "below").toString());
        history.run("history", "--export", "x", "--clear").refused(2, "--export", "--clear");

        history.run("history", "--forget", "x", "--clear").refused(2, "--forget", "--clear");
        history.run("history", "--forget", "no such device").refused(2, "--forget: ", "none", "#1 ", "#2 ", platform);
        history.run("history", "--forget", "|").refused(2, "--forget: ", "more than one", "#1 ", "#2 ");
        assertTrue(history.run("history", "--forget", "0.0").silent().out().contains(platform));
        String left = history.run("history").silent().out();
        assertTrue(left.endsWith("1 entry in " + file + "\n"), left);
        assertFalse(left.contains(platform), left);
        assertTrue(history.run("history", "--forget", "#1").silent().out().contains("|jvm"));
        assertTrue(history.run("history").silent().out().endsWith("0 entries in " + file + "\n"));
        map(cli, "jvm", "single");
        assertTrue(history.run("history").silent().out().endsWith("1 entry in " + file + "\n"));
        assertTrue(history.run("history", "--clear").silent().out().contains(file.toString()));
        assertTrue(history.run("history").silent().out().endsWith("0 entries in " + file + "\n"));
    }

    /** One frame, a few times. Of rows as they are it has so many granules that {@code history} gives each device one. */
    private static void map(Cli cli, String devices, String policy) {
        cli.run(
                        "tonemap",
                        Cli.sample("city"),
                        "--out",
                        "out",
                        "--format",
                        "ppm",
                        "--devices",
                        devices,
                        "--policy",
                        policy,
                        "--repeat",
                        3,
                        "--quiet")
                .silent();
    }

    /** Saying that it is gone would be a lie. */
    @Test
    void aHistoryThatCannotBeClearedIsAnError() throws IOException {
        Path history = Files.createDirectories(folder.resolve("cache/history.json"));
        Files.writeString(history.resolve("file"), "in the way");
        Cli.in(folder)
                .with("EVENER_CACHE", folder.resolve("cache"))
                .run("history", "--clear")
                .refused(1, history + " could not be deleted: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"devices", "tonemap", "run", "bench", "replay", "simulate", "tune", "history"})
    void everyCommandHasHelp(String command) {
        Cli.Result help = InProcess.run(command, "--help").silent();
        assertTrue(help.out().startsWith("Usage: evener " + command + " "), help::out);
        for (String common : List.of("--quiet", "--verbose", "--help")) {
            assertTrue(help.out().contains(common), help::out);
        }
        assertEquals(help.out(), InProcess.run("help", command).silent().out());
        assertTrue(help.out().contains("\nIn general:\n"), help::out);
        assertTrue(help.out().contains("\nExit codes:\n"), help::out);
        assertTrue(help.out().contains("\nExamples:\n  evener "), help::out);
    }

    /** Help comes from a file, which is read only when help is asked for. */
    @Test
    void everyOptionHasHelp() {
        CommandLine line = EvenerCommand.commandLine();
        EvenerCommand.help(line);
        line.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec()
                        .options()
                        .forEach(option -> assertTrue(
                                option.hidden() || option.description().length > 0,
                                () -> command.getCommandName() + " " + option.longestName())));
    }

    /** Pipes lead to other programs, or to a second line of the same one. */
    @Test
    void everyExampleOfHelpIsUnderstood() {
        CommandLine line = EvenerCommand.commandLine();
        EvenerCommand.help(line);
        List<CommandLine> shown = new ArrayList<>(line.getSubcommands().values());
        shown.add(line);
        for (CommandLine command : shown) {
            UsageMessageSpec usage = command.getCommandSpec().usageMessage();
            if (usage.hidden()) {
                continue;
            }
            assertEquals(Set.of("0", "1", "2", "141"), usage.exitCodeList().keySet(), command::getCommandName);
            List<String[]> examples = Stream.of(usage.footer())
                    .takeWhile(text -> !text.isBlank())
                    .flatMap(text -> Stream.of(text.split("[|(]|&&")))
                    .map(text -> text.replaceAll("'.*'", "quoted")
                            .replaceAll("[)]|source <", "")
                            .strip()
                            .split(" +"))
                    .filter(words -> words[0].matches("(\\./)?evener"))
                    .toList();
            assertFalse(examples.isEmpty(), command::getCommandName);
            for (String[] words : examples) {
                boolean launcher = words[0].startsWith(".");
                String[] known = Arrays.copyOfRange(words, 1, launcher ? 2 : words.length);
                EvenerCommand.commandLine().parseArgs(known);
            }
        }
    }

    @Test
    void onlyTheCommandThatIsAskedForIsMade() {
        assertEquals(Set.of("run"), commands("run", "tonemap"));
        assertEquals(Set.of(), commands("--version"));
        Set<String> all = commands();
        assertTrue(all.containsAll(Set.of("run", "yardsticks", "help")), all::toString);
        assertEquals(all, commands("help", "run"));
        assertEquals(all, commands("ru"));
        assertEquals(all, commands("run", "--help"));
    }

    private static Set<String> commands(String... words) {
        return EvenerCommand.commandLine(words).getSubcommands().keySet();
    }

    @Test
    void theProgramHasHelpAndAVersion() {
        String help = InProcess.run("--help").silent().out();
        assertTrue(help.startsWith("Usage: evener "), help);
        for (String command : List.of("devices", "tonemap", "run", "bench", "simulate", "history", "verify", "help")) {
            assertTrue(help.contains("\n  " + command + " "), help);
        }
        assertEquals(help, InProcess.run().silent().out());
        assertEquals(help, InProcess.run("help").silent().out());
        InProcess.run("help", "no-such-command").refused(2, "no-such-command");
        String version = Cli.in(folder).run("--version").silent().out();
        assertTrue(version.startsWith("evener ") && version.lines().count() == 1, version);
        assertEquals(version, InProcess.run("tonemap", "--version").silent().out());
        InProcess.run("verify").refused(2, "./evener verify");
        InProcess.run("docs").refused(2, "./evener docs");
        String completion =
                InProcess.run("generate-completion", "--help").silent().out();
        assertTrue(completion.contains("\nIn general:\n") && !completion.contains("Options:"), completion);
    }

    @Test
    void quietPrintsNothingThatWasNotAskedFor() throws IOException {
        // Without a selector there is a device that is left out, which is not said either.
        Cli.Result run = InProcess.run(
                "tonemap",
                Cli.sample("city"),
                "--out",
                folder.resolve("out"),
                "--quiet",
                "--json",
                folder.resolve("r.json"));
        assertEquals("", run.silent().out());
        assertEquals(List.of("city.png"), Cli.names(folder.resolve("out")));
        Schemas.check("tonemap", Cli.json(folder.resolve("r.json")));
        assertEquals("", InProcess.run("devices", "--quiet").silent().out());
        assertTrue(InProcess.run("devices", "--quiet", "--json", "-")
                .silent()
                .json()
                .containsKey("devices"));
    }

    /** The launcher says whether standard error is a terminal. */
    @Test
    void progressIsForATerminal() {
        Path out = folder.resolve("out");
        Cli.Result terminal = InProcess.onTerminal("tonemap", Cli.sample("city"), "--out", out, "--devices", "0.0")
                .done();
        assertTrue(terminal.err().contains("\r1 of 1 frame,"), terminal::toString);
        assertTrue(terminal.err().endsWith("\r"), "the line is wiped in the end");
        assertFalse(terminal.out().contains("\r"), terminal::toString);
        InProcess.onTerminal("tonemap", Cli.sample("city"), "--out", out, "--devices", "0.0", "--quiet")
                .silent();
    }

    @Test
    void shellsCompleteCommandsAndOptions() throws IOException, InterruptedException {
        Path script = folder.resolve("completion");
        Files.writeString(script, InProcess.run("generate-completion").silent().out());
        assertEquals("tonemap", completed(script, "evener", "ton"));
        assertEquals("--chunk-deadline", completed(script, "evener", "tonemap", "--chunk"));
    }

    /** What bash makes of the last of these words. */
    private static String completed(Path script, String... words) throws IOException, InterruptedException {
        String said =
                "source \"$0\"; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _complete_evener; echo \"${COMPREPLY[*]}\"";
        List<String> command = new ArrayList<>(List.of("bash", "-c", said, script.toString()));
        command.addAll(List.of(words));
        Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, bash.waitFor(), out);
        return out.strip();
    }
}
