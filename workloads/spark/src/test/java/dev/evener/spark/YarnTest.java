package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** YARN and HDFS by Hadoop's mini clusters; applications are submitted as users do, by SparkSubmit in a process of its own. */
@Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class YarnTest {
    private static final int FRAMES = 8;

    @TempDir
    static Path folder;

    private static MiniDFSCluster hdfs;
    private static MiniYARNCluster yarn;
    private static YarnClient client;
    private static FileSystem files;
    private static Path expected;
    private static int applications;

    @BeforeAll
    static void start() throws Exception {
        Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        Configuration conf = new Configuration();
        conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
        hdfs = new MiniDFSCluster.Builder(conf).build();
        files = hdfs.getFileSystem();
        files.mkdirs(files.getHomeDirectory());
        YarnConfiguration own = new YarnConfiguration(hdfs.getConfiguration(0));
        own.set("yarn.scheduler.capacity.root.queues", "default");
        own.set("yarn.scheduler.capacity.root.default.capacity", "100");
        own.set("yarn.scheduler.minimum-allocation-mb", "128");
        own.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0");
        own.set("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.9");
        own.set("yarn.nodemanager.vmem-check-enabled", "false");
        own.set("yarn.minicluster.control-resource-monitoring", "true");
        own.set(
                "yarn.nodemanager.resource.memory.enforced",
                "false"); // by control groups, in whose place a monitor looks
        own.set("yarn.nodemanager.container-monitor.interval-ms", "200");
        own.set(
                "yarn.application.classpath",
                System.getProperty("java.class.path").replace(':', ','));
        yarn = new MiniYARNCluster("evener", 1, 1, 1);
        yarn.init(own);
        yarn.start();
        assertTrue(yarn.waitForNodeManagersToConnect(60_000));
        Path settings = Files.createDirectories(folder.resolve("conf"));
        try (OutputStream core = Files.newOutputStream(settings.resolve("core-site.xml"));
                OutputStream site = Files.newOutputStream(settings.resolve("yarn-site.xml"))) {
            yarn.getConfig().writeXml(core);
            yarn.getConfig().writeXml(site);
        }
        client = YarnClient.createYarnClient();
        client.init(yarn.getConfig());
        client.start();
        List<Path> frames = SparkBed.frames(folder.resolve("in"), FRAMES);
        expected = SparkBed.expected(frames, folder.resolve("expected"));
        files.copyFromLocalFile(hadoop(folder.resolve("in").toString()), hadoop("/in"));
    }

    @AfterAll
    static void stop() throws Exception {
        if (client != null) {
            client.stop();
        }
        if (yarn != null) {
            yarn.stop();
        }
        hdfs.shutdown(true);
    }

    private static org.apache.hadoop.fs.Path hadoop(String path) {
        return new org.apache.hadoop.fs.Path(path);
    }

    /** An application under way, and what it says. */
    private record Submitted(Process process, String name, Path log) {}

    private static Submitted frames(String mode, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("--operator", "hable", "--partitions", "" + FRAMES));
        all.addAll(Arrays.asList(arguments));
        return submit(mode, Tonemap.class, List.of(), all);
    }

    private static Submitted submit(String mode, Class<?> main, List<String> more, List<String> arguments)
            throws IOException {
        String classes = System.getProperty("java.class.path");
        Path jar = folder.resolve("empty.jar");
        if (!Files.exists(jar)) {
            new java.util.jar.JarOutputStream(Files.newOutputStream(jar), new java.util.jar.Manifest()).close();
        }
        String name = "application-" + applications++;
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(Arrays.asList(org.apache.spark.launcher.JavaModuleOptions.defaultModuleOptions()
                .split(" ", -1)));
        command.addAll(List.of("-cp", folder.resolve("conf") + ":" + classes, "org.apache.spark.deploy.SparkSubmit"));
        command.addAll(List.of("--master", "yarn", "--deploy-mode", mode, "--name", name, "--class", main.getName()));
        List<String> settings = new ArrayList<>(List.of(
                "spark.driver.extraClassPath=" + classes,
                "spark.executor.extraClassPath=" + classes,
                "spark.yarn.jars=local:" + jar,
                "spark.yarn.am.memory=512m",
                "spark.driver.memory=512m",
                "spark.executor.memory=512m",
                "spark.executor.instances=1",
                "spark.ui.enabled=false",
                "spark.executorEnv.LD_PRELOAD={{JAVA_HOME}}/lib/libjsig.so", // as submit has it
                "spark.executorEnv._JAVA_SR_SIGNUM=50",
                "spark.hadoop.fs.scripted.impl=" + ScriptedFiles.class.getName(),
                "spark.hadoop.test.delay=" + (arguments.toString().contains("scripted:/") ? "2000" : "0"),
                "spark.plugins=" + EvenerPlugin.class.getName()));
        settings.addAll(more);
        settings.forEach(setting -> command.addAll(List.of("--conf", setting)));
        command.add(jar.toString());
        command.addAll(arguments);
        Path log = folder.resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("HADOOP_CONF_DIR", folder.resolve("conf").toString());
        return new Submitted(builder.start(), name, log);
    }

    /** How an application and the program that submitted it ended; gives what that said. */
    private static String ended(Submitted submitted, int code, FinalApplicationStatus status, int attempts)
            throws Exception {
        assertTrue(submitted.process.waitFor(15, TimeUnit.MINUTES));
        String said = Files.readString(submitted.log);
        assertEquals(code, submitted.process.exitValue(), said);
        ApplicationReport report = client.getApplications().stream()
                .filter(each -> each.getName().equals(submitted.name))
                .findFirst()
                .orElseThrow();
        assertEquals(status, report.getFinalApplicationStatus(), said);
        assertEquals(
                attempts,
                client.getApplicationAttempts(report.getApplicationId()).size(),
                said);
        said.lines().filter(line -> line.startsWith("ClusterJobs: ")).forEach(System.out::println);
        return said;
    }

    private static void assertPictures(String out) throws IOException {
        List<String> names = new ArrayList<>(SparkBed.names(expected));
        names.add(0, "_SUCCESS");
        List<String> there = new ArrayList<>();
        for (FileStatus each : files.listStatus(hadoop(out))) {
            there.add(each.getPath().getName());
        }
        assertEquals(names, there);
        for (String name : names.subList(1, names.size())) {
            try (var in = files.open(hadoop(out + "/" + name))) {
                assertArrayEquals(Files.readAllBytes(expected.resolve(name)), in.readAllBytes(), name);
            }
        }
    }

    @Test
    void theDriverHere() throws Exception {
        ended(frames("client", "/in", "/client"), 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures("/client");
        ended(frames("client", "/in", "file:" + folder.resolve("refused")), 1, FinalApplicationStatus.SUCCEEDED, 1);
        assertFalse(Files.exists(folder.resolve("refused")));
    }

    @Test
    void theDriverThere() throws Exception {
        ended(frames("cluster", "/in", "relative"), 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures(files.getHomeDirectory() + "/relative");
        ended(frames("cluster", "/in", "file:" + folder.resolve("refused")), 1, FinalApplicationStatus.FAILED, 2);
        assertFalse(Files.exists(folder.resolve("refused")));
    }

    /** Scans and sorts, to each kind of path; executors that are idle end and come again. */
    @ParameterizedTest
    @ValueSource(strings = {"client", "cluster"})
    void numbers(String mode) throws Exception {
        byte[] input = ClusterJobs.input(200_001);
        try (OutputStream out = files.create(hadoop("/ints"), true)) {
            out.write(input);
        }
        String relative = "numbers-" + mode;
        List<String> dynamic = List.of(
                "spark.dynamicAllocation.enabled=true",
                "spark.dynamicAllocation.shuffleTracking.enabled=true",
                "spark.dynamicAllocation.shuffleTracking.timeout=1s",
                "spark.dynamicAllocation.executorIdleTimeout=1s",
                "spark.dynamicAllocation.minExecutors=0",
                "spark.dynamicAllocation.maxExecutors=2",
                "spark.executorEnv.EVENER_CACHE=" + folder.resolve("empty.jar") + "/none"); // cannot be written
        List<String> arguments = List.of(
                "numbers",
                "/ints",
                "file:" + folder.resolve("refused"),
                relative,
                "/without-" + mode,
                files.getUri() + "/with-" + mode);
        ended(submit(mode, ClusterJobs.class, dynamic, arguments), 0, FinalApplicationStatus.SUCCEEDED, 1);
        for (String out : List.of(files.getHomeDirectory() + "/" + relative, "/without-" + mode, "/with-" + mode)) {
            ClusterJobs.assertNumbers(files, input, out);
        }
    }

    /** Each executor says why at the driver; the application ends by that, not by YARN's limit, and leaves nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none | PoCL needs the linker ld, which is in no folder of PATH",
                "broken | its driver ends the process that tests it (signal 6)"
            })
    void nodesWithoutAWorkingLinkerAreRefused(String linker, String reason) throws Exception {
        Path tools = Files.createDirectory(folder.resolve("linker-" + linker));
        String path = tools.toString();
        if (linker.equals("broken")) {
            Files.writeString(tools.resolve("ld"), "#!/bin/sh\nexit 1\n");
            assertTrue(tools.resolve("ld").toFile().setExecutable(true));
            path += ":" + System.getenv("PATH");
        } else { // what YARN's own scripts for a container call
            for (String each : List.of("bash", "chmod", "cp", "find", "ln", "ls", "mkdir", "mv", "rm", "setsid")) {
                Files.createSymbolicLink(tools.resolve(each), Path.of("/usr/bin", each));
            }
        }
        String out = "/refused-" + linker;
        List<String> settings = List.of(
                "spark.executorEnv.PATH=" + path, "spark.executor.instances=2", "spark.executor.maxNumFailures=100");
        Submitted submitted = submit("client", Tonemap.class, settings, List.of("/in", out));
        String said = ended(submitted, 1, FinalApplicationStatus.SUCCEEDED, 1); // of YARN's program beside the driver
        List<String> told = said.lines().filter(line -> line.contains(reason)).toList();
        assertTrue(
                told.stream().anyMatch(line -> line.contains("Job 0 cancelled executor ") && line.contains(reason)),
                said);
        long refusals = told.stream()
                .filter(line -> line.contains("$Histories: executor "))
                .count();
        assertTrue(refusals >= 4 && refusals <= 6, refusals + " refusals\n" + said);
        assertFalse(files.exists(hadoop(out)));
    }

    /** The JVM lane gives the same bits. */
    @Test
    void nodesWithoutOpenCl() throws Exception {
        List<String> settings = List.of(
                "spark.executorEnv.OCL_ICD_VENDORS=" + folder.resolve("none"), EvenerPlugin.REQUIRE_OPENCL + "=false");
        Submitted submitted =
                submit("cluster", ClusterJobs.class, settings, List.of("jvm", "/in", "/jvm", "" + FRAMES));
        ended(submitted, 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures("/jvm");
    }

    /** On a node of another address, since Spark has no copy on a task's own host. */
    @Test
    void aTaskThatHangsIsOvertakenByItsCopy() throws Exception {
        Configuration own = new YarnConfiguration(yarn.getConfig());
        own.set("yarn.nodemanager.bind-host", "0.0.0.0");
        for (String each : List.of("address", "localizer.address", "webapp.address")) {
            own.set("yarn.nodemanager." + each, "127.0.0.2:0");
        }
        for (String each : List.of("local-dirs", "log-dirs")) {
            own.set("yarn.nodemanager." + each, folder.resolve("second-" + each).toString());
        }
        own.set("yarn.nodemanager.resource.memory-mb", "4096"); // as the other has, which is room for one executor
        try (NodeManager second = new NodeManager()) {
            second.init(own);
            second.start();
            List<String> settings = List.of(
                    "spark.executor.instances=2",
                    "spark.executor.memory=2g",
                    "spark.scheduler.minRegisteredResourcesRatio=1",
                    ScriptedFiles.PREFIX + "test.at=frame0003",
                    ScriptedFiles.PREFIX + "test.what=sleep",
                    ScriptedFiles.PREFIX + "test.marker=" + folder.resolve("slept"),
                    "spark.speculation=true",
                    "spark.speculation.interval=100ms",
                    "spark.speculation.quantile=0.5");
            List<String> arguments = List.of("copied", folder.resolve("in").toString(), "/copied", "" + FRAMES);
            ended(submit("client", ClusterJobs.class, settings, arguments), 0, FinalApplicationStatus.SUCCEEDED, 1);
        }
        assertTrue(Files.exists(folder.resolve("slept")));
        assertPictures("/copied");
    }

    @Test
    void aTaskIsCancelled() throws Exception {
        List<String> arguments = List.of("cancel", folder.toString());
        ended(submit("client", ClusterJobs.class, List.of(), arguments), 0, FinalApplicationStatus.SUCCEEDED, 1);
    }

    @Test
    void twoApplicationsOnOneDevice() throws Exception {
        Submitted one = frames("client", "/in", "/one");
        Submitted other = frames("client", "/in", "/other");
        ended(one, 0, FinalApplicationStatus.SUCCEEDED, 1);
        ended(other, 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures("/one");
        assertPictures("/other");
    }

    /** What the control takes outside of the heap ends its container; a sort does not need more than is documented. */
    @Test
    void memoryOutsideOfTheHeapCounts() throws Exception {
        int block = 1 << 23;
        int overhead = 512 + 5 * 4 * (block >> 20);
        List<String> settings = List.of("spark.executor.memoryOverhead=" + overhead + "m", "spark.task.maxFailures=1");
        List<String> control = new ArrayList<>(settings);
        control.add("spark.executor.extraJavaOptions=-XX:MaxDirectMemorySize=4g");
        String said = ended(
                submit("client", ClusterJobs.class, control, List.of("control", "6")),
                1,
                FinalApplicationStatus.SUCCEEDED,
                1);
        assertTrue(said.contains("Container killed by YARN for exceeding physical memory limits"), said);
        byte[] input = ClusterJobs.input(2 * block);
        try (OutputStream out = files.create(hadoop("/many"), true)) {
            out.write(input);
        }
        List<String> arguments = List.of("large", "/many", "/many-sorted", "" + block);
        ended(submit("client", ClusterJobs.class, settings, arguments), 0, FinalApplicationStatus.SUCCEEDED, 1);
        int[] expected = new int[2 * block];
        ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(expected);
        Arrays.sort(expected);
        assertArrayEquals(expected, ClusterJobs.content(files, hadoop("/many-sorted")));
    }

    /** The second attempt begins anew what the first one, whose process is killed, left unfinished. */
    @Test
    void theApplicationMasterIsKilled() throws Exception {
        Submitted submitted = frames("cluster", "scripted:" + folder.resolve("in"), "/killed");
        kill(submitted, "deploy.yarn.ApplicationMaster", () -> files.exists(hadoop("/killed/_temporary/0")));
        ended(submitted, 0, FinalApplicationStatus.SUCCEEDED, 2);
        assertPictures("/killed");
    }

    /** When a task's output is there. */
    @Test
    void anExecutorIsKilled() throws Exception {
        Submitted submitted = frames("cluster", "scripted:" + folder.resolve("in"), "/lost");
        kill(submitted, "YarnCoarseGrainedExecutorBackend", () -> {
            FileStatus[] tasks = files.globStatus(hadoop("/lost/_temporary/0/task_*"));
            return tasks != null && tasks.length > 0;
        });
        ended(submitted, 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures("/lost");
    }

    private static void kill(Submitted submitted, String main, java.util.concurrent.Callable<Boolean> when)
            throws Exception {
        while (!when.call()) {
            assertTrue(submitted.process.isAlive());
            Thread.sleep(100);
        }
        List<ProcessHandle> found = ProcessHandle.current()
                .descendants()
                .filter(each ->
                        commandLine(each).contains(main) && commandLine(each).contains("bin/java"))
                .toList();
        assertFalse(found.isEmpty());
        found.forEach(ProcessHandle::destroyForcibly);
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }
}
