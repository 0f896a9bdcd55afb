package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.workloads.bench.Case.Effort;
import dev.evener.workloads.bench.Case.Lineup;
import dev.evener.workloads.bench.Case.Scenario;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Contender.Sample;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Result.Timed;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every figure that {@code bench} shows, from times and bytes that are known: nothing here is measured. */
class BenchFiguresTest {
    private static final List<DeviceInfo> DEVICES = List.of(device("0.0"), device("0.1"));

    private static DeviceInfo device(String id) {
        return new DeviceInfo(
                id, "platform", "core", DeviceKind.CPU, "1", 4, 1, 1, 128, 64, 1, 1000, true, "core " + id);
    }

    private static Case of(String workload, long items, Timing timing, String scenario) {
        Workload named = workload.endsWith("pipeline") ? Workloads.streams().get(0) : Workloads.named(workload);
        return new Case(
                DeviceSelector.parse("0.0,0.1"),
                false,
                new Scenario(
                        scenario,
                        scenario.isEmpty() ? List.of() : List.of("lane=1,fault=slow:2x"),
                        Scenario.From.START),
                Request.synthetic(named, Values.of(named, Map.of()), items, Distribution.UNIFORM, 1),
                timing,
                new Lineup(List.of(), List.of(), List.of(), List.of()),
                new Effort(0, 17, Duration.ofSeconds(1), false, null));
    }

    /** A job of 12 bytes an item on a million items; a tenth of its time is no kernel's. */
    private static Sample job(String policy, double millis, double share, int chunks, String... failures) {
        long wall = Math.round(1e6 * millis);
        long kernels = wall * 9 / 10;
        List<DeviceUse> uses = IntStream.range(0, 2)
                .mapToObj(i -> new DeviceUse(
                        DEVICES.get(i).id(),
                        "core",
                        DeviceKind.CPU,
                        0,
                        i == 0 ? share : 1 - share,
                        kernels / (i + 1),
                        kernels / (i + 1),
                        0,
                        chunks,
                        i * (chunks - 1),
                        0,
                        0,
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        0))
                .toList();
        return Sample.of(
                new Report("job", policy, 1000, 1, 0, 0, null, 0, 0, wall, wall, null, List.of(failures), null, uses),
                12e6);
    }

    private static Sample[] jobs(String policy, double share, int chunks, double... millis) {
        return DoubleStream.of(millis)
                .mapToObj(each -> job(policy, each, share, chunks))
                .toArray(Sample[]::new);
    }

    private static Entry entry(
            String name, Role role, Timing timing, double first, @Nullable Boolean verified, Sample... samples) {
        List<Sample> all = new ArrayList<>();
        if (first > 0) {
            all.addAll(Collections.nCopies(Contender.FIRST, Sample.of(first, 0)));
        }
        all.addAll(List.of(samples));
        Supplier<@Nullable String> check = verified == null ? null : () -> verified ? null : "7 is not 8";
        Contender contender = new Contender(name, role, timing, all.iterator()::next, check);
        if (first > 0) {
            rounds(contender, Contender.FIRST);
            contender.learnt();
        }
        rounds(contender, samples.length);
        contender.verify();
        return contender.entry();
    }

    private static void rounds(Contender contender, int count) {
        Rounds rounds = new Rounds(new Random(1), () -> 0, List.of(contender));
        IntStream.range(0, count).forEach(i -> rounds.run());
    }

    private static Result policies() {
        Timing wall = Timing.WALL;
        Sample[] learning = {
            job("adaptive", 2.5, 0.5, 2), job("adaptive", 3.2, 0.7, 4, "device 0.1: lost"), job("adaptive", 3, 0.6, 3)
        };
        return new Result(
                of("saxpy", 1_000_000, wall, "slow"),
                1_000_000,
                2,
                DEVICES,
                3,
                90,
                List.of(
                        entry("single 0.0", Role.SINGLE, wall, 0, null, jobs("single", 1, 1, 4, 4.4, 4.2)),
                        entry("single 0.1", Role.SINGLE, wall, 0, null, jobs("single", 0, 1, 8, 8.4, 8.8)),
                        entry("static best", Role.BEST_STATIC, wall, 0, true, jobs("static", 0.75, 1, 3, 3.2, 3)),
                        entry("adaptive", Role.POLICY, wall, 6e6, true, learning),
                        entry("guided/8", Role.POLICY, wall, 4.5e6, false, jobs("guided", 0.5, 8, 5, 6, 6))),
                List.of(new Timed(List.of(0.75, 0.25), List.of(0.744, 0.256), 3.1e6, 5)));
    }

