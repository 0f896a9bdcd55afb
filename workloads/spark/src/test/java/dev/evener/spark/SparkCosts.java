package dev.evener.spark;

import com.sun.management.OperatingSystemMXBean;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of docs/spark.md, printed; not a part of the tests: {@code ./evener verify --spark -Dtest=SparkCosts}. */
class SparkCosts {
    private static final int PARTITIONS = 2000;
    private static final int ROUNDS = 8;

    @TempDir
    Path folder;

    private interface Step {
        void run() throws IOException;
    }

    /** CPU time of this process for each partition. */
    private static void measure(String what, Step step) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int round = 0; round < ROUNDS; round++) {
            long cpu = system.getProcessCpuTime();
            long start = System.nanoTime();
            step.run();
            System.out.printf(
                    "%s, round %d: %.2f ms CPU, %.2f ms wall a partition%n",
                    what,
                    round,
                    (system.getProcessCpuTime() - cpu) / 1e6 / PARTITIONS,
                    (System.nanoTime() - start) / 1e6 / PARTITIONS);
        }
    }

    /** {@value #PARTITIONS} partitions of 64 Ki elements, in {@code local[2]}. */
    @Test
    void partitions() throws IOException {
        Path file = folder.resolve("ints");
        byte[] chunk = new byte[4 << 16];
        try (java.io.OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < PARTITIONS; i++) {
                out.write(chunk);
            }
        }
        TiledFile ints = new TiledFile(file.toString(), ElementType.INT, 1 << 16);
        try (JavaSparkContext spark = new JavaSparkContext(SparkBed.conf("local[2]"))) {
            List<Integer> items = IntStream.range(0, PARTITIONS).boxed().toList();
            measure("empty", () -> spark.parallelize(items, PARTITIONS).count());
            measure("reduction", () -> SparkReduce.of(spark, ints, Operation.SUM));
            Evener evener = EvenerPlugin.evener();
            measure("without Spark and file", () -> {
                for (int i = 0; i < PARTITIONS; i++) {
                    try (HostBuffer data = evener.allocate(ElementType.INT, 1 << 16)) {
                        Reduce.of(evener, Operation.SUM, data);
                    }
                }
            });
        }
    }

    /** 10,000 small frames in 200 partitions: resident memory of the driver and each executor, twice a second. */
    @Test
    void memory() throws Exception {
        Path in = folder.resolve("in");
        List<Path> few = SparkBed.frames(folder.resolve("few"), 50);
        Files.createDirectories(in);
        for (int i = 0; i < 10_000; i++) {
            Path frame = few.get(i % few.size());
            String name = frame.getFileName().toString();
            Files.createLink(in.resolve(i + name.substring(name.lastIndexOf('.'))), frame);
        }
        SparkConf conf = SparkBed.conf("local-cluster[2,1,1024]").set("spark.executor.memory", "768m");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            Events events = Events.of(spark);
            CompletableFuture<SparkFrames.Result> result = CompletableFuture.supplyAsync(() -> {
                try {
                    return SparkFrames.of(spark)
                            .operator(Operator.HABLE)
                            .partitions(200)
                            .tonemap(in.toString(), folder.resolve("out").toString());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            int printed = 0;
            while (!result.isDone()) {
                Thread.sleep(500);
                if (events.done.get() >= printed + 20) {
                    printed = events.done.get();
                    System.out.println(printed + " tasks done: " + resident());
                }
            }
            System.out.println(result.get().written() + " pictures: " + resident());
        }
    }

    /** MB, by process. */
    private static Map<String, Long> resident() {
        Map<String, Long> sizes = new TreeMap<>();
        sizes.put("driver", megabytes(ProcessHandle.current()));
        ProcessHandle.current()
                .descendants()
                .filter(child -> megabytes(child) > 100) // an executor, not a compiler that it runs
                .forEach(child -> sizes.put("executor " + child.pid(), megabytes(child)));
        return sizes;
    }

    private static long megabytes(ProcessHandle process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // it has ended
        }
    }
}
