package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.JobFuture;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.tonemap.Operator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;

/** An application that is submitted to clusters, or run by a test's own driver: it throws where something is wrong. */
public final class ClusterJobs {
    private static final int BLOCK = 1 << 16;
    private static final int CONTROL_BYTES = 1 << 28;

    private ClusterJobs() {}

    /** What to do, and on what. */
    public static void main(String[] arguments) throws Exception {
        List<String> rest = List.of(arguments).subList(2, arguments.length);
        try (JavaSparkContext spark = new JavaSparkContext()) {
            switch (arguments[0]) {
                case "numbers" -> numbers(spark, arguments[1], rest);
                case "copied" -> copied(spark, arguments[1], rest.get(0), Integer.parseInt(rest.get(1)));
                case "jvm" -> jvm(spark, arguments[1], rest.get(0), Integer.parseInt(rest.get(1)));
                case "cancel" -> cancel(spark, arguments[1]);
                case "large" ->
                    SparkSort.sort(
                            spark,
                            new TiledFile(arguments[1], ElementType.INT, Integer.parseInt(rest.get(1))),
                            rest.get(0));
                default -> control(spark, Integer.parseInt(arguments[1]));
            }
        }
    }

    /** The same for each test, little-endian. */
    static byte[] input(int elements) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * elements).order(ByteOrder.LITTLE_ENDIAN);
        new Random(elements).ints(elements).forEach(bytes::putInt);
        return bytes.array();
    }

    /** Sorts and scans into each of these paths; those of this machine's disk must be refused before any task. */
    static void numbers(JavaSparkContext spark, String in, List<String> outs) throws Exception {
        Events events = Events.of(spark);
        TiledFile ints = new TiledFile(in, ElementType.INT, BLOCK);
        for (String out : outs) {
            if (out.startsWith("file:")) {
                for (String each : List.of(out + "-sorted", out + "-scanned")) {
                    IOException e = assertThrows(IOException.class, () -> SparkSort.sort(spark, ints, each));
                    assertTrue(e.getMessage().contains("is on this machine's disk"), e.getMessage());
                    e = assertThrows(IOException.class, () -> SparkScan.inclusive(spark, ints, Operation.ADD, each));
                    assertTrue(e.getMessage().contains("is on this machine's disk"), e.getMessage());
                }
                assertEquals(0, events.done.get());
            } else {
                SparkSort.sort(spark, ints, out + "-sorted");
                if (spark.getConf().getBoolean("spark.dynamicAllocation.enabled", false)) {
                    awaitNone(spark);
                }
                SparkScan.inclusive(spark, ints, Operation.ADD, out + "-scanned");
            }
        }
    }

    /** Maps frames where executors have the JVM lane alone. */
    private static void jvm(JavaSparkContext spark, String in, String out, int frames) throws Exception {
        List<String> devices = EvenerRdd.mapPartitions(
                        spark.parallelize(List.of(1), 1),
                        (evener, own) -> evener.devices().stream()
                                .map(each -> each.kind().name())
                                .iterator())
                .collect();
        assertEquals(List.of("JVM"), devices);
        assertEquals(
                new SparkFrames.Result(frames, List.of()),
                SparkFrames.of(spark)
                        .operator(Operator.HABLE)
                        .partitions(frames)
                        .tonemap(in, out));
    }

    /** Maps frames, one of which hangs in its first attempt. */
    static void copied(JavaSparkContext spark, String in, String out, int frames) throws Exception {
        Events events = Events.of(spark);
        assertEquals(
                new SparkFrames.Result(frames, List.of()),
                SparkFrames.of(spark)
                        .operator(Operator.HABLE)
                        .partitions(frames)
                        .tonemap("scripted:" + in, out));
        for (int i = 0; i < 100 && events.copies.isEmpty(); i++) {
            Thread.sleep(100); // events are told later
        }
        assertFalse(events.copies.isEmpty(), "there was no copy");
    }

    /** Executors without work end. */
    private static void awaitNone(JavaSparkContext spark) throws InterruptedException {
        for (int i = 0; spark.sc().getExecutorMemoryStatus().size() > 1; i++) { // the driver is one
            assertTrue(i < 600, "an executor without work stays");
            Thread.sleep(100);
        }
        System.out.println("ClusterJobs: no executor is left");
    }

    /** The right files in the right place, and nothing else. */
    static void assertNumbers(FileSystem files, byte[] input, String out) throws IOException {
        int[] values = new int[input.length / 4];
        ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(values);
        int[] scanned = values.clone();
        Arrays.parallelPrefix(scanned, Integer::sum);
        Arrays.sort(values);
        assertArrayEquals(values, content(files, new Path(out + "-sorted")), out);
        assertArrayEquals(scanned, content(files, new Path(out + "-scanned")), out);
    }

    static int[] content(FileSystem files, Path folder) throws IOException {
        List<String> names = new ArrayList<>();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (FileStatus each : files.listStatus(folder)) {
            names.add(each.getPath().getName());
        }
        names.sort(null);
        assertEquals("_SUCCESS", names.get(0));
        for (String name : names.subList(1, names.size())) {
            assertTrue(name.startsWith("part-"), name);
            try (InputStream in = files.open(new Path(folder, name))) {
                in.transferTo(all);
            }
        }
        int[] values = new int[all.size() / 4];
        ByteBuffer.wrap(all.toByteArray())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asIntBuffer()
                .get(values);
        return values;
    }

    /** A task in a job of thousands of launches is cancelled, in both ways; the one executor does something else then. */
    static void cancel(JavaSparkContext spark, String folder) throws Exception {
        for (boolean interrupts : new boolean[] {true, false}) {
            String marker = folder + "/begun-" + interrupts + "-" + System.nanoTime();
            CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
                spark.setJobGroup("long", "endless", interrupts);
                EvenerRdd.mapPartitions(spark.parallelize(List.of(1), 1), (evener, own) -> {
                            try (HostBuffer out = evener.allocate(ElementType.INT, 1 << 20)) {
                                JobFuture job = evener.submit(TaskJobsTest.endless(out));
                                Files.createFile(java.nio.file.Path.of(marker));
                                job.join();
                            }
                            return own;
                        })
                        .collect();
            });
            while (!Files.exists(java.nio.file.Path.of(marker))) {
                assertTrue(!ended.isDone());
                Thread.sleep(20);
            }
            Thread.sleep(500); // on its devices
            long start = System.nanoTime();
            spark.cancelJobGroup("long");
            assertThrows(CompletionException.class, ended::join);
            assertEquals(
                    List.of(1),
                    EvenerRdd.mapPartitions(spark.parallelize(List.of(1), 1), (evener, own) -> {
                                assertEquals(0, evener.queue().length());
                                return List.of(TaskJobsTest.sum(evener)).iterator();
                            })
                            .collect());
            System.out.printf(
                    "ClusterJobs: %s interruption the next task was done %d ms after the cancellation%n",
                    interrupts ? "with" : "without", (System.nanoTime() - start) / 1_000_000);
        }
    }

    /** Touches so many pieces of memory outside of the heap, and keeps them for a while. */
    private static void control(JavaSparkContext spark, int pieces) {
        spark.parallelize(List.of(1), 1)
                .map(one -> {
                    List<ByteBuffer> memory = new ArrayList<>();
                    for (int i = 0; i < pieces; i++) {
                        memory.add(ByteBuffer.allocateDirect(CONTROL_BYTES)); // which sets it to zeros
                    }
                    Thread.sleep(20_000);
                    return memory.size();
                })
                .collect();
    }
}