    private static Result baselines() {
        Timing kernels = Timing.KERNELS;
        Result result = new Result(
                of("scan", 1_000_000, kernels, ""),
                1_000_000,
                0,
                DEVICES.subList(0, 1),
                2,
                6,
                List.of(
                        entry("single 0.0", Role.SINGLE, kernels, 0, null, jobs("single", 1, 1, 2, 4)),
                        entry("copy", Role.BASELINE, kernels, 0, true, jobs("single", 1, 1, 1, 1)),
                        entry("jdk", Role.BASELINE, kernels, 0, null, Sample.of(5e6, 12e6), Sample.of(5e6, 12e6)),
                        Entry.unfit("scan.groups=512", Role.TUNING, "it does not build", null)),
                List.of());
        return result.against("CUB", 0.9e6);
    }

    private static Result stream() {
        Map<String, Long> busy = Map.of("0.0", 8_000_000L);
        Sample sample = Placements.sample(new PipelineReport(
                48,
                0,
                500_000_000,
                20_000_000,
                30_000_000,
                List.of(new PipelineReport.StageUse("map", 0, 4, 0, 0, 0, busy))));
        return new Result(
                of("canny-pipeline", 48, Timing.WALL, ""),
                48,
                0,
                DEVICES,
                1,
                2,
                List.of(entry("single 0.0", Role.SINGLE, Timing.WALL, 0, null, sample)),
                List.of());
    }

    private static String plain(String text) {
        return text.replace(System.lineSeparator(), "\n");
    }

    @Test
    void fourColumns() {
        assertEquals("""
                saxpy, 1000000 floats, slow, devices 0.0,0.1 (0.0, 0.1), 3 rounds
                contender         median  x best static        first 30
                single 0.0      4.200 ms  0.727 (0.714-0.750)         -
                single 0.1      8.400 ms  0.375 (0.341-0.381)         -
                static best     3.000 ms  1.000 (1.000-1.000)         -
                adaptive        3.000 ms  1.000 (1.000-1.200)      2.00
                guided/8 WRONG  6.000 ms  0.533 (0.500-0.600)      1.50
                bound by what devices take alone: 2.800 ms
                guided/8: 7 is not 8
                """, plain(BenchText.table(policies(), false)));
        assertEquals("""
                scan, 1000000 elements, devices 0.0,0.1 (0.0), 2 rounds, times in kernels
                contender          median  x copy                    speed
                single 0.0       2.700 ms  0.375 (0.250-0.500)   4.44 GB/s
                copy             0.900 ms  1.000 (1.000-1.000)  13.33 GB/s
                jdk              5.000 ms  0.180 (0.180-0.180)   2.40 GB/s
                scan.groups=512         -  -                             -
                CUB              0.900 ms  1.000 (1.000-1.000)  13.33 GB/s
                scan.groups=512: it does not build
                """, plain(BenchText.table(baselines(), false)));
        assertEquals("""
                canny-pipeline, 48 frames, devices 0.0,0.1 (0.0, 0.1), 1 round
                contender       median  x best single                 speed
                single 0.0  500.000 ms  1.000 (1.000-1.000)  96.00 frames/s
                """, plain(BenchText.table(stream(), false)));
    }

