package dev.evener.workloads.arrivals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.Request;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs in the Standard Workload Format, and what becomes of their jobs. */
class SwfReaderTest {
    /** Job 7, submitted at 100 s, ran 60 s on 4 processors, by user 3 with program 5. */
    private static final String JOB = "7 100 2 60 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1 -1";

    @TempDir
    Path folder;

    private Trace<Request> read(String text, String... rules) throws IOException {
        Path file = folder.resolve("log.swf");
        Files.writeString(file, text);
        return Trace.requests(file, List.of(rules));
    }

    private static String with(int field, String value) {
        String[] fields = JOB.split(" ");
        fields[field - 1] = value;
        return String.join(" ", fields);
    }

    private long items(String line, String... rules) throws IOException {
        String[] all = Arrays.copyOf(rules, rules.length + 1);
        all[rules.length] = "least=1";
        return read(line + "\n", all).jobs().get(0).work().items();
    }

    /** Logs of the archive have names of people and places in Latin-1. */
    @Test
    void commentsMayBeInAnyEncoding() throws IOException {
        Path file = folder.resolve("log.swf");
        Files.writeString(
                file, "; Installation: Universit\u00e9\n" + JOB + " ; \u00e9t\u00e9\n", StandardCharsets.ISO_8859_1);
        assertEquals(1, Trace.requests(file, List.of()).jobs().size());
        assertEquals(1, Trace.times(file, List.of()).jobs().size());
    }

    /** One number such as 1e1 refused the whole log. */
    @Test
    void numbersMayHaveExponents() throws IOException {
        assertEquals(items(with(4, "10")), items(with(4, "1e1")));
        assertEquals(items(with(4, "2.5")), items(with(4, "25E-1")));
        assertThrows(DocumentException.class, () -> items(with(4, "1e")));
    }

    @Test
    void aJobIsItsArrivalAndItsWork() throws IOException {
        Trace<Request> arrivals =
                read("; Version: 2.2\n\n  " + JOB.replace(" ", "\t ") + " ; why\n" + with(2, "130.5") + "\n");
        assertEquals(2, arrivals.jobs().size());
        assertEquals(List.of(), arrivals.notes());
        Trace.Job<Request> first = arrivals.jobs().get(0);
        assertEquals(0, first.nanos(), "the first arrives at 0");
        assertEquals(3, first.line());
        assertEquals("fma", first.work().workload().name());
        assertEquals(24576, first.work().items(), "60 s on 4 processors, 100 items each second: 24000, rounded");
        assertEquals(30_500_000_000L, arrivals.jobs().get(1).nanos());
    }

    @Test
    void rulesSayWhatCounts() throws IOException {
        assertEquals(240, items(JOB, "scale=1"));
        assertEquals(352, items(JOB, "scale=1", "time=requested"), "90 s on 4: 360, rounded to four binary digits");
        assertEquals(480, items(JOB, "scale=1", "processors=requested"));
        assertEquals(352, items(with(4, "-1"), "scale=1"), "the time that was asked for where none is known");
        assertEquals(480, items(with(5, "-1"), "scale=1"), "and so with processors");
        assertEquals(60, items(with(5, "-1").replace(" 8 90", " -1 90"), "scale=1"), "else one");
        assertEquals(100, items(JOB, "scale=1", "most=100"));
        assertEquals(1, items(JOB, "scale=0.000001"));
        assertEquals(
                9,
                read(JOB, "set.steps=9").jobs().get(0).work().values().toMap().get("steps"));
    }

    @Test
    void aFieldChoosesTheWorkload() throws IOException {
        String two = "workload=fma+saxpy+sum";
        assertEquals("sum", read(JOB, two).jobs().get(0).work().workload().name(), "5 modulo 3");
        assertEquals(
                "fma", read(JOB, two, "by=user").jobs().get(0).work().workload().name());
        assertEquals(
                "saxpy",
                read(JOB, two, "by=group").jobs().get(0).work().workload().name());
        assertEquals(
                "sum",
                read(JOB, two, "by=queue").jobs().get(0).work().workload().name());
        assertEquals(
                "fma",
                read(JOB, two, "by=partition").jobs().get(0).work().workload().name());
        assertEquals(
                "fma", read(with(14, "-1"), two).jobs().get(0).work().workload().name(), "unknown: the first");
    }

    @Test
    void whatCannotBeRunIsLeftOutAndSaid() throws IOException {
        Trace<Request> arrivals = read(String.join(
                "\n",
                with(2, "-1"),
                with(4, "0"),
                with(4, "-1").replace(" 90 -1 1 ", " 90 -1 5 "),
                with(11, "3"),
                with(5, "0"),
                JOB));
        assertEquals(1, arrivals.jobs().size());
        assertEquals(
                List.of(
                        "1 job left out: without a submit time",
                        "2 jobs left out: it did not run",
                        "1 line left out: part of a job that is there as a whole",
                        "1 job left out: without processors"),
                arrivals.notes());
        assertEquals(
                List.of("1 job brought within 1024 and 4194304 items"),
                read(JOB, "scale=1").notes());
        assertEquals(2, read((JOB + "\n").repeat(5), "jobs=2").jobs().size());
    }

    /** As published logs of machines with GPUs have. */
    @Test
    void moreThan18FieldsAreReadWithANote() throws IOException {
        Trace<Request> arrivals = read(JOB + " 2\n" + JOB + "\n" + JOB + " 1 gpu x\n");
        assertEquals(3, arrivals.jobs().size());
        assertEquals(
                read(JOB).jobs().get(0).work().items(),
                arrivals.jobs().get(0).work().items());
        assertEquals(List.of("2 lines with more than 18 fields, of which no more were read"), arrivals.notes());
    }

