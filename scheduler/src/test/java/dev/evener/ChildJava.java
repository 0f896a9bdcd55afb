package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with the tests' classes, for what only a process of its own can show. */
public final class ChildJava {
    private ChildJava() {}

    /** To be started; what it says goes where the tests' words go, unless told otherwise. */
    public static ProcessBuilder of(Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", // another takes a fifth more to begin
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** The last line that one writes, once it has ended well. */
    public static String lastLineOf(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        assertEquals(0, process.waitFor(), said);
        return said.substring(said.lastIndexOf('\n') + 1);
    }
}