    @Test
    void allColumns() {
        assertEquals("""
                saxpy, 1000000 floats, slow, devices 0.0,0.1 (0.0, 0.1), 3 rounds
                contender       shares, %      median  spread  first 30  their median  excess  of plan, build, enqueue, device, looks  x best single        x best static        efficiency      speed    items/s  chunks  steals  result
                single 0.0      100.0 : 0.0  4.200 ms    4.8%         -             -       -  -                                       1.000 (1.000-1.000)  0.727 (0.714-0.750)       66.7%  2.86 GB/s  2.381e+08       2       0  -
                single 0.1      0.0 : 100.0  8.400 ms    4.8%         -             -       -  -                                       0.500 (0.477-0.524)  0.375 (0.341-0.381)       33.3%  1.43 GB/s  1.190e+08       2       0  -
                static best     75.0 : 25.0  3.000 ms    0.0%         -             -       -  -                                       1.375 (1.333-1.400)  1.000 (1.000-1.000)       93.3%  4.00 GB/s  3.333e+08       2       0  right
                adaptive        60.0 : 40.0  3.000 ms    6.7%      2.00      6.000 ms  0.0 ms  0.0, 0.0, 0.0, 0.0, 0.0                 1.400 (1.375-1.600)  1.000 (1.000-1.200)       93.3%  4.00 GB/s  3.333e+08       6       2  right
                guided/8 WRONG  50.0 : 50.0  6.000 ms    0.0%      1.50      4.500 ms  0.0 ms  0.0, 0.0, 0.0, 0.0, 0.0                 0.733 (0.700-0.800)  0.533 (0.500-0.600)       46.7%  2.00 GB/s  1.667e+08      16       7  WRONG
                bound by what devices take alone: 2.800 ms
                guided/8: 7 is not 8
                """, plain(BenchText.table(policies(), true)));
        assertEquals("""
                scan, 1000000 elements, devices 0.0,0.1 (0.0), 2 rounds, times in kernels
                contender        shares, %      median  spread  x best single        x copy               x jdk                x CUB                efficiency       speed    items/s    in all  chunks  steals  result
                single 0.0       100.0 : 0.0  2.700 ms   33.3%  1.000 (1.000-1.000)  0.375 (0.250-0.500)  2.083 (1.389-2.778)  0.375 (0.250-0.500)      100.0%   4.44 GB/s  3.704e+08  3.000 ms       2       0  -
                copy             100.0 : 0.0  0.900 ms    0.0%  3.000 (2.000-4.000)  1.000 (1.000-1.000)  5.556 (5.556-5.556)  1.000 (1.000-1.000)           -  13.33 GB/s  1.111e+09  1.000 ms       2       0  right
                jdk              -            5.000 ms    0.0%  0.540 (0.360-0.720)  0.180 (0.180-0.180)  1.000 (1.000-1.000)  0.180 (0.180-0.180)           -   2.40 GB/s  2.000e+08  5.000 ms       0       0  -
                scan.groups=512  -                   -       -  -                    -                    -                    -                             -           -          -         -       -       -  -
                CUB              -            0.900 ms    0.0%  3.000 (2.000-4.000)  1.000 (1.000-1.000)  5.556 (5.556-5.556)  1.000 (1.000-1.000)           -  13.33 GB/s  1.111e+09  0.900 ms       0       0  -
                scan.groups=512: it does not build
                """, plain(BenchText.table(baselines(), true)));
        assertEquals("""
                canny-pipeline, 48 frames, devices 0.0,0.1 (0.0, 0.1), 1 round
                contender   shares, %      median  spread  x best single        efficiency           speed  items/s    latency  chunks  steals
                single 0.0  -          500.000 ms    0.0%  1.000 (1.000-1.000)           -  96.00 frames/s    96.00  20.000 ms       0       0
                """, plain(BenchText.table(stream(), true)));
    }

    @Test
    void aLineForEachCase() {
        assertEquals(
                """
                workload    items  with  devices  best single    static best  adaptive  guided/8  copy   jdk  scan.groups=512   CUB
                saxpy     1000000  slow  0.0,0.1  0.0, 4.200 ms         1.38      1.40      0.73     -     -                -     -
                scan      1000000  -     0.0,0.1  0.0, 2.700 ms            -         -         -  0.38  2.08                -  0.38
                """, plain(BenchText.summary(List.of(policies(), baselines())).of(List.of(policies(), baselines()))));
        assertEquals("""
                single 0.0:
                  busy for a frame: map 0.0 2.00 ms

                """, plain(BenchText.explanations(stream())));
    }

