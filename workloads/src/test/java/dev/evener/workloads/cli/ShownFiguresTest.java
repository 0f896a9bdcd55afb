package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.frames.StreamReport;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Step;
import dev.evener.frames.StreamReport.Times;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.PipelineReport.StageUse;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.Primaries;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.workloads.cli.report.RunReport;
import dev.evener.workloads.cli.report.TonemapReport;
import dev.evener.workloads.cli.report.WarmUp;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every figure that {@code run} and {@code tonemap} print, from times and bytes that are known: nothing here is measured. */
class ShownFiguresTest {
    private static final List<DeviceInfo> DEVICES = List.of(device("0.0", "first"), device("0.1", "second"));

    private static DeviceInfo device(String id, String name) {
        return new DeviceInfo(id, "platform", name, DeviceKind.CPU, "1", 1, 1, 1, 128, 64, 1, 1000, true, id);
    }

    /** What a device did of a job: share, busy time and chunks. */
    private record Part(double share, long busyNanos, int chunks, long aloneNanos) {}

    private static Report report(long units, long wallNanos, long deviceNanos, Part... parts) {
        List<DeviceUse> devices = IntStream.range(0, parts.length)
                .mapToObj(i -> new DeviceUse(
                        DEVICES.get(i).id(),
                        DEVICES.get(i).name(),
                        DeviceKind.CPU,
                        Math.round(parts[i].share() * units),
                        parts[i].share(),
                        parts[i].busyNanos(),
                        parts[i].busyNanos(),
                        0,
                        parts[i].chunks(),
                        0,
                        0,
                        0,
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        parts[i].aloneNanos()))
                .toList();
        return new Report(
                "job",
                "adaptive",
                units,
                1,
                0,
                0,
                null,
                3_000_000,
                0,
                wallNanos,
                deviceNanos,
                null,
                List.of(),
                null,
                devices);
    }

    /** A run of 1 Mi elements, which are 512 units of a scan. */
    private static Report scanned(long wallNanos, Part first, Part second) {
        return report(512, wallNanos, wallNanos, first, second);
    }

    private static final Part NOTHING = new Part(0, 0, 0, 0);
    private static final Report SPLIT =
            scanned(2_000_000, new Part(0.75, 1_500_000, 4, 0), new Part(0.25, 1_000_000, 3, 0));
    private static final Report WHOLE_BUT_SPLIT = scanned(2_000_000, new Part(1, 1_000_000, 2, 0), NOTHING);
    private static final Report ALONE = scanned(1_000_000, new Part(1, 500_000, 1, 0), NOTHING);

    private interface Check {
        void of(Evener evener, Request request, PreparedWorkload prepared);
    }

    private static void prepared(String name, long items, Check check) {
        Workload workload = Workloads.named(name);
        Request request = Request.synthetic(workload, Values.of(workload, Map.of()), items, Distribution.UNIFORM, 1);
        try (Evener evener =
                        Evener.builder().devices(DeviceSelector.parse("jvm")).open();
                PreparedWorkload prepared = workload.prepare(evener, request)) {
            check.of(evener, request, prepared);
        }
    }

    private static RunReport run(Request request, PreparedWorkload prepared, Report... reports) {
        long building = reports[0].buildNanos()
                + List.of(reports).stream().mapToLong(Report::buildNanos).sum();
        return new RunReport(request, prepared, List.of(reports), new WarmUp(false, building, 1), DEVICES);
    }

    private static String lines(RunReport report) {
        return report.text(null, null).replace(System.lineSeparator(), "\n");
    }

    /** Split it reads everything twice, so it moves 12 bytes an element; a device alone reads once, and that was shown as 12. */
    @Test
    void aScanMovesTwelveBytesSplitAndEightAlone() {
        prepared("scan", 1L << 20, (evener, request, prepared) -> {
            assertEquals("""
                    device  name     share  busy, run  busy, total  Melement/s   GB/s
                    0.0     first   100.0%   0.500 ms      0.001 s      2097.2  16.78
                    0.1     second    0.0%   0.000 ms      0.000 s           -      -
                    scan, 1048576 elements, uniform, seed 1, policy adaptive: 1.000 ms, 1048.6 Melements/s, 8.39 GB/s
                    before: 6.000 ms of building, 1 run to warm up
                    """, lines(run(request, prepared, ALONE)));
            assertEquals("""
                    device  name    share  busy, run  busy, total  Melement/s  GB/s
                    0.0     first   75.0%   1.500 ms      0.002 s       524.3  6.29
                    0.1     second  25.0%   1.000 ms      0.001 s       262.1  3.15
                    scan, 1048576 elements, uniform, seed 1, policy adaptive: 2.000 ms, 524.3 Melements/s, 6.29 GB/s
                    before: 6.000 ms of building, 1 run to warm up
                    """, lines(run(request, prepared, SPLIT)));
            Map<String, Object> json = run(request, prepared, WHOLE_BUT_SPLIT).toMap(null, List.of(), null);
            assertEquals(12.0, json.get("bytesPerItem"), "one device, but not in its form for one");
            assertEquals(
                    8.0,
                    run(request, prepared, ALONE).toMap(null, List.of(), null).get("bytesPerItem"));
        });
    }

