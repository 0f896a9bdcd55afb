package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pieces of Java in these pages compile, but those above which a program is named: that is tested where it lies. */
class SamplesTest {
    private static final Pattern JAVA = Pattern.compile("(?<!-->\n)```java\n(.*?)```\n", Pattern.DOTALL);

    /** What pieces of Java take for granted. */
    private static final String BEFORE = """
            import dev.evener.*;
            import dev.evener.kernels.compact.*;
            import dev.evener.kernels.histogram.*;
            import dev.evener.kernels.reduce.Reduce;
            import dev.evener.kernels.scan.Scan;
            import dev.evener.kernels.sort.*;
            import dev.evener.kernels.tuning.*;
            import dev.evener.policy.Policies;
            import dev.evener.record.*;
            import dev.evener.simulation.*;
            import java.nio.file.Path;
            import java.util.*;
            import %s;

            abstract class Sample {
                Evener evener;
                HostBuffer counts, offsets, pixels, in, out, count, keys, sorted, places, sortedPlaces;
                Job job;
                List<DeviceInfo> devices;

                void sample() throws Exception {
            """;

    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    Path classes;

    @ParameterizedTest
    @ValueSource(strings = {"deploying", "primitives", "records", "run"})
    void itCompiles(String page) throws IOException {
        assumeTrue(ToolProvider.getSystemJavaCompiler() != null, "a JDK");
        List<String> samples = JAVA.matcher(Files.readString(Path.of("..", "docs", page + ".md")))
                .results()
                .map((MatchResult sample) -> sample.group(1))
                .toList();
        List<String> problems = new ArrayList<>();
        samples.forEach(sample -> problems.addAll(problems(sample)));
        assertFalse(samples.isEmpty(), page);
        assertEquals(List.of(), problems);
    }

    private List<String> problems(String sample) {
        String operations =
                sample.contains("Reduce.") ? "dev.evener.kernels.reduce.*" : "dev.evener.kernels.scan.Operation";
        String program = BEFORE.formatted(operations) + sample + "}}";
        JavaFileObject file = new SimpleJavaFileObject(URI.create("mem:///Sample.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return program;
            }
        };
        StringWriter said = new StringWriter();
        List<String> options = List.of("-proc:none", "-d", classes.toString(), "-cp", CLASS_PATH);
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(said, null, null, options, null, List.of(file))
                .call();
        return compiled ? List.of() : List.of(said.toString());
    }
}
