package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.PipelineReport.StageUse;
import dev.evener.workloads.LogSetup;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.TextTable;
import java.io.ByteArrayOutputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What commands print, and what becomes of it. */
class ScreenTest {
    private static final String ESCAPES = "a\u001b[2Jb\u009b1mc\rd\u0007e\u202ef";
    private static final String VISIBLE = "a\\u001b[2Jb\\u009b1mc\\u000dd\\u0007e\\u202ef";

    @TempDir
    Path folder;

    /** As with {@code | head}: the shell's tools say nothing of it either. */
    @Test
    void whoeverStopsReadingIsToldNothing() throws Exception {
        Cli.Result run = Cli.in(folder).cut(0, "run", "--list");
        assertEquals("", run.err());
        assertEquals(141, run.code());
    }

    @Test
    void noEscapeReachesATerminal() {
        StringWriter terminal = new StringWriter();
        Screen screen = new Screen(terminal);
        screen.print(ESCAPES);
        screen.println(ESCAPES.toCharArray());
        screen.write('\u001b');
        screen.printf("\té %s%n", ESCAPES);
        assertEquals(
                VISIBLE + VISIBLE + System.lineSeparator() + "\\u001b\té " + VISIBLE + System.lineSeparator(),
                terminal.toString());
    }

    /** So that JSON stays what it was. */
    @Test
    void lettersThatTheTerminalDoesNotHaveAreEscaped() {
        ByteArrayOutputStream ascii = new ByteArrayOutputStream();
        new Screen(ascii, StandardCharsets.US_ASCII).println("\"é😀\"");
        assertEquals("\"\\u00e9\\ud83d\\ude00\"\n", ascii.toString(StandardCharsets.US_ASCII));
        ByteArrayOutputStream utf8 = new ByteArrayOutputStream();
        new Screen(utf8, StandardCharsets.UTF_8).println("\"é😀\"");
        assertEquals("\"é😀\"\n", utf8.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aNameWithALineEndStaysInItsRow() {
        String table = new TextTable<String>()
                .column("name", name -> name)
                .column("more", name -> "b")
                .of(List.of("a\nevener: all is well"));
        assertEquals(2, table.lines().count(), table);
        assertTrue(table.contains("a\\u000aevener: all is well  b"), table);
    }

    @Test
    void progressGoesBackToTheBeginningOfItsLine() {
        StringWriter terminal = new StringWriter();
        new Screen(terminal).redraw("1 of\r2");
        assertEquals("\r1 of\\u000d2", terminal.toString());
    }

    /** Guards against tests that hold where the machine is fast: of long work a line says how far it is. */
    @Test
    void whatOnlySlowMachinesSayIsNothingToCommandsTests() {
        AtomicLong clock = new AtomicLong();
        StringWriter err = new StringWriter();
        ProgressLine line = new ProgressLine(new Screen(err), true, clock::get);
        clock.addAndGet(60_000_000_000L);
        line.show("measuring devices");
        clock.addAndGet(60_000_000_000L);
        line.update(3, 20, () -> new PipelineReport(3, 0, 0, 0, 0, List.of(stage("read", 1))));
        assertEquals(2, err.toString().lines().count());
        new Cli.Result(List.of(), 0, "", err.toString()).silent();
    }

    /** With a clock that stands still between calls, and a run whose stages are known. */
    @Test
    void aStreamOfFramesShowsHowFarItIsAndWhatItWaitsFor() {
        StringWriter terminal = new StringWriter();
        AtomicLong clock = new AtomicLong(7_000_000_000L);
        AtomicInteger asked = new AtomicInteger();
        Supplier<PipelineReport> soFar = () -> {
            asked.incrementAndGet();
            return new PipelineReport(5, 0, 0, 0, 0, List.of(stage("read", 1), stage("devices", 6), stage("write", 3)));
        };
        System.setProperty("evener.terminal", "true");
        try {
            ProgressLine quiet = new ProgressLine(new Screen(terminal), false, clock::get);
            ProgressLine line = new ProgressLine(new Screen(terminal), true, clock::get);
            clock.addAndGet(2_000_000_000L);
            quiet.update(5, 1000, soFar);
            assertEquals("", terminal.toString());
            line.update(5, 1000, soFar);
            assertEquals("\r5 of 1000 frames, 2.5 a second, 7 min left, 60% waiting for devices", said(terminal));
            clock.addAndGet(99_000_000L);
            line.update(900, 1000, soFar);
            assertEquals("", said(terminal), "not redrawn so soon");
            assertEquals(1, asked.get());
            clock.addAndGet(1_901_000_000L);
            line.update(980, 1000, soFar);
            assertEquals(
                    "\r980 of 1000 frames, 245.0 a second, 0 s left, 60% waiting for devices",
                    said(terminal).stripTrailing());
            line.update(1000, 1000, soFar);
            assertTrue(
                    said(terminal).startsWith("\r1000 of 1000 frames, 250.0 a second, 0 s left"), "the last is always");
            line.clear();
            assertTrue(said(terminal).isBlank());
        } finally {
            System.clearProperty("evener.terminal");
        }
        ProgressLine log = new ProgressLine(new Screen(terminal), true, clock::get);
        ProgressLine silent = new ProgressLine(new Screen(terminal), false, clock::get);
        clock.addAndGet(29_999_999_999L);
        log.update(5, 1000, soFar);
        log.update(1000, 1000, soFar);
        assertEquals("", said(terminal), "short work says nothing in a log");
        clock.addAndGet(1);
        silent.update(5, 1000, soFar);
        log.update(60, 1000, soFar);
        log.show("60 of 1000");
        log.clear();
        assertEquals("evener: 60 of 1000 frames, 2.0 a second, 8 min left, 60% waiting for devices\n", said(terminal));
    }

    private static StageUse stage(String name, long heldNanos) {
        return new StageUse(name, 1, 5, 0, 0, heldNanos, Map.of());
    }

    private static String said(StringWriter terminal) {
        String said = terminal.toString();
        terminal.getBuffer().setLength(0);
        return said;
    }

    @Test
    void noEscapeOfALogMessageReachesATerminal() {
        LoggerContext context = new LoggerContext();
        new LogSetup().configure(context);
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ConsoleAppender<ILoggingEvent> appender =
                (ConsoleAppender<ILoggingEvent>) root.iteratorForAppenders().next();
        byte[] line = appender.getEncoder()
                .encode(new LoggingEvent("", root, Level.WARN, "device {} failed", null, new Object[] {ESCAPES}));
        assertEquals(
                "evener: warning: device " + VISIBLE + " failed" + System.lineSeparator(),
                new String(line, StandardCharsets.UTF_8));
    }

    @Test
    void aReportThatStandardOutputDoesNotTakeIsAFailure() throws IOException {
        StringWriter err = new StringWriter();
        try (FileWriter full = new FileWriter("/dev/full", StandardCharsets.UTF_8)) {
            assertEquals(
                    1,
                    EvenerCommand.run(new Screen(full), new Screen(err), "devices", "--devices", "jvm", "--json", "-"));
        } catch (IOException e) { // closing it fails as well
            assertEquals("No space left on device", e.getMessage());
        }
        assertEquals("evener: standard output could not be written: No space left on device\n", err.toString());
    }

    @Test
    void aMistakeInTheCommandLineComesBeforeHelp() {
        InProcess.run("nosuch", "--help").refused(2, "nosuch", "(see evener --help)");
        InProcess.run("run", "--siez", "5", "--help").refused(2, "--siez", "did you mean '--size'?");
        assertTrue(InProcess.run("run", "--help").silent().out().startsWith("Usage: evener run"));
    }

    @Test
    void misspeltOptionsAndCommandsGetASuggestion() {
        InProcess.run("tonemap", "--outt=x").refused(2, "'--outt=x'", "(did you mean '--out'?)");
        InProcess.run("run", "--verfiy").refused(2, "(did you mean '--verify'?)");
        InProcess.run("tonmap").refused(2, "(did you mean 'tonemap'?)");
        assertFalse(InProcess.run("devices", "--xyzzy").err().contains("did you mean"));
        assertFalse(InProcess.run("help", "nosuch").err().contains("Exception"));
    }

    @Test
    void namesOfFilesAreShownAndNotObeyed() throws IOException {
        Path file = Files.writeString(folder.resolve("a\u001b[31m.evr"), "x\n");
        Cli.Result run = InProcess.run("replay", file);
        assertTrue(run.code() != 0 && run.err().contains("a\\u001b[31m.evr"), run::toString);
    }
}