    @Test
    void csv() {
        BenchReport report = new BenchReport("", 0);
        report.results().add(policies());
        report.results().add(baselines());
        assertEquals("""
                workload,items,selector,devices,parameters,distribution,scenario,timing,rounds,processes,name,role,policy,shares,first_jobs_seconds,median_seconds,median_low_seconds,median_high_seconds,mad_seconds,lower_quartile_seconds,upper_quartile_seconds,median_wall_seconds,latency_seconds,items_per_second,bytes,bytes_per_second,x_best_single,x_best_single_low,x_best_single_high,x_best_static,x_best_static_low,x_best_static_high,efficiency,chunks,stolen_chunks,verified,problem,x_copy,x_copy_low,x_copy_high,x_jdk,x_jdk_low,x_jdk_high,x_cub,x_cub_low,x_cub_high
                saxpy,1000000,"0.0,0.1",0.0 0.1,a=2.5,uniform,slow,wall,3,1,single 0.0,single,single,1 0,,0.0042,,,2.0E-4,0.0041,0.0043,0.0042,,2.380952380952381E8,12000000,2.857142857142857E9,1,1,1,0.7272727272727273,0.7142857142857143,0.75,0.6666666666666666,2,0,,,,,,,,,,,
                saxpy,1000000,"0.0,0.1",0.0 0.1,a=2.5,uniform,slow,wall,3,1,single 0.1,single,single,0 1,,0.0084,,,4.0E-4,0.0082,0.0086,0.0084,,1.1904761904761904E8,12000000,1.4285714285714285E9,0.5,0.4772727272727273,0.5238095238095238,0.375,0.3409090909090909,0.38095238095238093,0.3333333333333333,2,0,,,,,,,,,,,
                saxpy,1000000,"0.0,0.1",0.0 0.1,a=2.5,uniform,slow,wall,3,1,static best,best-static,static,0.75 0.25,,0.003,,,0,0.003,0.0031,0.003,,3.333333333333333E8,12000000,4000000000,1.375,1.3333333333333333,1.4,1,1,1,0.9333333333333333,2,0,true,,,,,,,,,,
                saxpy,1000000,"0.0,0.1",0.0 0.1,a=2.5,uniform,slow,wall,3,1,adaptive,policy,adaptive,0.6 0.4000000000000001,0.006,0.003,,,2.0E-4,0.00275,0.0031,0.003,,3.333333333333333E8,12000000,4000000000,1.4,1.375,1.6,1,1,1.2,0.9333333333333333,6,2,true,,,,,,,,,,
                saxpy,1000000,"0.0,0.1",0.0 0.1,a=2.5,uniform,slow,wall,3,1,guided/8,policy,guided,0.5 0.5,0.0045,0.006,,,0,0.0055,0.006,0.006,,1.6666666666666666E8,12000000,2000000000,0.7333333333333333,0.7,0.8,0.5333333333333333,0.5,0.6,0.4666666666666667,16,7,false,7 is not 8,,,,,,,,,
                scan,1000000,"0.0,0.1",0.0,type=uint kind=exclusive operation=add resident=false,uniform,,kernels,2,1,single 0.0,single,single,1 0,,0.0027,,,9.0E-4,0.00225,0.00315,0.003,,3.703703703703703E8,12000000,4.444444444444445E9,1,1,1,,,,1,2,0,,,0.375,0.25,0.5,2.083333333333333,1.3888888888888888,2.7777777777777777,0.375,0.25,0.5
                scan,1000000,"0.0,0.1",0.0,type=uint kind=exclusive operation=add resident=false,uniform,,kernels,2,1,copy,baseline,single,1 0,,9.0E-4,,,0,9.0E-4,9.0E-4,0.001,,1.1111111111111112E9,12000000,1.3333333333333334E10,3,2,4,,,,,2,0,true,,1,1,1,5.555555555555555,5.555555555555555,5.555555555555555,1,1,1
                scan,1000000,"0.0,0.1",0.0,type=uint kind=exclusive operation=add resident=false,uniform,,kernels,2,1,jdk,baseline,,,,0.005,,,0,0.005,0.005,0.005,,200000000,12000000,2400000000,0.54,0.36,0.72,,,,,0,0,,,0.18,0.18,0.18,1,1,1,0.18,0.18,0.18
                scan,1000000,"0.0,0.1",0.0,type=uint kind=exclusive operation=add resident=false,uniform,,kernels,2,1,scan.groups=512,tuning,,,,,,,,,,,,,,,,,,,,,,0,0,,it does not build,,,,,,,,,
                scan,1000000,"0.0,0.1",0.0,type=uint kind=exclusive operation=add resident=false,uniform,,kernels,2,1,CUB,baseline,,,,9.0E-4,,,0,9.0E-4,9.0E-4,9.0E-4,,1.1111111111111112E9,12000000,1.3333333333333334E10,3,2,4,,,,,0,0,,,1,1,1,5.555555555555555,5.555555555555555,5.555555555555555,1,1,1
                """, plain(report.tables(false).csv()));
    }

