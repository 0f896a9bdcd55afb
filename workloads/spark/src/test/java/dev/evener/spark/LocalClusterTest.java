package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two executors in processes of their own. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalClusterTest {
    private static final String CLUSTER = "local-cluster[2,1,1024]";

    @TempDir
    Path folder;

    private SparkConf scripted(String at, String what) throws Exception {
        return SparkBed.conf(CLUSTER)
                .set(ScriptedFiles.PREFIX + "fs.scripted.impl", ScriptedFiles.class.getName())
                .set(ScriptedFiles.PREFIX + "test.at", at)
                .set(ScriptedFiles.PREFIX + "test.what", what)
                .set(
                        ScriptedFiles.PREFIX + "test.marker",
                        folder.resolve("marker").toString());
    }

    /** Maps 40 frames, none of which fails. */
    private static void mapAll(JavaSparkContext spark, String in, String out) throws Exception {
        SparkFrames.Result result =
                SparkFrames.of(spark).operator(Operator.HABLE).partitions(8).tonemap(in, out);
        assertEquals(new SparkFrames.Result(40, List.of()), result);
    }

    @Test
    void anExecutorThatIsHaltedInMidJob() throws Exception {
        Path expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 40), folder.resolve("expected"));
        Path out = folder.resolve("out");
        Events events;
        try (JavaSparkContext spark = new JavaSparkContext(scripted("frame0013", "halt"))) {
            events = Events.of(spark);
            mapAll(spark, "scripted:" + folder.resolve("in"), "file:" + out);
        }
        assertTrue(Files.exists(folder.resolve("marker")));
        assertFalse(events.lost.isEmpty(), "no executor was lost");
        SparkBed.assertPictures(expected, out);
    }

    @Test
    void aTaskThatAlwaysThrowsEndsTheJobAndLeavesNothing() throws Exception {
        SparkBed.frames(folder.resolve("in"), 6);
        // A folder where no task can write: every attempt fails.
        try (JavaSparkContext spark = new JavaSparkContext(
                SparkBed.conf(CLUSTER).set(ScriptedFiles.PREFIX + "fs.scripted.impl", FullFiles.class.getName()))) {
            Events events = Events.of(spark);
            SparkException e = assertThrows(
                    SparkException.class,
                    () -> SparkFrames.of(spark)
                            .partitions(2)
                            .tonemap("file:" + folder.resolve("in"), "scripted:" + folder.resolve("out")));
            assertTrue(e.getMessage().contains("there is no room"), e.getMessage());
            assertTrue(events.failures.size() >= 4, "each task has four attempts");
            Thread.sleep(1000);
            try (java.util.stream.Stream<Path> left = Files.walk(folder)) {
                assertEquals(
                        List.of(),
                        left.filter(f -> f.startsWith(folder.resolve("out"))).toList());
            }
        }
    }

    /** A cluster whose file system is full. */
    public static final class FullFiles extends org.apache.hadoop.fs.RawLocalFileSystem {
        /** As Hadoop makes one. */
        public FullFiles() {}

        @Override
        public java.net.URI getUri() {
            return java.net.URI.create("scripted:///");
        }

        @Override
        public org.apache.hadoop.fs.FSDataOutputStream create(
                org.apache.hadoop.fs.Path file,
                boolean overwrite,
                int bufferSize,
                short replication,
                long blockSize,
                org.apache.hadoop.util.Progressable progress)
                throws java.io.IOException {
            throw new java.io.IOException("there is no room");
        }
    }

    /** Executors have folders of their own, from which a relative path means another place. */
    @Test
    void relativePathsAreTheDrivers() throws Exception {
        Path expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 6), folder.resolve("expected"));
        Path here = Files.createTempDirectory(Path.of("target"), "relative");
        Path numbers = Files.write(folder.resolve("ints"), new byte[4 << 17]);
        try (JavaSparkContext spark = new JavaSparkContext(SparkBed.conf(CLUSTER))) {
            SparkFrames.of(spark)
                    .operator(Operator.HABLE)
                    .tonemap(
                            folder.resolve("in").toString(),
                            here.resolve("frames").toString());
            SparkBed.assertPictures(expected, here.resolve("frames"));
            TiledFile ints = new TiledFile(numbers.toString(), ElementType.INT, 1 << 16);
            SparkScan.inclusive(spark, ints, dev.evener.kernels.scan.Operation.ADD, here + "/scanned");
            SparkSort.sort(spark, ints, here + "/sorted");
            for (String out : List.of("scanned", "sorted")) {
                assertEquals(List.of("_SUCCESS", "part-00000", "part-00001"), SparkBed.names(here.resolve(out)));
            }
        }
    }

    /** A file system of which each process has its own, as that of a disk has where nobody says so. */
    @Test
    void whatTasksWroteElsewhereIsNoSuccess() throws Exception {
        SparkBed.frames(folder.resolve("in"), 6);
        Path out = folder.resolve("out");
        try (JavaSparkContext spark = new JavaSparkContext(
                SparkBed.conf(CLUSTER).set(ScriptedFiles.PREFIX + "fs.scripted.impl", ApartFiles.class.getName()))) {
            IOException e = assertThrows(
                    IOException.class,
                    () -> SparkFrames.of(spark).tonemap("file:" + folder.resolve("in"), "scripted:" + out));
            assertTrue(e.getMessage().contains("of 6 files that tasks wrote, 6 are not there"), e.getMessage());
        }
        assertFalse(Files.exists(Path.of(out + ".of-" + ProcessHandle.current().pid())));
    }

    /** Where each process sees other files. */
    public static final class ApartFiles extends org.apache.hadoop.fs.RawLocalFileSystem {
        /** As Hadoop makes one. */
        public ApartFiles() {}

        @Override
        public java.net.URI getUri() {
            return java.net.URI.create("scripted:///");
        }

        @Override
        public java.io.File pathToFile(org.apache.hadoop.fs.Path path) {
            String name = super.pathToFile(path).getPath();
            return new java.io.File(name.replaceFirst(
                    "/out(/|$)", "/out.of-" + ProcessHandle.current().pid() + "$1"));
        }
    }

    /** A driver that ends the process says nothing to anybody; without OpenCL there is nothing to work on. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PATH | none | PoCL needs the linker ld, which is in no folder of PATH",
                "PATH | broken | failed its self-test and is left out; --devices 0.0 insists: its driver ends the process that tests it (signal 6)",
                "POCL_CACHE_DIR | broken/ld/none | PoCL cannot keep what it builds in its folder",
                "OCL_ICD_VENDORS | none | OpenCL is required, but"
            })
    void anExecutorWithoutALinkerOrCacheOrOpenClSaysSoAtTheDriver(String variable, String value, String reason)
            throws Exception {
        Path linker = Files.createDirectory(folder.resolve("broken")).resolve("ld");
        Files.writeString(linker, "#!/bin/sh\nexit 1\n");
        assertTrue(linker.toFile().setExecutable(true));
        SparkConf conf = SparkBed.conf("local-cluster[1,1,1024]")
                .set("spark.executorEnv." + variable, folder.resolve(value).toString());
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            SparkException e = assertThrows(
                    SparkException.class, () -> spark.parallelize(List.of(1), 1).count());
            assertTrue(e.getMessage().contains(reason), e.getMessage());
        }
    }

    private SparkConf faulty(String faults) throws Exception {
        return SparkBed.conf(CLUSTER)
                .set("spark.plugins", FaultyPlugin.class.getName())
                .set(FaultyPlugin.FAULTS, faults)
                .set(FaultyPlugin.MARKER, folder.resolve("faulty").toString())
                .set(EvenerPlugin.HISTORY, folder.resolve("histories").toString());
    }

    @Test
    void aDeviceThatDies() throws Exception {
        Path expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 40), folder.resolve("expected"));
        Path out = folder.resolve("out");
        try (JavaSparkContext spark = new JavaSparkContext(faulty("lane=1,chunk=4,fault=die"))) {
            Events events = Events.of(spark);
            mapAll(spark, folder.resolve("in").toString(), out.toString());
            assertEquals(Map.of(), events.lost, "the other device goes on");
            assertEquals(Set.of(), events.failures);
        }
        assertTrue(Files.exists(folder.resolve("faulty.fault")), "no device died");
        SparkBed.assertPictures(expected, out);
    }

    /** That of one job's own exception goes on. */
    @Test
    void anExecutorWithoutAWorkingDeviceEnds() throws Exception {
        Path expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 40), folder.resolve("expected"));
        Path out = folder.resolve("out");
        try (JavaSparkContext spark =
                new JavaSparkContext(faulty("lane=0,chunk=4,fault=die;lane=1,chunk=4,fault=die"))) {
            Events events = Events.of(spark);
            mapAll(spark, folder.resolve("in").toString(), out.toString());
            SparkBed.assertPictures(expected, out);
            long end = System.nanoTime() + 60_000_000_000L;
            while (events.lost.isEmpty() && System.nanoTime() < end) {
                Thread.sleep(50); // events are told later
            }
            List<Integer> items = IntStream.range(0, 8).boxed().toList();
            List<Integer> results = EvenerRdd.mapPartitions(spark.parallelize(items, 8), (evener, own) -> {
                        if (TaskContext.get().attemptNumber() == 0) {
                            throw new EvenerException("this job only");
                        }
                        return own;
                    })
                    .collect();
            assertEquals(items, results);
            assertEquals(1, events.lost.size(), events.lost.toString());
            assertTrue(events.lost.toString().contains("code " + EvenerPlugin.NO_DEVICES), events.lost.toString());
        }
        assertTrue(Files.exists(folder.resolve("faulty.fault")));
    }

    /** The second application's executors begin with what the first one's learnt. */
    @Test
    void twoApplicationsInOneDriver() throws Exception {
        SparkConf conf = SparkBed.conf(CLUSTER)
                .set(EvenerPlugin.HISTORY, folder.resolve("histories").toString());
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            assertEquals(0, known(spark));
            Path file = Files.write(folder.resolve("ints"), new byte[4 * 300_000]);
            for (int i = 0; i < 4; i++) {
                if (i == 3) {
                    Thread.sleep(6000); // what an executor learnt is told at most every five seconds
                }
                SparkReduce.of(spark, new TiledFile(file.toString(), ElementType.INT, 1 << 16), Operation.SUM);
            }
            Thread.sleep(1000);
        }
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            assertTrue(known(spark) > 0);
        }
    }

    private static int known(JavaSparkContext spark) {
        return EvenerRdd.mapPartitions(
                        spark.parallelize(List.of(1), 1),
                        (evener, own) ->
                                List.of(evener.history().entries().size()).iterator())
                .first();
    }
}
