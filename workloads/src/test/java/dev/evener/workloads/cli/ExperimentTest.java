package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code experiment pack}: what is in an archive runs elsewhere, without the files that it was made of, and gives the
 * same results.
 */
class ExperimentTest {
    @TempDir
    Path folder;

    private Path sweep() throws IOException {
        Path own = Files.createDirectories(folder.resolve("here/mine"));
        Files.writeString(folder.resolve("here/machine.json"), """
                {"format": "evener-machine", "version": 1, "devices": [
                  {"id": "0.0", "kind": "cpu", "idleWatts": 5, "busyWatts": 50, "kernels": {"*": {"nanosPerUnit": 1000, "factor": [0.9, 1.1]}}},
                  {"id": "1.0", "kind": "gpu", "memory": "own"}]}
                """);
        Path samples = Path.of("samples");
        Files.copy(samples.resolve("cholesky-cpu.swf"), folder.resolve("here/cpu.swf"));
        Files.copy(samples.resolve("cholesky-gpu.swf"), folder.resolve("here/cholesky-gpu.swf"));
        Files.copy(samples.resolve("cholesky-precedence.txt"), folder.resolve("here/cholesky-precedence.txt"));
        return Files.writeString(own.resolve("mine.json"), """
                {"format": "evener-experiment", "version": 1, "name": "mine", "question": "Which?",
                 "machines": ["../machine.json"], "policies": ["heft", "adaptive"], "seeds": 2,
                 "traces": [{"name": "dag", "file": "../cpu.swf",
                   "map": ["gpu-times=cholesky-gpu.swf", "precedence=cholesky-precedence.txt", "unit=ms"]}]}
                """);
    }

    private static Map<String, byte[]> unpacked(Path archive) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (InputStream in = Files.newInputStream(archive);
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.put(entry.getName(), zip.readAllBytes());
            }
        }
        return files;
    }

    /** {@code run.sh} as a process, as its reader would; what has changed since is found. */
    @Test
    void anArchiveRunsElsewhereAndGivesTheSame() throws IOException, InterruptedException {
        Path archive = folder.resolve("mine.zip");
        InProcess.run("experiment", "pack", sweep(), "--out", archive).done();
        byte[] first = Files.readAllBytes(archive);
        InProcess.run("experiment", "pack", folder.resolve("here/mine/mine.json"), "--out", archive)
                .done();
        assertArrayEquals(first, Files.readAllBytes(archive), "the same content, the same bytes");
        Map<String, byte[]> files = unpacked(archive);
        Path there = folder.resolve("there");
        for (Map.Entry<String, byte[]> each : files.entrySet()) {
            Path file = there.resolve(each.getKey());
            Files.createDirectories(file.getParent());
            Files.write(file, each.getValue());
        }
        try (var left = Files.walk(folder.resolve("here"))) {
            for (Path each : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
        assertEquals(0, runScript(there).code());
        assertArrayEquals(files.get("results.csv"), Files.readAllBytes(there.resolve("again.csv")));
        Map<?, ?> versions = Cli.json(there.resolve("versions.json"));
        assertTrue(((Map<?, ?>) versions.get("sha256")).containsKey("experiment.json"), versions::toString);
        try (var packed = Files.walk(there.resolve("files"))) { // a machine a twentieth slower than the one packed
            for (Path each :
                    packed.filter(file -> file.endsWith("machine.json")).toList()) {
                Files.writeString(
                        each, Files.readString(each).replace("\"nanosPerUnit\": 1000", "\"nanosPerUnit\": 1050"));
            }
        }
        Cli.Result other = runScript(there);
        assertEquals(1, other.code(), other::err);
        assertTrue(other.err().contains("makespanSeconds is ") && other.err().contains("% apart"), other::err);
    }

    private Cli.Result runScript(Path there) throws IOException, InterruptedException {
        String program = "printf '#!/bin/sh\\nexec %s \"$@\"\\n' \"$*\" > evener && chmod +x evener";
        return Cli.in(folder).shell(program + " && EVENER=$PWD/evener sh " + there.resolve("run.sh"));
    }

    @Test
    void whatCannotBeIsSaid() throws IOException {
        Path file = sweep();
        assertEquals(2, InProcess.run("experiment", "pack").code());
        assertEquals(2, InProcess.run("experiment", "pack", file, "--within", 0).code());
        Files.delete(folder.resolve("here/cholesky-gpu.swf"));
        Cli.Result missing = InProcess.run("experiment", "pack", file, "--out", folder.resolve("a.zip"));
        assertTrue(missing.code() != 0 && missing.err().contains("cholesky-gpu.swf"), missing::err);
    }
}
