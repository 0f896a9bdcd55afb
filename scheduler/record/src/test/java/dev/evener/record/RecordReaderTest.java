package dev.evener.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.event.RunEvent;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a file holds, it is read or refused with a clear error. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecordReaderTest {
    private static final Path NAME = Path.of("some.record");
    private static final List<String> LINES = Records.lines();
    private static final long MEMORY = 64 << 20;

    @TempDir
    Path folder;

    private static Recording read(byte[] bytes, boolean partial) {
        try {
            return RecordReader.read(NAME, new ByteArrayInputStream(bytes), partial, MEMORY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Recording read(List<String> lines) {
        return read(bytes(lines), false);
    }

    private static byte[] bytes(List<String> lines) {
        return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] compressed(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Refused in one line that begins with the file's name, holds no control characters and is no novel. */
    private static RecordException refused(byte[] bytes, boolean partial) {
        RecordException e = assertThrows(RecordException.class, () -> read(bytes, partial));
        String message = e.getMessage();
        assertTrue(message.startsWith("some.record"), message);
        assertTrue(message.length() < 500 && message.chars().allMatch(c -> c >= ' '), message);
        return e;
    }

    private static void refused(List<String> lines, int line, String part) {
        RecordException e = refused(bytes(lines), false);
        assertTrue(e.getMessage().contains(part), e.getMessage());
        assertEquals(line, e.line(), e.getMessage());
        assertTrue(e.getMessage().startsWith("some.record, line " + line + ": "), e.getMessage());
    }

    /** The record with the first line of this beginning changed. */
    private static void refused(String beginning, String from, String to, String part) {
        List<String> lines = new ArrayList<>(LINES);
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(beginning)) {
                assertTrue(lines.get(i).contains(from), lines.get(i));
                lines.set(i, lines.get(i).replace(from, to));
                refused(lines, i + 1, part);
                return;
            }
        }
        throw new AssertionError("no line begins with " + beginning);
    }

    @Test
    void theUntouchedRecordIsRead() {
        Recording whole = read(LINES);
        assertTrue(whole.complete());
        assertEquals(whole, read(compressed(bytes(LINES)), false));
        assertEquals(whole, read(bytes(LINES), true));
    }

    @Test
    void fieldsOfLaterVersionsArePassedOver() {
        List<String> more = LINES.stream()
                .map(l -> l.substring(0, l.length() - 1) + ",\"later\":[{\"x\":1.5}]}")
                .toList();
        assertEquals(read(LINES), read(more));
    }

    /** A record with one new kind of event was refused as a whole. */
    @Test
    void kindsOfEventsOfLaterVersionsAreCounted() {
        List<String> more = LINES.stream()
                .map(l -> l.replace("{\"event\":\"stolen\"", "{\"event\":\"lent\""))
                .toList();
        Recording read = read(more);
        long lent = read(LINES).runs().stream()
                .flatMap(run -> run.events().stream())
                .filter(RunEvent.Stolen.class::isInstance)
                .count();
        assertTrue(lent > 0);
        assertEquals(Map.of("lent", lent), read.skipped());
        assertEquals(
                List.of(lent + " events of kind 'lent' were passed over: a newer Evener knows them"), read.notes());
        assertEquals(read(LINES).events() - lent, read.events());
        assertEquals(Map.of(), read(LINES).skipped());
    }

    @Test
    void recordsOfEarlierVersionsDoNotSayWhenLanesNoticed() {
        List<String> earlier =
                LINES.stream().map(l -> l.replace(",\"noticeNanos\":5", "")).toList();
        assertEquals(List.of(5L), noticeNanos(LINES));
        assertEquals(List.of(-1L), noticeNanos(earlier));
    }

    @Test
    void recordsOfEarlierVersionsDoNotSayWhatJobsDoWithTheirBuffers() {
        List<String> earlier = LINES.stream()
                .map(l -> l.replaceFirst(",\"buffers\":\\[.*?]", ""))
                .toList();
        assertEquals(List.of(2, 0), buffers(LINES));
        assertEquals(List.of(0, 0), buffers(earlier));
    }

    private static List<Integer> buffers(List<String> lines) {
        return read(lines).runs().stream()
                .flatMap(run -> run.events().stream())
                .filter(RunEvent.Submitted.class::isInstance)
                .map(event -> ((RunEvent.Submitted) event).buffers().size())
                .toList();
    }

    private static List<Long> noticeNanos(List<String> lines) {
        return read(lines).runs().stream()
                .flatMap(run -> run.events().stream())
                .filter(RunEvent.Chunk.class::isInstance)
                .map(event -> ((RunEvent.Chunk) event).noticeNanos())
                .distinct()
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"event\":\"chunk\"|\"noticeNanos\":5|\"noticeNanos\":-5|\"noticeNanos\" is -5",
                "{\"format\"|evener-record|evener-history|not an Evener record",
                "{\"format\"|\"version\":1|\"version\":2|version 2, this Evener reads version 1",
                "{\"format\"|\"version\":1|\"version\":\"1\"|\"version\" must be a whole number",
                "{\"format\"|\"cores\":|\"cores\":-|\"cores\" is -",
                "{\"format\"|\"machine\":{|\"machine\":[{|not a JSON object",
                "{\"format\"|\"date\":\"2|\"date\":\"x|\"date\" must be like",
                "{\"run\"|\"run\":1|\"run\":2|run 2 follows run 0",
                "{\"event\":\"moved\"|FIRST_USE|LAST_USE|no cause of a transfer",
                "{\"event\":\"moved\"|\"device\":1|\"device\":7|there is no device 7",
                "{\"run\"|\"kind\":\"CPU\"|\"kind\":\"TPU\"|no kind of device",
                "{\"run\"|\"devices\":[|\"devices\":[7,|\"devices\" must hold objects, not 7",
                "{\"run\"|\"sharesHostMemory\":|\"sharesHostMemory\":1,\"x\":|must be true or false, not 1",
                "{\"task\"|\"items\":4096|\"items\":-1|\"items\" is -1",
                "{\"task\"|\"items\":4096|\"items\":1.5|\"items\" must be a whole number, not 1.5",
                "{\"task\"|\"items\":4096|\"items\":99999999999999999999|must be a whole number",
                "{\"task\"|\"type\":\"int\"|\"type\":3|\"type\" must be text, not 3",
                "{\"task\"|\"sha256\":\"ff|\"sha256\":\"gf|64 hexadecimal digits",
                "{\"task\"|/gone|/g\\u0000ne|no name of a file",
                "{\"request\"|\"task\":1|\"task\":2|there is no task 2",
                "{\"request\"|\"request\":1|\"request\":1000000000000|request 1000000000000 follows request 0",
                "{\"result\"|\"result\":1|\"result\":9|there is no request 9",
                "{\"event\":\"submitted\"|\"job\":1|\"job\":0|\"job\" is 0",
                "{\"event\":\"submitted\"|\"devices\":[0,1]|\"devices\":[0,2]|there is no device 2",
                "{\"event\":\"submitted\"|\"how\":\"READS\"|\"how\":\"TURNS\"|no use of a buffer",
                "{\"event\":\"submitted\"|\"size\":96|\"size\":95|buffer 1 of 95 bytes no such part",
                "{\"event\":\"submitted\"|\"hostFrom\":8|\"hostFrom\":97|buffer 1 of 96 bytes no such part",
                "{\"event\":\"submitted\"|\"phase\":1|\"phase\":2|no such phase",
                "{\"event\":\"planned\"|\"job\":1|\"job\":3|job 3 was never submitted",
                "{\"event\":\"planned\"|\"shares\":[|\"shares\":[1,|3 shares for 2 devices",
                "{\"event\":\"chunk\"|\"device\":1|\"device\":2|there is no device 2",
                "{\"event\":\"chunk\"|\"end\":|\"end\":-9,\"x\":|before it starts",
                "{\"event\":\"chunk\"|\"units\":512|\"units\":9223372036854775807|not within",
                "{\"event\":\"chunk\"|\"units\":512|\"units\":512,\"units\":512|Duplicate",
                "{\"event\":\"chunk\"|\"phase\":0|\"phase\":2000000000|\"phase\" is 2000000000",
                "{\"event\":\"chunk\"|\"start\":|\"start\":9|\"start\"",
                "{\"event\":\"stolen\"|{\"event\"|{\"advent\"|no kind of line \"advent\"",
                "{\"event\":\"fault\"|\"what\"|\"why\"|\"what\" must be text, not nothing",
                "{\"event\":\"fault\"|}|}{}|something follows",
                "{\"event\":\"fault\"|}||not a JSON object",
                "{\"event\":\"ended\"|\"failure\":null|\"failure\":{}|\"failure\" must be text, not an object",
                "{\"end\"|\"events\":12|\"events\":13|lines were lost or added",
            })
    void whatIsWrongIsNamed(String beginning, String from, String to, String part) {
        if (part.equals("\"start\"")) { // a moment that no clock can tell
            refused(beginning, from, "\"start\":9223372036854775807,\"x\":", part);
        } else {
            refused(beginning, from, to == null ? "" : to, part);
        }
    }

    @Test
    void linesThatAreMissingTwiceOrBehindTheEndAreNoticed() {
        for (int i = 0; i < LINES.size(); i++) {
            List<String> without = new ArrayList<>(LINES);
            without.remove(i);
            refused(bytes(without), false);
            List<String> twice = new ArrayList<>(LINES);
            twice.add(i, LINES.get(i));
            refused(bytes(twice), false);
            List<String> behind = new ArrayList<>(LINES);
            behind.add(LINES.get(i));
            refused(
                    behind,
                    LINES.size() + 1,
                    LINES.get(i).startsWith("{\"format") ? "second record" : "follows the end");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRecordThatIsCutOffIsReadUpToItsLastWholeLine(boolean gzip) {
        byte[] plain = bytes(LINES);
        byte[] whole = gzip ? compressed(plain) : plain;
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            if (gzip && length > whole.length - 12) { // all of it may be there but for the checksum
                assertEquals(read(plain, false).runs(), read(cut, true).runs());
                continue;
            }
            String message = refused(cut, false).getMessage();
            assertTrue(message.contains("cut off") || message.contains("empty"), message);
            if (!gzip) {
                String text = new String(cut, StandardCharsets.UTF_8);
                long lines = text.chars().filter(c -> c == '\n').count();
                if (lines == 0) {
                    refused(cut, true);
                    continue;
                }
                Recording read = read(cut, true);
                assertFalse(read.complete());
                assertEquals(
                        LINES.subList(0, (int) lines).stream()
                                .filter(l -> l.startsWith("{\"event"))
                                .count(),
                        read.events());
            }
        }
    }

    @Test
    void damageInTheMiddleIsNoCut() {
        List<String> lines = new ArrayList<>(LINES);
        lines.set(4, "garbage");
        assertEquals(5, refused(bytes(lines), true).line());
        byte[] gzip = compressed(bytes(LINES));
        gzip[gzip.length / 2] ^= 0x55;
        refused(gzip, false);
    }

    @Test
    void foreignFilesAreRefused() throws IOException {
        for (String foreign : List.of(
                "hello\n",
                "{}\n",
                "[1]\n",
                "null\n",
                "7\n",
                "\n",
                "\u0000\u0000\u0000\u0000\n",
                "{\"format\":null}\n",
                "<html>\n")) {
            assertEquals(
                    1, refused(foreign.getBytes(StandardCharsets.UTF_8), false).line());
        }
        refused(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13}, true);
        refused(new byte[0], true);
        refused(new byte[] {(byte) 0x1f, (byte) 0x8b}, false);
        for (Path path : List.of(folder, folder.resolve("missing"))) {
            RecordException e = assertThrows(RecordException.class, () -> RecordReader.read(path));
            assertTrue(e.getMessage().startsWith(path.toString()), e.getMessage());
        }
        Path file = folder.resolve("x");
        Records.write(file);
        assertEquals(3, RecordReader.read(file).requests().size());
        Files.writeString(file, "");
        assertThrows(RecordException.class, () -> RecordReader.readPartial(file));
    }

    @Test
    void hostileLinesTakeNeitherTimeNorMemory() {
        String header = LINES.get(0);
        refused(List.of(header, "[".repeat(900_000)), 2, "nesting");
        refused(List.of(header, "{\"event\":" + "{\"a\":".repeat(100_000)), 2, "nesting");
        refused(List.of(header, "{\"a\":\"" + "x".repeat(2 << 20) + "\"}"), 2, "longer than");
        refused(List.of(header, "{\"a\":\"" + "x".repeat(1 << 19) + "\"}"), 2, "not a JSON object");
        refused(List.of(header, "{\"end\":" + "9".repeat(500_000) + "}"), 2, "not a JSON object");
        refused(List.of(header, "{\"end\":1e999999999}"), 2, "whole number");
        refused(List.of(header, "{\"run\":1,\"at\":0,\"devices\":[" + "{},".repeat(300_000) + "{}]}"), 2, "may have");
        refused(new byte[4 << 20], true);
        // A megabyte of zeros takes a kilobyte: what is unpacked counts.
        refused(compressed(new byte[64 << 20]), true);
    }

    @Test
    void aRecordTooLargeForTheHeapIsRefusedBeforeItIsFull() {
        String header = LINES.get(0);
        String run = "{\"run\":1,\"at\":0,\"devices\":[]}";
        String job =
                "{\"event\":\"submitted\",\"at\":1,\"job\":1,\"name\":\"\",\"policy\":\"\",\"units\":1,\"granule\":1,"
                        + "\"kernels\":[],\"devices\":[]}";
        String ended = "{\"event\":\"phaseEnded\",\"at\":1,\"job\":1,\"phase\":0,\"hostNanos\":0}\n";
        byte[] bomb = compressed(
                (header + "\n" + run + "\n" + job + "\n" + ended.repeat(600_000)).getBytes(StandardCharsets.UTF_8));
        assertTrue(bomb.length < 500_000);
        String message = refused(bomb, true).getMessage();
        assertTrue(message.contains("-Xmx"), message);
    }

    /** Bytes changed, left out, doubled and moved at random: whatever comes of it is read or refused. */
    @Test
    void noMutantEscapes() {
        Random random = new Random(1);
        byte[] plain = bytes(LINES);
        int readable = 0;
        for (int round = 0; round < 5_000; round++) {
            byte[] mutant = Mutants.of(plain, random);
            readable += RecordFuzz.readable(mutant) ? 1 : 0;
        }
        assertTrue(readable > 50 && readable < 4_900, "mutants should be of both kinds: " + readable);
    }
}