    private static String json(Object value) throws IOException {
        return JSON.std
                .with(JSON.Feature.WRITE_NULL_PROPERTIES)
                .asString(value)
                .replace("},{", "},\n{")
                .replace(",\"", ", \"");
    }

    @Test
    void json() throws IOException {
        BenchReport report = new BenchReport("mine", 0.25);
        report.results().add(policies());
        report.results().add(stream());
        report.failures().add("saxpy: no memory");
        assertEquals("""
                {"experiment":"mine", "loadAverage":0.25, "results":[{"workload":"saxpy", "item":"float", "unit":"float", "parameters":{"a":2.5}, "itemsAsked":1000000, "distribution":"uniform", "seed":1, "selector":"0.0,0.1", "scenario":"slow", "faults":["lane=1,fault=slow:2x"], "faultsFrom":"start", "timing":"wall", "sweepSteps":17, "warmUpSeconds":1.0, "items":1000000, "flopsPerItem":2.0, "devices":[{"id":"0.0", "name":"core", "type":"cpu", "computeUnits":4},
                {"id":"0.1", "name":"core", "type":"cpu", "computeUnits":4}], "warmUpJobs":90, "rounds":3, "processes":1, "boundSeconds":0.0028, "bestSingle":"single 0.0", "contenders":[{"name":"single 0.0", "role":"single", "policy":"single", "shares":[1.0,0.0], "firstJobsSeconds":null, "firstJobs":null, "medianSeconds":0.0042, "medianLowSeconds":null, "medianHighSeconds":null, "madSeconds":2.0E-4, "lowerQuartileSeconds":0.0041, "upperQuartileSeconds":0.0043, "medianWallSeconds":0.0042, "latencySeconds":null, "itemsPerSecond":2.380952380952381E8, "bytes":1.2E7, "bytesPerSecond":2.857142857142857E9, "ratios":{"best single":{"value":1.0, "low":1.0, "high":1.0}, "best static":{"value":0.7272727272727273, "low":0.7142857142857143, "high":0.75}}, "efficiency":0.6666666666666666, "chunks":2.0, "stolenChunks":0.0, "recovered":[], "explanation":null, "verified":null, "problem":null, "seconds":[0.004,0.0044,0.0042]},
                {"name":"single 0.1", "role":"single", "policy":"single", "shares":[0.0,1.0], "firstJobsSeconds":null, "firstJobs":null, "medianSeconds":0.0084, "medianLowSeconds":null, "medianHighSeconds":null, "madSeconds":4.0E-4, "lowerQuartileSeconds":0.0082, "upperQuartileSeconds":0.0086, "medianWallSeconds":0.0084, "latencySeconds":null, "itemsPerSecond":1.1904761904761904E8, "bytes":1.2E7, "bytesPerSecond":1.4285714285714285E9, "ratios":{"best single":{"value":0.5, "low":0.4772727272727273, "high":0.5238095238095238}, "best static":{"value":0.375, "low":0.3409090909090909, "high":0.38095238095238093}}, "efficiency":0.3333333333333333, "chunks":2.0, "stolenChunks":0.0, "recovered":[], "explanation":null, "verified":null, "problem":null, "seconds":[0.008,0.0084,0.0088]},
                {"name":"static best", "role":"best-static", "policy":"static", "shares":[0.75,0.25], "firstJobsSeconds":null, "firstJobs":null, "medianSeconds":0.003, "medianLowSeconds":null, "medianHighSeconds":null, "madSeconds":0.0, "lowerQuartileSeconds":0.003, "upperQuartileSeconds":0.0031, "medianWallSeconds":0.003, "latencySeconds":null, "itemsPerSecond":3.333333333333333E8, "bytes":1.2E7, "bytesPerSecond":4.0E9, "ratios":{"best single":{"value":1.375, "low":1.3333333333333333, "high":1.4}, "best static":{"value":1.0, "low":1.0, "high":1.0}}, "efficiency":0.9333333333333333, "chunks":2.0, "stolenChunks":0.0, "recovered":[], "explanation":null, "verified":true, "problem":null, "seconds":[0.003,0.0032,0.003]},
                {"name":"adaptive", "role":"policy", "policy":"adaptive", "shares":[0.6,0.4000000000000001], "firstJobsSeconds":0.006, "firstJobs":{"medianSeconds":0.006, "excessSeconds":0.0, "planSeconds":0.0, "buildSeconds":0.0, "enqueueSeconds":0.0, "deviceSeconds":0.0, "lookSeconds":0.0}, "medianSeconds":0.003, "medianLowSeconds":null, "medianHighSeconds":null, "madSeconds":2.0E-4, "lowerQuartileSeconds":0.00275, "upperQuartileSeconds":0.0031, "medianWallSeconds":0.003, "latencySeconds":null, "itemsPerSecond":3.333333333333333E8, "bytes":1.2E7, "bytesPerSecond":4.0E9, "ratios":{"best single":{"value":1.4, "low":1.375, "high":1.6}, "best static":{"value":1.0, "low":1.0, "high":1.2}}, "efficiency":0.9333333333333333, "chunks":6.0, "stolenChunks":2.0, "recovered":["device 0.1: lost"], "explanation":null, "verified":true, "problem":null, "seconds":[0.0025,0.0032,0.003]},
                {"name":"guided/8", "role":"policy", "policy":"guided", "shares":[0.5,0.5], "firstJobsSeconds":0.0045, "firstJobs":{"medianSeconds":0.0045, "excessSeconds":0.0, "planSeconds":0.0, "buildSeconds":0.0, "enqueueSeconds":0.0, "deviceSeconds":0.0, "lookSeconds":0.0}, "medianSeconds":0.006, "medianLowSeconds":null, "medianHighSeconds":null, "madSeconds":0.0, "lowerQuartileSeconds":0.0055, "upperQuartileSeconds":0.006, "medianWallSeconds":0.006, "latencySeconds":null, "itemsPerSecond":1.6666666666666666E8, "bytes":1.2E7, "bytesPerSecond":2.0E9, "ratios":{"best single":{"value":0.7333333333333333, "low":0.7, "high":0.8}, "best static":{"value":0.5333333333333333, "low":0.5, "high":0.6}}, "efficiency":0.4666666666666667, "chunks":16.0, "stolenChunks":7.0, "recovered":[], "explanation":null, "verified":false, "problem":"7 is not 8", "seconds":[0.005,0.006,0.006]}], "sweep":[{"split":[0.75,0.25], "shares":[0.744,0.256], "medianSeconds":0.0031, "rounds":5}]},
                {"workload":"canny-pipeline", "item":"frame", "unit":"frame", "parameters":{"size":"1920x1080", "slots":4}, "itemsAsked":48, "distribution":null, "seed":1, "selector":"0.0,0.1", "scenario":null, "faults":[], "faultsFrom":null, "timing":"wall", "sweepSteps":17, "warmUpSeconds":1.0, "items":48, "flopsPerItem":0.0, "devices":[{"id":"0.0", "name":"core", "type":"cpu", "computeUnits":4},
                {"id":"0.1", "name":"core", "type":"cpu", "computeUnits":4}], "warmUpJobs":2, "rounds":1, "processes":1, "boundSeconds":null, "bestSingle":"single 0.0", "contenders":[{"name":"single 0.0", "role":"single", "policy":null, "shares":[], "firstJobsSeconds":null, "firstJobs":null, "medianSeconds":0.5, "medianLowSeconds":null, "medianHighSeconds":null, "madSeconds":0.0, "lowerQuartileSeconds":0.5, "upperQuartileSeconds":0.5, "medianWallSeconds":0.5, "latencySeconds":0.02, "itemsPerSecond":96.0, "bytes":null, "bytesPerSecond":null, "ratios":{"best single":{"value":1.0, "low":1.0, "high":1.0}}, "efficiency":null, "chunks":0.0, "stolenChunks":0.0, "recovered":[], "explanation":"busy for a frame: map 0.0 2.00 ms", "verified":null, "problem":null, "seconds":[0.5]}], "sweep":[]}], "failures":["saxpy: no memory"]}""", json(report.toMap()));
        assertEquals("", report.loadNote());
        assertEquals(
                "note: the load average was 1.5 at the beginning; if other processes are running, they disturb these figures\n",
                plain(new BenchReport("", 1.5).loadNote()));
    }

