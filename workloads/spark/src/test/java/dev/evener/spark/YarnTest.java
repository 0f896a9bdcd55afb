package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    private static Process submit(String mode, String... arguments) throws IOException {
        String classes = System.getProperty("java.class.path");
        Path jar = folder.resolve("empty.jar");
        if (!Files.exists(jar)) {
            new java.util.jar.JarOutputStream(Files.newOutputStream(jar), new java.util.jar.Manifest()).close();
        }
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(Arrays.asList(org.apache.spark.launcher.JavaModuleOptions.defaultModuleOptions()
                .split(" ", -1)));
        command.addAll(List.of("-cp", folder.resolve("conf") + ":" + classes, "org.apache.spark.deploy.SparkSubmit"));
        command.addAll(List.of("--master", "yarn", "--deploy-mode", mode, "--class", Tonemap.class.getName()));
        for (String setting : List.of(
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
                "spark.hadoop.test.delay="
                        + (Arrays.asList(arguments).toString().contains("scripted:") ? "2000" : "0"),
                "spark.plugins=" + EvenerPlugin.class.getName())) {
            command.addAll(List.of("--conf", setting));
        }
        command.addAll(List.of(jar.toString(), "--operator", "hable", "--partitions", "" + FRAMES));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("submit.log").toFile());
        builder.environment().put("HADOOP_CONF_DIR", folder.resolve("conf").toString());
        return builder.start();
    }

    /** How the last application and the program that submitted it ended. */
    private static void ended(Process submitted, int code, FinalApplicationStatus status, int attempts)
            throws Exception {
        assertTrue(submitted.waitFor(15, TimeUnit.MINUTES));
        String said = Files.readString(folder.resolve("submit.log"));
        assertEquals(code, submitted.exitValue(), said);
        ApplicationReport last = last();
        assertEquals(status, last.getFinalApplicationStatus(), said);
        assertEquals(
                attempts, client.getApplicationAttempts(last.getApplicationId()).size(), said);
    }

    private static ApplicationReport last() throws Exception {
        return client.getApplications().stream()
                .max(Comparator.comparing(ApplicationReport::getApplicationId))
                .orElseThrow();
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
        ended(submit("client", "/in", "/client"), 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures("/client");
        ended(submit("client", "/in", "file:" + folder.resolve("refused")), 1, FinalApplicationStatus.SUCCEEDED, 1);
        assertFalse(Files.exists(folder.resolve("refused")));
    }

    @Test
    void theDriverThere() throws Exception {
        ended(submit("cluster", "/in", "relative"), 0, FinalApplicationStatus.SUCCEEDED, 1);
        assertPictures(files.getHomeDirectory() + "/relative");
    }

    /** The second attempt begins anew what the first one, whose process is killed, left unfinished. */
    @Test
    void theApplicationMasterIsKilled() throws Exception {
        Process submitted = submit("cluster", "scripted:" + folder.resolve("in"), "/killed");
        while (!files.exists(hadoop("/killed/_temporary/0"))) {
            assertTrue(submitted.isAlive());
            Thread.sleep(100);
        }
        ProcessHandle.current()
                .descendants()
                .filter(each -> commandLine(each).contains("deploy.yarn.ApplicationMaster"))
                .filter(each -> commandLine(each).contains("bin/java"))
                .forEach(ProcessHandle::destroyForcibly);
        ended(submitted, 0, FinalApplicationStatus.SUCCEEDED, 2);
        assertPictures("/killed");
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }
}
