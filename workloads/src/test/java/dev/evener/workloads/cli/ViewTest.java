package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.view.PageData;
import dev.evener.workloads.view.TraceFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --trace} and {@code --report}. */
class ViewTest {
    @TempDir
    Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    private static long count(List<Map<String, Object>> trace, String phase, String category) {
        return trace.stream()
                .filter(e -> e.get("ph").equals(phase) && category.equals(e.get("cat")))
                .count();
    }

    @Test
    void aRunCanBeSeen() throws IOException {
        InProcess.run(
                        "run",
                        "mandelbrot",
                        "--size",
                        "64Ki",
                        "--devices",
                        "0.0,0.1,jvm",
                        "--policy",
                        "guided",
                        "--cold",
                        "--trace",
                        file("t.json"),
                        "--report",
                        file("r.html"),
                        "--json",
                        file("r.json"))
                .done();
        List<Map<String, Object>> trace = TraceFormat.check(Files.readString(file("t.json")));
        List<?> devices = (List<?>) Cli.json(file("r.json")).get("devices");
        assertEquals(3, devices.size());
        long chunks = devices.stream()
                .mapToLong(d -> ((Number) ((Map<?, ?>) d).get("chunks")).longValue())
                .sum();
        assertEquals(chunks, count(trace, "X", "chunk"));
        String page = Files.readString(file("r.html"));
        assertEquals(chunks, PageData.bars(page).size());
        assertTrue(page.contains("<dd>evener run mandelbrot --size 64Ki"), "the command");
        assertTrue(page.contains("policy <b>guided</b>: 1 job"));
    }

    @Test
    void aTraceIsCompressedIfItsNameSaysSo() throws IOException {
        InProcess.run("run", "sum", "--size", "10K", "--devices", "jvm", "--repeat", 2, "--trace", file("t.json.GZ"))
                .done();
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file("t.json.GZ")))) {
            List<Map<String, Object>> trace = TraceFormat.check(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            assertTrue(count(trace, "b", "job") > 2, "two jobs and the warm-up");
        }
        assertFalse(Files.exists(file("r.html")));
    }

    @Test
    void aComparisonShowsItsContendersAndTheirSpread() throws IOException {
        InProcess.run(
                        "bench",
                        "sum",
                        "--sizes",
                        "64Ki,128Ki",
                        "--devices",
                        "0.0,0.1",
                        "--repeat",
                        3,
                        "--sweep",
                        2,
                        "--warm-up",
                        0,
                        "--report",
                        file("c.html"),
                        "--trace",
                        file("c.json"),
                        "--json",
                        file("r.json"))
                .done();
        String page = Files.readString(file("c.html"));
        List<?> results = (List<?>) Cli.json(file("r.json")).get("results");
        List<Map<?, ?>> rankings = PageData.charts(page, "ranking");
        assertEquals(2, rankings.size());
        long contenders = results.stream()
                .mapToLong(c -> ((List<?>) ((Map<?, ?>) c).get("contenders")).size())
                .sum();
        assertEquals(
                contenders,
                rankings.stream()
                        .mapToLong(r -> ((List<?>) r.get("rows")).size())
                        .sum());
        assertTrue(page.contains("best static"));
        assertEquals(2, page.split("<section class=\"run\"", -1).length - 1, "one for each size");
        List<Map<String, Object>> trace = TraceFormat.check(Files.readString(file("c.json")));
        assertEquals(
                4,
                trace.stream().filter(e -> e.get("name").equals("process_name")).count());
    }

    @Test
    void tonemappingCanBeSeen() throws IOException {
        InProcess.run(
                        "tonemap",
                        Cli.sample("studio"),
                        "--out",
                        file("out"),
                        "--devices",
                        "0.0,0.1",
                        "--trace",
                        file("t.json"),
                        "--report",
                        file("r.html"))
                .done();
        assertTrue(count(TraceFormat.check(Files.readString(file("t.json"))), "X", "chunk") >= 2);
        String page = Files.readString(file("r.html"));
        assertTrue(page.contains("<h1>evener tonemap: 1 frame</h1>"));
        assertTrue(page.contains("frames per second"));
        List<?> rows = (List<?>) PageData.charts(page, "stages").get(0).get("rows");
        List<?> names = rows.stream().map(r -> ((Map<?, ?>) r).get("name")).toList();
        assertEquals(6, names.size(), names::toString);
        assertEquals(
                List.of("0.0", "0.1", "write, 2 threads", "frames under way", "their buffers"), names.subList(1, 6));
    }

    @Test
    void aFaultIsSeen() throws IOException {
        InProcess.run(
                        "run",
                        "mandelbrot",
                        "--size",
                        "64Ki",
                        "--devices",
                        "0.0,0.1",
                        "--split", // or the other device may have done all before the fault is met
                        "0.5,0.5",
                        "--inject",
                        "lane=1,fault=error",
                        "--trace",
                        file("t.json"),
                        "--report",
                        file("r.html"))
                .done();
        assertEquals(1, count(TraceFormat.check(Files.readString(file("t.json"))), "i", "fault"));
        assertTrue(Files.readString(file("r.html")).contains("What went wrong"));
    }

    @Test
    void whatCannotBeWrittenIsRefusedBeforeAnythingRuns() {
        InProcess.run("run", "sum", "--trace", "-").refused(2, "--trace", "standard output");
        InProcess.run("run", "sum", "--report", "").refused(2, "--report", "empty");
        InProcess.run("run", "sum", "--report", folder).refused(1, "is a folder");
        InProcess.run("run", "sum", "--report", file("a"), "--trace", file("a")).refused(2, "both name");
        InProcess.run("bench", "sum", "--trace", folder).refused(1, "is a folder");
        InProcess.run("tonemap", "--out", file("out"), "--trace", folder).refused(1, "is a folder");
    }
}
