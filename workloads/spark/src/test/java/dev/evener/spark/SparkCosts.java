package dev.evener.spark;

import com.sun.management.OperatingSystemMXBean;
import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.kernels.Submission;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of docs/spark.md, printed; not a part of the tests: {@code ./evener verify --spark -Dtest=SparkCosts}. */
class SparkCosts {
    private static final int PARTITIONS = 2000;
    private static final int ROUNDS = 8;
    private static final int COLUMN_ROUNDS = 6;
    private static final int REPEATS = 5; // the clock of CPU time counts in 10 ms

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

    /** 64 MB of columns in {@code local[2]}: CPU of a MB by kernels without rows, by the call alone with copies, and by Spark's own. */
    @Test
    void columns() throws Exception {
        int rows = 8 << 20;
        StringBuilder fifty = new StringBuilder("x");
        StringBuilder own = new StringBuilder("x");
        for (int i = 0; i < 25; i++) {
            fifty.insert(0, "(").append(" * y + w)");
            own.insert(0, "(").append(" * y + w)");
        }
        ColumnKernel many = ColumnKernel.of(
                "many",
                "#pragma OPENCL FP_CONTRACT OFF\nkernel void many(global const float *X, global const float *Y, global const float *W,"
                        + " global float *out) { size_t i = get_global_id(0); float x = X[i], y = Y[i], w = W[i]; out[i] = "
                        + fifty + "; }",
                ElementType.FLOAT);
        SparkSession spark = SparkSession.builder()
                .config(SparkBed.conf("local[2]").set("spark.sql.extensions", EvenerFrame.Extensions.class.getName()))
                .getOrCreate();
        try {
            Dataset<Row> floats = spark.range(0, rows, 1, 4)
                    .selectExpr(
                            "cast(id % 1000 as float) AS x",
                            "cast(id % 7 as float) / 8 AS y0", "cast(id as float) AS w")
                    .selectExpr("x", "cast(y0 as float) AS y", "w")
                    .cache();
            floats.count();
            float[][] arrays = new float[4][rows];
            for (int round = 0; round < COLUMN_ROUNDS; round++) {
                megabytes("scan", 64, () -> columnar(floats.select("x", "y")));
                megabytes(
                        "saxpy, columns",
                        64,
                        () -> columnar(EvenerFrame.map(floats, "z", EvenerFrameTest.SAXPY, "x", "y")
                                .select("z")));
                megabytes("saxpy, columns without the scan", 64, () -> ready(spark, EvenerFrameTest.SAXPY, 2, rows));
                megabytes("saxpy, direct", 64, () -> direct(EvenerFrameTest.SAXPY, arrays, 2));
                megabytes(
                        "saxpy, columns, sum",
                        64,
                        () -> EvenerFrame.map(floats, "z", EvenerFrameTest.SAXPY, "x", "y")
                                .selectExpr("sum(z)")
                                .collectAsList());
                megabytes(
                        "saxpy, Spark, sum",
                        64,
                        () -> floats.selectExpr("sum(cast(2.5 as float) * x + y)")
                                .collectAsList());
                megabytes("many, scan", 96, () -> columnar(floats));
                megabytes(
                        "many, columns",
                        96,
                        () -> columnar(EvenerFrame.map(floats, "z", many, "x", "y", "w")
                                .select("z")));
                megabytes("many, columns without the scan", 96, () -> ready(spark, many, 3, rows));
                megabytes("many, direct", 96, () -> direct(many, arrays, 3));
                megabytes(
                        "many, columns, sum",
                        96,
                        () -> EvenerFrame.map(floats, "z", many, "x", "y", "w")
                                .selectExpr("sum(z)")
                                .collectAsList());
                megabytes(
                        "many, Spark, sum",
                        96,
                        () -> floats.selectExpr("sum(" + own + ")").collectAsList());
                megabytes(
                        "many, Spark, noop",
                        96,
                        () -> floats.selectExpr(own + " AS z")
                                .write()
                                .format("noop")
                                .mode("overwrite")
                                .save());
                megabytes(
                        "many, columns, noop",
                        96,
                        () -> EvenerFrame.map(floats, "z", many, "x", "y", "w")
                                .select("z")
                                .write()
                                .format("noop")
                                .mode("overwrite")
                                .save());
            }
        } finally {
            spark.stop();
        }
    }

    static void columnar(Dataset<Row> frame) {
        SparkPlan plan = frame.queryExecution().executedPlan();
        while (!plan.supportsColumnar()) { // what makes rows of it
            plan = plan.children().head();
        }
        org.apache.spark.api.java.JavaRDD.fromRDD(
                        plan.executeColumnar(), scala.reflect.ClassTag$.MODULE$.apply(ColumnarBatch.class))
                .map(ColumnarBatch::numRows)
                .reduce(Integer::sum);
    }

    /** Four partitions of batches that are there, as large as those of a cached frame. */
    static void ready(SparkSession spark, ColumnKernel kernel, int inputs, int rows) {
        int batch = 10_000;
        List<Integer> places = IntStream.range(0, inputs).boxed().toList();
        List<KernelExec.Made> made = List.of(new KernelExec.Made(kernel.result(), kernel, places));
        JavaSparkContext.fromSparkContext(spark.sparkContext())
                .parallelize(List.of(0, 1, 2, 3), 4)
                .mapPartitions(own -> {
                    ColumnVector[] columns = places.stream()
                            .map(i -> new OnHeapColumnVector(batch, DataTypes.FloatType))
                            .toArray(ColumnVector[]::new);
                    Iterator<ColumnarBatch> batches = IntStream.range(0, rows / 4 / batch)
                            .mapToObj(i -> new ColumnarBatch(columns, batch))
                            .iterator();
                    return new KernelBatches(batches, Collections.nCopies(inputs, ElementType.FLOAT), made);
                })
                .map(ColumnarBatch::numRows)
                .reduce(Integer::sum);
    }

    /** Two threads, each with half of the rows, a Mi at once. */
    static void direct(ColumnKernel kernel, float[][] arrays, int inputs) {
        Evener evener = EvenerPlugin.evener();
        IntStream.range(0, 2).parallel().forEach(half -> {
            int piece = 1 << 20;
            HostBuffer[] buffers = new HostBuffer[inputs + 1];
            for (int i = 0; i <= inputs; i++) {
                buffers[i] = evener.allocate(ElementType.FLOAT, piece);
            }
            for (int at = half * arrays[0].length / 2; at < (half + 1) * arrays[0].length / 2; at += piece) {
                JobBuilder job = Job.named(kernel.function())
                        .source(kernel.source())
                        .units(piece)
                        .kernel(kernel.function());
                for (int i = 0; i < inputs; i++) {
                    buffers[i].put(0, FloatBuffer.wrap(arrays[i], at, piece));
                    job.reads(buffers[i], Access.slice());
                }
                job.writes(buffers[inputs], Access.slice());
                kernel.scalars().forEach(job::scalar);
                Submission.run(evener, job.build());
                buffers[inputs].get(0, FloatBuffer.wrap(arrays[3], at, piece));
            }
            for (HostBuffer each : buffers) {
                each.close();
            }
        });
    }

    private static void megabytes(String what, int megabytes, Step step) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        for (int i = 0; i < REPEATS; i++) {
            step.run();
        }
        System.out.printf(
                "%s: %.2f ms CPU, %.2f ms wall a MB%n",
                what,
                (system.getProcessCpuTime() - cpu) / 1e6 / megabytes / REPEATS,
                (System.nanoTime() - start) / 1e6 / megabytes / REPEATS);
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
