package dev.evener.workloads.arrivals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Trace<Request> as CSV. */
class CsvReaderTest {
    @TempDir
    Path folder;

    private Trace<Request> read(String text) throws IOException {
        Path file = folder.resolve("a.csv");
        Files.writeString(file, text);
        return Trace.requests(file, List.of());
    }

    @Test
    void everyColumnIsRead() throws IOException {
        Trace<Request> arrivals = read("\ufeff" + """
                # mine
                Size, Workload ,arrival_seconds,seed,distribution,steps,bins

                1Ki,FMA,5.25,,," 7 ",
                "4096",histogram,5,9,"sorted",,16
                """.replace("\n", "\r\n"));
        assertEquals(
                List.of(5, 4), arrivals.jobs().stream().map(Trace.Job::line).toList());
        Trace.Job<Request> first = arrivals.jobs().get(0);
        assertEquals(0, first.nanos());
        Request histogram = first.work();
        assertEquals("histogram", histogram.workload().name());
        assertEquals(4096, histogram.items());
        assertEquals(9, histogram.seed());
        assertEquals(Distribution.SORTED, histogram.distribution());
        assertEquals(16, histogram.values().toMap().get("bins"));
        Trace.Job<Request> second = arrivals.jobs().get(1);
        assertEquals(250_000_000, second.nanos());
        assertEquals(7, second.work().values().toMap().get("steps"));
        assertEquals(1, second.work().seed());
        assertEquals(Distribution.UNIFORM, second.work().distribution());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | holds no job that could be run",
                "arrival,workload,size | line 1: the heading 'arrival_seconds' is missing; expected arrival_seconds, workload",
                "arrival_seconds,workload,size,size | line 1: a heading is there twice",
                "arrival_seconds,workload,size,binz | line 1: there is no column 'binz' (did you mean 'bins'?); expected one",
                "arrival_seconds,workload,size;1,fma | line 2: has 2 cells, but there are 3 headings",
                "arrival_seconds,workload,size;1,fma, | line 2: size is empty",
                "arrival_seconds,workload,size;-1,fma,9 | line 2: arrival_seconds '-1' is no number of seconds from 0 to 9000000000",
                "arrival_seconds,workload,size;9000000001,fma,9 | line 2: arrival_seconds '9000000001' is no number",
                "arrival_seconds,workload,size;1x3,fma,9 | line 2: arrival_seconds '1x3' is no number",
                "arrival_seconds,workload,size;1,fna,9 | line 2: unknown workload 'fna': expected one of tonemap",
                "arrival_seconds,workload,size;1,fma,9Q | line 2: '9Q' is not a size",
                "arrival_seconds,workload,size;1,fma,900G | line 2: fma takes at most ",
                "arrival_seconds,workload,size,seed;1,fma,9,x | line 2: seed 'x' is no whole number",
                "arrival_seconds,workload,size,distribution;1,fma,9,even | line 2: unknown distribution 'even'",
                "arrival_seconds,workload,size,bins;1,fma,9,7 | line 2: fma has no parameter 'bins': leave that cell empty",
                "arrival_seconds,workload,size,steps;1,fma,9,0 | line 2: steps cannot be '0'; expected a whole number",
                "arrival_seconds,workload,size;1,\"f\"\"ma\"\"\",9 | line 2: unknown workload 'f\"ma\"': expected one of",
                "arrival_seconds,workload,size;1,`\"`fma,9 | line 2: a quote is not closed",
                "arrival_seconds,workload,size;1,`\"`fma`\"`x,9 | line 2: something follows a closing quote",
            })
    void whatIsWrongIsSaidWithItsLine(String text, String reason) {
        String lines = text.replace(';', '\n').replace("`", "");
        String said = String.valueOf(
                assertThrows(DocumentException.class, () -> read(lines)).getMessage());
        assertTrue(said.startsWith(folder.resolve("a.csv") + ": " + reason), said);
    }

    /** A table could name a file of kernels, but not set what it takes. */
    @Test
    void parametersOfFilesOfKernelsAreColumns() throws IOException {
        Files.writeString(
                folder.resolve("half.cl"),
                "__kernel void half_of(__global float *x, float by) { x[get_global_id(0)] *= by; }");
        Path kernels = folder.resolve("half.json");
        Files.writeString(kernels, """
                {"format": "evener-kernel", "version": 1, "source": "half.cl", "parameters": {"by": 0.5},
                 "buffers": {"x": {"type": "float"}},
                 "phases": [{"kernel": "half_of", "arguments": [{"updates": "x"}, {"float": "by"}]}]}
                """);
        String rows = "arrival_seconds,workload,size,by,steps\n0,%s,1024,0.25,\n1,fma,1024,,7\n".formatted(kernels);
        Trace<Request> trace = read(rows);
        assertEquals(
                "0.25", trace.jobs().get(0).work().values().toMap().get("by").toString());
        assertEquals(7, trace.jobs().get(1).work().values().toMap().get("steps"));
        String said = String.valueOf(assertThrows(DocumentException.class, () -> read(rows.replace("by,", "bye,")))
                .getMessage());
        assertTrue(said.contains("line 1: there is no column 'bye'"), said);
    }

    @Test
    void jobsFollowOthersByNameAndHavePriorities() throws IOException {
        Trace<Request> trace = read("""
                arrival_seconds,workload,size,id,after,priority
                2,fma,1,late,,LS
                1,sum,1,sum,late first,-3
                0,fma,1,first,gone,
                """);
        assertEquals(
                List.of("first", "sum", "late"),
                trace.jobs().stream().map(Trace.Job::id).toList());
        assertEquals(
                List.of(0, -3, 2),
                trace.jobs().stream().map(job -> job.terms().priority()).toList());
        assertEquals(List.of(2, 0), trace.jobs().get(1).after());
        assertEquals(List.of(0, 2, 1), trace.order());
        assertEquals(List.of("1 job after one that is not there, for which it does not wait"), trace.notes());
    }

    @Test
    void theSampleIsRight() throws IOException {
        Trace<Request> arrivals = Trace.requests(Path.of("..", "samples", "mixed.csv"), List.of());
        assertEquals(12, arrivals.jobs().size());
        assertEquals(2_000_000_000, arrivals.jobs().get(11).nanos());
    }

    @Test
    void moreJobsThanAreAllowedAreRefused() throws IOException {
        TraceBuilder<Integer> full = new TraceBuilder<>(Rules.NONE);
        for (int i = 0; i < TraceBuilder.MOST_JOBS; i++) {
            full.add("", i, 0, i, Trace.Terms.of(0));
        }
        String said =
                String.valueOf(assertThrows(DocumentException.class, () -> full.add("", 7, 0, 0, Trace.Terms.of(0)))
                        .getMessage());
        assertEquals("line 7: there are more than 1000000 jobs", said);
    }
}
