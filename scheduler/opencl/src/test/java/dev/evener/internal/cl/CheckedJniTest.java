package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ChildJava;
import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.policy.Policies;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A JVM that checks uses of its native interface, where JOCL does not write back into arrays, has the same devices and results. */
class CheckedJniTest {
    private static final int UNITS = 100_003;

    /** Prints what there is, and what a job of all devices made. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            Evener.discover().forEach(System.out::println);
            DeviceSelector pocl = DeviceSelector.parse("0.0,0.1");
            try (Evener evener = Evener.builder()
                            .devices(pocl)
                            .policy(Policies.fixed())
                            .sharedMemory(arguments[0].equals("shared"))
                            .open();
                    HostBuffer out = evener.allocate(ElementType.INT, UNITS)) {
                Job job = Job.named("sevens")
                        .source("kernel void sevens(global int *out, long by) { out[get_global_id(0)] = 7 * by; }")
                        .units(UNITS)
                        .kernel("sevens")
                        .writes(out, Access.slice())
                        .scalar(6L)
                        .build();
                evener.submit(job).join();
                int right = 0;
                for (int i = 0; i < UNITS; i++) {
                    right += out.ints().get(i) == 42 ? 1 : 0;
                }
                System.out.println(right + " "
                        + evener.devices().stream().map(DeviceInfo::id).toList());
            }
        }
    }

    private static List<String> said(String memory, String... options) throws Exception {
        ProcessBuilder builder = ChildJava.of(Program.class, memory);
        builder.command().addAll(1, List.of(options));
        List<String> lines = builder.redirectErrorStream(true)
                .start()
                .inputReader()
                .lines()
                .filter(line -> !line.startsWith("SLF4J"))
                .toList();
        assertTrue(lines.contains(UNITS + " [0.0, 0.1]"), lines::toString);
        return lines;
    }

    @Test
    void allIsAsInAnyJvm() throws Exception {
        assertEquals(said("shared"), said("shared", "-Xcheck:jni"));
        assertEquals(said("copied"), said("copied", "-Xcheck:jni"));
    }
}