    @Test
    void sumsAreOfAllRunsAndRatesOfOne() {
        prepared("scan", 1L << 20, (evener, request, prepared) -> {
            RunReport report = run(request, prepared, ALONE, SPLIT, SPLIT);
            assertEquals("""
                    device  name    share  busy, run  busy, total  Melement/s  GB/s
                    0.0     first   83.3%   1.500 ms      0.004 s       749.0  7.79
                    0.1     second  16.7%   1.000 ms      0.002 s       262.1  3.15
                    scan, 1048576 elements, uniform, seed 1, policy adaptive: 2.000 ms, 524.3 Melements/s, 6.29 GB/s; \
                    median of 3 runs, spread 0.0%
                    before: 12.000 ms of building, 1 run to warm up
                    """, lines(report));
            Map<String, Object> json = report.toMap(null, List.of(), null);
            assertEquals(3, json.get("runs"));
            assertEquals(3L * 512, json.get("units"));
            assertEquals(3L << 20, json.get("items"));
            assertEquals(1L << 20, json.get("itemsPerRun"));
            assertEquals(0.005, json.get("wallSeconds"));
            assertEquals(0.012, json.get("buildSeconds"));
            assertEquals(0.002, json.get("medianSeconds"));
            assertEquals((1 << 20) / 0.002, (double) json.get("itemsPerSecond"), 1e-3);
            assertEquals((12.0 + 12 + 8) / 3, (double) json.get("bytesPerItem"), 1e-9);
            assertEquals(12 * (1 << 20) / 0.002, (double) json.get("bytesPerSecond"), 1e-3);
            List<Map<?, ?>> devices = ReportSchema.objects(json, "devices");
            assertEquals(1280L, devices.get(0).get("units"));
            assertEquals(1280 / 1536.0, devices.get(0).get("share"));
            assertEquals(0.0035, devices.get(0).get("busySeconds"));
        });
    }

    @Test
    void arithmeticIsCountedWhereThereIsAny() {
        prepared("saxpy", 1_000_000, (evener, request, prepared) -> {
            Report half =
                    report(1_000_000, 500_000, 500_000, new Part(0.5, 250_000, 1, 0), new Part(0.5, 500_000, 1, 0));
            assertEquals("""
                    device  name    share  busy, run  busy, total  Mfloat/s   GB/s
                    0.0     first   50.0%   0.250 ms      0.000 s    2000.0  24.00
                    0.1     second  50.0%   0.500 ms      0.001 s    1000.0  12.00
                    saxpy, 1000000 floats, uniform, seed 1, policy adaptive: 0.500 ms, 2000.0 Mfloats/s, 24.00 GB/s, \
                    4.00 Gflop/s
                    before: 6.000 ms of building, 1 run to warm up
                    """, lines(run(request, prepared, half)));
        });
    }

    /** All that goes in, and what was kept: it was once taken for half. */
    @Test
    void compactCountsWhatItKept() {
        prepared("compact", 8192, (evener, request, prepared) -> {
            prepared.reset();
            Report report = evener.submit(prepared.job()).join();
            assertNull(prepared.mismatch());
            String kept = String.valueOf(prepared.result()).split(" ", -1)[1];
            assertEquals(4 * (1 + Integer.parseInt(kept) / 8192.0), prepared.bytesPerItem(report));
        });
    }

    private static MappedFrame frame(long wallNanos, long deviceNanos, Part first, Part second) {
        return new MappedFrame(
                Path.of("a.hdr"),
                "",
                Primaries.REC709,
                List.of(),
                new FrameLayout(2000, 1000),
                false,
                report(1000, wallNanos, deviceNanos, first, second),
                1,
                new Times(
                        0,
                        10_000_000,
                        11_000_000,
                        11_000_000 + 3_000_000 + wallNanos + 2_000_000, // building, work, and the wait for a writer
                        40_000_000,
                        5,
                        Map.of(
                                Step.OPENING, 100_000L,
                                Step.WAITING_FOR_ROOM, 20_000_000L,
                                Step.READING, 2_000_000L,
                                Step.DECODING, 7_000_000L,
                                Step.FETCHING, 500_000L,
                                Step.ENCODING, 250_000L,
                                Step.WRITING, 4_000_000L)));
    }

