package dev.evener;

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
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
