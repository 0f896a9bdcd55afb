package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that only a host with CUDA builds compile, as far as clang can tell, which PoCL's packages bring. It knows CUDA's language and,
 * from a stand-in, the names of its functions.
 */
class CudaSourceTest {
    private static final Path SOURCES = Path.of("src");
    private static final Path HEADERS = Path.of("..", ".ci", "cuda-headers");

    private static String newestClang() throws IOException {
        try (Stream<Path> programs = Stream.of(System.getenv("PATH").split(":", -1))
                .map(Path::of)
                .flatMap(folder -> {
                    String[] names = folder.toFile().list();
                    return Stream.of(names == null ? new String[0] : names).map(folder::resolve);
                })) {
            return programs.filter(p -> p.getFileName().toString().matches("clang-\\d+"))
                    .max(Comparator.comparingInt(
                            p -> Integer.parseInt(p.getFileName().toString().substring(6))))
                    .orElseThrow(() ->
                            new AssertionError("there is no clang-N on the PATH: install PoCL's, such as clang-15"))
                    .toString();
        }
    }

    private static String compiled(Path source) throws IOException, InterruptedException {
        Process clang = new ProcessBuilder(
                        newestClang(),
                        "-x",
                        "cuda",
                        "--cuda-path=/none",
                        "-nocudainc",
                        "-nocudalib",
                        "--cuda-gpu-arch=sm_60",
                        "-std=c++17",
                        "-fsyntax-only",
                        "-Wall",
                        "-Werror",
                        "-I",
                        HEADERS.toString(),
                        "-include",
                        "cub/cub.cuh",
                        source.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(clang.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return clang.waitFor() == 0 ? "" : said + " exit code " + clang.exitValue();
    }

    @Test
    void theyCompile(@TempDir Path folder) throws IOException, InterruptedException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            sources = files.filter(f -> f.toString().endsWith(".cu")).toList();
        }
        assertFalse(sources.isEmpty());
        for (Path source : sources) {
            assertEquals("", compiled(source));
            Path broken = folder.resolve("broken.cu");
            Files.writeString(broken, Files.readString(source) + "\nint wrong() { return notDeclared; }\n");
            assertEquals(true, compiled(broken).contains("undeclared identifier 'notDeclared'"), "a mistake is found");
        }
    }
}