    /** Its figures are those of the plain table, of the contenders that were measured. */
    @Test
    void charts() {
        BenchReport report = new BenchReport("", -1);
        report.results().add(baselines());
        assertEquals(
                List.of(
                        "single 0.0 single shares 100.0 : 0.0",
                        "copy baseline shares 100.0 : 0.0",
                        "jdk baseline shares -",
                        "CUB baseline shares -"),
                report.rankings().get(0).entries().stream()
                        .map(e -> e.name() + " " + e.group() + " " + e.note())
                        .toList());
        assertEquals(null, report.toMap().get("loadAverage"));
    }

    /** What is read back is what was measured, to the nanosecond, so that all figures are the same. */
    @Test
    void resultsAreReadBackAsTheyWere() throws IOException {
        List<Result> results = new ArrayList<>(List.of(policies(), baselines(), stream()));
        for (Result result : results) {
            String text = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES).asString(ResultsFile.toMap(result));
            Result read = ResultsFile.result(Node.object(text), result.what(), result.devices());
            assertEquals(result, read);
        }
    }

    /** The second process was a tenth slower throughout. */
    @Test
    void severalProcessesAreTakenTogether() {
        Timing wall = Timing.WALL;
        List<Result> processes = new ArrayList<>();
        for (double factor : new double[] {1, 1.1}) {
            processes.add(new Result(
                    of("saxpy", 1_000_000, wall, ""),
                    1_000_000,
                    2,
                    DEVICES,
                    3,
                    90,
                    List.of(
                            entry("single 0.0", Role.SINGLE, wall, 0, null, jobs("single", 1, 1, 4, 4, 4)),
                            entry(
                                    "adaptive",
                                    Role.POLICY,
                                    wall,
                                    6e6,
                                    true,
                                    jobs("adaptive", 0.5, 3, 2 * factor, 2, 2))),
                    List.of()));
        }
        Result one = Result.together(processes.subList(0, 1));
        assertEquals(processes.get(0), one);
        Result both = Result.together(processes);
        assertEquals(6, both.rounds());
        assertEquals(180, both.warmUpJobs());
        Entry adaptive = both.entries().get(1);
        assertEquals(List.of(2e6, 2e6, 2e6, 2.2e6, 2e6, 2e6), adaptive.nanos());
        assertEquals(true, adaptive.verified());
        Statistics.Estimate median = Objects.requireNonNull(both.median(adaptive));
        assertEquals(2e6, median.value());
        assertTrue(median.low() == 2e6 && median.high() > 2e6 && median.high() <= 2.2e6, median::toString);
        assertEquals(2, both.ratio(both.entries().get(0), adaptive).value());
        assertEquals(1, both.against("CUB", 1e6).ratio(adaptive, adaptive).high());
        assertEquals(
                2,
                both.against("CUB", 1e6)
                        .ratio(adaptive, both.against("CUB", 1e6).entries().get(2))
                        .value());
        assertTrue(BenchText.table(both, false).contains("6 rounds in 2 processes"), BenchText.table(both, false));
        assertTrue(BenchText.table(both, false).contains("2.000 ms (2.000-2."), BenchText.table(both, false));
        assertEquals(2, ResultsFile.toMap(both).get("processes"));
        Result unfit = new Result(
                processes.get(0).what(),
                1_000_000,
                2,
                DEVICES,
                3,
                90,
                List.of(
                        Entry.unfit("adaptive", Role.POLICY, "it does not build", null),
                        processes.get(0).entries().get(0)),
                List.of());
        Result mixed = Result.together(List.of(processes.get(0), unfit));
        assertEquals(
                List.of("single 0.0", "adaptive"),
                mixed.entries().stream().map(Entry::name).toList());
        assertEquals(
                List.of(6, 3),
                mixed.entries().stream().map(e -> e.nanos().size()).toList());
        assertEquals("it does not build", mixed.entries().get(1).problem());
        assertEquals(
                2, mixed.ratio(mixed.entries().get(0), mixed.entries().get(1)).value());
    }
}
