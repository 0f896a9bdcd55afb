package dev.evener.workloads.arrivals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/** Files of arrivals, right ones and any others. */
class ArrivalsPropertyTest {
    private static List<Trace.Job<Request>> read(String ending, byte[] text) throws IOException {
        Path file = Files.createTempFile("arrivals", ending);
        try {
            Files.write(file, text);
            return Trace.requests(file, List.of()).jobs();
        } finally {
            Files.delete(file);
        }
    }

    private static List<Trace.Job<Request>> read(String ending, String text) throws IOException {
        return read(ending, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Whatever was submitted is there once, in order, as long after the first as it was, with a size within bounds. */
    @Property(tries = 150)
    void aLogIsReadWhole(
            @ForAll @Size(min = 1, max = 40) List<@IntRange(max = 1_000_000) Integer> submitted,
            @ForAll @IntRange(min = 1, max = 100_000) int runTime,
            @ForAll @IntRange(min = 1, max = 4096) int processors)
            throws IOException {
        String log = submitted.stream()
                .map(t -> "1 " + t + " 0 " + runTime + " " + processors + " -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1")
                .collect(Collectors.joining("\n"));
        List<Trace.Job<Request>> jobs = read(".swf", log);
        int first = submitted.stream().min(Integer::compare).orElseThrow();
        assertEquals(
                submitted.stream()
                        .sorted()
                        .map(t -> (t - first) * 1_000_000_000L)
                        .toList(),
                jobs.stream().map(Trace.Job::nanos).toList());
        for (Trace.Job<Request> job : jobs) {
            long items = job.work().items();
            double exact = Math.min(Math.max(100.0 * runTime * processors, 1024), 4 << 20);
            assertTrue(items >= 1024 && items <= 4 << 20);
            assertTrue(Math.abs(items - exact) <= exact / 16 + 1, () -> items + " for " + exact);
        }
    }

    @Property(tries = 150)
    void aTableIsReadWhole(@ForAll @Size(min = 1, max = 40) List<@IntRange(max = 1_000_000) Integer> millis)
            throws IOException {
        List<String> rows = new ArrayList<>(List.of("size,arrival_seconds,workload"));
        for (int i = 0; i < millis.size(); i++) {
            rows.add(String.format(Locale.ROOT, "%d,%.3f,\"saxpy\"", i + 1, millis.get(i) / 1e3));
        }
        List<Trace.Job<Request>> jobs = read(".csv", String.join("\r\n", rows));
        assertEquals(millis.size(), jobs.size());
        int first = millis.stream().min(Integer::compare).orElseThrow();
        for (Trace.Job<Request> job : jobs) {
            int row = (int) job.work().items() - 1;
            assertEquals((millis.get(row) - first) * 1_000_000L, job.nanos());
            assertEquals(row + 2, job.line());
        }
    }

    @Property(tries = 200)
    void anyBytesAreReadOrRefused(@ForAll byte[] bytes) throws IOException {
        readOrRefuse(bytes);
    }

    @Property(tries = 300)
    void aRightFileWithAPieceOfAnythingIsReadOrRefused(
            @ForAll @IntRange(max = 140) int at,
            @ForAll @IntRange(max = 20) int length,
            @ForAll @CharRange(from = '\t', to = '~') @StringLength(max = 12) String instead)
            throws IOException {
        for (String right : List.of(
                "; Version: 2.2\n1 5 0 60 4 -1 -1 4 90 -1 1 1 1 1 1 1 -1 -1\n2 9 0 61 4 -1 -1 4 90 -1 1 1 1 1 1 1 -1 -1\n",
                "arrival_seconds,workload,size,steps,seed\n0,fma,1Ki,\"7\",\n1.5,saxpy,4096,,3\n")) {
            int start = Math.min(at, right.length());
            String changed =
                    right.substring(0, start) + instead + right.substring(Math.min(start + length, right.length()));
            readOrRefuse(changed.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void readOrRefuse(byte[] bytes) throws IOException {
        for (String ending : List.of(".swf", ".csv")) {
            try {
                read(ending, bytes);
            } catch (DocumentException e) {
                assertTrue(String.valueOf(e.getMessage()).length() > 10);
            }
        }
    }
}
