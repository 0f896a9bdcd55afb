package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ChildJava;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a Java lacks or denies is said as what it is. */
class LackingJavaTest {
    /** It ended in an error, out of {@code open()}. */
    @Test
    void aRuntimeWithoutJavaLoggingSaysSo() throws Exception {
        ProcessBuilder builder = ChildJava.of(Program.class);
        builder.command().addAll(1, List.of("--limit-modules", "java.base,jdk.management,jdk.unsupported"));
        Process program = builder.start();
        assertEquals(
                "OpenCL cannot be used, since this Java has no module java.logging, which JOCL needs: jlink --add-modules java.logging",
                program.inputReader().readLine());
        assertEquals(0, program.waitFor());
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            System.out.println(ClLibrary.problem());
        }
    }

    /** As JOCL 2.0.6 says it on JDK 25 with {@code --illegal-native-access=deny}. */
    @Test
    void whoDeniesNativeAccessIsNamed() {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError("""
                Error while loading native library "JOCL_2_0_6-linux-x86_64"
                Operating system name: Linux
                ---(start of nested stack traces)---
                Stack trace from the attempt to load the library as a file:
                java.lang.IllegalCallerException: Illegal native access from an unnamed module (file:/lib/jocl-2.0.6.jar)
                \tat java.base/java.lang.Module.ensureNativeAccess(Module.java:307)
                """);
        assertEquals(
                "OpenCL cannot be used, since this JVM denies native access to JOCL: start Java with --enable-native-access=ALL-UNNAMED,"
                        + " or, where JOCL is on the module path, =jocl",
                ClLibrary.reason(error));
    }
}
