package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar for spark-submit, after it was made. */
class JarCheck {
    private static final Path JAR = Path.of(System.getProperty("evener.spark.jar"));

    @TempDir
    Path folder;

    @Test
    void itHasEvenerAndNothingOfSparks() throws IOException {
        assertTrue(Files.size(JAR) <= 3_500_000, Files.size(JAR) + " bytes");
        List<String> names;
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            names = jar.stream().map(ZipEntry::getName).toList();
        }
        for (String needed : List.of(
                "dev/evener/spark/Tonemap.class",
                "META-INF/services/dev.evener.internal.device.BackEnd",
                "org/jocl/CL.class",
                "com/fasterxml/jackson/jr/ob/JSON.class",
                "dev/evener/kernels/reduce/reduce.cl",
                "META-INF/LICENSE")) {
            assertTrue(names.contains(needed), needed);
        }
        for (String foreign : List.of(
                "org/apache/", "scala/", "org/slf4j/", "ch/qos/", "com/fasterxml/jackson/core/", "module-info.class")) {
            assertEquals(
                    List.of(), names.stream().filter(n -> n.startsWith(foreign)).toList());
        }
    }

    /** Spark's jars alone on the class path: all else, the plugin and JOCL too, comes to executors in the application's jar. */
    @Test
    void sparkSubmitRunsIt() throws Exception {
        Path expected = SparkBed.expected(SparkBed.frames(folder.resolve("in"), 5), folder.resolve("expected"));
        SparkBed.conf("local");
        String sparks = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(p -> !p.contains("evener")
                        && !p.contains("jocl")
                        && !p.contains("jackson-jr")
                        && !p.contains("target"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
        command.addAll(Arrays.asList(org.apache.spark.launcher.JavaModuleOptions.defaultModuleOptions()
                .split(" ", -1)));
        command.addAll(List.of("-cp", sparks, "org.apache.spark.deploy.SparkSubmit"));
        command.addAll(List.of("--master", "local-cluster[1,1,1024]", "--class", Tonemap.class.getName()));
        for (String setting : List.of(
                "spark.executor.extraClassPath=" + sparks,
                "spark.ui.enabled=false",
                "spark.driver.host=127.0.0.1",
                "spark.driver.bindAddress=127.0.0.1",
                "spark.plugins=" + EvenerPlugin.class.getName())) {
            command.addAll(List.of("--conf", setting));
        }
        Path out = folder.resolve("out");
        command.addAll(List.of(
                JAR.toString(), "--operator", "hable", folder.resolve("in").toString(), out.toString()));
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertTrue(process.waitFor(5, TimeUnit.MINUTES), () -> text(log));
            assertEquals(0, process.exitValue(), () -> text(log));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        SparkBed.assertPictures(expected, out);
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
