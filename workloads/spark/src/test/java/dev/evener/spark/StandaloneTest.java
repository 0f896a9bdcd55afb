package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.ElementType;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.tonemap.Operator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A master and workers on loopback addresses of their own, which Spark takes for hosts. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StandaloneTest {
    private static final String BOTH_LISTS =
            "Spark gave this executor the GPUs [GPU-00000000-1111-2222-3333-444444444444,"
                    + " GPU-55555555-1111-2222-3333-444444444444], and OpenCL has [0.0 ";

    @TempDir
    static Path folder;

    private static final List<Process> processes = new ArrayList<>();
    private static String master = "";
    private static Path expected;

    @BeforeAll
    static void start() throws Exception {
        Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        int port = freePort();
        master = "spark://127.0.0.1:" + port;
        start("127.0.0.1", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "" + port);
        for (int i = 0; !answers(port); i++) {
            assertTrue(i < 600, "the master does not come");
            Thread.sleep(100);
        }
        worker("127.0.0.2", "0.0");
        worker("127.0.0.3", "0.1");
        expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 40), folder.resolve("expected"));
    }

    private static boolean answers(int port) {
        try {
            new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.getLocalPort();
        }
    }

    /** A worker of one core that has these GPUs to give away: of a host without any, ids of other devices. */
    private static void worker(String host, String... gpus) throws IOException {
        Path resources = folder.resolve(host + ".json");
        Files.writeString(
                resources,
                "[{\"id\":{\"componentName\":\"spark.worker\",\"resourceName\":\"gpu\"},\"addresses\":["
                        + Stream.of(gpus).map(g -> '"' + g + '"').collect(Collectors.joining(",")) + "]}]");
        start(
                host,
                "-Dspark.worker.resource.gpu.amount=" + gpus.length,
                "-Dspark.worker.resourcesFile=" + resources,
                "org.apache.spark.deploy.worker.Worker",
                "--host",
                host,
                "--cores",
                "1",
                "--memory",
                "1g",
                "--work-dir",
                folder.resolve("work-" + host).toString(),
                master);
    }

    private static void start(String host, String... command) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path")));
        for (String each : command) {
            all.add(each);
            if (each.startsWith("org.apache")) {
                all.addAll(List.of("--webui-port", "0"));
            }
        }
        ProcessBuilder builder = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(host + ".log").toFile());
        builder.environment().put("SPARK_LOCAL_IP", host);
        processes.add(builder.start());
    }

    @AfterAll
    static void stop() throws InterruptedException {
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            process.waitFor(1, TimeUnit.MINUTES);
        }
    }

    private static SparkConf conf() throws IOException {
        return SparkBed.conf(master)
                .set("spark.executor.memory", "768m")
                .set(EvenerPlugin.SHARED_FILES, "true")
                .set(ScriptedFiles.PREFIX + "fs.scripted.impl", ScriptedFiles.class.getName());
    }

    private static SparkFrames.Result map(JavaSparkContext spark, Path out) throws IOException {
        return SparkFrames.of(spark)
                .operator(Operator.HABLE)
                .partitions(20)
                .tonemap("scripted:" + folder.resolve("in"), "file:" + out);
    }

    private static void await(JavaSparkContext spark) throws InterruptedException {
        for (int i = 0; spark.sc().getExecutorMemoryStatus().size() < 3; i++) { // the driver is one
            assertTrue(i < 1200, "the workers do not come");
            Thread.sleep(100);
        }
    }

    /** Of frames, scans and sorts, before any task. */
    @Test
    void filesOfThisMachineAreRefused() throws Exception {
        String in = folder.resolve("in").toString();
        Path numbers = Files.write(folder.resolve("ints"), new byte[4 << 16]);
        try (JavaSparkContext spark = new JavaSparkContext(conf().remove(EvenerPlugin.SHARED_FILES))) {
            Events events = Events.of(spark);
            TiledFile ints = TiledFile.of("scripted:" + numbers, ElementType.INT);
            for (String out : List.of(
                    "relative",
                    "file:" + folder.resolve("refused"),
                    folder.resolve("refused").toString())) {
                refused(() -> SparkFrames.of(spark).tonemap("scripted:" + in, out));
                refused(() -> SparkFrames.of(spark).tonemap(in, "scripted:" + out));
                refused(() -> SparkSort.sort(spark, ints, out));
                refused(() -> SparkScan.inclusive(spark, ints, Operation.ADD, out));
            }
            assertEquals(0, events.done.get());
            assertFalse(Files.exists(Path.of("relative")) || Files.exists(folder.resolve("refused")));
        }
    }

    private static void refused(Executable call) {
        IOException e = assertThrows(IOException.class, call);
        assertTrue(e.getMessage().contains("is on this machine's disk"), e.getMessage());
    }

    /** Scans and sorts, to each kind of path; executors that are idle end and come again. */
    @Test
    void numbers() throws Exception {
        byte[] input = ClusterJobs.input(200_001);
        Path ints = Files.write(folder.resolve("numbers"), input);
        String relative = "target/relative-" + System.nanoTime();
        String without = folder.resolve("without").toString();
        String with = "scripted:" + folder.resolve("with");
        SparkConf conf = conf().remove(EvenerPlugin.SHARED_FILES)
                .set(ScriptedFiles.PREFIX + "fs.defaultFS", "scripted:///")
                .set("spark.executorEnv.EVENER_CACHE", ints + "/none") // cannot be written
                .set("spark.dynamicAllocation.enabled", "true")
                .set("spark.dynamicAllocation.shuffleTracking.enabled", "true")
                .set("spark.dynamicAllocation.shuffleTracking.timeout", "1s")
                .set("spark.dynamicAllocation.executorIdleTimeout", "1s")
                .set("spark.dynamicAllocation.minExecutors", "0");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            ClusterJobs.numbers(
                    spark, ints.toString(), List.of("file:" + folder.resolve("refused"), relative, without, with));
            FileSystem files = new org.apache.hadoop.fs.Path(with).getFileSystem(spark.hadoopConfiguration());
            for (String out : List.of(relative, without, with)) {
                ClusterJobs.assertNumbers(files, input, out);
            }
        }
        assertFalse(Files.exists(folder.resolve("refused-sorted")) || Files.exists(folder.resolve("refused-scanned")));
    }

    @Test
    void aTaskIsCancelled() throws Exception {
        try (JavaSparkContext spark = new JavaSparkContext(conf().set("spark.cores.max", "1"))) {
            ClusterJobs.cancel(spark, folder.toString());
        }
    }

    /** Their executors are on two hosts, and so in two processes, with one device. */
    @Test
    void twoApplicationsOnOneDevice() throws Exception {
        Path other = folder.resolve("other");
        SparkConf conf = conf().set("spark.cores.max", "1").set("spark.evener.devices", "0.0");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(org.apache.spark.launcher.JavaModuleOptions.defaultModuleOptions()
                .split(" ", -1)));
        Stream.of(conf.getAll()).forEach(each -> command.add("-D" + each._1() + "=" + each._2()));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Tonemap.class.getName()));
        command.addAll(List.of("--operator", "hable", "scripted:" + folder.resolve("in"), "file:" + other));
        Path log = folder.resolve("other.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            int rounds = 0;
            do {
                Path out = folder.resolve("one-" + rounds++);
                map(spark, out);
                SparkBed.assertPictures(expected, out);
            } while (process.isAlive());
        }
        assertEquals(0, process.waitFor(), Files.readString(log));
        SparkBed.assertPictures(expected, other);
    }

    @Test
    void anExecutorThatIsKilled() throws Exception {
        Path out = folder.resolve("killed");
        Events events;
        try (JavaSparkContext spark = new JavaSparkContext(conf().set(ScriptedFiles.PREFIX + "test.delay", "50"))) {
            events = Events.of(spark);
            await(spark);
            CompletableFuture<SparkFrames.Result> result = CompletableFuture.supplyAsync(() -> {
                try {
                    return map(spark, out);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            while (events.done.get() < 4) {
                assertFalse(result.isDone());
                Thread.sleep(5);
            }
            ProcessHandle executor = processes.stream()
                    .flatMap(Process::descendants)
                    .filter(p -> commandLine(p).contains("CoarseGrainedExecutorBackend"))
                    .findFirst()
                    .orElseThrow();
            assertTrue(executor.destroyForcibly());
            assertEquals(new SparkFrames.Result(40, List.of()), result.get(5, TimeUnit.MINUTES));
        }
        assertFalse(events.lost.isEmpty(), "no executor was lost");
        SparkBed.assertPictures(expected, out);
    }

    /** That of the handle's own information is missing where it is as long as here. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void aTaskThatHangsIsOvertakenByItsCopy() throws Exception {
        Path out = folder.resolve("copied");
        Events events;
        try (JavaSparkContext spark = new JavaSparkContext(conf().set(ScriptedFiles.PREFIX + "test.at", "frame0013")
                .set(ScriptedFiles.PREFIX + "test.what", "sleep")
                .set(
                        ScriptedFiles.PREFIX + "test.marker",
                        folder.resolve("slept").toString())
                .set("spark.speculation", "true")
                .set("spark.speculation.interval", "100ms")
                .set("spark.speculation.quantile", "0.5"))) {
            events = Events.of(spark);
            await(spark);
            assertEquals(new SparkFrames.Result(40, List.of()), map(spark, out));
            SparkBed.assertPictures(expected, out);
            for (int i = 0; i < 100 && events.copies.isEmpty(); i++) {
                Thread.sleep(100); // events are told later
            }
        }
        assertTrue(Files.exists(folder.resolve("slept")));
        assertFalse(events.copies.isEmpty(), "there was no copy");
        SparkBed.assertPictures(expected, out);
    }

    @Test
    void eachExecutorOpensTheDeviceThatSparkGaveIt() throws Exception {
        SparkConf conf = conf().set("spark.executor.resource.gpu.amount", "1")
                .set("spark.task.resource.gpu.amount", "1")
                .set("spark.executorEnv.LD_PRELOAD", "$ORIGIN/../lib/libjsig.so"); // as submit has it
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            await(spark);
            Map<String, String> opened = new TreeMap<>();
            EvenerRdd.mapPartitions(
                            spark.parallelize(IntStream.range(0, 8).boxed().toList(), 8), (evener, own) -> {
                                Thread.sleep(300); // so that both executors have some
                                assertTrue(Files.readString(Path.of("/proc/self/maps"))
                                        .contains("/lib/libjsig.so"));
                                String gpu = TaskContext.get()
                                        .resourcesJMap()
                                        .get("gpu")
                                        .addresses()[0];
                                return List.of(gpu + " "
                                                + evener.devices().stream()
                                                        .map(DeviceInfo::id)
                                                        .toList())
                                        .iterator();
                            })
                    .collect()
                    .forEach(each -> opened.put(each.substring(0, 3), each));
            assertEquals(Map.of("0.0", "0.0 [0.0]", "0.1", "0.1 [0.1]"), opened);
        }
    }

    @Test
    void aForeignGpuFailsAtTheStartNamingBothLists() throws Exception {
        worker("127.0.0.4", "GPU-00000000-1111-2222-3333-444444444444", "GPU-55555555-1111-2222-3333-444444444444");
        SparkConf conf =
                conf().set("spark.executor.resource.gpu.amount", "2").set("spark.task.resource.gpu.amount", "2");
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            SparkException e = assertThrows(
                    SparkException.class, () -> spark.parallelize(List.of(1), 1).count());
            assertTrue(e.getMessage().contains(BOTH_LISTS), e.getMessage());
        }
    }
}