    private static TonemapReport tonemap(
            long wallNanos, long decode, long devices, long encode, MappedFrame... frames) {
        int count = frames.length;
        PipelineReport pipeline = new PipelineReport(
                count,
                0,
                wallNanos,
                1,
                1,
                List.of(
                        new StageUse("read", 1, count, 0, 1_000_000 + 20_000_000L * count, decode, Map.of()),
                        new StageUse("devices", 0, count, 0, 2, devices, Map.of("0.0", 20_000_000L, "0.1", 1_000_000L)),
                        new StageUse("write", 2, count, 0, 6_000_000, encode, Map.of())));
        return new TonemapReport(
                ToneMapSettings.of(Operator.HABLE),
                new StreamReport(
                        Arrays.asList(frames),
                        List.of(Path.of("out", "a.png")),
                        List.of(),
                        pipeline,
                        new StreamReport.Memory(1L << 30, 48 << 20, 12, 64 << 20, 12_000_000, 2, 16 << 20, 1_000_000)),
                new WarmUp(false, 4_000_000, 2),
                DEVICES);
    }

    /** The first frames, in which the history learns, count in sums and not in what is typical. */
    @Test
    void framesAreCountedOverAllTimeAndTypicalOnesOverTheSecondHalf() {
        Part learning = new Part(0.9, 9_000_000, 2, 5_000_000);
        Part rest = new Part(0.1, 1_000_000, 2, 8_000_000);
        Part most = new Part(0.6, 2_000_000, 2, 5_000_000);
        Part less = new Part(0.4, 1_500_000, 2, 8_000_000);
        TonemapReport report = tonemap(
                80_000_000,
                8_000_000,
                60_000_000,
                4_000_000,
                frame(12_000_000, 10_000_000, learning, rest),
                frame(12_000_000, 10_000_000, learning, rest),
                frame(3_000_000, 2_500_000, most, less),
                frame(3_000_000, 2_500_000, most, less));
        // 2 million pixels a frame: 0.9 + 0.9 + 0.6 + 0.6 of them in 22 ms, 0.1 + 0.1 + 0.4 + 0.4 in 5 ms; 5 ms alone
        // over 2.5 ms.
        assertEquals("""
                device  name    share  busy, frame  busy, total  of the run  Mpixel/s
                0.0     first   75.0%     2.000 ms      0.022 s       27.5%       273
                0.1     second  25.0%     1.500 ms      0.005 s        6.3%       400
                4 frames in 0.080 s: 50.0 frames/s; a frame takes the devices 2.500 ms, 2.00 x the best single device \
                (estimated from the history)
                bottleneck: devices (read 10% of the time, devices 75% of the time, write 5% of the time)
                a frame, ms: opening 0.100, waiting for room 20.000, reading 2.000, decoding 7.000, waiting for a device 4.000, kernels 3.500, \
                launches and host steps 1.000, waiting for a writer 2.000, fetching 0.500, encoding 0.250, writing 4.000
                busiest: 0.0, a device busy 28% of the time, mostly in kernels
                memory: buffers of 48.0 MiB at most, budget 1024.0 MiB; allocated 12 times, 64.0 MiB in 0.012 s; \
                page-locked 2 times, 16.0 MiB in 0.001 s
                before: 4.000 ms of building, 2 frames to warm up
                out/a.png
                """, report.text().replace(System.lineSeparator(), "\n"));
        Map<String, Object> json = report.toMap("adaptive", false, List.of(), List.of());
        assertEquals(4000L, json.get("units"));
        assertEquals(50.0, json.get("framesPerSecond"));
        assertEquals(0.08, json.get("wallSeconds"));
        assertEquals(
                List.of(
                        stage("read", 1, 0.081, 0, 0.008),
                        stage("devices", 2, 0.021, 0.139, 0.06),
                        stage("write", 2, 0.006, 0.154, 0.004)),
                json.get("stages"));
        Map<?, ?> typical = (Map<?, ?>) json.get("typicalFrame");
        assertEquals(
                Map.of(
                        "deviceSeconds", 0.0025,
                        "wallSeconds", 0.003,
                        "overheadSeconds", 0.001,
                        "busyImbalance", 0.25,
                        "speedUpOverBestSingle", 2.0),
                typical);
        assertEquals(Map.of("name", "0.0", "busy", 0.275, "step", "in kernels"), json.get("busiest"));
        assertEquals(
                Map.of(
                        "budgetBytes",
                        1L << 30,
                        "mostBytes",
                        48L << 20,
                        "allocations",
                        12L,
                        "allocatedBytes",
                        64L << 20,
                        "allocationSeconds",
                        0.012,
                        "locks",
                        2L,
                        "lockedBytes",
                        16L << 20,
                        "lockSeconds",
                        0.001),
                json.get("memory"));
        assertEquals(
                List.of(
                        step("opening", "read", 0.0001, 0.0004),
                        step("waiting for room", "read", 0.02, 0.08),
                        step("taking memory", "read", 0, 0),
                        step("reading", "read", 0.002, 0.008),
                        step("decoding", "read", 0.007, 0.028),
                        step("waiting for a device", "devices", 0.004, 0.016),
                        step("transfers", "devices", 0, 0),
                        step("kernels", "devices", 0.0035, 0.027),
                        step("launches and host steps", "devices", 0.001, 0.008),
                        step("waiting for a writer", "write", 0.002, 0.008),
                        step("fetching", "write", 0.0005, 0.002),
                        step("encoding", "write", 0.00025, 0.001),
                        step("writing", "write", 0.004, 0.016)),
                json.get("steps"));
    }

