package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.Report;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.spark.TaskJobs.Figures;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

/** The jobs of tasks: they end with them, and are counted. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TaskJobsTest {
    private static volatile CountDownLatch begun = new CountDownLatch(1);
    private static final Queue<Report> reports = new ConcurrentLinkedQueue<>();
    private static final AtomicReference<JobFuture> left = new AtomicReference<>();

    @TempDir
    Path folder;

    private interface Work {
        void run(JavaSparkContext spark) throws Exception;
    }

    /** Cancels this work when it has begun, which must end its task, and then has the device do something else. */
    private static void cancelled(JavaSparkContext spark, boolean interrupts, Work work) throws Exception {
        begun = new CountDownLatch(1);
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
            spark.setJobGroup("long", "never ends", interrupts);
            try {
                work.run(spark);
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        begun.await();
        spark.cancelJobGroup("long");
        assertThrows(CompletionException.class, ended::join);
        for (int i = 0; running(spark) > 0; i++) {
            assertTrue(i < 600, "the task goes on");
            Thread.sleep(100);
        }
        assertEquals(
                List.of(1),
                EvenerRdd.mapPartitions(spark.parallelize(List.of(1), 1), (evener, own) -> {
                            assertEquals(0, evener.queue().length());
                            return List.of(sum(evener)).iterator();
                        })
                        .collect());
    }

    private static int running(JavaSparkContext spark) {
        return java.util.Arrays.stream(spark.sc().statusTracker().getExecutorInfos())
                .mapToInt(org.apache.spark.SparkExecutorInfo::numRunningTasks)
                .sum();
    }

    static int sum(Evener evener) {
        try (HostBuffer ones = evener.allocate(ElementType.INT, Reduce.TILE)) {
            ones.ints().put(0, 1);
            return (Integer) Reduce.of(evener, Operation.SUM, ones);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKilledTaskEndsItsJobs(boolean interrupts) throws Exception {
        SparkConf conf = SparkBed.conf("local[2]")
                .set(ScriptedFiles.PREFIX + "fs.scripted.impl", ScriptedFiles.class.getName())
                .set(ScriptedFiles.PREFIX + "test.delay", "2000");
        SparkBed.frames(folder.resolve("in"), 40);
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            // One job that would take years, in chunks.
            cancelled(
                    spark,
                    interrupts,
                    context -> EvenerRdd.mapPartitions(context.parallelize(List.of(1), 1), (evener, own) -> {
                                try (HostBuffer out = evener.allocate(ElementType.INT, 1 << 20)) {
                                    JobFuture job = evener.submit(endless(out));
                                    begun.countDown();
                                    job.join();
                                }
                                return own;
                            })
                            .collect());
            // Jobs without end.
            cancelled(
                    spark,
                    interrupts,
                    context -> EvenerRdd.mapPartitions(context.parallelize(List.of(1), 1), (evener, own) -> {
                                for (; ; ) {
                                    sum(evener);
                                    begun.countDown();
                                }
                            })
                            .collect());
            // Streams of frames, which have threads of their own.
            cancelled(spark, interrupts, context -> {
                CompletableFuture<?> ignored = CompletableFuture.runAsync(
                        () -> begun.countDown(),
                        CompletableFuture.delayedExecutor(3, java.util.concurrent.TimeUnit.SECONDS));
                SparkFrames.of(context)
                        .partitions(2)
                        .tonemap("scripted:" + folder.resolve("in"), "file:" + folder.resolve("out" + interrupts));
            });
        }
    }

    /** A thousand phases, each of which takes a moment. */
    static Job endless(HostBuffer out) {
        dev.evener.JobBuilder job = Job.named("endless")
                .units(out.elements())
                .source("kernel void loop(global int *out) { int v = get_global_id(0);"
                        + " for (int i = 0; i < 2000; i++) v = v * 1664525 + 1013904223; out[get_global_id(0)] = v; }");
        for (int i = 0; i < 1000; i++) {
            job.kernel("loop").writes(out, Access.slice());
        }
        return job.build();
    }

    /** What a task left behind must not keep the device from the next one. */
    @Test
    void aTaskThatEndsLeavesNoJobBehind() throws Exception {
        try (JavaSparkContext spark = new JavaSparkContext(SparkBed.conf("local[1]"))) {
            assertEquals(
                    List.of(1),
                    EvenerRdd.mapPartitions(spark.parallelize(List.of(1), 1), (evener, own) -> {
                                left.set(evener.submit(endless(evener.allocate(ElementType.INT, 1 << 20))));
                                return own;
                            })
                            .collect());
            assertTrue(left.get().isCancelled());
            left.get().released().join();
        }
    }

    /** In metrics of the executor, and in accumulators of the stage, of jobs by the task's thread and by others that it began. */
    @Test
    void figuresAreTheSumsOfTheReports() throws Exception {
        SparkConf conf =
                SparkBed.conf("local[2]").set("spark.metrics.conf.*.sink.test.class", KeptSink.class.getName());
        Map<String, Long> stage = new HashMap<>();
        CountDownLatch completed = new CountDownLatch(1);
        List<String> devices;
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.sc().addSparkListener(new SparkListener() {
                @Override
                public void onStageCompleted(SparkListenerStageCompleted event) {
                    CollectionConverters.asJava(event.stageInfo().accumulables().values())
                            .forEach(each -> stage.put(
                                    each.name().get(), (Long) each.value().get()));
                    completed.countDown();
                }
            });
            reports.clear();
            EvenerRdd.mapPartitions(
                            spark.parallelize(IntStream.range(0, 6).boxed().toList(), 3), (evener, own) -> {
                                while (own.hasNext()) {
                                    int number = own.next();
                                    try (HostBuffer out = evener.allocate(ElementType.INT, 100_000 + number)) {
                                        Job job = Job.named("numbers")
                                                .units(out.elements())
                                                .source("kernel void n(global int *out) { out[get_global_id(0)] = 1; }")
                                                .kernel("n")
                                                .writes(out, Access.slice())
                                                .build();
                                        if (number % 2 == 0) {
                                            reports.add(evener.submit(job).join());
                                        } else {
                                            Thread thread = new Thread(() -> reports.add(
                                                    evener.submit(job).join()));
                                            thread.start();
                                            thread.join();
                                        }
                                    }
                                }
                                return own;
                            })
                    .collect();
            completed.await();
            devices = EvenerPlugin.evener().devices().stream()
                    .map(dev.evener.DeviceInfo::id)
                    .toList();
        } // whose closing has run all callbacks
        assertEquals(6, reports.size());
        for (int i = 0; i < Figures.NAMES.size(); i++) {
            int index = i;
            long sum = reports.stream()
                    .mapToLong(report -> Figures.of(report)[index])
                    .sum();
            String name = Figures.NAMES.get(i);
            assertEquals(sum, KeptSink.count(name), name);
            assertEquals(sum, stage.getOrDefault("evener." + name, 0L), name);
        }
        assertEquals(600_015, KeptSink.count("units"));
        for (String device : devices) {
            long busy = reports.stream()
                    .flatMap(report -> report.devices().stream())
                    .filter(each -> each.id().equals(device))
                    .mapToLong(Report.DeviceUse::busyNanos)
                    .sum();
            assertEquals(busy, KeptSink.count(Figures.busy(device)), device);
        }
    }
}
