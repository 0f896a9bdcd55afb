package dev.evener.spark;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.Submission;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A first launch on each device, in a process of its own with an executor's environment: a driver that ends the process there, as PoCL
 * does where its linker fails, would end each executor that Spark starts anew, and say nothing. The driver's own test does not find that
 * where another environment passed it. Stateless.
 */
final class LaunchTrial {
    private static final int LIMIT_SECONDS = 120;
    private static final int UNITS = 1024;

    private LaunchTrial() {}

    /**
     * Runs it for these devices.
     *
     * @throws EvenerException with what the process said if it ends badly, or not at all
     */
    static void require(List<DeviceInfo> devices) {
        Path said = null;
        try {
            said = Files.createTempFile("evener-launch", ".log");
            ProcessBuilder builder = new ProcessBuilder(command(devices))
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile());
            builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
            Process process = builder.start();
            boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            process.destroyForcibly();
            if (!ended || process.exitValue() != 0) {
                List<String> lines =
                        Files.readString(said).lines().filter(l -> !l.isBlank()).toList();
                throw new EvenerException("a first launch on " + ExecutorDevices.list(devices) + " "
                        + (ended
                                ? "ended its process with code " + process.exitValue()
                                : "took more than " + LIMIT_SECONDS + " s")
                        + (lines.isEmpty() ? "" : ", which said: " + lines.get(lines.size() - 1))
                        + "; PATH is '" + System.getenv("PATH") + "', on which PoCL needs a linker (ld)");
            }
        } catch (IOException e) {
            throw new EvenerException("a process for a first launch could not be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvenerException("interrupted in a first launch", e);
        } finally {
            if (said != null) {
                said.toFile().delete();
            }
        }
    }

    private static List<String> command(List<DeviceInfo> devices) {
        Set<String> classes = new LinkedHashSet<>();
        for (Class<?> each : List.of(LaunchTrial.class, Submission.class, Evener.class, binding())) {
            classes.add(new File(each.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .getPath());
        }
        classes.add(System.getProperty("java.class.path")); // Spark's logger and JSON
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+SuppressFatalErrorMessage",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(File.pathSeparator, classes),
                LaunchTrial.class.getName()));
        devices.forEach(device -> command.add(device.id()));
        return command;
    }

    /** A class of JOCL's jar, by its name, as the scheduler's wrapper alone knows what is in it. */
    private static Class<?> binding() {
        try {
            return Class.forName("org.jocl.CL", false, LaunchTrial.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new EvenerException("JOCL's jar is missing beside Evener's", e);
        }
    }

    /** The other process: launches a kernel on each of the devices with these ids, which is built anew for each {@code PATH}. */
    public static void main(String[] ids) {
        int mark = String.valueOf(System.getenv("PATH")).hashCode();
        try (Evener evener = Evener.builder()
                        .devices(DeviceSelector.ids(List.of(ids)))
                        .history(History.inMemory())
                        .open();
                HostBuffer marks = evener.allocate(ElementType.INT, UNITS)) {
            Job job = Job.named("first launch")
                    .source("kernel void mark(global int *marks) { marks[get_global_id(0)] = " + mark + "; }")
                    .units(UNITS)
                    .kernel("mark")
                    .writes(marks, Access.slice())
                    .build();
            for (String id : ids) {
                Submission.run(evener, job.on(DeviceSelector.ids(List.of(id))));
            }
        } catch (RuntimeException e) {
            System.err.println(e.getMessage());
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0); // a driver may wait in its exit
    }
}