    private static Map<String, Object> step(String name, String stage, double medianSeconds, double totalSeconds) {
        return Map.of("step", name, "stage", stage, "medianSeconds", medianSeconds, "totalSeconds", totalSeconds);
    }

    private static Map<String, Object> stage(
            String name, int workers, double busySeconds, double waitingSeconds, double heldSeconds) {
        return Map.of(
                "stage", name,
                "workers", workers,
                "frames", 4L,
                "busySeconds", busySeconds,
                "waitingSeconds", waitingSeconds,
                "heldSeconds", heldSeconds);
    }

    /** Frames that went whole to one device or the other: the one that had few of them has a median, too. */
    @Test
    void aDevicesFrameIsOneThatItHadAPartIn() {
        Part all = new Part(1, 2_000_000, 2, 0);
        Part slow = new Part(1, 30_000_000, 2, 0);
        MappedFrame fast = frame(3_000_000, 2_500_000, all, NOTHING);
        TonemapReport report = tonemap(
                90_000_000, 0, 1, 0, fast, frame(31_000_000, 30_000_000, NOTHING, slow), fast, fast, fast, fast);
        assertTrue(report.text().contains("0.1     second  16.7%    30.000 ms"), report.text());
        assertTrue(report.text().contains("0.0     first   83.3%     2.000 ms"), report.text());
        assertTrue(report.text().contains("busiest: 0.1, a device busy 33% of the time"), report.text());
    }

    /** Nor is it for frames that one device had whole, however well both are known. */
    @Test
    void wholeFramesHaveNoSpeedUp() {
        Part all = new Part(1, 2_000_000, 2, 5_000_000);
        Part none = new Part(0, 0, 0, 8_000_000);
        TonemapReport report = tonemap(40_000_000, 0, 20_000_000, 0, frame(3_000_000, 2_500_000, all, none));
        assertTrue(
                report.text().contains("a frame takes the devices 2.500 ms\n".replace("\n", System.lineSeparator())));
    }

    /** What the history does not know of each device is not estimated. */
    @Test
    void withoutAPredictionThereIsNoSpeedUp() {
        Part known = new Part(1, 2_000_000, 2, 5_000_000);
        TonemapReport report = tonemap(40_000_000, 0, 20_000_000, 0, frame(3_000_000, 2_500_000, known, NOTHING));
        assertEquals("""
                device  name     share  busy, frame  busy, total  of the run  Mpixel/s
                0.0     first   100.0%     2.000 ms      0.002 s        5.0%      1000
                0.1     second    0.0%            -      0.000 s        0.0%         -
                1 frame in 0.040 s: 25.0 frames/s; a frame takes the devices 2.500 ms
                bottleneck: devices (read 0% of the time, devices 50% of the time, write 0% of the time)
                a frame, ms: opening 0.100, waiting for room 20.000, reading 2.000, decoding 7.000, waiting for a device 4.000, kernels 2.000, \
                launches and host steps 1.000, waiting for a writer 2.000, fetching 0.500, encoding 0.250, writing 4.000
                busiest: write, 2 threads busy 8% of the time, mostly writing
                memory: buffers of 48.0 MiB at most, budget 1024.0 MiB; allocated 12 times, 64.0 MiB in 0.012 s; \
                page-locked 2 times, 16.0 MiB in 0.001 s
                before: 4.000 ms of building, 2 frames to warm up
                out/a.png
                """, report.text().replace(System.lineSeparator(), "\n"));
    }
}
