package dev.evener.internal.lane;

import static dev.evener.Access.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.internal.device.Devices;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Integer division by zero, in a kernel and in Java, in a JVM started as the launcher and docs/deploying.md do: with
 * the JDK's {@code libjsig.so} preloaded, and PoCL's own handler on.
 */
class DivisionByZeroTest {
    @TempDir
    Path folder;

    @Test
    void aKernelThatDividesByZeroGoesOnAndJavaStillThrows() throws Exception {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:ErrorFile=" + folder.resolve("crash"),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Divider.class.getName());
        int code = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        List<String> said = Files.readAllLines(output).stream()
                .filter(line -> line.startsWith("> "))
                .toList();
        List<String> expected = new ArrayList<>(List.of("> Java throws"));
        for (String device : Divider.devices()) {
            expected.addAll(List.of("> " + device + " went on", "> Java throws"));
        }
        assertTrue(expected.size() >= 3, "there is a device to try");
        assertEquals(expected, said, () -> read(output));
        assertEquals(0, code, () -> read(output));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    /** The process. */
    static final class Divider {
        private static final String SOURCE = """
                kernel void divide(global const int *a, global const int *b, global int *quotients) {
                    size_t i = get_global_id(0);
                    quotients[i] = a[i] / b[i];
                }
                """;

        private Divider() {}

        /** All but PoCL 6's {@code cpu-minimal}, which computes in the lane's own thread and leaves the signal to the JVM. */
        static List<String> devices() {
            return Devices.all().stream()
                    .filter(d -> d.kind() != DeviceKind.JVM)
                    .filter(d -> !d.name().startsWith("cpu-minimal"))
                    .map(DeviceInfo::id)
                    .toList();
        }

        public static void main(String[] arguments) {
            divideInJava(0);
            for (String device : devices()) {
                divideInKernel(device);
                divideInJava(0);
            }
        }

        private static void divideInKernel(String device) {
            int n = 4096;
            try (Evener evener =
                    Evener.builder().devices(DeviceSelector.parse(device)).open()) {
                HostBuffer a = evener.allocate(ElementType.INT, n);
                HostBuffer b = evener.allocate(ElementType.INT, n);
                HostBuffer quotients = evener.allocate(ElementType.INT, n);
                for (int i = 0; i < n; i++) {
                    a.ints().put(i, 5 * i);
                    b.ints().put(i, i % 1000 == 7 ? 0 : 5);
                }
                Job job = Job.named("divide")
                        .source(SOURCE)
                        .units(n)
                        .kernel("divide")
                        .reads(a, slice())
                        .reads(b, slice())
                        .writes(quotients, slice())
                        .build();
                evener.submit(job).join();
                boolean right = true;
                for (int i = 0; i < n; i++) {
                    right &= b.ints().get(i) == 0 || quotients.ints().get(i) == i;
                }
                System.out.println("> " + device + (right ? " went on" : " computed something else"));
            }
        }

        /** Often enough to be compiled: the JVM leaves the check to the processor in either way of running it. */
        private static void divideInJava(int zero) {
            int thrown = 0;
            for (int i = 0; i < 50_000; i++) {
                try {
                    thrown -= i / zero;
                } catch (ArithmeticException e) {
                    thrown++;
                }
            }
            System.out.println(thrown == 50_000 ? "> Java throws" : "> Java threw " + thrown + " times");
        }
    }
}