    @Test
    void jobsComeInOrderOfArrival() throws IOException {
        Trace<Request> arrivals = read(with(2, "50") + "\n" + with(2, "20") + "\n" + with(2, "20") + "\n");
        assertEquals(
                List.of(2, 3, 1), arrivals.jobs().stream().map(Trace.Job::line).toList());
        assertEquals(
                List.of(0L, 0L, 30_000_000_000L),
                arrivals.jobs().stream().map(Trace.Job::nanos).toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 2 3 | line 1: has 3 fields; a job of the Standard Workload Format has 18",
                "; x | holds no job that could be run",
                "7 0 2 0 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1 -1 | holds no job that could be run: 1 job left out: it did",
                "7 1e 2 60 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1 -1 | line 1: field 2, '1e', is no number",
                "7 1 2 NaN 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1 -1 | line 1: field 4, 'NaN', is no number",
                "7 9000000001 2 6 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1 -1 | line 1: field 2, the submit time, is above 9000000000",
            })
    void whatIsNoLogIsRefused(String text, String reason) {
        String said = String.valueOf(
                assertThrows(DocumentException.class, () -> read(text)).getMessage());
        assertTrue(said.startsWith(folder.resolve("log.swf") + ": " + reason), said);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "scale | 'scale' is no rule; expected NAME=VALUE with one of workload, by, scale",
                "scales=2 | 'scales=2' is no rule (did you mean 'scale'?); expected",
                "scale=0 | scale: '0' is no number from 1.0E-9 to 1.0E12",
                "scale=1x3 | scale: '1x3' is no number",
                "workload=fna | unknown workload 'fna': expected one of tonemap",
                "by=job | by: 'job' is not one of user, group, executable, queue, partition",
                "least=8Mi | least 8388608 is above most 4194304",
                "most=1Kb | most: '1Kb' is not a size",
                "most=900G | fma takes at most ",
                "time=asked | time: 'asked' is not one of run, requested",
                "set.step=2 | there is no parameter 'step' (did you mean 'steps'?); expected one of steps",
                "set.steps=0 | steps cannot be '0'; expected a whole number from 1",
            })
    void whatIsNoRuleIsRefused(String rule, String reason) {
        String said = String.valueOf(assertThrows(IllegalArgumentException.class, () -> read(JOB, rule))
                .getMessage());
        assertTrue(said.startsWith(reason), said);
    }

    @Test
    void aPackedLogIsReadAndABombIsNot() throws IOException {
        Path packed = folder.resolve("LOG.SWF.GZ");
        assertTrue(Trace.isOfRequests(packed));
        Files.write(packed, gzip((JOB + "\n").repeat(3), 1));
        assertEquals(3, Trace.requests(packed, List.of()).jobs().size());
        byte[] whole = Files.readAllBytes(packed);
        Files.write(packed, Arrays.copyOf(whole, whole.length - 9));
        assertTrue(failure(packed).startsWith(packed + ": is damaged"), failure(packed));
        Files.writeString(packed, "not packed");
        assertTrue(failure(packed).startsWith(packed + ": is damaged"), failure(packed));
        Files.write(packed, gzip((";" + "x".repeat(65_000) + "\n").repeat(20), 210));
        assertEquals(packed + ": is larger than 268435456 bytes", failure(packed));
        Files.write(packed, gzip("x".repeat(1 << 20), 1));
        assertEquals(packed + ": line 1: is longer than 65536 bytes", failure(packed));
    }

    private static String failure(Path file) {
        return String.valueOf(assertThrows(DocumentException.class, () -> Trace.requests(file, List.of()))
                .getMessage());
    }

    private static byte[] gzip(String text, int times) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            for (int i = 0; i < times; i++) {
                out.write(bytes);
            }
        }
        return packed.toByteArray();
    }

    /** By field 17 and by a file, and so through a job that did not run. */
    @Test
    void jobsFollowOthersByNumber() throws IOException {
        Files.writeString(folder.resolve("order.txt"), "8,7\n");
        String log =
                JOB + "\n" + with(1, "8") + "\n" + with(1, "9").replace(" 60 4", " 0 4") + "\n" + with(1, "10") + "\n";
        String linked = log.replace(
                        "\n9 100 2 0 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1", "\n9 100 2 0 4 -1 -1 8 90 -1 1 3 1 5 2 6 8")
                .replace(
                        "\n10 100 2 60 4 -1 -1 8 90 -1 1 3 1 5 2 6 -1 -1",
                        "\n10 100 2 60 4 -1 -1 8 90 -1 1 3 1 5 2 6 9 5");
        Trace<Request> trace = read(linked, "precedence=order.txt");
        assertEquals(
                List.of(List.of(), List.of(0), List.of(1)),
                trace.jobs().stream().map(Trace.Job::after).toList());
        assertEquals(
                List.of("1 job left out: it did not run", "1 job with a think time, which is not honoured"),
                trace.notes());
    }

    @Test
    void theSampleIsRight() throws IOException {
        Trace<Request> arrivals = Trace.requests(Path.of("..", "samples", "small-cluster.swf"), List.of());
        assertEquals(23, arrivals.jobs().size());
        assertEquals("1 job left out: it did not run", arrivals.notes().get(0));
    }
}
